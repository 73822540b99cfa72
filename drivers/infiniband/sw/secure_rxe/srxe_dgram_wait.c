// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams that wait for the SA of their peer. Their work requests complete when
 * they are handed over, as they would if the wire were all there is; the send task
 * never waits, since one silent peer would hold up all the others.
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include "rxe.h"
#include "rxe_loc.h"
#include "srxe_dgram.h"
#include "srxe_policy.h"
#include "srxe_sa.h"
#include "srxe_seal.h"
#include "srxe_trace.h"
#include "srxe_user.h"

/* So many are sent before those that come later may overtake the rest. */
#define FLUSH_BUDGET	(2 * SRXE_MAX_QUEUED)

static void drop(struct rxe_dev *rxe, struct sk_buff *skb, int why)
{
	srxe_count_drop(rxe, skb, why);
	kfree_skb(skb);
}

static void leave(struct srxe_dgrams *dgrams, struct rxe_qp *qp)
{
	atomic_dec(&dgrams->waiting);
	atomic_dec(&qp->sec.waiting);
}

/*
 * One more that waits; 0, or why not. A queue pair that is being destroyed waits
 * for its packets, and nobody waits for an SA on its behalf:
 * srxe_dgram_forget_qp() sees the number, or we see the flag.
 */
static int enter(struct srxe_dgrams *dgrams, struct rxe_qp *qp)
{
	int max = SRXE_MAX_DGRAM_WAIT_LINK, why = 0;

	if (qp->sec.user.bound)
		max -= max / SRXE_USER_KEPT;
	if (atomic_inc_return(&dgrams->waiting) > max)
		why = SRXE_CNT_TX_QUEUE;
	if (atomic_inc_return(&qp->sec.waiting) > SRXE_MAX_DGRAM_WAIT_QP)
		why = SRXE_CNT_TX_QUEUE;
	smp_mb__after_atomic();	/* pairs with the one in srxe_dgram_forget_qp() */
	if (READ_ONCE(qp->sec.closing) || (!why && !rxe_get(qp)))
		why = SRXE_CNT_TX_QP_GONE;
	if (why)
		leave(dgrams, qp);
	return why;
}

/* How many of those that wait are of the same user? */
static unsigned int waiting_of(struct srxe_dgram *d, const struct rxe_qp *qp)
{
	struct sk_buff *skb;
	unsigned int n = 0;

	lockdep_assert_held(&d->lock);
	skb_queue_walk(&d->waiting, skb)
		n += srxe_same_user(&SKB_TO_PKT(skb)->qp->sec.user, &qp->sec.user);
	return n;
}

/* For how many more of a user's is there room, of which @own wait? */
static unsigned int room_for(struct srxe_dgram *d, const struct rxe_qp *qp, unsigned int own)
{
	unsigned int len = skb_queue_len(&d->waiting);

	return qp->sec.user.bound ? srxe_user_room(SRXE_MAX_QUEUED, len, own) :
	       SRXE_MAX_QUEUED - min(len, SRXE_MAX_QUEUED);
}

/* 0, or why it is dropped; -EAGAIN if there is an SA by now, or no such peer. */
static int enqueue(struct srxe_dgram *d, struct rxe_qp *qp, const struct rxe_pkt_info *pkt,
		   struct sk_buff *skb, bool *kick)
{
	u64 now = ktime_get_boottime_ns();
	struct srxe_sa *sa;
	unsigned int own;
	int why;

	lockdep_assert_held(&d->lock);
	sa = rcu_dereference_protected(d->tx_sa, lockdep_is_held(&d->lock));
	if (d->ended || srxe_dgram_usable(d, sa, now))
		return -EAGAIN;
	if (now < d->hold_off)
		return SRXE_CNT_TX_HANDSHAKE;
	own = waiting_of(d, qp);
	if (!room_for(d, qp, own))
		return SRXE_CNT_TX_QUEUE;
	why = enter(d->link->dgrams, qp);
	if (why)
		return why;

	/* nothing else keeps the netdev while the packet waits */
	dev_hold(skb->dev);
	*SKB_TO_PKT(skb) = *pkt;
	SKB_TO_PKT(skb)->wqe = NULL;	/* it is completed when we return */
	__skb_queue_tail(&d->waiting, skb);
	/* another user may have room for the handshake that those before him have not */
	*kick = !d->starting || !own;
	d->starting = true;
	return 0;
}

/**
 * srxe_dgram_wait() - let a datagram wait for an SA, and have one made
 * @d: peer, referenced
 * @qp: queue pair it is from
 * @pkt: packet info
 * @skb: the packet; taken over unless -EAGAIN is returned
 *
 * Context: process or softirq.
 * Return: 0, also if it was dropped; -EAGAIN if there is an SA by now, or the peer
 * has ended, so that it has to be looked for again.
 */
int srxe_dgram_wait(struct srxe_dgram *d, struct rxe_qp *qp, const struct rxe_pkt_info *pkt,
		    struct sk_buff *skb)
{
	bool kick = false;
	int why;

	spin_lock_bh(&d->lock);
	why = enqueue(d, qp, pkt, skb, &kick);
	spin_unlock_bh(&d->lock);
	if (why == -EAGAIN)
		return why;
	if (why)
		drop(pkt->rxe, skb, why);
	if (kick)
		srxe_dgram_post(d, SRXE_DGRAM_START);
	return 0;
}

/**
 * srxe_dgram_waiting() - whose datagrams wait?
 * @d: peer
 * @i: which of them, from 0
 * @user: result
 *
 * Context: any.
 * Return: false if there are not as many.
 */
bool srxe_dgram_waiting(struct srxe_dgram *d, unsigned int i, struct srxe_dgram_user *user)
{
	struct sk_buff *skb;
	bool found = false;

	spin_lock_bh(&d->lock);
	skb_queue_walk(&d->waiting, skb) {
		if (i--)
			continue;
		srxe_dgram_user_of(SKB_TO_PKT(skb)->qp, user);
		found = true;
		break;
	}
	spin_unlock_bh(&d->lock);
	return found;
}

/* The next one that waits; without any, @sa is what is sent under from now on. */
static struct sk_buff *next_or_use(struct srxe_dgram *d, struct srxe_sa *sa, bool use)
{
	struct sk_buff *skb;

	spin_lock_bh(&d->lock);
	skb = __skb_dequeue(&d->waiting);
	if (!skb || use) {
		rcu_assign_pointer(d->tx_sa, sa);
		d->starting = false;
		d->hold_off = 0;
	}
	spin_unlock_bh(&d->lock);
	return skb;
}

/**
 * srxe_dgram_flush() - there is an SA: send what waits, and from now on under it
 * @d: peer, its handshake locked
 * @sa: the SA, standing
 *
 * Context: process.
 */
void srxe_dgram_flush(struct srxe_dgram *d, struct srxe_sa *sa)
{
	unsigned int n = 0;
	struct rxe_qp *qp;
	struct net_device *dev;
	struct sk_buff *skb;

	lockdep_assert_held(&d->hs_lock);
	while ((skb = next_or_use(d, sa, n++ >= FLUSH_BUDGET))) {
		struct rxe_pkt_info pkt = *SKB_TO_PKT(skb);

		qp = pkt.qp;
		dev = skb->dev;
		/* IP's again, which takes what it finds there for IP options */
		memset(skb->cb, 0, sizeof(skb->cb));
		srxe_dgram_sent(d, true);
		srxe_seal_data(srxe_sa_get(sa), &pkt, skb);
		dev_put(dev);
		leave(d->link->dgrams, qp);
		rxe_put(qp);
	}
}

/**
 * srxe_dgram_purge() - drop datagrams that wait
 * @d: peer, referenced
 * @qp: those of this queue pair, or all if NULL
 * @why: counter
 *
 * Context: process or softirq.
 */
void srxe_dgram_purge(struct srxe_dgram *d, const struct rxe_qp *qp, int why)
{
	struct sk_buff_head gone;
	struct net_device *dev;
	struct sk_buff *skb, *tmp;
	struct rxe_qp *of;

	__skb_queue_head_init(&gone);
	spin_lock_bh(&d->lock);
	skb_queue_walk_safe(&d->waiting, skb, tmp) {
		if (qp && SKB_TO_PKT(skb)->qp != qp)
			continue;
		__skb_unlink(skb, &d->waiting);
		__skb_queue_tail(&gone, skb);
	}
	spin_unlock_bh(&d->lock);

	while ((skb = __skb_dequeue(&gone))) {
		of = SKB_TO_PKT(skb)->qp;
		dev = skb->dev;
		drop(d->link->rxe, skb, why);
		dev_put(dev);
		leave(d->link->dgrams, of);
		rxe_put(of);
	}
}

static void forget(struct srxe_dgram *d, void *qp)
{
	srxe_dgram_purge(d, qp, SRXE_CNT_TX_QP_GONE);
}

/**
 * srxe_dgram_forget_qp() - a queue pair is about to be destroyed
 * @qp: queue pair; none of its datagrams waits any more when this returns, nor
 *	ever will
 *
 * Context: process, may sleep.
 */
void srxe_dgram_forget_qp(struct rxe_qp *qp)
{
	struct srxe_link *link = to_rdev(qp->ibqp.device)->sec.link;

	WRITE_ONCE(qp->sec.closing, true);
	smp_mb();	/* pairs with the one in enter() */
	if (atomic_read(&qp->sec.waiting))
		srxe_dgrams_each(link, forget, qp);
}
