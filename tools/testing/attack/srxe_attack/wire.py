# SPDX-License-Identifier: GPL-2.0
"""Frames onto and off an interface, and pcap files."""

import select
import socket
import struct
import time

from . import packet

ETH_P_ALL = 3
SOL_PACKET = 263
PACKET_QDISC_BYPASS = 20
PACKET_OUTGOING = 4
SO_RCVBUFFORCE = 33


class Wire:
    """A packet socket on an interface."""

    def __init__(self, iface):
        self.iface = iface
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        # a netem queue on the interface is for the honest traffic
        self.sock.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
        self.sock.bind((iface, 0))
        self.sent = 0

    def send(self, frames, gap=0.0):
        """Sends them in order; a full queue is waited for."""
        for data in frames:
            while True:
                try:
                    self.sock.send(data)
                    break
                except OSError as err:
                    if err.errno != 105:  # ENOBUFS
                        raise
                    time.sleep(0.001)
            self.sent += 1
            if gap:
                time.sleep(gap)

    def close(self):
        """Frees the socket."""
        self.sock.close()


class Tap:
    """Frames seen on an interface since it was opened."""

    def __init__(self, iface, incoming_only=True):
        self.incoming_only = incoming_only
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.sock.bind((iface, ETH_P_ALL))
        self.sock.setblocking(False)
        self.frames = []

    def _take(self):
        took = 0
        while True:
            try:
                data, addr = self.sock.recvfrom(65536)
            except BlockingIOError:
                return took
            if self.incoming_only and addr[2] == PACKET_OUTGOING:
                continue
            if packet.parse(data):
                self.frames.append((time.time(), data))
                took += 1

    def wait(self, seconds, enough=None):
        """Collects for some seconds, or until enough(parsed packets) is true."""
        end = time.monotonic() + seconds
        while True:
            if self._take() and enough and enough(self.packets()):
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            select.select([self.sock], [], [], left)

    def packets(self):
        """All so far, taken apart."""
        return [packet.parse(data) for _, data in self.frames]

    def clear(self):
        """Forgets what was seen."""
        self._take()
        self.frames = []

    def close(self):
        """Frees the socket."""
        self.sock.close()


def write_pcap(name, frames):
    """frames: (time, bytes)"""
    with open(name, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for when, data in frames:
            usec = int(when * 1e6)
            out.write(struct.pack("<IIII", usec // 10**6, usec % 10**6, len(data), len(data)))
            out.write(data)


def read_pcap(name):
    """All frames of an Ethernet pcap file, both byte orders."""
    with open(name, "rb") as stream:
        head = stream.read(24)
        order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">"}.get(head[:4])
        if order is None:
            raise ValueError(f"{name} is no pcap file")
        if struct.unpack(order + "I", head[20:24])[0] != 1:
            raise ValueError(f"{name} is no Ethernet capture")
        while True:
            record = stream.read(16)
            if len(record) < 16:
                return
            _, _, have, _ = struct.unpack(order + "IIII", record)
            yield stream.read(have)


def read_packets(name):
    """The RoCEv2 packets of a pcap file."""
    return [p for p in map(packet.parse, read_pcap(name)) if p]
