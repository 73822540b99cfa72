# SPDX-License-Identifier: GPL-2.0
"""R1, R2: captured packets sent again. R4: twice at a time. R5: when their epoch is over."""

from srxe_attack import packet as pk

from .pair import Watch, need, undisturbed, until


def _captured_sends(lab, count):
    """a's packets of some SENDs that b has received."""
    tap = lab.tap_a()
    lab.work(lab.a, f"send 64 0 {count}")
    tap.wait(5, lambda packets: len(lab.requests(packets)) >= count)
    return [p.frame for p in lab.requests(tap.packets())][:count]


def r1(lab):
    """In the same QP. Control on UC, where the PSN is no bar."""
    found = {}
    for qp in ("rc", "uc") if lab.secured else ("uc",):
        lab.connect(qp, recvs=64)
        before = lab.b.recvs()
        frames = _captured_sends(lab, 4)
        need(until(lambda before=before: lab.b.recvs() == before + 4), "not received")
        if not lab.secured:
            lab.to_b.send(frames[:1])
            need(until(lambda before=before: lab.b.recvs() == before + 5), "not accepted again")
            found[qp] = {"received": lab.b.recvs() - before, "sent": 4}
            continue
        watch = Watch(lab, lab.b)
        lab.to_b.send(frames * 3)
        found[qp] = watch.verdict(len(frames) * 3)
        need(set(found[qp]) == {"rx_drop_replayed"}, f"counted: {found[qp]}")
        lab.honest()
    return found


def r2(lab):
    """After the QP was made again with the same QPN and PSN."""
    found = {}
    for qp in ("rc", "uc"):
        lab.connect(qp, recvs=64)
        for end in (lab.a, lab.b):
            end.ask("reset")
        for end in (lab.b, lab.a):
            end.ask("up")
        frames = _captured_sends(lab, 4)
        for end in (lab.a, lab.b):
            end.ask("reset")
        for end in (lab.b, lab.a):
            end.ask("up")
        if not lab.secured:
            before = lab.b.recvs()
            lab.to_b.send(frames)
            need(until(lambda before=before: lab.b.recvs() == before + 4),
                 f"{qp}: {lab.b.recvs() - before} of 4 accepted in the new connection")
            found[qp] = {"accepted": 4}
            continue
        lab.greet()
        watch = Watch(lab, lab.b)
        lab.to_b.send(frames)
        found[qp] = watch.verdict(len(frames))
        lab.honest()
    return found


def _opened_later(end):
    """Packets that came back from asynchronous crypto on their way in, good or not."""
    now = end.counters()
    return now.get("crypto_async", 0) - now.get("tx_sealed", 0)


def _twice(lab):
    """One packet, twice at a time; were both in crypto together?"""
    before, was = lab.b.recvs(), _opened_later(lab.b)
    replayed = lab.b.counters()["rx_drop_replayed"]
    frame = lab.captured_request("send 64 0")[0].frame
    lab.join()
    with undisturbed():
        lab.to_b.send([frame, frame])
    need(until(lambda: lab.b.counters()["rx_drop_replayed"] == replayed + 1), "none was dropped")
    need(until(lambda: lab.b.recvs() > before), "none was received")
    late = lab.a.ask("wait 1 30000", 40)
    need(late["done"] == 1 and late["last"]["status"] == "success", str(late["last"]))
    need(lab.b.recvs() == before + 1, f"received: {lab.b.recvs() - before}")
    # what b said to the first one has left by now
    return _opened_later(lab.b) == was + 2


def r4(lab):
    """Two copies at a time. Where crypto completes later, both are in it together."""
    found = {}
    for qp in ("rc", "uc") if lab.secured else ("uc",):
        lab.connect(qp, recvs=64, more=("--qp-timeout", "20"))
        if not lab.secured:
            before, frame = lab.b.recvs(), lab.captured_request("send 64 0")[0].frame
            lab.to_b.send([frame, frame])
            need(until(lambda before=before: lab.b.recvs() == before + 2), "not received twice")
            return {qp: {"sent": 1, "received": 2}}
        rounds = 0
        for rounds in range(1, 25):
            if _twice(lab) and rounds >= 4:
                break
        else:
            need(False, f"{qp}: never two in crypto at a time")
        found[qp] = {"rounds": rounds}
        lab.honest()
    return found


def _turn(lab, times, command):
    """a's SA passes that many epochs at least; the last one, as on the wire."""
    tap, seen = lab.tap_a(), []
    for _ in range(4 * times):
        lab.work(lab.a, command)
        tap.wait(0.05)
        for packet in tap.packets():
            if packet.sealed and not packet.bare and packet.seth[1] not in seen:
                seen.append(packet.seth[1])
        tap.clear()
        if len(seen) > times:
            return seen[-1]
    need(False, f"epochs seen: {seen}")
    return None


def r5(lab):
    """One packet held back on the way, and some that had come through, after their epoch."""
    found = {}
    for qp in ("rc", "uc", "ud") if lab.secured else ("uc", "ud"):
        lab.connect(qp, recvs=64)
        frames = _captured_sends(lab, 4)
        late = lab.captured_request("send 64")[0]
        lab.join()
        lab.a.ask("wait 1 20000")
        if not lab.secured:
            before = lab.b.recvs()
            lab.to_b.send([late.frame])
            need(until(lambda before=before: lab.b.recvs() == before + 1), "not accepted")
            found[qp] = {"accepted": 1}
            continue
        # datagrams that find no receive are gone, which is all the same here
        now = _turn(lab, 4, "send 64 0 64" if qp == "ud" else "write 65536")
        # told of what is ready by a CTRL, whenever an epoch has turned
        watch = Watch(lab, lab.b, may_send=lambda packet: packet.bth.opcode == pk.SRXE_CTRL)
        lab.to_b.send([late.frame] + frames)
        found[qp] = {"then": late.seth[1], "now": now, **watch.verdict(1 + len(frames))}
        need(found[qp].get("rx_drop_epoch") == 1 + len(frames), f"counted: {found[qp]}")
        lab.b.ask("recv 4")
        lab.honest()
    return found
