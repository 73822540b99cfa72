// SPDX-License-Identifier: GPL-2.0
/*
 * SPI table: who is found, and for how long an SPI is not given out again.
 */
#include <linux/timekeeping.h>
#include <rdma/srxe_wire.h>

#include "srxe_kunit.h"
#include "srxe_spi.h"

/* Never followed, only compared. */
#define NET(n)	((struct net *)(0x1000UL * (n)))
#define SA(n)	((struct srxe_sa *)(0x100000UL * (n)))

#define HOLD	((u64)SRXE_SPI_HOLD_S * NSEC_PER_SEC)

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
	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), 1000, SA(1), &slot));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(1));
	KUNIT_EXPECT_NULL(test, find(NET(1), 1001));
	KUNIT_EXPECT_NULL(test, find(NET(2), 1000));
}

static void spi_by_namespace(struct kunit *test)
{
	struct srxe_spi *one, *two;

	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), 1000, SA(1), &one));
	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(2), 1000, SA(2), &two));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(1));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(2), 1000), SA(2));
	srxe_spi_release(one);
	KUNIT_EXPECT_NULL(test, find(NET(1), 1000));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(2), 1000), SA(2));
}

static void spi_on_hold(struct kunit *test)
{
	struct srxe_spi *slot;
	u64 start, end;

	KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), 1000, SA(1), &slot));
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), 1000, SA(2), &slot));
	start = ktime_get_boottime_ns();
	srxe_spi_release(slot);
	end = ktime_get_boottime_ns();

	KUNIT_EXPECT_NULL(test, find(NET(1), 1000));
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), 1000, SA(2), &slot));
	srxe_spi_reap(start + HOLD - 1);
	KUNIT_EXPECT_EQ(test, -EEXIST, srxe_spi_insert(NET(1), 1000, SA(2), &slot));
	srxe_spi_reap(end + HOLD);
	KUNIT_EXPECT_EQ(test, 0, srxe_spi_insert(NET(1), 1000, SA(2), &slot));
	KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000), SA(2));
}

/* More than go in one go, some in use, some on hold. */
static void spi_reap_many(struct kunit *test)
{
	struct srxe_spi *slot;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		KUNIT_ASSERT_EQ(test, 0, srxe_spi_insert(NET(1), 1000 + i, SA(1), &slot));
		if (i % 2)
			srxe_spi_release(slot);
	}
	srxe_spi_reap(ktime_get_boottime_ns() + HOLD);
	for (i = 0; i < 1000; i++) {
		KUNIT_EXPECT_PTR_EQ(test, find(NET(1), 1000 + i), i % 2 ? NULL : SA(1));
		KUNIT_EXPECT_EQ(test, i % 2 ? 0 : -EEXIST,
				srxe_spi_insert(NET(1), 1000 + i, SA(2), &slot));
	}
}

static void spi_take(struct kunit *test)
{
	unsigned int i;
	u32 spi;

	for (i = 0; i < 2000; i++) {
		struct srxe_spi *slot = srxe_spi_take(NET(1), SA(1 + i), &spi);

		KUNIT_ASSERT_FALSE(test, IS_ERR(slot));
		KUNIT_EXPECT_GE(test, spi, SRXE_SPI_MIN);
		KUNIT_EXPECT_PTR_EQ(test, find(NET(1), spi), SA(1 + i));
	}
}

static int spi_test_init(struct kunit *test)
{
	return srxe_spi_init();
}

static void spi_test_exit(struct kunit *test)
{
	srxe_spi_exit();
}

static struct kunit_case srxe_spi_cases[] = {
	KUNIT_CASE(spi_lookup),
	KUNIT_CASE(spi_by_namespace),
	KUNIT_CASE(spi_on_hold),
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
