# SPDX-License-Identifier: GPL-2.0
"""RoCEv2 packets, plain and sealed: built and taken apart, ICRC included."""

import ipaddress
import struct
import zlib
from dataclasses import dataclass, field, replace

ROCE_PORT = 4791
ICV_LEN = 16
SETH_LEN = 16
BTH_LEN = 12

# IBTA transport services: the upper three bits of the opcode
RC, UC, UD = 0x00, 0x20, 0x60

SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, SEND_ONLY_IMM = range(6)
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM = range(6, 12)
READ_REQUEST = 0x0C
READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE, READ_RESPONSE_LAST, READ_RESPONSE_ONLY = range(13, 17)
ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, COMPARE_SWAP, FETCH_ADD = range(17, 21)
SEND_LAST_INV, SEND_ONLY_INV = 0x16, 0x17
FLUSH, ATOMIC_WRITE = 0x1C, 0x1D

NAMES = {
    SEND_FIRST: "send-first",
    SEND_MIDDLE: "send-middle",
    SEND_LAST: "send-last",
    SEND_LAST_IMM: "send-last-imm",
    SEND_ONLY: "send-only",
    SEND_ONLY_IMM: "send-only-imm",
    WRITE_FIRST: "write-first",
    WRITE_MIDDLE: "write-middle",
    WRITE_LAST: "write-last",
    WRITE_LAST_IMM: "write-last-imm",
    WRITE_ONLY: "write-only",
    WRITE_ONLY_IMM: "write-only-imm",
    READ_REQUEST: "read-request",
    READ_RESPONSE_FIRST: "read-response-first",
    READ_RESPONSE_MIDDLE: "read-response-middle",
    READ_RESPONSE_LAST: "read-response-last",
    READ_RESPONSE_ONLY: "read-response-only",
    ACKNOWLEDGE: "acknowledge",
    ATOMIC_ACKNOWLEDGE: "atomic-acknowledge",
    COMPARE_SWAP: "compare-swap",
    FETCH_ADD: "fetch-add",
    SEND_LAST_INV: "send-last-inv",
    SEND_ONLY_INV: "send-only-inv",
    FLUSH: "flush",
    ATOMIC_WRITE: "atomic-write",
}
OPCODES = {name: op for op, name in NAMES.items()}
# What is defined per service; everything else is an unknown opcode.
UC_OPS = tuple(range(0, 12))
UD_OPS = (SEND_ONLY, SEND_ONLY_IMM)

# Handshake and control packets of secure-rxe
SRXE_INIT, SRXE_RESP, SRXE_RETRY, SRXE_REFUSE, SRXE_CTRL = range(0xC0, 0xC5)

_IMM, _RETH, _AETH, _ATOMIC, _IETH = 4, 16, 4, 28, 4
_EXT = {
    SEND_LAST_IMM: _IMM,
    SEND_ONLY_IMM: _IMM,
    WRITE_FIRST: _RETH,
    WRITE_LAST_IMM: _IMM,
    WRITE_ONLY: _RETH,
    WRITE_ONLY_IMM: _RETH + _IMM,
    READ_REQUEST: _RETH,
    READ_RESPONSE_FIRST: _AETH,
    READ_RESPONSE_LAST: _AETH,
    READ_RESPONSE_ONLY: _AETH,
    ACKNOWLEDGE: _AETH,
    ATOMIC_ACKNOWLEDGE: _AETH + 8,
    COMPARE_SWAP: _ATOMIC,
    FETCH_ADD: _ATOMIC,
    SEND_LAST_INV: _IETH,
    SEND_ONLY_INV: _IETH,
    FLUSH: 4 + _RETH,
    ATOMIC_WRITE: _RETH,
}


def known_opcodes():
    """Every opcode rxe has a table row for, RC, UC and UD."""
    return (
        [RC | op for op in NAMES] + [UC | op for op in UC_OPS] + [UD | op for op in UD_OPS]
    )


def ext_len(opcode):
    """Bytes of extension headers behind the BTH."""
    deth = 8 if opcode & 0xE0 == UD else 0
    return deth + _EXT.get(opcode & 0x1F, 0)


def opcode_name(opcode):
    """A name for messages."""
    if opcode in range(SRXE_INIT, SRXE_CTRL + 1):
        return ("init", "resp", "retry", "refuse", "ctrl")[opcode - SRXE_INIT]
    service = {RC: "rc", UC: "uc", UD: "ud"}.get(opcode & 0xE0)
    if service is None or opcode & 0x1F not in NAMES:
        return f"0x{opcode:02x}"
    return f"{service}-{NAMES[opcode & 0x1F]}"


def gid_to_ip(gid):
    """A GID or an address in text to an ipaddress object; v4-mapped GIDs to IPv4."""
    ip = ipaddress.ip_address(gid)
    return ip.ipv4_mapped or ip if ip.version == 6 else ip


@dataclass
class Bth:
    """Base transport header; flags without pad count and version."""

    opcode: int
    qpn: int = 0
    psn: int = 0
    ack: bool = False
    se: bool = False
    mig: bool = True
    pad: int = 0
    tver: int = 0
    pkey: int = 0xFFFF
    resv8a: int = 0
    resv7: int = 0

    def pack(self):
        """12 bytes."""
        flags = self.se << 7 | self.mig << 6 | (self.pad & 3) << 4 | self.tver & 15
        return struct.pack(
            ">BBHII",
            self.opcode,
            flags,
            self.pkey,
            self.resv8a << 24 | self.qpn & 0xFFFFFF,
            (self.ack << 7 | self.resv7) << 24 | self.psn & 0xFFFFFF,
        )

    @classmethod
    def parse(cls, data):
        """From at least 12 bytes."""
        opcode, flags, pkey, qpn, psn = struct.unpack(">BBHII", data[:BTH_LEN])
        return cls(
            opcode=opcode,
            qpn=qpn & 0xFFFFFF,
            psn=psn & 0xFFFFFF,
            ack=bool(psn >> 31),
            se=bool(flags >> 7),
            mig=bool(flags >> 6 & 1),
            pad=flags >> 4 & 3,
            tver=flags & 15,
            pkey=pkey,
            resv8a=qpn >> 24,
            resv7=psn >> 24 & 0x7F,
        )


def reth(va, rkey, length):
    """RDMA extended transport header."""
    return struct.pack(">QII", va & (2**64 - 1), rkey & (2**32 - 1), length & (2**32 - 1))


def deth(qkey, source_qpn):
    """Datagram extended transport header."""
    return struct.pack(">II", qkey & (2**32 - 1), source_qpn & 0xFFFFFF)


def aeth(syndrome, msn=0):
    """ACK extended transport header."""
    return struct.pack(">I", syndrome << 24 | msn & 0xFFFFFF)


def atomic_eth(va, rkey, swap, compare):
    """Atomic extended transport header."""
    return struct.pack(">QIQQ", va, rkey, swap, compare)


@dataclass
class Path:
    """Everything below the BTH: who pretends to send to whom."""

    src_mac: bytes
    dst_mac: bytes
    src: object
    dst: object
    sport: int = 0xC123
    ttl: int = 64
    tos: int = 0
    ident: int = 0x5278
    df: bool = True
    options: bytes = b""
    ext: list = field(default_factory=list)

    def reverse(self):
        """The way back."""
        return replace(
            self, src_mac=self.dst_mac, dst_mac=self.src_mac, src=self.dst, dst=self.src
        )


def checksum(data):
    """Internet checksum."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _ip4(path, length, proto=17, frag=0):
    ihl = 5 + len(path.options) // 4
    head = struct.pack(
        ">BBHHHBBH4s4s",
        0x40 | ihl,
        path.tos,
        ihl * 4 + length,
        path.ident,
        frag or (0x4000 if path.df else 0),
        path.ttl,
        proto,
        0,
        path.src.packed,
        path.dst.packed,
    )
    total = checksum(head + path.options)
    return head[:10] + struct.pack(">H", total) + head[12:] + path.options


def _ip6(path, length, proto=17):
    """With the extension headers of path.ext: (number, body after the next-header byte)."""
    ext = b""
    for number, body in reversed(path.ext):
        ext = bytes([proto]) + body + ext
        proto = number
    head = struct.pack(
        ">IHBB16s16s",
        0x60000000 | path.tos << 20,
        len(ext) + length,
        proto,
        path.ttl,
        path.src.packed,
        path.dst.packed,
    )
    return head + ext


def ip_header(path, length, proto=17, frag=0):
    """The IP header for @length bytes behind it."""
    return _ip4(path, length, proto, frag) if path.src.version == 4 else _ip6(path, length, proto)


def udp_header(path, length, dport=ROCE_PORT):
    """UDP header; IPv4 goes without a checksum, as RoCE does."""
    return struct.pack(">HHHH", path.sport, dport, 8 + length, 0)


def udp6_checksum(path, udp):
    """The checksum IPv6 asks for."""
    pseudo = path.src.packed + path.dst.packed + struct.pack(">II", len(udp), 17)
    return checksum(pseudo + udp) or 0xFFFF


def ether(path, payload):
    """The frame."""
    kind = 0x0800 if path.src.version == 4 else 0x86DD
    return path.dst_mac + path.src_mac + struct.pack(">H", kind) + payload


def icrc(ip, udp, transport):
    """Invariant CRC of a packet without it; @ip is the header without extensions."""
    if ip[0] >> 4 == 4:
        ip = ip[:1] + b"\xff" + ip[2:8] + b"\xff" + ip[9:10] + b"\xff\xff" + ip[12:]
    else:
        ip = bytes([ip[0] | 0x0F]) + b"\xff\xff\xff" + ip[4:7] + b"\xff" + ip[8:]
    udp = udp[:6] + b"\xff\xff"
    # rxe has no payload offset for FLUSH and takes the whole packet for payload too
    again = transport if transport[0] == RC | FLUSH else b""
    transport = transport[:4] + b"\xff" + transport[5:]
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp + transport + again))


def frame(path, transport):
    """A frame around the UDP payload as it is."""
    udp = udp_header(path, len(transport))
    if path.src.version == 6:
        total = udp6_checksum(path, udp + transport)
        udp = udp[:6] + struct.pack(">H", total)
    return ether(path, ip_header(path, len(udp) + len(transport)) + udp + transport)


def plain(path, bth, ext=b"", payload=b""):
    """A plain RoCEv2 frame with the right pad and ICRC."""
    pad = -len(payload) % 4
    bth = replace(bth, pad=pad)
    transport = bth.pack() + ext + payload + b"\0" * pad
    return plain_raw(path, transport)


def plain_raw(path, transport):
    """A plain frame around BTH..pad, whatever they say, with the ICRC that fits them."""
    length = len(transport) + 4
    bare = replace(path, options=b"", ext=[])
    crc = icrc(ip_header(bare, 8 + length), udp_header(path, length), transport)
    return frame(path, transport + crc)


@dataclass
class Parsed:
    """A captured frame, taken apart."""

    frame: bytes
    path: Path
    transport: bytes  # UDP payload
    bth: Bth
    ip_len: int  # of the IP header

    @property
    def sealed(self):
        """Does it carry a SETH?"""
        return self.bth.tver == 1 and len(self.transport) >= BTH_LEN + SETH_LEN

    @property
    def bare(self):
        """A handshake message outside an SA."""
        return self.sealed and SRXE_INIT <= self.bth.opcode <= SRXE_REFUSE

    @property
    def seth(self):
        """flags, epoch, rx_epoch, zero, SPI, packet number"""
        return struct.unpack(">BBBBIQ", self.transport[BTH_LEN : BTH_LEN + SETH_LEN])

    @property
    def mode(self):
        """1 header, 2 packet, 3 encrypt"""
        return self.seth[0] >> 6

    @property
    def body(self):
        """What stands behind the SETH, or behind the BTH of a plain packet."""
        return self.transport[BTH_LEN + (SETH_LEN if self.sealed else 0) :]


def parse(data):
    """A frame taken apart, or None if it is no RoCEv2."""
    if len(data) < 14 + 20 + 8 + BTH_LEN:
        return None
    kind = struct.unpack(">H", data[12:14])[0]
    if kind == 0x0800:
        ip_len = (data[14] & 15) * 4
        proto, src, dst = data[23], data[26:30], data[30:34]
    elif kind == 0x86DD:
        ip_len = 40
        proto, src, dst = data[20], data[22:38], data[38:54]
    else:
        return None
    at = 14 + ip_len
    if proto != 17 or len(data) < at + 8 + BTH_LEN:
        return None
    sport, dport, length = struct.unpack(">HHH", data[at : at + 6])
    if dport != ROCE_PORT or length < 8 + BTH_LEN:
        return None
    path = Path(
        src_mac=data[6:12],
        dst_mac=data[:6],
        src=ipaddress.ip_address(src),
        dst=ipaddress.ip_address(dst),
        sport=sport,
        ttl=data[22] if kind == 0x0800 else data[21],
        tos=data[15] if kind == 0x0800 else 0,
        ident=struct.unpack(">H", data[18:20])[0] if kind == 0x0800 else 0,
    )
    transport = data[at + 8 : at + length]
    return Parsed(data, path, transport, Bth.parse(transport), ip_len)


def check_icrc(packet):
    """Is the ICRC of a parsed plain packet right?"""
    data = packet.frame[14:]
    return packet.transport[-4:] == icrc(
        data[: packet.ip_len],
        data[packet.ip_len : packet.ip_len + 8],
        packet.transport[:-4],
    )
