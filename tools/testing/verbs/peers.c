// SPDX-License-Identifier: GPL-2.0
/*
 * srxe_peers: datagrams between every address of one link and every one of another.
 *
 *   srxe_peers DEV_A DEV_B PREFIX_A PREFIX_B [SECONDS]
 *
 * RDMA devices are seen in every network namespace, so one program is both ends. Of
 * each link it takes the IPv4 GIDs whose first two bytes are the prefix (10.78). Each
 * pair's datagram must come in once, from and for the right addresses, and be answered.
 * The last line is "N of PAIRS pairs". Exit status: 0 all came, 1 not, 2 could not start.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#define MAX_ADDRS	256
#define SLOTS		128	/* receives of an end; datagrams under way are fewer */
#define WINDOW		32
#define GRH		40
#define GRH_IPV4	20
#define QKEY		0x5e0b1e55
#define ANSWER		0x80000000u

struct msg {
	uint32_t pair;
	uint32_t check;
};

struct end {
	const char *dev;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *chan;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *mem;			/* SLOTS receives, then one message per pair */
	int count;
	uint32_t addr[MAX_ADDRS];	/* network order */
	uint8_t index[MAX_ADDRS];
	struct ibv_ah **ah;		/* by pair, made when first needed */
};

struct run {
	struct end a, b;
	uint32_t pairs;
	uint8_t *state;			/* 0 not sent, 1 sent, 2 at b, 3 answered */
	uint32_t next, done;
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

static int find_addrs(struct end *e, const char *prefix)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_port_attr port;
	struct ibv_gid_entry g;
	unsigned int x, y;

	if (sscanf(prefix, "%u.%u", &x, &y) != 2 || ibv_query_port(e->ctx, 1, &port))
		return -1;
	for (int i = 0; i < port.gid_tbl_len && i < 256 && e->count < MAX_ADDRS; i++) {
		if (ibv_query_gid_ex(e->ctx, 1, i, &g, 0) || g.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(g.gid.raw, mapped, 12) || g.gid.raw[12] != x || g.gid.raw[13] != y)
			continue;
		memcpy(&e->addr[e->count], g.gid.raw + 12, 4);
		e->index[e->count++] = i;
	}
	return e->count ? 0 : -1;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_context *ctx = NULL;
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	for (int i = 0; i < n && !ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

static int post_recv(struct end *e, uint32_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)e->mem + slot * 64, .length = 64, .lkey = e->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(e->qp, &wr, &bad);
}

static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	int err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				IBV_QP_QKEY);

	attr.qp_state = IBV_QPS_RTR;
	err = err ? err : ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	return err ? err : ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

static int set_up(struct end *e, uint32_t pairs)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = SLOTS, .max_recv_wr = SLOTS, .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
		.sq_sig_all = 1,
	};
	size_t len = (SLOTS * 64 + pairs * sizeof(struct msg) + 4095) & ~4095ul;

	e->pd = ibv_alloc_pd(e->ctx);
	e->chan = ibv_create_comp_channel(e->ctx);
	e->cq = ibv_create_cq(e->ctx, 4 * SLOTS, NULL, e->chan, 0);
	e->mem = aligned_alloc(4096, len);
	e->ah = calloc(pairs, sizeof(*e->ah));
	if (!e->pd || !e->cq || !e->mem || !e->ah)
		return -1;
	memset(e->mem, 0, len);
	e->mr = ibv_reg_mr(e->pd, e->mem, len, IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	e->qp = e->mr ? ibv_create_qp(e->pd, &init) : NULL;
	if (!e->qp || to_rts(e->qp))
		return -1;
	for (uint32_t i = 0; i < SLOTS; i++)
		if (post_recv(e, i))
			return -1;
	return ibv_req_notify_cq(e->cq, 0);
}

static int send_one(struct end *from, const struct end *to, int from_addr, int to_addr,
		    uint32_t pair, uint32_t word)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .sgid_index = from->index[from_addr], .hop_limit = 64,
			 .dgid.raw = { [10] = 0xff, [11] = 0xff } },
	};
	struct msg *msg = (struct msg *)(from->mem + SLOTS * 64) + pair;
	struct ibv_sge sge = {
		.addr = (uintptr_t)msg, .length = sizeof(*msg), .lkey = from->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = SLOTS, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	}, *bad;

	memcpy(attr.grh.dgid.raw + 12, &to->addr[to_addr], 4);
	if (!from->ah[pair])
		from->ah[pair] = ibv_create_ah(from->pd, &attr);
	if (!from->ah[pair])
		return errno;
	*msg = (struct msg) { .pair = word, .check = ~word };
	wr.wr.ud.ah = from->ah[pair];
	wr.wr.ud.remote_qpn = to->qp->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	return ibv_post_send(from->qp, &wr, &bad);
}

/* What a receive holds, if it is a message of ours: from and for whom it says it is? */
static int judge(const struct run *r, const struct end *from, const struct end *to,
		 const uint8_t *slot, uint32_t len, uint32_t *pair)
{
	const struct msg *msg = (const struct msg *)(slot + GRH);
	bool at_b = to == &r->b;
	uint32_t i, j;

	*pair = msg->pair & ~ANSWER;
	if (len != GRH + sizeof(*msg) || msg->check != ~msg->pair || *pair >= r->pairs ||
	    !(msg->pair & ANSWER) != at_b)
		return -1;
	i = *pair / r->b.count;
	j = *pair % r->b.count;
	return memcmp(slot + GRH_IPV4 + 12, &from->addr[at_b ? i : j], 4) ||
	       memcmp(slot + GRH_IPV4 + 16, &to->addr[at_b ? j : i], 4) ? -1 : 0;
}

static int take(struct run *r, struct end *from, struct end *to, const struct ibv_wc *wc)
{
	uint8_t was = to == &r->b ? 1 : 2;
	uint32_t pair;

	if (wc->status != IBV_WC_SUCCESS)
		return fprintf(stderr, "%s: %s\n", to->dev, ibv_wc_status_str(wc->status));
	if (wc->wr_id == SLOTS)
		return 0;
	if (judge(r, from, to, to->mem + wc->wr_id * 64, wc->byte_len, &pair))
		return fprintf(stderr, "%s: a message that nobody sent\n", to->dev);
	if (r->state[pair] != was)
		return fprintf(stderr, "%s: message of pair %u again\n", to->dev, pair);
	r->state[pair]++;
	if (post_recv(to, wc->wr_id))
		return fprintf(stderr, "%s: post receive\n", to->dev);
	if (was == 2) {
		r->done++;
		return 0;
	}
	return send_one(to, from, pair % r->b.count, pair / r->b.count, pair, pair | ANSWER);
}

static int drain(struct run *r, struct end *from, struct end *to)
{
	struct ibv_wc wc[16];
	int n, err = 0;

	while ((n = ibv_poll_cq(to->cq, 16, wc)) > 0)
		for (int i = 0; i < n && !err; i++)
			err = take(r, from, to, &wc[i]);
	return n < 0 || err ? -1 : 0;
}

/* Wait for either end's next completion. */
static int wait_any(struct run *r, int ms)
{
	struct pollfd p[2] = {
		{ .fd = r->a.chan->fd, .events = POLLIN },
		{ .fd = r->b.chan->fd, .events = POLLIN },
	};
	struct end *ends[2] = { &r->a, &r->b };
	struct ibv_cq *cq;
	void *arg;

	if (poll(p, 2, ms) < 0 && errno != EINTR)
		return -1;
	for (int i = 0; i < 2; i++) {
		if (!(p[i].revents & POLLIN))
			continue;
		if (ibv_get_cq_event(ends[i]->chan, &cq, &arg))
			return -1;
		ibv_ack_cq_events(cq, 1);
		if (ibv_req_notify_cq(cq, 0))
			return -1;
	}
	return 0;
}

static int run_pairs(struct run *r, int seconds)
{
	int64_t deadline = now_ms() + seconds * 1000ll;
	int err = 0;

	while (!err && r->done < r->pairs && now_ms() < deadline) {
		while (!err && r->next < r->pairs && r->next - r->done < WINDOW) {
			uint32_t pair = r->next++;

			r->state[pair] = 1;
			err = send_one(&r->a, &r->b, pair / r->b.count, pair % r->b.count, pair,
				       pair);
		}
		/* what came in between the last look and the request for events shows here */
		if (!err)
			err = wait_any(r, 100);
		if (!err)
			err = drain(r, &r->a, &r->b);
		if (!err)
			err = drain(r, &r->b, &r->a);
	}
	for (uint32_t i = 0; i < r->pairs; i++)
		if (r->state[i] == 1 || r->state[i] == 2)
			fprintf(stderr, "pair %u: %s\n", i,
				r->state[i] == 2 ? "no answer" : "did not come in");
	printf("%u of %u pairs\n", r->done, r->pairs);
	return err || r->done < r->pairs ? 1 : 0;
}

static void close_end(struct end *e, uint32_t pairs)
{
	ibv_destroy_qp(e->qp);
	for (uint32_t i = 0; i < pairs; i++)
		if (e->ah[i])
			ibv_destroy_ah(e->ah[i]);
	ibv_dereg_mr(e->mr);
	ibv_destroy_cq(e->cq);
	ibv_destroy_comp_channel(e->chan);
	ibv_dealloc_pd(e->pd);
	ibv_close_device(e->ctx);
}

int main(int argc, char **argv)
{
	struct run r = {};
	int status;

	if (argc < 5) {
		fprintf(stderr, "usage: srxe_peers DEV_A DEV_B PREFIX_A PREFIX_B [SECONDS]\n");
		return 2;
	}
	r.a.dev = argv[1];
	r.b.dev = argv[2];
	r.a.ctx = open_device(r.a.dev);
	r.b.ctx = open_device(r.b.dev);
	if (!r.a.ctx || !r.b.ctx || find_addrs(&r.a, argv[3]) || find_addrs(&r.b, argv[4])) {
		fprintf(stderr, "srxe_peers: no such devices, or no such addresses\n");
		return 2;
	}
	r.pairs = r.a.count * r.b.count;
	r.state = calloc(r.pairs, 1);
	if (!r.state || set_up(&r.a, r.pairs) || set_up(&r.b, r.pairs)) {
		fprintf(stderr, "srxe_peers: %s\n", strerror(errno));
		return 2;
	}
	status = run_pairs(&r, argc > 5 ? atoi(argv[5]) : 60);
	close_end(&r.a, r.pairs);
	close_end(&r.b, r.pairs);
	return status;
}
