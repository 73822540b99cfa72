// SPDX-License-Identifier: GPL-2.0
/*
 * Changed packets: whatever a mode protects, no change of it may pass.
 */
#include "srxe_shape.h"

/* Where header mode looks away: behind the headers, before the ICV. */
static bool is_open(const struct srxe_frame *f, size_t at)
{
	return f->mode == SRXE_MODE_HEADER && !f->ctrl &&
	       at >= f->hdr_len && at < f->icv_off;
}

/* FECN and BECN are the switches' to set. */
static u8 free_bits(size_t at)
{
	return at == 4 ? 0xc0 : 0;
}

/* All of the bits in BTH and SETH of the first shape, else one in each byte. */
static bool is_tried(unsigned int shape, size_t at, unsigned int bit)
{
	if (free_bits(at) & BIT(bit))
		return false;
	return (!shape && at < SRXE_BASE_LEN) || bit == ((at + shape) & 7);
}

static void flip_each_byte(struct kunit *test, struct packet_key *key, unsigned int shape,
			   unsigned int mode)
{
	const struct aead_shape *s = &aead_shapes[shape];
	bool rkh = s->rkh_depth >= 0;
	size_t len, at;
	u8 *sealed = shape_sealed(test, key, shape, mode, &len);
	u8 *pkt = exact_copy(test, sealed, len);
	struct srxe_frame f;
	unsigned int bit;
	int err;

	KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, sealed, len, s->ext_len, rkh));
	for (at = 0; at < len; at++) {
		for (bit = 0; bit < 8; bit++) {
			if (!is_tried(shape, at, bit))
				continue;
			memcpy(pkt, sealed, len);
			pkt[at] ^= BIT(bit);
			err = packet_open(key, pkt, len, s->ext_len, rkh);
			KUNIT_EXPECT_EQ_MSG(test, err >= 0, is_open(&f, at),
					    "%s: byte %zu bit %u: %d", s->name, at, bit, err);
		}
	}
}

static struct packet_key *new_key(struct kunit *test, unsigned int suite)
{
	u8 keymat[SRXE_KEYMAT_MAX];

	fill(keymat, AEAD_SEED_KEY + suite, sizeof(keymat));
	return packet_key_new(test, suite, NULL, keymat);
}

static void tamper_flip(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	struct packet_key *key = new_key(test, p->suite);
	unsigned int shape;

	for (shape = 0; shape < ARRAY_SIZE(aead_shapes); shape++)
		flip_each_byte(test, key, shape, p->mode);
}

/* Opens a sealed packet with @by zero bytes put in at @at, or -@by cut out there. */
static int open_resized(struct packet_key *key, u8 *pkt, const u8 *sealed, size_t len,
			size_t at, int by, const struct aead_shape *s)
{
	memcpy(pkt, sealed, at);
	if (by > 0) {
		memset(pkt + at, 0, by);
		memcpy(pkt + at + by, sealed + at, len - at);
	} else {
		memcpy(pkt + at, sealed + at - by, len - at + by);
	}
	return packet_open(key, pkt, len + by, s->ext_len, s->rkh_depth >= 0);
}

/* Data cut out of a packet, or put into it, anywhere behind the headers. */
static void tamper_length(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	struct packet_key *key = new_key(test, p->suite);
	const struct aead_shape *s;
	struct srxe_frame f;
	unsigned int shape;
	size_t len, at;
	u8 *sealed, *pkt;
	int by;

	for (shape = 0; shape < ARRAY_SIZE(aead_shapes); shape++) {
		s = &aead_shapes[shape];
		sealed = shape_sealed(test, key, shape, p->mode, &len);
		KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, sealed, len, s->ext_len,
							   s->rkh_depth >= 0));
		pkt = kunit_kmalloc(test, len + 4, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pkt);
		for (at = f.hdr_len; at <= f.icv_off; at += 13) {
			for (by = -4; by <= 4; by++) {
				if (!by || at - by > len)
					continue;
				KUNIT_EXPECT_LT_MSG(test,
						    open_resized(key, pkt, sealed, len, at, by, s),
						    0, "%s: %d at %zu", s->name, by, at);
			}
		}
	}
}

/* One byte of key or salt is enough to make it another SA. */
static void tamper_key(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	u8 keymat[SRXE_KEYMAT_MAX], *sealed, *pkt;
	struct packet_key *key = new_key(test, p->suite), *other;
	size_t len, at;

	sealed = shape_sealed(test, key, 1, p->mode, &len);
	for (at = 0; at < srxe_suite_keymat_len(key->suite); at++) {
		memcpy(keymat, key->keymat, sizeof(keymat));
		keymat[at] ^= 0x10;
		other = packet_key_new(test, p->suite, NULL, keymat);
		pkt = exact_copy(test, sealed, len);
		KUNIT_EXPECT_EQ_MSG(test, -EBADMSG,
				    packet_open(other, pkt, len, 0, false),
				    "byte %zu", at);
	}
}

/* The ICV is 16 bytes; none of them is looked away from. */
static void tamper_icv(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	struct packet_key *key = new_key(test, p->suite);
	size_t len, bit;
	u8 *sealed, *pkt;

	sealed = shape_sealed(test, key, 1, p->mode, &len);
	pkt = exact_copy(test, sealed, len);
	for (bit = 0; bit < 128; bit++) {
		memcpy(pkt, sealed, len);
		pkt[len - 16 + bit / 8] ^= BIT(bit & 7);
		KUNIT_EXPECT_EQ_MSG(test, -EBADMSG, packet_open(key, pkt, len, 0, false),
				    "bit %zu", bit);
	}
}

/* Pad bytes that its own holder of the key made other than zero. */
static void tamper_pad(struct kunit *test)
{
	const struct suite_mode *p = test->param_value;
	struct packet_key *key = new_key(test, p->suite);
	struct srxe_frame f;
	unsigned int i;
	size_t len;
	u8 *pkt;

	for (i = 0; i < 3; i++) {
		pkt = shape_packet(test, 1, p->mode, &len);
		KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, pkt, len, 0, false));
		KUNIT_ASSERT_EQ(test, f.pad, 3);
		pkt[f.hdr_len + f.payload_len + i] = 0x80;
		KUNIT_ASSERT_EQ(test, 0, packet_crypt(key, &f, pkt, true));
		KUNIT_EXPECT_EQ(test, 1, packet_open(key, pkt, len, 0, false));
	}
}

KUNIT_ARRAY_PARAM(suite_mode, suite_modes, suite_mode_desc);

static struct kunit_case srxe_tamper_cases[] = {
	KUNIT_CASE_PARAM(tamper_flip, suite_mode_gen_params),
	KUNIT_CASE_PARAM(tamper_length, suite_mode_gen_params),
	KUNIT_CASE_PARAM(tamper_key, suite_mode_gen_params),
	KUNIT_CASE_PARAM(tamper_icv, suite_mode_gen_params),
	KUNIT_CASE_PARAM(tamper_pad, suite_mode_gen_params),
	{}
};

static struct kunit_suite srxe_tamper_suite = {
	.name = "srxe_tamper",
	.test_cases = srxe_tamper_cases,
};

kunit_test_suite(srxe_tamper_suite);
