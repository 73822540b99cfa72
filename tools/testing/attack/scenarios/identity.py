# SPDX-License-Identifier: GPL-2.0
"""A1, A2: requests forged in a's name against b."""

from srxe_attack import forge
from srxe_attack import packet as pk

from .pair import Watch, need, until

FORGED = bytes(range(0x40, 0x80))
WHERE = 256


def a1a(lab):
    """A WRITE ONLY with everything right overwrites memory."""
    found = {}
    for qp in ("rc", "uc"):
        lab.connect(qp)
        watch = Watch(lab, lab.b) if lab.secured else None
        before = lab.b.dump("rx", WHERE, 64).hex()
        lab.to_b.send([forge.write(lab.at_b(), FORGED, WHERE)])
        if lab.secured:
            found[qp] = {"dropped": watch.verdict(1), "before": before,
                         "memory": lab.b.dump("rx", WHERE, 64).hex()}
            need(found[qp]["memory"] == before != FORGED.hex(), "memory was overwritten")
            lab.honest()
        else:
            need(until(lambda: lab.b.dump("rx", WHERE, 64) == FORGED), "memory unchanged")
            found[qp] = {"before": before, "memory": lab.b.dump("rx", WHERE, 64).hex()}
    return found


def a1b(lab):
    """A SEND ONLY uses up a receive."""
    found = {}
    for qp in ("rc", "uc"):
        lab.connect(qp)
        seen = lab.b.recvs()
        watch = Watch(lab, lab.b) if lab.secured else None
        lab.to_b.send([forge.send(lab.at_b(), FORGED)])
        if lab.secured:
            found[qp] = watch.verdict(1)
            lab.honest()
        else:
            need(until(lambda seen=seen: lab.b.recvs() == seen + 1), "no completion")
            found[qp] = lab.b.ask("recv-count")["last"][-1]
    return found


def a1c(lab):
    """One packet at the expected PSN: a's own next one counts as a duplicate."""
    lab.connect()
    seen = lab.b.recvs()
    watch = Watch(lab, lab.b) if lab.secured else None
    lab.to_b.send([forge.send(lab.at_b(), FORGED)])
    if lab.secured:
        found = watch.verdict(1)
        lab.honest()
        return found
    need(until(lambda: lab.b.recvs() == seen + 1), "the forged packet was not taken")
    answer = lab.a.ask("send 96 0")
    # only the length tells whose message came in: 64 is ours, 96 would be a's
    taken = [wc["len"] for wc in lab.b.ask("recv-count")["last"][seen:]]
    need(taken == [64], f"b received messages of {taken} bytes")
    return {"a_says": answer["last"], "b_received": taken}


def a1d(lab):
    """Several right packets: b's counter runs ahead, a's READ is never answered."""
    # 7 retries are no end of them to rxe
    lab.connect(more=("--qp-timeout", "13", "--retry", "3"))
    watch = Watch(lab, lab.b) if lab.secured else None
    first = lab.at_b()
    frames = [forge.write(first.at(first.psn + n), FORGED, WHERE) for n in range(16)]
    lab.to_b.send(frames)
    if lab.secured:
        found = watch.verdict(len(frames))
        lab.honest()
        return found
    need(until(lambda: lab.b.state()["rq_psn"] == (first.psn + 16) & 0xFFFFFF), "not taken")
    answer = lab.a.ask("read 64 0", 60)
    last = answer["last"]
    need(last and last["status"] == "retry-exceeded", f"a's READ: {last}")
    return {"a_says": last, "a_state": lab.a.state()["state"]}


def _kills(lab, frames, text):
    """Control of A2: b's QP is in error, and a NAK leaves."""
    tap = lab.tap_b()
    lab.to_b.send(frames)
    dead = until(lambda: lab.b.state()["state"] == "ERR")
    tap.wait(0.2)
    naks = [p.body[0] for p in tap.packets() if p.bth.opcode == pk.ACKNOWLEDGE]
    return {text: {"state": lab.b.state()["state"], "naks": [f"0x{n:02x}" for n in naks]}}, dead


def a2a(lab):
    """One WRITE with a wrong rkey."""
    lab.connect()
    if lab.secured:
        watch = Watch(lab, lab.b)
        target = lab.at_b()
        lab.to_b.send([forge.write(target, FORGED, rkey=target.rkey ^ 0x7700)])
        found = watch.verdict(1)
        lab.honest()
        return found
    target = lab.at_b()
    found, dead = _kills(lab, [forge.write(target, FORGED, rkey=target.rkey ^ 0x7700)], "rkey")
    need(dead, f"b's QP lives: {found}")
    return found


def _a2b_cases(lab):
    target = lab.at_b()
    yield from forge.illegal_order(target, FORGED)
    yield from forge.wrong_length(target, FORGED)


def a2b(lab):
    """Opcodes out of order; a RETH length unlike the payload."""
    lab.connect()
    names = [name for name, _ in _a2b_cases(lab)]
    found, killed = {}, []
    for name in names:
        if not lab.secured:
            lab.connect()
        frames = dict(_a2b_cases(lab))[name]
        if lab.secured:
            watch = Watch(lab, lab.b)
            lab.to_b.send(frames)
            found[name] = watch.verdict(len(frames))
            continue
        one, dead = _kills(lab, frames, name)
        found.update(one)
        if dead:
            killed.append(name)
    if lab.secured:
        lab.honest()
    else:
        need(any("length" not in n and "reth" not in n for n in killed)
             and any("reth" in n for n in killed), f"not killed: {found}")
    return found
