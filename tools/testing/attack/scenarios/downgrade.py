# SPDX-License-Identifier: GPL-2.0
"""G1 to G5: the security header stripped, changed, cut; and the honest packet after.

What is changed are packets b has not seen: the way is cut while a sends them. The
packet itself then follows and must be taken, so no forgery has moved any state.
"""

from srxe_attack import forge, mutate
from srxe_attack import packet as pk

from .pair import Broken, Watch, need, until


def _fresh(lab, qp, command):
    """(captured packet, how to see that b took it)"""
    lab.connect(qp, more=("--qp-timeout", "20"))
    packet = lab.captured_request(command)[0]
    if not packet.sealed:
        raise Broken(f"a's packet is not sealed: {pk.opcode_name(packet.bth.opcode)}")
    return packet


def _taken(lab, before):
    """b took the honest packet: its memory or its receives show it."""
    now = lab.b.picture()
    return (now["rx"], now["recv"]) != (before["rx"], before["recv"])


def _then_honest(lab, frame):
    """The packet itself, once, after all its forgeries (G5)."""
    before, drops = lab.b.picture(), lab.b.drops()
    lab.to_b.send([frame])
    need(until(lambda: _taken(lab, before)),
         f"the honest packet was not accepted; dropped before: {drops}, now: {lab.b.drops()}")
    lab.join()
    late = lab.a.ask("wait 1 30000", 40)
    need(late["done"] == 1 and late["last"]["status"] == "success",
         f"a's request: {late['last']}")
    lab.honest()


def _against(lab, forgeries, commands=("write 64 0", "send 64 0"), marks=False):
    """Forgeries of RC and UC packets of each command, then the packet itself."""
    found = {}
    for qp in ("rc", "uc"):
        for command in commands:
            packet = _fresh(lab, qp, command)
            frames = [frame for _, frame in forgeries(packet)]
            watch = Watch(lab, lab.b)
            lab.to_b.send(frames)
            found[f"{qp} {command.split()[0]}"] = watch.verdict(len(frames))
            honest = mutate.congestion_marks(packet) if marks else packet.frame
            _then_honest(lab, honest)
    return found


def g1(lab):
    """The plain packet inside a sealed one. Control: the same bytes, sent plain."""
    if not lab.secured:
        lab.connect()
        packet = lab.captured_request("write 64 0")[0]
        before = lab.b.picture()
        lab.to_b.send([packet.frame])
        need(until(lambda: _taken(lab, before)), "plain does not take plain packets")
        return {"plain": pk.opcode_name(packet.bth.opcode)}
    return _against(lab, lambda packet: [("strip", mutate.strip(packet))])


def g2(lab):
    """Each flag and mode bit, epochs, SPI, number, BTH bit, tag byte, one at a time."""
    return _against(lab, mutate.flips, marks=True)


def g3(lab):
    """Unknown SPIs; other QPs; a QP whose SA does not stand."""
    qpns = (0, 1, 2, 16, 17, 18, 19, 20, 21, 22, 0xFFFFFF)

    def forgeries(packet):
        yield from mutate.unknown_spi(packet)
        yield from mutate.other_qpn(packet, qpns)

    found = _against(lab, forgeries)
    for qp in ("rc", "uc"):
        lab.connect(qp)
        packet = lab.captured_request("send 64 0")[0]
        lab.join()
        for end in (lab.a, lab.b):
            end.ask("reset")
        lab.b.ask("up")  # a does not: its QP is in INIT, no SA can stand
        frames = [packet.frame, mutate.strip(packet), forge.write(lab.at_b(), bytes(64)),
                  forge.send(lab.at_b(), bytes(64))]
        watch = Watch(lab, lab.b, may_send=lambda packet: packet.bare)
        lab.to_b.send(frames)
        # handshake messages from a may be dropped and counted meanwhile
        found[f"{qp} no SA"] = watch.verdict(len(frames), exact=False)
        lab.a.ask("up")
        lab.honest()
    return found


def g4(lab):
    """Tags of 0, 4, 8, 12 bytes."""
    return _against(lab, mutate.short_tags)


def g5(lab):
    """One forgery in front of the honest packet, many times over."""
    found = {}
    for qp in ("rc", "uc"):
        lab.connect(qp, recvs=64, more=("--qp-timeout", "20"))
        for n in range(8):
            packet = lab.captured_request("send 64 0")[0]
            frames = [frame for _, frame in mutate.numbers(packet)]
            watch = Watch(lab, lab.b)
            lab.to_b.send([frames[n % len(frames)]])
            watch.verdict(1)
            before = lab.b.recvs()
            lab.to_b.send([packet.frame])
            need(until(lambda before=before: lab.b.recvs() == before + 1),
                 f"honest packet {n} was not accepted")
            lab.join()
            late = lab.a.ask("wait 1 30000", 40)
            need(late["done"] == 1 and late["last"]["status"] == "success", str(late["last"]))
        found[qp] = {"forgeries": 8, "accepted": 8}
        lab.honest()
    return found
