// SPDX-License-Identifier: GPL-2.0
/*
 * Key derivation: NIST's vectors for the PRF and mode, the protocol's for what
 * we feed it, and that nothing else is accepted.
 */
#include <crypto/kdf_sp800108.h>

#include "srxe_kunit.h"
#include "srxe_kdf.h"
#include "srxe_kbkdf_vectors.h"
#include "srxe_protocol_vectors.h"

static void nist_desc(const struct kbkdf_vector *v, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "vector %td, %u bytes",
		 v - kbkdf_vectors, v->out_len);
}

KUNIT_ARRAY_PARAM(nist, kbkdf_vectors, nist_desc);

static void kdf_nist(struct kunit *test)
{
	const struct kbkdf_vector *v = test->param_value;
	struct kvec fixed = { (void *)v->fixed, sizeof(v->fixed) };
	struct crypto_shash *hmac = srxe_hmac_alloc();
	u8 out[sizeof(v->out)];

	KUNIT_ASSERT_FALSE(test, IS_ERR(hmac));
	KUNIT_EXPECT_EQ(test, 0, crypto_kdf108_setkey(hmac, v->key, sizeof(v->key), NULL, 0));
	KUNIT_EXPECT_EQ(test, 0, crypto_kdf108_ctr_generate(hmac, &fixed, 1, out, v->out_len));
	KUNIT_EXPECT_MEMEQ(test, out, v->out, v->out_len);
	crypto_free_shash(hmac);
}

static const u8 psk[SRXE_PSK_LEN] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
	0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
	0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
};

static const u8 k_pd[SRXE_SECRET_LEN] = { [0 ... SRXE_SECRET_LEN - 1] = 0x77 };
static const u8 one[8] = { 0, 0, 0, 0, 0, 0, 0, 1 };
static const u8 suite0_mode2[2] = { 0, 2 };

struct label_case {
	const char	*desc;
	enum srxe_label	label;
	const u8	*key;
	const u8	*ctx;
	size_t		ctxlen;
	const u8	*want;
	size_t		n;
};

static const struct label_case label_cases[] = {
	{ "keyid", SRXE_LABEL_KEYID, psk, NULL, 0, p8_key_id, sizeof(p8_key_id) },
	{ "init", SRXE_LABEL_INIT, psk, NULL, 0, p8_k_init, sizeof(p8_k_init) },
	{ "retry", SRXE_LABEL_RETRY, psk, NULL, 0, p8_k_retry, sizeof(p8_k_retry) },
	{ "psk", SRXE_LABEL_PSK, psk, NULL, 0, p8_k_psk, sizeof(p8_k_psk) },
	{ "resp", SRXE_LABEL_RESP, p8_prk, p8_th, sizeof(p8_th),
	  p8_resp_mac, sizeof(p8_resp_mac) },
	{ "sa id", SRXE_LABEL_SA_ID, p8_prk, p8_th, sizeof(p8_th),
	  p8_sa_id, sizeof(p8_sa_id) },
	{ "keys i2r", SRXE_LABEL_KEYS, p8_s_i2r_0, suite0_mode2, sizeof(suite0_mode2),
	  p8_keys_i2r_0, sizeof(p8_keys_i2r_0) },
	{ "keys r2i", SRXE_LABEL_KEYS, p8_s_r2i_0, suite0_mode2, sizeof(suite0_mode2),
	  p8_keys_r2i_0, sizeof(p8_keys_r2i_0) },
	{ "next", SRXE_LABEL_NEXT, p8_s_i2r_0, one, sizeof(one),
	  p8_s_i2r_1, sizeof(p8_s_i2r_1) },
	{ "mr", SRXE_LABEL_MR, k_pd, p8_mr_ctx, sizeof(p8_mr_ctx),
	  p8_k_mr, sizeof(p8_k_mr) },
	{ "region, owned", SRXE_LABEL_REGION, p8_k_mr, p8_desc_1, sizeof(p8_desc_1),
	  p8_k_1, sizeof(p8_k_1) },
	{ "region, held", SRXE_LABEL_REGION, p8_k_1, p8_desc_2, sizeof(p8_desc_2),
	  p8_k_2, sizeof(p8_k_2) },
	{ "tag", SRXE_LABEL_TAG, p8_k_2, NULL, 0, p8_k_tag, sizeof(p8_k_tag) },
};

KUNIT_ARRAY_PARAM_DESC(label, label_cases, desc);

static void kdf_protocol(struct kunit *test)
{
	const struct label_case *c = test->param_value;
	u8 out[SRXE_KEYMAT_MAX];

	KUNIT_ASSERT_LE(test, c->n, sizeof(out));
	KUNIT_EXPECT_EQ(test, 0, srxe_kdf(c->key, c->label, c->ctx, c->ctxlen, out, c->n));
	KUNIT_EXPECT_MEMEQ(test, out, c->want, c->n);
}

/* A transform that is used again must not remember anything. */
static void kdf_transform_again(struct kunit *test)
{
	struct crypto_shash *hmac = srxe_hmac_alloc();
	u8 out[SRXE_SECRET_LEN];
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(hmac));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 0, srxe_kdf_tfm(hmac, psk, SRXE_LABEL_INIT, NULL, 0,
						      out, sizeof(out)));
		KUNIT_EXPECT_MEMEQ(test, out, p8_k_init, sizeof(out));
		KUNIT_EXPECT_EQ(test, 0, srxe_kdf_tfm(hmac, p8_k_2, SRXE_LABEL_TAG, NULL, 0,
						      out, sizeof(out)));
		KUNIT_EXPECT_MEMEQ(test, out, p8_k_tag, sizeof(out));
	}
	crypto_free_shash(hmac);
}

static const u16 ctx_lens[SRXE_LABEL_COUNT] = {
	0, 0, 0, 0, 32, 32, 33, 2, 8, 52, 32, 0
};

static const u16 out_lens[SRXE_LABEL_COUNT] = {
	16, 32, 32, 32, 16, 16, 32, 36, 32, 32, 32, 32
};

/* Any length but the label's own is refused, and the output is wiped. */
static void kdf_lengths(struct kunit *test)
{
	static const u8 ctx[64], zero[64];
	u8 out[64];
	size_t c, n;
	int label, want;

	for (label = 0; label < SRXE_LABEL_COUNT; label++) {
		for (c = 0; c <= sizeof(ctx); c++) {
			want = c == ctx_lens[label] ? 0 : -EINVAL;
			memset(out, 0xee, sizeof(out));
			KUNIT_EXPECT_EQ_MSG(test, want,
					    srxe_kdf(psk, label, ctx, c, out, out_lens[label]),
					    "label %d, context %zu", label, c);
			if (want)
				KUNIT_EXPECT_MEMEQ(test, out, zero, out_lens[label]);
		}
		for (n = 0; n <= sizeof(out); n++) {
			if (label == SRXE_LABEL_KEYS)
				want = n && n <= SRXE_KEYMAT_MAX ? 0 : -EINVAL;
			else
				want = n == out_lens[label] ? 0 : -EINVAL;
			KUNIT_EXPECT_EQ_MSG(test, want,
					    srxe_kdf(psk, label, ctx, ctx_lens[label], out, n),
					    "label %d, output %zu", label, n);
		}
	}
	KUNIT_EXPECT_EQ(test, -EINVAL,
			srxe_kdf(psk, SRXE_LABEL_COUNT, NULL, 0, out, SRXE_SECRET_LEN));
	KUNIT_EXPECT_EQ(test, -EINVAL, srxe_kdf(psk, -1, NULL, 0, out, SRXE_SECRET_LEN));
}

/* The output length is part of the input: a longer key does not begin with a shorter. */
static void kdf_length_is_bound(struct kunit *test)
{
	u8 a[SRXE_KEYMAT_MAX], b[SRXE_KEYMAT_MAX];

	KUNIT_EXPECT_EQ(test, 0, srxe_kdf(psk, SRXE_LABEL_KEYS, suite0_mode2, 2, a, 20));
	KUNIT_EXPECT_EQ(test, 0, srxe_kdf(psk, SRXE_LABEL_KEYS, suite0_mode2, 2, b, 36));
	KUNIT_EXPECT_MEMNEQ(test, a, b, 20);
}

static void hmac_protocol(struct kunit *test)
{
	struct kvec whole = { (void *)p8_dh, sizeof(p8_dh) };
	struct kvec pieces[] = {
		{ (void *)p8_dh, 1 },
		{ NULL, 0 },
		{ (void *)p8_dh + 1, sizeof(p8_dh) - 1 },
	};
	u8 out[SRXE_HASH_LEN];

	KUNIT_EXPECT_EQ(test, 0, srxe_hmac(p8_k_psk, &whole, 1, out));
	KUNIT_EXPECT_MEMEQ(test, out, p8_prk, sizeof(out));
	KUNIT_EXPECT_EQ(test, 0, srxe_hmac(p8_k_psk, pieces, ARRAY_SIZE(pieces), out));
	KUNIT_EXPECT_MEMEQ(test, out, p8_prk, sizeof(out));
}

/* FIPS 180-2, B.1 */
static void sha256_known(struct kunit *test)
{
	static const u8 want[SRXE_HASH_LEN] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
		0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
		0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
		0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
	};
	struct kvec pieces[] = { { "ab", 2 }, { "c", 1 } };
	u8 out[SRXE_HASH_LEN];

	srxe_sha256(pieces, ARRAY_SIZE(pieces), out);
	KUNIT_EXPECT_MEMEQ(test, out, want, sizeof(want));
}

static struct kunit_case srxe_kdf_cases[] = {
	KUNIT_CASE_PARAM(kdf_nist, nist_gen_params),
	KUNIT_CASE_PARAM(kdf_protocol, label_gen_params),
	KUNIT_CASE(kdf_transform_again),
	KUNIT_CASE(kdf_lengths),
	KUNIT_CASE(kdf_length_is_bound),
	KUNIT_CASE(hmac_protocol),
	KUNIT_CASE(sha256_known),
	{}
};

static struct kunit_suite srxe_kdf_suite = {
	.name = "srxe_kdf",
	.test_cases = srxe_kdf_cases,
};

kunit_test_suite(srxe_kdf_suite);
