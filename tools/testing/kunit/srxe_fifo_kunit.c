// SPDX-License-Identifier: GPL-2.0
/*
 * Order across asynchronous crypto: whatever order requests complete in, they
 * are handed on in the order they entered, once, by one drainer at a time.
 */
#include <linux/prandom.h>

#include "srxe_fifo.h"
#include "srxe_kunit.h"

#define MAX_ITEMS	64

struct item {
	struct srxe_fifo_entry	entry;
	unsigned int		number;
};

/* A FIFO, what is in it and what has come out. */
struct bench {
	struct srxe_fifo	fifo;
	struct item		items[MAX_ITEMS];
	unsigned int		added;
	unsigned int		out[MAX_ITEMS];
	unsigned int		taken;
};

static struct bench *bench_new(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	srxe_fifo_init(&b->fifo);
	return b;
}

static void add(struct bench *b, unsigned int n)
{
	spin_lock_bh(&b->fifo.lock);
	while (n--) {
		b->items[b->added].number = b->added;
		srxe_fifo_add(&b->fifo, &b->items[b->added++].entry);
	}
	spin_unlock_bh(&b->fifo.lock);
}

/* True: the caller is the drainer. */
static bool done(struct bench *b, unsigned int number)
{
	bool drain;

	spin_lock_bh(&b->fifo.lock);
	drain = srxe_fifo_done(&b->fifo, &b->items[number].entry);
	spin_unlock_bh(&b->fifo.lock);
	return drain;
}

static bool take(struct bench *b, unsigned int *budget)
{
	struct srxe_fifo_entry *entry;

	spin_lock_bh(&b->fifo.lock);
	entry = srxe_fifo_next(&b->fifo, budget);
	spin_unlock_bh(&b->fifo.lock);
	if (entry)
		b->out[b->taken++] = container_of(entry, struct item, entry)->number;
	return entry;
}

/* Tells what is left of the budget. */
static unsigned int drain_some(struct bench *b, unsigned int budget)
{
	while (take(b, &budget))
		;
	return budget;
}

static void drain(struct bench *b)
{
	drain_some(b, MAX_ITEMS + 1);
}

static void expect_taken(struct kunit *test, const struct bench *b, unsigned int n)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, b->taken, n);
	KUNIT_EXPECT_EQ(test, b->fifo.inflight, b->added - n);
	for (i = 0; i < min(b->taken, n); i++)
		KUNIT_EXPECT_EQ(test, b->out[i], i);
}

static void fifo_inline(struct kunit *test)
{
	struct bench *b = bench_new(test);
	unsigned int i;

	for (i = 0; i < MAX_ITEMS; i++) {
		add(b, 1);
		KUNIT_EXPECT_TRUE(test, done(b, i));
		drain(b);
		expect_taken(test, b, i + 1);
	}
	KUNIT_EXPECT_FALSE(test, b->fifo.draining);
}

/* The next permutation of five in lexical order; false after the last. */
static bool permute(unsigned int *p)
{
	int i = 3, j = 4, k;

	while (i >= 0 && p[i] > p[i + 1])
		i--;
	if (i < 0)
		return false;
	while (p[j] < p[i])
		j--;
	swap(p[i], p[j]);
	for (j = i + 1, k = 4; j < k; j++, k--)
		swap(p[j], p[k]);
	return true;
}

/* Entries [0, n) that are all done. */
static unsigned int done_prefix(unsigned long map)
{
	return ffz(map);
}

static void fifo_every_order_of_completion(struct kunit *test)
{
	unsigned int order[5] = { 0, 1, 2, 3, 4 }, i, rounds = 0;

	do {
		struct bench *b = bench_new(test);
		unsigned long map = 0;

		add(b, 5);
		for (i = 0; i < 5; i++) {
			bool first = order[i] == b->taken;

			__set_bit(order[i], &map);
			KUNIT_EXPECT_EQ(test, done(b, order[i]), first);
			if (first)
				drain(b);
			expect_taken(test, b, done_prefix(map));
		}
		expect_taken(test, b, 5);
		rounds++;
	} while (permute(order));
	KUNIT_EXPECT_EQ(test, rounds, 120);
}

/* What completes while somebody drains is left to him, the head included. */
static void fifo_one_drainer(struct kunit *test)
{
	struct bench *b = bench_new(test);
	unsigned int budget = MAX_ITEMS;

	add(b, 3);
	KUNIT_EXPECT_TRUE(test, done(b, 0));
	KUNIT_ASSERT_TRUE(test, take(b, &budget));
	/* 0 is being handed on */
	KUNIT_EXPECT_FALSE(test, done(b, 1));
	KUNIT_EXPECT_FALSE(test, done(b, 2));
	/* handing it on makes another one, as a looped back answer does */
	add(b, 1);
	KUNIT_EXPECT_FALSE(test, done(b, 3));
	drain(b);
	expect_taken(test, b, 4);

	/* and afterwards the next one drains for himself */
	add(b, 1);
	KUNIT_EXPECT_TRUE(test, done(b, 4));
	drain(b);
	expect_taken(test, b, 5);
}

/*
 * So many entries, the first @n of which completed, the last of these before
 * the others: there is nothing to drain until the end.
 */
static struct bench *completed_backwards(struct kunit *test, unsigned int entries, unsigned int n)
{
	struct bench *b = bench_new(test);

	add(b, entries);
	while (n--)
		KUNIT_EXPECT_EQ(test, done(b, n), !n);
	return b;
}

static void fifo_budget(struct kunit *test)
{
	struct bench *b = completed_backwards(test, 4, 4);

	KUNIT_EXPECT_EQ(test, drain_some(b, 2), 0);
	expect_taken(test, b, 2);

	/* nobody else drains until whoever was handed the rest has */
	add(b, 1);
	KUNIT_EXPECT_FALSE(test, done(b, 4));
	KUNIT_EXPECT_NE(test, drain_some(b, MAX_ITEMS), 0);
	expect_taken(test, b, 5);
}

/* A budget that is just enough leaves nothing behind to be handed over. */
static void fifo_budget_exact(struct kunit *test)
{
	struct bench *b = completed_backwards(test, 3, 2);

	KUNIT_EXPECT_NE(test, drain_some(b, 2), 0);
	expect_taken(test, b, 2);
	KUNIT_EXPECT_TRUE(test, done(b, 2));
	drain(b);
	expect_taken(test, b, 3);
}

static void fifo_random(struct kunit *test)
{
	struct rnd_state rnd;
	unsigned int round;

	prandom_seed_state(&rnd, 4791);
	for (round = 0; round < 200; round++) {
		struct bench *b = bench_new(test);
		unsigned long map = 0;

		while (b->taken < 48) {
			unsigned int number = prandom_u32_state(&rnd) % 48;

			if (b->added < 48 && prandom_u32_state(&rnd) % 2)
				add(b, 1);
			if (number >= b->added || test_bit(number, &map))
				continue;
			__set_bit(number, &map);
			if (done(b, number))
				drain(b);
			expect_taken(test, b, done_prefix(map));
		}
		kunit_kfree(test, b);
	}
}

static struct kunit_case srxe_fifo_cases[] = {
	KUNIT_CASE(fifo_inline),
	KUNIT_CASE(fifo_every_order_of_completion),
	KUNIT_CASE(fifo_one_drainer),
	KUNIT_CASE(fifo_budget),
	KUNIT_CASE(fifo_budget_exact),
	KUNIT_CASE(fifo_random),
	{}
};

static struct kunit_suite srxe_fifo_suite = {
	.name = "srxe_fifo",
	.test_cases = srxe_fifo_cases,
};

kunit_test_suite(srxe_fifo_suite);
