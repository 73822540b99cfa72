# SPDX-License-Identifier: GPL-2.0
"""R3, H1, H3, H4, H5: handshake messages captured, turned round, sent again and kept back.

There is nothing to show on plain links, which have no handshake.
"""

import threading
import time
from contextlib import contextmanager
from dataclasses import replace

from srxe_attack import packet as pk
from srxe_attack.relay import Relay

from .pair import Broken, Watch, need, until

SPI_AT = pk.BTH_LEN + pk.SETH_LEN + 16
PEER_SPI_AT = SPI_AT + 4
CHALLENGE_AT = pk.BTH_LEN + pk.SETH_LEN + 40
GIVE_UP = 8  # seconds; SRXE_GIVE_UP_MIN_MS


def of(packets, *opcodes):
    """Those of that kind."""
    return [p for p in packets if p.bth.opcode in opcodes]


def seen(tap):
    """All that has come to it by now."""
    tap.wait(0.1)
    return tap.packets()


def fresh(packet):
    """An INIT that would be answered: it has a challenge."""
    return any(packet.transport[CHALLENGE_AT : CHALLENGE_AT + 16])


def answered(said, replies):
    """Those INITs among what one said that the other has answered: a RESP names their SPI
    and has their challenge."""
    named = {(resp.transport[PEER_SPI_AT:][:4], resp.transport[CHALLENGE_AT:][:16])
             for resp in of(replies, pk.SRXE_RESP)}
    return [init for init in of(said, pk.SRXE_INIT)
            if (init.transport[SPI_AT:][:4], init.transport[CHALLENGE_AT:][:16]) in named]


def again(lab):
    """a's and b's queue pairs, reset, get another SA at a's instance; what was said for
    that, by a and by b. If a is so late that b asks, they begin anew."""
    taps = (lab.tap_a(), lab.tap_b())
    for _ in range(5):
        for end in (lab.a, lab.b):
            end.ask("reset")
        for tap in taps:
            tap.clear()
        lab.cut()
        lab.a.ask("up")
        if not taps[0].wait(10, lambda packets: of(packets, pk.SRXE_INIT)):
            raise Broken("a sends no INIT")
        lab.join()
        lab.b.ask("up")
        works(lab)
        said = [[p for p in seen(tap) if p.bare] for tap in taps]
        if answered(*said):
            break
    else:
        raise Broken("a's INITs are not answered")
    for tap in taps:
        lab.drop(tap)
    return said


def works(lab):
    """Both can send; one SA, the same at both ends."""
    for end in (lab.a, lab.b):
        lab.work(end, "send 8")
    return one_sa(lab)


def one_sa(lab):
    """Of what there is at either end in whatever state, one SA: its name."""
    def left():
        return [end.sas() for end in (lab.a, lab.b)]

    # one that lost against another is received on for 2 s more
    until(lambda: all(len(sas) == 1 for sas in left()), 20)
    sas_a, sas_b = left()
    need(len(sas_a) == len(sas_b) == 1, f"SAs: {sas_a}, {sas_b}")
    need(sas_a[0]["state"] == sas_b[0]["state"] == "standing", f"SAs: {sas_a}, {sas_b}")
    need(sas_a[0]["id"] == sas_b[0]["id"], f"SAs differ: {sas_a}, {sas_b}")
    return sas_a[0]["id"]


def captured(lab):
    """A connection whose SA stands, and what was said to get it, by a and by b."""
    lab.connect()
    again(lab)  # now each knows the other's challenge
    said = again(lab)
    need(of(said[0], pk.SRXE_INIT) and of(said[1], pk.SRXE_RESP), "no INIT, or no RESP")
    return said


def frames(packets):
    """As they were sent, each once."""
    return list({p.transport: p.frame for p in packets}.values())


def counted(end, before):
    """What its counters of drops have counted since."""
    return {k: v - before.get(k, 0) for k, v in end.drops().items() if v != before.get(k, 0)}


def r3(lab):
    """A captured INIT, or RESP: to the standing SA, and after both were reset."""
    said, found = captured(lab), {}
    name = one_sa(lab)
    for end, wire, packets in ((lab.b, lab.to_b, said[0]), (lab.a, lab.to_a, said[1])):
        watch = Watch(lab, end)
        sent = frames(packets) * 20
        wire.send(sent)
        found[f"{end.name} standing"] = watch.verdict(len(sent))
        need(set(found[f"{end.name} standing"]) == {"hs_drop_state"}, f"counted: {found}")
    need(one_sa(lab) == name, "another SA")
    lab.honest()

    # the same queue pairs again, and the challenge is good
    lab.cut()
    for end in (lab.a, lab.b):
        end.ask("reset")
    inits = frames(answered(*said))
    for ready in (False, True):
        if ready:
            lab.b.ask("up")
        watch = Watch(lab, lab.b, may_send=lambda packet: packet.bth.opcode == pk.SRXE_INIT)
        lab.to_b.send(inits * 20)
        found[f"b reset, ready {ready}"] = drops = watch.verdict(len(inits) * 20, exact=False)
        need(drops.get("hs_drop_replayed") == len(inits) * 20, f"counted: {drops}")
        left = [sa["state"] for sa in lab.b.sas()]
        need("pending" not in left and "standing" not in left, f"b has SAs: {left}")
    lab.join()
    lab.a.ask("up")
    need(works(lab) != name, "the old SA")
    lab.honest()
    return found


def h1(lab):
    """INIT and RESP back to who sent them, the QPNs being equal; an INIT to a third host."""
    args, found = lab.args, {}
    # a asks for longer than all this takes
    lab.connect(more=("--qp-timeout", "20"))
    qpns = {end.info["local"]["qpn"] for end in (lab.a, lab.b)}
    if len(qpns) != 1:
        raise Broken(f"the queue pairs' numbers are {qpns}")
    again(lab)
    tap = lab.tap_b()
    for end in (lab.a, lab.b):
        end.ask("reset")
    with lab.third() as third:
        lab.cut()
        tap_a = lab.tap_a()
        lab.a.ask("up")
        tap_a.wait(10, lambda packets: of(packets, pk.SRXE_INIT))
        init = of(tap_a.packets(), pk.SRXE_INIT)[-1]
        need(fresh(init), "the INIT has no challenge")
        before = lab.a.drops()
        lab.to_a.send([pk.frame(init.path.reverse(), init.transport)] * 5)
        until(lambda: counted(lab.a, before).get("hs_drop_bad_mac", 0) >= 5)
        found["INIT to a"] = counted(lab.a, before)
        need(found["INIT to a"] == {"hs_drop_bad_mac": 5}, f"counted: {found}")
        states = {sa["state"] for sa in lab.a.sas()}
        need(states == {"embryo"}, f"a's SAs: {states}")

        before = third.drops()
        path = replace(init.path, dst=pk.gid_to_ip(args.ip_c), dst_mac=third.mac)
        third.wire.send([pk.frame(path, init.transport)] * 5)
        until(lambda: counted(third, before).get("hs_drop_bad_mac", 0) >= 5)
        found["INIT to c"] = counted(third, before)
        need(found["INIT to c"] == {"hs_drop_bad_mac": 5}, f"counted: {found}")
        need(not third.sas(), f"c's SAs: {third.sas()}")
        answers = [p for p in seen(third.tap) if p.bare]
        need(not answers, "c answered")
    lab.join()
    lab.b.ask("up")
    name = works(lab)

    before = lab.b.drops()
    resps = of(seen(tap), pk.SRXE_RESP)
    need(resps, "no RESP of b")
    resp = resps[-1]
    lab.to_b.send([pk.frame(resp.path.reverse(), resp.transport)] * 5)
    until(lambda: sum(counted(lab.b, before).values()) >= 5)
    found["RESP to b"] = counted(lab.b, before)
    need(found["RESP to b"] == {"hs_drop_state": 5}, f"counted: {found}")
    need(one_sa(lab) == name, "another SA")
    lab.honest()
    return found


class Flood(threading.Thread):
    """Frames without end, so many a second at least if the machine lets us."""

    def __init__(self, wire, packets, rate):
        super().__init__(daemon=True)
        self.wire, self.packets, self.rate = wire, packets, rate
        self.ended = threading.Event()
        self.began = time.monotonic()

    def run(self):
        """Until ended is set."""
        while not self.ended.is_set():
            due = int((time.monotonic() - self.began) * self.rate) + self.rate // 50
            while self.wire.sent < due and not self.ended.is_set():
                self.wire.send(self.packets)
            time.sleep(0.005)

    @contextmanager
    def running(self):
        """While something else happens."""
        self.wire.sent, self.began = 0, time.monotonic()
        self.start()
        try:
            yield self
        finally:
            self.ended.set()
            self.join()


def connect_time(lab):
    """Seconds from a's being ready until both have sent."""
    began = time.monotonic()
    lab.b.ask("up")
    lab.a.ask("up")
    for end in (lab.a, lab.b):
        lab.work(end, "send 8")
    return time.monotonic() - began


def h3(lab):
    """1000 old INITs a second, in a's name, while a connects."""
    lab.connect()
    old = []
    for _ in range(8):
        old += frames(answered(*again(lab)))
    name = one_sa(lab)
    for end in (lab.a, lab.b):
        end.ask("reset")
    quiet = connect_time(lab)
    # the machine may stand still, but not each time
    for _ in range(5):
        for end in (lab.a, lab.b):
            end.ask("reset")
        before = lab.b.drops()
        with Flood(lab.to_b, old, 1000).running() as flood:
            # it is in full swing before and after
            until(lambda flood=flood: flood.wire.sent >= 500, 20)
            took = connect_time(lab)
            ran, sent = time.monotonic() - flood.began, flood.wire.sent
        # the patience of a handshake is what the attacker would have to wear out
        early, swift = took < GIVE_UP / 2, sent > 200 * ran
        if early and swift:
            break
    need(early, f"a connected after {took:.2f} s, without the flood {quiet:.2f} s")
    need(swift, f"only {sent} INITs in {ran:.2f} s")
    need(one_sa(lab) != name, "the old SA")
    drops = counted(lab.b, before)
    need(drops.get("hs_drop_replayed"), f"counted: {drops}")
    lab.honest()
    return {"old": len(old), "sent": sent, "a_second": round(sent / ran), "took": round(took, 3),
            "quiet": round(quiet, 3), "counted": drops}


def h4(lab):
    """A captured INIT, before the victims' own and after it; one that never came before."""
    found = {}
    said = captured(lab)
    old = [frames(answered(*said)), frames(answered(*reversed(said)))]
    need(old[0], "no INIT of a")

    for order in ("before", "after", "held back"):
        lab.cut()
        for end in (lab.a, lab.b):
            end.ask("reset")
        if order == "held back":
            # captured and kept from b: nobody can know that it is old
            tap = lab.tap_a()
            lab.a.ask("up")
            tap.wait(10, lambda packets: of(packets, pk.SRXE_INIT))
            inits = frames(of(tap.packets(), pk.SRXE_INIT))
            lab.drop(tap)
            lab.a.ask("reset")
        else:
            inits = old[0]
        before = (lab.a.drops(), lab.b.drops())
        if order == "after":
            lab.a.ask("up")  # its INIT gets nowhere
        lab.b.ask("up")
        lab.to_b.send(inits)
        lab.to_a.send(old[1])
        if order != "held back":
            until(lambda before=before, inits=inits:
                  counted(lab.b, before[1]).get("hs_drop_replayed", 0) >= len(inits))
            got = counted(lab.b, before[1])
            need(got.get("hs_drop_replayed") == len(inits), f"{order}: counted: {got}")
        else:
            need(until(lambda: any(sa["state"] == "pending" for sa in lab.b.sas())),
                 f"held back: not answered: {lab.b.sas()}")
        lab.join()
        began = time.monotonic()
        if order != "after":
            lab.a.ask("up")
        name = works(lab)
        took = time.monotonic() - began
        found[order] = {"took": round(took, 2), "id": name,
                        "b_counted": counted(lab.b, before[1])}
        # one that was answered is waited for a second, and lingers
        need(took < 2 * GIVE_UP, f"{order}: it took {took:.2f} s")
        lab.honest()
    return found


def lose(opcode, count):
    """A relay's function: so many of a kind are lost, of either side; what was lost."""
    lost = [0, 0]

    def decide(packet, side):
        sealed = packet.sealed and not packet.bare
        if (sealed if opcode is None else packet.bth.opcode == opcode) and lost[side] < count:
            lost[side] += 1
            return []
        return [packet.frame]

    return decide, lost


def h5(lab):
    """The first RESPs lost; the first CONFIRMs; every INIT a hundredfold and sent again."""
    found = {}
    lab.connect()
    for what, opcode in (("RESP", pk.SRXE_RESP), ("CONFIRM", None)):
        decide, lost = lose(opcode, 3)
        with lab.relayed(decide):
            for end in (lab.a, lab.b):
                end.ask("reset")
            for end in (lab.b, lab.a):
                end.ask("up")
            found[what] = {"id": works(lab), "lost": lost}
        need(sum(lost) >= 3, f"lost {lost} of {what}")
        lab.honest()

    inits, resps, answers = set(), set(), [0]

    def hundredfold(packet, _):
        if packet.bth.opcode == pk.SRXE_RESP:
            # the first is lost: copies that come before it was made get no other, and
            # once it has come across the INIT is not answered any more
            lost = packet.transport not in resps
            resps.add(packet.transport)
            answers[0] += 1
            return [] if lost else [packet.frame]
        if packet.bth.opcode != pk.SRXE_INIT:
            return [packet.frame]
        inits.add(packet.transport)
        return [packet.frame] * 100

    with lab.relayed(hundredfold):
        for end in (lab.a, lab.b):
            end.ask("reset")
        for end in (lab.b, lab.a):
            end.ask("up")
        found["INIT"] = {"id": works(lab), "inits": len(inits), "answers": answers[0],
                         "unlike": len(resps)}
    # the same INIT, the same RESP: and there are at most as many as INITs
    need(inits and answers[0] > len(resps), f"{found['INIT']}")
    need(1 <= len(resps) <= len(inits), f"{found['INIT']}")
    lab.honest()
    return found
