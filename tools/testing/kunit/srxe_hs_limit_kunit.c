// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds of handshakes: challenges, rates, numbers.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "srxe_hs_limit_kunit.h"

static struct srxe_p pair(u32 a, u32 b)
{
	struct in6_addr i = peer(a), r = peer(b);
	struct srxe_p p;

	memcpy(p.gid_i, &i, sizeof(p.gid_i));
	memcpy(p.gid_r, &r, sizeof(p.gid_r));
	return p;
}

static void challenges(struct kunit *test)
{
	const u64 period = SRXE_CHALLENGE_PERIOD_S * NSEC_PER_SEC;
	struct srxe_p p = pair(1, 2), q = pair(2, 1);
	struct srxe_hs_limit *lim = test->priv;
	u8 c[SRXE_CHALLENGE_LEN], d[SRXE_CHALLENGE_LEN] = {};

	KUNIT_ASSERT_EQ(test, 0, srxe_hs_limit_challenge(lim, 5 * period, &p, c));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_limit_challenge_ok(lim, 5 * period, &p, c));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_limit_challenge_ok(lim, 6 * period - 1, &p, c));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_limit_challenge_ok(lim, 7 * period - 1, &p, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_limit_challenge_ok(lim, 7 * period, &p, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_limit_challenge_ok(lim, 5 * period - 1, &p, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_limit_challenge_ok(lim, 5 * period, &q, c));
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_limit_challenge_ok(lim, 5 * period, &p, d));
	srxe_hs_limit_renew(lim);
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_limit_challenge_ok(lim, 5 * period, &p, c));
}

static void recall(struct kunit *test)
{
	struct srxe_p p = pair(1, 2), other = pair(3, 2);
	struct srxe_hs_limit *lim = test->priv;
	u8 c[SRXE_CHALLENGE_LEN], got[SRXE_CHALLENGE_LEN];

	memset(c, 0xcc, sizeof(c));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_recall(lim, &p, got));
	srxe_hs_limit_remember(lim, &p, c);
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_recall(lim, &p, got));
	KUNIT_EXPECT_MEMEQ(test, got, c, sizeof(c));
	/* it was given to one of our addresses */
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_recall(lim, &other, got));
	memset(c, 0xdd, sizeof(c));
	srxe_hs_limit_remember(lim, &p, c);
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_recall(lim, &p, got));
	KUNIT_EXPECT_MEMEQ(test, got, c, sizeof(c));
}

static unsigned int drain(struct srxe_hs_limit *lim, u64 now, const struct in6_addr *addr)
{
	unsigned int n = 0;

	while (srxe_hs_limit_charge(lim, now, addr))
		n++;
	return n;
}

static void rates(struct kunit *test)
{
	struct in6_addr a = peer(1), b = peer(2);
	struct srxe_hs_limit *lim = test->priv;
	u64 now = NSEC_PER_SEC;

	KUNIT_EXPECT_EQ(test, drain(lim, now, &a), SRXE_HS_PARTY_BURST);
	/* one peer's is not another's */
	KUNIT_EXPECT_EQ(test, drain(lim, now, &b), SRXE_HS_PARTY_BURST);
	now += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, drain(lim, now, &a), SRXE_HS_PARTY_RATE);
	/* time that runs backwards gives nothing */
	KUNIT_EXPECT_EQ(test, drain(lim, now - NSEC_PER_MSEC, &a), 0);
	now += 1000 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, drain(lim, now, &a), SRXE_HS_PARTY_BURST);
}

static void link_rate(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	unsigned int i, n = 0;
	struct in6_addr a;

	for (i = 0; i < 2 * SRXE_HS_LINK_BURST; i++) {
		a = peer(i % 100);
		n += srxe_hs_limit_charge(lim, NSEC_PER_SEC, &a);
	}
	KUNIT_EXPECT_EQ(test, n, SRXE_HS_LINK_BURST);
	a = peer(i);
	KUNIT_EXPECT_EQ(test, drain(lim, 2 * NSEC_PER_SEC, &a), SRXE_HS_LINK_RATE);
}

/* What we begin is bounded as well: of a domain, and of all of them. */
static void begin_rate(struct kunit *test)
{
	struct srxe_hs_wait one, two, three;
	struct srxe_hs_limit *lim = test->priv;
	struct in6_addr a = peer(1);
	u64 now = NSEC_PER_SEC;

	srxe_hs_wait_init(&one);
	srxe_hs_wait_init(&two);
	srxe_hs_wait_init(&three);
	KUNIT_EXPECT_EQ(test, begin_all(lim, now, 1, &one), SRXE_HS_PARTY_BURST);
	/* it waits, and is in nobody else's way */
	KUNIT_EXPECT_TRUE(test, waits_at(&one, SRXE_HS_PD));
	KUNIT_EXPECT_EQ(test, begin_all(lim, now, 2, &two),
			SRXE_HS_LINK_BURST - SRXE_HS_PARTY_BURST);
	KUNIT_EXPECT_EQ(test, begin_all(lim, now, 3, &three), 0);
	KUNIT_EXPECT_TRUE(test, waits_at(&three, SRXE_HS_PD));
	/* what we answer is another matter */
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_charge(lim, now, &a));

	srxe_hs_limit_forgo(lim, &two);
	srxe_hs_limit_forgo(lim, &three);
	now += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, begin_all(lim, now, 1, &one), SRXE_HS_PARTY_RATE);
	KUNIT_EXPECT_EQ(test, begin_all(lim, now, 3, &three),
			SRXE_HS_LINK_RATE - SRXE_HS_PARTY_RATE);
	srxe_hs_limit_forgo(lim, &one);
	srxe_hs_limit_forgo(lim, &three);
}

static void numbers(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	struct in6_addr a = peer(1), b = peer(2);

	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_RESPONDER, &a, 1), SRXE_MAX_HS_PEER);
	/* the peer is full whatever the domain, and so is the domain for any peer */
	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_RESPONDER, &a, 2), 0);
	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_RESPONDER, &b, 1), 0);
	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_RESPONDER, &b, 2), SRXE_MAX_HS_PEER);
	/* the other role has its own */
	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_INITIATOR, &a, 1), SRXE_MAX_HS_PEER);
	leave_all(lim, SRXE_HS_RESPONDER, &a, 1, 1);
	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_RESPONDER, &a, 1), 1);
	leave_all(lim, SRXE_HS_RESPONDER, &a, 1, SRXE_MAX_HS_PEER);
	leave_all(lim, SRXE_HS_RESPONDER, &b, 2, SRXE_MAX_HS_PEER);
	leave_all(lim, SRXE_HS_INITIATOR, &a, 1, SRXE_MAX_HS_PEER);
	KUNIT_EXPECT_EQ(test, lim->out[SRXE_HS_RESPONDER], 0);
	KUNIT_EXPECT_EQ(test, lim->out[SRXE_HS_INITIATOR], 0);
}

static void link_number(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	unsigned int i, n = 0;
	struct in6_addr a;

	for (i = 0; i < SRXE_MAX_HS_LINK / SRXE_MAX_HS_PEER; i++) {
		a = peer(i);
		n += enter_all(lim, SRXE_HS_RESPONDER, &a, i);
	}
	KUNIT_EXPECT_EQ(test, n, SRXE_MAX_HS_LINK);
	a = peer(i);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_enter(lim, SRXE_HS_RESPONDER, &a, i, NULL));
	for (i = 0; i < SRXE_MAX_HS_LINK / SRXE_MAX_HS_PEER; i++) {
		a = peer(i);
		leave_all(lim, SRXE_HS_RESPONDER, &a, i, SRXE_MAX_HS_PEER);
	}
	KUNIT_EXPECT_EQ(test, lim->out[SRXE_HS_RESPONDER], 0);
}

/* First come, first served; and who cannot be served is in nobody's way. */
static void in_order(struct kunit *test)
{
	struct srxe_hs_wait one, two, three;
	struct srxe_hs_limit *lim = test->priv;
	struct in6_addr a = peer(1), b = peer(2);
	u64 now = NSEC_PER_SEC;

	srxe_hs_wait_init(&one);
	srxe_hs_wait_init(&two);
	srxe_hs_wait_init(&three);

	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_INITIATOR, &a, 1), SRXE_MAX_HS_PEER);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 2, NULL, &one));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 3, NULL, &two));
	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 1, NULL);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 3, NULL, &two));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, NULL, &three));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, 2, NULL, &one));
	KUNIT_EXPECT_FALSE(test, waits(&one));

	/* the second goes; room for one more is the third's */
	srxe_hs_limit_forgo(lim, &two);
	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 2, NULL);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 3, NULL, &two));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, 1, NULL, &three));
	srxe_hs_limit_forgo(lim, &two);

	/* domain 4 has all it may have, with another peer */
	KUNIT_EXPECT_EQ(test, enter_all(lim, SRXE_HS_INITIATOR, &b, 4), SRXE_MAX_HS_PD);
	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 1, NULL);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 4, NULL, &one));
	KUNIT_EXPECT_TRUE(test, waits_at(&one, SRXE_HS_PD));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, 5, NULL, &two));
	srxe_hs_limit_forgo(lim, &one);

	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 5, NULL);
	leave_all(lim, SRXE_HS_INITIATOR, &a, 1, SRXE_MAX_HS_PEER - 1);
	leave_all(lim, SRXE_HS_INITIATOR, &b, 4, SRXE_MAX_HS_PD);
	KUNIT_EXPECT_EQ(test, lim->out[SRXE_HS_INITIATOR], 0);
}

/*
 * The connection manager asks for whatever users of it want. Who is silent is one of
 * many who wait then, and does not come before those who have waited; and there is
 * more room than that for others.
 */
static void manager_queue(struct kunit *test)
{
	const enum srxe_hs_role role = SRXE_HS_INITIATOR;
	struct srxe_hs_limit *lim = test->priv;
	struct srxe_hs_wait silent, honest;
	struct in6_addr first = peer(0), a;
	u64 now = NSEC_PER_SEC;
	unsigned int i;

	srxe_hs_wait_init(&silent);
	srxe_hs_wait_init(&honest);
	for (i = 0; i < SRXE_HS_MAX_CM; i++) {
		a = peer(i);
		KUNIT_ASSERT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, SRXE_HS_PD_CM, NULL,
							    &silent));
	}
	a = peer(i);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_enter(lim, role, &a, SRXE_HS_PD_CM, NULL));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, SRXE_HS_PD_CM, NULL, &honest));
	KUNIT_EXPECT_TRUE(test, waits_at(&honest, SRXE_HS_PD));
	srxe_hs_limit_leave(lim, role, &first, SRXE_HS_PD_CM, NULL);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &first, SRXE_HS_PD_CM, NULL,
						     &silent));
	KUNIT_EXPECT_TRUE(test, waits_at(&silent, SRXE_HS_PD));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, SRXE_HS_PD_CM, NULL, &honest));
	KUNIT_EXPECT_FALSE(test, waits(&honest));
	srxe_hs_limit_forgo(lim, &silent);
	KUNIT_EXPECT_EQ(test, enter_all(lim, role, &first, 1), SRXE_MAX_HS_PD);

	leave_all(lim, role, &first, 1, SRXE_MAX_HS_PD);
	for (i = 1; i <= SRXE_HS_MAX_CM; i++) {
		a = peer(i);
		srxe_hs_limit_leave(lim, role, &a, SRXE_HS_PD_CM, NULL);
	}
	KUNIT_EXPECT_EQ(test, lim->out[role], 0);
}

/* Who got past one queue and is stopped later on is not in the way in the first. */
static void on_to_the_next_queue(struct kunit *test)
{
	const enum srxe_hs_role role = SRXE_HS_INITIATOR;
	struct srxe_hs_limit *lim = test->priv;
	struct in6_addr a = peer(1), b = peer(2);
	struct srxe_hs_wait one, two;
	u64 now = NSEC_PER_SEC;

	srxe_hs_wait_init(&one);
	srxe_hs_wait_init(&two);
	/* peer a is full, and so is domain 1 */
	KUNIT_EXPECT_EQ(test, enter_all(lim, role, &a, 2), SRXE_MAX_HS_PEER);
	KUNIT_EXPECT_EQ(test, enter_all(lim, role, &b, 1), SRXE_MAX_HS_PD);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, NULL, &one));
	KUNIT_EXPECT_TRUE(test, waits_at(&one, SRXE_HS_PD));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &b, 1, NULL, &two));
	KUNIT_EXPECT_TRUE(test, waits_at(&two, SRXE_HS_PD));
	srxe_hs_limit_leave(lim, role, &b, 1, NULL);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &b, 1, NULL, &two));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, NULL, &one));
	KUNIT_EXPECT_TRUE(test, waits_at(&one, SRXE_HS_PEER));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &b, 1, NULL, &two));
	/* and that was the last place of domain 1, whatever peer a has */
	srxe_hs_limit_leave(lim, role, &a, 2, NULL);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, NULL, &one));
	KUNIT_EXPECT_TRUE(test, waits_at(&one, SRXE_HS_PD));
	srxe_hs_limit_leave(lim, role, &b, 1, NULL);
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, 1, NULL, &one));

	srxe_hs_limit_leave(lim, role, &a, 1, NULL);
	leave_all(lim, role, &a, 2, SRXE_MAX_HS_PEER - 1);
	leave_all(lim, role, &b, 1, SRXE_MAX_HS_PD - 1);
	KUNIT_EXPECT_EQ(test, lim->out[role], 0);
}

/* Memory is bounded; who has something under way is never forgotten. */
static void parties(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	struct in6_addr busy = peer(0xffffff), a;
	u64 now = NSEC_PER_SEC;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, srxe_hs_limit_enter(lim, SRXE_HS_RESPONDER, &busy, 1, NULL));
	KUNIT_EXPECT_EQ(test, drain(lim, now, &busy), SRXE_HS_PARTY_BURST);
	for (i = 0; i < 2 * SRXE_HS_MAX_PARTIES; i++) {
		a = peer(i);
		now += NSEC_PER_SEC / SRXE_HS_LINK_RATE;
		KUNIT_ASSERT_TRUE(test, srxe_hs_limit_charge(lim, now, &a));
		KUNIT_ASSERT_LE(test, lim->parties.count, SRXE_HS_MAX_PARTIES);
	}
	KUNIT_EXPECT_EQ(test, lim->parties.count, SRXE_HS_MAX_PARTIES);
	/* entering makes room for two, and neither is the other's */
	a = peer(0xeeeeee);
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_enter(lim, SRXE_HS_INITIATOR, &a, 7, NULL));
	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 7, NULL);
	/* not even where the peer is the one idle for longest, as the first here is */
	for (i = SRXE_HS_MAX_PARTIES + 4; i < 2 * SRXE_HS_MAX_PARTIES; i++) {
		a = peer(i);
		if (!srxe_hs_limit_enter(lim, SRXE_HS_INITIATOR, &a, 1000 + i, NULL))
			break;
		srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 1000 + i, NULL);
	}
	KUNIT_EXPECT_EQ(test, i, 2 * SRXE_HS_MAX_PARTIES);
	KUNIT_EXPECT_EQ(test, lim->parties.count, SRXE_HS_MAX_PARTIES);
	srxe_hs_limit_leave(lim, SRXE_HS_RESPONDER, &busy, 1, NULL);
	KUNIT_EXPECT_EQ(test, lim->out[SRXE_HS_RESPONDER], 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(challenges),
	KUNIT_CASE(recall),
	KUNIT_CASE(rates),
	KUNIT_CASE(link_rate),
	KUNIT_CASE(begin_rate),
	KUNIT_CASE(numbers),
	KUNIT_CASE(link_number),
	KUNIT_CASE(in_order),
	KUNIT_CASE(manager_queue),
	KUNIT_CASE(on_to_the_next_queue),
	KUNIT_CASE(parties),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_limit",
	.init		= limit_init,
	.exit		= limit_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
