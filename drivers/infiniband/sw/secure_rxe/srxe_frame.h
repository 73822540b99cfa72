/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Framing: where in a linear packet what stands, what the AEAD covers, and
 * every check on lengths and bits. It is the same for sealing and opening.
 *
 * To seal: lay the wire packet out, with room for the ICV (its length is
 * srxe_frame_sealed_len()); srxe_bth_seal(); srxe_seth_build();
 * srxe_frame_layout(); srxe_frame_sg_init(), srxe_frame_set_request(.., true)
 * and crypto_aead_encrypt(). The packet is sealed in place.
 *
 * To open: srxe_frame_classify(); find the SA; srxe_bth_normalise();
 * srxe_frame_layout(); srxe_frame_sg_init(), srxe_frame_set_request(.., false)
 * and crypto_aead_decrypt(); after it verified (conceal: srxe_frame_inner()),
 * srxe_frame_pad_ok(); srxe_bth_open().
 */
#ifndef SRXE_FRAME_H
#define SRXE_FRAME_H

#include <linux/scatterlist.h>
#include <linux/types.h>
#include <crypto/aead.h>
#include <rdma/srxe_wire.h>

/* BTH and SETH: what is in clear whatever the mode. */
#define SRXE_BASE_LEN	(sizeof(struct srxe_bth) + sizeof(struct srxe_seth))

/**
 * enum srxe_frame_class - what a packet on our port is, or why it is dropped
 * @SRXE_FRAME_SEALED: sealed data
 * @SRXE_FRAME_CTRL: sealed CTRL
 * @SRXE_FRAME_BARE: bare handshake message of the right length
 * @SRXE_FRAME_ESHORT: shorter than the least, or a bare message of wrong length
 * @SRXE_FRAME_ETVER: BTH's TVER is not 1
 * @SRXE_FRAME_ESETH: SETH's zero bits or zero byte are not zero
 * @SRXE_FRAME_EMODE: no such mode, or conceal without encryption
 * @SRXE_FRAME_ESPI: reserved SPI, or bare opcode and SPI do not go together
 * @SRXE_FRAME_EEXT: extended headers exceed the packet
 * @SRXE_FRAME_ERKH: RKH where none may be, too deep, or its zero bytes are not
 * @SRXE_FRAME_ERKHLEN: RKH exceeds the packet
 * @SRXE_FRAME_EICRC: header mode without an inner ICRC
 * @SRXE_FRAME_EPAD: pad count exceeds what is there
 * @SRXE_FRAME_EPADBYTES: pad bytes are not zero
 * @SRXE_FRAME_ELONG: longer than a UDP datagram can be
 */
enum srxe_frame_class {
	SRXE_FRAME_SEALED	= 0,
	SRXE_FRAME_CTRL		= 1,
	SRXE_FRAME_BARE		= 2,
	SRXE_FRAME_ESHORT	= -1,
	SRXE_FRAME_ETVER	= -2,
	SRXE_FRAME_ESETH	= -3,
	SRXE_FRAME_EMODE	= -4,
	SRXE_FRAME_ESPI		= -5,
	SRXE_FRAME_EEXT		= -6,
	SRXE_FRAME_ERKH		= -7,
	SRXE_FRAME_ERKHLEN	= -8,
	SRXE_FRAME_EICRC	= -9,
	SRXE_FRAME_EPAD		= -10,
	SRXE_FRAME_EPADBYTES	= -11,
	SRXE_FRAME_ELONG	= -12,
};

/**
 * struct srxe_seth_fields - SETH in host order
 * @pn: packet number
 * @spi: security parameters index
 * @mode: &enum srxe_mode
 * @epoch: low 8 bits of the epoch of the key
 * @rx_epoch: low 8 bits of the newest epoch that can be received
 * @rkh: an RKH follows
 */
struct srxe_seth_fields {
	u64	pn;
	u32	spi;
	u8	mode;
	u8	epoch;
	u8	rx_epoch;
	bool	rkh;
};

/**
 * struct srxe_frame - layout of one wire packet; lengths and offsets in bytes,
 *	offsets from the BTH
 * @len: of the wire packet, BTH to ICV
 * @mode: &enum srxe_mode
 * @ctrl: this is a CTRL packet
 * @pad: pad bytes, 0..3
 * @rkh_len: RKH, 0 without one
 * @ext_len: extended headers
 * @icrc_len: inner ICRC: SRXE_ICRC_LEN for data in header mode, else 0
 * @hdr_len: BTH, SETH, RKH and extended headers; where the payload starts
 * @data_len: between the last header and the ICV: payload, pad and inner ICRC;
 *	the pseudo field of header mode
 * @payload_len: payload without pad and ICRC
 * @aad_len: of what stands in the packet; not the pseudo field
 * @crypt_len: what is encrypted, right behind the AAD
 * @icv_off: the ICV
 *
 * With conceal, @rkh_len, @ext_len, @hdr_len, @data_len, @payload_len and @pad
 * are valid only after srxe_frame_inner().
 */
struct srxe_frame {
	u16	len;
	u8	mode;
	bool	ctrl;
	u8	pad;
	u16	rkh_len;
	u16	ext_len;
	u16	icrc_len;
	u16	hdr_len;
	u16	data_len;
	u16	payload_len;
	u16	aad_len;
	u16	crypt_len;
	u16	icv_off;
};

/**
 * struct srxe_frame_sg - what an aead_request points to; part of the caller's
 *	request object, in memory a scatterlist may name (never the stack)
 * @sg: packet; in header mode AAD, pseudo field, ICV
 * @count: the pseudo field of header mode
 */
struct srxe_frame_sg {
	struct scatterlist	sg[3];
	__be16			count;
};

/**
 * srxe_frame_plain_len() - length of the plain packet a frame carries
 * @f: a laid out frame
 *
 * Context: any.
 * Return: bytes of BTH, extended headers, payload and pad, without any ICRC.
 */
static inline unsigned int srxe_frame_plain_len(const struct srxe_frame *f)
{
	return sizeof(struct srxe_bth) + f->ext_len + f->payload_len + f->pad;
}

unsigned int srxe_frame_sealed_len(unsigned int plain_len, unsigned int rkh_len,
				   enum srxe_mode mode, bool ctrl);

void srxe_bth_seal(struct srxe_bth *bth);
void srxe_bth_normalise(struct srxe_bth *bth);
void srxe_bth_open(struct srxe_bth *bth);
void srxe_seth_build(struct srxe_seth *seth, const struct srxe_seth_fields *v);
void srxe_seth_parse(const struct srxe_seth *seth, struct srxe_seth_fields *v);

int srxe_frame_classify(const void *pkt, size_t len);
int srxe_frame_layout(struct srxe_frame *f, const void *pkt, size_t len,
		      unsigned int ext_len, bool rkh_ok);
int srxe_frame_inner(struct srxe_frame *f, const void *pkt,
		     unsigned int ext_len, bool rkh_ok);
bool srxe_frame_pad_ok(const struct srxe_frame *f, const void *pkt);

void srxe_frame_sg_init(const struct srxe_frame *f, void *pkt,
			struct srxe_frame_sg *fsg);
void srxe_frame_set_request(const struct srxe_frame *f,
			    struct srxe_frame_sg *fsg,
			    struct aead_request *req, u8 *iv, bool seal);

#endif /* SRXE_FRAME_H */
