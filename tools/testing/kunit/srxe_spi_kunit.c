// SPDX-License-Identifier: GPL-2.0
/*
 * SPI table: who is found, and for how long an SPI is not given out again.
 */
#include <linux/timekeeping.h>
#include <rdma/srxe_wire.h>

#include "srxe_kunit.h"
#include "srxe_spi.h"
#include "srxe_user.h"

/* Never followed, only compared. */
#define NET(n)	((struct net *)(0x1000UL * (n)))
#define SA(n)	((struct srxe_sa *)(0x100000UL * (n)))

#define HOLD	((u64)SRXE_SPI_HOLD_S * NSEC_PER_SEC)

static struct srxe_spi_share *share;

static struct srxe_sa *find(struct net *net, u32 spi)
{
	struct srxe_sa *sa;

	rcu_read_lock();
	sa = srxe_spi_lookup(net, spi);
	rcu_read_unlock();
	return sa;
}

static void spi_lookup(struct kunit *test)
{
	struct srxe_spi *slot;

	KUNIT_EXPECT_NULL(test, find(NET(1), 1000));
	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000, SA(1), &slot));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(1));
	KUNIT_EXPECT_NULL(test, find(NET(1), 1001));
	KUNIT_EXPECT_NULL(test, find(NET(2), 1000));
}

static void spi_by_namespace(struct kunit *test)
{
	struct srxe_spi *one, *two;

	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000, SA(1), &one));
	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(2), share, 1000, SA(2), &two));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(1));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(2), 1000), SA(2));
	srxe_spi_release(one, true);
	KUNIT_EXPECT_NULL(test, find(NET(1), 1000));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(2), 1000), SA(2));
}

static void spi_on_hold(struct kunit *test)
{
	struct srxe_spi *slot;
	u64 start, end;

	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000, SA(1), &slot));
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), share, 1000, SA(2), &slot));
	start = ktime_get_boottime_ns();
	srxe_spi_release(slot, true);
	end = ktime_get_boottime_ns();

	KUNIT_EXPECT_NULL(test, find(NET(1), 1000));
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), share, 1000, SA(2), &slot));
	srxe_spi_reap(start + HOLD - 1);
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), share, 1000, SA(2), &slot));
	srxe_spi_reap(end + HOLD);
	KUNIT_EXPECT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000, SA(2), &slot));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(2));
}

/* More than go in one go, some in use, some on hold. */
static void spi_reap_many(struct kunit *test)
{
	struct srxe_spi *slot;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000 + i, SA(1), &slot));
		if (i % 2)
			srxe_spi_release(slot, true);
	}
	srxe_spi_reap(ktime_get_boottime_ns() + HOLD);
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000 + i), i % 2 ? NULL : SA(1));
		KUNIT_EXPECT_EQ(test, i % 2 ? 0 : -EEXIST,
				srxe_spi_insert(NET(1), share, 1000 + i, SA(2), &slot));
	}
}

static void spi_take(struct kunit *test)
{
	unsigned int i;
	u32 spi;

	for (i = 0; i < 2000; i++) {
		struct srxe_spi *slot = srxe_spi_take(NET(1), share, SA(1 + i), &spi);

		KUNIT_ASSERT_FALSE(test, IS_ERR(slot));
		KUNIT_EXPECT_GE(test, spi, SRXE_SPI_MIN);
		KUNIT_EXPECT_PTR_EQ(test, find(NET(1), spi), SA(1 + i));
	}
}

/* An SA that never had keys leaves nothing behind. */
static void spi_not_on_hold(struct kunit *test)
{
	struct srxe_spi *slot;

	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000, SA(1), &slot));
	srxe_spi_release(slot, false);
	KUNIT_EXPECT_NULL(test, find(NET(1), 1000));
	KUNIT_EXPECT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1000, SA(2), &slot));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(2));
}

/* One link's SAs, alive and ended, leave another's alone; and the link may go. */
static void spi_shares(struct kunit *test)
{
	struct srxe_spi_share *small = srxe_spi_share_new(2);
	struct srxe_spi *one, *two, *slot;

	KUNIT_ASSERT_NOT_NULL(test, small);
	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), small, 1000, SA(1), &one));
	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), small, 1001, SA(2), &two));
	KUNIT_EXPECT_EQ(test, -ENOSPC, srxe_spi_insert(NET(1), small, 1002, SA(3), &slot));
	KUNIT_EXPECT_EQ(test, 0, srxe_spi_insert(NET(1), share, 1002, SA(3), &slot));
	srxe_spi_release(one, true);
	KUNIT_EXPECT_EQ(test, -ENOSPC, srxe_spi_insert(NET(1), small, 1003, SA(4), &slot));
	srxe_spi_release(two, false);
	KUNIT_EXPECT_EQ(test, 0, srxe_spi_insert(NET(1), small, 1003, SA(4), &two));
	srxe_spi_reap(ktime_get_boottime_ns() + HOLD);
	KUNIT_EXPECT_EQ(test, 0, srxe_spi_insert(NET(1), small, 1004, SA(5), &slot));

	srxe_spi_release(two, true);
	srxe_spi_release(slot, true);
	srxe_spi_share_put(small);
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), share, 1003, SA(6), &slot));
}

/* As many as that share will take; they are @slots. */
static unsigned int take_all(struct srxe_spi_share *of, struct srxe_spi **slots)
{
	static u32 spi = 5000;
	unsigned int n = 0;

	for (; !srxe_spi_insert(NET(1), of, spi, SA(1), &slots[n]); spi++)
		n++;
	return n;
}

static void release_all(struct srxe_spi **slots, unsigned int n)
{
	while (n--)
		srxe_spi_release(slots[n], false);
}

/* A user leaves as much as he takes, and some is for who is not bound. */
static void spi_users(struct kunit *test)
{
	struct srxe_spi_share *link = srxe_spi_share_new(64), *one, *two, *same;
	struct srxe_spi *of_one[64], *of_two[64], *rest[64];
	unsigned int n, k, m;

	KUNIT_ASSERT_NOT_NULL(test, link);
	one = srxe_spi_share_of(link, KUIDT_INIT(1000));
	two = srxe_spi_share_of(link, KUIDT_INIT(1001));
	same = srxe_spi_share_of(link, KUIDT_INIT(1000));
	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, two);
	KUNIT_EXPECT_PTR_EQ(test, one, same);
	srxe_spi_share_put(same);

	n = take_all(one, of_one);
	KUNIT_EXPECT_EQ(test, n, (64 - 64 / SRXE_USER_KEPT) / 2);
	k = take_all(two, of_two);
	KUNIT_EXPECT_EQ(test, k, n / 2);
	/* what is on hold is taken as well */
	srxe_spi_release(of_one[--n], true);
	KUNIT_EXPECT_EQ(test, -ENOSPC, srxe_spi_insert(NET(1), one, 1, SA(1), &rest[0]));
	m = take_all(link, rest);
	KUNIT_EXPECT_EQ(test, n + 1 + k + m, 64);
	release_all(of_two, k);
	KUNIT_EXPECT_EQ(test, take_all(link, of_two), k);

	/* places outlast their user and the link */
	srxe_spi_share_put(one);
	srxe_spi_share_put(two);
	srxe_spi_share_put(link);
	release_all(of_one, n);
	release_all(of_two, k);
	release_all(rest, m);
	srxe_spi_reap(ktime_get_boottime_ns() + HOLD);
}

static int spi_test_init(struct kunit *test)
{
	share = srxe_spi_share_new(SRXE_SPI_SHARE);
	return share ? srxe_spi_init() : -ENOMEM;
}

static void spi_test_exit(struct kunit *test)
{
	if (!share)
		return;
	srxe_spi_share_put(share);
	srxe_spi_exit();
}

static struct kunit_case srxe_spi_cases[] = {
	KUNIT_CASE(spi_lookup),
	KUNIT_CASE(spi_by_namespace),
	KUNIT_CASE(spi_on_hold),
	KUNIT_CASE(spi_not_on_hold),
	KUNIT_CASE(spi_shares),
	KUNIT_CASE(spi_users),
	KUNIT_CASE(spi_reap_many),
	KUNIT_CASE(spi_take),
	{}
};

static struct kunit_suite srxe_spi_suite = {
	.name = "srxe_spi",
	.init = spi_test_init,
	.exit = spi_test_exit,
	.test_cases = srxe_spi_cases,
};

kunit_test_suite(srxe_spi_suite);
