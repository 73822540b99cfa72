// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Framing of sealed packets.
 *
 *   BTH | SETH | [RKH] | ext | payload | pad | [ICRC] | ICV
 *   `------- AAD -----------' `------ data ----------'
 *
 *   header:	AAD is the headers and the count of data; CTRL: also the data
 *   packet:	AAD is all of it
 *   encrypt:	AAD is the headers, data is encrypted
 *   conceal:	AAD is BTH and SETH, the rest is encrypted
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "srxe_frame.h"

/**
 * srxe_bth_seal() - make a plain packet's BTH that of a sealed one
 * @bth: in the packet; becomes BTH' of the protocol
 *
 * Context: Any.
 */
void srxe_bth_seal(struct srxe_bth *bth)
{
	bth->flags = (bth->flags & ~SRXE_BTH_TVER_MASK) | SRXE_BTH_TVER;
	srxe_bth_normalise(bth);
}

/**
 * srxe_bth_normalise() - make a received BTH the one its sender sealed
 * @bth: in the packet; becomes BTH' of the protocol
 *
 * Switches may set FECN and BECN, so they are outside the AAD and stay 0.
 *
 * Context: Any.
 */
void srxe_bth_normalise(struct srxe_bth *bth)
{
	bth->qpn &= ~cpu_to_be32((SRXE_BTH_FECN | SRXE_BTH_BECN) << 24);
}

/**
 * srxe_bth_open() - make an opened packet's BTH a plain one
 * @bth: in the packet
 *
 * Context: Any.
 */
void srxe_bth_open(struct srxe_bth *bth)
{
	bth->flags &= ~SRXE_BTH_TVER_MASK;
}

/**
 * srxe_seth_build() - write a SETH
 * @seth: in the packet
 * @v: its fields
 *
 * Context: Any.
 */
void srxe_seth_build(struct srxe_seth *seth, const struct srxe_seth_fields *v)
{
	bool conceal = v->mode == SRXE_MODE_CONCEAL;
	u8 mode = conceal ? SRXE_MODE_ENCRYPT : v->mode;

	seth->flags = mode << SRXE_SETH_MODE_SHIFT |
		      (conceal ? SRXE_SETH_CONCEAL : 0) |
		      (v->rkh ? SRXE_SETH_RKH : 0);
	seth->epoch = v->epoch;
	seth->rx_epoch = v->rx_epoch;
	seth->zero = 0;
	seth->spi = cpu_to_be32(v->spi);
	seth->pn = cpu_to_be64(v->pn);
}

/* &enum srxe_mode of a SETH, or 0 if it has none. */
static u8 seth_mode(const struct srxe_seth *seth)
{
	u8 mode = (seth->flags & SRXE_SETH_MODE_MASK) >> SRXE_SETH_MODE_SHIFT;

	if (!(seth->flags & SRXE_SETH_CONCEAL))
		return mode;
	return mode == SRXE_MODE_ENCRYPT ? SRXE_MODE_CONCEAL : 0;
}

/**
 * srxe_seth_parse() - read a SETH
 * @seth: in the packet
 * @v: its fields; the mode is 0 if the SETH has none that exists
 *
 * Context: Any.
 */
void srxe_seth_parse(const struct srxe_seth *seth, struct srxe_seth_fields *v)
{
	v->mode = seth_mode(seth);
	v->rkh = seth->flags & SRXE_SETH_RKH;
	v->epoch = seth->epoch;
	v->rx_epoch = seth->rx_epoch;
	v->spi = be32_to_cpu(seth->spi);
	v->pn = be64_to_cpu(seth->pn);
}

static bool is_bare(u8 opcode)
{
	return opcode >= SRXE_OP_INIT && opcode <= SRXE_OP_REFUSE;
}

/**
 * srxe_frame_classify() - first look at a packet on our port
 * @pkt: the packet from the BTH on, linear for SRXE_BASE_LEN bytes at least,
 *	if it is that long
 * @len: bytes of UDP payload
 *
 * The checks that need no SA. What a bare message says besides its length and
 * its SPI is left to srxe_hs_check().
 *
 * Context: Any.
 * Return: &enum srxe_frame_class.
 */
int srxe_frame_classify(const void *pkt, size_t len)
{
	const struct srxe_bth *bth = pkt;
	const struct srxe_seth *seth = pkt + sizeof(*bth);
	u32 spi;

	if (len < SRXE_MIN_LEN)
		return SRXE_FRAME_ESHORT;
	if (len > U16_MAX)
		return SRXE_FRAME_ELONG;
	if ((bth->flags & SRXE_BTH_TVER_MASK) != SRXE_BTH_TVER)
		return SRXE_FRAME_ETVER;
	if (seth->flags & SRXE_SETH_ZERO_MASK || seth->zero)
		return SRXE_FRAME_ESETH;

	spi = be32_to_cpu(seth->spi);
	if (is_bare(bth->opcode)) {
		if (spi)
			return SRXE_FRAME_ESPI;
		return len == sizeof(struct srxe_hs_msg) ? SRXE_FRAME_BARE :
							   SRXE_FRAME_ESHORT;
	}
	if (spi < SRXE_SPI_MIN)
		return SRXE_FRAME_ESPI;
	if (!seth_mode(seth))
		return SRXE_FRAME_EMODE;
	return bth->opcode == SRXE_OP_CTRL ? SRXE_FRAME_CTRL : SRXE_FRAME_SEALED;
}

/* Everything between SETH and ICV. Each length is checked before it is used. */
static int layout_inner(struct srxe_frame *f, const void *pkt,
			unsigned int ext_len, bool has_rkh, bool rkh_ok)
{
	const struct srxe_bth *bth = pkt;
	const struct srxe_rkh *rkh = pkt + SRXE_BASE_LEN;
	unsigned int room = f->icv_off - SRXE_BASE_LEN;

	f->rkh_len = 0;
	if (has_rkh) {
		if (!rkh_ok)
			return SRXE_FRAME_ERKH;
		if (room < SRXE_RKH_LEN(0))
			return SRXE_FRAME_ERKHLEN;
		if (rkh->depth > SRXE_RKH_MAX_DEPTH ||
		    rkh->zero[0] || rkh->zero[1] || rkh->zero[2])
			return SRXE_FRAME_ERKH;
		f->rkh_len = SRXE_RKH_LEN(rkh->depth);
		if (room < f->rkh_len)
			return SRXE_FRAME_ERKHLEN;
	}
	room -= f->rkh_len;
	if (room < ext_len)
		return SRXE_FRAME_EEXT;
	f->ext_len = ext_len;
	f->hdr_len = SRXE_BASE_LEN + f->rkh_len + ext_len;
	f->data_len = room - ext_len;

	f->icrc_len = f->mode == SRXE_MODE_HEADER && !f->ctrl ? SRXE_ICRC_LEN : 0;
	if (f->data_len < f->icrc_len)
		return SRXE_FRAME_EICRC;
	f->pad = (bth->flags & SRXE_BTH_PAD_MASK) >> SRXE_BTH_PAD_SHIFT;
	if (f->data_len - f->icrc_len < f->pad)
		return SRXE_FRAME_EPAD;
	f->payload_len = f->data_len - f->icrc_len - f->pad;
	return 0;
}

/* What the AEAD covers; the pseudo field of header mode comes on top. */
static void layout_aead(struct srxe_frame *f)
{
	switch (f->mode) {
	case SRXE_MODE_HEADER:
		f->aad_len = f->hdr_len;
		f->crypt_len = 0;
		break;
	case SRXE_MODE_PACKET:
		f->aad_len = f->icv_off;
		f->crypt_len = 0;
		break;
	case SRXE_MODE_ENCRYPT:
		f->aad_len = f->hdr_len;
		f->crypt_len = f->data_len;
		break;
	default:
		f->aad_len = SRXE_BASE_LEN;
		f->crypt_len = f->icv_off - SRXE_BASE_LEN;
		return;
	}
	if (f->ctrl) {
		/* no secret is in a CTRL, and it is authentic in every mode */
		f->aad_len = f->icv_off;
		f->crypt_len = 0;
	}
}

/**
 * srxe_frame_layout() - where in a wire packet what stands
 * @f: result; undefined on error
 * @pkt: the packet from the BTH on, linear; BTH and SETH are written, and so is
 *	an RKH when the SETH says there is one
 * @len: bytes, ICV included
 * @ext_len: bytes of extended headers, from the opcode; 0 for CTRL
 * @rkh_ok: an RKH may go with the opcode (RETH, AtomicETH or IETH)
 *
 * Makes srxe_frame_classify()'s checks again, as it costs little and leaves no
 * way to get here without them. With conceal the packet's inside is not looked
 * at: srxe_frame_inner() does it, once it is in clear.
 *
 * Context: Any.
 * Return: 0, or a negative &enum srxe_frame_class.
 */
int srxe_frame_layout(struct srxe_frame *f, const void *pkt, size_t len,
		      unsigned int ext_len, bool rkh_ok)
{
	const struct srxe_seth *seth = pkt + sizeof(struct srxe_bth);
	int class = srxe_frame_classify(pkt, len);
	int err;

	if (class < 0)
		return class;
	if (class == SRXE_FRAME_BARE)
		return SRXE_FRAME_ESPI;
	memset(f, 0, sizeof(*f));
	f->len = len;
	f->mode = seth_mode(seth);
	f->ctrl = class == SRXE_FRAME_CTRL;
	f->icv_off = len - SRXE_ICV_LEN;
	if (f->mode != SRXE_MODE_CONCEAL) {
		err = layout_inner(f, pkt, ext_len,
				   seth->flags & SRXE_SETH_RKH, rkh_ok);
		if (err)
			return err;
	}
	layout_aead(f);
	return 0;
}

/**
 * srxe_frame_inner() - complete the layout of a concealed packet
 * @f: from srxe_frame_layout(); undefined on error
 * @pkt: the packet, its inside in clear: before sealing, or opened
 * @ext_len: bytes of extended headers, from the opcode; 0 for CTRL
 * @rkh_ok: an RKH may go with the opcode
 *
 * Does nothing in the other modes.
 *
 * Context: Any.
 * Return: 0, or a negative &enum srxe_frame_class.
 */
int srxe_frame_inner(struct srxe_frame *f, const void *pkt,
		     unsigned int ext_len, bool rkh_ok)
{
	const struct srxe_seth *seth = pkt + sizeof(struct srxe_bth);

	if (f->mode != SRXE_MODE_CONCEAL)
		return 0;
	return layout_inner(f, pkt, ext_len, seth->flags & SRXE_SETH_RKH, rkh_ok);
}

/**
 * srxe_frame_pad_ok() - are the pad bytes zero?
 * @f: complete layout
 * @pkt: the packet, verified and in clear
 *
 * Context: Any.
 * Return: true if they are; else the packet is dropped, SRXE_FRAME_EPADBYTES.
 */
bool srxe_frame_pad_ok(const struct srxe_frame *f, const void *pkt)
{
	return !memchr_inv(pkt + f->hdr_len + f->payload_len, 0, f->pad);
}

/**
 * srxe_frame_sealed_len() - length of a wire packet
 * @plain_len: bytes of BTH, extended headers, payload and pad
 * @rkh_len: bytes of RKH, or 0
 * @mode: protection
 * @ctrl: this is a CTRL packet
 *
 * Context: Any.
 * Return: bytes, BTH to ICV.
 */
unsigned int srxe_frame_sealed_len(unsigned int plain_len, unsigned int rkh_len,
				   enum srxe_mode mode, bool ctrl)
{
	unsigned int icrc = mode == SRXE_MODE_HEADER && !ctrl ? SRXE_ICRC_LEN : 0;

	return plain_len + sizeof(struct srxe_seth) + rkh_len + icrc + SRXE_ICV_LEN;
}

/**
 * srxe_frame_sg_init() - point a scatterlist at a packet
 * @f: layout
 * @pkt: the packet, linear, in memory a scatterlist may name
 * @fsg: result; stays where it is until the request is done
 *
 * Context: Any.
 */
void srxe_frame_sg_init(const struct srxe_frame *f, void *pkt,
			struct srxe_frame_sg *fsg)
{
	if (f->mode != SRXE_MODE_HEADER) {
		sg_init_one(fsg->sg, pkt, f->len);
		return;
	}
	fsg->count = cpu_to_be16(f->data_len);
	sg_init_table(fsg->sg, ARRAY_SIZE(fsg->sg));
	sg_set_buf(&fsg->sg[0], pkt, f->aad_len);
	sg_set_buf(&fsg->sg[1], &fsg->count, sizeof(fsg->count));
	sg_set_buf(&fsg->sg[2], pkt + f->icv_off, SRXE_ICV_LEN);
}

/**
 * srxe_frame_set_request() - describe a packet to the crypto API, in place
 * @f: layout
 * @fsg: from srxe_frame_sg_init()
 * @req: request of the SA's transform; its callback is the caller's to set
 * @iv: nonce from srxe_nonce(), in memory that outlives the request
 * @seal: for crypto_aead_encrypt(); else for crypto_aead_decrypt()
 *
 * Context: Any.
 */
void srxe_frame_set_request(const struct srxe_frame *f,
			    struct srxe_frame_sg *fsg,
			    struct aead_request *req, u8 *iv, bool seal)
{
	unsigned int aad_len = f->aad_len;

	if (f->mode == SRXE_MODE_HEADER)
		aad_len += sizeof(fsg->count);
	aead_request_set_ad(req, aad_len);
	aead_request_set_crypt(req, fsg->sg, fsg->sg,
			       f->crypt_len + (seal ? 0 : SRXE_ICV_LEN), iv);
}
