# SPDX-License-Identifier: GPL-2.0
"""M1, M2, E1: malformed packets, nonces, and what a listener reads."""

from srxe_attack import check, fuzz
from srxe_attack import packet as pk
from srxe_attack import wire

from .pair import HOLD_LEN, Broken, Watch, need, until


def _malformed(lab, kind, captured=()):
    """Sends all of a kind to b; their number."""
    frames = [frame for _, frame in fuzz.generate(lab.at_b(), captured, (kind,), lab.args.seed,
                                                  lab.args.count)]
    # an uncut copy of the captured packet is an honest one
    whole = {packet.transport for packet in captured}
    frames = [frame for frame in frames if not whole & {_transport(frame)}]
    for at in range(0, len(frames), 256):
        lab.to_b.send(frames[at : at + 256])
        # not faster than they are taken: the queue's own drops count nothing
        lab.b.state()
    return len(frames)


def _transport(frame):
    packet = pk.parse(frame)
    return packet.transport if packet else b""


def m1(lab):
    """Malformed packets of every kind; the connection and the kernel stay as they are."""
    if not lab.secured:
        raise Broken("no control: some of these crash plain rxe")
    found = {}
    for qp in ("rc", "uc"):
        for kind in lab.args.kinds.split(",") if lab.args.kinds else fuzz.KINDS:
            lab.connect(qp, more=("--qp-timeout", "0"))
            captured = lab.captured_request("send 24 0")
            watch = Watch(lab, lab.b)
            sent = _malformed(lab, kind, captured)
            found[f"{qp} {kind}"] = {"sent": sent, **watch.verdict(1, exact=False)}
            before = lab.b.recvs()
            lab.to_b.send([captured[0].frame])
            need(until(lambda before=before: lab.b.recvs() == before + 1),
                 f"after {kind} the honest packet was not accepted")
    return found


def m1_plain(lab):
    """The same to links of ours that let peers without a key in: what is well-formed
    enough may end a connection there, nothing may harm the kernel."""
    found = {}
    for qp in ("rc", "uc"):
        for kind in lab.args.kinds.split(",") if lab.args.kinds else fuzz.KINDS:
            lab.connect(qp)
            found[f"{qp} {kind}"] = {"sent": _malformed(lab, kind)}
    lab.connect()
    lab.honest()
    return found


def _listen(lab, qp, more=()):
    """All packets of a connection with every operation, both ways, from its start."""
    taps = (lab.tap_a(), lab.tap_b())
    lab.connect(qp, recvs=64, size=4096, more=more)
    known = b""
    for end in (lab.a, lab.b):
        known += end.dump("tx", 0, 16384) + end.dump("rx", 0, 16384)
    commands = ["send 4096 0 4", "send_imm 1000 64", "write 8000 0", "write_imm 3000 16"]
    if qp == "rc":
        commands += ["read 5000 64", "cas 8 0", "fadd 8 8"]
    for end in (lab.a, lab.b):
        for command in commands:
            lab.work(end, command)
    for tap in taps:
        tap.wait(0.3)
    frames = sorted(taps[0].frames + taps[1].frames)
    packets = [p for tap in taps for p in tap.packets()]
    if lab.args.pcap:
        wire.write_pcap(lab.args.pcap, frames)
    return packets, known


def e1(lab):
    """A listener: no 16 bytes of any payload in encrypt mode. Control: they are there
    on a plain link, and on a secured one that only authenticates."""
    found = {}
    for qp in ("rc", "uc"):
        packets, known = _listen(lab, qp)
        shown = check.find_payload(packets, known)
        found[qp] = {**check.summary(packets), "payload_in": len(shown)}
        need(len(known) == 4 * 16384 <= 2 * HOLD_LEN, "no payload known")
        if lab.secured:
            need(not shown, f"payload in {len(shown)} of {len(packets)} packets")
            need(found[qp]["plain"] == 0, f"plain packets on the wire: {found[qp]}")
            need(set(found[qp]["modes"]) == {3}, f"modes: {found[qp]['modes']}")
        else:
            need(shown, "no payload found where it must be")
    return found


def m2(lab):
    """The PSN passes 2^24 within one connection; no nonce repeats."""
    found = {}
    for qp in ("rc", "uc"):
        packets, _ = _listen(lab, qp, more=("--psn", "0xfffff8"))
        found[qp] = check.summary(packets)
        need(found[qp]["psn_wrapped"], "the PSN did not wrap")
        again = check.repeated_nonces(packets)
        need(not again, f"nonces repeated: {again[:5]}")
        need(not lab.secured or found[qp]["sealed"], "nothing was sealed")
        lab.honest()
    return found
