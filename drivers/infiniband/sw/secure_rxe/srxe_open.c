// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way in: every packet comes through srxe_rcv() before rxe looks at it.
 *
 * The checks stand in the order of the protocol ("Receiving"), each with its
 * counter. Until the tag has verified nothing changes and nothing is answered.
 * After it the packet waits for its turn in the SA's receive FIFO; in the
 * serial stage the replay window is tested and set in one step, so that of two
 * copies in crypto at the same time one is delivered. Then the packet is made
 * a plain one and given to rxe, or, if it is a CTRL, dealt with here.
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
#include "srxe_notify.h"
#include "srxe_open.h"
#include "srxe_pkt.h"
#include "srxe_policy.h"
#include "srxe_req.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_trace.h"

/*
 * A received packet carries a reference to its ib_device, as rxe has it. The
 * reasons, here and below, are counters; 0 is none, as that one is rxe's.
 */
static void drop(struct sk_buff *skb, struct rxe_dev *rxe, int why)
{
	srxe_count_drop(rxe, skb, why);
	kfree_skb(skb);
	ib_device_put(&rxe->ib_dev);
}

/* IP and UDP header as we send them, one behind the other, and nothing behind the packet. */
static bool outer_ok(const struct sk_buff *skb)
{
	const struct iphdr *iph = ip_hdr(skb);
	__be16 len = htons(skb->len + sizeof(struct udphdr));

	if (skb_transport_offset(skb) - skb_network_offset(skb) != srxe_ip_len(skb) ||
	    udp_hdr(skb)->len != len)
		return false;
	if (skb->protocol != htons(ETH_P_IP))
		return ipv6_hdr(skb)->payload_len == len;
	return iph->ihl == 5 &&
	       iph->tot_len == htons(skb->len + sizeof(struct udphdr) + sizeof(*iph));
}

static bool opcode_known(u8 opcode)
{
	if (opcode >= SRXE_OP_INIT && opcode <= SRXE_OP_CTRL)
		return true;
	return rxe_opcode[opcode].mask && rxe_opcode[opcode].length;
}

/* Step 1: what needs no SA. */
static int check_entry(const struct sk_buff *skb, const struct rxe_pkt_info *pkt,
		       int *class)
{
	if (skb->len < SRXE_MIN_LEN || !outer_ok(skb))
		return SRXE_CNT_RX_MALFORMED;
	if (pkt->srxe_flags & SRXE_PKT_REASSEMBLED)
		return SRXE_CNT_RX_FRAGMENT;
	if (!opcode_known(*pkt->hdr))
		return SRXE_CNT_RX_OPCODE;

	*class = srxe_frame_classify(pkt->hdr, skb->len);
	switch (*class) {
	case SRXE_FRAME_SEALED:
	case SRXE_FRAME_CTRL:
	case SRXE_FRAME_BARE:
		return 0;
	case SRXE_FRAME_ESETH:
		return SRXE_CNT_RX_RESERVED;
	case SRXE_FRAME_ESPI:
		return SRXE_CNT_RX_NO_SA;
	case SRXE_FRAME_EMODE:
		return SRXE_CNT_RX_MODE;
	default:
		return SRXE_CNT_RX_MALFORMED;
	}
}

/* As srxe_opcode_kind() has it. */
static u8 service_of(const struct srxe_sa *sa)
{
	return sa->ends.kind == SRXE_KIND_GSI ? SRXE_KIND_UD : sa->ends.kind;
}

/* Steps 2 and 3: the packet fits the SA, and asks for nothing but its own end. */
static int check_sa(const struct srxe_sa *sa, const struct sk_buff *skb,
		    const struct rxe_pkt_info *pkt, const struct srxe_seth_fields *seth)
{
	const struct srxe_bth *bth = (const struct srxe_bth *)pkt->hdr;
	const struct srxe_sa_ends *ends = &sa->ends;
	struct in6_addr saddr, daddr;
	int state = smp_load_acquire(&sa->state);	/* see settle() */

	if (state == SRXE_SA_EMBRYO || state == SRXE_SA_DEAD)
		return SRXE_CNT_RX_NO_SA;
	srxe_addrs(skb, &saddr, &daddr);
	if (sa->link->rxe != pkt->rxe || !ipv6_addr_equal(&saddr, &ends->rgid) ||
	    !ipv6_addr_equal(&daddr, &ends->lgid))
		return SRXE_CNT_RX_ADDR;
	if (seth->mode != sa->p.mode)
		return SRXE_CNT_RX_MODE;
	if (bth->opcode != SRXE_OP_CTRL && srxe_opcode_kind(bth->opcode) != service_of(sa))
		return SRXE_CNT_RX_KIND;
	if (srxe_kind_is_dgram(ends->kind))
		return bth->opcode == SRXE_OP_CTRL ? 0 : srxe_dgram_may_receive(sa, pkt);
	if ((be32_to_cpu(bth->qpn) & SRXE_BTH_QPN_MASK) != ends->lqpn)
		return SRXE_CNT_RX_QPN;
	return 0;
}

/* Find the SA of a packet and take a reference. 0, or why not. */
static int find_sa(const struct sk_buff *skb, const struct rxe_pkt_info *pkt,
		   const struct srxe_seth_fields *seth, struct srxe_sa **found)
{
	int why = SRXE_CNT_RX_NO_SA;
	struct srxe_sa *sa;

	rcu_read_lock();
	sa = srxe_spi_lookup(srxe_net(pkt->rxe), seth->spi);
	if (sa)
		why = check_sa(sa, skb, pkt, seth);
	if (!why && !srxe_sa_tryget(sa))
		why = SRXE_CNT_RX_NO_SA;
	rcu_read_unlock();
	*found = sa;
	return why;
}

/* Step 5; CTRL carries its type, and a handshake body or none. */
static int check_framing(struct srxe_req *req, const struct rxe_pkt_info *pkt)
{
	struct srxe_frame *f = &req->frame;
	u8 opcode = *pkt->hdr;
	bool ctrl = opcode == SRXE_OP_CTRL;
	unsigned int ext_len = ctrl ? 0 : rxe_opcode[opcode].length - sizeof(struct srxe_bth);

	if (srxe_frame_layout(f, pkt->hdr, pkt->paylen, ext_len, false))
		return SRXE_CNT_RX_FRAMING;
	if (ctrl && (f->pad || (f->payload_len != sizeof(struct srxe_ctrl) &&
				f->payload_len != sizeof(struct srxe_ctrl) +
						  sizeof(struct srxe_hs_body))))
		return SRXE_CNT_RX_FRAMING;
	return 0;
}

static int replay_reason(enum srxe_replay_verdict verdict)
{
	switch (verdict) {
	case SRXE_REPLAY_OK:
		return 0;
	case SRXE_REPLAY_SEEN:
		return SRXE_CNT_RX_REPLAY;
	default:
		return SRXE_CNT_RX_OLD;
	}
}

/*
 * Steps 4 and 5, and the place in the FIFO; its lock is held. @framing is what
 * check_framing() has found, which counts only if nothing before it does.
 */
static int take_place(struct srxe_sa *sa, struct srxe_req *req, int framing)
{
	struct srxe_sa_rx *rx = &sa->rx;
	struct srxe_epoch_key *key;
	u64 epoch;
	int why;

	if (!srxe_epoch_rx_find(&rx->e, req->seth.epoch, &epoch))
		return SRXE_CNT_RX_EPOCH;
	key = rx->keys[epoch % SRXE_RX_SLOTS];
	if (!key || key->epoch != epoch)
		return SRXE_CNT_RX_EPOCH;
	why = replay_reason(srxe_replay_check(&rx->window, req->seth.pn));
	if (why)
		return why;
	if (framing)
		return framing;
	if (rx->fifo.inflight >= SRXE_INFLIGHT_MAX)
		return SRXE_CNT_RX_BUSY;

	req->key = srxe_epoch_key_get(key);
	srxe_fifo_add(&rx->fifo, &req->fifo);
	return 0;
}

/* Step 6. Takes over the SA's reference and, unless it returns a reason, the packet. */
static int open_packet(struct srxe_sa *sa, struct sk_buff *skb, struct rxe_pkt_info *pkt,
		       const struct srxe_seth_fields *seth)
{
	struct srxe_req *req;
	int why;

	req = srxe_req_alloc(sa, skb, false);
	if (!req) {
		srxe_sa_put(sa);
		return SRXE_CNT_RX_NOMEM;
	}
	req->seth = *seth;
	why = check_framing(req, pkt);

	spin_lock_bh(&sa->rx.fifo.lock);
	why = take_place(sa, req, why);
	spin_unlock_bh(&sa->rx.fifo.lock);
	if (why) {
		srxe_req_free(req);
		srxe_sa_put(sa);
		return why;
	}

	srxe_bth_normalise((struct srxe_bth *)pkt->hdr);
	srxe_frame_sg_init(&req->frame, pkt->hdr, &req->fsg);
	srxe_nonce(sa->suite, req->key->salt, seth->pn, req->iv);
	srxe_req_submit(req);
	return 0;
}

static int rcv_sealed(struct srxe_link *link, struct sk_buff *skb, struct rxe_pkt_info *pkt)
{
	struct srxe_seth_fields seth;
	struct srxe_sa *sa;
	int class, why;

	why = check_entry(skb, pkt, &class);
	if (why)
		return why;
	if (class == SRXE_FRAME_BARE) {
		srxe_hs_rcv(link, skb);
		return 0;
	}
	srxe_seth_parse((struct srxe_seth *)(pkt->hdr + sizeof(struct srxe_bth)), &seth);
	why = find_sa(skb, pkt, &seth, &sa);
	if (why)
		return why;
	if (!srxe_ring_key_live(sa->key)) {
		srxe_sa_fail(sa, SRXE_VERR_KEY_REVOKED);
		srxe_sa_put(sa);
		return SRXE_CNT_RX_KEY_GONE;
	}
	return open_packet(sa, skb, pkt, &seth);
}

static int rcv_plain(struct srxe_link *link, struct sk_buff *skb)
{
	struct in6_addr saddr, daddr;

	srxe_addrs(skb, &saddr, &daddr);
	if (!srxe_policy_plain_ok(link, &saddr))
		return SRXE_CNT_RX_PLAIN_DENIED;
	rxe_rcv(skb);
	return 0;
}

/**
 * srxe_rcv() - a packet has arrived, from the wire or looped back
 * @skb: linear and private, skb->data at the BTH, packet info in its control
 *	block, with a reference to the ib_device; owned from now on
 *
 * Context: softirq, or the sender's context when looped back.
 */
void srxe_rcv(struct sk_buff *skb)
{
	struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);
	struct rxe_dev *rxe = pkt->rxe;
	struct srxe_link *link = rxe->sec.link;
	int why;

	if (skb->len < sizeof(struct srxe_bth) || skb->len != pkt->paylen)
		why = SRXE_CNT_RX_MALFORMED;
	else if (!(((struct srxe_bth *)pkt->hdr)->flags & SRXE_BTH_TVER_MASK))
		why = rcv_plain(link, skb);
	else
		why = rcv_sealed(link, skb, pkt);
	if (why)
		drop(skb, rxe, why);
}

static int open_reason(const struct srxe_req *req)
{
	switch (req->err) {
	case 0:
		return req->drop;
	case -EBADMSG:
		return SRXE_CNT_RX_AUTH;
	case -ENOSPC:
	case -EBUSY:
		return SRXE_CNT_RX_BUSY;
	default:
		return SRXE_CNT_RX_CRYPTO;
	}
}

/**
 * srxe_open_serial() - step 7 for a packet whose turn has come
 * @req: request whose crypto is over
 *
 * Context: process or softirq, the receive FIFO's lock held.
 */
void srxe_open_serial(struct srxe_req *req)
{
	struct srxe_sa *sa = req->sa;
	struct srxe_sa_rx *rx = &sa->rx;
	enum srxe_replay_verdict verdict;

	if (req->err)
		return;
	if (READ_ONCE(sa->state) == SRXE_SA_DEAD) {
		req->drop = SRXE_CNT_RX_NO_SA;
		return;
	}
	verdict = srxe_replay_test_and_set(&rx->window, req->seth.pn, &req->moved);
	req->drop = replay_reason(verdict);
	if (!req->drop && srxe_epoch_rx_seen(&rx->e, req->key->epoch, srxe_epoch_now()))
		srxe_epoch_kick(sa);
}

/* What a valid packet tells us besides what is in it. */
static void note_valid(struct srxe_sa *sa, const struct srxe_req *req)
{
	if (req->moved)
		srxe_epoch_heard(sa, req->seth.rx_epoch);
	if (sa->dgram)
		srxe_dgram_heard(sa->dgram, !req->frame.ctrl);
	if (READ_ONCE(sa->state) != SRXE_SA_PENDING)
		return;
	if (sa->conn)
		srxe_conn_confirmed(sa->conn, sa);
	if (sa->dgram)
		srxe_dgram_confirmed(sa->dgram, sa);
}

/* One drainer at a time, so the time of the last answer needs no lock. */
static void answer_probe(struct srxe_sa *sa)
{
	u64 now = ktime_get_boottime_ns();

	if (sa->rx.answered && now - sa->rx.answered < SRXE_PROBE_ANSWER_MS * NSEC_PER_MSEC)
		return;
	if (!srxe_seal_ctrl(sa, SRXE_CTRL_EMPTY, NULL, 0))
		sa->rx.answered = now;
}

static void rcv_ctrl(struct srxe_sa *sa, const struct srxe_req *req, const u8 *hdr)
{
	const struct srxe_ctrl *ctrl = (const void *)(hdr + req->frame.hdr_len);

	if (ctrl->type == SRXE_CTRL_PROBE)
		answer_probe(sa);
}

/* Make the packet the plain one it was before it was sealed. */
static void unseal(struct sk_buff *skb, struct rxe_pkt_info *pkt,
		   const struct srxe_sa *sa, const struct srxe_frame *f)
{
	/* rxe counts an ICRC; where there is none, four bytes of the ICV stand for it */
	unsigned int len = srxe_frame_plain_len(f) + SRXE_ICRC_LEN;

	memmove(pkt->hdr + sizeof(struct srxe_seth), pkt->hdr, sizeof(struct srxe_bth));
	pkt->hdr += sizeof(struct srxe_seth);
	srxe_bth_open((struct srxe_bth *)pkt->hdr);
	skb_pull(skb, sizeof(struct srxe_seth));
	skb_trim(skb, len);
	pkt->paylen = len;
	srxe_set_lengths(skb, len);

	pkt->srxe_flags = SRXE_PKT_OPENED | (f->icrc_len ? 0 : SRXE_PKT_NO_ICRC);
	if (sa->ends.kind == SRXE_KIND_UD)
		pkt->srxe_flags |= SRXE_PKT_UD;
	else if (sa->ends.kind == SRXE_KIND_GSI)
		pkt->srxe_flags |= SRXE_PKT_GSI;
	pkt->srxe_conn_id = sa->ends.conn_id;
}

/**
 * srxe_open_finish() - an opened packet's turn has come
 * @req: request, out of its FIFO; its SA reference stays the caller's
 *
 * Context: process or softirq, no lock held.
 */
void srxe_open_finish(struct srxe_req *req)
{
	struct sk_buff *skb = req->skb;
	struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);
	struct rxe_dev *rxe = pkt->rxe;
	struct srxe_sa *sa = req->sa;
	int why = open_reason(req);

	if (!why) {
		note_valid(sa, req);
		if (!srxe_frame_pad_ok(&req->frame, pkt->hdr))
			why = SRXE_CNT_RX_PAD;
	}
	if (why) {
		if (why == SRXE_CNT_RX_AUTH)
			srxe_notify_auth_failed(sa->link, &sa->ends, SRXE_AUTH_CAUSE_BAD_TAG);
		drop(skb, rxe, why);
		goto out;
	}

	rxe_counter_inc(rxe, SRXE_CNT_RX_OPENED);
	trace_srxe_open(req, pkt);
	if (req->frame.ctrl) {
		rcv_ctrl(sa, req, pkt->hdr);
		kfree_skb(skb);
		ib_device_put(&rxe->ib_dev);
	} else {
		unseal(skb, pkt, sa, &req->frame);
		rxe_rcv(skb);
	}
out:
	srxe_req_free(req);
}

/* A plain packet never enters a queue pair that has, or is getting, an SA. */
static bool protected(struct srxe_conn *conn)
{
	return rcu_access_pointer(conn->tx_sa) || !list_empty_careful(&conn->sas);
}

/* 0, or why a packet may not enter this queue pair, or not any more. */
static int misplaced(const struct rxe_qp *qp, const struct rxe_pkt_info *pkt)
{
	struct srxe_conn *conn = qp ? qp->sec.conn : NULL;

	if (pkt->srxe_flags & (SRXE_PKT_UD | SRXE_PKT_GSI)) {
		if (!qp || !srxe_dgram_fits(qp, pkt->srxe_flags & SRXE_PKT_GSI ?
					    SRXE_KIND_GSI : SRXE_KIND_UD))
			return SRXE_CNT_RX_QPN;
	} else if (pkt->srxe_flags & SRXE_PKT_OPENED) {
		if (!conn || READ_ONCE(conn->id) != pkt->srxe_conn_id)
			return SRXE_CNT_RX_QPN;
	} else if (conn && protected(conn)) {
		return SRXE_CNT_RX_PLAIN_DENIED;
	}
	return 0;
}

/**
 * srxe_rcv_check() - may this packet enter the queue pair it names?
 * @skb: packet
 * @pkt: packet info, its qp found and referenced, or NULL for multicast
 *
 * The SA's QPN was checked before; but the queue pair of that number may be
 * another one by now, or the same one after a reset. Only here the object
 * itself is at hand.
 *
 * Context: softirq or process.
 * Return: 0, or -EINVAL and rxe drops the packet, which is counted here.
 */
int srxe_rcv_check(struct sk_buff *skb, struct rxe_pkt_info *pkt)
{
	int why = misplaced(pkt->qp, pkt);

	if (!why && !(pkt->srxe_flags & SRXE_PKT_NO_ICRC) && rxe_icrc_check(skb, pkt))
		why = SRXE_CNT_RX_ICRC;
	if (why) {
		srxe_count_drop(pkt->rxe, skb, why);
		return -EINVAL;
	}
	if (!(pkt->srxe_flags & SRXE_PKT_OPENED))
		rxe_counter_inc(pkt->rxe, SRXE_CNT_RX_PLAIN);
	return 0;
}

/*
 * Between srxe_rcv_check() and the queue of the task that takes a packet, the
 * queue pair may be reset, and its queues emptied. What comes late waits there
 * for the next incarnation, which must not see it. A task looks for itself: it
 * does not run while its queue pair is reset.
 */
static bool came_late(struct rxe_qp *qp, struct sk_buff *skb)
{
	struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);
	int why = misplaced(qp, pkt);

	if (likely(!why))
		return false;
	srxe_count_drop(pkt->rxe, skb, why);
	return true;
}

/* As queued, with references to the queue pair and the device. */
static void discard(struct rxe_qp *qp, struct sk_buff *skb)
{
	struct ib_device *dev = qp->ibqp.device;

	kfree_skb(skb);
	rxe_put(qp);
	ib_device_put(dev);
}

/**
 * srxe_next_request() - next packet for the responder to look at
 * @qp: the queue pair
 *
 * Context: process (softirq in 6.1), the receive task of @qp.
 * Return: the packet, still queued, or NULL.
 */
struct sk_buff *srxe_next_request(struct rxe_qp *qp)
{
	struct sk_buff *skb = skb_peek(&qp->req_pkts);

	/* one that is being answered was looked at before */
	while (skb && !qp->resp.res && came_late(qp, skb)) {
		discard(qp, skb_dequeue(&qp->req_pkts));
		skb = skb_peek(&qp->req_pkts);
	}
	return skb;
}

/**
 * srxe_next_response() - next packet for the completer
 * @qp: the queue pair
 *
 * Context: process (softirq in 6.1), the send task of @qp.
 * Return: the packet, not queued any more, or NULL.
 */
struct sk_buff *srxe_next_response(struct rxe_qp *qp)
{
	struct sk_buff *skb = skb_dequeue(&qp->resp_pkts);

	while (skb && came_late(qp, skb)) {
		discard(qp, skb);
		skb = skb_dequeue(&qp->resp_pkts);
	}
	return skb;
}
