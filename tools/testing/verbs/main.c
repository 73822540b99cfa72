// SPDX-License-Identifier: GPL-2.0
/* The two roles: the client leads through its list of cases, the server follows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "traffic.h"

struct tally {
	unsigned int ok, failed, skipped, number;
	bool first;
};

static void report(const struct opts *o, struct tally *t, const struct test_case *tc,
		   const char *result, const char *reason)
{
	const char *qp = qp_name(o->qp_type);
	const char *dir = tc->dir == DIR_C2S ? "c2s" : "s2c";

	if (!o->json) {
		printf("%s %s size %u mtu %u %s: %s%s%s", qp, op_name(tc->op), tc->size, tc->mtu,
		       dir, result, *reason ? " " : "", reason);
		if (tc->lost || tc->doubled)
			printf(" (%u of %u lost, %u double)", tc->lost, tc->iters, tc->doubled);
		printf("\n");
		fflush(stdout);
		return;
	}
	printf("%s\n  {\"qp\":\"%s\",\"op\":\"%s\",\"size\":%u,\"mtu\":%u,\"dir\":\"%s\",",
	       t->first ? "" : ",", qp, op_name(tc->op), tc->size, tc->mtu, dir);
	printf("\"iters\":%u,\"lost\":%u,\"double\":%u,\"result\":\"%s\",\"reason\":", tc->iters,
	       tc->lost, tc->doubled, result);
	json_string(stdout, reason);
	printf("}");
	t->first = false;
}

static uint32_t largest(const struct opts *o)
{
	uint32_t sizes[MAX_SIZES], max = 8;
	int n = opts_sizes(o->sizes, 4096, sizes, MAX_SIZES);

	for (int i = 0; i < n; i++)
		if (sizes[i] > max)
			max = sizes[i];
	return max;
}

static size_t stride_for(uint32_t size)
{
	return (2 * GUARD + SKEW + (size_t)size + 63) & ~63ull;
}

static int memory(struct endpoint *ep, size_t stride, char *reason)
{
	ep->stride = stride;
	ep->depth = ep->o->depth;
	return dev_memory(ep, 2 * ep->stride * ep->depth, reason);
}

static const char *local_addr(const struct endpoint *ep)
{
	return ep->o->addr ? ep->o->addr : oob_local_addr(ep->oob);
}

static int renew(struct endpoint *ep, uint32_t mtu, char *reason)
{
	int err;

	qp_destroy(ep);
	err = qp_create(ep, ep->o->hold ? ep->o->recvs + 1 : 2 * MAX_DEPTH, reason);
	if (err)
		oob_send(ep->oob, "qp fail %s", reason);
	return err ? err : qp_connect(ep, mtu, reason);
}

/* The connection is done with. Those that failed were destroyed before. */
static void lead_end(struct endpoint *ep, struct tally *t)
{
	int status;

	if (ep->qp && ep->o->at_end) {
		fflush(stdout);
		status = system(ep->o->at_end);
		if (status) {
			fprintf(stderr, "srxe_traffic: --at-end: status %#x\n", status);
			t->failed++;
		}
	}
	qp_destroy(ep);
}

static int lead_connect(struct endpoint *ep, uint32_t mtu, char *reason)
{
	oob_send(ep->oob, "conn %u", mtu);
	return renew(ep, mtu, reason);
}

static void run_case(struct endpoint *ep, struct tally *t, struct test_case *tc)
{
	char reason[REASON_LEN] = "";
	int err = 0;

	tc->number = ++t->number;
	if (ep->o->reconnect)
		lead_end(ep, t);
	if (!ep->qp)
		err = lead_connect(ep, tc->mtu, reason);
	if (!err) {
		oob_send(ep->oob, "case %d %u %u %u %u %d", tc->op, tc->number, tc->size, tc->mtu,
			 tc->iters, tc->dir);
		err = case_run(ep, tc, true, reason);
	}
	if (err) {
		/* the connection is not to be trusted any more */
		qp_destroy(ep);
		t->failed++;
	} else {
		*reason = 0;
		t->ok++;
	}
	report(ep->o, t, tc, err ? "FAIL" : "ok", reason);
}

static bool fixed_size(enum op op)
{
	return op == OP_CAS || op == OP_FADD || op == OP_ATOMIC_WRITE;
}

/* More than a datagram holds is no request that could fail: it is not sent. */
static bool too_long(const struct endpoint *ep, uint32_t size, uint32_t mtu)
{
	return is_ud(ep) && size > mtu;
}

static void run_op(struct endpoint *ep, struct tally *t, enum op op, uint32_t mtu)
{
	uint32_t sizes[MAX_SIZES] = { 8 };
	int n = fixed_size(op) ? 1 : opts_sizes(ep->o->sizes, mtu, sizes, MAX_SIZES);

	if (!qp_can(ep, op)) {
		struct test_case tc = { .op = op, .mtu = mtu, .dir = DIR_C2S };

		t->skipped++;
		report(ep->o, t, &tc, "skip", "not offered by this QP or device");
		return;
	}
	for (int i = 0; i < n; i++) {
		for (int dir = DIR_C2S; dir <= DIR_S2C; dir++) {
			struct test_case tc = {
				.op = op, .size = sizes[i], .mtu = mtu,
				.iters = ep->o->iters, .dir = dir,
			};

			if (ep->o->dirs & dir && !too_long(ep, tc.size, mtu))
				run_case(ep, t, &tc);
		}
	}
}

static int run_matrix(struct endpoint *ep, uint32_t active)
{
	uint32_t mtus[MAX_MTUS] = { active };
	int n = ep->o->mtus ? opts_mtus(ep->o->mtus, mtus, MAX_MTUS) : 1;
	struct tally t = { .first = true };

	if (ep->o->json)
		printf("{\"results\":[");
	for (int i = 0; i < n; i++) {
		lead_end(ep, &t);
		for (int op = 0; op < OP_COUNT; op++)
			if (ep->o->ops & (1u << op))
				run_op(ep, &t, op, mtus[i]);
	}
	lead_end(ep, &t);
	if (ep->o->json)
		printf("\n],\"ok\":%u,\"failed\":%u,\"skipped\":%u}\n", t.ok, t.failed, t.skipped);
	else
		printf("%u ok, %u failed, %u skipped\n", t.ok, t.failed, t.skipped);
	return t.failed || !t.ok ? 1 : 0;
}

static bool as_expected(const struct opts *o, const struct ibv_wc *wc)
{
	return wc->status == o->expect_status &&
	       (o->expect_vendor < 0 || wc->vendor_err == o->expect_vendor);
}

/* One request that is to fail in a given way. */
static int run_expect(struct endpoint *ep, uint32_t mtu)
{
	char reason[REASON_LEN] = "", text[128];
	struct req r = {
		.op = __builtin_ctz(ep->o->ops), .len = 8, .local = ep->mem,
		.rkey = 0, .wr_id = WR_ID(WR_REQ, 0),
	};
	uint32_t sizes[MAX_SIZES];
	int err;

	opts_sizes(ep->o->sizes, mtu, sizes, MAX_SIZES);
	if (!fixed_size(r.op))
		r.len = sizes[0];
	err = lead_connect(ep, mtu, reason);
	if (!err) {
		oob_send(ep->oob, "expect %u", r.len);
		err = oob_recv(ep->oob, text, sizeof(text), ep->o->timeout_s * 1000, reason);
	}
	r.remote = ep->remote.va + ep->stride * ep->depth + ep->o->va_add;
	r.rkey = ep->remote.rkey ^ ep->o->rkey_xor;
	if (!err)
		err = -post_req(ep, &r);
	if (!err)
		err = ep_wait(ep, WR_REQ, 1, ep->o->timeout_s * 1000, reason);
	if (ep->done[WR_REQ]) {
		wc_text(&ep->last_req, text, sizeof(text));
		err = as_expected(ep->o, &ep->last_req) ? 0 : -EBADMSG;
	} else {
		snprintf(text, sizeof(text), "no completion: %.100s", reason);
		err = -ETIMEDOUT;
	}
	printf("%s %s: %s\n", op_name(r.op), err ? "FAIL" : "ok", text);
	return err ? 1 : 0;
}

static int follow_expect(struct endpoint *ep, uint32_t len)
{
	for (int i = 0; i < ep->depth; i++)
		post_recv(ep, slot_base(ep, 0, i), len + ud_grh_len(ep), i);
	return oob_send(ep->oob, "expect ok");
}

static uint32_t mtu_bytes(enum ibv_mtu mtu)
{
	return 128u << mtu;
}

static int hold(struct endpoint *ep, uint32_t mtu, char *reason)
{
	int err = renew(ep, mtu, reason);

	if (err) {
		fprintf(stderr, "srxe_traffic: %s\n", reason);
		return 2;
	}
	return hold_run(ep, mtu);
}

static int lead(struct endpoint *ep, char *reason)
{
	uint32_t mtus[MAX_MTUS] = { 0 };
	unsigned int active;
	char line[LINE_LEN];
	int err;

	if (dev_open(ep, local_addr(ep), reason) ||
	    memory(ep, ep->o->hold ? 65536 : stride_for(largest(ep->o)), reason))
		return 2;
	oob_send(ep->oob, "hello 1 %d %d %zu %llu %d %d %d %d %d %d %d %d %s", ep->o->qp_type,
		 ep->depth, ep->stride, (unsigned long long)ep->o->seed, ep->o->loss,
		 ep->o->timeout_s, ep->o->psn, ep->o->qp_timeout, ep->o->retry_cnt,
		 ep->o->rnr_retry, ep->o->grace_ms, ep->o->recvs, ep->o->hold ? "hold" : "test");
	if (case_word(ep, "hello", line, ep->o->timeout_s * 1000, reason) ||
	    sscanf(line, "hello ok %u", &active) != 1)
		return 2;
	if (active > mtu_bytes(ep->active_mtu))
		active = mtu_bytes(ep->active_mtu);
	mtus[0] = active;
	if (ep->o->mtus)
		opts_mtus(ep->o->mtus, mtus, MAX_MTUS);
	if (ep->o->hold) {
		oob_send(ep->oob, "hold %u", mtus[0]);
		return hold(ep, mtus[0], reason);
	}
	err = ep->o->expect ? run_expect(ep, mtus[0]) : run_matrix(ep, active);
	oob_send(ep->oob, "bye %d", err);
	return err;
}

/* The client's wishes, where both must agree. */
static int follow_hello(struct endpoint *ep, struct opts *o, char *reason)
{
	unsigned long long seed;
	char line[LINE_LEN], how[8];
	int type, loss, err;
	size_t stride;

	err = oob_recv(ep->oob, line, sizeof(line), o->timeout_s * 1000, reason);
	if (err)
		return err;
	if (sscanf(line, "hello 1 %d %d %zu %llu %d %d %d %d %d %d %d %d %7s", &type, &o->depth,
		   &stride, &seed, &loss, &o->timeout_s, &o->psn, &o->qp_timeout, &o->retry_cnt,
		   &o->rnr_retry, &o->grace_ms, &o->recvs, how) != 13 ||
	    o->depth < 1 || o->depth > MAX_DEPTH || o->recvs > 512 ||
	    o->hold != !strcmp(how, "hold")) {
		snprintf(reason, REASON_LEN, "client wants something else: %.150s", line);
		err = -EPROTO;
	}
	o->qp_type = type;
	o->seed = seed;
	o->loss = loss;
	if (!err)
		err = dev_open(ep, local_addr(ep), reason);
	if (!err)
		err = memory(ep, stride, reason);
	if (err)
		oob_send(ep->oob, "hello fail %s", reason);
	else
		oob_send(ep->oob, "hello ok %u", mtu_bytes(ep->active_mtu));
	return err;
}

static int follow_case(struct endpoint *ep, const char *line)
{
	struct test_case tc = {};
	char reason[REASON_LEN] = "";
	int op, dir, err;

	if (sscanf(line, "case %d %u %u %u %u %d", &op, &tc.number, &tc.size, &tc.mtu, &tc.iters,
		   &dir) != 6 || op < 0 || op >= OP_COUNT || !ep->qp ||
	    stride_for(tc.size) > ep->stride)
		return -EPROTO;
	tc.op = op;
	tc.dir = dir;
	err = case_run(ep, &tc, false, reason);
	if (err) {
		fprintf(stderr, "%s size %u: %s\n", op_name(op), tc.size, reason);
		qp_destroy(ep);
	}
	return 0;
}

static int follow(struct endpoint *ep, struct opts *o, char *reason)
{
	char line[LINE_LEN];
	unsigned int n;
	int status = 0, err;

	if (follow_hello(ep, o, reason))
		return 2;
	for (;;) {
		/* the client may be busy with one case for as long as two waits */
		if (oob_recv(ep->oob, line, sizeof(line), o->timeout_s * 3000, reason))
			return 2;
		if (sscanf(line, "bye %d", &status) == 1)
			return status;
		if (sscanf(line, "hold %u", &n) == 1)
			return hold(ep, n, reason);
		if (sscanf(line, "conn %u", &n) == 1)
			err = renew(ep, n, reason);
		else if (sscanf(line, "expect %u", &n) == 1)
			err = follow_expect(ep, n);
		else
			err = follow_case(ep, line);
		if (err == -EPROTO) {
			snprintf(reason, REASON_LEN, "client: %.200s", line);
			return 2;
		}
		if (err)
			fprintf(stderr, "%s\n", reason);
	}
}

int main(int argc, char **argv)
{
	char reason[REASON_LEN] = "";
	struct endpoint ep = {};
	struct opts o;
	int err;

	if (argc > 2 && !strcmp(argv[1], "ctl"))
		return ctl_main(argv[2], argc - 3, argv + 3);
	err = opts_parse(&o, argc, argv);
	if (err)
		return err > 0 ? 0 : 2;
	ep.o = &o;
	ep.oob = o.server ? oob_connect(o.server, o.port, o.timeout_s, reason) :
			    oob_listen(o.port, reason);
	if (!ep.oob) {
		fprintf(stderr, "srxe_traffic: %s\n", reason);
		return 2;
	}
	err = o.server ? lead(&ep, reason) : follow(&ep, &o, reason);
	if (err == 2)
		fprintf(stderr, "srxe_traffic: %s\n", reason);
	dev_close(&ep);
	oob_close(ep.oob);
	return err;
}
