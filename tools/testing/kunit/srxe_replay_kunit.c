// SPDX-License-Identifier: GPL-2.0
/*
 * Replay window: every edge, and a comparison with a plain model.
 */
#include <linux/prandom.h>
#include <linux/slab.h>

#include "srxe_kunit.h"
#include "srxe_replay.h"
#include <rdma/srxe_wire.h>

#define OK	SRXE_REPLAY_OK
#define SEEN	SRXE_REPLAY_SEEN
#define OLD	SRXE_REPLAY_OLD

/* Steps of one row: a number, what the window says, whether its edge moves. */
struct step {
	u64	pn;
	u8	verdict;
	bool	moved;
};

#define MAX_STEPS	10

struct edge_case {
	const char	*desc;
	unsigned int	size;
	struct step	steps[MAX_STEPS];
};

#define W	2048ULL
#define TOP	U64_MAX

static const struct edge_case edge_cases[] = {
	{ "0 is never a number", W, {
		{ 0, OLD }, { 1, OK, true }, { 0, OLD }, } },
	{ "in order", W, {
		{ 1, OK, true }, { 2, OK, true }, { 3, OK, true }, } },
	{ "the first number twice", W, {
		{ 1, OK, true }, { 1, SEEN }, { 1, SEEN }, } },
	{ "out of order inside the window", W, {
		{ 5, OK, true }, { 3, OK }, { 4, OK }, { 3, SEEN }, { 1, OK },
		{ 2, OK }, { 5, SEEN }, { 6, OK, true }, } },
	{ "left edge: the last number inside", W, {
		{ W, OK, true }, { 1, OK }, { 1, SEEN }, } },
	{ "left edge: the first number outside", W, {
		{ W + 1, OK, true }, { 1, OLD }, { 2, OK }, { 2, SEEN }, } },
	{ "left edge moves by one", W, {
		{ W, OK, true }, { W + 1, OK, true }, { 1, OLD }, { 2, OK },
		{ W + 2, OK, true }, { 2, OLD }, { 3, OK }, } },
	{ "seen, then outside", W, {
		{ 1, OK, true }, { W, OK, true }, { 1, SEEN },
		{ W + 1, OK, true }, { 1, OLD }, } },
	{ "jump by the size less one keeps one number", W, {
		{ 10, OK, true }, { 10 + W - 1, OK, true }, { 10, SEEN },
		{ 11, OK }, { 9, OLD }, } },
	{ "jump by the size forgets all", W, {
		{ 10, OK, true }, { 10 + W, OK, true }, { 10, OLD }, { 11, OK },
		{ 10 + W, SEEN }, } },
	{ "jump by the size and one", W, {
		{ 10, OK, true }, { 11 + W, OK, true }, { 11, OLD }, { 12, OK },
		{ 11 + W, SEEN }, } },
	{ "a bit is clean when its number comes round", W, {
		{ 1, OK, true }, { 2, OK, true }, { W + 3, OK, true },
		{ W + 1, OK }, { W + 2, OK }, { W + 1, SEEN }, } },
	{ "cleared range wraps round the map", W, {
		{ 1, OK, true }, { 2, OK, true }, { 5, OK, true },
		{ W - 2, OK, true }, { W + 5, OK, true }, { W - 1, OK },
		{ W, OK }, { W + 1, OK }, { W + 1, SEEN }, { W + 2, OK }, } },
	{ "word edges", W, {
		{ 63, OK, true }, { 64, OK, true }, { 65, OK, true }, { 64, SEEN },
		{ 127, OK, true }, { 128, OK, true }, { 126, OK }, { 128, SEEN }, } },
	{ "very far jump", W, {
		{ 1, OK, true }, { 1ULL << 40, OK, true }, { 1, OLD },
		{ (1ULL << 40) - W, OLD }, { (1ULL << 40) - W + 1, OK }, } },
	{ "across 2^32", W, {
		{ 0xffffffffULL, OK, true }, { 0x100000000ULL, OK, true },
		{ 0xffffffffULL, SEEN }, { 0xfffffffeULL, OK },
		{ 0x100000001ULL, OK, true }, { 0x100000000ULL, SEEN }, } },
	{ "the last numbers there are", W, {
		{ TOP - 1, OK, true }, { TOP, OK, true }, { TOP, SEEN },
		{ TOP - 1, SEEN }, { TOP - W + 1, OK }, { TOP - W, OLD },
		{ 1, OLD }, { 0, OLD }, } },
	{ "from nothing to the very last", W, {
		{ TOP, OK, true }, { TOP, SEEN }, { TOP - W + 1, OK }, { 1, OLD }, } },
	{ "8192: both edges", SRXE_WINDOW_DGRAM, {
		{ 8192, OK, true }, { 1, OK }, { 8193, OK, true }, { 1, OLD },
		{ 2, OK }, { 2, SEEN }, { 16385, OK, true }, { 8193, OLD },
		{ 8194, OK }, } },
	{ "smallest size there is", BITS_PER_LONG, {
		{ BITS_PER_LONG, OK, true }, { 1, OK }, { BITS_PER_LONG + 1, OK, true },
		{ 1, OLD }, { 2, OK }, { 3 * BITS_PER_LONG, OK, true },
		{ 2 * BITS_PER_LONG, OLD }, { 2 * BITS_PER_LONG + 1, OK }, } },
};

KUNIT_ARRAY_PARAM_DESC(edge, edge_cases, desc);

static void window_edges(struct kunit *test)
{
	const struct edge_case *c = test->param_value;
	struct srxe_replay rp;
	unsigned int i;
	bool moved;

	KUNIT_ASSERT_EQ(test, 0, srxe_replay_init(&rp, c->size, GFP_KERNEL));
	for (i = 0; i < MAX_STEPS; i++) {
		const struct step *s = &c->steps[i];

		/* A row ends with an all zero step: OK for 0 cannot be. */
		if (!s->pn && s->verdict == OK)
			break;
		KUNIT_EXPECT_EQ_MSG(test, srxe_replay_check(&rp, s->pn), s->verdict,
				    "step %u: filter", i);
		KUNIT_EXPECT_EQ_MSG(test, srxe_replay_test_and_set(&rp, s->pn, &moved),
				    s->verdict, "step %u: test and set", i);
		KUNIT_EXPECT_EQ_MSG(test, moved, s->moved, "step %u: edge", i);
	}
	srxe_replay_destroy(&rp);
}

static void window_filter_changes_nothing(struct kunit *test)
{
	struct srxe_replay rp;
	bool moved;

	KUNIT_ASSERT_EQ(test, 0, srxe_replay_init(&rp, W, GFP_KERNEL));
	KUNIT_EXPECT_EQ(test, srxe_replay_check(&rp, 7), OK);
	KUNIT_EXPECT_EQ(test, srxe_replay_check(&rp, 7), OK);
	KUNIT_EXPECT_EQ(test, rp.top, 0);
	KUNIT_EXPECT_EQ(test, srxe_replay_test_and_set(&rp, 7, &moved), OK);
	KUNIT_EXPECT_EQ(test, srxe_replay_check(&rp, 7), SEEN);
	srxe_replay_destroy(&rp);
}

static void window_sizes(struct kunit *test)
{
	static const unsigned int bad[] = { 0, 1, BITS_PER_LONG / 2, 2047, 2049, 3000 };
	struct srxe_replay rp = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ(test, -EINVAL, srxe_replay_init(&rp, bad[i], GFP_KERNEL));
	srxe_replay_destroy(&rp);
	KUNIT_ASSERT_EQ(test, 0, srxe_replay_init(&rp, W, GFP_KERNEL));
	srxe_replay_destroy(&rp);
	srxe_replay_destroy(&rp);
}

#define MODEL_MAX	20000

/* The model remembers every number; the window must not differ from it. */
static void window_like_model(struct kunit *test)
{
	u8 *seen = kunit_kzalloc(test, MODEL_MAX + 1, GFP_KERNEL);
	u64 top = 0, size = 256, pn;
	struct rnd_state rnd;
	struct srxe_replay rp;
	unsigned int i, want;
	bool moved;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	KUNIT_ASSERT_EQ(test, 0, srxe_replay_init(&rp, size, GFP_KERNEL));
	prandom_seed_state(&rnd, 20250101);
	for (i = 0; i < 60000 && top < MODEL_MAX - 2 * size; i++) {
		/* Mostly near the edge, both sides; now and then a jump. */
		pn = top + 8 - prandom_u32_state(&rnd) % min(top + 9, size + 16);
		if (prandom_u32_state(&rnd) % 100 == 0)
			pn = top + prandom_u32_state(&rnd) % (2 * size);
		if (!pn || (pn <= top && top - pn >= size))
			want = OLD;
		else
			want = seen[pn] ? SEEN : OK;
		if (srxe_replay_test_and_set(&rp, pn, &moved) != want ||
		    moved != (want == OK && pn > top)) {
			KUNIT_FAIL(test, "round %u: number %llu, edge %llu", i, pn, top);
			break;
		}
		if (want == OK) {
			seen[pn] = 1;
			top = max(top, pn);
		}
	}
	KUNIT_EXPECT_GT(test, top, 4 * size);
	srxe_replay_destroy(&rp);
}

static struct kunit_case srxe_replay_cases[] = {
	KUNIT_CASE_PARAM(window_edges, edge_gen_params),
	KUNIT_CASE(window_filter_changes_nothing),
	KUNIT_CASE(window_sizes),
	KUNIT_CASE(window_like_model),
	{}
};

static struct kunit_suite srxe_replay_suite = {
	.name = "srxe_replay",
	.test_cases = srxe_replay_cases,
};

kunit_test_suite(srxe_replay_suite);
