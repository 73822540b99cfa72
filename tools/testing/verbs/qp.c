// SPDX-License-Identifier: GPL-2.0
/* The queue pair, from creation to RTS. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include "traffic.h"

bool qp_can(const struct endpoint *ep, enum op op)
{
	if (is_ud(ep))
		return op == OP_SEND || op == OP_SEND_IMM;
	if (ep->o->qp_type == IBV_QPT_UC)
		return op == OP_SEND || op == OP_SEND_IMM || op == OP_WRITE || op == OP_WRITE_IMM;
	if (op == OP_ATOMIC_WRITE)
		return ep->dev_caps & DEVICE_ATOMIC_WRITE;
	if (op == OP_FLUSH)
		return ep->dev_caps & DEVICE_FLUSH_GLOBAL;
	if (op == OP_SEND_INV)
		return ep->mw[0];
	return true;
}

static uint64_t send_ops(const struct endpoint *ep)
{
	uint64_t ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (!is_ud(ep))
		ops |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	if (ep->o->qp_type == IBV_QPT_RC)
		ops |= IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_SEND_WITH_INV;
	return ops;
}

static uint32_t start_psn(const struct endpoint *ep)
{
	uint32_t psn = 0;

	if (ep->o->psn >= 0)
		return ep->o->psn & 0xffffff;
	if (getrandom(&psn, sizeof(psn), 0) < 0)
		psn = (uint32_t)now_ms();
	return psn & 0xffffff;
}

static int to_init(struct endpoint *ep)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.qkey = UD_QKEY,
	};

	if (is_ud(ep))
		return ibv_modify_qp(ep->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				     IBV_QP_PORT | IBV_QP_QKEY);
	if (qp_can(ep, OP_FLUSH))
		attr.qp_access_flags |= ACCESS_FLUSH_GLOBAL;
	return ibv_modify_qp(ep->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     IBV_QP_ACCESS_FLAGS);
}

int qp_create(struct endpoint *ep, unsigned int recvs, char *reason)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = ep->cq,
		.recv_cq = ep->cq,
		.cap = { .max_send_wr = 2 * MAX_DEPTH, .max_recv_wr = recvs,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = ep->o->qp_type,
		.sq_sig_all = 1,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = ep->pd,
		.send_ops_flags = send_ops(ep),
	};
	int err;

	ep->qp = ibv_create_qp_ex(ep->ctx, &init);
	if (!ep->qp) {
		snprintf(reason, REASON_LEN, "create QP: %s", strerror(errno));
		return -errno;
	}
	ep->qpx = ibv_qp_to_qp_ex(ep->qp);
	ep->psn = start_psn(ep);
	err = to_init(ep);
	if (err)
		snprintf(reason, REASON_LEN, "QP to INIT: %s", strerror(err));
	return -err;
}

static int to_rtr(struct endpoint *ep, uint32_t mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = __builtin_ctz(mtu) - 7,	/* 256 is 1 */
		.dest_qp_num = ep->remote.qpn,
		.rq_psn = ep->remote.psn,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = 12,
		.ah_attr = {
			.is_global = 1,
			.port_num = 1,
			.grh = { .dgid = ep->remote.gid, .sgid_index = ep->gid_index,
				 .hop_limit = 64 },
		},
	};
	int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (is_ud(ep))
		mask = IBV_QP_STATE;
	else if (ep->o->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(ep->qp, &attr, mask);
}

static int to_rts(struct endpoint *ep)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = ep->psn,
		.max_rd_atomic = 16,
		.timeout = ep->o->qp_timeout,
		.retry_cnt = ep->o->retry_cnt,
		.rnr_retry = ep->o->rnr_retry,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (ep->o->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			IBV_QP_RNR_RETRY;
	return ibv_modify_qp(ep->qp, &attr, mask);
}

/* Datagrams go to the peer that we were told of. */
static int aim(struct endpoint *ep)
{
	struct ud_target to = {
		.gid = ep->remote.gid, .qpn = ep->remote.qpn, .qkey = UD_QKEY,
	};

	return is_ud(ep) ? ud_aim(ep, &to) : 0;
}

static int exchange(struct endpoint *ep, char *reason)
{
	char gid[INET6_ADDRSTRLEN], line[LINE_LEN];
	int ms = ep->o->timeout_s * 1000, err;

	inet_ntop(AF_INET6, ep->gid.raw, gid, sizeof(gid));
	oob_send(ep->oob, "qp %u %u %s %" PRIx64 " %x", ep->qp->qp_num, ep->psn, gid,
		 (uint64_t)(uintptr_t)ep->mem, ep->mr->rkey);
	err = oob_recv(ep->oob, line, sizeof(line), ms, reason);
	if (err)
		return err;
	if (sscanf(line, "qp %u %u %45s %" SCNx64 " %x", &ep->remote.qpn, &ep->remote.psn, gid,
		   &ep->remote.va, &ep->remote.rkey) == 5 &&
	    inet_pton(AF_INET6, gid, ep->remote.gid.raw) == 1)
		return 0;
	snprintf(reason, REASON_LEN, "peer: %.200s", line);
	return -EPROTO;
}

/* Tell the peer where we stand and hear where it does; neither sends before both are up. */
static int meet(struct endpoint *ep, int err, char *reason)
{
	char line[LINE_LEN];

	oob_send(ep->oob, err ? "up fail %s" : "up", reason);
	if (err)
		return -err;
	err = oob_recv(ep->oob, line, sizeof(line), ep->o->timeout_s * 1000, reason);
	if (err)
		return err;
	if (!strcmp(line, "up"))
		return 0;
	snprintf(reason, REASON_LEN, "peer: %.200s", line);
	return -EPROTO;
}

/* The same QP once more: RESET and INIT, for a new connection with the old numbers. */
int qp_reset(struct endpoint *ep)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	int err = ibv_modify_qp(ep->qp, &attr, IBV_QP_STATE);

	ep_poll(ep);
	ep_reset_counts(ep);
	return err ? err : to_init(ep);
}

/* And to RTS, as qp_connect() had it; the peer does the same by itself. */
int qp_up(struct endpoint *ep, uint32_t mtu)
{
	int err = to_rtr(ep, mtu);

	return err ? err : to_rts(ep);
}

int qp_connect(struct endpoint *ep, uint32_t mtu, char *reason)
{
	int err = exchange(ep, reason);

	if (err)
		return err;
	err = to_rtr(ep, mtu);
	if (err)
		snprintf(reason, REASON_LEN, "QP to RTR: %s", strerror(err));
	if (!err) {
		err = to_rts(ep);
		if (err)
			snprintf(reason, REASON_LEN, "QP to RTS: %s", strerror(err));
	}
	if (!err) {
		err = aim(ep);
		if (err)
			snprintf(reason, REASON_LEN, "address handle: %s", strerror(err));
	}
	ep_reset_counts(ep);
	return meet(ep, err, reason);
}

void qp_destroy(struct endpoint *ep)
{
	if (!ep->qp)
		return;
	ibv_destroy_qp(ep->qp);
	ud_lower(ep);
	ep->qp = NULL;
	ep->qpx = NULL;
	/* what the old QP left in the CQ must not count for the next one */
	ep_poll(ep);
	ep_reset_counts(ep);
}
