// SPDX-License-Identifier: GPL-2.0
/*
 * Datagram peers: when one is dead, owed an answer or of no use any more, and how
 * many there may be.
 */
#include <kunit/test.h>

#include "srxe_dgram_bound.c"

#define S	NSEC_PER_SEC
#define T0	(1000 * S)
/* Before the machine was started, however short a time ago that was. */
#define LONG_AGO	(0 - (u64)SRXE_DGRAM_QUIET_NS)

/* Signs of life */

static void dead_peer(struct kunit *test)
{
	struct srxe_dgram_life l = { .used = T0 };

	KUNIT_EXPECT_EQ(test, srxe_dgram_life_sent(&l, T0, true), T0 + 8 * S);
	/* the first counts */
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_sent(&l, T0 + 5 * S, true), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 8 * S - 1, true), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_next(&l, T0 + 6 * S, true), T0 + 8 * S);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 8 * S, true),
			SRXE_DGRAM_DUE_DEAD);
	/* whatever is heard will do, and it asks for nothing */
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_heard(&l, T0 + 8 * S, false), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 9 * S, true), 0);
	/* and what we say to be heard is not to be answered */
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_sent(&l, T0 + 9 * S, false), 0);
	KUNIT_EXPECT_EQ(test, l.unheard, 0);
	KUNIT_EXPECT_EQ(test, l.used, T0 + 5 * S);
}

static void keepalive(struct kunit *test)
{
	struct srxe_dgram_life l = { .used = T0 };

	KUNIT_EXPECT_EQ(test, srxe_dgram_life_heard(&l, T0, true), T0 + 5 * S);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_heard(&l, T0 + 4 * S, true), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 5 * S - 1, true), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 5 * S, true),
			SRXE_DGRAM_DUE_KEEPALIVE);
	srxe_dgram_life_sent(&l, T0 + 5 * S, false);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 6 * S, true), 0);
	/* data says it as well */
	srxe_dgram_life_heard(&l, T0 + 6 * S, true);
	srxe_dgram_life_sent(&l, T0 + 7 * S, true);
	KUNIT_EXPECT_EQ(test, l.owed, 0);
}

/* Of two that talk in one direction only, neither takes the other for dead. */
static void one_way(struct kunit *test)
{
	struct srxe_dgram_life from = { .used = T0 }, to = { .used = T0 };
	u64 now;

	for (now = T0; now < T0 + 60 * S; now += S / 10) {
		srxe_dgram_life_sent(&from, now, true);
		srxe_dgram_life_heard(&to, now, true);
		if (srxe_dgram_life_due(&to, now, false) & SRXE_DGRAM_DUE_KEEPALIVE) {
			srxe_dgram_life_sent(&to, now, false);
			srxe_dgram_life_heard(&from, now, false);
		}
		KUNIT_ASSERT_EQ(test, srxe_dgram_life_due(&from, now, true), 0);
		KUNIT_ASSERT_EQ(test, srxe_dgram_life_due(&to, now, false), 0);
	}
}

static void idle(struct kunit *test)
{
	struct srxe_dgram_life l = { .used = T0 };

	KUNIT_EXPECT_EQ(test, srxe_dgram_life_next(&l, T0, true), T0 + 10 * S);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 10 * S, true),
			SRXE_DGRAM_DUE_QUIET);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_next(&l, T0 + 10 * S, true), T0 + 300 * S);
	KUNIT_EXPECT_TRUE(test, srxe_dgram_life_usable(&l, T0 + 300 * S - 1));
	KUNIT_EXPECT_FALSE(test, srxe_dgram_life_usable(&l, T0 + 300 * S));
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 300 * S, true),
			SRXE_DGRAM_DUE_QUIET | SRXE_DGRAM_DUE_END);
	/* whoever answered comes later */
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 300 * S, false),
			SRXE_DGRAM_DUE_QUIET);
	KUNIT_EXPECT_EQ(test, srxe_dgram_life_due(&l, T0 + 330 * S, false),
			SRXE_DGRAM_DUE_QUIET | SRXE_DGRAM_DUE_END);
	/* signs of life are no use */
	srxe_dgram_life_heard(&l, T0 + 200 * S, false);
	srxe_dgram_life_sent(&l, T0 + 200 * S, false);
	KUNIT_EXPECT_EQ(test, l.used, T0);
}

/* Bounds */

/* Of a peer, nothing is used but its name, its groups, its references and when it was used. */
static struct srxe_dgram *peer(struct kunit *test, u32 addr, u64 used)
{
	struct srxe_dgram *d = kunit_kzalloc(test, sizeof(*d), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, d);
	kref_init(&d->ref);
	ipv6_addr_set_v4mapped(htonl(addr), &d->key.rgid);
	d->key.kind = SRXE_KIND_UD;
	d->life.used = used;
	return d;
}

static struct srxe_dgram **peers(struct kunit *test, unsigned int n)
{
	struct srxe_dgram **all = kunit_kcalloc(test, n, sizeof(*all), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, all);
	return all;
}

/* The real one is not here. */
void srxe_dgram_hold(struct srxe_dgram *d)
{
	kref_get(&d->ref);
}

static struct srxe_dgrams *none(struct kunit *test)
{
	struct srxe_dgrams *dgrams = kunit_kzalloc(test, sizeof(*dgrams), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dgrams);
	spin_lock_init(&dgrams->lock);
	spin_lock_bh(&dgrams->lock);
	return dgrams;
}

static void expect_no_groups(struct kunit *test, struct srxe_dgrams *dgrams)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dgrams->groups); i++)
		KUNIT_EXPECT_TRUE(test, hlist_empty(&dgrams->groups[i]));
	spin_unlock_bh(&dgrams->lock);
}

static struct srxe_dgram_user somebody(uid_t uid, u32 pd)
{
	return (struct srxe_dgram_user){
		.who	= { .uid = KUIDT_INIT(uid), .bound = true },
		.pd	= pd,
		.local	= true,
	};
}

/* A user with as many peers as he may have. */
static struct srxe_dgrams *full(struct kunit *test, struct srxe_dgram **all,
				const struct srxe_dgram_user *user)
{
	struct srxe_dgrams *dgrams;
	unsigned int i;

	for (i = 0; i < SRXE_MAX_DGRAM_USER; i++)
		all[i] = peer(test, 0x0a000000 + i, 0);
	dgrams = none(test);
	for (i = 0; i < SRXE_MAX_DGRAM_USER; i++)
		KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, all[i], user), 0);
	return dgrams;
}

static void leave_all(struct kunit *test, struct srxe_dgrams *dgrams, struct srxe_dgram **all)
{
	unsigned int i;

	for (i = 0; i < SRXE_MAX_DGRAM_USER; i++)
		srxe_dgram_leave(dgrams, all[i]);
	expect_no_groups(test, dgrams);
}

/* Peers in use are bounded for each user; an idle one makes room, and for him alone. */
static void user_bound(struct kunit *test)
{
	const struct srxe_dgram_user one = somebody(1001, 1);
	const struct srxe_dgram_user two = somebody(1002, 2);
	const struct srxe_dgram_user nobody = { };
	struct srxe_dgram **all = peers(test, SRXE_MAX_DGRAM_USER), *more = peer(test, 1, 0);
	struct srxe_dgrams *dgrams = full(test, all, &one);

	KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, more, &one), -ENOSPC);
	KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, more, &two), 0);
	srxe_dgram_leave(dgrams, more);
	KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, more, &nobody), 0);
	srxe_dgram_leave(dgrams, more);

	KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[7], true));
	KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, more, &one), 0);
	srxe_dgram_leave(dgrams, more);
	leave_all(test, dgrams, all);
}

/* A peer that another user wants now counts for him alone, if he has room for it. */
static void another_user(struct kunit *test)
{
	const struct srxe_dgram_user one = somebody(1001, 1);
	const struct srxe_dgram_user two = somebody(1002, 2);
	const struct srxe_dgram_user nobody = { };
	struct srxe_dgram **all = peers(test, SRXE_MAX_DGRAM_USER), *more = peer(test, 1, 0);
	struct srxe_dgrams *dgrams = full(test, all, &one);

	KUNIT_EXPECT_EQ(test, srxe_dgram_charge(dgrams, all[3], &one), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, more, &nobody), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_charge(dgrams, more, &one), -ENOSPC);
	KUNIT_EXPECT_EQ(test, srxe_dgram_charge(dgrams, more, &two), 0);
	KUNIT_EXPECT_EQ(test, srxe_dgram_charge(dgrams, more, &one), -ENOSPC);
	KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[7], true));
	KUNIT_EXPECT_EQ(test, srxe_dgram_charge(dgrams, all[7], &two), 0);
	KUNIT_EXPECT_FALSE(test, all[7]->idle);
	KUNIT_EXPECT_EQ(test, srxe_dgram_charge(dgrams, more, &one), 0);
	srxe_dgram_leave(dgrams, more);
	leave_all(test, dgrams, all);
}

/* All there may be of a link, and half of that for peers others began with. */
static void link_bound(struct kunit *test)
{
	const struct srxe_dgram_user nobody = { }, us = somebody(1001, 1);
	const struct {
		const struct srxe_dgram_user	*user;
		unsigned int			max;
	} of[] = { { &nobody, SRXE_MAX_DGRAM_LINK / 2 }, { &us, SRXE_MAX_DGRAM_LINK } };
	struct srxe_dgram *d = peer(test, 1, 0);
	struct srxe_dgrams *dgrams = none(test);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		dgrams->count = of[i].max;
		KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, d, of[i].user), -ENOSPC);
		dgrams->count--;
		KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, d, of[i].user), 0);
		srxe_dgram_leave(dgrams, d);
	}
	expect_no_groups(test, dgrams);
}

/* Of more idle ones than a domain may have, those idle longest go; never one in use. */
static void oldest_makes_way(struct kunit *test)
{
	const struct srxe_dgram_user user = somebody(1001, 1);
	const unsigned int n = SRXE_MAX_IDLE_PD + 3;
	struct srxe_dgram **all = peers(test, n);
	struct srxe_dgrams *dgrams;
	unsigned int i;

	for (i = 0; i < n; i++)
		all[i] = peer(test, 0x0a000000 + i, LONG_AGO);
	dgrams = none(test);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, all[i], &user), 0);
	for (i = 0; i < SRXE_MAX_IDLE_PD; i++)
		KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[i], true));
	/* the first has been used again, and nobody has noticed yet */
	all[0]->life.used = ktime_get_boottime_ns() + S;
	KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[i], true));
	KUNIT_EXPECT_FALSE(test, all[0]->idle);
	/* the second is used again, and it is known */
	KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[1], false));
	KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[i + 1], true));
	/* so the third has to go, and it is handed over with a reference */
	KUNIT_EXPECT_PTR_EQ(test, srxe_dgram_set_idle(dgrams, all[i + 2], true), all[2]);
	KUNIT_EXPECT_EQ(test, kref_read(&all[2]->ref), 2);
	for (i = 0; i < n; i++)
		srxe_dgram_leave(dgrams, all[i]);
	expect_no_groups(test, dgrams);
}

/* As many from one address, whoever wants them here. */
static void peer_bound(struct kunit *test)
{
	const unsigned int n = SRXE_MAX_IDLE_PEER + 1;
	struct srxe_dgram_user user = { .local = true };
	struct srxe_dgram **all = peers(test, n);
	struct srxe_dgrams *dgrams;
	unsigned int i;

	for (i = 0; i < n; i++)
		all[i] = peer(test, 0x0a000001, LONG_AGO);
	dgrams = none(test);
	for (i = 0; i < n; i++) {
		user.pd = i;
		KUNIT_EXPECT_EQ(test, srxe_dgram_join(dgrams, all[i], &user), 0);
	}
	for (i = 0; i < SRXE_MAX_IDLE_PEER; i++)
		KUNIT_EXPECT_NULL(test, srxe_dgram_set_idle(dgrams, all[i], true));
	KUNIT_EXPECT_PTR_EQ(test, srxe_dgram_set_idle(dgrams, all[i], true), all[0]);
	for (i = 0; i < n; i++)
		srxe_dgram_leave(dgrams, all[i]);
	expect_no_groups(test, dgrams);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(dead_peer),
	KUNIT_CASE(keepalive),
	KUNIT_CASE(one_way),
	KUNIT_CASE(idle),
	KUNIT_CASE(user_bound),
	KUNIT_CASE(another_user),
	KUNIT_CASE(link_bound),
	KUNIT_CASE(oldest_makes_way),
	KUNIT_CASE(peer_bound),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_dgram",
	.test_cases	= cases,
};

kunit_test_suite(suite);
