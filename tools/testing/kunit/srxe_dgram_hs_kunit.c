// SPDX-License-Identifier: GPL-2.0
/*
 * Handshakes of datagrams: they may follow one another, and whatever crosses
 * whatever, in the end both hosts use the same SA.
 */
#include <linux/prandom.h>

#include "srxe_hs_net.h"

/* As if there had been data for it. */
static void start(struct fab_qp *qp)
{
	if (!qp->tx || srxe_hs_confirmed(&qp->hs))
		srxe_hs_start(&qp->hs, 0);
}

/* As if the peer had been silent for too long. */
static void fell_silent(struct fab_qp *qp)
{
	if (srxe_hs_confirmed(&qp->hs))
		srxe_hs_start(&qp->hs, 0);
}

static struct fab_pair *up(struct kunit *test)
{
	struct fab_pair *p = fab_dgram_pair(test, SRXE_KIND_UD);

	start(p->a);
	fab_come_up(p->a, p->b, 5000);
	return p;
}

static void reboot(struct fab_qp *qp, const struct fab_qp *peer)
{
	srxe_hs_reset(&qp->hs, 0);
	fab_rtr(qp, peer);
}

static void first_contact(struct kunit *test)
{
	static const u8 kinds[] = { SRXE_KIND_UD, SRXE_KIND_GSI };
	struct fab_pair *p;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(kinds); i++) {
		p = fab_dgram_pair(test, kinds[i / 2]);
		start(i % 2 ? p->b : p->a);
		fab_come_up(p->a, p->b, 5000);
		KUNIT_EXPECT_EQ(test, p->a->tx->p.initiator, !(i % 2));
		KUNIT_EXPECT_EQ(test, p->a->tx->ends.kind, kinds[i / 2]);
		KUNIT_EXPECT_EQ(test, p->a->tx->ends.rqpn, 0);
		/* it is over, but not for ever */
		KUNIT_EXPECT_FALSE(test, p->a->hs.wanted);
		KUNIT_EXPECT_FALSE(test, p->a->hs.over);
		fab_exit(test);
	}
	test->priv = NULL;
}

static void both_at_once(struct kunit *test)
{
	struct fab_pair *p = fab_dgram_pair(test, SRXE_KIND_UD);

	start(p->a);
	start(p->b);
	fab_come_up(p->a, p->b, 8000);
	KUNIT_EXPECT_TRUE(test, p->a->tx->p.initiator);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_DONE], 1);
}

/* What is of another kind is not for it. */
static void wrong_kind(struct kunit *test)
{
	struct fab_pair *p = fab_dgram_pair(test, SRXE_KIND_UD);
	unsigned int before;

	p->b->hs.ends.kind = SRXE_KIND_GSI;
	start(p->a);
	fab_run(p->fab, 20000);
	before = p->b->count[SRXE_HS_COUNT_STATE];
	KUNIT_EXPECT_GT(test, before, 0);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 0);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RETRY), 0);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_ANSWER);
}

static void rebooted(struct kunit *test, bool first)
{
	struct fab_pair *p = up(test);
	struct fab_qp *gone = first ? p->a : p->b, *stays = first ? p->b : p->a;
	struct srxe_sa *old = stays->tx;

	reboot(gone, stays);
	KUNIT_EXPECT_PTR_EQ(test, stays->tx, old);
	start(gone);
	fab_come_up(p->a, p->b, 8000);
	KUNIT_EXPECT_TRUE(test, gone->tx->p.initiator);
	KUNIT_EXPECT_EQ(test, stays->lost, 0);
	KUNIT_EXPECT_EQ(test, stays->count[SRXE_HS_COUNT_DONE], 2);
	fab_exit(test);
	test->priv = NULL;
}

/* One begins anew, and the other one answers, be it the preferred initiator or not. */
static void reboot_then_init(struct kunit *test)
{
	rebooted(test, true);
	rebooted(test, false);
}

/* One begins anew and says nothing: the other notices. */
static void silent(struct kunit *test, bool first)
{
	struct fab_pair *p = up(test);
	struct fab_qp *gone = first ? p->a : p->b, *stays = first ? p->b : p->a;

	reboot(gone, stays);
	fell_silent(stays);
	fab_come_up(p->a, p->b, 8000);
	KUNIT_EXPECT_TRUE(test, stays->tx->p.initiator);
	fab_exit(test);
	test->priv = NULL;
}

static void reboot_then_silence(struct kunit *test)
{
	silent(test, true);
	silent(test, false);
}

/* Until the new SA is confirmed the old one receives, and then for a while. */
static void old_one_is_kept(struct kunit *test)
{
	struct fab_pair *p = up(test);
	struct srxe_sa *old_a = p->a->tx, *old_b = p->b->tx;

	p->fab->fate = fab_drop_sealed;
	fell_silent(p->a);
	fab_run(p->fab, 5000);
	/* answered and in use, not confirmed */
	KUNIT_EXPECT_PTR_NE(test, p->a->tx, old_a);
	KUNIT_EXPECT_EQ(test, old_a->state, SRXE_SA_LINGER);
	KUNIT_EXPECT_PTR_EQ(test, p->b->tx, old_b);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 1);
	p->fab->fate = NULL;
	fab_run(p->fab, 1900);
	KUNIT_EXPECT_PTR_NE(test, p->b->tx, old_b);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_LINGER), 1);
	fab_come_up(p->a, p->b, 4000);
}

/* Nobody answers: what stands stays. */
static void another_one_fails(struct kunit *test)
{
	struct fab_pair *p = up(test);
	struct srxe_sa *sa = p->a->tx;

	p->fab->fate = fab_drop_init;
	fell_silent(p->a);
	fab_run(p->fab, 20000);
	KUNIT_EXPECT_EQ(test, p->a->failures, 1);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_ANSWER);
	KUNIT_EXPECT_PTR_EQ(test, p->a->tx, sa);
	p->fab->fate = NULL;
	fell_silent(p->a);
	fab_come_up(p->a, p->b, 8000);
	KUNIT_EXPECT_PTR_NE(test, p->a->tx, sa);
}

/* Somebody sends an INIT of yesterday's again: nothing but a pending SA comes of it. */
static void replayed(struct kunit *test)
{
	struct fab_pair *p = up(test);
	struct srxe_sa *sa = p->b->tx;

	fab_replay(p->fab, SRXE_OP_INIT);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_PTR_EQ(test, p->b->tx, sa);
	fab_come_up(p->a, p->b, 20000);
	KUNIT_EXPECT_PTR_EQ(test, p->b->tx, sa);
}

/* It ended from outside: what comes next makes another one. */
static void ended(struct kunit *test)
{
	struct fab_pair *p = up(test);

	fab_end_sa(p->a->tx);
	KUNIT_EXPECT_EQ(test, p->a->lost, 1);
	KUNIT_EXPECT_NULL(test, p->a->hs.sa);
	start(p->a);
	fab_come_up(p->a, p->b, 8000);
}

/* struct chaos - what the wire does */
struct chaos {
	struct rnd_state	rnd;
	unsigned int		lose;	/* of 100 */
	unsigned int		hold;
};

static unsigned int below(struct chaos *c, unsigned int n)
{
	return prandom_u32_state(&c->rnd) % n;
}

static enum fab_fate chaotic(struct fabric *fab, struct fab_frame *f)
{
	struct chaos *c = fab->fate_arg;
	unsigned int n = below(c, 100);

	if (n < c->lose)
		return FAB_DROP;
	return n < c->lose + c->hold ? FAB_HOLD : FAB_PASS;
}

static void disturb(struct chaos *c, struct fab_pair *p)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		switch (below(c, 8)) {
		case 0:
			start(p->a);
			break;
		case 1:
			start(p->b);
			break;
		case 2:
			fell_silent(p->a);
			break;
		case 3:
			fell_silent(p->b);
			break;
		case 4:
			reboot(p->a, p->b);
			break;
		case 5:
			reboot(p->b, p->a);
			break;
		default:
			fab_release(p->fab);
			break;
		}
		fab_run(p->fab, below(c, 3) ? below(c, 60) : below(c, 4000));
	}
}

/*
 * Whatever happened, as soon as packets get through again both use one SA, or one
 * of them finds the other silent and then they do.
 */
static void chaos(struct kunit *test)
{
	unsigned int seed, tries, again = 0;
	struct chaos c = { };
	struct fab_pair *p;

	for (seed = 1; seed <= 200; seed++) {
		prandom_seed_state(&c.rnd, seed);
		c.lose = below(&c, 60);
		c.hold = below(&c, 30);
		p = fab_dgram_pair(test, SRXE_KIND_UD);
		p->fab->fate = chaotic;
		p->fab->fate_arg = &c;
		disturb(&c, p);
		p->fab->fate = NULL;
		fab_release(p->fab);
		fab_run(p->fab, 30000);
		for (tries = 0; tries < 2; tries++) {
			if (p->a->tx && p->b->tx && p->a->tx->p.peer_spi == p->b->tx->spi &&
			    p->b->tx->p.peer_spi == p->a->tx->spi)
				break;
			again++;
			start(p->a);
			fab_run(p->fab, 30000);
		}
		KUNIT_EXPECT_LT_MSG(test, tries, 2, "seed %u", seed);
		fab_expect_quiet(p->a);
		fab_expect_quiet(p->b);
		fab_exit(test);
		test->priv = NULL;
	}
	kunit_info(test, "%u handshakes were needed once it was quiet", again);
}

/* Without reboots nothing has to be noticed: they always end up with one SA. */
static void crossing(struct kunit *test)
{
	struct chaos c = { };
	struct fab_pair *p;
	unsigned int seed, i;

	for (seed = 1; seed <= 200; seed++) {
		prandom_seed_state(&c.rnd, seed);
		p = up(test);
		c.lose = below(&c, 30);
		p->fab->fate = chaotic;
		p->fab->fate_arg = &c;
		for (i = 0; i < 4; i++) {
			fell_silent(below(&c, 2) ? p->a : p->b);
			fab_run(p->fab, below(&c, 2) ? below(&c, 10) : below(&c, 2000));
		}
		p->fab->fate = NULL;
		fab_come_up(p->a, p->b, 30000);
		fab_exit(test);
		test->priv = NULL;
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(first_contact),
	KUNIT_CASE(both_at_once),
	KUNIT_CASE(wrong_kind),
	KUNIT_CASE(reboot_then_init),
	KUNIT_CASE(reboot_then_silence),
	KUNIT_CASE(old_one_is_kept),
	KUNIT_CASE(another_one_fails),
	KUNIT_CASE(replayed),
	KUNIT_CASE(ended),
	KUNIT_CASE(crossing),
	KUNIT_CASE(chaos),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_dgram_hs",
	.exit		= fab_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
