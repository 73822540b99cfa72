// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake: MACs, transcript and keys.
 */
#include <crypto/curve25519.h>

#include "srxe_hs_vectors.h"
#include "srxe_low_order.h"

static void psk_keys(struct kunit *test)
{
	struct srxe_psk_keys keys;

	v_keys(test, &keys);
	KUNIT_EXPECT_MEMEQ(test, keys.key_id, p8_key_id, sizeof(p8_key_id));
	KUNIT_EXPECT_MEMEQ(test, keys.init, p8_k_init, sizeof(p8_k_init));
	KUNIT_EXPECT_MEMEQ(test, keys.retry, p8_k_retry, sizeof(p8_k_retry));
	KUNIT_EXPECT_MEMEQ(test, keys.psk, p8_k_psk, sizeof(p8_k_psk));
}

static void key_ids(struct kunit *test)
{
	u8 id[SRXE_KEY_ID_LEN] = { 0, 0, 0, 0, 1, 1, 1, 1 };
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, srxe_key_id_ok(id));
	for (i = 0; i < 4; i++) {
		id[i] = 1;
		KUNIT_EXPECT_TRUE(test, srxe_key_id_ok(id));
		id[i] = 0;
	}
}

/* From the PSK to the keys of both directions, both sides. */
static void handshake_vectors(struct kunit *test)
{
	u8 x_i[32], x_r[32], prk[32], th[32], next[32], keymat[SRXE_KEYMAT_MAX];
	const struct srxe_suite *suite = srxe_suite_by_id(0);
	struct srxe_hs_msg init, resp;
	struct srxe_sa_secrets sec;
	struct srxe_psk_keys keys;

	v_keys(test, &keys);
	memset(x_i, 0x11, sizeof(x_i));
	memset(x_r, 0x22, sizeof(x_r));
	curve25519_clamp_secret(x_i);
	curve25519_clamp_secret(x_r);

	srxe_hs_build_init(&init, &v_init);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_init(&keys, &v_p, &init));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&init, p8_init, sizeof(p8_init));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_verify_init(&keys, &v_p, &init));
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&init, sizeof(init)), SRXE_HS_OK);

	srxe_hs_build_resp(&resp, &init, SRXE_MODE_PACKET, 0, V_SPI_R, v_nonce_r, p8_share_r);
	srxe_hs_th(&v_p, &init, &resp, th);
	KUNIT_EXPECT_MEMEQ(test, th, p8_th, sizeof(th));
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_prk(keys.psk, x_r, init.body.share, prk));
	KUNIT_EXPECT_MEMEQ(test, prk, p8_prk, sizeof(prk));
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_resp(prk, th, &resp));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&resp, p8_resp, sizeof(p8_resp));

	KUNIT_EXPECT_EQ(test, srxe_hs_check(&resp, sizeof(resp)), SRXE_HS_OK);
	KUNIT_EXPECT_EQ(test, srxe_hs_fits(&init, &resp), SRXE_HS_OK);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_prk(keys.psk, x_i, resp.body.share, prk));
	KUNIT_EXPECT_MEMEQ(test, prk, p8_prk, sizeof(prk));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_verify_resp(prk, th, &resp));

	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sa_secrets(prk, th, &sec));
	KUNIT_EXPECT_MEMEQ(test, sec.sa_id, p8_sa_id, sizeof(p8_sa_id));
	KUNIT_EXPECT_MEMEQ(test, sec.chain[SRXE_DIR_I2R], p8_s_i2r_0, 32);
	KUNIT_EXPECT_MEMEQ(test, sec.chain[SRXE_DIR_R2I], p8_s_r2i_0, 32);
	KUNIT_ASSERT_EQ(test, 0, srxe_epoch_keymat(sec.chain[0], suite, SRXE_MODE_PACKET,
						   keymat));
	KUNIT_EXPECT_MEMEQ(test, keymat, p8_keys_i2r_0, 36);
	KUNIT_ASSERT_EQ(test, 0, srxe_epoch_keymat(sec.chain[1], suite, SRXE_MODE_PACKET,
						   keymat));
	KUNIT_EXPECT_MEMEQ(test, keymat, p8_keys_r2i_0, 36);
	KUNIT_ASSERT_EQ(test, 0, srxe_epoch_next(sec.chain[0], 1, next));
	KUNIT_EXPECT_MEMEQ(test, next, p8_s_i2r_1, 32);
	KUNIT_ASSERT_EQ(test, 0, srxe_epoch_next(sec.chain[1], 1, next));
	KUNIT_EXPECT_MEMEQ(test, next, p8_s_r2i_1, 32);
}

static void reply_vectors(struct kunit *test)
{
	struct srxe_hs_init v = v_init;
	struct srxe_hs_msg init, msg;
	struct srxe_psk_keys keys;

	v_keys(test, &keys);
	v.challenge = NULL;
	srxe_hs_build_init(&init, &v);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_init(&keys, &v_p, &init));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&init, p8_init_0, sizeof(p8_init_0));

	srxe_hs_build_retry(&msg, &init, v_challenge);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_reply(&keys, &v_p, &init, &msg));
	KUNIT_EXPECT_MEMEQ(test, msg.body.mac, p8_retry_mac, sizeof(p8_retry_mac));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&msg, p8_retry, sizeof(p8_retry));
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&msg, sizeof(msg)), SRXE_HS_OK);
	KUNIT_EXPECT_EQ(test, srxe_hs_fits(&init, &msg), SRXE_HS_OK);
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_verify_reply(&keys, &v_p, &init, &msg));

	srxe_hs_build_refuse(&msg, &init, SRXE_REFUSE_SUITE);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_reply(&keys, &v_p, &init, &msg));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&msg, p8_refuse, sizeof(p8_refuse));
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&msg, sizeof(msg)), SRXE_HS_OK);
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_verify_reply(&keys, &v_p, &init, &msg));

	/* What answers a RETRY is the INIT with the challenge, no more. */
	srxe_hs_set_challenge(&init, v_challenge);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_init(&keys, &v_p, &init));
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&init, p8_init, sizeof(p8_init));
}

/* Bits a switch may change on the path: FECN and BECN. */
static bool is_free(size_t at, unsigned int bit)
{
	return at == offsetof(struct srxe_hs_msg, bth.qpn) && bit >= 6;
}

/* Every bit of an INIT is either covered by the MAC or fixed by the check. */
static void init_tampered(struct kunit *test)
{
	struct srxe_psk_keys keys;
	struct srxe_hs_msg init;
	unsigned int bit;
	size_t at;
	bool good;

	v_keys(test, &keys);
	for (at = 0; at < sizeof(init); at++) {
		for (bit = 0; bit < 8; bit++) {
			v_msg(&init, p8_init);
			((u8 *)&init)[at] ^= BIT(bit);
			good = srxe_hs_verify_init(&keys, &v_p, &init) == 0;
			KUNIT_EXPECT_EQ_MSG(test, good, is_free(at, bit),
					    "byte %zu bit %u", at, bit);
			if (is_free(at, bit))
				KUNIT_EXPECT_EQ(test, SRXE_HS_OK,
						srxe_hs_check(&init, sizeof(init)));
		}
	}
}

/* A change anywhere in INIT or RESP, or of an address, makes another transcript. */
static void resp_tampered(struct kunit *test)
{
	struct srxe_hs_msg init, resp;
	unsigned int bit;
	struct srxe_p p;
	u8 th[32];
	size_t at;

	for (at = 0; at < 2 * sizeof(init) + sizeof(p); at++) {
		bit = at & 7;
		v_msg(&init, p8_init);
		v_msg(&resp, p8_resp);
		p = v_p;
		if (at < sizeof(init))
			((u8 *)&init)[at] ^= BIT(bit);
		else if (at < 2 * sizeof(init))
			((u8 *)&resp)[at - sizeof(init)] ^= BIT(bit);
		else
			((u8 *)&p)[at - 2 * sizeof(init)] ^= BIT(bit);
		srxe_hs_th(&p, &init, &resp, th);
		KUNIT_EXPECT_EQ_MSG(test, -EBADMSG, srxe_hs_verify_resp(p8_prk, th, &resp),
				    "byte %zu bit %u", at, bit);
	}
	v_msg(&init, p8_init);
	v_msg(&resp, p8_resp);
	init.bth.qpn |= cpu_to_be32(0xc0000000);
	resp.bth.qpn |= cpu_to_be32(0x40000000);
	srxe_hs_th(&v_p, &init, &resp, th);
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_verify_resp(p8_prk, th, &resp));
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_resp(p8_k_psk, th, &resp));
}

static void reply_tampered(struct kunit *test)
{
	static const u8 * const replies[] = { p8_retry, p8_refuse };
	struct srxe_hs_msg init, msg;
	struct srxe_psk_keys keys;
	unsigned int i, bit;
	size_t at;
	bool good;

	v_keys(test, &keys);
	v_msg(&init, p8_init_0);
	for (i = 0; i < ARRAY_SIZE(replies); i++) {
		for (at = 0; at < sizeof(msg); at++) {
			for (bit = 0; bit < 8; bit++) {
				v_msg(&msg, replies[i]);
				((u8 *)&msg)[at] ^= BIT(bit);
				good = srxe_hs_check(&msg, sizeof(msg)) == SRXE_HS_OK &&
				       srxe_hs_fits(&init, &msg) == SRXE_HS_OK &&
				       !srxe_hs_verify_reply(&keys, &v_p, &init, &msg);
				KUNIT_EXPECT_EQ_MSG(test, good, is_free(at, bit),
						    "reply %u, byte %zu bit %u", i, at, bit);
			}
		}
	}
}

/* Nothing signed for one purpose, pair, INIT or key is good for another. */
static void macs_are_bound(struct kunit *test)
{
	struct srxe_hs_msg init, msg;
	struct srxe_psk_keys keys, other;
	struct srxe_p p = v_p;
	u8 psk[SRXE_PSK_LEN] = {};

	v_keys(test, &keys);
	KUNIT_ASSERT_EQ(test, 0, srxe_psk_derive(psk, &other));
	v_msg(&init, p8_init);
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_init(&other, &v_p, &init));
	memcpy(p.gid_i, v_p.gid_r, sizeof(p.gid_i));
	memcpy(p.gid_r, v_p.gid_i, sizeof(p.gid_r));
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_init(&keys, &p, &init));

	v_msg(&msg, p8_retry);
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_reply(&keys, &v_p, &init, &msg));
	v_msg(&init, p8_init_0);
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_verify_reply(&keys, &v_p, &init, &msg));
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_reply(&keys, &p, &init, &msg));
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_reply(&other, &v_p, &init, &msg));
	msg.bth.opcode = SRXE_OP_REFUSE;
	KUNIT_EXPECT_EQ(test, -EBADMSG, srxe_hs_verify_reply(&keys, &v_p, &init, &msg));
}

static void share_of_low_order(struct kunit *test)
{
	static const u8 zero[SRXE_SECRET_LEN];
	u8 x[SRXE_SHARE_LEN], prk[SRXE_SECRET_LEN];
	unsigned int i;

	memset(x, 0x11, sizeof(x));
	curve25519_clamp_secret(x);
	for (i = 0; i < ARRAY_SIZE(low_order_points); i++) {
		memset(prk, 0xee, sizeof(prk));
		KUNIT_EXPECT_EQ_MSG(test, -EBADMSG,
				    srxe_hs_prk(p8_k_psk, x, low_order_points[i], prk),
				    "point %u", i);
		KUNIT_EXPECT_MEMEQ(test, prk, zero, sizeof(prk));
	}
}

static void share_fresh(struct kunit *test)
{
	u8 x[2][32], share[2][32], prk[2][32];
	unsigned int i;

	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0, srxe_hs_share_new(x[i], share[i]));
	KUNIT_EXPECT_MEMNEQ(test, x[0], x[1], 32);
	KUNIT_EXPECT_MEMNEQ(test, share[0], share[1], 32);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0, srxe_hs_prk(p8_k_psk, x[i], share[!i], prk[i]));
	KUNIT_EXPECT_MEMEQ(test, prk[0], prk[1], 32);
}

static void challenges(struct kunit *test)
{
	u8 secret[SRXE_SECRET_LEN], c[SRXE_CHALLENGE_LEN];
	static const u8 none[SRXE_CHALLENGE_LEN];
	struct srxe_p p = v_p;

	memset(secret, 0x33, sizeof(secret));
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_challenge(secret, 7, &v_p, c));
	KUNIT_EXPECT_MEMEQ(test, c, p8_challenge_7, sizeof(p8_challenge_7));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 6, &v_p, c));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_challenge_ok(secret, 7, &v_p, c));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_challenge_ok(secret, 8, &v_p, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 9, &v_p, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 7, &v_p, none));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 0, &v_p, none));
	p.gid_i[15] ^= 1;
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 7, &p, c));
	secret[0] ^= 1;
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 7, &v_p, c));

	KUNIT_ASSERT_EQ(test, 0, srxe_hs_challenge(secret, U64_MAX, &v_p, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_challenge_ok(secret, 0, &v_p, c));
}

static void initiator_order(struct kunit *test)
{
	const u8 *a = v_p.gid_i, *b = v_p.gid_r;

	KUNIT_EXPECT_LT(test, srxe_hs_order(a, 9, b, 1), 0);
	KUNIT_EXPECT_GT(test, srxe_hs_order(b, 1, a, 9), 0);
	KUNIT_EXPECT_LT(test, srxe_hs_order(a, 1, a, 9), 0);
	KUNIT_EXPECT_GT(test, srxe_hs_order(a, 9, a, 1), 0);
	KUNIT_EXPECT_EQ(test, srxe_hs_order(a, 9, a, 9), 0);
	KUNIT_EXPECT_LT(test, srxe_hs_order(a, 0, a, 0xffffff), 0);
}

static struct kunit_case srxe_hs_msg_cases[] = {
	KUNIT_CASE(psk_keys),
	KUNIT_CASE(key_ids),
	KUNIT_CASE(handshake_vectors),
	KUNIT_CASE(reply_vectors),
	KUNIT_CASE(init_tampered),
	KUNIT_CASE(resp_tampered),
	KUNIT_CASE(reply_tampered),
	KUNIT_CASE(macs_are_bound),
	KUNIT_CASE(share_of_low_order),
	KUNIT_CASE(share_fresh),
	KUNIT_CASE(challenges),
	KUNIT_CASE(initiator_order),
	{}
};

static struct kunit_suite srxe_hs_msg_suite = {
	.name = "srxe_hs_msg",
	.test_cases = srxe_hs_msg_cases,
};

kunit_test_suite(srxe_hs_msg_suite);
