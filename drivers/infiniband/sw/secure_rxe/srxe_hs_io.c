// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Bare messages in and out.
 *
 * They come in softirq, and what they ask for takes long, so each link has a
 * work that judges them one by one. Until then they wait in a number of short
 * queues, by their source: who floods us fills the queue of his and keeps out
 * only those who share it.
 */
#include <linux/etherdevice.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <rdma/ib_cache.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_hs_io.h"
#include "srxe_hs_ops.h"
#include "srxe_hs_watch.h"
#include "srxe_pkt.h"
#include "srxe_policy.h"
#include "srxe_seal.h"
#include "srxe_trace.h"

/* Messages that are judged before others get the worker. */
#define RX_BUDGET	64
/* Works at a time: an X25519 takes a while, and there may be 10,000 of them. */
#define MAX_ACTIVE	8

struct workqueue_struct *srxe_hs_wq;

/* Protects links. */
static DEFINE_MUTEX(links_lock);
static LIST_HEAD(links);

/* struct rx_item - a message that waits */
struct rx_item {
	struct list_head	entry;
	struct srxe_hs_rx	rx;
};

/* Sending */

/* To an address of our own it must be looped back. */
static void set_loopback(const struct ib_gid_attr *attr, struct rxe_av *av)
{
	const struct net_device *ndev;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	if (!IS_ERR(ndev))
		ether_addr_copy(av->dmac, ndev->dev_addr);
	rcu_read_unlock();
}

/**
 * srxe_av_of_addrs() - address vector of a packet that no queue pair has one for
 * @rxe: device
 * @local: address of ours
 * @remote: the peer's
 * @av: filled in
 *
 * Context: any but hard interrupts.
 * Return: 0, or an error if @local is no address of the device.
 */
int srxe_av_of_addrs(struct rxe_dev *rxe, const struct in6_addr *local,
		     const struct in6_addr *remote, struct rxe_av *av)
{
	const struct ib_gid_attr *attr;
	union ib_gid gid;

	memset(av, 0, sizeof(*av));
	memcpy(gid.raw, local, sizeof(gid.raw));
	attr = rdma_find_gid_by_port(&rxe->ib_dev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	av->grh.sgid_index = attr->index;
	rdma_put_gid_attr(attr);

	av->port_num = 1;
	av->grh.hop_limit = IPDEFTTL;
	memcpy(av->grh.dgid.raw, remote, sizeof(av->grh.dgid.raw));
	av->network_type = ipv6_addr_v4mapped(local) ? RXE_NETWORK_TYPE_IPV4 :
						       RXE_NETWORK_TYPE_IPV6;
	rdma_gid2ip((struct sockaddr *)&av->sgid_addr, &gid);
	memcpy(gid.raw, remote, sizeof(gid.raw));
	rdma_gid2ip((struct sockaddr *)&av->dgid_addr, &gid);

	attr = rdma_find_gid_by_port(&rxe->ib_dev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return 0;
	set_loopback(attr, av);
	rdma_put_gid_attr(attr);
	return 0;
}

static void xmit(struct rxe_qp *qp, struct rxe_av *av, const struct in6_addr *local,
		 const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	struct rxe_pkt_info pkt = {
		.rxe	= to_rdev(qp->ibqp.device),
		.qp	= qp,
		.opcode	= msg->bth.opcode,
		.paylen	= sizeof(*msg),
	};
	struct in6_addr saddr, daddr;
	struct sk_buff *skb;

	skb = rxe_init_packet(pkt.rxe, av, sizeof(*msg), &pkt);
	if (!skb)
		return;
	memcpy(pkt.hdr, msg, sizeof(*msg));
	if (rxe_prepare(av, &pkt, skb)) {
		kfree_skb(skb);
		return;
	}
	/* the MAC is over the addresses: a path that changed meanwhile is of no use */
	srxe_addrs(skb, &saddr, &daddr);
	if (!ipv6_addr_equal(&saddr, local) || !ipv6_addr_equal(&daddr, remote))
		kfree_skb(skb);
	else if (srxe_xmit_tail(skb, &pkt))
		rxe_counter_inc(pkt.rxe, RXE_CNT_SEND_ERR);
}

/**
 * srxe_hs_xmit() - send a bare message
 * @conn: connection, its handshake locked, its queue pair alive
 * @local: from which address
 * @remote: to which address
 * @msg: the message
 *
 * If it does not get away it is as good as lost.
 *
 * Context: process.
 */
void srxe_hs_xmit(struct srxe_conn *conn, const struct in6_addr *local,
		  const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	struct rxe_qp *qp = conn->qp;
	struct rxe_av av;

	if (conn->hs.bound) {
		xmit(qp, &qp->pri_av, local, remote, msg);
		return;
	}
	if (srxe_av_of_addrs(conn->link->rxe, local, remote, &av))
		return;
	xmit(qp, &av, local, remote, msg);
	/*
	 * rxe keeps the route for the queue pair, which may get another peer;
	 * until then it is not in RTR, and nothing else is sent.
	 */
	sk_dst_reset(qp->sk->sk);
}

/**
 * srxe_hs_xmit_dgram() - send a bare message of a datagram kind
 * @link: link
 * @local: from which address
 * @remote: to which address
 * @msg: the message
 *
 * If it does not get away it is as good as lost.
 *
 * Context: process.
 */
void srxe_hs_xmit_dgram(struct srxe_link *link, const struct in6_addr *local,
			const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	struct rxe_qp *qp = srxe_gsi_get(link->rxe);
	struct rxe_av av;

	srxe_hs_watch_msg(link, true, local, remote, msg);
	if (!qp)
		return;
	if (!srxe_av_of_addrs(link->rxe, local, remote, &av))
		xmit(qp, &av, local, remote, msg);
	rxe_put(qp);
}

/* Receiving */

static void judge_conn(struct srxe_link *link, const struct srxe_hs_rx *rx)
{
	u32 qpn = be32_to_cpu(rx->msg.bth.qpn) & SRXE_BTH_QPN_MASK;
	struct srxe_conn *conn = NULL;
	struct rxe_qp *qp;

	qp = rxe_pool_get_index(&link->rxe->qp_pool, qpn);
	if (qp && READ_ONCE(qp->attr.qp_state) != IB_QPS_ERR)
		conn = qp->sec.conn;
	if (conn) {
		mutex_lock(&conn->hs_lock);
		if (conn->id)
			srxe_hs_input(&conn->hs, rx);
		mutex_unlock(&conn->hs_lock);
	} else {
		srxe_world_count_msg(link, rx, SRXE_HS_COUNT_STATE);
	}
	if (qp)
		rxe_put(qp);
}

static void judge(struct srxe_link *link, const struct srxe_hs_rx *rx)
{
	srxe_hs_watch_msg(link, false, &rx->local, &rx->remote, &rx->msg);
	if (srxe_kind_is_dgram(rx->msg.body.kind))
		srxe_dgram_input(link, rx);
	else
		judge_conn(link, rx);
}

/* The next message, one of each queue in turn. */
static struct rx_item *take(struct srxe_hs_link *hl)
{
	struct rx_item *item = NULL;
	unsigned int i, q;

	spin_lock_bh(&hl->lock);
	for (i = 0; !item && i < SRXE_HS_QUEUES; i++) {
		q = hl->turn;
		hl->turn = (hl->turn + 1) % SRXE_HS_QUEUES;
		item = list_first_entry_or_null(&hl->queues[q], struct rx_item, entry);
		if (item) {
			list_del(&item->entry);
			hl->lengths[q]--;
		}
	}
	spin_unlock_bh(&hl->lock);
	return item;
}

static void handle_rx(struct work_struct *work)
{
	struct srxe_hs_link *hl = container_of(work, struct srxe_hs_link, work);
	struct ib_device *ibdev = &hl->link->rxe->ib_dev;
	unsigned int budget = RX_BUDGET;
	struct rx_item *item;
	bool there;

	/* answers are sent in the device's name */
	there = ib_device_try_get(ibdev);
	while (budget && (item = take(hl))) {
		if (there) {
			judge(hl->link, &item->rx);
			budget--;
		}
		kfree(item);
	}
	if (!budget)
		queue_work(srxe_hs_wq, &hl->work);
	if (there)
		ib_device_put(ibdev);
}

static bool enqueue(struct srxe_hs_link *hl, struct rx_item *item)
{
	unsigned int q = siphash(&item->rx.remote, sizeof(item->rx.remote), &hl->seed) %
			 SRXE_HS_QUEUES;
	bool room;

	spin_lock_bh(&hl->lock);
	room = hl->lengths[q] < SRXE_HS_QUEUE_LEN;
	if (room) {
		list_add_tail(&item->entry, &hl->queues[q]);
		hl->lengths[q]++;
	}
	spin_unlock_bh(&hl->lock);
	return room;
}

/* Return: counter of the reason why it is dropped, 0 if it is not. */
static int receive(struct srxe_link *link, const struct sk_buff *skb)
{
	struct srxe_hs_link *hl = link->hs;
	struct rx_item *item;

	if (srxe_hs_check(skb->data, skb->len) != SRXE_HS_OK)
		return SRXE_CNT_HS_MALFORMED;
	item = kmalloc(sizeof(*item), GFP_ATOMIC);
	if (!item)
		return SRXE_CNT_HS_LIMIT;
	srxe_addrs(skb, &item->rx.remote, &item->rx.local);
	memcpy(&item->rx.msg, skb->data, sizeof(item->rx.msg));
	if (!enqueue(hl, item)) {
		kfree(item);
		return SRXE_CNT_HS_LIMIT;
	}
	queue_work(srxe_hs_wq, &hl->work);
	return 0;
}

/**
 * srxe_hs_rcv() - a bare message has arrived
 * @link: link it came in on
 * @skb: the packet, linear, skb->data at the BTH, with the device reference
 *	that every received packet has; consumed
 *
 * Context: softirq, or the sender's context when looped back.
 */
void srxe_hs_rcv(struct srxe_link *link, struct sk_buff *skb)
{
	int why = receive(link, skb);

	if (why)
		srxe_count_drop(link->rxe, skb, why);
	kfree_skb(skb);
	ib_device_put(&link->rxe->ib_dev);
}

/* Links */

/**
 * srxe_hs_link_create() - the handshake's part of a new link
 * @link: link; its device is not registered yet
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int srxe_hs_link_create(struct srxe_link *link)
{
	struct srxe_hs_link *hl = kzalloc(sizeof(*hl), GFP_KERNEL);
	unsigned int i;

	if (!hl)
		return -ENOMEM;
	hl->link = link;
	srxe_hs_limit_init(&hl->limit, ktime_get_boottime_ns());
	spin_lock_init(&hl->lock);
	for (i = 0; i < SRXE_HS_QUEUES; i++)
		INIT_LIST_HEAD(&hl->queues[i]);
	get_random_bytes(&hl->seed, sizeof(hl->seed));
	INIT_WORK(&hl->work, handle_rx);
	link->hs = hl;

	mutex_lock(&links_lock);
	list_add_tail(&hl->entry, &links);
	mutex_unlock(&links_lock);
	return 0;
}

/**
 * srxe_hs_link_destroy() - the link goes
 * @link: link; its device is no longer registered, or never was, so nothing
 *	comes in any more and no queue pair is left
 *
 * Context: process, may sleep.
 */
void srxe_hs_link_destroy(struct srxe_link *link)
{
	struct srxe_hs_link *hl = link->hs;
	struct rx_item *item;

	mutex_lock(&links_lock);
	list_del(&hl->entry);
	mutex_unlock(&links_lock);

	cancel_work_sync(&hl->work);
	while ((item = take(hl)))
		kfree(item);
	srxe_hs_limit_destroy(&hl->limit);
	link->hs = NULL;
	kfree(hl);
}

/**
 * srxe_hs_each_link() - do something with every link there is
 * @fn: what; may sleep
 *
 * Context: process, may sleep.
 */
void srxe_hs_each_link(void (*fn)(struct srxe_link *link))
{
	struct srxe_hs_link *hl;

	mutex_lock(&links_lock);
	list_for_each_entry(hl, &links, entry)
		fn(hl->link);
	mutex_unlock(&links_lock);
}

/**
 * srxe_hs_init() - make what handshakes need
 *
 * Context: process, module load.
 * Return: 0 or -ENOMEM.
 */
int srxe_hs_init(void)
{
	/* storage may have to connect again to get memory free */
	srxe_hs_wq = alloc_workqueue("srxe_hs", WQ_UNBOUND | WQ_MEM_RECLAIM, MAX_ACTIVE);
	return srxe_hs_wq ? 0 : -ENOMEM;
}

/**
 * srxe_hs_exit() - undo srxe_hs_init()
 *
 * No link is left, and with it no queue pair; what is still queued finds that.
 *
 * Context: process, module unload.
 */
void srxe_hs_exit(void)
{
	destroy_workqueue(srxe_hs_wq);
}
