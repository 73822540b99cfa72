# SPDX-License-Identifier: GPL-2.0
"""AEGIS-128 as submitted to CAESAR (v1.1): 16-byte key, nonce and tag.

Slow and plain, from the specification's text: the second opinion on what the
kernel calls "aegis128".
"""

BLOCK = 16

CONST0 = bytes.fromhex("000101020305080d1522375990e97962")
CONST1 = bytes.fromhex("db3d18556dc22ff12011314273b528dd")


def _make_sbox():
    """The AES S-box from its definition: inverse in GF(2^8), affine map."""

    def multiply(a, b):
        product = 0
        while b:
            if b & 1:
                product ^= a
            a = (a << 1) ^ (0x11B if a & 0x80 else 0)
            b >>= 1
        return product

    sbox = []
    for value in range(256):
        inverse = next((i for i in range(256) if multiply(value, i) == 1), 0)
        result = 0x63
        for shift in range(5):
            result ^= (inverse << shift | inverse >> (8 - shift)) & 0xFF
        sbox.append(result)
    return sbox


SBOX = _make_sbox()


def _double(value):
    return ((value << 1) ^ (0x1B if value & 0x80 else 0)) & 0xFF


def xor(*blocks):
    """Bytewise sum of blocks of one length."""
    out = bytes(len(blocks[0]))
    for block in blocks:
        out = bytes(a ^ b for a, b in zip(out, block))
    return out


def aes_round(state, key):
    """One AES encryption round: SubBytes, ShiftRows, MixColumns, AddRoundKey."""
    out = bytearray(BLOCK)
    for column in range(4):
        a = [SBOX[state[4 * ((column + row) % 4) + row]] for row in range(4)]
        every = a[0] ^ a[1] ^ a[2] ^ a[3]
        for row in range(4):
            out[4 * column + row] = a[row] ^ every ^ _double(a[row] ^ a[(row + 1) % 4])
    return xor(bytes(out), key)


class _State:
    def __init__(self, key, nonce):
        self.blocks = [
            xor(key, nonce),
            CONST1,
            CONST0,
            xor(key, CONST0),
            xor(key, CONST1),
        ]
        for _ in range(5):
            self.update(key)
            self.update(xor(key, nonce))

    def update(self, message):
        """StateUpdate128 with one block."""
        old = self.blocks
        self.blocks = [aes_round(old[i - 1], old[i]) for i in range(5)]
        self.blocks[0] = xor(self.blocks[0], message)

    def stream(self):
        """The key stream block the state gives."""
        s = self.blocks
        both = bytes(a & b for a, b in zip(s[2], s[3]))
        return xor(s[1], s[4], both)

    def tag(self, aad_len, text_len):
        """Finalization."""
        lengths = (8 * aad_len).to_bytes(8, "little") + (8 * text_len).to_bytes(8, "little")
        message = xor(self.blocks[3], lengths)
        for _ in range(7):
            self.update(message)
        return xor(*self.blocks)


def _padded(data):
    for start in range(0, len(data), BLOCK):
        yield data[start:start + BLOCK].ljust(BLOCK, b"\0"), len(data[start:start + BLOCK])


def encrypt(key, nonce, text, aad):
    """Returns ciphertext and tag as one string of bytes."""
    state = _State(key, nonce)
    for block, _ in _padded(aad):
        state.update(block)
    out = b""
    for block, size in _padded(text):
        out += xor(block, state.stream())[:size]
        state.update(block)
    return out + state.tag(len(aad), len(text))
