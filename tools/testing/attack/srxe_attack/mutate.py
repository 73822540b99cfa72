# SPDX-License-Identifier: GPL-2.0
"""Captured sealed packets, changed in one place or stripped of their protection.

Every function yields (name, frame). UDP and IP are made right for what is sent,
so that nothing but the security header's own checks can drop it.
"""

import random
import struct
from dataclasses import replace

from . import packet as pk

SETH_AT = pk.BTH_LEN


def _with(captured, transport):
    return pk.frame(captured.path, bytes(transport))


def _flip(captured, at, bits):
    data = bytearray(captured.transport)
    data[at] ^= bits
    return _with(captured, data)


def _seth(captured, **changes):
    names = ("flags", "epoch", "rx_epoch", "zero", "spi", "pn")
    values = dict(zip(names, captured.seth))
    for name, value in changes.items():
        values[name] = value
    head = struct.pack(">BBBBIQ", *(values[n] for n in names))
    data = captured.transport
    return _with(captured, data[:SETH_AT] + head + data[SETH_AT + pk.SETH_LEN :])


def strip(captured):
    """The plain packet that a sealed one protects, with a right ICRC (G1)."""
    body = captured.body[: -pk.ICV_LEN]
    if captured.mode == 1:
        body = body[:-4]
    bth = replace(captured.bth, tver=0)
    return pk.plain_raw(captured.path, bth.pack() + body)


def flags(captured):
    """Each bit of the SETH's flags, and every other mode (G2)."""
    for bit in range(8):
        yield f"seth-flags-bit{bit}", _flip(captured, SETH_AT, 1 << bit)
    for mode in range(4):
        if mode != captured.mode:
            value = captured.seth[0] & 0x3F | mode << 6
            yield f"mode-{captured.mode}-to-{mode}", _seth(captured, flags=value)
    yield "conceal", _seth(captured, flags=captured.seth[0] | 0x20)


def numbers(captured):
    """Epochs, SPI and packet number, one at a time (G2)."""
    _, epoch, rx_epoch, _, spi, pn = captured.seth
    for step in (1, 2, 128, 255):
        yield f"epoch+{step}", _seth(captured, epoch=(epoch + step) % 256)
        yield f"rx-epoch+{step}", _seth(captured, rx_epoch=(rx_epoch + step) % 256)
    yield "zero-byte", _seth(captured, zero=1)
    for bit in range(0, 32, 5):
        yield f"spi-bit{bit}", _seth(captured, spi=spi ^ 1 << bit)
    for value, name in ((pn - 1, "pn-1"), (pn + 1, "pn+1"), (pn + 1000, "pn+1000"), (0, "pn-0")):
        yield name, _seth(captured, pn=value % 2**64)
    for bit in (0, 8, 31, 32, 63):
        yield f"pn-bit{bit}", _seth(captured, pn=pn ^ 1 << bit)


def bth_bits(captured):
    """Each bit of the BTH but FECN and BECN, which the network may set."""
    for at in range(pk.BTH_LEN):
        for bit in range(8):
            if at == 4 and bit >= 6:
                continue
            yield f"bth-byte{at}-bit{bit}", _flip(captured, at, 1 << bit)


def icv(captured):
    """A bit of each byte of the tag; the tag all zero; all ones."""
    end = len(captured.transport)
    for at in range(end - pk.ICV_LEN, end):
        yield f"icv-byte{at - end + pk.ICV_LEN}", _flip(captured, at, 1 << (at % 8))
    for name, value in (("icv-zero", b"\0"), ("icv-ones", b"\xff")):
        yield name, _with(captured, captured.transport[: -pk.ICV_LEN] + value * pk.ICV_LEN)


def body(captured):
    """A bit of every eighth byte between SETH and tag, first and last among them.

    In header mode the payload and its ICRC are not authenticated: such a packet is
    taken from the window before its ICRC is found wrong, and that is no forgery. Only
    the extension headers are changed then.
    """
    start = SETH_AT + pk.SETH_LEN
    end = len(captured.transport) - pk.ICV_LEN
    places = sorted({*range(start, end, 8), end - 1} & set(range(start, end)))
    if captured.mode == 1:
        ext_end = start + pk.ext_len(captured.bth.opcode)
        places = [at for at in places if at < ext_end]
    for at in places:
        yield f"body-byte{at - start}", _flip(captured, at, 1)


def lengths(captured):
    """Bytes cut from or put between body and tag, the tag itself kept."""
    data, cut = captured.transport[: -pk.ICV_LEN], captured.transport[-pk.ICV_LEN :]
    body_len = len(data) - SETH_AT - pk.SETH_LEN
    for n in (1, 4, 16):
        if n <= body_len:
            yield f"shorter-{n}", _with(captured, data[:-n] + cut)
        yield f"longer-{n}", _with(captured, data + b"\0" * n + cut)


def short_tags(captured):
    """The packet with a tag of 0, 4, 8, 12 bytes (G4)."""
    for n in (0, 4, 8, 12):
        end = len(captured.transport) - pk.ICV_LEN + n
        yield f"tag-{n}", _with(captured, captured.transport[:end])


def cut(captured, count=4):
    """The message shorter by some bytes of its end, all that is no tag made right."""
    bth = replace(captured.bth, tver=0)
    tail = pk.ICV_LEN + 4 if captured.sealed else 4
    body = captured.body[: -tail - count]
    plain = pk.plain_raw(captured.path, bth.pack() + body)
    if not captured.sealed:
        return plain
    crc = plain[-4:] if captured.mode == 1 else b""
    head = captured.transport[: SETH_AT + pk.SETH_LEN]
    return _with(captured, head + body + crc + captured.transport[-pk.ICV_LEN :])


def opcode(captured, value):
    """Another opcode in the same packet."""
    return _with(captured, bytes([value]) + captured.transport[1:])


def source_qpn(captured, value):
    """A datagram that names another sender."""
    at = SETH_AT + pk.SETH_LEN + 4
    return _with(captured, captured.transport[:at] + struct.pack(">I", value)
                 + captured.transport[at + 4 :])


def unknown_spi(captured, seed=1, count=32):
    """The packet under SPIs nobody gave out, 0 and reserved ones among them (G3)."""
    rng = random.Random(seed)
    own = captured.seth[4]
    values = [0, 1, 255, 256, own ^ 1, own ^ 0x80000000, 0xFFFFFFFF]
    values += [rng.randrange(256, 2**32) for _ in range(count)]
    for value in values:
        if value != own:
            yield f"spi-{value:08x}", _seth(captured, spi=value)


def other_qpn(captured, qpns):
    """A sealed packet for QPs that are not its SA's."""
    for qpn in qpns:
        if qpn != captured.bth.qpn:
            head = replace(captured.bth, qpn=qpn).pack()
            yield f"qpn-{qpn}", _with(captured, head + captured.transport[pk.BTH_LEN :])


def congestion_marks(captured):
    """FECN and BECN set: these must be accepted, once."""
    return _flip(captured, 4, 0xC0)


GROUPS = {
    "flags": flags,
    "numbers": numbers,
    "bth": bth_bits,
    "icv": icv,
    "body": body,
    "lengths": lengths,
    "tags": short_tags,
    "spi": unknown_spi,
}


def flips(captured, groups=("flags", "numbers", "bth", "icv", "body", "lengths")):
    """All of the groups."""
    for group in groups:
        yield from GROUPS[group](captured)
