// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake: the fields of messages, each of them wrong in turn.
 */
#include "srxe_hs_vectors.h"

#define OFF(field)	offsetof(struct srxe_hs_msg, field)

/* A change of one of the vectors' messages and what it is dropped for. */
struct field_case {
	const char		*desc;
	const u8		*msg;
	size_t			at;
	size_t			len;
	u8			bytes[4];
	enum srxe_hs_err	want;
};

#define ROW(d, m, f, w, ...)	{				\
	.desc = d, .msg = m, .at = OFF(f), .want = w,		\
	.bytes = { __VA_ARGS__ },				\
	.len = sizeof((u8 []){ __VA_ARGS__ }),			\
}

static const struct field_case field_cases[] = {
	/* BTH and SETH */
	ROW("CTRL", p8_init, bth.opcode, SRXE_HS_EHDR, 0xc4),
	ROW("data opcode", p8_init, bth.opcode, SRXE_HS_EHDR, 0x04),
	ROW("opcode below ours", p8_init, bth.opcode, SRXE_HS_EHDR, 0xbf),
	ROW("TVER 0", p8_init, bth.flags, SRXE_HS_EHDR, 0x00),
	ROW("pad count", p8_init, bth.flags, SRXE_HS_EHDR, 0x11),
	ROW("solicited event", p8_init, bth.flags, SRXE_HS_EHDR, 0x81),
	ROW("pkey", p8_init, bth.pkey, SRXE_HS_EHDR, 0x7f, 0xff),
	ROW("reserved bits by QPN", p8_init, bth.qpn, SRXE_HS_EHDR, 0x01),
	ROW("FECN and BECN", p8_init, bth.qpn, SRXE_HS_OK, 0xc0),
	ROW("PSN", p8_init, bth.apsn, SRXE_HS_EHDR, 0, 0, 0, 1),
	ROW("ack request", p8_init, bth.apsn, SRXE_HS_EHDR, 0x80),
	ROW("SETH flags", p8_init, seth.flags, SRXE_HS_EHDR, 0x80),
	ROW("SETH epoch", p8_init, seth.epoch, SRXE_HS_EHDR, 1),
	ROW("SETH rx epoch", p8_init, seth.rx_epoch, SRXE_HS_EHDR, 1),
	ROW("SETH SPI", p8_init, seth.spi, SRXE_HS_EHDR, 0, 0, 1, 0),
	ROW("SETH number", p8_init, seth.pn, SRXE_HS_EHDR, 1),
	/* common to all */
	ROW("INIT", p8_init, body.version, SRXE_HS_OK, 1),
	ROW("RESP", p8_resp, body.version, SRXE_HS_OK, 1),
	ROW("RETRY", p8_retry, body.version, SRXE_HS_OK, 1),
	ROW("REFUSE", p8_refuse, body.version, SRXE_HS_OK, 1),
	ROW("version 0", p8_init, body.version, SRXE_HS_EVERSION, 0),
	ROW("version 2", p8_resp, body.version, SRXE_HS_EVERSION, 2),
	ROW("byte 3", p8_retry, body.zero0, SRXE_HS_EZERO, 1),
	ROW("byte 6", p8_init, body.zero1, SRXE_HS_EZERO, 1, 0),
	ROW("byte 7", p8_refuse, body.zero1, SRXE_HS_EZERO, 0, 1),
	ROW("kind 0", p8_init, body.kind, SRXE_HS_EKIND, 0),
	ROW("kind 5", p8_init, body.kind, SRXE_HS_EKIND, 5),
	ROW("kind UC", p8_init, body.kind, SRXE_HS_OK, SRXE_KIND_UC),
	ROW("UD with QPN_i", p8_init, body.kind, SRXE_HS_EQPN, SRXE_KIND_UD),
	ROW("GSI with QPNs", p8_init, body.kind, SRXE_HS_EQPN, SRXE_KIND_GSI),
	ROW("BTH QPN is not QPN_r", p8_init, bth.qpn, SRXE_HS_EQPN, 0, 0, 0, 17),
	ROW("BTH QPN is not QPN_i", p8_resp, bth.qpn, SRXE_HS_EQPN, 0, 0, 0, 18),
	ROW("QPN_i 0", p8_init, body.qpn_i, SRXE_HS_EQPN, 0, 0, 0, 0),
	ROW("QPN_i 1", p8_init, body.qpn_i, SRXE_HS_EQPN, 0, 0, 0, 1),
	ROW("QPN_i 2^24", p8_init, body.qpn_i, SRXE_HS_EQPN, 1, 0, 0, 17),
	ROW("QPN_r 2^24", p8_resp, body.qpn_r, SRXE_HS_EQPN, 1, 0, 0, 18),
	ROW("key id 0", p8_init, body.key_id, SRXE_HS_EKEYID, 0, 0, 0, 0),
	/* INIT */
	ROW("INIT mode 0", p8_init, body.mode, SRXE_HS_EMODE, 0),
	ROW("INIT mode 1", p8_init, body.mode, SRXE_HS_OK, 1),
	ROW("INIT mode 4", p8_init, body.mode, SRXE_HS_OK, 4),
	ROW("INIT mode 5", p8_init, body.mode, SRXE_HS_EMODE, 5),
	ROW("INIT no suite", p8_init, body.suites, SRXE_HS_ESUITE, 0, 0),
	ROW("INIT suites of the future", p8_init, body.suites, SRXE_HS_OK, 0xff, 0xff),
	ROW("INIT peer SPI", p8_init, body.peer_spi, SRXE_HS_EZERO, 0, 0, 1, 0),
	ROW("INIT SPI 0", p8_init, body.spi, SRXE_HS_ESPI, 0, 0, 0, 0),
	ROW("INIT SPI 255", p8_init, body.spi, SRXE_HS_ESPI, 0, 0, 0, 255),
	ROW("INIT SPI 256", p8_init, body.spi, SRXE_HS_OK, 0, 0, 1, 0),
	/* RESP */
	ROW("RESP mode 0", p8_resp, body.mode, SRXE_HS_EMODE, 0),
	ROW("RESP mode 5", p8_resp, body.mode, SRXE_HS_EMODE, 5),
	ROW("RESP no suite", p8_resp, body.suites, SRXE_HS_ESUITE, 0, 0),
	ROW("RESP two suites", p8_resp, body.suites, SRXE_HS_ESUITE, 0, 3),
	ROW("RESP last suite", p8_resp, body.suites, SRXE_HS_OK, 0, 8),
	ROW("RESP unknown suite", p8_resp, body.suites, SRXE_HS_ESUITE, 0, 16),
	ROW("RESP unknown suite 15", p8_resp, body.suites, SRXE_HS_ESUITE, 0x80, 0),
	ROW("RESP SPI 255", p8_resp, body.spi, SRXE_HS_ESPI, 0, 0, 0, 255),
	ROW("RESP peer SPI 0", p8_resp, body.peer_spi, SRXE_HS_ESPI, 0, 0, 0, 0),
	/* RETRY and REFUSE */
	ROW("RETRY mode", p8_retry, body.mode, SRXE_HS_EZERO, 1),
	ROW("RETRY suites", p8_retry, body.suites, SRXE_HS_EZERO, 0, 1),
	ROW("RETRY SPI", p8_retry, body.spi, SRXE_HS_EZERO, 0, 0, 1, 0),
	ROW("RETRY peer SPI 0", p8_retry, body.peer_spi, SRXE_HS_ESPI, 0, 0, 0, 0),
	ROW("RETRY share", p8_retry, body.share, SRXE_HS_EZERO, 0, 0, 0, 1),
	ROW("REFUSE reason 0", p8_refuse, body.mode, SRXE_HS_EMODE, 0),
	ROW("REFUSE mode", p8_refuse, body.mode, SRXE_HS_OK, SRXE_REFUSE_MODE),
	ROW("REFUSE busy", p8_refuse, body.mode, SRXE_HS_OK, SRXE_REFUSE_BUSY),
	ROW("REFUSE reason 4", p8_refuse, body.mode, SRXE_HS_EMODE, 4),
	ROW("REFUSE challenge", p8_refuse, body.challenge, SRXE_HS_EZERO, 1),
	ROW("REFUSE share", p8_refuse, body.share, SRXE_HS_EZERO, 1),
	ROW("REFUSE suites", p8_refuse, body.suites, SRXE_HS_EZERO, 1, 0),
};

KUNIT_ARRAY_PARAM_DESC(field, field_cases, desc);

static void field_wrong(struct kunit *test)
{
	const struct field_case *c = test->param_value;
	u8 *msg = exact_copy(test, c->msg, sizeof(struct srxe_hs_msg));

	memcpy(msg + c->at, c->bytes, c->len);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(msg, sizeof(struct srxe_hs_msg)), c->want);
}

/* Two fields at once, where one alone is caught before. */
static void datagram_kinds(struct kunit *test)
{
	struct srxe_hs_init v = v_init;
	struct srxe_hs_msg init, msg;

	v.kind = SRXE_KIND_GSI;
	v.qpn_i = 0;
	v.qpn_r = 0;
	srxe_hs_build_init(&init, &v);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&init, sizeof(init)), SRXE_HS_OK);
	srxe_hs_build_resp(&msg, &init, SRXE_MODE_HEADER, 0, V_SPI_R, v_nonce_r, p8_share_r);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&msg, sizeof(msg)), SRXE_HS_EMODE);
	msg.body.mode = SRXE_MODE_PACKET;
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&msg, sizeof(msg)), SRXE_HS_OK);
	KUNIT_EXPECT_EQ(test, srxe_hs_fits(&init, &msg), SRXE_HS_OK);

	v.kind = SRXE_KIND_UD;
	srxe_hs_build_init(&init, &v);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&init, sizeof(init)), SRXE_HS_OK);
	srxe_hs_build_resp(&msg, &init, SRXE_MODE_HEADER, 0, V_SPI_R, v_nonce_r, p8_share_r);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&msg, sizeof(msg)), SRXE_HS_OK);

	/* A key of a PD: the INIT names the first datagram's QP. */
	v.qpn_r = 99;
	srxe_hs_build_init(&init, &v);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&init, sizeof(init)), SRXE_HS_OK);
	srxe_hs_build_resp(&msg, &init, SRXE_MODE_HEADER, 0, V_SPI_R, v_nonce_r, p8_share_r);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&msg, sizeof(msg)), SRXE_HS_OK);
	v.qpn_r = 1;
	srxe_hs_build_init(&init, &v);
	KUNIT_EXPECT_EQ(test, srxe_hs_check(&init, sizeof(init)), SRXE_HS_EQPN);
}

static void message_length(struct kunit *test)
{
	size_t len;
	u8 *msg;

	for (len = 1; len <= 300; len++) {
		msg = kunit_kzalloc(test, len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, msg);
		memcpy(msg, p8_init, min(len, sizeof(p8_init)));
		KUNIT_EXPECT_EQ(test, srxe_hs_check(msg, len),
				len == 148 ? SRXE_HS_OK : SRXE_HS_ELEN);
		kunit_kfree(test, msg);
	}
	KUNIT_EXPECT_EQ(test, srxe_hs_check(NULL, 0), SRXE_HS_ELEN);
}

/* An answer that is well formed but not to this INIT. */
static const struct field_case fit_cases[] = {
	ROW("RESP as sent", p8_resp, body.version, SRXE_HS_OK, 1),
	ROW("RETRY as sent", p8_retry, body.version, SRXE_HS_OK, 1),
	ROW("INIT is no answer", p8_init, body.version, SRXE_HS_EFIT, 1),
	ROW("RESP other kind", p8_resp, body.kind, SRXE_HS_EFIT, SRXE_KIND_UC),
	ROW("RESP other QPN_i", p8_resp, body.qpn_i, SRXE_HS_EFIT, 0, 0, 0, 20),
	ROW("RESP other QPN_r", p8_resp, body.qpn_r, SRXE_HS_EFIT, 0, 0, 0, 20),
	ROW("RESP other SPI", p8_resp, body.peer_spi, SRXE_HS_EFIT, 0, 0, 1, 0),
	ROW("RESP other key", p8_resp, body.key_id, SRXE_HS_EFIT, 1, 2, 3, 4),
	ROW("RESP other challenge", p8_resp, body.challenge, SRXE_HS_EFIT, 0),
	ROW("RESP weaker mode", p8_resp, body.mode, SRXE_HS_EMODE, 1),
	ROW("RESP stronger mode", p8_resp, body.mode, SRXE_HS_OK, 3),
	ROW("RESP suite not offered", p8_resp, body.suites, SRXE_HS_ESUITE, 0, 16),
	ROW("RETRY other nonce", p8_retry, body.nonce, SRXE_HS_EFIT, 0),
	ROW("RETRY other SPI", p8_retry, body.peer_spi, SRXE_HS_EFIT, 0, 0, 1, 0),
	ROW("REFUSE other nonce", p8_refuse, body.nonce, SRXE_HS_EFIT, 0),
	ROW("REFUSE other key", p8_refuse, body.key_id, SRXE_HS_EFIT, 1, 2, 3, 4),
};

KUNIT_ARRAY_PARAM_DESC(fit, fit_cases, desc);

static void answer_fits(struct kunit *test)
{
	const struct field_case *c = test->param_value;
	struct srxe_hs_msg init, msg;

	v_msg(&init, p8_init);
	v_msg(&msg, c->msg);
	memcpy((u8 *)&msg + c->at, c->bytes, c->len);
	KUNIT_EXPECT_EQ(test, srxe_hs_fits(&init, &msg), c->want);
}

static struct kunit_case srxe_hs_body_cases[] = {
	KUNIT_CASE_PARAM(field_wrong, field_gen_params),
	KUNIT_CASE(datagram_kinds),
	KUNIT_CASE(message_length),
	KUNIT_CASE_PARAM(answer_fits, fit_gen_params),
	{}
};

static struct kunit_suite srxe_hs_body_suite = {
	.name = "srxe_hs_body",
	.test_cases = srxe_hs_body_cases,
};

kunit_test_suite(srxe_hs_body_suite);
