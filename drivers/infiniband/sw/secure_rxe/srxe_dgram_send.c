// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way out for datagrams: policy judges each one by its peer.
 *
 * A datagram that may not go, or cannot, is dropped. Its work request completes
 * well, as for any datagram that gets lost; above all queue pair 1, through which
 * everybody's connections are made, never fails because of one peer.
 */
#include <linux/err.h>
#include <linux/inetdevice.h>
#include <linux/ratelimit.h>

#include "rxe.h"
#include "rxe_loc.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_hooks.h"
#include "srxe_policy.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_seal.h"
#include "srxe_time.h"
#include "srxe_trace.h"

/* A peer that was found may have ended by the time it is used. */
#define TRIES	4

static bool is_multicast(const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return ipv4_is_multicast(addr->s6_addr32[3]);
	return ipv6_addr_is_multicast(addr);
}

/* A group has no key of its own: whoever allows plain peers allows it. */
static int check_multicast(const struct srxe_link *link, const struct in6_addr *group)
{
	const char *dev = dev_name(&link->rxe->ib_dev.dev);

	if (READ_ONCE(link->settings.unkeyed_allow))
		return 0;
	net_warn_ratelimited("%s: datagram to %pI6c dropped: multicast cannot be protected: srxe link set dev %s unkeyed allow\n",
			     dev, group, dev);
	return SRXE_CNT_TX_MULTICAST;
}

/* The SA to send under, with a reference, or NULL. */
static struct srxe_sa *tx_sa_get(struct srxe_dgram *d)
{
	struct srxe_sa *sa;

	sa = rcu_dereference(d->tx_sa);
	if (!srxe_dgram_usable(d, sa, srxe_rough_boottime()) || !srxe_sa_tryget(sa))
		return NULL;
	if (likely(srxe_ring_key_live(sa->key)))
		return sa;
	srxe_dgram_fail(d, sa);
	srxe_sa_put(sa);
	return NULL;
}

/* As almost every datagram goes. */
static bool send_sealed(struct srxe_link *link, const struct srxe_dgram_key *key,
			const struct rxe_pkt_info *pkt, struct sk_buff *skb)
{
	struct srxe_sa *sa = NULL;
	struct srxe_dgram *d;

	rcu_read_lock();
	d = srxe_dgram_find(link->dgrams, key);
	if (d)
		sa = tx_sa_get(d);
	if (sa && !srxe_dgram_entitles(sa, pkt->qp)) {
		srxe_sa_put(sa);
		sa = NULL;
	}
	if (sa)
		srxe_dgram_sent(d, true);
	rcu_read_unlock();
	if (sa)
		srxe_seal_data(sa, pkt, skb);
	return sa;
}

/* Wait for an SA with a peer that has a key. -EAGAIN: look again. */
static int send_later(struct srxe_link *link, const struct srxe_dgram_key *key,
		      struct rxe_qp *qp, const struct rxe_pkt_info *pkt, struct sk_buff *skb)
{
	struct srxe_dgram *d = srxe_dgram_get(link->dgrams, key);
	struct srxe_dgram_user user;
	int err;

	if (!d) {
		srxe_dgram_user_of(qp, &user);
		d = srxe_dgram_make(link, key, &user, GFP_ATOMIC | __GFP_NOWARN);
	}
	if (IS_ERR(d)) {
		err = PTR_ERR(d);
		if (err == -EAGAIN)
			return err;
		if (err == -ENOSPC)
			net_warn_ratelimited("%s: datagram to %pI6c dropped: too many peers at a time\n",
					     dev_name(&link->rxe->ib_dev.dev), &key->rgid);
		return err == -ENOSPC ? SRXE_CNT_TX_PEERS :
		       err == -ENODEV ? SRXE_CNT_TX_NO_SA : SRXE_CNT_TX_NOMEM;
	}
	err = srxe_dgram_wait(d, qp, pkt, skb);
	srxe_dgram_put(d);
	return err;
}

/* No handshake begins. Whoever looks for one that failed is to find it all the same. */
static void refuse(struct srxe_link *link, const struct srxe_dgram_key *key,
		   enum srxe_vendor_err verr)
{
	const struct srxe_sa_ends ends = {
		.kind = key->kind,
		.lgid = key->lgid,
		.rgid = key->rgid,
	};

	srxe_report(link, &ends, verr, NULL);
}

/*
 * One attempt to get rid of a datagram. 0 if it is somebody else's now, -EAGAIN if
 * things have changed meanwhile, else the counter of why it is to be dropped. With
 * @plain set it is to go as it is.
 */
static int send_once(struct srxe_link *link, const struct srxe_dgram_key *key,
		     struct rxe_qp *qp, const struct rxe_pkt_info *pkt, struct sk_buff *skb,
		     bool *plain)
{
	if (send_sealed(link, key, pkt, skb))
		return 0;
	switch (srxe_ring_peer(link->ring, &key->rgid)) {
	case SRXE_PEER_KEYED:
		return send_later(link, key, qp, pkt, skb);
	case SRXE_PEER_UNKEYED:
		*plain = READ_ONCE(link->settings.unkeyed_allow);
		if (*plain)
			return 0;
		refuse(link, key, SRXE_VERR_NO_KEY);
		return SRXE_CNT_TX_PLAIN_DENIED;
	default:
		refuse(link, key, SRXE_VERR_KEY_REVOKED);
		return SRXE_CNT_TX_KEY_GONE;
	}
}

/* 0 if it is gone or to be sent plain, or the counter of why it is to be dropped. */
static int send(struct srxe_link *link, struct rxe_qp *qp, const struct rxe_pkt_info *pkt,
		struct sk_buff *skb, const struct in6_addr *saddr,
		const struct in6_addr *daddr, bool *plain)
{
	struct srxe_dgram_key key = {
		.lgid = *saddr,
		.rgid = *daddr,
		.kind = srxe_gsi(qp) ? SRXE_KIND_GSI : SRXE_KIND_UD,
	};
	unsigned int tries = TRIES;
	int why;

	why = srxe_dgram_may_send(qp, (const struct srxe_bth *)pkt->hdr);
	if (why)
		return why;
	if (is_multicast(daddr)) {
		*plain = true;
		return check_multicast(link, daddr);
	}
	do {
		why = send_once(link, &key, qp, pkt, skb, plain);
	} while (why == -EAGAIN && --tries);
	return why == -EAGAIN ? SRXE_CNT_TX_NO_SA : why;
}

/**
 * srxe_dgram_send() - send a datagram the way it has to be sent
 * @qp: queue pair it is from, of type UD or GSI
 * @pkt: packet info; not used any more when this returns
 * @skb: the finished plain packet, its ICRC not computed; owned from now on
 * @saddr: its source
 * @daddr: its destination
 *
 * Context: process or softirq, qp referenced.
 * Return: 0 also for what was dropped; the error of sending a plain one, unless
 * it is of queue pair 1.
 */
int srxe_dgram_send(struct rxe_qp *qp, struct rxe_pkt_info *pkt, struct sk_buff *skb,
		    const struct in6_addr *saddr, const struct in6_addr *daddr)
{
	struct srxe_link *link = pkt->rxe->sec.link;
	bool plain = false;
	int why;

	why = send(link, qp, pkt, skb, saddr, daddr, &plain);
	if (why) {
		srxe_count_drop(pkt->rxe, skb, why);
		kfree_skb(skb);
		return 0;
	}
	if (!plain)
		return 0;
	why = srxe_seal_plain(pkt, skb);
	if (why && srxe_gsi(qp)) {
		/* one peer that cannot be reached is not to be the end of it */
		rxe_counter_inc(to_rdev(qp->ibqp.device), RXE_CNT_SEND_ERR);
		return 0;
	}
	return why;
}
