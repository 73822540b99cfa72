// SPDX-License-Identifier: GPL-2.0
/*
 * Epochs: when a sender moves, what a receiver takes, and that the two never
 * lose each other however much is lost between them.
 */
#include <linux/prandom.h>

#include "srxe_epoch_rules.h"
#include "srxe_kunit.h"

#define SOFT	1000ULL
#define HARD	4000ULL
#define BORN	(1000ULL * NSEC_PER_SEC)
#define AGE	SRXE_EPOCH_MAX_NS

struct step_case {
	const char	*desc;
	u64		sent;		/* in the epoch */
	u64		age;
	bool		announced;
	bool		key;
	bool		ctrl;
	u8		want;
};

static const struct step_case step_cases[] = {
	{ "first packet", 0, 0, true, true, false, SRXE_EPOCH_STAY },
	{ "below the count", SOFT - 1, AGE - 1, true, true, false, SRXE_EPOCH_STAY },
	{ "at the count", SOFT, 0, true, true, false, SRXE_EPOCH_MOVE },
	{ "at the age", 0, AGE, true, true, false, SRXE_EPOCH_MOVE },
	{ "not announced", SOFT, 0, false, true, false, SRXE_EPOCH_DUE },
	{ "not announced, by age", 5, AGE, false, true, false, SRXE_EPOCH_DUE },
	{ "no key yet", SOFT, 0, true, false, false, SRXE_EPOCH_DUE },
	{ "below the limit", HARD - 1, 0, false, true, false, SRXE_EPOCH_DUE },
	{ "at the limit", HARD, 0, false, true, false, SRXE_EPOCH_REFUSE },
	{ "at the limit, no key", HARD, 0, true, false, false, SRXE_EPOCH_REFUSE },
	{ "at the limit, announced", HARD, 0, true, true, false, SRXE_EPOCH_MOVE },
	{ "CTRL at the limit", HARD, 0, false, true, true, SRXE_EPOCH_DUE },
	{ "last CTRL", HARD + SRXE_EPOCH_CTRL_EXTRA - 1, 0, false, true, true,
	  SRXE_EPOCH_DUE },
	{ "one CTRL too many", HARD + SRXE_EPOCH_CTRL_EXTRA, 0, false, true, true,
	  SRXE_EPOCH_REFUSE },
	{ "age alone refuses nothing", 0, 1000 * AGE, false, true, false, SRXE_EPOCH_DUE },
};

KUNIT_ARRAY_PARAM_DESC(step, step_cases, desc);

static void epoch_step(struct kunit *test)
{
	static const u64 epochs[] = { 0, 1, 255, 256, 1ULL << 40 };
	static const u64 starts[] = { 0, 12345, U64_MAX / 2 };
	const struct srxe_epoch_limits l = { .soft = SOFT, .hard = HARD };
	const struct step_case *c = test->param_value;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(epochs); i++)
		for (j = 0; j < ARRAY_SIZE(starts); j++) {
			struct srxe_epoch_tx t = {
				.epoch = epochs[i],
				.start_pn = starts[j],
				.start = BORN,
				.peer_ready = epochs[i] + c->announced,
			};

			KUNIT_EXPECT_EQ(test, c->want,
					srxe_epoch_tx_step(&t, &l, starts[j] + c->sent,
							   BORN + c->age, c->key, c->ctrl));
		}
}

static void epoch_move(struct kunit *test)
{
	const struct srxe_epoch_limits l = { .soft = SOFT, .hard = HARD };
	struct srxe_epoch_tx t = { .start = BORN, .peer_ready = SRXE_EPOCH_FIRST_READY };

	srxe_epoch_tx_move(&t, SOFT, BORN + 7);
	KUNIT_EXPECT_EQ(test, t.epoch, 1);
	/* count and age start anew, the number goes on */
	KUNIT_EXPECT_EQ(test, SRXE_EPOCH_STAY,
			srxe_epoch_tx_step(&t, &l, 2 * SOFT - 1, BORN + 7 + AGE - 1, true, false));
	KUNIT_EXPECT_EQ(test, SRXE_EPOCH_DUE,
			srxe_epoch_tx_step(&t, &l, 2 * SOFT, BORN + 7, true, false));
	KUNIT_EXPECT_EQ(test, SRXE_EPOCH_DUE,
			srxe_epoch_tx_step(&t, &l, SOFT, BORN + 7 + AGE, true, false));
}

/* Only (own epoch + 1) mod 256 says anything, and only once. */
static void epoch_heard(struct kunit *test)
{
	unsigned int epoch, wire;

	for (epoch = 0; epoch < 300; epoch++)
		for (wire = 0; wire < 256; wire++) {
			struct srxe_epoch_tx t = { .epoch = epoch, .peer_ready = epoch };
			bool right = wire == ((epoch + 1) & 0xff);

			KUNIT_EXPECT_EQ(test, srxe_epoch_tx_heard(&t, wire), right);
			KUNIT_EXPECT_EQ(test, t.peer_ready, epoch + right);
			KUNIT_EXPECT_FALSE(test, srxe_epoch_tx_heard(&t, wire));
		}
}

static void epoch_find(struct kunit *test)
{
	unsigned int epoch, wire, ahead;

	for (epoch = 0; epoch < 300; epoch++)
		for (wire = 0; wire < 256; wire++)
			for (ahead = 0; ahead < 2; ahead++) {
				struct srxe_epoch_rx r = { .epoch = epoch, .ready = epoch + ahead };
				bool want = true;
				u64 found = 0, right = 0;

				if (wire == (epoch & 0xff))
					right = epoch;
				else if (ahead && wire == ((epoch + 1) & 0xff))
					right = epoch + 1;
				else if (epoch && wire == ((epoch - 1) & 0xff))
					right = epoch - 1;
				else
					want = false;
				KUNIT_ASSERT_EQ(test, want, srxe_epoch_rx_find(&r, wire, &found));
				if (want)
					KUNIT_ASSERT_EQ(test, found, right);
			}
}

static void epoch_seen(struct kunit *test)
{
	struct srxe_epoch_rx r = { .epoch = 5, .since = BORN, .ready = 6 };

	KUNIT_EXPECT_FALSE(test, srxe_epoch_rx_seen(&r, 4, BORN + 1));
	KUNIT_EXPECT_FALSE(test, srxe_epoch_rx_seen(&r, 5, BORN + 1));
	KUNIT_EXPECT_EQ(test, r.since, BORN);
	KUNIT_EXPECT_TRUE(test, srxe_epoch_rx_seen(&r, 6, BORN + 1));
	KUNIT_EXPECT_EQ(test, r.epoch, 6);
	/* the second one does not prolong the old epoch's life */
	KUNIT_EXPECT_FALSE(test, srxe_epoch_rx_seen(&r, 6, BORN + 2));
	KUNIT_EXPECT_EQ(test, srxe_epoch_rx_old(&r, BORN + 1), SRXE_EPOCH_OLD_HOLD_NS);
	KUNIT_EXPECT_EQ(test, srxe_epoch_rx_old(&r, BORN + SRXE_EPOCH_OLD_HOLD_NS), 1);
	KUNIT_EXPECT_EQ(test, srxe_epoch_rx_old(&r, BORN + 1 + SRXE_EPOCH_OLD_HOLD_NS), 0);
	KUNIT_EXPECT_EQ(test, srxe_epoch_rx_old(&r, BORN + 1000 * SRXE_EPOCH_OLD_HOLD_NS), 0);
}

static void epoch_limits_lowered(struct kunit *test)
{
	struct srxe_epoch_limits l;

	l = srxe_epoch_limits_lower(SRXE_GCM_SOFT_PACKETS, SRXE_GCM_HARD_PACKETS, 0);
	KUNIT_EXPECT_EQ(test, l.soft, SRXE_GCM_SOFT_PACKETS);
	KUNIT_EXPECT_EQ(test, l.hard, SRXE_GCM_HARD_PACKETS);
	l = srxe_epoch_limits_lower(SRXE_GCM_SOFT_PACKETS, SRXE_GCM_HARD_PACKETS, 100);
	KUNIT_EXPECT_EQ(test, l.soft, 100);
	KUNIT_EXPECT_EQ(test, l.hard, 400);
	l = srxe_epoch_limits_lower(SRXE_GCM_SOFT_PACKETS, SRXE_GCM_HARD_PACKETS, 1);
	KUNIT_EXPECT_EQ(test, l.soft, 64);
	/* never raised */
	l = srxe_epoch_limits_lower(SRXE_GCM_SOFT_PACKETS, SRXE_GCM_HARD_PACKETS, U32_MAX);
	KUNIT_EXPECT_EQ(test, l.soft, SRXE_GCM_SOFT_PACKETS);
	KUNIT_EXPECT_EQ(test, l.hard, SRXE_GCM_HARD_PACKETS);
}

/* One end: sender and receiver, with the work that makes keys ready. */
struct end {
	struct srxe_epoch_tx	tx;
	struct srxe_epoch_rx	rx;
	bool			next_key;
	u64			pn;
	u64			top;
	u64			refused;
};

static void one_packet(struct kunit *test, struct end *from, struct end *to, bool lost,
		       bool ctrl)
{
	const struct srxe_epoch_limits l = { .soft = 10, .hard = 40 };
	u64 epoch;

	switch (srxe_epoch_tx_step(&from->tx, &l, from->pn, 0, from->next_key, ctrl)) {
	case SRXE_EPOCH_REFUSE:
		from->refused++;
		return;
	case SRXE_EPOCH_MOVE:
		srxe_epoch_tx_move(&from->tx, from->pn, 0);
		from->next_key = false;
		break;
	default:
		break;
	}
	from->pn++;
	if (lost)
		return;
	/* whatever was lost before: the receiver knows this epoch, and which it is */
	KUNIT_ASSERT_TRUE(test, srxe_epoch_rx_find(&to->rx, from->tx.epoch, &epoch));
	KUNIT_ASSERT_EQ(test, epoch, from->tx.epoch);
	srxe_epoch_rx_seen(&to->rx, epoch, 0);
	if (from->pn > to->top) {
		to->top = from->pn;
		srxe_epoch_tx_heard(&to->tx, from->rx.ready);
	}
}

/* Works are as late as they like. */
static void maybe_work(struct end *e, struct rnd_state *rnd)
{
	if (!(prandom_u32_state(rnd) % 3))
		e->next_key = true;
	if (!(prandom_u32_state(rnd) % 3))
		e->rx.ready = e->rx.epoch + 1;
}

static void epoch_never_drift(struct kunit *test)
{
	struct end a = { .tx.peer_ready = 1, .rx.ready = 1, .next_key = true }, b = a;
	struct rnd_state rnd;
	unsigned int i, loss = 50;

	prandom_seed_state(&rnd, 4791);
	for (i = 0; i < 400000; i++) {
		bool forth = prandom_u32_state(&rnd) % 5;
		bool lost = prandom_u32_state(&rnd) % 100 < loss;

		/* good times, bad times, and one direction dead */
		if (!(i % 500))
			loss = prandom_u32_state(&rnd) % 101;
		one_packet(test, forth ? &a : &b, forth ? &b : &a, lost, i % 7 == 0);
		maybe_work(&a, &rnd);
		maybe_work(&b, &rnd);
	}
	/* it has come round more than once, and did stop when it had to */
	KUNIT_EXPECT_GT(test, a.tx.epoch, 512);
	KUNIT_EXPECT_GT(test, b.tx.epoch, 512);
	KUNIT_EXPECT_GT(test, a.refused, 0);
}

static struct kunit_case srxe_epoch_cases[] = {
	KUNIT_CASE_PARAM(epoch_step, step_gen_params),
	KUNIT_CASE(epoch_move),
	KUNIT_CASE(epoch_heard),
	KUNIT_CASE(epoch_find),
	KUNIT_CASE(epoch_seen),
	KUNIT_CASE(epoch_limits_lowered),
	KUNIT_CASE(epoch_never_drift),
	{}
};

static struct kunit_suite srxe_epoch_suite = {
	.name = "srxe_epoch",
	.test_cases = srxe_epoch_cases,
};

kunit_test_suite(srxe_epoch_suite);
