// SPDX-License-Identifier: GPL-2.0
/*
 * INITs that have served: for how long, how many, and what happens beyond.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include <srxe_hs_limit.h>

#define PERIOD	(SRXE_CHALLENGE_PERIOD_S * NSEC_PER_SEC)

static void number(u64 n, u8 mac[SRXE_MAC_LEN])
{
	memset(mac, 0x5a, SRXE_MAC_LEN);
	memcpy(mac, &n, sizeof(n));
}

static int add(struct srxe_hs_past *past, u64 now, u64 n)
{
	u8 mac[SRXE_MAC_LEN];

	number(n, mac);
	return srxe_hs_past_add(past, now, now, mac);
}

static bool has(struct srxe_hs_past *past, u64 now, u64 n)
{
	u8 mac[SRXE_MAC_LEN];

	number(n, mac);
	return srxe_hs_past_has(past, now, mac);
}

static int init(struct kunit *test)
{
	struct srxe_hs_limit *lim = kunit_kzalloc(test, sizeof(*lim), GFP_KERNEL);

	if (!lim)
		return -ENOMEM;
	srxe_hs_limit_init(lim, 5 * PERIOD);
	test->priv = lim;
	return 0;
}

static void finish(struct kunit *test)
{
	srxe_hs_limit_destroy(test->priv);
}

static struct srxe_hs_past *past_of(struct kunit *test)
{
	return &((struct srxe_hs_limit *)test->priv)->past;
}

static void remembered(struct kunit *test)
{
	struct srxe_hs_past *past = past_of(test);
	u8 mac[SRXE_MAC_LEN];
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, has(past, 5 * PERIOD, 1));
	KUNIT_EXPECT_EQ(test, add(past, 5 * PERIOD, 1), 0);
	KUNIT_EXPECT_TRUE(test, has(past, 5 * PERIOD, 1));
	KUNIT_EXPECT_FALSE(test, has(past, 5 * PERIOD, 2));
	/* every byte counts */
	for (i = 0; i < sizeof(mac); i++) {
		number(1, mac);
		mac[i] ^= 1;
		KUNIT_EXPECT_FALSE(test, srxe_hs_past_has(past, 5 * PERIOD, mac));
	}
	/* twice is once */
	KUNIT_EXPECT_EQ(test, add(past, 5 * PERIOD, 1), 0);
	KUNIT_EXPECT_EQ(test, past->periods[1].count, 1);
}

/* As long as a challenge of its time is good, and no longer. */
static void ends_with_challenge(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	struct srxe_hs_past *past = &lim->past;
	u64 now = 6 * PERIOD - 1;
	u8 challenge[SRXE_CHALLENGE_LEN];
	struct srxe_p p = { };

	KUNIT_EXPECT_EQ(test, add(past, now, 1), 0);
	KUNIT_ASSERT_EQ(test, 0, srxe_hs_limit_challenge(lim, now, &p, challenge));
	for (; now < 7 * PERIOD; now += PERIOD / 4) {
		KUNIT_EXPECT_EQ(test, 0, srxe_hs_limit_challenge_ok(lim, now, &p, challenge));
		KUNIT_EXPECT_TRUE(test, has(past, now, 1));
	}
	KUNIT_EXPECT_TRUE(test, has(past, 7 * PERIOD - 1, 1));
	KUNIT_EXPECT_EQ(test, -ESTALE,
			srxe_hs_limit_challenge_ok(lim, 7 * PERIOD, &p, challenge));
	KUNIT_EXPECT_FALSE(test, has(past, 7 * PERIOD, 1));
	KUNIT_EXPECT_EQ(test, past->periods[0].count + past->periods[1].count, 0);
}

/* The connection lasted: what made it is as old as when it came. */
static void seen_before(struct kunit *test)
{
	struct srxe_hs_past *past = past_of(test);
	u8 mac[SRXE_MAC_LEN];

	number(1, mac);
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_past_add(past, 6 * PERIOD, 6 * PERIOD - 1, mac));
	KUNIT_EXPECT_TRUE(test, srxe_hs_past_has(past, 7 * PERIOD - 1, mac));
	KUNIT_EXPECT_FALSE(test, srxe_hs_past_has(past, 7 * PERIOD, mac));
	/* too late to be of use to anybody */
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_past_add(past, 8 * PERIOD, 7 * PERIOD - 1, mac));
	KUNIT_EXPECT_FALSE(test, srxe_hs_past_has(past, 8 * PERIOD, mac));
	KUNIT_EXPECT_EQ(test, past->periods[0].count + past->periods[1].count, 0);
}

/* One period goes, the other stays; after a long time both have gone. */
static void by_periods(struct kunit *test)
{
	struct srxe_hs_past *past = past_of(test);
	u64 n;

	for (n = 5; n < 20; n++) {
		KUNIT_EXPECT_EQ(test, add(past, n * PERIOD, n), 0);
		KUNIT_EXPECT_TRUE(test, has(past, n * PERIOD, n));
		KUNIT_EXPECT_EQ(test, has(past, n * PERIOD, n - 1), n > 5);
		KUNIT_EXPECT_FALSE(test, has(past, n * PERIOD, n - 2));
	}
	KUNIT_EXPECT_FALSE(test, has(past, 1001 * PERIOD, 19));
	KUNIT_EXPECT_EQ(test, past->periods[0].count + past->periods[1].count, 0);
}

/* There is a bound, and beyond it all that was ever captured is worth nothing. */
static void bounded(struct kunit *test)
{
	struct srxe_hs_limit *lim = test->priv;
	struct srxe_hs_past *past = &lim->past;
	u8 challenge[SRXE_CHALLENGE_LEN], mac[SRXE_MAC_LEN];
	u64 now = 5 * PERIOD, n;
	struct srxe_p p = { };

	KUNIT_ASSERT_EQ(test, 0, srxe_hs_limit_challenge(lim, now, &p, challenge));
	for (n = 0; n < SRXE_HS_PAST_MAX; n++) {
		number(n, mac);
		srxe_hs_limit_served(lim, now, now, mac);
	}
	KUNIT_EXPECT_EQ(test, past->periods[1].count, SRXE_HS_PAST_MAX);
	KUNIT_EXPECT_TRUE(test, has(past, now, 0));
	KUNIT_EXPECT_TRUE(test, has(past, now, SRXE_HS_PAST_MAX - 1));
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_limit_challenge_ok(lim, now, &p, challenge));
	/* one that is there needs no room, and the next period has its own */
	number(0, mac);
	srxe_hs_limit_served(lim, now, now, mac);
	KUNIT_EXPECT_EQ(test, add(past, now + PERIOD, n), 0);
	KUNIT_EXPECT_EQ(test, 0, srxe_hs_limit_challenge_ok(lim, now, &p, challenge));

	KUNIT_EXPECT_EQ(test, add(past, now, n + 1), -ENOSPC);
	number(n + 1, mac);
	srxe_hs_limit_served(lim, now, now, mac);
	KUNIT_EXPECT_EQ(test, -ESTALE, srxe_hs_limit_challenge_ok(lim, now, &p, challenge));
	KUNIT_EXPECT_EQ(test, past->periods[0].count + past->periods[1].count, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(remembered),
	KUNIT_CASE(ends_with_challenge),
	KUNIT_CASE(seen_before),
	KUNIT_CASE(by_periods),
	KUNIT_CASE_SLOW(bounded),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_past",
	.init		= init,
	.exit		= finish,
	.test_cases	= cases,
};

kunit_test_suite(suite);
