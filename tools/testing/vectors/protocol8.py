# SPDX-License-Identifier: GPL-2.0
"""The vectors of the protocol's section 8: computed here, compared there."""

import struct

import srxe_ref as ref

GID_I = bytes(10) + b"\xff\xff" + bytes([10, 0, 0, 1])
GID_R = bytes(10) + b"\xff\xff" + bytes([10, 0, 0, 2])

# As printed in the protocol.
PRINTED = {
    "key_id": "c7ee2b0014d762dda87e9d48145e2eb8",
    "k_init": "c27a1a5b3497699ab296fbe964dd1d00dc59d1d21528b81a62be5b27d495ca0e",
    "k_retry": "17209c7f9f8729e343cb344b3094118b96aa49cfe1c96462be1b2d73aec79219",
    "k_psk": "b6abbb2241fedb5cb88c1ca473ee725a0316128c8f6e8fefe5736f551ec7cb87",
    "init_mac": "cde017d94af63ed92a958fe70fc4367e",
    "th": "499b4731e425c38aaeefdae444d58c22f8e65f8b2da8cd75259e87c8286a78a8",
    "dh": "9e004098efc091d4ec2663b4e9f5cfd4d7064571690b4bea97ab146ab9f35056",
    "prk": "a06ddcff818018b516302ccf7e48bca1c3d1e20f963bd33ec12e9704394e6ab3",
    "resp_mac": "0e3769cdfd7cce3a6af19aa12bc8e372",
    "sa_id": "8546d2bbf5237ad42cc7dac73a2ee130",
    "s_i2r_0": "911a20fe28e400a560dd881a85e5b2194d34efca7f9a2cac1894bbac85977bb4",
    "s_i2r_1": "85f0f24e9b3883ab73a7db1501a9796436c94bba97661bd44053390cb6a3a29a",
    "keys_i2r_0": "c6a19a620c28aa4ea2fa6b33be26e709ed528b06ca28f066c6414d7f64b726e90ddbab44",
    "s_r2i_0": "21e62f0862d3bba7295bddb7f72033827117401153b786aa5e6abdc544108627",
    "keys_r2i_0": "feadb0be0ba88b5dc616cd8e0c419a68b92830ce159f02aa972f4e81943cf60f2005f127",
    "k_mr": "aa061cfc772ffe28c778067c99c33f906c042851a77a283c9243b45c5b339881",
    "k_1": "6df4dd67e5d650c770d4731cdfca8485fa1d7d54cd77c6640a559212dbed61e2",
    "k_2": "cc18baa7047f824ce828e64fbe4c11dbb7c25cc8c0d41c1e4e296de1a556c74f",
    "k_tag": "a82eff749e3feefd7c74a680e199beca565702eca95677fd52bcd6a9b257b4d5",
    "rkh_tag": "42071ca3cb506729a17efe8ae576955a",
    "header_icv": "a7d3280e0c9d90595d3448f331d4507d",
    "packet_icv": "d6bb2d60c56429a53d2ed1a9f7f95197",
    "encrypt_data": "8c1a263b635d65f6",
    "encrypt_icv": "3012600bb052b08cc8cae59063004772",
    "retry_mac": "a354a383e1430e383a05e6f053baf6f9",
}


def handshake():
    """From the PSK to the keys."""
    out = {}
    psk = ref.Psk(bytes(range(32)))
    out.update(key_id=psk.key_id, k_init=psk.init, k_retry=psk.retry, k_psk=psk.psk)

    pair = GID_I + GID_R
    secret_i, secret_r = b"\x11" * 32, b"\x22" * 32
    common = {"kind": 1, "qpns": (17, 18), "key_id": psk.key_id}
    zero_seth = bytes(16)

    def init(challenge):
        return ref.body(
            mode=2, suites=0x000F, spis=(0xA1A2A3A4, 0), challenge=challenge,
            nonce=b"\x01" * 16, share=ref.x25519_share(secret_i), **common
        )

    header_i = ref.bth(0xC0, 18) + zero_seth
    signed_i = init(b"\xcc" * 16)
    out["init_mac"] = ref.init_mac(psk, pair, header_i, signed_i)
    out["init"] = header_i + signed_i + out["init_mac"]

    header_r = ref.bth(0xC1, 17) + zero_seth
    signed_r = ref.body(
        mode=2, suites=1, spis=(0xB1B2B3B4, 0xA1A2A3A4), challenge=b"\xcc" * 16,
        nonce=b"\x02" * 16, share=ref.x25519_share(secret_r), **common
    )
    th = ref.transcript(pair, header_i, signed_i + out["init_mac"], header_r, signed_r)
    out["th"] = th
    out["share_i"] = ref.x25519_share(secret_i)
    out["share_r"] = ref.x25519_share(secret_r)
    out["dh"] = ref.x25519_shared(secret_i, out["share_r"])
    prk = out["prk"] = ref.mac(psk.psk, out["dh"])
    out["resp_mac"] = ref.kdf(prk, "resp", th, 16)
    out["resp"] = header_r + signed_r + out["resp_mac"]
    out["sa_id"] = ref.kdf(prk, "sa id", th, 16)
    for direction, name in enumerate(("i2r", "r2i")):
        chain = ref.kdf(prk, "chain", bytes([direction]) + th, 32)
        out[f"s_{name}_0"] = chain
        out[f"s_{name}_1"] = ref.kdf(chain, "next", struct.pack(">Q", 1), 32)
        out[f"keys_{name}_0"] = ref.kdf(chain, "keys", bytes([0, 2]), 36)

    signed_0 = init(bytes(16))
    mac_0 = ref.init_mac(psk, pair, header_i, signed_0)
    out["init_0"] = header_i + signed_0 + mac_0
    for opcode, name, mode, challenge in (
        (0xC2, "retry", 0, b"\xcc" * 16),
        (0xC3, "refuse", 2, bytes(16)),
    ):
        signed = ref.body(
            mode=mode, suites=0, spis=(0, 0xA1A2A3A4), challenge=challenge,
            nonce=b"\x01" * 16, **common
        )
        out[f"{name}_mac"] = ref.reply_mac(psk, pair, opcode, mac_0, signed)
        out[name] = ref.bth(opcode, 17) + zero_seth + signed + out[f"{name}_mac"]

    secret = b"\x33" * 32
    out["challenge_7"] = ref.mac(secret, struct.pack(">Q", 7), pair)[:16]
    return out


def region(sa_id):
    """Region keys."""
    out = {}
    out["mr_ctx"] = struct.pack(
        ">BBHIIQQQ", 0, 3, 0, 0x142, 0, 0x7F0000000000, 0x10000, 1
    ) + b"\x5a" * 16
    out["desc_1"] = ref.descriptor(0x7F0000001000, 0x2000, 3, ident=1, owned=True)
    out["desc_2"] = ref.descriptor(
        0x7F0000001800, 0x100, 2, not_after=1800000000, ident=0x9E3779B9
    )
    out["k_mr"] = ref.kdf(b"\x77" * 32, "mr", out["mr_ctx"], 32)
    out["k_1"] = ref.kdf(out["k_mr"], "region", out["desc_1"], 32)
    out["k_2"] = ref.kdf(out["k_1"], "region", out["desc_2"], 32)
    out["k_tag"] = ref.kdf(out["k_2"], "tag", b"", 32)
    header = ref.bth(0x0A, 0x12, 0x80000123)
    reth = struct.pack(">QII", 0x7F0000001800, 0x142, 0x40)
    out["rkh_tag"] = ref.rkh_tag(out["k_tag"], sa_id, 0, 2, 7, header + reth)
    return out


def sealed(chain):
    """The sealed packet in three modes, each with the keys of its mode."""
    out = {}
    data = b"hello" + bytes(3)
    for mode, name in ref.MODES.items():
        header = ref.bth(0x04, 0x12, 0x80000001, 0x31) + ref.seth(mode, 0xB1B2B3B4, 1)
        behind = data + (bytes(4) if mode == ref.HEADER else b"")
        material = ref.kdf(chain, "keys", bytes([0, mode]), 36)
        packet = ref.seal(0, mode, material, header, behind, 1)
        out[f"{name}_data"], out[f"{name}_icv"] = packet[:-16], packet[-16:]
    return out


def compute():
    """All of section 8 by name, as bytes."""
    out = handshake()
    out.update(region(out["sa_id"]))
    out.update(sealed(out["s_i2r_0"]))
    return out


def disagreements(computed):
    """Names whose computed value is not the printed one."""
    return [name for name, text in PRINTED.items() if computed[name].hex() != text]
