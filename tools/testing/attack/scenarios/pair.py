# SPDX-License-Identifier: GPL-2.0
"""Two ends that hold a connection, and the attacker's place between them."""

import json
import os
import select
import subprocess
import time
from contextlib import contextmanager

from srxe_attack import forge, wire
from srxe_attack import packet as pk
from srxe_attack.relay import Relay

HOLD_LEN = 65536


class Unmet(Exception):
    """The attack did not end as expected."""


class Broken(Exception):
    """The test itself could not run."""


def need(condition, text):
    """Unmet unless the condition holds."""
    if not condition:
        raise Unmet(text)


def until(condition, seconds=10.0, step=0.05):
    """Waits for a condition; its last value. A machine that has stood still has not
    waited: it looks some times at least."""
    end, looks = time.monotonic() + seconds, 0
    while True:
        value, looks = condition(), looks + 1
        if value or (looks >= 20 and time.monotonic() >= end):
            return value
        time.sleep(step)


@contextmanager
def undisturbed():
    """No worker runs on our processor: what they are given waits."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def run(*command):
    """Output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode:
        raise Broken(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


class Host:
    """A namespace with a device."""

    srxe = "srxe"

    def __init__(self, name, netns, dev):
        self.name, self.netns, self.dev = name, netns, dev

    def counters(self):
        """The link's counters."""
        text = run("ip", "netns", "exec", self.netns, "rdma", "-j", "statistic", "show", "link",
                   f"{self.dev}/1")
        found = {}
        for link in json.loads(text):
            found.update({k: v for k, v in link.items() if isinstance(v, int)})
        return found

    def drops(self):
        """Its counters of dropped packets, those that are not 0."""
        return {k: v for k, v in self.counters().items()
                if k.startswith(("rx_drop_", "hs_drop_")) and v}

    def sas(self):
        """SAs of the link, those that were made but have no keys yet among them."""
        text = run("ip", "netns", "exec", self.netns, self.srxe, "-j", "sa", "show", self.dev)
        return [sa for sa in json.loads(text) if sa["state"] != "dead"]


class End(Host):
    """One srxe_traffic --hold."""

    def __init__(self, name, netns, dev, command):
        super().__init__(name, netns, dev)
        self._buffer = b""
        self.proc = subprocess.Popen(  # pylint: disable=consider-using-with
            ["ip", "netns", "exec", netns] + command,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.info = None

    def line(self, seconds=40):
        """The next line of JSON it prints."""
        end = time.monotonic() + seconds
        while b"\n" not in self._buffer:
            left = end - time.monotonic()
            ready = select.select([self.proc.stdout], [], [], max(left, 0))[0]
            data = os.read(self.proc.stdout.fileno(), 65536) if ready else b""
            if not data:
                self.proc.kill()
                said = self.proc.communicate()[1].decode(errors="replace").strip()
                raise Broken(f"end {self.name}: {said or 'silent'}")
            self._buffer += data
        text, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(text)

    def ask(self, command, seconds=40):
        """Answer to a command."""
        self.proc.stdin.write(command.encode() + b"\n")
        self.proc.stdin.flush()
        answer = self.line(seconds)
        if not answer["ok"]:
            raise Broken(f"end {self.name}: {command}: {answer['error']}")
        return answer

    def dump(self, area, offset, length):
        """Bytes of its memory."""
        return bytes.fromhex(self.ask(f"dump {area} {offset} {length}")["hex"])

    def state(self):
        """QP state and counts."""
        return self.ask("state")

    def recvs(self):
        """Receive completions so far."""
        return self.ask("recv-count")["recv"]

    def picture(self):
        """All an attack could have changed here."""
        state, sums = self.state(), self.ask("sum")
        return {"state": state["state"], "rq_psn": state["rq_psn"], "recv": state["recv"],
                "recv_errors": state["recv_errors"], "rx": sums["rx"], "recv_buf": sums["recv"]}

    def close(self):
        """Ends it."""
        try:
            self.proc.stdin.write(b"quit\n")
            self.proc.stdin.close()
            self.proc.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.proc.kill()
            self.proc.wait()


class Third(Host):
    """A third host, c: a queue pair of b's number, ready to receive from a's."""

    def __init__(self, lab):
        args = lab.args
        super().__init__("c", args.ns_c, args.dev_c)
        self.mac = lab.mac_of(args.ns_c)
        self.wire, self.tap = wire.Wire(args.if_c), wire.Tap(args.if_c)
        remote, own = lab.a.info["local"], lab.b.info["local"]["qpn"]
        self.proc = subprocess.Popen(  # pylint: disable=consider-using-with
            ["ip", "netns", "exec", self.netns, args.local, "sit", self.dev, args.gid_c,
             remote["gid"], str(remote["qpn"]), str(own)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not self.proc.stdout.readline():
            raise Broken("c has no queue pair")

    def close(self):
        """Frees everything."""
        self.proc.communicate(timeout=20)
        self.wire.close()
        self.tap.close()


class Lab:
    """Namespaces a and b with a device each; we are in the middle.

    Ports to_a and to_b of the bridge here lead to them. What is sent on to_b goes
    straight to b.
    """

    def __init__(self, args):
        self.args = args
        self.secured = args.expect == "holds"
        self.a = self.b = None
        self.taps = []
        self.port = 20000 + os.getpid() % 20000
        self.mac_a, self.mac_b = self.mac_of(args.ns_a), self.mac_of(args.ns_b)
        Host.srxe = args.srxe
        self.to_a, self.to_b = wire.Wire(args.if_a), wire.Wire(args.if_b)
        self.whole = True
        # with the way cut nobody is asked for a hardware address
        for netns, ip, mac in ((args.ns_a, args.ip_b, self.mac_b),
                               (args.ns_b, args.ip_a, self.mac_a)):
            run("ip", "-6" if ":" in ip else "-4", "-n", netns, "neigh", "replace", ip,
                "lladdr", mac.hex(":"), "nud", "permanent", "dev", args.netdev)

    def mac_of(self, netns):
        """Of the device there."""
        show = json.loads(run("ip", "-n", netns, "-j", "link", "show", self.args.netdev))
        return bytes.fromhex(show[0]["address"].replace(":", ""))

    def connect(self, qp="rc", recvs=16, size=256, mtu=1024, more=()):
        """A connection held at both ends; any earlier one is ended."""
        self.hang_up()
        self.port += 1
        common = [self.args.traffic, "--hold", "--port", str(self.port), "--qp", qp, "--size",
                  str(size), "--timeout", "30", "--recvs", str(recvs), "--mtu", str(mtu), *more]
        self.b = End("b", self.args.ns_b, self.args.dev_b,
                     common + ["--dev", self.args.dev_b, "--addr", self.args.ip_b])
        self.a = End("a", self.args.ns_a, self.args.dev_a,
                     common + ["--dev", self.args.dev_a, "--addr", self.args.ip_a,
                               self.args.ip_b])
        self.b.info = self.b.line()
        self.a.info = self.a.line()
        # the honest connection works before it is attacked, and its SA stands
        self.greet()

    def greet(self):
        """Each has received what the other sent: UC and UD say nothing of whether it has come
        across, nor when it does if crypto takes its time."""
        for one, other in ((self.a, self.b), (self.b, self.a)):
            seen = other.recvs()
            self.work(one, "send 8")
            need(until(lambda seen=seen, other=other: other.recvs() == seen + 1),
                 f"{other.name} did not receive a send")

    def work(self, end, command):
        """An honest request; it must succeed."""
        answer = end.ask(command)
        need(answer["last"] and answer["last"]["status"] == "success",
             f"honest {command.split()[0]} of {end.name}: {answer['last']}")

    def hang_up(self):
        """Ends the connection."""
        self.join()
        for end in (self.a, self.b):
            if end:
                end.close()
        self.a = self.b = None

    def close(self):
        """Frees everything."""
        self.hang_up()
        for one in (*self.taps, self.to_a, self.to_b):
            one.close()

    def tap(self, iface):
        """What comes in on a port from now on."""
        tap = wire.Tap(iface)
        self.taps.append(tap)
        return tap

    def tap_a(self):
        """What a sends."""
        return self.tap(self.args.if_a)

    def tap_b(self):
        """What b sends."""
        return self.tap(self.args.if_b)

    def drop(self, tap):
        """Of no use any more."""
        tap.close()
        self.taps.remove(tap)

    @contextmanager
    def relayed(self, decide):
        """All between a and b goes through us, see Relay."""
        self.cut()
        relay = Relay((self.args.if_a, self.args.if_b), decide)
        try:
            yield relay
        finally:
            relay.close()
            self.join()

    @contextmanager
    def third(self):
        """A third host, while something happens."""
        third = Third(self)
        try:
            yield third
        finally:
            third.close()

    def cut(self):
        """Nothing gets across any more; both ends' packets still come to the ports."""
        run("bridge", "link", "set", "dev", self.args.if_a, "state", "0")
        self.whole = False

    def join(self):
        """The way is whole again."""
        if not self.whole:
            run("bridge", "link", "set", "dev", self.args.if_a, "state", "3")
            self.whole = True

    def at_b(self):
        """Target: b, in a's name, at the PSN b expects now."""
        target = forge.Target.from_info(self.b.info, self.mac_a, self.mac_b)
        return target.at(self.b.state()["rq_psn"])

    def at_a(self):
        """Target: a, in b's name."""
        target = forge.Target.from_info(self.a.info, self.mac_b, self.mac_a)
        return target.at(self.a.state()["rq_psn"])

    def replies_to_a(self, psn):
        """Target: a's requester, for answers in b's name to the request at that PSN."""
        return forge.Target.from_info(self.a.info, self.mac_b, self.mac_a).at(psn)

    def honest(self):
        """Every kind of request works, in both directions, with the right data."""
        service = self.a.info["qp"]
        for one, other in ((self.a, self.b), (self.b, self.a)):
            seen = other.recvs()
            self.work(one, "send 100 512")
            need(until(lambda seen=seen, other=other: other.recvs() == seen + 1),
                 f"{other.name} did not receive an honest send")
            if service == "ud":
                continue
            self.work(one, "write 200 4096")
            same = until(lambda one=one, other=other: one.dump("tx", 4096, 200)
                         == other.dump("rx", 4096, 200), 5)
            need(same, f"an honest write of {one.name} did not arrive")
            if service == "rc":
                self.work(one, "read 300 8192")
                need(one.dump("tx", 8192, 300) == other.dump("rx", 8192, 300),
                     f"an honest read of {one.name} got other data")

    def captured_request(self, command, count=1):
        """With the way cut, a's packets for a request that b has not seen."""
        tap = self.tap_a()
        self.cut()
        self.a.ask(f"post {command}")
        got = tap.wait(10, lambda packets: len(self.requests(packets)) >= count)
        if not got:
            raise Broken("a sent nothing")
        found = self.requests(tap.packets())[:count]
        tap.close()
        self.taps.remove(tap)
        return found

    @staticmethod
    def requests(packets):
        """Those packets that carry requests."""
        answers = range(pk.READ_RESPONSE_FIRST, pk.ATOMIC_ACKNOWLEDGE + 1)
        return [p for p in packets if p.bth.opcode < pk.SRXE_INIT
                and p.bth.opcode & 0x1F not in answers]


def keep_alive(packet):
    """Nobody's: what two hosts tell each other between datagrams, which is an empty
    control packet after some, and another handshake after long silence."""
    return packet.bth.opcode in (pk.SRXE_CTRL, pk.SRXE_INIT) and packet.bth.qpn == 0


class Watch:
    """Sees to it that packets sent to an end are dropped, each counted once, and that
    nothing else happens there: the end's picture stays, and nothing leaves it."""

    def __init__(self, lab, end, may_send=lambda packet: False):
        """:param may_send: tells of a packet that the end sends of its own accord"""
        self.lab, self.end, self.may_send = lab, end, may_send
        self.tap = lab.tap_b() if end is lab.b else lab.tap_a()
        self.before, self.drops = end.picture(), end.drops()
        self.tap.clear()

    def verdict(self, sent, exact=True):
        """After @sent packets."""
        total = sum(self.drops.values()) + sent
        until(lambda: sum(self.end.drops().values()) >= total, 20)
        now = self.end.drops()
        counted = {k: v - self.drops.get(k, 0) for k, v in now.items()
                   if v != self.drops.get(k, 0)}
        self.tap.wait(0.3)
        left = [pk.opcode_name(p.bth.opcode) for p in self.tap.packets()
                if not keep_alive(p) and not self.may_send(p)]
        after = self.end.picture()
        need(after == self.before, f"{self.end.name} changed: {self.before} to {after}")
        need(not left, f"{self.end.name} answered: {left[:10]}")
        if exact:
            need(sum(counted.values()) == sent, f"{sent} sent, counted: {counted}")
        else:
            need(counted, "no drop was counted")
        return counted
