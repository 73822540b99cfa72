// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake of a connection: those who must not get in, or in the way.
 */
#include "srxe_hs_net.h"
#include "srxe_low_order.h"

/* H5: the same INIT a hundred times is one SA, and each time the same RESP. */
static void duplicates(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct srxe_hs_msg first;
	unsigned int i, resps;

	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	resps = fab_sent(p->b, SRXE_OP_RESP);
	KUNIT_ASSERT_EQ(test, resps, 1);
	first = p->fab->seen[1].msg;
	for (i = 0; i < 100; i++) {
		fab_replay(p->fab, SRXE_OP_INIT);
		fab_run(p->fab, 1);
		KUNIT_EXPECT_MEMEQ(test, (u8 *)&p->fab->seen[1].msg, (u8 *)&first,
				   sizeof(first));
	}
	KUNIT_EXPECT_GE(test, fab_sent(p->b, SRXE_OP_RESP), resps + 100);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 1);
	p->fab->fate = NULL;
	fab_come_up(p->a, p->b, 7000);
}

/* One side alone is reset: the other keeps what it has, and knows why it breaks. */
static void one_sided_reset(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);

	fab_reset(p->a);
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 9000);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_ANSWER);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_STANDING), 1);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 1);
	KUNIT_EXPECT_GT(test, p->b->resets, 1);
	KUNIT_EXPECT_LE(test, p->b->resets, 10);
}

/* A challenge is good for this period and the next. */
static void stale_challenge(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_qp *c = fab_qp_new(p->ha, 40), *d = fab_qp_new(p->hb, 41);

	fab_run(p->fab, SRXE_CHALLENGE_PERIOD_S * 1000);
	fab_begin(c, d);
	fab_come_up(c, d, 50);
	KUNIT_EXPECT_EQ(test, fab_sent(d, SRXE_OP_RETRY), 0);

	fab_reset(c);
	fab_reset(d);
	fab_run(p->fab, SRXE_CHALLENGE_PERIOD_S * 1000);
	fab_begin(c, d);
	fab_come_up(c, d, 50);
	KUNIT_EXPECT_EQ(test, fab_sent(d, SRXE_OP_RETRY), 1);
}

/* The challenge was good when the INIT was parked; at RTR it no longer matters. */
static void stale_while_parked(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	unsigned int retries = fab_sent(p->b, SRXE_OP_RETRY), resps = fab_sent(p->b, SRXE_OP_RESP);
	const u64 period = SRXE_CHALLENGE_PERIOD_S * NSEC_PER_SEC;
	u64 end = (p->fab->now / period + 2) * period;

	fab_pair_reset(p);
	fab_run(p->fab, (end - p->fab->now) / FAB_MS - 1000);
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_NOT_NULL(test, p->b->hs.parked);
	/* of the copies that come later none is parked any more */
	p->fab->fate = fab_drop_init;
	fab_run(p->fab, 2000);
	fab_rtr(p->b, p->a);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), resps + 1);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RETRY), retries);
}

/* A RESP may echo the first challenge although a RETRY came meanwhile. */
static void resp_to_first_init(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame resp;

	fab_pair_reset(p);
	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 5);
	resp = p->fab->seen[1];
	/* b has forgotten it all, and knows none of its challenges any more */
	fab_reset(p->b);
	srxe_hs_limit_renew(&p->hb->limit);
	fab_rtr(p->b, p->a);
	fab_run(p->fab, 30);
	KUNIT_ASSERT_NOT_NULL(test, p->a->hs.attempt);
	KUNIT_EXPECT_EQ(test, p->a->hs.attempt->tries[0]->inits, 2);
	p->fab->fate = fab_drop_sealed;
	fab_put(p->fab, &resp);
	fab_run(p->fab, 1);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_MAC], 0);
}

/* One RETRY an attempt: a second one changes nothing. */
static void second_retry(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct srxe_hs_msg init;

	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	init = p->fab->seen[0].msg;
	fab_replay(p->fab, SRXE_OP_RETRY);
	fab_run(p->fab, 30);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_STATE], 1);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&p->fab->seen[0].msg, (u8 *)&init, sizeof(init));
}

/* H1: what is sent back to its sender, the numbers of both being equal. */
static void reflection(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *b = fab_qp_new(p->hb, 17);
	struct fab_frame f;

	fab_rtr(p->a, b);
	fab_rts(p->a);
	f = p->fab->seen[0];
	swap(f.src, f.dst);
	fab_put(p->fab, &f);
	fab_run(p->fab, 2);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_MAC], 1);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_PENDING), 0);

	fab_rtr(b, p->a);
	fab_come_up(p->a, b, 100);
	f = p->fab->seen[1];
	swap(f.src, f.dst);
	fab_put(p->fab, &f);
	fab_come_up(p->a, b, 5);
}

/* H1: an INIT is redirected to a third host that has the same key. */
static void redirection(struct kunit *test)
{
	struct fabric *fab = fab_new(test);
	struct fab_host *ha = fab_host_new(fab, 1), *hb = fab_host_new(fab, 2);
	struct fab_host *hc = fab_host_new(fab, 3);
	struct fab_qp *a = fab_qp_new(ha, 17), *b = fab_qp_new(hb, 18), *c = fab_qp_new(hc, 18);
	struct fab_frame f;

	fab_key_add(ha, 0x11, NULL);
	fab_key_add(hb, 0x11, NULL);
	fab_key_add(hc, 0x11, NULL);
	fab_rtr(a, b);
	fab_rtr(c, a);
	fab_rts(a);
	f = fab->seen[0];
	f.dst = hc->addr;
	fab_put(fab, &f);
	fab_run(fab, 2);
	KUNIT_EXPECT_EQ(test, c->count[SRXE_HS_COUNT_MAC], 1);
	KUNIT_EXPECT_EQ(test, fab_sent(c, SRXE_OP_RETRY) + fab_sent(c, SRXE_OP_RESP), 0);
}

/* H1: and a RESP, to a third that has asked with the same numbers, under the same key. */
static void redirected_resp(struct kunit *test)
{
	struct fabric *fab = fab_new(test);
	struct fab_host *ha = fab_host_new(fab, 1), *hb = fab_host_new(fab, 2);
	struct fab_host *hc = fab_host_new(fab, 3);
	struct fab_qp *a = fab_qp_new(ha, 17), *b = fab_qp_new(hb, 18), *c = fab_qp_new(hc, 17);
	struct fab_frame f;

	fab_key_add(ha, 0x11, NULL);
	fab_key_add(hb, 0x11, NULL);
	fab_key_add(hc, 0x11, NULL);
	fab_rtr(c, b);
	fab_rts(c);
	fab_begin(a, b);
	fab_come_up(a, b, 5000);
	KUNIT_ASSERT_NOT_NULL(test, c->hs.attempt);
	f = fab->seen[1];
	f.dst = hc->addr;
	fab_put(fab, &f);
	fab_run(fab, 2);
	KUNIT_EXPECT_EQ(test, c->count[SRXE_HS_COUNT_STATE], 1);
	/* nor if it is made to fit */
	f.msg.body.peer_spi = cpu_to_be32(c->hs.attempt->tries[0]->sa->spi);
	memcpy(f.msg.body.challenge, c->hs.attempt->tries[0]->init[0].body.challenge,
	       SRXE_CHALLENGE_LEN);
	fab_put(fab, &f);
	fab_run(fab, 2);
	KUNIT_EXPECT_EQ(test, c->count[SRXE_HS_COUNT_MAC], 1);
	KUNIT_EXPECT_NULL(test, c->tx);
	fab_expect_up(a, b);
}

/* From others than the peer: other addresses, numbers, kind. */
static void not_the_peer(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_host *hc = fab_host_new(p->fab, 3);
	struct fab_qp *c = fab_qp_new(hc, 17), *a2 = fab_qp_new(p->ha, 19);

	fab_key_add(hc, 0x44, p->hb);
	fab_key_add(p->hb, 0x44, hc);
	fab_rtr(p->b, p->a);
	/* another host with a good key, another queue pair of the right host */
	fab_rtr(c, p->b);
	fab_rts(c);
	fab_rtr(a2, p->b);
	fab_rts(a2);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_STATE], 2);

	/* and a queue pair of another kind */
	p->b->hs.ends.kind = SRXE_KIND_UC;
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_STATE], 3);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP) + fab_sent(p->b, SRXE_OP_RETRY), 0);
}

/* An answer from another address is not even looked at. */
static void answer_from_elsewhere(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_host *hc = fab_host_new(p->fab, 3);
	struct fab_frame f;

	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 5);
	p->fab->fate = NULL;
	f = p->fab->seen[1];
	f.src = hc->addr;
	fab_put(p->fab, &f);
	fab_run(p->fab, 1);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_STATE], 1);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_MAC], 0);
	KUNIT_EXPECT_NULL(test, p->a->tx);
}

/* What a holder of the key can do: an INIT with fields to his liking. */
static void sign_init(struct kunit *test, const struct fab_key *key, struct fab_frame *f)
{
	struct srxe_p addrs;

	memcpy(addrs.gid_i, &f->src, sizeof(addrs.gid_i));
	memcpy(addrs.gid_r, &f->dst, sizeof(addrs.gid_r));
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_sign_init(&key->secrets, &addrs, &f->msg));
}

/* H4: whoever is connected to himself answers no INIT, not even his own. */
static void init_to_oneself(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame f = p->fab->seen[0];
	struct fab_key *key;

	key = fab_key_add(p->ha, 0x22, p->ha);
	fab_reset(p->a);
	fab_rtr(p->a, p->a);
	f.src = p->ha->addr;
	f.dst = p->ha->addr;
	f.msg.bth.qpn = cpu_to_be32(17);
	f.msg.body.qpn_r = cpu_to_be32(17);
	memcpy(f.msg.body.key_id, key->secrets.key_id, SRXE_KEY_ID_LEN);
	sign_init(test, key, &f);
	p->a->count[SRXE_HS_COUNT_STATE] = 0;
	fab_put(p->fab, &f);
	fab_run(p->fab, 1);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_STATE], 1);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_RETRY), 0);
}

struct flip {
	u8		opcode;
	unsigned int	byte;
};

static enum fab_fate flip_byte(struct fabric *fab, struct fab_frame *f)
{
	const struct flip *flip = fab->fate_arg;

	if (fab_is_bare(f, flip->opcode))
		((u8 *)&f->msg.body)[flip->byte] ^= 1;
	return FAB_PASS;
}

/* Every byte of every message counts: one bit changed and it is worth nothing. */
static void forged_bytes(struct kunit *test)
{
	static const u8 opcodes[] = { SRXE_OP_INIT, SRXE_OP_RESP, SRXE_OP_RETRY };
	struct flip flip;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		for (flip.byte = 0; flip.byte < sizeof(struct srxe_hs_body); flip.byte += 3) {
			struct fab_pair *p = fab_pair_new(test);

			flip.opcode = opcodes[i];
			p->fab->fate = flip_byte;
			p->fab->fate_arg = &flip;
			fab_begin(p->a, p->b);
			fab_run(p->fab, 30);
			KUNIT_EXPECT_NULL_MSG(test, p->a->tx, "%02x byte %u", flip.opcode,
					      flip.byte);
			KUNIT_EXPECT_NULL(test, p->b->tx);
			/* it does not spoil the right one */
			p->fab->fate = NULL;
			fab_come_up(p->a, p->b, 5000);
			fab_exit(test);
		}
	}
	test->priv = NULL;
}

static enum fab_fate forge_refuse(struct fabric *fab, struct fab_frame *f)
{
	if (fab_is_bare(f, SRXE_OP_REFUSE))
		f->msg.body.mac[0] ^= 1;
	return FAB_PASS;
}

static void forged_refuse(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->hb->policy.suites = BIT(SRXE_SUITE_AEGIS128);
	p->fab->fate = forge_refuse;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_MAC], 1);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	KUNIT_EXPECT_NOT_NULL(test, p->a->hs.attempt);
}

/* A holder of the key sends public values of low order: as bad as a wrong MAC. */
static void low_order(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame f;
	unsigned int i;

	fab_pair_reset(p);
	fab_rtr(p->b, p->a);
	for (i = 0; i < ARRAY_SIZE(low_order_points); i++) {
		f = p->fab->seen[0];
		memcpy(f.msg.body.share, low_order_points[i], SRXE_SHARE_LEN);
		sign_init(test, p->ha->keys[0], &f);
		fab_put(p->fab, &f);
		fab_run(p->fab, 2);
		KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_MAC], i + 1);
	}
	fab_expect_quiet(p->b);
	KUNIT_EXPECT_EQ(test, p->hb->limit.out[SRXE_HS_RESPONDER], 0);

	/* and in a RESP */
	p->fab->fate = fab_drop_resp;
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 5);
	f = p->fab->seen[1];
	memset(f.msg.body.share, 0, sizeof(f.msg.body.share));
	p->fab->fate = NULL;
	fab_put(p->fab, &f);
	fab_run(p->fab, 1);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_MAC], 1);
	fab_come_up(p->a, p->b, 5000);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(duplicates),
	KUNIT_CASE(one_sided_reset),
	KUNIT_CASE(stale_challenge),
	KUNIT_CASE(stale_while_parked),
	KUNIT_CASE(resp_to_first_init),
	KUNIT_CASE(second_retry),
	KUNIT_CASE(reflection),
	KUNIT_CASE(redirection),
	KUNIT_CASE(redirected_resp),
	KUNIT_CASE(not_the_peer),
	KUNIT_CASE(answer_from_elsewhere),
	KUNIT_CASE(init_to_oneself),
	KUNIT_CASE_SLOW(forged_bytes),
	KUNIT_CASE(forged_refuse),
	KUNIT_CASE(low_order),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_attack",
	.exit		= fab_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
