// SPDX-License-Identifier: GPL-2.0
/*
 * --hold: a connection that stays, for attack tests. Memory: half 0 "tx" (local data),
 * half 1 "rx" (what the peer may read and write), 64 KiB slots; receives come from the
 * end of the tx half, so nothing but a WRITE or an atomic changes rx.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "traffic.h"

#define HOLD_LEN	65536u
#define KEPT		1024

struct hold {
	struct endpoint *ep;
	uint32_t mtu;
	uint32_t recv_len;
	unsigned int posted;		/* receives, ever */
	unsigned int seen;		/* receive completions, ever */
	unsigned int seen_errors;
	struct ibv_wc kept[KEPT];
	unsigned int reqs_posted;
	unsigned int reqs_waited;
	unsigned int reqs_told;
	FILE *out;
};

static uint8_t *area(struct hold *h, const char *name, size_t *len)
{
	struct endpoint *ep = h->ep;

	*len = HOLD_LEN;
	if (!strcmp(name, "tx"))
		return slot_base(ep, 0, 0);
	if (!strcmp(name, "rx"))
		return slot_base(ep, 1, 0);
	if (strcmp(name, "recv"))
		return NULL;
	*len = ep->stride * (ep->depth - 1);
	return slot_base(ep, 0, 1);
}

static uint8_t *recv_buf(struct hold *h, unsigned int n)
{
	size_t len, each = (h->recv_len + 63) & ~63u;
	uint8_t *base = area(h, "recv", &len);

	return base + (n % (len / (each ? each : 64))) * (each ? each : 64);
}

static int add_recvs(struct hold *h, unsigned int n)
{
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		err = post_recv(h->ep, recv_buf(h, h->posted), h->recv_len, h->posted);
		if (!err)
			h->posted++;
	}
	return err;
}

static void take(struct hold *h)
{
	struct ibv_wc wc;

	ep_poll(h->ep);
	while (ep_take_recv(h->ep, &wc)) {
		h->kept[h->seen++ % KEPT] = wc;
		if (wc.status != IBV_WC_SUCCESS)
			h->seen_errors++;
	}
}

static void put_peer(FILE *f, const char *name, uint32_t qpn, uint32_t psn, uint32_t rkey,
		     uint64_t va, const union ibv_gid *gid)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, gid->raw, text, sizeof(text));
	fprintf(f, "\"%s\":{\"qpn\":%u,\"psn\":%u,\"rkey\":%u,\"va\":%" PRIu64
		",\"len\":%u,\"gid\":\"%s\"}", name, qpn, psn, rkey, va, HOLD_LEN, text);
}

static void do_info(struct hold *h)
{
	struct endpoint *ep = h->ep;
	size_t rx = ep->stride * ep->depth;

	fprintf(h->out, "{\"ok\":true,\"dev\":\"%s\",\"qp\":\"%s\",\"mtu\":%u,\"recv_len\":%u,",
		ibv_get_device_name(ep->ctx->device),
		qp_name(ep->o->qp_type), h->mtu, h->recv_len);
	put_peer(h->out, "local", ep->qp->qp_num, ep->psn, ep->mr->rkey,
		 (uintptr_t)slot_base(ep, 1, 0), &ep->gid);
	fputc(',', h->out);
	put_peer(h->out, "remote", ep->remote.qpn, ep->remote.psn, ep->remote.rkey,
		 ep->remote.va + rx, &ep->remote.gid);
	fputs("}\n", h->out);
}

static void do_state(struct hold *h)
{
	struct endpoint *ep = h->ep;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};
	int err = ibv_query_qp(ep->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN, &init);

	take(h);
	fprintf(h->out, "{\"ok\":%s,\"state\":\"%s\",\"sq_psn\":%u,\"rq_psn\":%u,",
		err ? "false" : "true", qp_state_name(attr.qp_state), attr.sq_psn, attr.rq_psn);
	fprintf(h->out, "\"recv\":%u,\"recv_errors\":%u,\"recv_posted\":%u,\"req\":%u,", h->seen,
		h->seen_errors, h->posted, ep->done[WR_REQ]);
	fprintf(h->out, "\"errors\":%u}\n", ep->errors);
}

static void do_sum(struct hold *h)
{
	size_t len;

	fprintf(h->out, "{\"ok\":true");
	fprintf(h->out, ",\"rx\":\"%016" PRIx64 "\"", pattern_sum(area(h, "rx", &len), HOLD_LEN));
	fprintf(h->out, ",\"tx\":\"%016" PRIx64 "\"", pattern_sum(area(h, "tx", &len), HOLD_LEN));
	fprintf(h->out, ",\"recv\":\"%016" PRIx64 "\"}\n", pattern_sum(area(h, "recv", &len), len));
}

static void put_wc(FILE *f, const struct ibv_wc *wc)
{
	const char *vendor = vendor_name(wc->vendor_err);

	fprintf(f, "{\"status\":\"%s\",\"vendor_err\":%u,\"vendor\":\"%s\",\"len\":%u}",
		wc_status_name(wc->status), wc->vendor_err, vendor ? vendor : "", wc->byte_len);
}

static void do_recv_count(struct hold *h)
{
	unsigned int from;

	take(h);
	from = h->seen > 32 ? h->seen - 32 : 0;
	fprintf(h->out, "{\"ok\":true,\"recv\":%u,\"errors\":%u,\"posted\":%u,\"last\":[", h->seen,
		h->seen_errors, h->posted);
	for (unsigned int i = from; i < h->seen; i++) {
		fputs(i > from ? "," : "", h->out);
		put_wc(h->out, &h->kept[i % KEPT]);
	}
	fputs("]}\n", h->out);
}

/* Completions of requests since this was last asked, in their order. */
static void do_reqs(struct hold *h)
{
	struct endpoint *ep = h->ep;
	unsigned int from = h->reqs_told;

	take(h);
	if (ep->req_count - from > KEPT_REQS)
		from = ep->req_count - KEPT_REQS;
	fprintf(h->out, "{\"ok\":true,\"reqs\":[");
	for (h->reqs_told = ep->req_count; from < h->reqs_told; from++) {
		put_wc(h->out, &ep->reqs[from % KEPT_REQS]);
		fputs(from + 1 < h->reqs_told ? "," : "", h->out);
	}
	fputs("]}\n", h->out);
}

static void do_error(struct hold *h, const char *text)
{
	fputs("{\"ok\":false,\"error\":", h->out);
	json_string(h->out, text);
	fputs("}\n", h->out);
}

static void do_dump(struct hold *h, const char *name, size_t off, size_t n)
{
	size_t len;
	uint8_t *p = area(h, name, &len);

	if (!p || off > len || n > len - off) {
		do_error(h, "no such area or range");
		return;
	}
	fputs("{\"ok\":true,\"hex\":\"", h->out);
	for (size_t i = 0; i < n; i++)
		fprintf(h->out, "%02x", p[off + i]);
	fputs("\"}\n", h->out);
}

static void do_fill(struct hold *h, const char *name, uint64_t seed)
{
	size_t len;
	uint8_t *p = area(h, name, &len);

	if (!p) {
		do_error(h, "no such area");
		return;
	}
	pattern_fill(p, len, pattern_key(seed, 0, 0, 0));
	fputs("{\"ok\":true}\n", h->out);
}

static void answer(struct hold *h, int err)
{
	if (err)
		do_error(h, strerror(err));
	else
		fputs("{\"ok\":true}\n", h->out);
}

static int do_post(struct hold *h, enum op type, uint32_t len, uint32_t off, unsigned int count)
{
	struct endpoint *ep = h->ep;
	struct req r = {
		.op = type, .len = len, .local = slot_base(ep, 0, 0) + off,
		.remote = ep->remote.va + ep->stride * ep->depth + off,
		.rkey = ep->remote.rkey, .compare = 1, .swap = 2, .wr_id = WR_ID(WR_REQ, 0),
	};
	int err = 0;

	while (count-- && !err) {
		err = post_req(ep, &r);
		if (!err)
			h->reqs_posted++;
	}
	return err;
}

/*
 * Wait for @count more requests; unlike in a test, errors are results. That some do
 * not complete in time is one as well, unless @all must.
 */
static void do_wait(struct hold *h, unsigned int count, int ms, bool all)
{
	struct endpoint *ep = h->ep;
	unsigned int before = h->reqs_waited, want = before + count;
	int64_t deadline = now_ms() + ms;
	char reason[REASON_LEN] = "";
	int err = 0;

	while (ep->done[WR_REQ] < want && err != -EPIPE && now_ms() < deadline) {
		err = ep_wait(ep, WR_REQ, ep->done[WR_REQ] + 1, (int)(deadline - now_ms()), reason);
		take(h);
		if (err == -EIO)
			ep->errors = 0;		/* seen; the next may still come */
	}
	h->reqs_waited = ep->done[WR_REQ] < want ? ep->done[WR_REQ] : want;
	if (all && h->reqs_waited < want) {
		do_error(h, "not completed in time");
		return;
	}
	fprintf(h->out, "{\"ok\":true,\"done\":%u,\"last\":", h->reqs_waited - before);
	if (h->reqs_waited > before)
		put_wc(h->out, &ep->last_req);
	else
		fputs("null", h->out);
	fputs("}\n", h->out);
}

static void do_op(struct hold *h, const char *line, bool wait)
{
	unsigned int len = 64, off = 0, count = 1;
	char name[32];
	int op, err;

	if (sscanf(line, "%31s %u %u %u", name, &len, &off, &count) < 1)
		return;
	op = op_by_name(name);
	if (op < 0 || !qp_can(h->ep, op) || off > HOLD_LEN || len > HOLD_LEN - off || count > 64) {
		do_error(h, "unknown command or bad argument");
		return;
	}
	err = do_post(h, op, len, off, count);
	/* whatever was posted before comes first, and is not to be taken for this one */
	if (!err && wait)
		do_wait(h, h->reqs_posted - h->reqs_waited, h->ep->o->timeout_s * 1000, true);
	else
		answer(h, err);
}

/* Bytes of an area, from hexadecimal. */
static int do_put(struct hold *h, const char *name, unsigned int off, const char *hex)
{
	size_t len, n = strlen(hex) / 2;
	uint8_t *p = area(h, name, &len);
	unsigned int byte;

	if (!p || off > len || n > len - off)
		return EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			return EINVAL;
		p[off + i] = byte;
	}
	return 0;
}

/* Where datagrams go from now on; without an address, to the peer again. */
static int do_to(struct hold *h, const char *line)
{
	struct endpoint *ep = h->ep;
	struct ud_target to = {
		.gid = ep->remote.gid, .qpn = ep->remote.qpn, .qkey = UD_QKEY,
	};
	char addr[INET6_ADDRSTRLEN];
	int n = sscanf(line, "%45s %i %i", addr, (int *)&to.qpn, (int *)&to.qkey);

	if (!is_ud(ep) || (n > 0 && dev_gid(addr, &to.gid)))
		return EINVAL;
	return ud_aim(ep, &to);
}

/* The QP becomes a member of a multicast group, or no longer. */
static int do_group(struct hold *h, const char *addr, bool join)
{
	union ibv_gid gid;

	if (dev_gid(addr, &gid))
		return EINVAL;
	return join ? ibv_attach_mcast(h->ep->qp, &gid, 0) : ibv_detach_mcast(h->ep->qp, &gid, 0);
}

/* RESET and INIT; receives are posted anew and counted from 0. */
static int do_reset(struct hold *h)
{
	int err = qp_reset(h->ep);

	h->posted = 0;
	h->seen = 0;
	h->seen_errors = 0;
	h->reqs_posted = 0;
	h->reqs_waited = 0;
	return err ? err : add_recvs(h, h->ep->o->recvs);
}

/* false: quit */
static bool command(struct hold *h, const char *line)
{
	unsigned int a, b;
	unsigned long long v;
	char name[32], hex[LINE_LEN];

	if (!strcmp(line, "quit"))
		return false;
	if (!strcmp(line, "info"))
		do_info(h);
	else if (!strcmp(line, "state"))
		do_state(h);
	else if (!strcmp(line, "sum"))
		do_sum(h);
	else if (!strcmp(line, "recv-count"))
		do_recv_count(h);
	else if (!strcmp(line, "reqs"))
		do_reqs(h);
	else if (sscanf(line, "recv %u", &a) == 1 && a <= 512)
		answer(h, add_recvs(h, a));
	else if (!strcmp(line, "reset"))
		answer(h, do_reset(h));
	else if (!strcmp(line, "up"))
		answer(h, qp_up(h->ep, h->mtu));
	else if (sscanf(line, "dump %31s %u %u", name, &a, &b) == 3)
		do_dump(h, name, a, b);
	else if (sscanf(line, "put %31s %u %1023s", name, &a, hex) == 3)
		answer(h, do_put(h, name, a, hex));
	else if (sscanf(line, "fill %31s %llu", name, &v) == 2)
		do_fill(h, name, v);
	else if (!strncmp(line, "to", 2) && (!line[2] || line[2] == ' '))
		answer(h, do_to(h, line + 2));
	else if (sscanf(line, "join %31s", name) == 1)
		answer(h, do_group(h, name, true));
	else if (sscanf(line, "leave %31s", name) == 1)
		answer(h, do_group(h, name, false));
	else if (sscanf(line, "wait %u %u", &a, &b) == 2)
		do_wait(h, a, b, false);
	else if (!strncmp(line, "post ", 5))
		do_op(h, line + 5, false);
	else
		do_op(h, line, true);
	return true;
}

/* Commands from one stream until it ends; true: quit was said. */
static bool serve(struct hold *h, FILE *in, FILE *out)
{
	char line[LINE_LEN];
	bool more = true;

	h->out = out;
	while (more && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\r\n")] = 0;
		if (*line)
			more = command(h, line);
		fflush(out);
	}
	return !more;
}

static int serve_socket(struct hold *h, const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), conn;
	bool quit = false;
	FILE *f;

	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 4)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 2;
	}
	while (!quit && (conn = accept(fd, NULL, NULL)) >= 0) {
		f = fdopen(conn, "r+");
		quit = serve(h, f, f);
		fclose(f);
	}
	unlink(path);
	close(fd);
	return 0;
}

int hold_run(struct endpoint *ep, uint32_t mtu)
{
	struct hold h = { .ep = ep, .mtu = mtu, .out = stdout };
	uint32_t sizes[MAX_SIZES] = { 256 };
	size_t len;

	if (strcmp(ep->o->sizes, "edges"))
		opts_sizes(ep->o->sizes, mtu, sizes, MAX_SIZES);
	h.recv_len = (sizes[0] > HOLD_LEN ? HOLD_LEN : sizes[0]) + ud_grh_len(ep);
	pattern_fill(area(&h, "tx", &len), HOLD_LEN, pattern_key(ep->o->seed, 1, ep->psn, 0));
	pattern_fill(area(&h, "rx", &len), HOLD_LEN, pattern_key(ep->o->seed, 2, ep->psn, 0));
	if (add_recvs(&h, ep->o->recvs)) {
		fprintf(stderr, "post receive failed\n");
		return 2;
	}
	do_info(&h);
	fflush(stdout);
	if (ep->o->control)
		return serve_socket(&h, ep->o->control);
	serve(&h, stdin, stdout);
	return 0;
}
