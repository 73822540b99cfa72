# SPDX-License-Identifier: GPL-2.0
"""Second implementation of the secure-rxe protocol, from its text alone.

It shares nothing with the driver.  KDF, AEADs, X25519 and CMAC are those of
python3-cryptography; AEGIS-128 is aegis128.py.
"""

import hashlib
import hmac
import struct

from cryptography.hazmat.primitives import cmac, hashes, serialization
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.ciphers import aead, algorithms
from cryptography.hazmat.primitives.kdf import kbkdf

import aegis128

HEADER, PACKET, ENCRYPT, CONCEAL = 1, 2, 3, 4
MODES = {HEADER: "header", PACKET: "packet", ENCRYPT: "encrypt"}
CTRL = 0xC4

# id: name, key length, salt length, sealing function(key, nonce, text, aad)
SUITES = {
    0: ("aes256-gcm", 32, 4, lambda k, n, t, a: aead.AESGCM(k).encrypt(n, t, a)),
    1: ("aes128-gcm", 16, 4, lambda k, n, t, a: aead.AESGCM(k).encrypt(n, t, a)),
    2: ("chacha20-poly1305", 32, 4, lambda k, n, t, a: aead.ChaCha20Poly1305(k).encrypt(n, t, a)),
    3: ("aegis128", 16, 8, aegis128.encrypt),
}


def kdf(key, label, context, length):
    """The protocol's KDF."""
    return kbkdf.KBKDFHMAC(
        algorithm=hashes.SHA256(),
        mode=kbkdf.Mode.CounterMode,
        length=length,
        rlen=4,
        llen=4,
        location=kbkdf.CounterLocation.BeforeFixed,
        label=b"srxe1 " + label.encode(),
        context=context,
        fixed=None,
    ).derive(key)


def mac(key, *pieces):
    """HMAC-SHA-256."""
    return hmac.new(key, b"".join(pieces), hashlib.sha256).digest()


def bth(opcode, qpn, psn=0, flags=0x01, pkey=0xFFFF):
    """A base transport header of ours (TVER 1)."""
    return struct.pack(">BBHII", opcode, flags, pkey, qpn, psn)


def seth(mode, spi, number, epoch=0, rx_epoch=1, rkh=False):
    """A security extended transport header."""
    flags = min(mode, ENCRYPT) << 6 | (0x20 if mode == CONCEAL else 0) | (0x10 if rkh else 0)
    return struct.pack(">BBBBIQ", flags, epoch, rx_epoch, 0, spi, number)


def rkh(descriptors, tag):
    """A region key header."""
    return bytes([len(descriptors), 0, 0, 0]) + b"".join(descriptors) + tag


def seal(suite, mode, material, headers, data, number, ctrl=False):
    """Returns what stands behind the headers, ICV included.

    headers: BTH', SETH, RKH and extended headers; data: payload, pad and, for
    data in header mode, the inner ICRC.
    """
    _, key_len, salt_len, encrypt = SUITES[suite]
    key, salt = material[:key_len], material[key_len:key_len + salt_len]
    nonce = salt + struct.pack(">Q", number)
    if mode == HEADER:
        aad = headers + (data if ctrl else b"") + struct.pack(">H", len(data))
        return data + encrypt(key, nonce, b"", aad)
    if mode == PACKET or (mode == ENCRYPT and ctrl):
        return data + encrypt(key, nonce, b"", headers + data)
    if mode == ENCRYPT:
        return encrypt(key, nonce, data, headers)
    return encrypt(key, nonce, headers[28:] + data, headers[:28])


def body(kind, mode, suites, qpns, spis, key_id, challenge, nonce, share=bytes(32)):
    """A handshake body up to its MAC."""
    qpn_i, qpn_r = qpns
    spi, peer_spi = spis
    head = struct.pack(
        ">BBBBHHIIII", 1, kind, mode, 0, suites, 0, qpn_i, qpn_r, spi, peer_spi
    )
    return head + key_id + challenge + nonce + share


class Psk:
    """What is derived from a PSK alone."""

    def __init__(self, psk):
        self.key_id = kdf(psk, "keyid", b"", 16)
        self.init = kdf(psk, "init", b"", 32)
        self.retry = kdf(psk, "retry", b"", 32)
        self.psk = kdf(psk, "psk", b"", 32)


def init_mac(psk, pair, header, signed):
    """INIT.MAC; header is BTH' and SETH."""
    return mac(psk.init, pair, header, signed)[:16]


def reply_mac(psk, pair, opcode, mac_of_init, signed):
    """RETRY.MAC or REFUSE.MAC."""
    return mac(psk.retry, bytes([opcode]), pair, mac_of_init, signed)[:16]


def transcript(pair, header_i, body_i, header_r, signed_r):
    """TH."""
    return hashlib.sha256(pair + header_i + body_i + header_r + signed_r).digest()


def x25519_shared(secret, share):
    """Plain X25519."""
    private = x25519.X25519PrivateKey.from_private_bytes(secret)
    return private.exchange(x25519.X25519PublicKey.from_public_bytes(share))


def x25519_share(secret):
    """Public value of a private one."""
    public = x25519.X25519PrivateKey.from_private_bytes(secret).public_key()
    return public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def descriptor(va, length, rights, *, not_after=0, peer=0, ident=0, owned=False):
    """A region descriptor."""
    return struct.pack(
        ">QQIIIBBH", va, length, not_after, peer, ident, rights, 1 if owned else 0, 0
    )


def rkh_tag(key, sa_id, direction, depth, number, header):
    """Tag of a region key header; header is BTH' and extended headers."""
    function = cmac.CMAC(algorithms.AES(key))
    function.update(sa_id + struct.pack(">BBHQ", direction, depth, 0, number) + header)
    return function.finalize()
