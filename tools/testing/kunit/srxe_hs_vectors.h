/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The handshake of the protocol's vectors.
 */
#ifndef SRXE_HS_VECTORS_H
#define SRXE_HS_VECTORS_H

#include "srxe_kunit.h"
#include "srxe_hs_msg.h"
#include "srxe_protocol_vectors.h"

#define V_SPI_I	0xa1a2a3a4
#define V_SPI_R	0xb1b2b3b4

static const struct srxe_p v_p = {
	.gid_i = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1 },
	.gid_r = { [10] = 0xff, [11] = 0xff, [12] = 10, [15] = 2 },
};

static const u8 v_challenge[SRXE_CHALLENGE_LEN] = { [0 ... 15] = 0xcc };
static const u8 v_nonce_i[SRXE_NONCE_LEN] = { [0 ... 15] = 0x01 };
static const u8 v_nonce_r[SRXE_NONCE_LEN] = { [0 ... 15] = 0x02 };

/* The PSK 00 01 .. 1f */
static inline void v_keys(struct kunit *test, struct srxe_psk_keys *keys)
{
	u8 psk[SRXE_PSK_LEN];
	unsigned int i;

	for (i = 0; i < sizeof(psk); i++)
		psk[i] = i;
	KUNIT_ASSERT_EQ(test, 0, srxe_psk_derive(psk, keys));
}

/* One of the messages among the vectors. */
static inline void v_msg(struct srxe_hs_msg *msg, const u8 *bytes)
{
	memcpy(msg, bytes, sizeof(*msg));
}

/* What the vectors' INIT says. */
static const struct srxe_hs_init v_init = {
	.kind = SRXE_KIND_RC,
	.min_mode = SRXE_MODE_PACKET,
	.suites = 0x000f,
	.qpn_i = 17,
	.qpn_r = 18,
	.spi = V_SPI_I,
	.key_id = p8_key_id,
	.challenge = v_challenge,
	.nonce = v_nonce_i,
	.share = p8_share_i,
};

#endif /* SRXE_HS_VECTORS_H */
