// SPDX-License-Identifier: GPL-2.0
/* The requester's side of a case. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "traffic.h"

static bool is_atomic(enum op op)
{
	return op == OP_CAS || op == OP_FADD;
}

static void prepare(struct endpoint *ep, const struct test_case *tc, uint32_t first,
		    unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct slot_id id = case_id(tc, first + i);

		slot_background(ep, 0, i, &id);
		if (tc->op != OP_READ && !is_atomic(tc->op))
			slot_message(ep, 0, i, &id);
	}
}

static int post_one(struct endpoint *ep, const struct test_case *tc, uint32_t iter, int slot,
		    uint32_t mw_rkey)
{
	struct slot_id id = case_id(tc, iter);
	struct req r = {
		.op = tc->op, .len = tc->size,
		.local = slot_data(ep, 0, slot, &id),
		.remote = slot_remote(ep, slot, &id),
		.rkey = ep->remote.rkey,
		.imm_or_inv = tc->op == OP_SEND_INV ? mw_rkey : iter,
		.wr_id = WR_ID(WR_REQ, slot),
	};
	uint64_t before, after;
	int err;

	if (is_atomic(tc->op))
		case_atomic(ep, &id, &before, &r.compare, &r.swap, &after);
	if (tc->op == OP_FLUSH || tc->op == OP_SEND_INV) {
		/* something to flush; a use of the window before it is invalidated */
		struct req w = r;

		w.op = OP_WRITE;
		if (tc->op == OP_SEND_INV)
			w.rkey = mw_rkey;
		err = post_req(ep, &w);
		if (err)
			return err;
	}
	return post_req(ep, &r);
}

static unsigned int posted(const struct test_case *tc, unsigned int n)
{
	return tc->op == OP_FLUSH || tc->op == OP_SEND_INV ? 2 * n : n;
}

static int post_empty(struct endpoint *ep, unsigned int n)
{
	struct req r = { .op = OP_SEND, .local = ep->mem, .wr_id = WR_ID(WR_REQ, 0) };
	int err = 0;

	while (n-- && !err)
		err = post_req(ep, &r);
	return err;
}

static int post_batch(struct endpoint *ep, const struct test_case *tc, uint32_t first,
		      unsigned int n, char *ready, char *reason)
{
	unsigned int want = posted(tc, n);
	char *p = ready + strlen("ready ok");
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++)
		err = post_one(ep, tc, first + i, i, strtoul(p, &p, 16));
	if (!err && case_fenced(ep, tc)) {
		err = post_empty(ep, 1);
		want++;
	}
	if (err) {
		snprintf(reason, REASON_LEN, "post: %s", strerror(err));
		return -err;
	}
	return ep_wait(ep, WR_REQ, want, ep->o->timeout_s * 1000, reason);
}

static int check(struct endpoint *ep, const struct test_case *tc, uint32_t first, unsigned int n,
		 char *reason)
{
	uint64_t before, compare, swap, after;
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		struct slot_id id = case_id(tc, first + i);

		case_atomic(ep, &id, &before, &compare, &swap, &after);
		if (is_atomic(tc->op))
			err = slot_check_value(ep, 0, i, &id, before, reason);
		else
			err = slot_check(ep, 0, i, &id, &id, tc->size, reason);
	}
	return err;
}

/* Lossy UC: the responder asks for empty sends until all its receives are used up. */
static int top_up(struct endpoint *ep, char *line, char *reason)
{
	int ms = 2 * ep->o->timeout_s * 1000, err;
	unsigned int need;

	for (;;) {
		err = case_word(ep, "need", line, ms, reason);
		if (err || sscanf(line, "need ok %u", &need) != 1 || !need)
			return err;
		ep_reset_counts(ep);
		err = post_empty(ep, need);
		if (!err)
			err = ep_wait(ep, WR_REQ, need, ep->o->timeout_s * 1000, reason);
		oob_send(ep->oob, err ? "topped fail %s" : "topped ok", reason);
		if (err)
			return err;
	}
}

static int batch(struct endpoint *ep, struct test_case *tc, uint32_t first, unsigned int n,
		 char *reason)
{
	int ms = 2 * ep->o->timeout_s * 1000, err;
	char line[LINE_LEN], other[REASON_LEN];
	unsigned int lost, doubled;

	prepare(ep, tc, first, n);
	err = case_word(ep, "ready", line, ms, reason);
	if (err)
		return err;
	ep_reset_counts(ep);
	err = post_batch(ep, tc, first, n, line, reason);
	if (!err)
		err = check(ep, tc, first, n, reason);
	oob_send(ep->oob, err ? "sent fail %s" : "sent ok", reason);
	if (!err && ep->o->loss)
		err = top_up(ep, line, reason);
	if (err) {
		case_word(ep, "checked", line, ms, other);
		return err;
	}
	err = case_word(ep, "checked", line, ms, reason);
	if (!err && sscanf(line, "checked ok %u %u", &lost, &doubled) == 2) {
		tc->lost += lost;
		tc->doubled += doubled;
	}
	return err;
}

int case_request(struct endpoint *ep, struct test_case *tc, char *reason)
{
	unsigned int n;
	int err = 0;

	for (uint32_t first = 0; first < tc->iters && !err; first += n) {
		n = case_batch(ep, tc, first);
		err = batch(ep, tc, first, n, reason);
	}
	return err;
}
