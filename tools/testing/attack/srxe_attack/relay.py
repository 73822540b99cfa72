# SPDX-License-Identifier: GPL-2.0
"""The way between two interfaces, gone by us instead of a bridge."""

import select
import socket
import threading

from . import packet
from .wire import ETH_P_ALL, PACKET_OUTGOING, SO_RCVBUFFORCE

RECEIVE = 64 << 20  # so much may come while we decide


class Relay(threading.Thread):
    """Carries frames between two interfaces.

    What becomes of a RoCEv2 packet is decided by a function: of the packet and the side
    it came from, 0 or 1, it makes the list of frames that go on. All else goes on as it is.
    """

    def __init__(self, ifaces, decide=lambda packet, side: [packet.frame]):
        super().__init__(daemon=True)
        self.decide = decide
        self.failure = None
        self.socks = [self._open(iface) for iface in ifaces]
        self._ended = threading.Event()
        self.start()

    @staticmethod
    def _open(iface):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE)
        sock.bind((iface, ETH_P_ALL))
        sock.setblocking(False)
        return sock

    def _carry(self, side):
        try:
            data, addr = self.socks[side].recvfrom(65536)
        except BlockingIOError:
            return
        if addr[2] == PACKET_OUTGOING:
            return
        found = packet.parse(data)
        for frame in self.decide(found, side) if found else [data]:
            self.socks[1 - side].send(frame)

    def run(self):
        """Until close()."""
        try:
            while not self._ended.is_set():
                ready = select.select(self.socks, [], [], 0.1)[0]
                for sock in ready:
                    self._carry(self.socks.index(sock))
        except Exception as err:  # pylint: disable=broad-exception-caught
            self.failure = err

    def close(self):
        """Ends it, and says what went wrong in it."""
        self._ended.set()
        self.join()
        for sock in self.socks:
            sock.close()
        if self.failure:
            raise self.failure
