// SPDX-License-Identifier: GPL-2.0
/*
 * Counting of failures: what is told, when and how often, and what is not kept
 * apart any more when there is too much.
 */
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "srxe_kunit.h"
#include "srxe_tally.h"

#define S	NSEC_PER_SEC
#define FIRST	(SRXE_TALLY_FIRST_S * S)
#define NEXT	(SRXE_TALLY_NEXT_S * S)
#define START	(100 * S)

static struct srxe_tally *new_tally(struct kunit *test)
{
	struct srxe_tally *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	return t;
}

static struct srxe_failure failure(u8 what, u32 peer, u32 why)
{
	struct srxe_failure f = {
		.what = what,
		.why = why,
		.kind = SRXE_KIND_RC,
		/* nobody reads these */
		.count = 4711,
		.many = true,
	};

	f.peer.s6_addr32[3] = cpu_to_be32(peer);
	return f;
}

static bool add(struct srxe_tally *t, u8 what, u32 peer, u32 why, u64 now)
{
	struct srxe_failure f = failure(what, peer, why);

	return srxe_tally_add(t, &f, now);
}

static bool add_auth(struct srxe_tally *t, u32 peer, u64 now)
{
	return add(t, SRXE_TALLY_AUTH, peer, 0, now);
}

/* What is told at that time: one count, and of whom. */
static void expect_one(struct kunit *test, struct srxe_tally *t, u64 now, u32 peer, u64 count)
{
	struct srxe_failure f;

	KUNIT_ASSERT_TRUE(test, srxe_tally_take(t, now, &f));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(f.peer.s6_addr32[3]), peer);
	KUNIT_EXPECT_EQ(test, f.count, count);
	KUNIT_EXPECT_FALSE(test, f.many);
	KUNIT_EXPECT_FALSE(test, srxe_tally_take(t, now, &f));
}

static void expect_none(struct kunit *test, struct srxe_tally *t, u64 now)
{
	struct srxe_failure f;

	KUNIT_EXPECT_FALSE(test, srxe_tally_take(t, now, &f));
}

static void tally_empty(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);

	expect_none(test, t, START);
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), 0);
}

static void tally_one(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);

	KUNIT_EXPECT_TRUE(test, add_auth(t, 1, START));
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), START + FIRST);
	expect_none(test, t, START + FIRST - 1);
	expect_one(test, t, START + FIRST, 1, 1);
	/* told once; its slot is free when nothing more has come */
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), START + FIRST + NEXT);
	expect_none(test, t, START + FIRST + NEXT);
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), 0);
	/* and it is a first one again */
	KUNIT_EXPECT_TRUE(test, add_auth(t, 1, START + 60 * S));
	expect_one(test, t, START + 60 * S + FIRST, 1, 1);
}

/* A flood is one event a second after its beginning, and one every ten seconds. */
static void tally_flood(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);
	unsigned int i, told = 0;
	struct srxe_failure f;
	u64 now = START, sum = 0;

	for (i = 0; i < 35 * 1000; i++, now += S / 1000) {
		KUNIT_EXPECT_EQ(test, add_auth(t, 1, now), i == 0);
		while (srxe_tally_take(t, now, &f)) {
			told++;
			sum += f.count;
		}
	}
	KUNIT_EXPECT_EQ(test, told, 4);
	while ((now = srxe_tally_due(t))) {
		while (srxe_tally_take(t, now, &f)) {
			told++;
			sum += f.count;
		}
	}
	KUNIT_EXPECT_EQ(test, told, 5);
	KUNIT_EXPECT_EQ(test, sum, 35 * 1000);
}

static void tally_last_one(struct kunit *test)
{
	struct srxe_failure a = failure(SRXE_TALLY_HANDSHAKE, 1, SRXE_VERR_NO_ANSWER), b = a, f;
	struct srxe_tally *t = new_tally(test);

	a.lqpn = 17;
	memset(a.key_id, 1, sizeof(a.key_id));
	b.lqpn = 18;
	b.rqpn = 19;
	b.kind = SRXE_KIND_UD;
	memset(b.key_id, 2, sizeof(b.key_id));
	srxe_tally_add(t, &a, START);
	srxe_tally_add(t, &b, START);
	KUNIT_ASSERT_TRUE(test, srxe_tally_take(t, START + FIRST, &f));
	b.count = 2;
	b.many = false;
	KUNIT_EXPECT_MEMEQ(test, &f, &b, sizeof(f));
}

static void tally_kept_apart(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);
	struct srxe_failure f;
	unsigned int n = 0;

	add(t, SRXE_TALLY_AUTH, 1, 0, START);
	add(t, SRXE_TALLY_AUTH, 1, 1, START);
	add(t, SRXE_TALLY_AUTH, 2, 0, START);
	add(t, SRXE_TALLY_AUTH, 0, 0, START);
	add(t, SRXE_TALLY_HANDSHAKE, 1, 0, START);
	while (srxe_tally_take(t, START + FIRST, &f)) {
		KUNIT_EXPECT_EQ(test, f.count, 1);
		n++;
	}
	KUNIT_EXPECT_EQ(test, n, 5);
}

/* Whoever finds no room is counted with others; who had some before keeps it. */
static void tally_full(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);
	unsigned int i, kept = 0, many = 0;
	struct srxe_failure f;

	for (i = 0; i < SRXE_TALLY_MAX; i++)
		KUNIT_EXPECT_TRUE(test, add_auth(t, 1 + i, START));
	KUNIT_EXPECT_TRUE(test, add_auth(t, 1000, START));
	for (i = 1; i < 500; i++)
		KUNIT_EXPECT_FALSE(test, add_auth(t, 1000 + i, START));
	KUNIT_EXPECT_TRUE(test, add(t, SRXE_TALLY_HANDSHAKE, 1000, SRXE_VERR_NO_KEY, START));
	KUNIT_EXPECT_FALSE(test, add_auth(t, 1, START));

	while (srxe_tally_take(t, START + FIRST, &f)) {
		if (f.many) {
			KUNIT_EXPECT_EQ(test, f.count, f.what == SRXE_TALLY_AUTH ? 500 : 1);
			KUNIT_EXPECT_EQ(test, f.peer.s6_addr32[3], 0);
			many++;
		} else {
			KUNIT_EXPECT_EQ(test, f.count,
					f.peer.s6_addr32[3] == cpu_to_be32(1) ? 2 : 1);
			kept++;
		}
	}
	KUNIT_EXPECT_EQ(test, kept, SRXE_TALLY_MAX);
	KUNIT_EXPECT_EQ(test, many, SRXE_TALLY_WHATS);

	/* all of it is forgotten in the end */
	expect_none(test, t, START + FIRST + NEXT);
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), 0);
	KUNIT_EXPECT_TRUE(test, add_auth(t, 1000, START + 60 * S));
	expect_one(test, t, START + 60 * S + FIRST, 1000, 1);
}

static void tally_due_is_the_earliest(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);

	add_auth(t, 1, START);
	expect_one(test, t, START + FIRST, 1, 1);
	KUNIT_EXPECT_TRUE(test, add_auth(t, 2, START + 3 * S));
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), START + 3 * S + FIRST);
	/* of one that was told, the next is not due before its time */
	KUNIT_EXPECT_FALSE(test, add_auth(t, 1, START + 3 * S));
	expect_one(test, t, START + 3 * S + FIRST, 2, 1);
	KUNIT_EXPECT_EQ(test, srxe_tally_due(t), START + FIRST + NEXT);
	expect_one(test, t, START + FIRST + NEXT, 1, 1);
}

/* Whatever happens, nothing is told twice or not at all. */
static void tally_random(struct kunit *test)
{
	struct srxe_tally *t = new_tally(test);
	u64 now = START, added = 0, told = 0;
	struct srxe_failure f;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 4791);
	for (i = 0; i < 20000; i++) {
		add(t, prandom_u32_state(&rnd) % SRXE_TALLY_WHATS,
		    prandom_u32_state(&rnd) % 50, prandom_u32_state(&rnd) % 3, now);
		added++;
		now += prandom_u32_state(&rnd) % (S / 50);
		if (srxe_tally_due(t) <= now)
			while (srxe_tally_take(t, now, &f))
				told += f.count;
	}
	while ((now = srxe_tally_due(t)))
		while (srxe_tally_take(t, now, &f))
			told += f.count;
	KUNIT_EXPECT_EQ(test, told, added);
}

static struct kunit_case srxe_tally_cases[] = {
	KUNIT_CASE(tally_empty),
	KUNIT_CASE(tally_one),
	KUNIT_CASE(tally_flood),
	KUNIT_CASE(tally_last_one),
	KUNIT_CASE(tally_kept_apart),
	KUNIT_CASE(tally_full),
	KUNIT_CASE(tally_due_is_the_earliest),
	KUNIT_CASE(tally_random),
	{}
};

static struct kunit_suite srxe_tally_suite = {
	.name = "srxe_tally",
	.test_cases = srxe_tally_cases,
};

kunit_test_suite(srxe_tally_suite);
