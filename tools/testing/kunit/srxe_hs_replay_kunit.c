// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake of a connection: messages that were captured, and are sent again.
 */
#include "srxe_hs_net.h"

/* N1b, R3: once the SA stands, no bare message does anything. */
static void after_confirmation(struct kunit *test)
{
	static const u8 opcodes[] = { SRXE_OP_INIT, SRXE_OP_RESP, SRXE_OP_RETRY };
	struct fab_pair *p = fab_pair_up(test);
	unsigned int state = p->a->count[SRXE_HS_COUNT_STATE] + p->b->count[SRXE_HS_COUNT_STATE];
	struct srxe_sa *sa = p->a->tx, *sb = p->b->tx;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		for (n = 0; n < 10; n++)
			fab_replay(p->fab, opcodes[i]);
		fab_run(p->fab, 100);
	}
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_STATE] +
			p->b->count[SRXE_HS_COUNT_STATE], state + 30);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 1);
	/* what brought the SA does not tell of a peer that begins anew */
	KUNIT_EXPECT_EQ(test, p->b->resets, 0);
	KUNIT_EXPECT_PTR_EQ(test, p->a->tx, sa);
	KUNIT_EXPECT_PTR_EQ(test, p->b->tx, sb);
	fab_expect_up(p->a, p->b);
}

/* H4, R3: what has served once is not answered again, before or after RTR. */
static void replay_first(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	unsigned int resps = fab_sent(p->b, SRXE_OP_RESP), i;

	for (i = 1; i <= 3; i++) {
		fab_pair_reset(p);
		fab_replay(p->fab, SRXE_OP_INIT);
		fab_run(p->fab, 5);
		KUNIT_EXPECT_PTR_EQ(test, p->b->hs.parked, NULL);
		fab_rtr(p->b, p->a);
		fab_replay(p->fab, SRXE_OP_INIT);
		fab_run(p->fab, 5);
		KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_REPLAYED], 2 * i);
		KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 0);
	}
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), resps);
	/* so b has nothing to wait for when it begins */
	fab_rts(p->b);
	fab_rtr(p->a, p->b);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	fab_come_up(p->a, p->b, 5000);
}

/* H4: the same in the middle of the victims' handshake. */
static void replay_between(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame old = p->fab->seen[0];

	fab_pair_reset(p);
	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	fab_put(p->fab, &old);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_REPLAYED], 1);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 1);
	p->fab->fate = NULL;
	fab_come_up(p->a, p->b, 5000);
}

static enum fab_fate copy_inits_of_b(struct fabric *fab, struct fab_frame *f)
{
	struct fab_pair *p = fab->fate_arg;

	if (fab_is(f, SRXE_OP_INIT, p->hb))
		p->copy = *f;
	return FAB_PASS;
}

/* Both began, and one INIT was not needed: it is not for later either. */
static void replay_crossed(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	/* b has a challenge */
	fab_begin(p->b, p->a);
	fab_come_up(p->a, p->b, 5000);
	fab_pair_reset(p);
	p->fab->fate = copy_inits_of_b;
	p->fab->fate_arg = p;
	fab_connect(p->a, p->b);
	fab_come_up(p->a, p->b, 5000);
	KUNIT_ASSERT_TRUE(test, p->a->tx->p.initiator);
	KUNIT_ASSERT_EQ(test, p->copy.msg.bth.opcode, SRXE_OP_INIT);

	p->fab->fate = NULL;
	fab_pair_reset(p);
	fab_rtr(p->a, p->b);
	fab_put(p->fab, &p->copy);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_REPLAYED], 1);
	fab_expect_quiet(p->a);
	fab_rtr(p->b, p->a);
	fab_rts(p->b);
	fab_come_up(p->a, p->b, 5000);
}

/* No SA came of it: the peer still means it, and it is answered again. */
static void not_served(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct srxe_hs_msg init;

	fab_pair_reset(p);
	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	init = p->fab->seen[0].msg;
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 1);
	fab_reset(p->b);
	fab_rtr(p->b, p->a);
	p->fab->fate = NULL;
	fab_come_up(p->a, p->b, 5000);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&p->fab->seen[0].msg, (u8 *)&init, sizeof(init));
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_REPLAYED], 0);
}

/* An INIT with a good challenge that was captured and kept from its receiver. */
static struct fab_frame held_back(struct fab_pair *p)
{
	fab_pair_reset(p);
	p->fab->fate = fab_drop_init;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	p->fab->fate = NULL;
	fab_pair_reset(p);
	return p->fab->seen[0];
}

/* H4: such a one comes first and is answered; the SA of now stands in spite of it. */
static void held_back_first(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame old = held_back(p);
	u64 began;

	fab_rtr(p->b, p->a);
	fab_put(p->fab, &old);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 1);

	/* b begins: it waits for the peer's, but not for ever */
	began = p->fab->now;
	fab_rts(p->b);
	fab_rtr(p->a, p->b);
	while (!p->a->tx && p->fab->now < began + 5000 * FAB_MS)
		fab_run(p->fab, 1);
	KUNIT_EXPECT_LT(test, p->fab->now - began, 2000 * FAB_MS);
	fab_come_up(p->a, p->b, 20000);
}

/* H4: such a one comes in the middle. With the SA, it has had its time as well. */
static void held_back_between(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame old = held_back(p);

	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	fab_put(p->fab, &old);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 2);
	p->fab->fate = NULL;
	fab_come_up(p->a, p->b, 20000);

	fab_pair_reset(p);
	fab_rtr(p->b, p->a);
	fab_put(p->fab, &old);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_REPLAYED], 1);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 0);
}

/* R3: an old RESP, to the same queue pairs, is for nothing. */
static void replay_resp(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame old = p->fab->seen[1];

	fab_pair_reset(p);
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 5);
	p->fab->seen[1] = old;
	fab_replay(p->fab, SRXE_OP_RESP);
	fab_run(p->fab, 2);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_STATE], 1);
	KUNIT_EXPECT_NULL(test, p->a->tx);
	fab_rtr(p->b, p->a);
	fab_come_up(p->a, p->b, 5000);
}

/* H3: a thousand old INITs a second while the peer connects. */
static void flood_of_old(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);
	struct fab_frame old = p->fab->seen[0];
	struct fab_qp *c = fab_qp_new(p->ha, 40), *d = fab_qp_new(p->hb, 41);
	unsigned int ms, retries;
	u64 tokens;

	/* so old that its challenge is stale; its queue pair is there, and waits */
	fab_reset(p->b);
	fab_rtr(p->b, p->a);
	fab_run(p->fab, 2 * SRXE_CHALLENGE_PERIOD_S * 1000);
	tokens = p->hb->limit.link[SRXE_HS_RESPONDER].tokens;
	retries = fab_sent(p->b, SRXE_OP_RETRY);
	for (ms = 0; ms < 300; ms++) {
		fab_put(p->fab, &old);
		fab_run(p->fab, 1);
	}
	KUNIT_EXPECT_EQ(test, p->hb->limit.link[SRXE_HS_RESPONDER].tokens, tokens);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RETRY), retries + 300);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 0);

	fab_connect(c, d);
	for (ms = 0; ms < 100; ms++) {
		fab_put(p->fab, &old);
		fab_run(p->fab, 1);
	}
	KUNIT_EXPECT_NOT_NULL(test, c->tx);
	KUNIT_EXPECT_NOT_NULL(test, d->tx);
	fab_come_up(c, d, 5000);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(after_confirmation),
	KUNIT_CASE(replay_first),
	KUNIT_CASE(replay_between),
	KUNIT_CASE(replay_crossed),
	KUNIT_CASE(not_served),
	KUNIT_CASE(held_back_first),
	KUNIT_CASE(held_back_between),
	KUNIT_CASE(replay_resp),
	KUNIT_CASE(flood_of_old),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_replay",
	.exit		= fab_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
