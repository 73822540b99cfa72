// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way out: every packet rxe has finished comes through srxe_seal().
 *
 * A connection with an SA sends under it and in no other way. Without one,
 * policy decides for each packet whether it may go as it is; what may not is
 * dropped and counts as lost, which is what rxe makes of it too: RC repeats it
 * until the SA stands or the queue pair has been told that none will.
 */
#include <linux/string.h>

#include "rxe.h"
#include "rxe_loc.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_epoch.h"
#include "srxe_frame.h"
#include "srxe_hooks.h"
#include "srxe_hs_io.h"
#include "srxe_pkt.h"
#include "srxe_policy.h"
#include "srxe_req.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_seal.h"
#include "srxe_trace.h"

/* A packet that is dropped on its way out is a lost packet: nothing more happens. */
static void drop(struct rxe_dev *rxe, struct sk_buff *skb, enum rxe_counters why)
{
	srxe_count_drop(rxe, skb, why);
	kfree_skb(skb);
}

/**
 * srxe_seal_plain() - send a packet as it is
 * @pkt: packet info
 * @skb: the plain packet, its ICRC not computed; owned from now on
 *
 * Context: process or softirq; policy has been asked.
 * Return: 0 or the error of sending it.
 */
int srxe_seal_plain(struct rxe_pkt_info *pkt, struct sk_buff *skb)
{
	rxe_icrc_generate(skb, pkt);
	rxe_counter_inc(pkt->rxe, SRXE_CNT_TX_PLAIN);
	return srxe_xmit_tail(skb, pkt);
}

static int send_unkeyed(struct srxe_link *link, struct rxe_pkt_info *pkt,
			struct sk_buff *skb, const struct in6_addr *peer)
{
	if (srxe_policy_plain_ok(link, peer))
		return srxe_seal_plain(pkt, skb);
	drop(pkt->rxe, skb, SRXE_CNT_TX_NO_SA);
	return 0;
}

/* The SA a connection sends under, with a reference, or NULL. */
static struct srxe_sa *tx_sa_get(struct srxe_conn *conn)
{
	struct srxe_sa *sa;

	rcu_read_lock();
	sa = rcu_dereference(conn->tx_sa);
	if (sa && !srxe_sa_tryget(sa))
		sa = NULL;
	rcu_read_unlock();
	return sa;
}

/* What the SA's tags entitle to; the peer would drop anything else. */
static bool entitled(const struct srxe_sa *sa, const struct srxe_bth *bth,
		     const struct in6_addr *saddr, const struct in6_addr *daddr)
{
	const struct srxe_sa_ends *ends = &sa->ends;

	return (bth->opcode == SRXE_OP_CTRL || srxe_opcode_kind(bth->opcode) == ends->kind) &&
	       (be32_to_cpu(bth->qpn) & SRXE_BTH_QPN_MASK) == ends->rqpn &&
	       ipv6_addr_equal(saddr, &ends->lgid) &&
	       ipv6_addr_equal(daddr, &ends->rgid);
}

/*
 * Make room for SETH and ICV: the headers before SETH move down. rxe has left
 * head and tail room; without it the packet cannot be sent.
 */
static bool make_room(struct sk_buff *skb, struct rxe_pkt_info *pkt, unsigned int len)
{
	unsigned int hdrs = srxe_ip_len(skb) + sizeof(struct udphdr) + sizeof(struct srxe_bth);
	unsigned int more = len - pkt->paylen - sizeof(struct srxe_seth);

	if (skb_headroom(skb) < sizeof(struct srxe_seth) || skb_tailroom(skb) < more)
		return false;

	skb_push(skb, sizeof(struct srxe_seth));
	memmove(skb->data, skb->data + sizeof(struct srxe_seth), hdrs);
	skb_put(skb, more);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, srxe_ip_len(skb));
	srxe_set_lengths(skb, len);
	pkt->hdr -= sizeof(struct srxe_seth);
	pkt->paylen = len;
	return true;
}

static void move_on(struct srxe_sa *sa, u64 now)
{
	struct srxe_sa_tx *tx = &sa->tx;

	srxe_epoch_key_put(tx->key);
	tx->key = tx->next;
	tx->next = NULL;
	tx->asked = false;
	srxe_epoch_tx_move(&tx->e, tx->pn, now);
	srxe_epoch_kick(sa);
}

/*
 * Packet number, key and place in the FIFO, all under its lock. Returns 0 or
 * the counter of what is in the way.
 */
static int take_place(struct srxe_sa *sa, struct srxe_req *req, bool ctrl)
{
	struct srxe_sa_tx *tx = &sa->tx;
	u64 now = srxe_epoch_now();

	if (READ_ONCE(sa->state) != SRXE_SA_STANDING)
		return SRXE_CNT_TX_NO_SA;
	if (tx->fifo.inflight >= SRXE_INFLIGHT_MAX)
		return SRXE_CNT_TX_BUSY;

	switch (srxe_epoch_tx_step(&tx->e, &sa->limits, tx->pn, now, tx->next, ctrl)) {
	case SRXE_EPOCH_REFUSE:
		return SRXE_CNT_TX_LIMIT;
	case SRXE_EPOCH_MOVE:
		move_on(sa, now);
		break;
	case SRXE_EPOCH_DUE:
		if (!tx->asked) {
			tx->asked = true;
			srxe_epoch_kick(sa);
		}
		break;
	case SRXE_EPOCH_STAY:
		break;
	}
	req->key = srxe_epoch_key_get(tx->key);
	req->seth.pn = ++tx->pn;
	req->seth.epoch = tx->e.epoch;
	srxe_fifo_add(&tx->fifo, &req->fifo);
	return 0;
}

/* Write what is left to write, and describe it to the crypto API. */
static int prepare(struct srxe_req *req, unsigned int ext_len)
{
	struct srxe_sa *sa = req->sa;
	u8 *hdr = req->pkt.hdr;

	req->seth.spi = sa->p.peer_spi;
	req->seth.mode = sa->p.mode;
	req->seth.rx_epoch = READ_ONCE(sa->rx.e.ready);
	req->seth.rkh = false;
	srxe_bth_seal((struct srxe_bth *)hdr);
	srxe_seth_build((struct srxe_seth *)(hdr + sizeof(struct srxe_bth)), &req->seth);
	if (srxe_frame_layout(&req->frame, hdr, req->pkt.paylen, ext_len, false))
		return -EMSGSIZE;
	srxe_frame_sg_init(&req->frame, hdr, &req->fsg);
	srxe_nonce(sa->suite, req->key->salt, req->seth.pn, req->iv);
	return 0;
}

/*
 * Seal a packet and send it, now or when an engine has done its part. Takes
 * over the packet and the SA reference.
 *
 * @plain_len is what there is from the BTH on, without an ICRC.
 */
static void transmit(struct srxe_sa *sa, const struct rxe_pkt_info *pkt,
		     struct sk_buff *skb, unsigned int plain_len, unsigned int ext_len,
		     bool ctrl)
{
	unsigned int len = srxe_frame_sealed_len(plain_len, 0, sa->p.mode, ctrl);
	struct srxe_req *req;
	int why = SRXE_CNT_TX_NOMEM;

	req = srxe_req_alloc(sa, skb, true);
	if (!req)
		goto err;
	req->pkt = *pkt;
	req->pkt.wqe = NULL;	/* may be gone once the requester goes on */
	if (!make_room(skb, &req->pkt, len))
		goto err_req;

	spin_lock_bh(&sa->tx.fifo.lock);
	why = take_place(sa, req, ctrl);
	spin_unlock_bh(&sa->tx.fifo.lock);
	if (why)
		goto err_req;

	rxe_get(pkt->qp);
	if (prepare(req, ext_len))
		srxe_req_done(req, -EMSGSIZE);
	else
		srxe_req_submit(req);
	return;

err_req:
	srxe_req_free(req);
err:
	drop(pkt->rxe, skb, why);
	srxe_sa_put(sa);
}

/**
 * srxe_seal_data() - seal a packet and send it
 * @sa: SA, standing; its reference is taken over
 * @pkt: packet info with the queue pair, referenced; not used any more when this
 *	returns
 * @skb: the plain packet, its ICRC not computed; owned from now on
 *
 * Context: process or softirq.
 */
void srxe_seal_data(struct srxe_sa *sa, const struct rxe_pkt_info *pkt, struct sk_buff *skb)
{
	/* the inner ICRC is that of the plain packet, lengths included */
	if (sa->p.mode == SRXE_MODE_HEADER)
		rxe_icrc_generate(skb, (struct rxe_pkt_info *)pkt);
	transmit(sa, pkt, skb, pkt->paylen - SRXE_ICRC_LEN,
		 rxe_opcode[pkt->opcode].length - sizeof(struct srxe_bth), false);
}

/**
 * srxe_seal() - send a packet the way it has to be sent
 * @qp: queue pair it comes from
 * @pkt: packet info; not used any more when this returns
 * @skb: the finished plain packet, its ICRC not computed; owned from now on
 *
 * Context: process or softirq, qp referenced.
 * Return: 0 also for packets that were dropped, which is as good as lost; the
 * error of sending a plain one.
 */
int srxe_seal(struct rxe_qp *qp, struct rxe_pkt_info *pkt, struct sk_buff *skb)
{
	struct srxe_conn *conn = qp->sec.conn;
	struct srxe_link *link = pkt->rxe->sec.link;
	struct in6_addr saddr, daddr;
	struct srxe_sa *sa;

	srxe_addrs(skb, &saddr, &daddr);
	if (!conn)
		return srxe_dgram_send(qp, pkt, skb, &saddr, &daddr);
	sa = tx_sa_get(conn);
	if (!sa)
		return send_unkeyed(link, pkt, skb, &daddr);

	if (!srxe_ring_key_live(sa->key)) {
		srxe_conn_fail(conn, sa, SRXE_VERR_KEY_REVOKED);
	} else if (entitled(sa, (struct srxe_bth *)pkt->hdr, &saddr, &daddr)) {
		srxe_seal_data(sa, pkt, skb);
		return 0;
	}
	drop(pkt->rxe, skb, SRXE_CNT_TX_NO_SA);
	srxe_sa_put(sa);
	return 0;
}

static enum rxe_counters seal_error(int err)
{
	switch (err) {
	case -ENOSPC:
	case -EBUSY:
		return SRXE_CNT_TX_BUSY;
	default:
		return SRXE_CNT_TX_CRYPTO;
	}
}

/**
 * srxe_seal_finish() - a sealed packet's turn has come
 * @req: request, out of its FIFO; its SA reference stays the caller's
 *
 * A packet whose seal failed is dropped with its number: its buffer may be
 * half ciphertext.
 *
 * Context: process or softirq, no lock held.
 */
void srxe_seal_finish(struct srxe_req *req)
{
	struct rxe_dev *rxe = req->pkt.rxe;
	struct rxe_qp *qp = req->pkt.qp;

	if (req->err) {
		drop(rxe, req->skb, seal_error(req->err));
	} else if (READ_ONCE(req->sa->state) == SRXE_SA_DEAD) {
		drop(rxe, req->skb, SRXE_CNT_TX_NO_SA);
	} else {
		rxe_counter_inc(rxe, SRXE_CNT_TX_SEALED);
		trace_srxe_seal(req, &req->pkt);
		/* nobody is left to be told: like any loss on the way */
		if (srxe_xmit_tail(req->skb, &req->pkt))
			rxe_counter_inc(rxe, RXE_CNT_SEND_ERR);
	}
	srxe_req_free(req);
	rxe_put(qp);
}

/* The queue pair of an SA with a reference, if it still is the SA's incarnation. */
static struct rxe_qp *sa_qp_get(struct srxe_sa *sa)
{
	struct srxe_conn *conn = sa->conn;
	struct rxe_qp *qp = NULL;

	if (!conn)
		return NULL;
	spin_lock_bh(&conn->lock);
	if (conn->id == sa->ends.conn_id && rxe_get(conn->qp))
		qp = conn->qp;
	spin_unlock_bh(&conn->lock);
	return qp;
}

static void write_ctrl(struct srxe_sa *sa, u8 *hdr, u8 type, const void *body, size_t len)
{
	struct srxe_bth *bth = (struct srxe_bth *)hdr;
	struct srxe_ctrl *ctrl = (struct srxe_ctrl *)(bth + 1);

	memset(bth, 0, sizeof(*bth));
	bth->opcode = SRXE_OP_CTRL;
	bth->pkey = cpu_to_be16(SRXE_BTH_PKEY);
	bth->qpn = cpu_to_be32(sa->ends.rqpn);
	memset(ctrl, 0, sizeof(*ctrl));
	ctrl->type = type;
	if (len)
		memcpy(ctrl->body, body, len);
}

static int send_ctrl(struct srxe_sa *sa, struct rxe_qp *qp, struct rxe_av *av, u8 type,
		     const void *body, size_t len)
{
	unsigned int plain_len = sizeof(struct srxe_bth) + sizeof(struct srxe_ctrl) + len;
	struct rxe_pkt_info pkt = {
		.rxe	= sa->link->rxe,
		.qp	= qp,
		.opcode	= SRXE_OP_CTRL,
		.paylen	= plain_len,
	};
	struct in6_addr saddr, daddr;
	struct sk_buff *skb;

	skb = rxe_init_packet(pkt.rxe, av, plain_len, &pkt);
	if (!skb)
		return -ENOMEM;
	write_ctrl(sa, pkt.hdr, type, body, len);
	if (rxe_prepare(av, &pkt, skb)) {
		kfree_skb(skb);
		return -EHOSTUNREACH;
	}
	srxe_addrs(skb, &saddr, &daddr);
	if (!entitled(sa, (struct srxe_bth *)pkt.hdr, &saddr, &daddr)) {
		kfree_skb(skb);
		return -EADDRNOTAVAIL;
	}
	if (sa->dgram)
		srxe_dgram_sent(sa->dgram, false);
	transmit(srxe_sa_get(sa), &pkt, skb, plain_len, 0, true);
	return 0;
}

/* Those of a datagram SA go out from queue pair 1, whatever their kind. */
static int send_dgram_ctrl(struct srxe_sa *sa, u8 type, const void *body, size_t len)
{
	struct rxe_dev *rxe = sa->link->rxe;
	struct rxe_qp *qp = srxe_gsi_get(rxe);
	struct rxe_av av;
	int err = -EADDRNOTAVAIL;

	if (!qp)
		return -ENOTCONN;
	if (!srxe_av_of_addrs(rxe, &sa->ends.lgid, &sa->ends.rgid, &av))
		err = send_ctrl(sa, qp, &av, type, body, len);
	rxe_put(qp);
	return err;
}

/**
 * srxe_seal_ctrl() - send a CTRL under an SA
 * @sa: SA, referenced
 * @type: enum srxe_ctrl_type
 * @body: handshake message for SRXE_CTRL_INIT and SRXE_CTRL_RESP, else NULL
 * @len: bytes of @body
 *
 * Context: process or softirq, no lock of the SA or its connection held.
 * Return: 0 if it is on its way, which it may fail to survive; -ENOTCONN if
 * the SA may not send (it does not stand, or has lost its queue pair), -ENOMEM,
 * -EHOSTUNREACH, -EADDRNOTAVAIL if the queue pair's addresses are not the SA's.
 */
int srxe_seal_ctrl(struct srxe_sa *sa, u8 type, const void *body, size_t len)
{
	struct rxe_qp *qp;
	int err;

	if (READ_ONCE(sa->state) != SRXE_SA_STANDING)
		return -ENOTCONN;
	if (sa->dgram)
		return send_dgram_ctrl(sa, type, body, len);
	qp = sa_qp_get(sa);
	if (!qp)
		return -ENOTCONN;
	err = send_ctrl(sa, qp, &qp->pri_av, type, body, len);
	rxe_put(qp);
	return err;
}
