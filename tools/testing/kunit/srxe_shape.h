/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plain packets of the shapes the vectors have.
 */
#ifndef SRXE_SHAPE_H
#define SRXE_SHAPE_H

#include "srxe_packet.h"
#include "srxe_aead_vectors.h"

struct suite_mode {
	unsigned int	suite;
	unsigned int	mode;
};

static const struct suite_mode suite_modes[] = {
	{ 0, 1 }, { 0, 2 }, { 0, 3 },
	{ 1, 1 }, { 1, 2 }, { 1, 3 },
	{ 2, 1 }, { 2, 2 }, { 2, 3 },
	{ 3, 1 }, { 3, 2 }, { 3, 3 },
};

static inline void suite_mode_desc(const struct suite_mode *p, char *desc)
{
	static const char * const modes[] = { "header", "packet", "encrypt" };

	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s", srxe_suite_by_id(p->suite)->name,
		 modes[p->mode - 1]);
}

/* The wire packet before sealing, with room for the ICV. */
static inline u8 *shape_packet(struct kunit *test, unsigned int shape, unsigned int mode,
			       size_t *len)
{
	const struct aead_shape *s = &aead_shapes[shape];
	bool ctrl = s->opcode == SRXE_OP_CTRL;
	unsigned int pad = -s->payload_len & 3;
	unsigned int rkh_len = s->rkh_depth < 0 ? 0 : SRXE_RKH_LEN(s->rkh_depth);
	struct srxe_seth_fields v = {
		.pn = AEAD_PN, .spi = AEAD_SPI, .mode = mode, .epoch = AEAD_EPOCH,
		.rx_epoch = AEAD_RX_EPOCH, .rkh = s->rkh_depth >= 0,
	};
	struct srxe_bth bth = {
		.opcode = s->opcode,
		.flags = 0x80 | pad << SRXE_BTH_PAD_SHIFT,
		.pkey = cpu_to_be16(0xffff),
		.qpn = cpu_to_be32(AEAD_QPN | 0xc0000000),
		.apsn = cpu_to_be32(AEAD_PSN + shape),
	};
	u8 *pkt, *at;

	*len = srxe_frame_sealed_len(12 + s->ext_len + s->payload_len + pad, rkh_len,
				     mode, ctrl);
	pkt = kunit_kzalloc(test, *len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pkt);
	srxe_bth_seal(&bth);
	memcpy(pkt, &bth, sizeof(bth));
	srxe_seth_build((void *)pkt + sizeof(bth), &v);
	at = pkt + SRXE_BASE_LEN;
	if (rkh_len) {
		at[0] = s->rkh_depth;
		fill(at + 4, AEAD_SEED_RKH, rkh_len - 4);
		at += rkh_len;
	}
	fill(at, AEAD_SEED_EXT, s->ext_len);
	at += s->ext_len;
	fill(at, AEAD_SEED_DATA, s->payload_len);
	at += s->payload_len + pad;
	if (mode == SRXE_MODE_HEADER && !ctrl)
		fill(at, AEAD_SEED_ICRC, SRXE_ICRC_LEN);
	return pkt;
}

/* The same, sealed. */
static inline u8 *shape_sealed(struct kunit *test, struct packet_key *key,
			       unsigned int shape, unsigned int mode, size_t *len)
{
	u8 *pkt = shape_packet(test, shape, mode, len);
	struct srxe_frame f;

	KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, pkt, *len, aead_shapes[shape].ext_len,
						   aead_shapes[shape].rkh_depth >= 0));
	KUNIT_ASSERT_EQ(test, 0, packet_crypt(key, &f, pkt, true));
	return pkt;
}

#endif /* SRXE_SHAPE_H */
