// SPDX-License-Identifier: GPL-2.0
/*
 * What stands behind the way in and is not under test: rxe's pools and queues, the
 * link, and those who are told of packets and SAs.
 */
#include "rxe.h"
#include "rxe_loc.h"
#include "srxe_dgram.h"
#include "srxe_hooks.h"
#include "srxe_hs_io.h"
#include "srxe_notify.h"
#include "srxe_open_world.h"
#include "srxe_req.h"
#include "srxe_seal.h"
#include "srxe_trace.h"

/* rxe */

static void never(struct kref *ref)
{
	WARN_ON(1);
}

int __rxe_get(struct rxe_pool_elem *elem)
{
	return kref_get_unless_zero(&elem->ref_cnt);
}

int __rxe_put(struct rxe_pool_elem *elem)
{
	return kref_put(&elem->ref_cnt, never);
}

void *rxe_pool_get_index(struct rxe_pool *pool, u32 index)
{
	struct open_world *w = container_of(pool, struct open_world, rxe.qp_pool);
	unsigned int i;

	for (i = 0; i < OPEN_QPS; i++) {
		if (w->qps[i].elem.index == index && rxe_get(&w->qps[i]))
			return &w->qps[i];
	}
	return NULL;
}

/* No task runs: what is queued stays. */
void rxe_resp_queue_pkt(struct rxe_qp *qp, struct sk_buff *skb)
{
	skb_queue_tail(&qp->req_pkts, skb);
}

void rxe_comp_queue_pkt(struct rxe_qp *qp, struct sk_buff *skb)
{
	skb_queue_tail(&qp->resp_pkts, skb);
}

int rxe_icrc_check(struct sk_buff *skb, struct rxe_pkt_info *pkt)
{
	return -EINVAL;	/* there is none in the mode we use */
}

struct rxe_mcg *rxe_lookup_mcg(struct rxe_dev *rxe, union ib_gid *mgid)
{
	return NULL;
}

void rxe_cleanup_mcg(struct kref *kref)
{
}

/* The link */

struct net *srxe_net(const struct rxe_dev *rxe)
{
	return rxe->sec.net;
}

void srxe_policy_get(struct srxe_link *link, struct srxe_settings *settings)
{
	*settings = link->settings;
}

bool srxe_policy_plain_ok(struct srxe_link *link, const struct in6_addr *peer)
{
	return false;
}

struct srxe_ring_key *srxe_ring_key_get(struct srxe_ring_key *rk)
{
	refcount_inc(&rk->ref);
	return rk;
}

void srxe_ring_key_put(struct srxe_ring_key *rk)
{
	refcount_dec(&rk->ref);
}

/*
 * The driver's domains have no keys of their own yet, and its answer is always yes.
 * The question is there, so here they have some.
 */
bool srxe_dgram_entitles(const struct srxe_sa *sa, const struct rxe_qp *qp)
{
	return sa->key == container_of(qp->pd, struct open_pd, pd)->key;
}

void srxe_count_drop(struct rxe_dev *rxe, const struct sk_buff *skb, int reason)
{
	rxe_counter_inc(rxe, reason);
}

void srxe_notify_sa_up(const struct srxe_sa *sa)
{
}

void srxe_notify_sa_down(const struct srxe_sa *sa)
{
}

void srxe_notify_auth_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			     enum srxe_auth_cause cause)
{
}

/* Handshakes, connections and datagram peers: SAs are made without them. */

void srxe_hs_rcv(struct srxe_link *link, struct sk_buff *skb)
{
	kfree_skb(skb);
}

struct srxe_conn *srxe_conn_get(struct srxe_conn *conn)
{
	kref_get(&conn->ref);
	return conn;
}

void srxe_conn_put(struct srxe_conn *conn)
{
	kref_put(&conn->ref, never);
}

void srxe_conn_confirmed(struct srxe_conn *conn, struct srxe_sa *sa)
{
}

void srxe_conn_resume(struct srxe_conn *conn)
{
}

void srxe_conn_fail(struct srxe_conn *conn, struct srxe_sa *sa, enum srxe_vendor_err verr)
{
}

void srxe_dgram_hold(struct srxe_dgram *d)
{
}

void srxe_dgram_put(struct srxe_dgram *d)
{
}

void srxe_dgram_heard(struct srxe_dgram *d, bool data)
{
}

void srxe_dgram_confirmed(struct srxe_dgram *d, struct srxe_sa *sa)
{
}

void srxe_dgram_fail(struct srxe_dgram *d, struct srxe_sa *sa)
{
}

int srxe_seal_ctrl(struct srxe_sa *sa, u8 type, const void *body, size_t len)
{
	return -ENOTCONN;
}

void srxe_seal_finish(struct srxe_req *req)
{
	WARN_ON(1);
}
