#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The attacker's own tests: a forgery that is dropped for a bug of ours proves nothing.

rxe.pcap holds packets of stock rxe, each opcode over IPv4 and IPv6.
"""

import os
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

# pylint: disable=wrong-import-position
from srxe_attack import check, forge, fuzz, mutate, wire
from srxe_attack import packet as pk

CAPTURE = os.path.join(HERE, "rxe.pcap")
# A SEND ONLY of PROTOCOL's vectors: mode encrypt, suite 0, "hello" and 3 bytes of pad
SEALED = bytes.fromhex(
    "0431ffff0000001280000001c0000100b1b2b3b40000000000000001"
    "8c1a263b635d65f63012600bb052b08cc8cae59063004772"
)


def target(version=4):
    """A made-up victim."""
    ends = ("10.0.0.1", "10.0.0.2") if version == 4 else ("fd77::1", "fd77::2")
    path = pk.Path(b"\2" * 6, b"\4" * 6, *map(pk.gid_to_ip, ends))
    return forge.Target(path, 18, 0xFFFFFF, va=0x7F0000001000, rkey=0x142)


def sealed(mode=3):
    """A parsed sealed packet."""
    data = bytearray(SEALED)
    data[12] = mode << 6
    return pk.parse(pk.frame(target().path, bytes(data)))


class Packets(unittest.TestCase):
    """Built and taken apart as rxe does it."""

    def test_icrc_of_real_packets(self):
        packets = wire.read_packets(CAPTURE)
        self.assertEqual({p.path.src.version for p in packets}, {4, 6})
        self.assertGreater(len({p.bth.opcode for p in packets}), 20)
        for packet in packets:
            self.assertTrue(pk.check_icrc(packet), pk.opcode_name(packet.bth.opcode))

    def test_rebuilt_is_the_same(self):
        for packet in wire.read_packets(CAPTURE):
            again = pk.plain_raw(packet.path, packet.transport[:-4])
            self.assertEqual(pk.parse(again).transport, packet.transport)
            self.assertEqual(packet.bth.pack(), packet.transport[: pk.BTH_LEN])

    def test_frame_is_what_the_kernel_sent(self):
        for packet in wire.read_packets(CAPTURE):
            if packet.path.src.version == 4:
                self.assertEqual(pk.frame(packet.path, packet.transport), packet.frame)

    def test_extension_lengths(self):
        for packet in wire.read_packets(CAPTURE):
            op = packet.bth.opcode
            self.assertGreaterEqual(len(packet.body) - 4, pk.ext_len(op), pk.opcode_name(op))
            if op in (pk.READ_REQUEST, pk.ACKNOWLEDGE, pk.COMPARE_SWAP, pk.FLUSH):
                self.assertEqual(len(packet.body) - 4, pk.ext_len(op), pk.opcode_name(op))

    def test_pcap_round_trip(self):
        frames = list(wire.read_pcap(CAPTURE))
        with tempfile.NamedTemporaryFile() as out:
            wire.write_pcap(out.name, [(1.5, frame) for frame in frames])
            self.assertEqual(list(wire.read_pcap(out.name)), frames)


class Forgeries(unittest.TestCase):
    """Right where they claim to be."""

    def test_valid_icrc(self):
        for version in (4, 6):
            one = target(version)
            frames = [forge.write(one, b"x" * 5), forge.send(one, b"", b"abcd"),
                      forge.nak(one, "rnr"), forge.ack(one), forge.read_request(one, 9),
                      forge.atomic_response(one, 7), *forge.read_response(one, bytes(3000))]
            for frame in frames:
                self.assertTrue(pk.check_icrc(pk.parse(frame)))

    def test_psn_wraps(self):
        frames = forge.read_response(target(), bytes(2048))
        self.assertEqual([pk.parse(f).bth.psn for f in frames], [0xFFFFFF, 0])


class Mutations(unittest.TestCase):
    """One change each, and none that is none."""

    def test_all_differ(self):
        for mode in (1, 2, 3):
            packet = sealed(mode)
            names, frames = zip(*mutate.flips(packet, mutate.GROUPS))
            self.assertNotIn(packet.frame, frames)
            self.assertEqual(len(set(names)), len(names))
            self.assertGreater(len(names), 150)

    def test_congestion_bits_left_alone(self):
        for _, frame in mutate.bth_bits(sealed()):
            self.assertEqual(pk.parse(frame).transport[4] & 0xC0, 0)

    def test_strip(self):
        for mode, body in ((2, SEALED[28:36]), (1, SEALED[28:32])):
            plain = pk.parse(mutate.strip(sealed(mode)))
            self.assertTrue(pk.check_icrc(plain))
            self.assertEqual(plain.bth.tver, 0)
            self.assertEqual(plain.body[:-4], body)

    def test_short_tags(self):
        lengths = [len(pk.parse(f).transport) for _, f in mutate.short_tags(sealed())]
        self.assertEqual(lengths, [len(SEALED) - 16 + n for n in (0, 4, 8, 12)])


class Malformed(unittest.TestCase):
    """The same for a seed; every kind there."""

    def test_deterministic(self):
        for version in (4, 6):
            one, two = (list(fuzz.generate(target(version), [sealed()], count=50))
                        for _ in range(2))
            self.assertEqual(one, two)
            self.assertGreater(len(one), 5000)

    def test_fragments_make_the_packet(self):
        frames = dict(fuzz.fragments(target()))
        parts = [f for name, f in frames.items() if name.startswith("fragment-rc-send-only-16-")]
        offsets = [struct.unpack(">H", f[20:22])[0] for f in parts]
        self.assertEqual([o & 0x1FFF for o in offsets], [2 * n for n in range(len(parts))])
        self.assertEqual([o >> 13 for o in offsets], [1] * (len(parts) - 1) + [0])
        whole = b"".join(f[34:] for f in parts)
        bth = pk.Bth.parse(whole[8:])
        self.assertEqual((bth.opcode, bth.qpn), (pk.SEND_ONLY, 18))


class Checks(unittest.TestCase):
    """They find what is there."""

    def test_payload(self):
        packets = wire.read_packets(CAPTURE)
        self.assertEqual(check.find_payload(packets, bytes(range(200))), [])
        number = next(n for n, p in enumerate(packets) if len(p.body) > 64)
        self.assertIn(number, check.find_payload(packets, packets[number].body[20:36]))

    def test_nonces(self):
        self.assertEqual(check.repeated_nonces([sealed()]), [])
        self.assertEqual(len(check.repeated_nonces([sealed(), sealed()])), 1)


if __name__ == "__main__":
    unittest.main()
