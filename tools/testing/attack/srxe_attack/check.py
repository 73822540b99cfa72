# SPDX-License-Identifier: GPL-2.0
"""What a capture must not show: payload, and a nonce twice."""

from . import packet as pk

RUN = 16


def find_payload(packets, payload, run=RUN):
    """Packets in which any @run consecutive bytes of the payload appear."""
    windows = {payload[i : i + run] for i in range(len(payload) - run + 1)}
    windows.discard(bytes(run))
    found = []
    for number, packet in enumerate(packets):
        data = packet.frame
        if any(data[i : i + run] in windows for i in range(len(data) - run + 1)):
            found.append(number)
    return found


def repeated_nonces(packets):
    """(SPI, number) pairs seen more than once; the epoch does not make a number new."""
    seen, again = set(), []
    for packet in packets:
        if not packet.sealed or packet.bare:
            continue
        _, epoch, _, _, spi, number = packet.seth
        nonce = (str(packet.path.dst), spi, number)
        if nonce in seen:
            again.append((spi, epoch, number))
        seen.add(nonce)
    return again


def summary(packets):
    """Counts of what is there."""
    kinds = {}
    for packet in packets:
        kind = "bare" if packet.bare else "sealed" if packet.sealed else "plain"
        kinds[kind] = kinds.get(kind, 0) + 1
    sealed = [p for p in packets if p.sealed and not p.bare]
    return {
        "packets": len(packets),
        "plain": kinds.get("plain", 0),
        "sealed": kinds.get("sealed", 0),
        "bare": kinds.get("bare", 0),
        "modes": sorted({p.mode for p in sealed}),
        "epochs": sorted({p.seth[1] for p in sealed}),
        "spis": len({(str(p.path.dst), p.seth[4]) for p in sealed}),
        "psn_wrapped": psn_wrapped(packets),
    }


def psn_wrapped(packets):
    """Did the PSN of some QP pass 2^24?"""
    last = {}
    for packet in packets:
        bth = packet.bth
        if bth.opcode >= pk.SRXE_INIT:
            continue
        key = (str(packet.path.dst), bth.qpn)
        if last.get(key, 0) > 0xFF0000 and bth.psn < 0x10000:
            return True
        last[key] = bth.psn
    return False
