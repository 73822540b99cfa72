// SPDX-License-Identifier: GPL-2.0
/*
 * Framing: every flag bit, every truncation, and random packets.
 */
#include <linux/prandom.h>

#include "srxe_kunit.h"
#include "srxe_frame.h"
#include "srxe_aead_vectors.h"

#define SPI	0xb1b2b3b4

static void seth_fields(struct kunit *test)
{
	static const u8 flags[] = { 0, 0x40, 0x80, 0xc0, 0xe0 };
	struct srxe_seth_fields v, back;
	struct srxe_seth seth;
	u8 want[16] = { 0, 5, 6, 0, 0xb1, 0xb2, 0xb3, 0xb4, 1, 2, 3, 4, 5, 6, 7, 8 };
	unsigned int rkh;

	for (v.mode = SRXE_MODE_HEADER; v.mode <= SRXE_MODE_CONCEAL; v.mode++) {
		for (rkh = 0; rkh < 2; rkh++) {
			v.pn = 0x0102030405060708ULL;
			v.spi = SPI;
			v.epoch = 5;
			v.rx_epoch = 6;
			v.rkh = rkh;
			want[0] = flags[v.mode] | (rkh ? 0x10 : 0);
			memset(&seth, 0xff, sizeof(seth));
			srxe_seth_build(&seth, &v);
			KUNIT_EXPECT_MEMEQ(test, (u8 *)&seth, want, sizeof(want));
			srxe_seth_parse(&seth, &back);
			KUNIT_EXPECT_EQ(test, back.pn, v.pn);
			KUNIT_EXPECT_EQ(test, back.spi, v.spi);
			KUNIT_EXPECT_EQ(test, back.mode, v.mode);
			KUNIT_EXPECT_EQ(test, back.epoch, v.epoch);
			KUNIT_EXPECT_EQ(test, back.rx_epoch, v.rx_epoch);
			KUNIT_EXPECT_EQ(test, back.rkh, v.rkh);
		}
	}
}

static void bth_helpers(struct kunit *test)
{
	const u8 plain[12] = { 0x04, 0xf0, 0xff, 0xff, 0xff, 1, 2, 3, 0x80, 4, 5, 6 };
	const u8 sealed[12] = { 0x04, 0xf1, 0xff, 0xff, 0x3f, 1, 2, 3, 0x80, 4, 5, 6 };
	const u8 opened[12] = { 0x04, 0xf0, 0xff, 0xff, 0x3f, 1, 2, 3, 0x80, 4, 5, 6 };
	struct srxe_bth bth;

	memcpy(&bth, plain, sizeof(bth));
	srxe_bth_seal(&bth);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&bth, sealed, sizeof(bth));
	bth.qpn |= cpu_to_be32(0xc0000000);
	srxe_bth_normalise(&bth);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&bth, sealed, sizeof(bth));
	srxe_bth_open(&bth);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&bth, opened, sizeof(bth));
}

/* BTH and SETH of a sealed packet, the rest zero. */
static u8 *new_packet(struct kunit *test, size_t len, u8 opcode, u8 flags, u32 spi)
{
	u8 *pkt = kunit_kzalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pkt);
	pkt[0] = opcode;
	pkt[1] = SRXE_BTH_TVER;
	pkt[12] = flags;
	pkt[16] = spi >> 24;
	pkt[17] = spi >> 16;
	pkt[18] = spi >> 8;
	pkt[19] = spi;
	return pkt;
}

static void classify_flags(struct kunit *test)
{
	u8 *pkt = new_packet(test, 44, 0x04, 0, SPI);
	unsigned int flags, mode, opcode;
	int want, i;

	for (i = 0; i < 2; i++) {
		opcode = i ? SRXE_OP_CTRL : 0x04;
		pkt[0] = opcode;
		for (flags = 0; flags < 256; flags++) {
			mode = flags >> 6;
			if (flags & 0x0f)
				want = SRXE_FRAME_ESETH;
			else if (!mode || (flags & 0x20 && mode != 3))
				want = SRXE_FRAME_EMODE;
			else
				want = i ? SRXE_FRAME_CTRL : SRXE_FRAME_SEALED;
			pkt[12] = flags;
			KUNIT_EXPECT_EQ_MSG(test, srxe_frame_classify(pkt, 44), want,
					    "flags %02x, opcode %02x", flags, opcode);
		}
	}
	pkt[12] = 0xc0;
	for (i = 0; i < 256; i++) {
		pkt[15] = i;
		want = i ? SRXE_FRAME_ESETH : SRXE_FRAME_CTRL;
		KUNIT_EXPECT_EQ_MSG(test, srxe_frame_classify(pkt, 44), want, "zero %02x", i);
	}
	pkt[15] = 0;
	for (i = 0; i < 256; i++) {
		pkt[1] = i;
		want = (i & 0xf) != 1 ? SRXE_FRAME_ETVER : SRXE_FRAME_CTRL;
		KUNIT_EXPECT_EQ_MSG(test, srxe_frame_classify(pkt, 44), want, "BTH %02x", i);
	}
}

static void classify_spi(struct kunit *test)
{
	static const struct {
		u32 spi;
		int sealed, bare;
	} rows[] = {
		{ 0, SRXE_FRAME_ESPI, SRXE_FRAME_BARE },
		{ 1, SRXE_FRAME_ESPI, SRXE_FRAME_ESPI },
		{ 255, SRXE_FRAME_ESPI, SRXE_FRAME_ESPI },
		{ 256, SRXE_FRAME_SEALED, SRXE_FRAME_ESPI },
		{ 0xffffffff, SRXE_FRAME_SEALED, SRXE_FRAME_ESPI },
	};
	unsigned int i, op;
	int want;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (op = 0; op < 256; op++) {
			bool bare = op >= 0xc0 && op <= 0xc3;
			u8 *pkt = new_packet(test, 148, op, bare ? 0 : 0x80, rows[i].spi);

			want = bare ? rows[i].bare : rows[i].sealed;
			if (op == SRXE_OP_CTRL && want == SRXE_FRAME_SEALED)
				want = SRXE_FRAME_CTRL;
			KUNIT_EXPECT_EQ_MSG(test, srxe_frame_classify(pkt, 148), want,
					    "opcode %02x, SPI %x", op, rows[i].spi);
			kunit_kfree(test, pkt);
		}
	}
}

static void classify_length(struct kunit *test)
{
	size_t len;
	u8 *pkt;

	for (len = 1; len < 200; len++) {
		pkt = new_packet(test, max_t(size_t, len, 28), 0x04, 0x80, SPI);
		KUNIT_EXPECT_EQ(test, srxe_frame_classify(pkt, len),
				len < 44 ? SRXE_FRAME_ESHORT : SRXE_FRAME_SEALED);
		kunit_kfree(test, pkt);
		pkt = new_packet(test, max_t(size_t, len, 28), SRXE_OP_INIT, 0, 0);
		KUNIT_EXPECT_EQ(test, srxe_frame_classify(pkt, len),
				len == 148 ? SRXE_FRAME_BARE : SRXE_FRAME_ESHORT);
		kunit_kfree(test, pkt);
	}
	pkt = new_packet(test, 28, 0x04, 0x80, SPI);
	KUNIT_EXPECT_EQ(test, srxe_frame_classify(pkt, 0), SRXE_FRAME_ESHORT);
	KUNIT_EXPECT_EQ(test, srxe_frame_classify(pkt, 65535), SRXE_FRAME_SEALED);
	KUNIT_EXPECT_EQ(test, srxe_frame_classify(pkt, 65536), SRXE_FRAME_ELONG);
}

/* What a layout must satisfy whatever the packet. */
static void expect_sane(struct kunit *test, const struct srxe_frame *f, size_t len)
{
	unsigned int crypt_off = f->aad_len;

	KUNIT_EXPECT_EQ(test, f->len, len);
	KUNIT_EXPECT_EQ(test, f->icv_off + 16, len);
	KUNIT_EXPECT_LE(test, crypt_off + f->crypt_len, f->icv_off);
	if (f->mode == SRXE_MODE_CONCEAL)
		return;
	KUNIT_EXPECT_EQ(test, f->hdr_len, 28 + f->rkh_len + f->ext_len);
	KUNIT_EXPECT_EQ(test, f->hdr_len + f->data_len, f->icv_off);
	KUNIT_EXPECT_EQ(test, f->payload_len + f->pad + f->icrc_len, f->data_len);
	if (f->mode != SRXE_MODE_HEADER || f->ctrl)
		KUNIT_EXPECT_EQ(test, crypt_off + f->crypt_len, f->icv_off);
}

static int layout_want(size_t len, unsigned int mode, const struct aead_shape *s,
		       unsigned int rkh_len, unsigned int pad)
{
	unsigned int icrc = mode == SRXE_MODE_HEADER && s->opcode != 0xc4 ? 4 : 0;

	if (len < 44)
		return SRXE_FRAME_ESHORT;
	if (len < 44 + rkh_len)
		return SRXE_FRAME_ERKHLEN;
	if (len < 44 + rkh_len + s->ext_len)
		return SRXE_FRAME_EEXT;
	if (len < 44 + rkh_len + s->ext_len + icrc)
		return SRXE_FRAME_EICRC;
	if (len < 44 + rkh_len + s->ext_len + icrc + pad)
		return SRXE_FRAME_EPAD;
	return 0;
}

/* Each shape of the vectors, in each mode, cut at each byte. */
static void layout_truncated(struct kunit *test)
{
	const struct aead_shape *s = test->param_value;
	unsigned int rkh_len = s->rkh_depth < 0 ? 0 : SRXE_RKH_LEN(s->rkh_depth);
	unsigned int mode, pad;
	struct srxe_frame f;
	size_t len, max = 44 + rkh_len + s->ext_len + 4 + 3 + 2;
	u8 *whole, *pkt;

	for (mode = 1; mode <= 3; mode++) {
		whole = new_packet(test, max, s->opcode,
				   mode << 6 | (s->rkh_depth < 0 ? 0 : 0x10), SPI);
		if (s->rkh_depth >= 0)
			whole[28] = s->rkh_depth;
		for (pad = 0; pad <= 3; pad++) {
			whole[1] = pad << 4 | 1;
			for (len = 28; len <= max; len++) {
				int want = layout_want(len, mode, s, rkh_len, pad);

				pkt = exact_copy(test, whole, len);
				KUNIT_EXPECT_EQ_MSG(test, want,
						    srxe_frame_layout(&f, pkt, len, s->ext_len,
								      s->rkh_depth >= 0),
						    "mode %u, pad %u, length %zu",
						    mode, pad, len);
				if (!want)
					expect_sane(test, &f, len);
				kunit_kfree(test, pkt);
			}
		}
	}
}

KUNIT_ARRAY_PARAM_DESC(shape, aead_shapes, name);

static void layout_rkh(struct kunit *test)
{
	u8 *pkt = new_packet(test, 600, 0x0a, 0x90, SPI);
	struct srxe_frame f;
	unsigned int i;
	int want;

	for (i = 0; i < 256; i++) {
		pkt[28] = i;
		want = i > SRXE_RKH_MAX_DEPTH ? SRXE_FRAME_ERKH : 0;
		KUNIT_EXPECT_EQ(test, want, srxe_frame_layout(&f, pkt, 600, 16, true));
		if (!want)
			KUNIT_EXPECT_EQ(test, f.rkh_len, 20 + 32 * i);
		KUNIT_EXPECT_EQ(test, SRXE_FRAME_ERKH,
				srxe_frame_layout(&f, pkt, 600, 16, false));
	}
	for (i = 0; i < 24; i++) {
		pkt[28] = 2;
		memset(pkt + 29, 0, 3);
		pkt[29 + i / 8] = 1 << (i & 7);
		KUNIT_EXPECT_EQ(test, SRXE_FRAME_ERKH,
				srxe_frame_layout(&f, pkt, 600, 16, true));
	}
}

static void layout_refuses_bare(struct kunit *test)
{
	u8 *pkt = new_packet(test, 148, SRXE_OP_INIT, 0, 0);
	struct srxe_frame f;

	KUNIT_EXPECT_EQ(test, SRXE_FRAME_ESPI, srxe_frame_layout(&f, pkt, 148, 0, false));
}

/* The figures themselves, once by hand: WRITE only, RKH depth 1, 5 + 3 bytes. */
static void layout_by_hand(struct kunit *test)
{
	static const struct {
		unsigned int mode, aad, crypt, data;
	} rows[] = {
		{ SRXE_MODE_HEADER, 96, 0, 12 },
		{ SRXE_MODE_PACKET, 104, 0, 8 },
		{ SRXE_MODE_ENCRYPT, 96, 8, 8 },
	};
	unsigned int i, len;
	struct srxe_frame f;
	u8 *pkt;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		len = srxe_frame_sealed_len(12 + 16 + 8, 52, rows[i].mode, false);
		KUNIT_EXPECT_EQ(test, len, 96 + rows[i].data + 16);
		pkt = new_packet(test, len, 0x0a, rows[i].mode << 6 | 0x10, SPI);
		pkt[1] = 0x31;
		pkt[28] = 1;
		KUNIT_EXPECT_EQ(test, 0, srxe_frame_layout(&f, pkt, len, 16, true));
		KUNIT_EXPECT_EQ(test, f.rkh_len, 52);
		KUNIT_EXPECT_EQ(test, f.hdr_len, 96);
		KUNIT_EXPECT_EQ(test, f.aad_len, rows[i].aad);
		KUNIT_EXPECT_EQ(test, f.crypt_len, rows[i].crypt);
		KUNIT_EXPECT_EQ(test, f.data_len, rows[i].data);
		KUNIT_EXPECT_EQ(test, f.payload_len, 5);
		KUNIT_EXPECT_EQ(test, f.pad, 3);
		KUNIT_EXPECT_EQ(test, srxe_frame_plain_len(&f), 36);
	}
}

/* A concealed packet's inside is judged only once it is in clear. */
static void layout_concealed(struct kunit *test)
{
	u8 *pkt = new_packet(test, 120, 0x0a, 0xf0, SPI);
	struct srxe_frame f;

	pkt[1] = 0x31;
	pkt[28] = 0xff;
	KUNIT_EXPECT_EQ(test, 0, srxe_frame_layout(&f, pkt, 120, 16, true));
	KUNIT_EXPECT_EQ(test, f.aad_len, 28);
	KUNIT_EXPECT_EQ(test, f.crypt_len, 120 - 28 - 16);
	KUNIT_EXPECT_EQ(test, SRXE_FRAME_ERKH, srxe_frame_inner(&f, pkt, 16, true));
	pkt[28] = 3;
	KUNIT_EXPECT_EQ(test, SRXE_FRAME_ERKHLEN, srxe_frame_inner(&f, pkt, 16, true));
	pkt[28] = 1;
	KUNIT_EXPECT_EQ(test, SRXE_FRAME_EEXT, srxe_frame_inner(&f, pkt, 28, true));
	KUNIT_EXPECT_EQ(test, 0, srxe_frame_inner(&f, pkt, 16, true));
	KUNIT_EXPECT_EQ(test, f.hdr_len, 96);
	KUNIT_EXPECT_EQ(test, f.payload_len, 5);
}

static void pad_bytes(struct kunit *test)
{
	unsigned int pad, i;
	struct srxe_frame f;
	u8 *pkt;

	for (pad = 0; pad <= 3; pad++) {
		pkt = new_packet(test, 44 + 8, 0x04, 0x80, SPI);
		pkt[1] = pad << 4 | 1;
		KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, pkt, 52, 0, false));
		memset(pkt + 28, 0xff, 8 - pad);
		memset(pkt + 36, 0xff, 16);
		KUNIT_EXPECT_TRUE(test, srxe_frame_pad_ok(&f, pkt));
		for (i = 1; i <= pad; i++) {
			pkt[36 - i] = 1;
			KUNIT_EXPECT_FALSE(test, srxe_frame_pad_ok(&f, pkt));
			pkt[36 - i] = 0;
		}
	}
}

static void layout_random(struct kunit *test)
{
	static const unsigned int ext[] = { 0, 4, 8, 16, 20, 28, 44 };
	unsigned int i, ok = 0;
	struct rnd_state rnd;
	struct srxe_frame f;
	size_t len;
	u8 *pkt;

	prandom_seed_state(&rnd, 42);
	for (i = 0; i < 20000; i++) {
		len = 28 + prandom_u32_state(&rnd) % 300;
		pkt = kunit_kmalloc(test, len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pkt);
		prandom_bytes_state(&rnd, pkt, len);
		/* Half of them near enough to get past the first checks. */
		if (i & 1) {
			pkt[1] = (pkt[1] & 0xf0) | 1;
			pkt[12] &= 0xf0;
			pkt[15] = 0;
			if (len > 32) {
				pkt[28] &= 0xf;
				memset(pkt + 29, 0, 3);
			}
		}
		if (!srxe_frame_layout(&f, pkt, len, ext[i % ARRAY_SIZE(ext)], i & 2)) {
			ok++;
			expect_sane(test, &f, len);
			srxe_frame_inner(&f, pkt, ext[i % ARRAY_SIZE(ext)], i & 2);
		}
		kunit_kfree(test, pkt);
	}
	KUNIT_EXPECT_GT(test, ok, 1000);
}

static struct kunit_case srxe_wire_cases[] = {
	KUNIT_CASE(seth_fields),
	KUNIT_CASE(bth_helpers),
	KUNIT_CASE(classify_flags),
	KUNIT_CASE(classify_spi),
	KUNIT_CASE(classify_length),
	KUNIT_CASE_PARAM(layout_truncated, shape_gen_params),
	KUNIT_CASE(layout_rkh),
	KUNIT_CASE(layout_refuses_bare),
	KUNIT_CASE(layout_by_hand),
	KUNIT_CASE(layout_concealed),
	KUNIT_CASE(pad_bytes),
	KUNIT_CASE(layout_random),
	{}
};

static struct kunit_suite srxe_wire_suite = {
	.name = "srxe_wire",
	.test_cases = srxe_wire_cases,
};

kunit_test_suite(srxe_wire_suite);
