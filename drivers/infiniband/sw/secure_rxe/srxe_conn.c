// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Security state of a connection: it follows the queue pair from creation to
 * destruction, and tells the send task when there is an SA to send under.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "rxe.h"
#include "rxe_queue.h"
#include "srxe_compat.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_hs_io.h"
#include "srxe_policy.h"
#include "srxe_sa.h"
#include "srxe_seal.h"
#include "srxe_spi.h"

static atomic64_t last_id = ATOMIC64_INIT(0);

static u64 new_id(void)
{
	return atomic64_inc_return(&last_id);
}

/**
 * srxe_conn_get() - take a reference
 * @conn: connection the caller may use
 *
 * Context: any.
 * Return: @conn.
 */
struct srxe_conn *srxe_conn_get(struct srxe_conn *conn)
{
	kref_get(&conn->ref);
	return conn;
}

static void free_conn(struct kref *ref)
{
	struct srxe_conn *conn = container_of(ref, struct srxe_conn, ref);

	mutex_destroy(&conn->hs_lock);
	srxe_spi_share_put(conn->spis);
	kfree_rcu(conn, rcu);
}

/**
 * srxe_conn_put() - drop a reference
 * @conn: connection
 *
 * Context: any; the last one is dropped in process context or softirq.
 */
void srxe_conn_put(struct srxe_conn *conn)
{
	kref_put(&conn->ref, free_conn);
}

/**
 * srxe_conn_post() - let the connection's work do something
 * @conn: connection, referenced
 * @event: what
 *
 * Context: any but hard interrupts.
 */
void srxe_conn_post(struct srxe_conn *conn, enum srxe_conn_event event)
{
	set_bit(event, &conn->events);
	srxe_conn_get(conn);
	if (!queue_work(srxe_hs_wq, &conn->event))
		srxe_conn_put(conn);
}

/* As long as the requester would wait for an answer to a packet. */
static u64 patience(const struct rxe_qp *qp)
{
	if (!qp->attr.timeout)
		return 0;
	return (4096ULL << qp->attr.timeout) * (qp->attr.retry_cnt + 1);
}

static void handle_event(struct work_struct *work)
{
	struct srxe_conn *conn = container_of(work, struct srxe_conn, event);
	unsigned long events = xchg(&conn->events, 0);

	mutex_lock(&conn->hs_lock);
	if (conn->id) {
		if (READ_ONCE(conn->qp->attr.qp_state) == IB_QPS_ERR)
			srxe_hs_stop(&conn->hs);
		else if (events & BIT(SRXE_CONN_START))
			srxe_hs_start(&conn->hs, patience(conn->qp));
		srxe_hs_run(&conn->hs);
		if (events & BIT(SRXE_CONN_LOST))
			srxe_conn_break(conn);
	}
	mutex_unlock(&conn->hs_lock);
	srxe_conn_put(conn);
}

static void handle_timer(struct work_struct *work)
{
	struct srxe_conn *conn = container_of(to_delayed_work(work), struct srxe_conn, timer);

	mutex_lock(&conn->hs_lock);
	if (conn->id) {
		if (READ_ONCE(conn->qp->attr.qp_state) == IB_QPS_ERR)
			srxe_hs_stop(&conn->hs);
		srxe_hs_run(&conn->hs);
	}
	mutex_unlock(&conn->hs_lock);
	srxe_conn_put(conn);
}

/* Whoever makes it, with what others need as well he gets along on his share. */
static bool set_user(struct srxe_conn *conn, const struct srxe_user *user)
{
	conn->hs.user = *user;
	if (user->bound)
		conn->spis = srxe_spi_share_of(conn->link->spis, user->uid);
	return conn->spis || !user->bound;
}

static bool wants_conn(struct rxe_qp *qp)
{
	return qp_type(qp) == IB_QPT_RC || qp_type(qp) == IB_QPT_UC;
}

/**
 * srxe_qp_init() - a queue pair is being created
 * @qp: queue pair; its type and number are set, and its locks
 *
 * Without memory there will be no connection, and a queue pair that should have
 * one and has not gets nowhere: srxe_qp_chk_attr() refuses to change it.
 *
 * Context: process, may sleep.
 */
void srxe_qp_init(struct rxe_qp *qp)
{
	struct rxe_dev *rxe = to_rdev(qp->ibqp.device);
	struct srxe_link *link = rxe->sec.link;
	struct srxe_conn *conn;

	qp->sec.conn = NULL;
	srxe_user_of_qp(qp, &qp->sec.user);
	if (!wants_conn(qp))
		return;
	conn = kzalloc(sizeof(*conn), GFP_KERNEL);
	if (!conn)
		return;
	kref_init(&conn->ref);
	conn->qp = qp;
	conn->link = link;
	spin_lock_init(&conn->lock);
	mutex_init(&conn->hs_lock);
	INIT_LIST_HEAD(&conn->sas);
	INIT_WORK(&conn->event, handle_event);
	INIT_DELAYED_WORK(&conn->timer, handle_timer);
	conn->id = new_id();
	conn->tx_state = SRXE_TX_WAIT;
	srxe_hs_setup(&conn->hs, &srxe_hs_world, &link->hs->limit, qp->pd->elem.index,
		      qp_type(qp) == IB_QPT_RC ? SRXE_KIND_RC : SRXE_KIND_UC,
		      qp_num(qp), conn->id);
	if (set_user(conn, &qp->sec.user))
		qp->sec.conn = conn;
	else
		srxe_conn_put(conn);
}

static void av_gids(const struct rxe_av *av, struct in6_addr *local, struct in6_addr *remote)
{
	if (av->network_type == RXE_NETWORK_TYPE_IPV4) {
		ipv6_addr_set_v4mapped(av->sgid_addr._sockaddr_in.sin_addr.s_addr, local);
		ipv6_addr_set_v4mapped(av->dgid_addr._sockaddr_in.sin_addr.s_addr, remote);
	} else {
		*local = av->sgid_addr._sockaddr_in6.sin6_addr;
		*remote = av->dgid_addr._sockaddr_in6.sin6_addr;
	}
}

static bool same_path(const struct srxe_conn *conn, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	return !memcmp(&conn->hs.ends.lgid, grh->sgid_attr->gid.raw, sizeof(struct in6_addr)) &&
	       !memcmp(&conn->hs.ends.rgid, grh->dgid.raw, sizeof(struct in6_addr));
}

/**
 * srxe_qp_chk_attr() - may a queue pair be changed like this?
 * @qp: queue pair; rxe has no objection
 * @attr: the new attributes
 * @mask: which of them
 *
 * An SA binds both addresses, so there is no other path for it to take.
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM if the queue pair has no security state; -EINVAL for a
 * path that is not the SA's.
 */
int srxe_qp_chk_attr(struct rxe_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct srxe_conn *conn = qp->sec.conn;
	bool ok = true;

	if (!conn)
		return wants_conn(qp) ? -ENOMEM : 0;
	if (!(mask & (IB_QP_AV | IB_QP_ALT_PATH)))
		return 0;
	if (mask & IB_QP_STATE && attr->qp_state == IB_QPS_RESET)
		return 0;

	mutex_lock(&conn->hs_lock);
	if (conn->hs.sa) {
		if (mask & IB_QP_AV)
			ok = same_path(conn, &attr->ah_attr);
		if (mask & IB_QP_ALT_PATH)
			ok = ok && same_path(conn, &attr->alt_ah_attr);
	}
	mutex_unlock(&conn->hs_lock);
	if (ok)
		return 0;
	pr_warn_ratelimited("%s: qp %u: its path cannot change while it is protected; reset it first\n",
			    dev_name(&qp->ibqp.device->dev), qp_num(qp));
	return -EINVAL;
}

/* An incarnation ends: no SA, no handshake, nothing known of the peer. */
static void renew(struct srxe_conn *conn, u64 id)
{
	lockdep_assert_held(&conn->hs_lock);

	srxe_hs_reset(&conn->hs, id);
	spin_lock_bh(&conn->lock);
	conn->id = id;
	conn->tx_state = SRXE_TX_WAIT;
	conn->verr = 0;
	WRITE_ONCE(conn->untold, 0);
	conn->waiting = false;
	conn->idle = false;
	conn->plain = false;
	conn->reset_mark = 0;
	spin_unlock_bh(&conn->lock);
}

/* The queue pair is in RTR, or its path was changed before there was an SA. */
static void bind(struct srxe_conn *conn, struct rxe_qp *qp)
{
	struct srxe_sa_ends *ends = &conn->hs.ends;
	struct in6_addr local, remote;
	bool plain;

	av_gids(&qp->pri_av, &local, &remote);
	if (conn->hs.bound) {
		if (conn->hs.sa || (ipv6_addr_equal(&ends->lgid, &local) &&
				    ipv6_addr_equal(&ends->rgid, &remote)))
			return;
		renew(conn, new_id());
	}
	plain = srxe_policy_plain_ok(conn->link, &remote);
	spin_lock_bh(&conn->lock);
	conn->peer = remote;
	conn->plain = plain;
	conn->idle = true;
	spin_unlock_bh(&conn->lock);
	srxe_hs_bind(&conn->hs, &local, &remote, qp->attr.dest_qp_num);
}

static void start(struct srxe_conn *conn)
{
	if (conn->plain)
		return;
	spin_lock_bh(&conn->lock);
	conn->idle = false;
	spin_unlock_bh(&conn->lock);
	srxe_conn_post(conn, SRXE_CONN_START);
}

/**
 * srxe_qp_modified() - a queue pair has been changed
 * @qp: queue pair, all is written
 * @attr: the new attributes
 * @mask: which of them
 *
 * Context: process, may sleep.
 */
void srxe_qp_modified(struct rxe_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state state = READ_ONCE(qp->attr.qp_state);
	struct srxe_conn *conn = qp->sec.conn;

	if (!conn || !(mask & (IB_QP_STATE | IB_QP_AV)))
		return;
	mutex_lock(&conn->hs_lock);
	switch (state) {
	case IB_QPS_RTR:
		bind(conn, qp);
		break;
	case IB_QPS_RTS:
	case IB_QPS_SQD:
		bind(conn, qp);
		start(conn);
		break;
	case IB_QPS_ERR:
		srxe_hs_stop(&conn->hs);
		break;
	default:
		break;
	}
	mutex_unlock(&conn->hs_lock);
}

static void end(struct rxe_qp *qp, u64 id)
{
	struct srxe_conn *conn = qp->sec.conn;

	if (!conn)
		return;
	mutex_lock(&conn->hs_lock);
	renew(conn, id);
	mutex_unlock(&conn->hs_lock);
}

/**
 * srxe_qp_reset() - a queue pair goes back to RESET
 * @qp: queue pair; its tasks do not run
 *
 * Context: process, may sleep.
 */
void srxe_qp_reset(struct rxe_qp *qp)
{
	end(qp, new_id());
}

/**
 * srxe_qp_destroy() - a queue pair is about to be destroyed
 * @qp: queue pair, with the reference it was created with
 *
 * Context: process, may sleep.
 */
void srxe_qp_destroy(struct rxe_qp *qp)
{
	if (!qp->sec.conn)
		srxe_dgram_forget_qp(qp);
	end(qp, 0);
}

/**
 * srxe_qp_fini() - a queue pair is gone
 * @qp: queue pair without references; its creation may have failed
 *
 * Context: process.
 */
void srxe_qp_fini(struct rxe_qp *qp)
{
	struct srxe_conn *conn = qp->sec.conn;

	srxe_gsi_gone(qp);
	if (!conn)
		return;
	WRITE_ONCE(qp->sec.conn, NULL);	/* see srxe_fill_res_qp_entry() */
	spin_lock_bh(&conn->lock);
	conn->id = 0;
	spin_unlock_bh(&conn->lock);
	srxe_conn_put(conn);
}

/* There is an SA to send under. */
static void set_sa(struct srxe_conn *conn, struct srxe_sa *sa)
{
	lockdep_assert_held(&conn->lock);
	rcu_assign_pointer(conn->tx_sa, sa);
	conn->tx_state = SRXE_TX_READY;
	conn->verr = 0;
	WRITE_ONCE(conn->untold, 0);
	conn->plain = false;
	conn->waiting = false;
	srxe_sched_send(conn->qp);
}

/**
 * srxe_conn_use() - send under this SA from now on
 * @conn: connection, its handshake locked, its queue pair alive
 * @sa: one of its SAs, standing
 *
 * Context: process.
 */
void srxe_conn_use(struct srxe_conn *conn, struct srxe_sa *sa)
{
	lockdep_assert_held(&conn->hs_lock);
	spin_lock_bh(&conn->lock);
	/*
	 * It may have been ended meanwhile, or be about to be: then the
	 * connection is broken, or srxe_conn_lost() is to come.
	 */
	if (READ_ONCE(sa->state) != SRXE_SA_DEAD && conn->tx_state != SRXE_TX_FAILED)
		set_sa(conn, sa);
	spin_unlock_bh(&conn->lock);
}

/**
 * srxe_conn_drop() - the handshake is done with an SA
 * @conn: connection, its handshake locked
 * @sa: one of its SAs; the reference of its making is dropped
 *
 * Context: process.
 */
void srxe_conn_drop(struct srxe_conn *conn, struct srxe_sa *sa)
{
	spin_lock_bh(&conn->lock);
	if (rcu_access_pointer(conn->tx_sa) == sa) {
		RCU_INIT_POINTER(conn->tx_sa, NULL);
		conn->tx_state = SRXE_TX_WAIT;
	}
	list_del_init(&sa->conn_entry);
	spin_unlock_bh(&conn->lock);
	srxe_sa_end(sa);
	srxe_sa_put(sa);
}

/**
 * srxe_conn_confirmed() - the peer has our answer: it sent something under its SA
 * @conn: connection
 * @sa: its SA, which was pending; referenced
 *
 * What waits can be sent at once; what becomes of other handshakes of the
 * connection is seen to later.
 *
 * Context: softirq or process, no lock held.
 */
void srxe_conn_confirmed(struct srxe_conn *conn, struct srxe_sa *sa)
{
	spin_lock_bh(&conn->lock);
	if (conn->id == sa->ends.conn_id && srxe_sa_advance(sa, SRXE_SA_STANDING) &&
	    !rcu_access_pointer(conn->tx_sa) && conn->tx_state != SRXE_TX_FAILED)
		set_sa(conn, sa);
	spin_unlock_bh(&conn->lock);
	srxe_conn_post(conn, SRXE_CONN_RUN);
}

/**
 * srxe_conn_resume() - the send task may go on
 * @conn: connection; its SA has let it wait
 *
 * Context: softirq or process, no lock held.
 */
void srxe_conn_resume(struct srxe_conn *conn)
{
	spin_lock_bh(&conn->lock);
	if (conn->id)
		srxe_sched_send(conn->qp);
	spin_unlock_bh(&conn->lock);
}

/*
 * There will be no SA. The oldest request that is out fails, and the one about
 * to be sent is flushed behind it: completions are in the order of requests, and
 * the first that is not a success is to say why.
 */
static void fail_oldest(struct rxe_qp *qp, struct rxe_send_wqe *wqe, u32 verr)
{
	struct rxe_send_wqe *oldest = queue_head(qp->sq.queue, QUEUE_TYPE_FROM_CLIENT);
	enum ib_wc_status status = srxe_verr_status(verr);

	if (!oldest || oldest == wqe || oldest->state == wqe_state_done) {
		wqe->status = status;
		return;
	}
	oldest->status = status;
	oldest->state = wqe_state_error;
	wqe->status = IB_WC_WR_FLUSH_ERR;
}

/* No SA, or one that is busy. */
static enum srxe_tx_state tx_wait(struct srxe_conn *conn, struct rxe_send_wqe *wqe)
{
	enum srxe_tx_state state;
	bool kick = false;
	u32 verr;

	spin_lock_bh(&conn->lock);
	state = conn->tx_state;
	verr = conn->verr;
	if (rcu_access_pointer(conn->tx_sa)) {
		/* srxe_conn_resume() is to come, or it came just now and we run again */
		state = SRXE_TX_WAIT;
	} else if (state != SRXE_TX_FAILED) {
		state = SRXE_TX_WAIT;
		conn->waiting = true;
		conn->plain = false;
		kick = conn->idle;
		conn->idle = false;
	}
	spin_unlock_bh(&conn->lock);
	if (kick)
		srxe_conn_post(conn, SRXE_CONN_START);
	if (state == SRXE_TX_FAILED)
		fail_oldest(conn->qp, wqe, verr);
	return state;
}

/**
 * srxe_tx_ready() - may the next packet of a work request be built?
 * @qp: queue pair
 * @wqe: the work request; its status is set if not ever
 *
 * Context: process (softirq in 6.1), the send task of @qp.
 * Return: SRXE_TX_READY if there is an SA with room, or the peer is one to talk
 * to without; SRXE_TX_WAIT, and the send task is scheduled when that changes;
 * SRXE_TX_FAILED.
 */
enum srxe_tx_state srxe_tx_ready(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	struct srxe_conn *conn = qp->sec.conn;
	struct srxe_sa *sa;
	bool ready;

	/* datagrams are judged one by one when they are sealed */
	if (unlikely(!conn))
		return SRXE_TX_READY;

	rcu_read_lock();
	sa = rcu_dereference(conn->tx_sa);
	ready = sa && srxe_sa_tx_room(sa);
	rcu_read_unlock();
	if (likely(ready))
		return SRXE_TX_READY;
	/* asked for each packet: once the peer has a key, it is plain no more */
	if (!sa && READ_ONCE(conn->plain) && srxe_policy_plain_ok(conn->link, &conn->peer))
		return SRXE_TX_READY;
	return tx_wait(conn, wqe);
}
