# SPDX-License-Identifier: GPL-2.0
"""The connection manager: D5 its messages forged or changed on the way, N2 sent by a
user who has nothing but a UD queue pair."""

import os
import re
import signal
import struct
import subprocess
import tempfile

from srxe_attack import forge
from srxe_attack import packet as pk

from .pair import Broken, Watch, keep_alive, need, run, until

GSI_QKEY = 0x80010000
MAD_LEN = 256
CLASS_CM = 7
# attributes: what the message is
REQ, REJ, REP, DREQ = 0x0010, 0x0012, 0x0013, 0x0015
# in a REQ: rdma_cm's part of its private data, and the sender's port there
REQ_PRIVATE = 24 + 140
REQ_PORT = REQ_PRIVATE + 2
FORGED_PORT = 4242
# "consumer reject"
REJ_REASON = 28


def mad_of(packet):
    """A message of the connection manager in a packet that shows it, or None."""
    if packet.bth.opcode != pk.UD | pk.SEND_ONLY or packet.bth.qpn != 1:
        return None
    mad = packet.body[8 : 8 + MAD_LEN]
    return mad if len(mad) == MAD_LEN and mad[1] == CLASS_CM else None


def find(packets, attribute):
    """The last packet with that message, and the message."""
    for packet in reversed(packets):
        mad = mad_of(packet)
        if mad and struct.unpack(">H", mad[16:18])[0] == attribute:
            return packet, mad
    return None, None


def message(attribute, ours, theirs, rest):
    """From the end whose id is @ours."""
    head = struct.pack(">BBBBHHQHHI", 1, CLASS_CM, 2, 3, 0, 0, 0x5278, attribute, 0, 0)
    return (head + struct.pack(">II", ours, theirs) + rest).ljust(MAD_LEN, b"\0")


class Program:
    """A program in a namespace, its output in a file."""

    def __init__(self, netns, *command):
        self._out = tempfile.TemporaryFile("w+")  # pylint: disable=consider-using-with
        self.proc = subprocess.Popen(  # pylint: disable=consider-using-with
            ["ip", "netns", "exec", netns, "stdbuf", "-oL", *command],
            stdin=subprocess.DEVNULL, stdout=self._out, stderr=subprocess.STDOUT)

    def text(self):
        """What it has said."""
        # not by seeking: the program writes where the file stands
        size = os.fstat(self._out.fileno()).st_size
        return os.pread(self._out.fileno(), size, 0).decode(errors="replace")

    def lines(self):
        """How much that is."""
        return self.text().count("\n")

    def ended(self):
        """Has it?"""
        return self.proc.poll() is not None

    def close(self):
        """Ends it."""
        if not self.ended():
            self.proc.send_signal(signal.SIGKILL)
        self.proc.wait()
        self._out.close()


class Session:
    """rping from a to b, which goes on until it is ended."""

    port = 23000

    def __init__(self, lab):
        self.lab = lab
        Session.port += 1
        self.server = Program(lab.args.ns_b, "rping", "-s", "-v", "-a", lab.args.ip_b, "-p",
                              str(self.port))
        self.client = None
        listens = re.compile(rf"state LISTEN .* src-addr \S*:{self.port}\b")
        if not until(lambda: listens.search(run("rdma", "resource", "show", "cm_id")), 20):
            raise Broken(f"rping does not listen: {self.server.text()}")
        self.taps = (lab.tap_a(), lab.tap_b())

    def ask(self):
        """The client asks for a connection."""
        self.client = Program(self.lab.args.ns_a, "rping", "-c", "-a", self.lab.args.ip_b, "-p",
                              str(self.port))

    def connect(self):
        """The connection works; then it is left alone, and its ids are known."""
        self.ask()
        self.works()
        self.client.proc.send_signal(signal.SIGSTOP)
        for tap in self.taps:
            tap.wait(0.3)
        _, request = find(self.taps[0].packets(), REQ)
        _, reply = find(self.taps[1].packets(), REP)
        if not request or not reply:
            raise Broken("no REQ and REP seen: are they encrypted?")
        self.id_a = struct.unpack(">I", request[24:28])[0]
        self.id_b = struct.unpack(">I", reply[24:28])[0]
        self.qpn_b = struct.unpack(">I", reply[36:40])[0] >> 8
        return self

    def captured_request(self):
        """a's REQ, with the way cut, so that b has not seen it. It will be repeated."""
        self.lab.cut()
        self.taps[0].clear()
        self.ask()
        if not self.taps[0].wait(20, lambda packets: any(p.bth.qpn == 1 for p in packets)):
            raise Broken(f"no REQ: {self.client.text()}")
        return next(p for p in self.taps[0].packets() if p.bth.qpn == 1)

    def works(self):
        """The two are talking."""
        before = self.server.lines()
        need(until(lambda: self.server.lines() > before + 2 or self.server.ended(), 40)
             and not self.server.ended(),
             f"no ping gets through: {self.server.text()[-300:]} {self.client.text()[-300:]}")

    def goes_on(self):
        """It is as if nothing had happened."""
        self.client.proc.send_signal(signal.SIGCONT)
        self.works()
        need(not self.client.ended(), f"the client has ended: {self.client.text()[-300:]}")

    def disconnected(self):
        """Does b hold the connection for ended?"""
        return until(lambda: self.server.ended() or "DISCONNECT" in self.server.text()
                     or "event" in self.server.text().lower(), 10)

    def dreq(self):
        """In a's name: disconnect."""
        return message(DREQ, self.id_a, self.id_b, struct.pack(">I", self.qpn_b << 8))

    def rej(self):
        """In a's name: rejected, after all."""
        return message(REJ, self.id_a, self.id_b, struct.pack(">BBH", 0x40, 0, REJ_REASON))

    def close(self):
        """Ends it."""
        for program in (self.client, self.server):
            if program:
                program.close()


def talk(lab):
    """One connection, so that what protects them stands."""
    session = Session(lab)
    try:
        session.ask()
        session.works()
    finally:
        session.close()


def _to_gsi(lab, mad, source_qpn=1):
    """The message in a packet for b's queue pair 1."""
    target = lab.at_b()
    target.qpn = 1
    return forge.datagram(target, mad, GSI_QKEY, source_qpn)


def _forged(lab, name):
    """DREQ or REJ from the path."""
    session = Session(lab)
    try:
        session.connect()
        frame = _to_gsi(lab, getattr(session, name)())
        if not lab.secured:
            lab.to_b.send([frame])
            need(session.disconnected(), f"b stays connected after a forged {name}")
            return {"b says": session.server.text().strip().split("\n")[-1]}
        watch = Watch(lab, lab.b)
        lab.to_b.send([frame])
        found = watch.verdict(1)
        need(set(found) == {"rx_drop_unprotected"}, f"counted: {found}")
        session.goes_on()
        return found
    finally:
        session.close()


def _rewritten(lab):
    """a's REQ, which says that it comes from another port."""
    shown = re.compile(rf"\bdst-addr \S*:{FORGED_PORT}\b")
    session = Session(lab)
    try:
        packet = session.captured_request()
        if not mad_of(packet):
            raise Broken("the REQ is not to be read: is it encrypted?")
        at = len(packet.transport) - len(packet.body) + 8 + REQ_PORT
        data = bytearray(packet.transport)
        data[at : at + 2] = struct.pack(">H", FORGED_PORT)
        if not lab.secured:
            lab.to_b.send([pk.plain_raw(packet.path, bytes(data[:-4]))])
            lab.join()
            need(until(lambda: shown.search(run("rdma", "resource", "show", "cm_id")), 20),
                 "b does not believe it")
            return {"b believes in port": FORGED_PORT}
        watch = Watch(lab, lab.b)
        lab.to_b.send([pk.frame(packet.path, bytes(data))])
        found = watch.verdict(1)
        need(set(found) == {"rx_drop_bad_tag"}, f"counted: {found}")
        lab.join()
        session.goes_on()
        need(not shown.search(run("rdma", "resource", "show", "cm_id")), "b believes it")
        return found
    finally:
        session.close()


def d5(lab):
    """DREQ and REJ forged on the path; a REQ changed there."""
    lab.connect("ud")
    return {"dreq": _forged(lab, "dreq"), "rej": _forged(lab, "rej"), "req": _rewritten(lab)}


def n2(lab):
    """A user of a sends b's connection manager a DREQ for somebody else's connection."""
    lab.connect("ud")
    session = Session(lab)
    try:
        session.connect()
        lab.a.ask(f"to {lab.args.ip_b} 1 {GSI_QKEY:#x}")
        lab.a.ask(f"put tx 0 {session.dreq().hex()}")
        if not lab.secured:
            lab.work(lab.a, f"send {MAD_LEN} 0")
            need(session.disconnected(), "b stays connected")
            return {"b says": session.server.text().strip().split("\n")[-1]}
        tap, before = lab.tap_a(), lab.a.counters()["tx_drop_qp1"]
        lab.work(lab.a, f"send {MAD_LEN} 0")
        need(until(lambda: lab.a.counters()["tx_drop_qp1"] == before + 1), "not counted")
        tap.wait(0.3)
        left = [p for p in tap.packets() if not keep_alive(p)]
        need(not left, f"a sent {[pk.opcode_name(p.bth.opcode) for p in left]}")
        # and if it had got out
        watch = Watch(lab, lab.b)
        lab.to_b.send([_to_gsi(lab, session.dreq(), lab.a.info["local"]["qpn"])])
        found = {"tx_drop_qp1": 1, **watch.verdict(1)}
        lab.a.ask("to")
        session.goes_on()
        lab.honest()
        return found
    finally:
        session.close()
