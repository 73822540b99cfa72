# SPDX-License-Identifier: GPL-2.0
"""Datagrams: A1u forged in a's name, G2u changed on the way, M3 cut in header mode,
N3 under an SA that does not entitle to it, R4u twice at the same time."""

from srxe_attack import forge, mutate
from srxe_attack import packet as pk

from . import manager
from .pair import Broken, Watch, need, undisturbed, until

FORGED = bytes(range(0x60, 0xA0))
# srxe_traffic's, which anybody sees on the wire
QKEY = 0x5E0B1E55


def _accepted(lab, frame):
    """b takes the honest packet, once."""
    before = lab.b.recvs()
    lab.to_b.send([frame])
    need(until(lambda: lab.b.recvs() == before + 1),
         f"the honest packet was not accepted; dropped: {lab.b.drops()}")


def _captured(lab, qp="ud", command="send 64 0"):
    lab.connect(qp, more=("--qp-timeout", "20"))
    packet = lab.captured_request(command)[0]
    if lab.secured and not packet.sealed:
        raise Broken(f"a's packet is not sealed: {pk.opcode_name(packet.bth.opcode)}")
    return packet


def a1u(lab):
    """A datagram with the right QPN and Q_Key uses up a receive."""
    lab.connect("ud")
    before = lab.b.recvs()
    frame = forge.datagram(lab.at_b(), FORGED, QKEY, lab.a.info["local"]["qpn"])
    if not lab.secured:
        lab.to_b.send([frame])
        need(until(lambda: lab.b.recvs() == before + 1), "no completion")
        return {"received": lab.b.ask("recv-count")["last"][-1]}
    watch = Watch(lab, lab.b)
    lab.to_b.send([frame])
    found = watch.verdict(1)
    lab.honest()
    return found


def g2u(lab):
    """Each flag, number, header bit and tag byte; another SPI; no security header."""
    if not lab.secured:
        raise Broken("nothing to change in plain packets")
    packet = _captured(lab)
    frames = [frame for _, frame in mutate.flips(packet)]
    frames += [frame for _, frame in mutate.unknown_spi(packet)]
    frames += [frame for _, frame in mutate.short_tags(packet)]
    frames.append(mutate.strip(packet))
    watch = Watch(lab, lab.b)
    lab.to_b.send(frames)
    found = watch.verdict(len(frames))
    _accepted(lab, packet.frame)
    lab.join()
    lab.honest()
    return found


def m3(lab):
    """A SEND cut by 4 bytes, its ICRC right again; in header mode, where nothing but
    the count of bytes in the tag tells."""
    found = {}
    for qp in ("rc", "uc", "ud"):
        packet = _captured(lab, qp)
        if lab.secured and packet.mode != 1:
            raise Broken("not in header mode")
        frame = mutate.cut(packet)
        if lab.secured:
            watch = Watch(lab, lab.b)
            lab.to_b.send([frame])
            found[qp] = watch.verdict(1)
            need(set(found[qp]) == {"rx_drop_bad_tag"}, f"counted: {found[qp]}")
            _accepted(lab, packet.frame)
            lab.join()
            lab.honest()
            continue
        before = lab.b.recvs()
        lab.to_b.send([frame])
        need(until(lambda before=before: lab.b.recvs() == before + 1), f"{qp}: not accepted")
        found[qp] = lab.b.ask("recv-count")["last"][-1]
        need(found[qp]["len"] == 60 + (40 if qp == "ud" else 0), f"{qp}: {found[qp]}")
    return found


def _one_by_one(lab, forgeries):
    """Each is dropped for the reason it should be."""
    found = {}
    for name, frame, reason in forgeries:
        watch = Watch(lab, lab.b)
        lab.to_b.send([frame])
        counted = watch.verdict(1)
        need(set(counted) == {reason}, f"{name} counted as {counted}")
        found[name] = reason
    return found


def _qpn(packet, value):
    return next(frame for _, frame in mutate.other_qpn(packet, (value,)))


def n3(lab):
    """Packets of a peer's SA to what it does not entitle to. The tag would not hold
    either: that it is not even looked at is what the counters tell."""
    if not lab.secured:
        raise Broken("no SA to misuse")
    packet = _captured(lab)
    own = packet.bth.qpn
    found = _one_by_one(lab, (
        ("ud to qp 1", _qpn(packet, 1), "rx_drop_sa_qpn"),
        ("ud to nobody", _qpn(packet, 0x7FFFFF), "rx_drop_sa_qpn"),
        ("rc under ud", mutate.opcode(packet, pk.RC | pk.SEND_ONLY), "rx_drop_sa_service"),
        ("uc under ud", mutate.opcode(packet, pk.UC | pk.SEND_ONLY), "rx_drop_sa_service"),
    ))
    lab.join()
    manager.talk(lab)
    session = manager.Session(lab)
    try:
        mad = session.captured_request()
        found.update(_one_by_one(lab, (
            ("gsi to a user", _qpn(mad, own), "rx_drop_sa_qpn"),
            ("gsi from a user", mutate.source_qpn(mad, own), "rx_drop_sa_source_qpn"),
            ("rc under gsi", mutate.opcode(mad, pk.RC | pk.SEND_ONLY), "rx_drop_sa_service"),
        )))
        lab.join()
        session.goes_on()
    finally:
        session.close()
    packet = _captured(lab, "rc")
    found.update(_one_by_one(lab, (
        ("ud under rc", mutate.opcode(packet, pk.UD | pk.SEND_ONLY), "rx_drop_sa_service"),
    )))
    return found


def r4(lab):
    """Several copies at once: those that come while the first is being decrypted."""
    lab.connect("ud", recvs=128)
    packets = lab.captured_request("send 64 0 4", 4)
    copies = 8
    frames = [packet.frame for packet in packets for _ in range(copies)]
    before, at_first = lab.b.recvs(), lab.b.counters()
    with undisturbed():
        lab.to_b.send(frames)
    if not lab.secured:
        need(until(lambda: lab.b.recvs() == before + len(frames)), "not all accepted")
        return {"received": lab.b.recvs() - before, "sent": len(packets)}
    replayed = len(frames) - len(packets)
    until(lambda: lab.b.counters()["rx_drop_replayed"] == at_first["rx_drop_replayed"] + replayed)
    until(lambda: lab.b.recvs() >= before + len(packets))
    now = lab.b.counters()
    found = {name: now[name] - at_first[name] for name in ("rx_drop_replayed", "crypto_async")}
    found["received"] = lab.b.recvs() - before
    need(found["rx_drop_replayed"] == replayed, f"counted: {found}")
    need(found["received"] == len(packets), f"received: {found}")
    # else all copies met the filter, and this showed nothing
    need(found["crypto_async"] > len(packets), f"no copy was under way with another: {found}")
    lab.join()
    lab.honest()
    return found
