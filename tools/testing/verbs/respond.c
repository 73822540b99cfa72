// SPDX-License-Identifier: GPL-2.0
/* The responder's side of a case: memory and receives before, comparison after. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "traffic.h"

static int post_slot(struct endpoint *ep, const struct test_case *tc, int half, int slot,
		     const struct slot_id *id)
{
	uint32_t grh = ud_grh_len(ep);

	return post_recv(ep, slot_data(ep, half, slot, id) - grh, tc->size + grh, slot);
}

/* A datagram's header is checked and taken away from in front of it. */
static int take_grh(struct endpoint *ep, struct ibv_wc *wc, const struct slot_id *id,
		    char *reason)
{
	int slot = WR_INDEX(wc->wr_id), err;
	size_t at = slot_data(ep, 1, slot, id) - slot_base(ep, 1, slot) - GRH_LEN;

	if (!is_ud(ep))
		return 0;
	err = ud_check(ep, wc, slot_base(ep, 1, slot) + at, reason);
	slot_restore(ep, 1, slot, id, at, GRH_LEN);
	return err;
}

/* A WRITE WITH IMM must leave the receive's buffer alone: it gets one of its own. */
static int recv_half(const struct test_case *tc)
{
	return tc->op == OP_WRITE_IMM ? 0 : 1;
}

static void prepare_slot(struct endpoint *ep, const struct test_case *tc, int slot,
			 const struct slot_id *id)
{
	uint64_t before, compare, swap, after;

	slot_background(ep, 0, slot, id);
	slot_background(ep, 1, slot, id);
	if (tc->op == OP_READ)
		slot_message(ep, 1, slot, id);
	if (tc->op == OP_CAS || tc->op == OP_FADD) {
		case_atomic(ep, id, &before, &compare, &swap, &after);
		memcpy(slot_data(ep, 1, slot, id), &before, sizeof(before));
	}
}

static int prepare(struct endpoint *ep, const struct test_case *tc, uint32_t first,
		   unsigned int n, char *reason)
{
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		struct slot_id id = case_id(tc, first + i);

		prepare_slot(ep, tc, i, &id);
		if (case_takes_recv(tc))
			err = post_slot(ep, tc, recv_half(tc), i, &id);
	}
	if (!err && case_fenced(ep, tc))
		err = post_recv(ep, ep->mem, 0, n);
	if (err)
		snprintf(reason, REASON_LEN, "post receive: %s", strerror(err));
	return -err;
}

/* Open one window a message; their rkeys go into the "ready" line. */
static int bind_windows(struct endpoint *ep, const struct test_case *tc, uint32_t first,
			unsigned int n, char *line, char *reason)
{
	int err;

	for (unsigned int i = 0; i < n; i++) {
		struct slot_id id = case_id(tc, first + i);
		uint32_t rkey = ibv_inc_rkey(ep->mw[i]->rkey);

		/* a window of 0 bytes is one that admits nothing */
		err = post_bind(ep, ep->mw[i], slot_data(ep, 1, i, &id), tc->size ? tc->size : 1,
				rkey, i);
		if (err) {
			snprintf(reason, REASON_LEN, "bind a window: %s", strerror(err));
			return -err;
		}
		ep->mw[i]->rkey = rkey;
		sprintf(line + strlen(line), " %x", rkey);
	}
	return ep_wait(ep, WR_LOCAL, n, ep->o->timeout_s * 1000, reason);
}

/* rxe hands the kernel's flag to user space, where the same bit is another's. */
#define KERNEL_WC_WITH_INV	BIT_OF(2)

static int check_wc(const struct test_case *tc, const struct ibv_wc *wc, uint32_t iter,
		    uint32_t mw_rkey, char *reason)
{
	bool imm = tc->op == OP_SEND_IMM || tc->op == OP_WRITE_IMM;

	if (wc->byte_len != tc->size)
		snprintf(reason, REASON_LEN, "message %u: length %u", iter, wc->byte_len);
	else if (imm != !!(wc->wc_flags & IBV_WC_WITH_IMM))
		snprintf(reason, REASON_LEN, "message %u: wc_flags 0x%x", iter, wc->wc_flags);
	else if (imm && be32toh(wc->imm_data) != iter)
		snprintf(reason, REASON_LEN, "message %u: immediate %u", iter,
			 be32toh(wc->imm_data));
	else if (tc->op == OP_SEND_INV &&
		 (!(wc->wc_flags & (IBV_WC_WITH_INV | KERNEL_WC_WITH_INV)) ||
		  wc->invalidated_rkey != mw_rkey))
		snprintf(reason, REASON_LEN, "message %u: invalidated 0x%x, not 0x%x", iter,
			 wc->invalidated_rkey, mw_rkey);
	else
		return 0;
	return -EBADMSG;
}

static uint32_t mw_rkey(const struct endpoint *ep, int slot)
{
	return ep->mw[slot] ? ep->mw[slot]->rkey : 0;
}

/* Nothing lost: receive i is message i, and all memory is as computed. */
static int check_all(struct endpoint *ep, const struct test_case *tc, uint32_t first,
		     unsigned int n, char *reason)
{
	uint64_t before, compare, swap, after;
	struct ibv_wc wc;
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		struct slot_id id = case_id(tc, first + i);

		if (case_takes_recv(tc) && ep_take_recv(ep, &wc)) {
			err = take_grh(ep, &wc, &id, reason);
			if (!err)
				err = check_wc(tc, &wc, first + i, mw_rkey(ep, i), reason);
		}
		if (err)
			break;
		if (tc->op == OP_CAS || tc->op == OP_FADD) {
			case_atomic(ep, &id, &before, &compare, &swap, &after);
			err = slot_check_value(ep, 1, i, &id, after, reason);
		} else {
			err = slot_check(ep, 1, i, &id, &id, tc->size, reason);
		}
		if (!err && tc->op == OP_WRITE_IMM)
			err = slot_check(ep, 0, i, &id, NULL, 0, reason);
	}
	return err;
}

/* Which message of the batch is in receive slot @i? */
static int identify(struct endpoint *ep, const struct test_case *tc, uint32_t first,
		    unsigned int n, unsigned int i, const struct ibv_wc *wc, unsigned int *which,
		    char *reason)
{
	struct slot_id bg = case_id(tc, first + i), msg;
	unsigned int j;

	if (wc->wc_flags & IBV_WC_WITH_IMM) {
		j = be32toh(wc->imm_data) - first;
		if (j >= n) {
			snprintf(reason, REASON_LEN, "receive %u: immediate %u", i, j + first);
			return -EBADMSG;
		}
		*which = j;
		if (tc->op == OP_WRITE_IMM)
			return check_wc(tc, wc, first + j, 0, reason);
		msg = case_id(tc, first + j);
		return slot_check(ep, 1, i, &bg, &msg, tc->size, reason);
	}
	for (j = 0; j < n; j++) {
		msg = case_id(tc, first + j);
		if (!slot_check(ep, 1, i, &bg, &msg, tc->size, reason)) {
			*which = tc->size >= 4 ? j : i;	/* too short to tell apart */
			return check_wc(tc, wc, first + j, 0, reason);
		}
	}
	return -EBADMSG;
}

/* UC WRITEs: whole ones are counted, torn ones must be torn at a packet's edge. */
static int check_written(struct endpoint *ep, struct test_case *tc, uint32_t first,
			 unsigned int n, const bool *seen, char *reason)
{
	bool whole;
	int err;

	for (unsigned int i = 0; i < n; i++) {
		struct slot_id id = case_id(tc, first + i);

		err = slot_check_chunks(ep, i, &id, tc->mtu, &whole, reason);
		if (err)
			return err;
		if (tc->op == OP_WRITE_IMM && seen[i] && !whole) {
			snprintf(reason, REASON_LEN, "message %u: completed but not whole",
				 first + i);
			return -EBADMSG;
		}
		if (tc->op == OP_WRITE && !whole)
			tc->lost++;
	}
	return 0;
}

/* Something may be lost: what arrived must be one of the batch's messages. */
static int check_some(struct endpoint *ep, struct test_case *tc, uint32_t first, unsigned int n,
		      char *reason)
{
	bool seen[MAX_DEPTH] = {};
	unsigned int which, got = 0;
	struct ibv_wc wc;
	int err = 0;

	while (!err && ep_take_recv(ep, &wc)) {
		struct slot_id bg = case_id(tc, first + WR_INDEX(wc.wr_id));
		bool imm = wc.wc_flags & IBV_WC_WITH_IMM;

		err = take_grh(ep, &wc, &bg, reason);
		if (err)
			break;
		/* the empty sends that fill up */
		if (tc->op == OP_WRITE || (!imm && tc->op != OP_SEND) ||
		    (!wc.byte_len && tc->size))
			continue;
		err = identify(ep, tc, first, n, WR_INDEX(wc.wr_id), &wc, &which, reason);
		if (!err && seen[which])
			tc->doubled++;
		else if (!err)
			got++;
		if (!err)
			seen[which] = true;
	}
	if (!err && tc->op != OP_WRITE && got < n)
		tc->lost += n - got;
	if (!err && (tc->op == OP_WRITE || tc->op == OP_WRITE_IMM))
		err = check_written(ep, tc, first, n, seen, reason);
	return err;
}

/* Ask for empty sends until every receive of the batch has completed. */
static int use_up(struct endpoint *ep, unsigned int want, char *reason)
{
	int ms = ep->o->timeout_s * 1000, err;
	int64_t deadline = now_ms() + ms;
	char line[LINE_LEN];

	for (;;) {
		err = ep_wait(ep, WR_RECV, want, ep->o->grace_ms, reason);
		if (err && err != -ETIMEDOUT)
			break;
		if (!err || now_ms() >= deadline) {
			if (!err)
				oob_send(ep->oob, "need ok 0");
			break;
		}
		oob_send(ep->oob, "need ok %u", want - ep->done[WR_RECV]);
		err = case_word(ep, "topped", line, 2 * ms, reason);
		if (err)
			return err;
	}
	if (err)
		oob_send(ep->oob, "need fail %s", reason);
	return err;
}

static int collect(struct endpoint *ep, struct test_case *tc, uint32_t first, unsigned int n,
		   char *reason)
{
	unsigned int want = case_fenced(ep, tc);
	int err;

	if (case_takes_recv(tc))
		want += n;
	if (ep->o->loss) {
		err = use_up(ep, want, reason);
		if (err)
			return err;
		/* what was held back on the way must not fall into the next batch */
		ep_wait(ep, WR_RECV, want + 1, ep->o->grace_ms, reason);
		return check_some(ep, tc, first, n, reason);
	}
	err = ep_wait(ep, WR_RECV, want, ep->o->timeout_s * 1000, reason);
	return err ? err : check_all(ep, tc, first, n, reason);
}

static int batch(struct endpoint *ep, struct test_case *tc, uint32_t first, unsigned int n,
		 char *reason)
{
	int ms = 2 * ep->o->timeout_s * 1000, err;
	char line[LINE_LEN], ready[LINE_LEN] = "ready ok";
	unsigned int lost = tc->lost, doubled = tc->doubled;

	ep_reset_counts(ep);
	err = prepare(ep, tc, first, n, reason);
	if (!err && tc->op == OP_SEND_INV)
		err = bind_windows(ep, tc, first, n, ready, reason);
	if (err) {
		oob_send(ep->oob, "ready fail %s", reason);
		return err;
	}
	oob_send(ep->oob, "%s", ready);
	err = case_word(ep, "sent", line, ms, reason);
	if (!err)
		err = collect(ep, tc, first, n, reason);
	if (err)
		oob_send(ep->oob, "checked fail %s", reason);
	else
		oob_send(ep->oob, "checked ok %u %u", tc->lost - lost, tc->doubled - doubled);
	return err;
}

int case_respond(struct endpoint *ep, struct test_case *tc, char *reason)
{
	unsigned int n;
	int err = 0;

	for (uint32_t first = 0; first < tc->iters && !err; first += n) {
		n = case_batch(ep, tc, first);
		err = batch(ep, tc, first, n, reason);
	}
	return err;
}
