# SPDX-License-Identifier: GPL-2.0
"""Malformed packets (M1): none may be answered, acted on, or disturb the kernel.

Yields (name, frame); deterministic for a seed.
"""

import random
import struct
from dataclasses import replace

from . import packet as pk

PAYLOAD = bytes(range(1, 25))


def templates(target):
    """One well-formed plain transport (BTH..pad) of every known opcode."""
    for opcode in pk.known_opcodes():
        size = pk.ext_len(opcode)
        ext = (pk.reth(target.va, target.rkey, len(PAYLOAD)) + bytes(32))[:size]
        bth = pk.Bth(opcode=opcode, qpn=target.qpn, psn=target.psn, ack=True)
        yield pk.opcode_name(opcode), bth.pack() + ext + PAYLOAD


def sealed_templates(target, captured):
    """Sealed-looking transports: a captured one if there is, and made-up ones."""
    for parsed in captured:
        yield "captured-" + pk.opcode_name(parsed.bth.opcode), parsed.transport
    for opcode in (pk.SEND_ONLY, pk.WRITE_ONLY, pk.ACKNOWLEDGE, pk.SRXE_CTRL):
        bth = pk.Bth(opcode=opcode, qpn=target.qpn, psn=target.psn, tver=1)
        seth = struct.pack(">BBBBIQ", 0xC0, 0, 1, 0, 0x01020304, 7)
        size = pk.ext_len(opcode) if opcode < 0xC0 else 4
        yield "sealed-" + pk.opcode_name(opcode), bth.pack() + seth + bytes(size + 40)
    for opcode in range(pk.SRXE_INIT, pk.SRXE_REFUSE + 1):
        bth = pk.Bth(opcode=opcode, qpn=target.qpn, mig=False, tver=1)
        body = struct.pack(">BBBBHHIIII", 1, 1, 3, 0, 15, 0, 99, target.qpn, 0x1000, 0)
        yield "bare-" + pk.opcode_name(opcode), bth.pack() + bytes(16) + body + bytes(96)


def truncations(target, captured=()):
    """Every kind cut at every length, lower layers right for what is left."""
    for name, transport in templates(target):
        for n in range(len(transport) + 1):
            yield f"cut-{name}-{n}", pk.frame(target.path, transport[:n])
            if n >= pk.BTH_LEN:
                yield f"cut-crc-{name}-{n}", pk.plain_raw(target.path, transport[:n])
    for name, transport in sealed_templates(target, captured):
        for n in range(len(transport) + 1):
            yield f"cut-{name}-{n}", pk.frame(target.path, transport[:n])


def udp_lies(target):
    """UDP lengths that fit neither the IP length nor the packet."""
    for name, transport in templates(target):
        whole = pk.plain_raw(target.path, transport)
        at = len(whole) - len(transport) - 4 - 4
        length = len(transport) + 4 + 8
        for lie in (0, 7, 8, 12, 20, length - 4, length - 1, length + 1, 65535):
            udp = whole[at - 4 : at] + struct.pack(">H", lie) + b"\0\0" + whole[at + 4 :]
            if target.path.src.version == 6:
                # right for the part that the length admits
                total = pk.udp6_checksum(target.path, udp[: max(lie, 8)])
                udp = udp[:6] + struct.pack(">H", total) + udp[8:]
            yield f"udp-length-{name}-{lie}", whole[: at - 4] + udp


def opcodes(target):
    """All 256 opcodes, plain and with TVER 1, bodies of several lengths, right ICRC."""
    for opcode in range(256):
        for size in (0, 4, 16, 64, 136):
            for tver in (0, 1):
                bth = pk.Bth(opcode=opcode, qpn=target.qpn, psn=target.psn, tver=tver)
                frame = pk.plain_raw(target.path, bth.pack() + bytes(size))
                # what stock rxe would take is another test's
                if tver or opcode not in pk.known_opcodes():
                    yield f"opcode-{opcode:02x}-tver{tver}-{size}", frame


def versions(target):
    """Every transport version."""
    for tver in range(1, 16):
        bth = pk.Bth(opcode=pk.SEND_ONLY, qpn=target.qpn, psn=target.psn, tver=tver)
        yield f"tver-{tver}", pk.plain_raw(target.path, bth.pack() + PAYLOAD)
        yield f"tver-{tver}-long", pk.plain_raw(target.path, bth.pack() + bytes(160))


def pads(target):
    """Pad counts the payload does not have, and pad that is not zero."""
    for opcode in pk.known_opcodes():
        ext = (pk.reth(target.va, target.rkey, 1) + bytes(32))[: pk.ext_len(opcode)]
        for pad in range(4):
            for size in range(5):
                bth = pk.Bth(opcode=opcode, qpn=target.qpn, psn=target.psn, pad=pad)
                transport = bth.pack() + ext + b"\xa5" * size
                name = f"pad{pad}-of-{size}-{pk.opcode_name(opcode)}"
                # a right one on a plain link is no fuzz
                yield name, pk.plain_raw(target.path, transport)


def headers(target):
    """Bits of the SETH that must be zero, SPIs and numbers at their edges."""
    for opcode in (pk.SEND_ONLY, pk.SRXE_CTRL, pk.SRXE_INIT):
        for flags in range(256):
            bth = pk.Bth(opcode=opcode, qpn=target.qpn, psn=target.psn, tver=1)
            seth = struct.pack(">BBBBIQ", flags, 0, 1, 0, 0x11223344, 1)
            yield f"seth-{opcode:02x}-flags{flags:02x}", pk.frame(
                target.path, bth.pack() + seth + bytes(60)
            )
        for spi in (0, 1, 255, 256, 0xFFFFFFFF):
            for number in (0, 1, 2**63, 2**64 - 1):
                bth = pk.Bth(opcode=opcode, qpn=target.qpn, tver=1)
                seth = struct.pack(">BBBBIQ", 0xC0, 0, 1, 0, spi, number)
                yield f"seth-{opcode:02x}-spi{spi:x}-{number:x}", pk.frame(
                    target.path, bth.pack() + seth + bytes(120)
                )
    for depth in range(256):
        bth = pk.Bth(opcode=pk.WRITE_ONLY, qpn=target.qpn, tver=1)
        seth = struct.pack(">BBBBIQ", 0xD0, 0, 1, 0, 0x11223344, 1)
        yield f"rkh-depth{depth}", pk.frame(
            target.path, bth.pack() + seth + bytes([depth, 0, 0, 0]) + bytes(80)
        )


def addresses(target):
    """QPNs with a meaning of their own."""
    for qpn in (0, 1, 0xFFFFFE, 0xFFFFFF):
        for name, transport in templates(replace(target, qpn=qpn)):
            yield f"qpn-{qpn:x}-{name}", pk.plain_raw(target.path, transport)


def options(target, captured=()):
    """IPv4 options of every length; IPv6 extension headers, nested too."""
    kinds = list(templates(target)) + list(sealed_templates(target, captured))
    if target.path.src.version == 4:
        paths = [
            (f"ihl-{5 + words}", replace(target.path, options=b"\x01" * (4 * words)))
            for words in range(1, 11)
        ]
    else:
        blank = bytes([0]) + b"\x01\x04\0\0\0\0"  # length 8, PadN
        jumbo = bytes([0]) + b"\xc2\x04\0\x01\0\0"
        paths = [
            ("hop-by-hop", replace(target.path, ext=[(0, blank)])),
            ("destination", replace(target.path, ext=[(60, blank)])),
            ("destination-twice", replace(target.path, ext=[(60, blank), (60, blank)])),
            ("hop-and-destination", replace(target.path, ext=[(0, blank), (60, blank)])),
            ("routing", replace(target.path, ext=[(43, bytes([0, 0, 0, 0, 0, 0, 0]))])),
            ("jumbo", replace(target.path, ext=[(0, jumbo)])),
            ("atomic-fragment", replace(target.path, ext=[(44, bytes(7))])),
        ]
    for where, path in paths:
        for name, transport in kinds:
            yield f"{where}-{name}", pk.plain_raw(path, transport)
            yield f"{where}-{name}-cut", pk.frame(path, transport[:14])


def _fragment4(path, payload, size, ident):
    frames = []
    for at in range(0, len(payload), size):
        part = payload[at : at + size]
        more = at + size < len(payload)
        head = pk.ip_header(replace(path, ident=ident), len(part), frag=more << 13 | at // 8)
        # a lone last fragment at offset 0 would be a whole packet
        frames.append(pk.ether(path, head + part))
    return frames


def _fragment6(path, payload, size, ident):
    frames = []
    for at in range(0, len(payload), size):
        part = payload[at : at + size]
        more = at + size < len(payload)
        body = struct.pack(">BHI", 0, at | more, ident)
        where = replace(path, ext=[(44, body)])
        frames.append(pk.ether(path, pk.ip_header(where, len(part)) + part))
    return frames


def fragments(target, captured=()):
    """Whole packets in IP fragments of several sizes; sealed ones must not be taken either."""
    version = target.path.src.version
    path = replace(target.path, df=False)
    kinds = list(templates(target)) + list(sealed_templates(target, captured))
    for number, (name, transport) in enumerate(kinds):
        whole = pk.plain_raw(path, transport) if "-" in name else b""
        if name.startswith(("captured", "sealed", "bare")):
            whole = pk.frame(path, transport)
        payload = whole[14 + (20 if version == 4 else 40) :]
        for size in (8, 16, 48):
            cut = _fragment4 if version == 4 else _fragment6
            for n, frame in enumerate(cut(path, payload, size, number * 8 + size)):
                yield f"fragment-{name}-{size}-{n}", frame


def _places(name, transport):
    """Bytes to damage: not the QPN, for it is to reach the QP, nor FECN and BECN, nor, in
    a captured packet, what its mode does not authenticate."""
    places = [at for at in range(len(transport)) if at not in (4, 5, 6, 7)]
    if name.startswith("captured") and transport[pk.BTH_LEN] >> 6 == 1:
        end = pk.BTH_LEN + pk.SETH_LEN + pk.ext_len(transport[0])
        places = [at for at in places if at < end or at >= len(transport) - pk.ICV_LEN]
    return places


def noise(target, captured=(), seed=1, count=2000):
    """Well-formed packets with a few random bytes changed; ICRC right in half of them."""
    rng = random.Random(seed)
    kinds = list(templates(target)) + list(sealed_templates(target, captured))
    for n in range(count):
        name, transport = rng.choice(kinds)
        data = bytearray(transport)
        places = _places(name, transport)
        for _ in range(rng.randint(1, 4)):
            data[rng.choice(places)] ^= rng.randrange(1, 256)
        if rng.random() < 0.3:
            data = data[: rng.randint(0, len(data))]
        if len(data) >= pk.BTH_LEN and rng.random() < 0.5:
            yield f"noise-{n}-{name}", pk.plain_raw(target.path, bytes(data))
        else:
            yield f"noise-{n}-{name}", pk.frame(target.path, bytes(data))


KINDS = {
    "truncations": truncations,
    "udp": lambda target, captured: udp_lies(target),
    "opcodes": lambda target, captured: opcodes(target),
    "versions": lambda target, captured: versions(target),
    "pads": lambda target, captured: pads(target),
    "headers": lambda target, captured: headers(target),
    "addresses": lambda target, captured: addresses(target),
    "options": options,
    "fragments": fragments,
    "noise": noise,
}


def generate(target, captured=(), kinds=tuple(KINDS), seed=1, count=2000):
    """All of the kinds, in order."""
    for kind in kinds:
        if kind == "noise":
            yield from noise(target, captured, seed, count)
        else:
            yield from KINDS[kind](target, captured)
