// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake of a connection: what two friends agree on, and by which key.
 */
#include "srxe_hs_net.h"

static void modes_and_suites(struct kunit *test)
{
	static const struct {
		u8 mode_a, mode_b;
		u16 suites_a, suites_b;
		u8 mode, suite;
	} rows[] = {
		{ 1, 1, 0x1, 0x1, 1, 0 },
		{ 1, 3, 0x1, 0x1, 3, 0 },
		{ 2, 1, 0x1, 0x1, 2, 0 },
		{ 3, 2, 0xf, 0x8, 3, 3 },
		{ 1, 2, 0x6, 0xf, 2, 1 },
		{ 2, 2, 0xfff5, 0xc, 2, 2 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct fab_pair *p = fab_pair_new(test);

		p->ha->policy.min_mode = rows[i].mode_a;
		p->hb->policy.min_mode = rows[i].mode_b;
		p->ha->policy.suites = rows[i].suites_a;
		p->hb->policy.suites = rows[i].suites_b;
		fab_begin(p->a, p->b);
		fab_come_up(p->a, p->b, 5000);
		KUNIT_EXPECT_EQ(test, p->a->tx->p.mode, rows[i].mode);
		KUNIT_EXPECT_EQ(test, p->a->tx->p.suite, rows[i].suite);
		fab_exit(test);
	}
	test->priv = NULL;
}

/* The settings change between INIT and RESP: what was agreed on no longer holds. */
static void settings_change(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->ha->policy.min_mode = SRXE_MODE_HEADER;
	p->hb->policy.min_mode = SRXE_MODE_HEADER;
	fab_begin(p->a, p->b);
	p->ha->policy.min_mode = SRXE_MODE_ENCRYPT;
	fab_come_up(p->a, p->b, 20000);
	KUNIT_EXPECT_EQ(test, p->a->tx->p.mode, SRXE_MODE_ENCRYPT);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
}

/* More key pairs than one: the one the peer knows is found. */
static void alternatives(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	unsigned int silent;

	/* younger keys that b does not have (yet) */
	fab_key_add(p->ha, 0x22, p->hb);
	fab_key_add(p->ha, 0x33, p->hb);
	fab_begin(p->a, p->b);
	fab_run(p->fab, 130);
	/* three of the first, each the same */
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 3);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_NO_KEY], 3);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_EMBRYO), 1);
	fab_run(p->fab, 20);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_EMBRYO), 2);
	fab_come_up(p->a, p->b, 5000);
	KUNIT_EXPECT_PTR_EQ(test, p->a->tx->key, &p->ha->keys[0]->rk);
	silent = p->b->count[SRXE_HS_COUNT_NO_KEY];
	KUNIT_EXPECT_EQ(test, silent, 6);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 8);
}

static enum fab_fate hold_first_init(struct fabric *fab, struct fab_frame *f)
{
	struct fab_loss *l = fab->fate_arg;

	if (!l->n || !fab_is_bare(f, SRXE_OP_INIT))
		return FAB_PASS;
	l->n--;
	return FAB_HOLD;
}

/* All stay answerable: the first key's INIT arrives when it is the second's turn. */
static void late_alternative(struct kunit *test)
{
	struct fab_loss l = { .n = 3 };
	struct fab_pair *p = fab_pair_new(test);

	fab_key_add(p->ha, 0x22, p->hb);
	fab_key_add(p->hb, 0x22, p->ha);
	/* b has just the younger one */
	p->hb->keys[0]->live = false;
	p->fab->fate = hold_first_init;
	p->fab->fate_arg = &l;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 200);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_EMBRYO), 2);
	fab_release(p->fab);
	fab_run(p->fab, 6);
	KUNIT_ASSERT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_PTR_EQ(test, p->a->tx->key, &p->ha->keys[1]->rk);
	fab_come_up(p->a, p->b, 9000);
}

/* The peer's queue pair appears late: the turn of the right key comes again. */
static void alternatives_go_round(struct kunit *test)
{
	struct fab_loss l = { .opcode = SRXE_OP_INIT, .n = 6 };
	struct fab_pair *p = fab_pair_new(test);

	fab_key_add(p->ha, 0x22, p->hb);
	p->hb->keys[0]->live = false;
	fab_key_add(p->hb, 0x22, p->ha);
	p->fab->fate = fab_lose;
	p->fab->fate_arg = &l;
	fab_begin(p->a, p->b);
	fab_come_up(p->a, p->b, 7900);
	KUNIT_EXPECT_PTR_EQ(test, p->a->tx->key, &p->ha->keys[1]->rk);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(modes_and_suites),
	KUNIT_CASE(settings_change),
	KUNIT_CASE(alternatives),
	KUNIT_CASE(late_alternative),
	KUNIT_CASE(alternatives_go_round),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_agree",
	.exit		= fab_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
