#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Writes the vectors the KUnit suites compare with.

  generate.py          write the headers in ../kunit
  generate.py --check  compare instead; exit status 1 if one is out of date

Needs python3-cryptography and python3-cryptography-vectors.
"""

import os
import sys

import cryptography_vectors

import protocol8
import srxe_ref as ref

KUNIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kunit")
NIST = "KDF/nist-800-108-KBKDF-CTR.txt"
# Of each output length this many vectors are taken.
NIST_EACH = 5

# What the AEAD vectors have in common; in the header too.
SPI = 0xB1B2B3B4
NUMBER = 0x0102030405060708
EPOCH = 5
RX_EPOCH = 6
QPN = 0x12
PSN = 0x80000123
SEED_KEY, SEED_RKH, SEED_EXT, SEED_DATA, SEED_ICRC = 0x40, 0x50, 0x51, 0x52, 0x53

# name, opcode, extended headers' length, RKH depth or -1, payload length
SHAPES = [
    ("RC SEND only, empty", 0x04, 0, -1, 0),
    ("RC SEND only", 0x04, 0, -1, 5),
    ("RC SEND middle", 0x01, 0, -1, 256),
    ("RC SEND only with invalidate", 0x17, 4, 4, 1),
    ("RC ACK", 0x11, 4, -1, 0),
    ("RC WRITE only", 0x0A, 16, 1, 64),
    ("RC WRITE only with immediate", 0x0B, 20, -1, 6),
    ("RC READ request", 0x0C, 16, 2, 0),
    ("RC READ response only", 0x10, 4, -1, 31),
    ("RC compare and swap", 0x13, 28, 0, 0),
    ("RC FLUSH", 0x1C, 20, 8, 0),
    ("RC ATOMIC WRITE", 0x1D, 16, -1, 8),
    ("UC SEND last with immediate", 0x23, 4, -1, 3),
    ("UC WRITE first", 0x26, 16, -1, 300),
    ("UD SEND only", 0x64, 8, -1, 16),
    ("CTRL empty", 0xC4, 0, -1, 4),
    ("CTRL with a body", 0xC4, 0, -1, 124),
]

NOTE = """/* SPDX-License-Identifier: GPL-2.0 */
/* Written by tools/testing/vectors/generate.py; do not edit. */
"""


def fill(seed, length):
    """Bytes that both sides can make."""
    return bytes((seed * 31 + i * 7 + 3) & 0xFF for i in range(length))


def c_bytes(data, tabs):
    """Bytes as elements of an initialiser, lines of eight."""
    rows = [data[i:i + 8] for i in range(0, len(data), 8)]
    indent = "\t" * tabs
    return "".join(indent + " ".join(f"0x{b:02x}," for b in row) + "\n" for row in rows)


def protocol_header():
    """Section 8 of the protocol."""
    values = protocol8.compute()
    wrong = protocol8.disagreements(values)
    if wrong:
        sys.exit(f"generate.py: not what the protocol prints: {', '.join(wrong)}")
    out = [NOTE, "#ifndef SRXE_PROTOCOL_VECTORS_H\n#define SRXE_PROTOCOL_VECTORS_H\n\n"]
    for name, value in sorted(values.items()):
        out.append(f"static const u8 p8_{name}[] = {{\n{c_bytes(value, 1)}}};\n\n")
    out.append("#endif\n")
    return "".join(out)


def aead_behind(suite, mode, shape, index):
    """What the driver must add or change behind the headers of a packet."""
    _, opcode, ext_len, depth, payload = shape
    pad = -payload % 4
    ctrl = opcode == ref.CTRL
    header = ref.bth(opcode, QPN, PSN + index, 0x81 | pad << 4)
    header += ref.seth(mode, SPI, NUMBER, EPOCH, RX_EPOCH, depth >= 0)
    if depth >= 0:
        header += bytes([depth, 0, 0, 0]) + fill(SEED_RKH, 32 * depth + 16)
    header += fill(SEED_EXT, ext_len)
    data = fill(SEED_DATA, payload) + bytes(pad)
    if mode == ref.HEADER and not ctrl:
        data += fill(SEED_ICRC, 4)
    material = fill(SEED_KEY + suite, sum(ref.SUITES[suite][1:3]))
    sealed = ref.seal(suite, mode, material, header, data, NUMBER, ctrl)
    return sealed if mode == ref.ENCRYPT and not ctrl else sealed[-16:]


def aead_header():
    """Sealed packets of all suites, modes and shapes."""
    out = [NOTE, "#ifndef SRXE_AEAD_VECTORS_H\n#define SRXE_AEAD_VECTORS_H\n\n"]
    constants = {
        "SPI": f"0x{SPI:x}", "PN": f"0x{NUMBER:016x}ULL", "EPOCH": EPOCH, "RX_EPOCH": RX_EPOCH,
        "QPN": f"0x{QPN:x}", "PSN": f"0x{PSN:x}", "SEED_KEY": f"0x{SEED_KEY:x}",
        "SEED_RKH": f"0x{SEED_RKH:x}", "SEED_EXT": f"0x{SEED_EXT:x}",
        "SEED_DATA": f"0x{SEED_DATA:x}", "SEED_ICRC": f"0x{SEED_ICRC:x}",
    }
    for name, value in constants.items():
        out.append(f"#define AEAD_{name}\t{value}\n")
    out.append("\n/* rkh_depth is -1 without one */\n")
    out.append("static const struct aead_shape {\n\tconst char *name;\n\tu8 opcode;\n\tu8 ext_len;\n")
    out.append("\ts8 rkh_depth;\n\tu16 payload_len;\n} aead_shapes[] = {\n")
    for name, opcode, ext_len, depth, payload in SHAPES:
        out.append(f'\t{{ "{name}", 0x{opcode:02x}, {ext_len}, {depth}, {payload} }},\n')
    out.append("};\n\n/* [suite][mode - 1][shape]: header, packet and CTRL: ICV; encrypt: ciphertext and ICV */\n")
    out.append(f"static const u8 * const aead_behind[{len(ref.SUITES)}][{len(ref.MODES)}]")
    out.append(f"[{len(SHAPES)}] = {{\n")
    for suite, row in ref.SUITES.items():
        out.append(f"\t{{\t/* {row[0]} */\n")
        for mode, mode_name in ref.MODES.items():
            out.append(f"\t\t{{\t/* {mode_name} */\n")
            for index, shape in enumerate(SHAPES):
                behind = aead_behind(suite, mode, shape, index)
                out.append(f"\t\t\t(const u8 []){{\n{c_bytes(behind, 4)}\t\t\t}},\n")
            out.append("\t\t},\n")
        out.append("\t},\n")
    out.append("};\n\n#endif\n")
    return "".join(out)


def nist_vectors():
    """HMAC-SHA-256, 32-bit counter before the fixed data: key, data, output."""
    section, current, taken = {}, {}, {}
    with cryptography_vectors.open_vector_file(NIST, "r") as file:
        for line in map(str.strip, file):
            if line.startswith("["):
                name, _, value = line.strip("[]").partition("=")
                section[name] = value
            elif " = " in line:
                name, _, value = line.partition(" = ")
                current[name] = value
                if name != "KO" or section != {
                    "PRF": "HMAC_SHA256", "CTRLOCATION": "BEFORE_FIXED", "RLEN": "32_BITS"
                }:
                    continue
                bits = current["L"]
                taken[bits] = taken.get(bits, 0) + 1
                if taken[bits] <= NIST_EACH:
                    yield [bytes.fromhex(current[n]) for n in ("KI", "FixedInputData", "KO")]


def kbkdf_header():
    """NIST's vectors for the KDF."""
    out = [NOTE, "/*\n * From NIST's CAVS file for SP 800-108, as python3-cryptography-vectors has it:\n"]
    out.append(" * PRF=HMAC_SHA256, CTRLOCATION=BEFORE_FIXED, RLEN=32_BITS.\n */\n")
    out.append("#ifndef SRXE_KBKDF_VECTORS_H\n#define SRXE_KBKDF_VECTORS_H\n\n")
    out.append("static const struct kbkdf_vector {\n\tu8 key[32];\n\tu8 fixed[60];\n")
    out.append("\tu8 out[40];\n\tunsigned int out_len;\n} kbkdf_vectors[] = {\n")
    for vector in nist_vectors():
        fields = "}, {\n".join(c_bytes(value, 3) + "\t\t" for value in vector)
        out.append(f"\t{{\n\t\t{{\n{fields}}}, {len(vector[2])}\n\t}},\n")
    out.append("};\n\n#endif\n")
    return "".join(out)


HEADERS = {
    "srxe_protocol_vectors.h": protocol_header,
    "srxe_aead_vectors.h": aead_header,
    "srxe_kbkdf_vectors.h": kbkdf_header,
}


def is_current(path, text):
    """Is that what the file holds?"""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read() == text
    except FileNotFoundError:
        return False


def main():
    """Entry point."""
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    stale = []
    for name, make in HEADERS.items():
        path, text = os.path.join(KUNIT, name), make()
        if check:
            stale += [] if is_current(path, text) else [name]
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale:
        sys.exit(f"generate.py: out of date: {', '.join(stale)}")


if __name__ == "__main__":
    main()
