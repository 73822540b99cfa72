// SPDX-License-Identifier: GPL-2.0
/*
 * What both sides of a case agree on. Per batch: the responder prepares memory and
 * receives ("ready"), the requester posts and waits ("sent"), the responder compares
 * ("checked"). Each line is "WORD ok ..." or "WORD fail REASON".
 */
#include <errno.h>
#include <string.h>
#include "traffic.h"

unsigned int case_batch(const struct endpoint *ep, const struct test_case *tc, uint32_t first)
{
	uint32_t left = tc->iters - first;

	return left < (uint32_t)ep->depth ? left : (uint32_t)ep->depth;
}

struct slot_id case_id(const struct test_case *tc, uint32_t iter)
{
	struct slot_id id = { .number = tc->number, .iter = iter, .op = tc->op, .size = tc->size };

	return id;
}

/* Does each message of the case consume a receive? */
bool case_takes_recv(const struct test_case *tc)
{
	return tc->op == OP_SEND || tc->op == OP_SEND_IMM || tc->op == OP_SEND_INV ||
	       tc->op == OP_WRITE_IMM;
}

/* A UC WRITE tells nobody that it arrived; an empty SEND behind the batch does. */
bool case_fenced(const struct endpoint *ep, const struct test_case *tc)
{
	return ep->o->qp_type == IBV_QPT_UC && tc->op == OP_WRITE;
}

/* The numbers of one atomic. Every other compare-and-swap is made not to match. */
void case_atomic(const struct endpoint *ep, const struct slot_id *id, uint64_t *before,
		 uint64_t *compare, uint64_t *swap, uint64_t *after)
{
	uint64_t key = pattern_key(ep->o->seed, id->number, id->iter, 0x6174u);

	*before = pattern_word(key, 0);
	*swap = pattern_word(key, 1);
	if (id->op == OP_FADD) {
		*compare = *swap;
		*after = *before + *swap;
	} else {
		*compare = id->iter % 2 ? ~*before : *before;
		*after = id->iter % 2 ? *before : *swap;
	}
}

/* Our side of the case: the direction says whose the requests are. */
int case_run(struct endpoint *ep, struct test_case *tc, bool client, char *reason)
{
	bool request = client ? tc->dir == DIR_C2S : tc->dir == DIR_S2C;

	if (request)
		return case_request(ep, tc, reason);
	return case_respond(ep, tc, reason);
}

/* The peer's line of this step; on "fail" its reason becomes ours. */
int case_word(struct endpoint *ep, const char *word, char *line, int ms, char *reason)
{
	size_t n = strlen(word);
	int err = oob_recv(ep->oob, line, LINE_LEN, ms, reason);

	if (err)
		return err;
	if (!strncmp(line, word, n) && !strncmp(line + n, " ok", 3))
		return 0;
	snprintf(reason, REASON_LEN, "peer: %.200s", line);
	return -EREMOTEIO;
}
