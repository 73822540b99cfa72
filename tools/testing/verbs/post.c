// SPDX-License-Identifier: GPL-2.0
/* Work requests, among them two that rdma-core 44 cannot post. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/rdma_user_rxe.h>
#include "traffic.h"

/* enum rxe_wr_opcode as the kernel knows it; older user headers stop short of these. */
#define WR_FLUSH		14
#define WR_ATOMIC_WRITE		15
#define FLUSH_GLOBAL		1
#define FLUSH_RANGE		0

/* struct rxe_send_wr.wr.flush */
struct wqe_flush {
	uint64_t remote_addr;
	uint32_t length, rkey;
	uint8_t type, level;
};

int post_recv(struct endpoint *ep, void *p, uint32_t len, uint32_t index)
{
	struct ibv_sge sge = { .addr = (uintptr_t)p, .length = len, .lkey = ep->mr->lkey };
	struct ibv_recv_wr wr = {
		.wr_id = WR_ID(WR_RECV, index), .sg_list = &sge, .num_sge = 1,
	}, *bad;

	return ibv_post_recv(ep->qp, &wr, &bad);
}

int post_bind(struct endpoint *ep, struct ibv_mw *mw, void *p, uint32_t len, uint32_t rkey,
	      uint32_t index)
{
	struct ibv_send_wr wr = {
		.wr_id = WR_ID(WR_LOCAL, index),
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = mw,
			.rkey = rkey,
			.bind_info = {
				.mr = ep->mr, .addr = (uintptr_t)p, .length = len,
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE |
						   IBV_ACCESS_REMOTE_READ,
			},
		},
	}, *bad;

	return ibv_post_send(ep->qp, &wr, &bad);
}

/*
 * Find the WQE just written in the queue the provider has mapped, by its wr_id. The
 * library has no call for FLUSH and, at this version, none for ATOMIC WRITE on rxe;
 * the queue's layout is kernel ABI.
 */
static struct rxe_send_wqe *find_wqe(uint64_t wr_id)
{
	FILE *f = fopen("/proc/self/maps", "r");
	struct rxe_send_wqe *wqe = NULL;
	char line[512];
	unsigned long start, end;

	while (f && !wqe && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "/uverbs") || sscanf(line, "%lx-%lx", &start, &end) != 2)
			continue;
		for (unsigned long p = start; p + sizeof(*wqe) <= end; p += 8) {
			if (*(uint64_t *)p == wr_id) {
				wqe = (void *)p;
				break;
			}
		}
	}
	if (f)
		fclose(f);
	return wqe;
}

/* Write an RDMA WRITE the library knows, and turn it into @r before it is published. */
static int post_patched(struct endpoint *ep, const struct req *r)
{
	/* recognisable: no other 8 bytes in the queues look like this */
	uint64_t mark = WR_ID(WR_REQ, 0) | 0x00a5c35a0000ull << 8 | pattern_word(now_ms(), 1) >> 40;
	struct wqe_flush flush = {
		.remote_addr = r->remote, .length = r->len, .rkey = r->rkey,
		.type = FLUSH_GLOBAL, .level = FLUSH_RANGE,
	};
	struct rxe_send_wqe *wqe;

	ibv_wr_start(ep->qpx);
	ep->qpx->wr_id = mark;
	ep->qpx->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(ep->qpx, r->rkey, r->remote);
	if (r->op == OP_ATOMIC_WRITE)
		ibv_wr_set_sge(ep->qpx, ep->mr->lkey, (uintptr_t)r->local, r->len);
	else
		ibv_wr_set_sge(ep->qpx, 0, 0, 0);
	wqe = find_wqe(mark);
	if (!wqe) {
		ibv_wr_abort(ep->qpx);
		return EOPNOTSUPP;
	}
	wqe->wr.wr_id = r->wr_id;
	if (r->op == OP_FLUSH) {
		wqe->wr.opcode = WR_FLUSH;
		memcpy(&wqe->wr.wr, &flush, sizeof(flush));
		wqe->dma.length = r->len;
		wqe->dma.resid = r->len;
		wqe->dma.num_sge = 0;
	} else {
		wqe->wr.opcode = WR_ATOMIC_WRITE;
		/* the data stand where the first scatter entry would */
		memcpy(wqe->dma.sge, r->local, 8);
	}
	return ibv_wr_complete(ep->qpx);
}

static const enum ibv_wr_opcode opcodes[OP_COUNT] = {
	[OP_SEND] = IBV_WR_SEND,
	[OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
	[OP_SEND_INV] = IBV_WR_SEND_WITH_INV,
	[OP_WRITE] = IBV_WR_RDMA_WRITE,
	[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
	[OP_READ] = IBV_WR_RDMA_READ,
	[OP_CAS] = IBV_WR_ATOMIC_CMP_AND_SWP,
	[OP_FADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
};

int post_req(struct endpoint *ep, const struct req *r)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)r->local, .length = r->len, .lkey = ep->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = r->wr_id, .sg_list = &sge, .num_sge = 1, .opcode = opcodes[r->op],
	}, *bad;

	if (r->op == OP_FLUSH || r->op == OP_ATOMIC_WRITE)
		return post_patched(ep, r);
	if (r->op == OP_SEND_INV)
		wr.invalidate_rkey = r->imm_or_inv;
	else
		wr.imm_data = htobe32(r->imm_or_inv);
	if (is_ud(ep)) {
		wr.wr.ud.ah = ep->ah;
		wr.wr.ud.remote_qpn = ep->to.qpn;
		wr.wr.ud.remote_qkey = ep->to.qkey;
	} else if (r->op == OP_CAS || r->op == OP_FADD) {
		wr.wr.atomic.remote_addr = r->remote;
		wr.wr.atomic.rkey = r->rkey;
		wr.wr.atomic.compare_add = r->compare;
		wr.wr.atomic.swap = r->swap;
	} else {
		wr.wr.rdma.remote_addr = r->remote;
		wr.wr.rdma.rkey = r->rkey;
	}
	return ibv_post_send(ep->qp, &wr, &bad);
}
