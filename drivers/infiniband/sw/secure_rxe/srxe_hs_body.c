// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handshake messages: their fields.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <crypto/algapi.h>

#include "srxe_frame.h"
#include "srxe_hs_msg.h"

/* QPs 0 and 1 are special, and 24 bits is all there is. */
#define CONN_QPN_MIN	2

static const struct srxe_seth zero_seth;
static const u8 zeroes[SRXE_SHARE_LEN];

static void start(struct srxe_hs_msg *msg, u8 opcode, __be32 qpn, u8 kind)
{
	memset(msg, 0, sizeof(*msg));
	msg->bth.opcode = opcode;
	msg->bth.flags = SRXE_BTH_TVER;
	msg->bth.pkey = cpu_to_be16(SRXE_BTH_PKEY);
	msg->bth.qpn = qpn;
	msg->body.version = SRXE_PROTO_VERSION;
	msg->body.kind = kind;
}

/* What any answer repeats of its INIT. */
static void start_answer(struct srxe_hs_msg *msg, u8 opcode,
			 const struct srxe_hs_msg *init)
{
	start(msg, opcode, init->body.qpn_i, init->body.kind);
	msg->body.qpn_i = init->body.qpn_i;
	msg->body.qpn_r = init->body.qpn_r;
	msg->body.peer_spi = init->body.spi;
	memcpy(msg->body.key_id, init->body.key_id, SRXE_KEY_ID_LEN);
}

/**
 * srxe_hs_build_init() - make an INIT, but for its MAC
 * @msg: result
 * @v: what it says
 *
 * Context: Any.
 */
void srxe_hs_build_init(struct srxe_hs_msg *msg, const struct srxe_hs_init *v)
{
	start(msg, SRXE_OP_INIT, cpu_to_be32(v->qpn_r), v->kind);
	msg->body.mode = v->min_mode;
	msg->body.suites = cpu_to_be16(v->suites);
	msg->body.qpn_i = cpu_to_be32(v->qpn_i);
	msg->body.qpn_r = cpu_to_be32(v->qpn_r);
	msg->body.spi = cpu_to_be32(v->spi);
	memcpy(msg->body.key_id, v->key_id, SRXE_KEY_ID_LEN);
	if (v->challenge)
		memcpy(msg->body.challenge, v->challenge, SRXE_CHALLENGE_LEN);
	memcpy(msg->body.nonce, v->nonce, SRXE_NONCE_LEN);
	memcpy(msg->body.share, v->share, SRXE_SHARE_LEN);
}

/**
 * srxe_hs_set_challenge() - answer a RETRY: the only change it may make
 * @init: own INIT; needs a new MAC after this
 * @challenge: the right one
 *
 * Context: Any.
 */
void srxe_hs_set_challenge(struct srxe_hs_msg *init,
			   const u8 challenge[SRXE_CHALLENGE_LEN])
{
	memcpy(init->body.challenge, challenge, SRXE_CHALLENGE_LEN);
}

/**
 * srxe_hs_build_resp() - make a RESP, but for its MAC
 * @msg: result
 * @init: the INIT answered
 * @mode: chosen mode
 * @suite_id: chosen suite
 * @spi: SPI the responder will receive on
 * @nonce: fresh random bytes
 * @share: X25519 public value
 *
 * Context: Any.
 */
void srxe_hs_build_resp(struct srxe_hs_msg *msg, const struct srxe_hs_msg *init,
			enum srxe_mode mode, unsigned int suite_id, u32 spi,
			const u8 nonce[SRXE_NONCE_LEN],
			const u8 share[SRXE_SHARE_LEN])
{
	start_answer(msg, SRXE_OP_RESP, init);
	msg->body.mode = mode;
	msg->body.suites = cpu_to_be16(1U << suite_id);
	msg->body.spi = cpu_to_be32(spi);
	memcpy(msg->body.challenge, init->body.challenge, SRXE_CHALLENGE_LEN);
	memcpy(msg->body.nonce, nonce, SRXE_NONCE_LEN);
	memcpy(msg->body.share, share, SRXE_SHARE_LEN);
}

/**
 * srxe_hs_build_retry() - make a RETRY, but for its MAC
 * @msg: result
 * @init: the INIT answered
 * @challenge: the right one
 *
 * Context: Any.
 */
void srxe_hs_build_retry(struct srxe_hs_msg *msg, const struct srxe_hs_msg *init,
			 const u8 challenge[SRXE_CHALLENGE_LEN])
{
	start_answer(msg, SRXE_OP_RETRY, init);
	memcpy(msg->body.challenge, challenge, SRXE_CHALLENGE_LEN);
	memcpy(msg->body.nonce, init->body.nonce, SRXE_NONCE_LEN);
}

/**
 * srxe_hs_build_refuse() - make a REFUSE, but for its MAC
 * @msg: result
 * @init: the INIT answered
 * @reason: why
 *
 * Context: Any.
 */
void srxe_hs_build_refuse(struct srxe_hs_msg *msg, const struct srxe_hs_msg *init,
			  enum srxe_refuse reason)
{
	start_answer(msg, SRXE_OP_REFUSE, init);
	msg->body.mode = reason;
	memcpy(msg->body.nonce, init->body.nonce, SRXE_NONCE_LEN);
}

static bool same(const void *a, const void *b, size_t len)
{
	return !crypto_memneq(a, b, len);
}

static bool is_zero(const u8 *p, size_t len)
{
	return same(p, zeroes, len);
}

/* BTH and SETH: all bits are fixed but the opcode and the destination QPN. */
static bool header_ok(const struct srxe_hs_msg *msg)
{
	struct srxe_bth bth = msg->bth;

	srxe_bth_normalise(&bth);
	return bth.opcode >= SRXE_OP_INIT && bth.opcode <= SRXE_OP_REFUSE &&
	       bth.flags == SRXE_BTH_TVER && !bth.apsn &&
	       bth.pkey == cpu_to_be16(SRXE_BTH_PKEY) &&
	       !(be32_to_cpu(bth.qpn) & ~SRXE_BTH_QPN_MASK) &&
	       same(&msg->seth, &zero_seth, sizeof(zero_seth));
}

static bool conn_qpn_ok(__be32 qpn)
{
	u32 v = be32_to_cpu(qpn);

	return v >= CONN_QPN_MIN && v <= SRXE_BTH_QPN_MASK;
}

/* The BTH's destination is the addressee's QPN in the body. */
static bool qpns_ok(const struct srxe_hs_msg *msg)
{
	const struct srxe_hs_body *b = &msg->body;
	__be32 to = msg->bth.opcode == SRXE_OP_INIT ? b->qpn_r : b->qpn_i;

	if ((be32_to_cpu(msg->bth.qpn) & SRXE_BTH_QPN_MASK) != be32_to_cpu(to))
		return false;
	switch (b->kind) {
	case SRXE_KIND_RC:
	case SRXE_KIND_UC:
		return conn_qpn_ok(b->qpn_i) && conn_qpn_ok(b->qpn_r);
	case SRXE_KIND_UD:
		/* QPN_r: the PD's QP that a key of a PD is meant for */
		return !b->qpn_i && (!b->qpn_r || conn_qpn_ok(b->qpn_r));
	default:
		return !b->qpn_i && !b->qpn_r;
	}
}

static bool spi_ok(__be32 spi)
{
	return be32_to_cpu(spi) >= SRXE_SPI_MIN;
}

static bool mode_ok(u8 mode)
{
	return mode >= SRXE_MODE_HEADER && mode <= SRXE_MODE_CONCEAL;
}

static enum srxe_hs_err check_init(const struct srxe_hs_body *b)
{
	if (b->peer_spi)
		return SRXE_HS_EZERO;
	if (!mode_ok(b->mode))
		return SRXE_HS_EMODE;
	if (!b->suites)
		return SRXE_HS_ESUITE;
	return spi_ok(b->spi) ? SRXE_HS_OK : SRXE_HS_ESPI;
}

static enum srxe_hs_err check_resp(const struct srxe_hs_body *b)
{
	u16 suites = be16_to_cpu(b->suites);

	if (!mode_ok(b->mode))
		return SRXE_HS_EMODE;
	/* A MAD is payload: header mode would leave it open to change. */
	if (b->kind == SRXE_KIND_GSI && b->mode < SRXE_MODE_PACKET)
		return SRXE_HS_EMODE;
	if (!is_power_of_2(suites) || !srxe_suite_by_id(ilog2(suites)))
		return SRXE_HS_ESUITE;
	return spi_ok(b->spi) && spi_ok(b->peer_spi) ? SRXE_HS_OK : SRXE_HS_ESPI;
}

static enum srxe_hs_err check_reply(const struct srxe_hs_body *b, bool refuse)
{
	if (b->suites || b->spi || !is_zero(b->share, sizeof(b->share)))
		return SRXE_HS_EZERO;
	if (refuse) {
		if (!is_zero(b->challenge, sizeof(b->challenge)))
			return SRXE_HS_EZERO;
		if (b->mode < SRXE_REFUSE_MODE || b->mode > SRXE_REFUSE_BUSY)
			return SRXE_HS_EMODE;
	} else if (b->mode) {
		return SRXE_HS_EZERO;
	}
	return spi_ok(b->peer_spi) ? SRXE_HS_OK : SRXE_HS_ESPI;
}

/**
 * srxe_hs_check() - is this a well-formed bare message?
 * @pkt: the packet from the BTH on, linear
 * @len: bytes of UDP payload
 *
 * Nothing is known about who sent it afterwards.
 *
 * Context: Any.
 * Return: &enum srxe_hs_err; if SRXE_HS_OK, @pkt is a &struct srxe_hs_msg.
 */
enum srxe_hs_err srxe_hs_check(const void *pkt, size_t len)
{
	const struct srxe_hs_msg *msg = pkt;
	const struct srxe_hs_body *b = &msg->body;

	if (len != sizeof(*msg))
		return SRXE_HS_ELEN;
	if (!header_ok(msg))
		return SRXE_HS_EHDR;
	if (b->version != SRXE_PROTO_VERSION)
		return SRXE_HS_EVERSION;
	if (b->zero0 || b->zero1)
		return SRXE_HS_EZERO;
	if (b->kind < SRXE_KIND_RC || b->kind > SRXE_KIND_GSI)
		return SRXE_HS_EKIND;
	if (!qpns_ok(msg))
		return SRXE_HS_EQPN;
	if (!srxe_key_id_ok(b->key_id))
		return SRXE_HS_EKEYID;

	switch (msg->bth.opcode) {
	case SRXE_OP_INIT:
		return check_init(b);
	case SRXE_OP_RESP:
		return check_resp(b);
	default:
		return check_reply(b, msg->bth.opcode == SRXE_OP_REFUSE);
	}
}

/**
 * srxe_hs_fits() - does a message answer this INIT?
 * @init: own INIT, as sent
 * @answer: RESP, RETRY or REFUSE that passed srxe_hs_check()
 *
 * For a RESP this includes that no mode below the INIT's and no suite it did
 * not offer was chosen.
 *
 * Context: Any.
 * Return: SRXE_HS_OK, SRXE_HS_EMODE, SRXE_HS_ESUITE or SRXE_HS_EFIT.
 */
enum srxe_hs_err srxe_hs_fits(const struct srxe_hs_msg *init,
			      const struct srxe_hs_msg *answer)
{
	const struct srxe_hs_body *i = &init->body, *a = &answer->body;

	if (answer->bth.opcode == SRXE_OP_INIT || a->kind != i->kind ||
	    a->qpn_i != i->qpn_i || a->qpn_r != i->qpn_r ||
	    a->peer_spi != i->spi || !same(a->key_id, i->key_id, SRXE_KEY_ID_LEN))
		return SRXE_HS_EFIT;
	if (answer->bth.opcode != SRXE_OP_RESP)
		return same(a->nonce, i->nonce, SRXE_NONCE_LEN) ? SRXE_HS_OK :
								  SRXE_HS_EFIT;
	if (!same(a->challenge, i->challenge, SRXE_CHALLENGE_LEN))
		return SRXE_HS_EFIT;
	if (a->mode < i->mode)
		return SRXE_HS_EMODE;
	return a->suites & ~i->suites ? SRXE_HS_ESUITE : SRXE_HS_OK;
}
