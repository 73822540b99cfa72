// SPDX-License-Identifier: GPL-2.0
/*
 * Suites, and sealed packets against those of the second implementation.
 */
#include "srxe_packet.h"
#include "srxe_shape.h"
#include "srxe_protocol_vectors.h"

static void suite_table(struct kunit *test)
{
	static const struct {
		const char *name;
		unsigned int key, salt, nonce;
		u64 soft, hard;
	} want[] = {
		{ "aes256-gcm", 32, 4, 12, 1ULL << 26, 1ULL << 28 },
		{ "aes128-gcm", 16, 4, 12, 1ULL << 26, 1ULL << 28 },
		{ "chacha20-poly1305", 32, 4, 12, 1ULL << 30, 1ULL << 32 },
		{ "aegis128", 16, 8, 16, 1ULL << 30, 1ULL << 32 },
	};
	const struct srxe_suite *s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		s = srxe_suite_by_id(i);
		KUNIT_ASSERT_NOT_NULL(test, s);
		KUNIT_EXPECT_EQ(test, s->id, i);
		KUNIT_EXPECT_STREQ(test, s->name, want[i].name);
		KUNIT_EXPECT_EQ(test, s->key_len, want[i].key);
		KUNIT_EXPECT_EQ(test, s->salt_len, want[i].salt);
		KUNIT_EXPECT_EQ(test, s->nonce_len, want[i].nonce);
		KUNIT_EXPECT_EQ(test, s->nonce_len, s->salt_len + 8);
		KUNIT_EXPECT_EQ(test, s->soft_packets, want[i].soft);
		KUNIT_EXPECT_EQ(test, s->hard_packets, want[i].hard);
		KUNIT_EXPECT_LE(test, srxe_suite_keymat_len(s), SRXE_KEYMAT_MAX);
		KUNIT_EXPECT_PTR_EQ(test, s, srxe_suite_by_name(want[i].name));
	}
	KUNIT_EXPECT_NULL(test, srxe_suite_by_id(SRXE_SUITE_COUNT));
	KUNIT_EXPECT_NULL(test, srxe_suite_by_id(-1));
	KUNIT_EXPECT_NULL(test, srxe_suite_by_name("aes256"));
	KUNIT_EXPECT_NULL(test, srxe_suite_by_name(""));
}

static void suite_pick(struct kunit *test)
{
	unsigned int bits;

	KUNIT_EXPECT_NULL(test, srxe_suite_pick(0));
	KUNIT_EXPECT_NULL(test, srxe_suite_pick(0xfff0));
	for (bits = 1; bits < 16; bits++) {
		const struct srxe_suite *s = srxe_suite_pick(0xfff0 | bits);

		KUNIT_ASSERT_NOT_NULL(test, s);
		KUNIT_EXPECT_EQ(test, s->id, __ffs(bits));
	}
}

static void suite_driver(struct kunit *test)
{
	const struct srxe_suite *gcm = srxe_suite_by_id(SRXE_SUITE_AES256_GCM);
	static const struct {
		const char *driver;
		int err;
	} rows[] = {
		{ "gcm_base(ctr(aes-generic),ghash-generic)", 0 },
		{ "aegis128-generic", -EINVAL },
		{ "rfc4106(gcm(aes))", -EINVAL },
		/* lengths of key and nonce as in gcm */
		{ "rfc7539(chacha20-generic,poly1305-generic)", -EINVAL },
		{ "no-such-driver", -ENOENT },
	};
	struct crypto_aead *tfm;
	u8 keymat[SRXE_KEYMAT_MAX] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		tfm = srxe_suite_alloc(gcm, rows[i].driver, keymat);
		if (!rows[i].err) {
			KUNIT_ASSERT_FALSE(test, IS_ERR(tfm));
			KUNIT_EXPECT_STREQ(test, rows[i].driver,
					   crypto_tfm_alg_driver_name(crypto_aead_tfm(tfm)));
			KUNIT_EXPECT_EQ(test, crypto_aead_authsize(tfm), 16);
			crypto_free_aead(tfm);
		} else {
			KUNIT_EXPECT_EQ_MSG(test, PTR_ERR_OR_ZERO(tfm), rows[i].err, "%s",
					    rows[i].driver);
		}
	}
}

static void nonce(struct kunit *test)
{
	static const u8 salt[8] = { 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7 };
	static const u8 gcm[12] = { 0xa0, 0xa1, 0xa2, 0xa3, 1, 2, 3, 4, 5, 6, 7, 8 };
	static const u8 aegis[16] = { 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
				      1, 2, 3, 4, 5, 6, 7, 8 };
	u8 iv[SRXE_IV_MAX];

	srxe_nonce(srxe_suite_by_id(0), salt, 0x0102030405060708ULL, iv);
	KUNIT_EXPECT_MEMEQ(test, iv, gcm, sizeof(gcm));
	srxe_nonce(srxe_suite_by_id(3), salt, 0x0102030405060708ULL, iv);
	KUNIT_EXPECT_MEMEQ(test, iv, aegis, sizeof(aegis));
}

/* Seals, compares, opens, compares; the pad bytes come back zero. */
static void seal_and_open(struct kunit *test, struct packet_key *key, unsigned int mode,
			  unsigned int shape)
{
	const struct aead_shape *s = &aead_shapes[shape];
	const u8 *behind = aead_behind[key->suite->id][mode - 1][shape];
	struct srxe_frame f;
	size_t len;
	u8 *plain = shape_packet(test, shape, mode, &len);
	u8 *pkt = exact_copy(test, plain, len);
	unsigned int off;

	KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, pkt, len, s->ext_len,
						   s->rkh_depth >= 0));
	KUNIT_EXPECT_EQ(test, f.payload_len, s->payload_len);
	KUNIT_EXPECT_EQ(test, 0, packet_crypt(key, &f, pkt, true));

	off = mode == SRXE_MODE_ENCRYPT && !f.ctrl ? f.hdr_len : f.icv_off;
	KUNIT_EXPECT_MEMEQ_MSG(test, pkt, plain, off, "%s: not to be changed", s->name);
	KUNIT_EXPECT_MEMEQ_MSG(test, pkt + off, behind, len - off, "%s", s->name);

	/* A switch on the path marks congestion. */
	pkt[4] |= 0xc0;
	KUNIT_EXPECT_EQ_MSG(test, 0, packet_open(key, pkt, len, s->ext_len,
						 s->rkh_depth >= 0), "%s", s->name);
	KUNIT_EXPECT_MEMEQ_MSG(test, pkt, plain, f.icv_off, "%s: opened", s->name);
	kunit_kfree(test, pkt);
	kunit_kfree(test, plain);
}

static void aead_vectors(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	u8 keymat[SRXE_KEYMAT_MAX];
	struct packet_key *key;
	unsigned int shape;

	fill(keymat, AEAD_SEED_KEY + p->suite, sizeof(keymat));
	key = packet_key_new(test, p->suite, NULL, keymat);
	for (shape = 0; shape < ARRAY_SIZE(aead_shapes); shape++)
		seal_and_open(test, key, p->mode, shape);
}

/* The same by the asynchronous wrapper round the generic code. */
static void aead_vectors_cryptd(struct kunit *test)
{
	static const char * const drivers[] = {
		"cryptd(gcm_base(ctr(aes-generic),ghash-generic))",
		"cryptd(gcm_base(ctr(aes-generic),ghash-generic))",
		"cryptd(rfc7539(chacha20-generic,poly1305-generic))",
		"cryptd(aegis128-generic)",
	};
	const struct suite_mode *p = test->param_value;
	u8 keymat[SRXE_KEYMAT_MAX];
	struct packet_key *key;
	unsigned int shape;

	fill(keymat, AEAD_SEED_KEY + p->suite, sizeof(keymat));
	key = packet_key_new(test, p->suite, drivers[p->suite], keymat);
	for (shape = 0; shape < ARRAY_SIZE(aead_shapes); shape++)
		seal_and_open(test, key, p->mode, shape);
}

KUNIT_ARRAY_PARAM(suite_mode, suite_modes, suite_mode_desc);

/* The protocol's own sealed packet. */
static void aead_protocol(struct kunit *test)
{
	static const u8 bth[12] = { 0x04, 0x31, 0xff, 0xff, 0, 0, 0, 0x12, 0x80, 0, 0, 1 };
	const u8 *icv[] = { p8_header_icv, p8_packet_icv, p8_encrypt_icv };
	struct srxe_seth_fields v = { .pn = 1, .spi = 0xb1b2b3b4, .rx_epoch = 1 };
	struct srxe_frame f;
	unsigned int mode, len;
	u8 keymat[36], ctx[2];
	struct packet_key *key;
	u8 *pkt;

	for (mode = 1; mode <= 3; mode++) {
		ctx[0] = SRXE_SUITE_AES256_GCM;
		ctx[1] = mode;
		KUNIT_ASSERT_EQ(test, 0, srxe_kdf(p8_s_i2r_0, SRXE_LABEL_KEYS, ctx, 2,
						  keymat, sizeof(keymat)));
		key = packet_key_new(test, SRXE_SUITE_AES256_GCM, NULL, keymat);
		len = srxe_frame_sealed_len(12 + 8, 0, mode, false);
		pkt = kunit_kzalloc(test, len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pkt);
		memcpy(pkt, bth, sizeof(bth));
		v.mode = mode;
		srxe_seth_build((void *)pkt + sizeof(bth), &v);
		memcpy(pkt + 28, "hello", 5);
		KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, pkt, len, 0, false));
		KUNIT_EXPECT_EQ(test, 0, packet_crypt(key, &f, pkt, true));
		if (mode == SRXE_MODE_ENCRYPT)
			KUNIT_EXPECT_MEMEQ(test, pkt + 28, p8_encrypt_data, 8);
		KUNIT_EXPECT_MEMEQ(test, pkt + f.icv_off, icv[mode - 1], 16);
	}
}

/* The longest payload there is, and conceal's framing, there and back. */
static void aead_round_trip(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	struct srxe_seth_fields v = { .pn = U64_MAX, .spi = 256, .epoch = 255 };
	u8 keymat[SRXE_KEYMAT_MAX];
	struct packet_key *key;
	struct srxe_frame f;
	unsigned int modes[] = { p->mode, SRXE_MODE_CONCEAL }, i;
	size_t len;
	u8 *plain, *pkt;

	fill(keymat, 1, sizeof(keymat));
	key = packet_key_new(test, p->suite, NULL, keymat);
	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		len = srxe_frame_sealed_len(12 + 16 + 4096, 0, modes[i], false);
		plain = kunit_kmalloc(test, len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, plain);
		fill(plain, 2, len);
		plain[0] = 0x06;
		plain[1] = 0x01;
		srxe_bth_seal((void *)plain);
		v.mode = modes[i];
		srxe_seth_build((void *)plain + 12, &v);
		pkt = exact_copy(test, plain, len);
		KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, pkt, len, 16, true));
		KUNIT_EXPECT_EQ(test, 0, packet_crypt(key, &f, pkt, true));
		KUNIT_EXPECT_MEMEQ(test, pkt, plain, f.aad_len);
		if (f.crypt_len)
			KUNIT_EXPECT_MEMNEQ(test, pkt + f.aad_len, plain + f.aad_len, 64);
		KUNIT_EXPECT_EQ(test, 0, packet_crypt(key, &f, pkt, false));
		KUNIT_EXPECT_MEMEQ(test, pkt, plain, f.icv_off);
		KUNIT_EXPECT_EQ(test, 0, srxe_frame_inner(&f, pkt, 16, true));
		KUNIT_EXPECT_EQ(test, f.payload_len, 4096);
	}
}

static struct kunit_case srxe_aead_cases[] = {
	KUNIT_CASE(suite_table),
	KUNIT_CASE(suite_pick),
	KUNIT_CASE(suite_driver),
	KUNIT_CASE(nonce),
	KUNIT_CASE(aead_protocol),
	KUNIT_CASE_PARAM(aead_vectors, suite_mode_gen_params),
	KUNIT_CASE_PARAM(aead_vectors_cryptd, suite_mode_gen_params),
	KUNIT_CASE_PARAM(aead_round_trip, suite_mode_gen_params),
	{}
};

static struct kunit_suite srxe_aead_suite = {
	.name = "srxe_aead",
	.test_cases = srxe_aead_cases,
};

kunit_test_suite(srxe_aead_suite);
