// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds of handshakes: challenges, rates, numbers.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include <srxe_hs_limit.h>

static struct in6_addr peer(u32 n)
{
	struct in6_addr addr = { .s6_addr32[0] = htonl(0x20010db8) };

	addr.s6_addr32[3] = htonl(n);
	return addr;
}

static struct srxe_p pair(u32 a, u32 b)
{
	struct in6_addr i = peer(a), r = peer(b);
	struct srxe_p p;

	memcpy(p.gid_i, &i, sizeof(p.gid_i));
	memcpy(p.gid_r, &r, sizeof(p.gid_r));
	return p;
}

static int init(struct kunit *test)
{
	struct srxe_hs_limit *lim = kunit_kzalloc(test, sizeof(*lim), GFP_KERNEL);

	if (!lim)
		return -ENOMEM;
	srxe_hs_limit_init(lim, NSEC_PER_SEC);
	test->priv = lim;
	return 0;
}

static void finish(struct kunit *test)
{
	srxe_hs_limit_destroy(test->priv);
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

static bool waits(const struct srxe_hs_wait *wait)
{
	return !list_empty(&wait->entry);
}

static bool waits_at(const struct srxe_hs_wait *wait, enum srxe_hs_party_kind kind)
{
	return waits(wait) && wait->at->id.kind == kind;
}

/* Begins and ends as many as it may, one after the other. */
static unsigned int begin_all(struct srxe_hs_limit *lim, u64 now, u32 pd,
			      struct srxe_hs_wait *wait)
{
	struct in6_addr a = peer(1);
	unsigned int n = 0;

	for (; srxe_hs_limit_begin(lim, now, &a, pd, NULL, wait); n++)
		srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, pd, NULL);
	return n;
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
	KUNIT_EXPECT_TRUE(test, waits_at(&three, SRXE_HS_PEER));
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

static unsigned int enter_all(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			      const struct in6_addr *addr, u32 pd)
{
	unsigned int n = 0;

	while (srxe_hs_limit_enter(lim, role, addr, pd, NULL))
		n++;
	return n;
}

static void leave_all(struct srxe_hs_limit *lim, enum srxe_hs_role role,
		      const struct in6_addr *addr, u32 pd, unsigned int n)
{
	while (n--)
		srxe_hs_limit_leave(lim, role, addr, pd, NULL);
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

static struct srxe_user user(unsigned int uid)
{
	return (struct srxe_user){ .uid = KUIDT_INIT(uid), .bound = true };
}

/* All he may have with one peer, or with any that begin at @from. */
static unsigned int fill_share(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			       const struct srxe_user *user, u32 from, u32 peers)
{
	unsigned int n = 0, i;
	struct in6_addr a;

	for (i = 0; i < peers; i++) {
		a = peer(from + i);
		while (srxe_hs_limit_enter(lim, role, &a, from + i, user))
			n++;
	}
	return n;
}

static void empty_share(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			const struct srxe_user *user, u32 at, unsigned int n)
{
	struct in6_addr a = peer(at);

	while (n--)
		srxe_hs_limit_leave(lim, role, &a, at, user);
}

/* What a user may take leaves as much to the others, the least to each but the kernel. */
static void share_sizes(struct kunit *test)
{
	unsigned int taken = 0, users = 0, n;

	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 0, 0), 28);
	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 28, 28), 0);
	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 27, 27), 1);
	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 28, 0), 14);
	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 64, 0), 0);
	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 70, 0), 0);
	KUNIT_EXPECT_EQ(test, srxe_user_room(64, 55, 0), 1);
	while ((n = srxe_user_room(1024, taken, 0))) {
		KUNIT_EXPECT_EQ(test, srxe_user_room(1024, taken + n, n), 0);
		taken += n;
		users++;
	}
	KUNIT_EXPECT_EQ(test, taken, 1024 - 1024 / SRXE_USER_KEPT);
	KUNIT_EXPECT_GE(test, users, 10);
}

/* One user's silent peers leave room for others, with the same peer and on the link. */
static void user_shares(struct kunit *test)
{
	struct srxe_user u = user(1000), v = user(1001), w = user(1002);
	enum srxe_hs_role role;

	for (role = 0; role < SRXE_HS_ROLES; role++) {
		struct srxe_hs_limit *lim = test->priv;
		struct in6_addr a = peer(1);
		unsigned int n, m, k, rest;

		n = fill_share(lim, role, &u, 1, 1);
		KUNIT_EXPECT_EQ(test, n, srxe_user_room(SRXE_MAX_HS_PEER, 0, 0));
		m = fill_share(lim, role, &v, 1, 1);
		KUNIT_EXPECT_EQ(test, m, n / 2);
		k = fill_share(lim, role, &w, 1, 1);
		KUNIT_EXPECT_EQ(test, k, m / 2);
		/* as v takes from what is left, u is beyond his share for now */
		empty_share(lim, role, &u, 1, 1);
		KUNIT_EXPECT_FALSE(test, srxe_hs_limit_enter(lim, role, &a, 1, &u));
		n--;
		/* who is not bound takes the rest; domain 1 has no room for it */
		rest = enter_all(lim, role, &a, 2);
		KUNIT_EXPECT_EQ(test, n + m + k + rest, SRXE_MAX_HS_PEER);
		leave_all(lim, role, &a, 2, rest);
		empty_share(lim, role, &u, 1, n);
		empty_share(lim, role, &v, 1, m);
		empty_share(lim, role, &w, 1, k);
		KUNIT_EXPECT_EQ(test, lim->out[role], 0);
	}
}

static void user_share_of_link(struct kunit *test)
{
	const enum srxe_hs_role role = SRXE_HS_INITIATOR;
	struct srxe_hs_limit *lim = test->priv;
	struct srxe_user u = user(1000), v = user(1001);
	unsigned int each = srxe_user_room(SRXE_MAX_HS_PEER, 0, 0), n, at, left;

	n = fill_share(lim, role, &u, 100, 100);
	KUNIT_EXPECT_EQ(test, n, srxe_user_room(SRXE_MAX_HS_LINK, 0, 0));
	KUNIT_EXPECT_EQ(test, fill_share(lim, role, &u, 300, 1), 0);
	KUNIT_EXPECT_EQ(test, fill_share(lim, role, &v, 300, 1), each);
	/* one comes back, and can be taken again */
	empty_share(lim, role, &v, 300, each);
	empty_share(lim, role, &u, 100, 1);
	KUNIT_EXPECT_EQ(test, fill_share(lim, role, &u, 300, 1), 1);
	empty_share(lim, role, &u, 300, 1);
	for (at = 100, left = n - 1; left; at++) {
		unsigned int here = min(left, at == 100 ? each - 1 : each);

		empty_share(lim, role, &u, at, here);
		left -= here;
	}
	KUNIT_EXPECT_EQ(test, lim->out[role], 0);
}

/* A user's own wait in turn, in nobody else's way, and are not forgotten. */
static void user_queue(struct kunit *test)
{
	struct srxe_hs_wait one, two, other;
	struct srxe_hs_limit *lim = test->priv;
	struct srxe_user u = user(1000), v = user(1001);
	struct in6_addr a = peer(1);
	u64 now = NSEC_PER_SEC;
	unsigned int n;

	srxe_hs_wait_init(&one);
	srxe_hs_wait_init(&two);
	srxe_hs_wait_init(&other);

	n = fill_share(lim, SRXE_HS_INITIATOR, &u, 1, 1);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, &u, &one));
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, &u, &two));
	KUNIT_EXPECT_TRUE(test, waits_at(&one, SRXE_HS_PAIR));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, 2, &v, &other));
	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 2, &v);

	srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, 1, &u);
	KUNIT_EXPECT_FALSE(test, srxe_hs_limit_begin(lim, now, &a, 1, &u, &two));
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, 1, &u, &one));
	/* the last one to wait keeps his place in the books, until he goes */
	empty_share(lim, SRXE_HS_INITIATOR, &u, 1, n);
	KUNIT_EXPECT_EQ(test, lim->out[SRXE_HS_INITIATOR], 0);
	n = lim->parties.count;
	srxe_hs_limit_forgo(lim, &two);
	KUNIT_EXPECT_FALSE(test, waits(&two));
	KUNIT_EXPECT_EQ(test, lim->parties.count, n - 1);
	srxe_hs_limit_forgo(lim, &two);
}

/* However many domains he has; and not all that the link may do. */
static void user_rate(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	const unsigned int kept = SRXE_HS_LINK_BURST / SRXE_USER_KEPT;
	unsigned int uid, pd, n, all = 0;
	struct in6_addr a = peer(1);
	u64 now = NSEC_PER_SEC;
	struct srxe_hs_wait wait;

	srxe_hs_wait_init(&wait);
	for (uid = 1000; uid < 1004; uid++) {
		struct srxe_user u = user(uid);

		for (n = 0, pd = 1; pd < 5; pd++) {
			while (srxe_hs_limit_begin(lim, now, &a, pd, &u, &wait)) {
				srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, pd, &u);
				n++;
			}
			srxe_hs_limit_forgo(lim, &wait);
		}
		KUNIT_EXPECT_LE(test, n, SRXE_HS_PARTY_BURST);
		all += n;
	}
	KUNIT_EXPECT_EQ(test, all, SRXE_HS_LINK_BURST - kept);
	KUNIT_EXPECT_EQ(test, begin_all(lim, now, 9, &wait), kept);
	srxe_hs_limit_forgo(lim, &wait);
}

/* Memory is bounded; who has something under way is never forgotten. */
static void parties(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	struct in6_addr busy = peer(0xffff), a;
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
	a = peer(0xeeee);
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
	KUNIT_CASE(share_sizes),
	KUNIT_CASE(user_shares),
	KUNIT_CASE(user_share_of_link),
	KUNIT_CASE(user_queue),
	KUNIT_CASE(user_rate),
	KUNIT_CASE(parties),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_limit",
	.init		= init,
	.exit		= finish,
	.test_cases	= cases,
};

kunit_test_suite(suite);
