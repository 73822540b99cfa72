// SPDX-License-Identifier: GPL-2.0
/*
 * Fair shares of handshakes for local users.
 */
#include <kunit/test.h>

#include <srxe_user.h>

#include "srxe_hs_limit_kunit.h"

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

/* However many peers a user waits for, others are still counted. */
static void waiting_for_many(struct kunit *test)
{
	const enum srxe_hs_role role = SRXE_HS_INITIATOR;
	struct srxe_hs_limit *lim = test->priv;
	struct srxe_user u = user(1000), v = user(1001);
	struct srxe_hs_wait *wait, other;
	unsigned int i, begun = 0;
	u64 now = NSEC_PER_SEC;
	struct in6_addr a;

	srxe_hs_wait_init(&other);
	wait = kunit_kcalloc(test, SRXE_HS_MAX_PARTIES, sizeof(*wait), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, wait);
	for (i = 0; i < SRXE_HS_MAX_PARTIES; i++) {
		a = peer(i);
		srxe_hs_wait_init(&wait[i]);
		begun += srxe_hs_limit_begin(lim, now, &a, i, &u, &wait[i]);
		KUNIT_ASSERT_EQ(test, i >= begun, waits(&wait[i]));
	}
	KUNIT_EXPECT_EQ(test, begun, srxe_user_room(SRXE_MAX_HS_LINK, 0, 0));
	a = peer(i);
	KUNIT_EXPECT_TRUE(test, srxe_hs_limit_begin(lim, now, &a, i, &v, &other));
	srxe_hs_limit_leave(lim, role, &a, i, &v);
	while (i-- > begun)
		srxe_hs_limit_forgo(lim, &wait[i]);
	for (i = 0; i < begun; i++) {
		a = peer(i);
		srxe_hs_limit_leave(lim, role, &a, i, &u);
	}
	KUNIT_EXPECT_EQ(test, lim->out[role], 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(share_sizes),
	KUNIT_CASE(user_shares),
	KUNIT_CASE(user_share_of_link),
	KUNIT_CASE(user_queue),
	KUNIT_CASE(user_rate),
	KUNIT_CASE(waiting_for_many),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_user",
	.init		= limit_init,
	.exit		= limit_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
