// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections that cannot have an SA, or have lost it: what the program sees of
 * it, and what the administrator.
 *
 * The oldest work request that is out fails with a status and a vendor_err that
 * say why; those behind it are flushed as after any error, with vendor_err 0. If
 * none is out when an SA is lost, the queue pair goes to the error state, and the
 * first one that is flushed says why. If none waits when a handshake fails there
 * is nothing to report it by, and the peer may just not be there yet: the next
 * work request starts another one.
 */
#include <linux/net.h>
#include <linux/string.h>

#include "rxe.h"
#include "rxe_queue.h"
#include "srxe_compat.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_hs_io.h"
#include "srxe_notify.h"
#include "srxe_policy.h"
#include "srxe_sa.h"
#include "srxe_text.h"

/* A key id in hexadecimal, and a reason. */
#define KEY_ID_TEXT	(2 * SRXE_KEY_ID_LEN + 1)
#define REASON_TEXT	224

/**
 * srxe_verr_status() - completion status that goes with a vendor_err
 * @verr: enum srxe_vendor_err
 *
 * Context: any.
 * Return: the status.
 */
enum ib_wc_status srxe_verr_status(u32 verr)
{
	switch (verr) {
	case SRXE_VERR_NO_KEY:
	case SRXE_VERR_UNSUPPORTED:
		return IB_WC_LOC_QP_OP_ERR;
	case SRXE_VERR_REFUSED_MODE:
	case SRXE_VERR_REFUSED_SUITE:
	case SRXE_VERR_REFUSED_BUSY:
		return IB_WC_REM_OP_ERR;
	default:
		return IB_WC_RETRY_EXC_ERR;
	}
}

/* Why, and what to do about it. */
static void reason_text(char *text, size_t size, u32 verr, const char *peer, const char *dev,
			const char *key)
{
	switch (verr) {
	case SRXE_VERR_NO_KEY:
		snprintf(text, size, "no key for %s: srxe psk add dev %s peer:%s", peer, dev, peer);
		break;
	case SRXE_VERR_REFUSED_MODE:
		snprintf(text, size, "%s refused: mode: srxe link show, here and there", peer);
		break;
	case SRXE_VERR_REFUSED_SUITE:
		snprintf(text, size,
			 "%s refused: suite: have one in common: srxe link set dev %s suites",
			 peer, dev);
		break;
	case SRXE_VERR_REFUSED_BUSY:
		snprintf(text, size, "%s refused: busy: too many handshakes at a time", peer);
		break;
	case SRXE_VERR_NO_ANSWER:
		snprintf(text, size,
			 "no answer, or %s does not know key %s: srxe psk show, there",
			 peer, key);
		break;
	case SRXE_VERR_PEER_RESET:
		snprintf(text, size,
			 "%s was reset or lost its SA: reset this queue pair as well",
			 peer);
		break;
	case SRXE_VERR_KEY_REVOKED:
		snprintf(text, size,
			 "key for %s was revoked, has expired or was removed: srxe psk show dev %s; add a new key, or psk clear",
			 peer, dev);
		break;
	case SRXE_VERR_SA_LOST:
		snprintf(text, size,
			 "SA with %s ended: address gone, or machine suspended or copied",
			 peer);
		break;
	default:
		snprintf(text, size,
			 "no SA with %s: mode or suite not usable here: srxe link show dev %s",
			 peer, dev);
		break;
	}
}

/* Nothing can be sent any more. */
static void set_failed(struct srxe_conn *conn, enum srxe_vendor_err verr)
{
	lockdep_assert_held(&conn->lock);
	conn->verr = verr;
	WRITE_ONCE(conn->untold, verr);
	conn->tx_state = SRXE_TX_FAILED;
}

/* @text has room for what reason_text() says. */
static void explain(char *text, size_t size, const char *dev, const struct in6_addr *peer,
		    u32 verr, const u8 *key_id)
{
	char key[KEY_ID_TEXT] = "(none tried)";
	char addr[SRXE_ADDR_TEXT];

	if (key_id)
		snprintf(key, sizeof(key), "%*phN", SRXE_KEY_ID_LEN, key_id);
	srxe_addr_text(peer, addr);
	reason_text(text, size, verr, addr, dev, key);
}

static void report(struct rxe_qp *qp, const struct in6_addr *peer, u32 verr,
		   const u8 *key_id)
{
	const char *dev = dev_name(&qp->ibqp.device->dev);
	char text[REASON_TEXT];

	explain(text, sizeof(text), dev, peer, verr, key_id);
	net_warn_ratelimited("%s: qp %u: %s\n", dev, qp_num(qp), text);
}

/**
 * srxe_report() - say why datagrams do not get to a peer
 * @link: link
 * @ends: from where to where, and their kind
 * @verr: reason
 * @key_id: id of the key it is about, or NULL
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_report(struct srxe_link *link, const struct srxe_sa_ends *ends,
		 enum srxe_vendor_err verr, const u8 *key_id)
{
	const char *dev = dev_name(&link->rxe->ib_dev.dev);
	char text[REASON_TEXT];

	srxe_notify_hs_failed(link, ends, verr, key_id);
	if (!net_ratelimit())
		return;
	explain(text, sizeof(text), dev, &ends->rgid, verr, key_id);
	pr_warn("%s: %s: %s\n", dev,
		ends->kind == SRXE_KIND_GSI ? "connection manager" : "datagram", text);
}

/**
 * srxe_conn_break() - let the queue pair know that its SA is gone
 * @conn: connection, its handshake locked, its queue pair alive
 *
 * If requests are out, the oldest of them fails as if it had been tried for the
 * last time; that takes the queue pair to the error state. If there are none,
 * the error state is how the program learns of it.
 *
 * Context: process.
 */
void srxe_conn_break(struct srxe_conn *conn)
{
	struct rxe_qp *qp = conn->qp;

	lockdep_assert_held(&conn->hs_lock);
	if (READ_ONCE(conn->tx_state) != SRXE_TX_FAILED)
		return;
	switch (READ_ONCE(qp->attr.qp_state)) {
	case IB_QPS_RTR:
	case IB_QPS_RTS:
	case IB_QPS_SQD:
		if (queue_empty(qp->sq.queue, QUEUE_TYPE_FROM_CLIENT))
			rxe_qp_error(qp);
		else
			srxe_retransmit(qp);
		break;
	default:
		break;
	}
}

/**
 * srxe_conn_hs_failed() - a handshake came to nothing
 * @conn: connection, its handshake locked, its queue pair alive
 * @verr: why
 * @key_id: id of the key it was made under, or NULL
 *
 * Context: process.
 */
void srxe_conn_hs_failed(struct srxe_conn *conn, enum srxe_vendor_err verr, const u8 *key_id)
{
	bool lost = conn->hs.over;

	spin_lock_bh(&conn->lock);
	if (conn->waiting || lost) {
		set_failed(conn, verr);
		srxe_sched_send(conn->qp);
	} else {
		conn->idle = true;
	}
	spin_unlock_bh(&conn->lock);

	report(conn->qp, &conn->peer, verr, key_id);
	if (lost)
		srxe_conn_break(conn);
}

/**
 * srxe_conn_fail() - an SA cannot be used any more
 * @conn: its connection
 * @sa: the SA, referenced; it is ended
 * @verr: why
 *
 * If it is the one in use, the connection is broken: there is no second
 * handshake in one incarnation of a queue pair.
 *
 * Context: softirq or process, no lock held.
 */
void srxe_conn_fail(struct srxe_conn *conn, struct srxe_sa *sa, enum srxe_vendor_err verr)
{
	bool lost;

	spin_lock_bh(&conn->lock);
	lost = conn->id == sa->ends.conn_id && rcu_access_pointer(conn->tx_sa) == sa;
	if (lost) {
		RCU_INIT_POINTER(conn->tx_sa, NULL);
		set_failed(conn, verr);
		report(conn->qp, &conn->peer, verr, NULL);
	}
	spin_unlock_bh(&conn->lock);

	srxe_sa_end(sa);
	srxe_conn_post(conn, lost ? SRXE_CONN_LOST : SRXE_CONN_RUN);
}

/**
 * srxe_conn_lost() - the handshake finds that the SA in use was ended
 * @conn: connection, its handshake locked, its queue pair alive
 * @verr: why, as far as can be told now
 *
 * srxe_conn_fail() has seen to it, unless it came between the SA's getting its
 * keys and its being used.
 *
 * Context: process.
 */
void srxe_conn_lost(struct srxe_conn *conn, enum srxe_vendor_err verr)
{
	bool known;

	lockdep_assert_held(&conn->hs_lock);
	spin_lock_bh(&conn->lock);
	known = conn->tx_state == SRXE_TX_FAILED;
	if (!known) {
		RCU_INIT_POINTER(conn->tx_sa, NULL);
		set_failed(conn, verr);
	}
	spin_unlock_bh(&conn->lock);
	if (known)
		return;
	report(conn->qp, &conn->peer, verr, NULL);
	srxe_conn_break(conn);
}

/* What the handshake holds ends without a word to anybody. */
static void end_conn(struct srxe_conn *conn, enum srxe_vendor_err verr)
{
	bool bound;

	mutex_lock(&conn->hs_lock);
	if (!conn->id || conn->plain)
		goto out;
	bound = conn->hs.bound;
	srxe_hs_reset(&conn->hs, conn->id);
	/* one that knows no peer yet has lost nothing but what was parked */
	if (!bound)
		goto out;
	srxe_hs_stop(&conn->hs);
	spin_lock_bh(&conn->lock);
	set_failed(conn, verr);
	spin_unlock_bh(&conn->lock);
	srxe_conn_break(conn);
out:
	mutex_unlock(&conn->hs_lock);
}

static struct rxe_qp *next_qp(struct rxe_dev *rxe, unsigned long *index)
{
	struct rxe_pool_elem *elem;
	struct rxe_qp *qp;

	while ((elem = xa_find(&rxe->qp_pool.xa, index, ULONG_MAX, XA_PRESENT))) {
		qp = rxe_pool_get_index(&rxe->qp_pool, *index);
		++*index;
		if (qp)
			return qp;
	}
	return NULL;
}

/**
 * srxe_conn_end_link() - end every SA and every handshake of a link
 * @link: link
 * @verr: why
 *
 * Its RC and UC queue pairs go to the error state, but for those that talk
 * unprotected. Datagrams have other SAs made.
 *
 * Context: process, may sleep.
 */
void srxe_conn_end_link(struct srxe_link *link, enum srxe_vendor_err verr)
{
	struct rxe_dev *rxe = link->rxe;
	unsigned long index = 0;
	struct rxe_qp *qp;

	/* first what could seal a packet this very moment */
	srxe_sa_end_link(link);
	srxe_dgrams_end_all(link);
	while ((qp = next_qp(rxe, &index))) {
		if (qp->sec.conn)
			end_conn(qp->sec.conn, verr);
		rxe_put(qp);
	}
	/*
	 * One that talks unprotected may have been answering its peer all the
	 * while, with random values of before. We have waited for the end of it.
	 */
	srxe_sa_end_link(link);
	srxe_hs_limit_renew(&link->hs->limit);
}

/* The first request that cannot be served says why, the others need not. */
static u32 tell(struct srxe_conn *conn, enum ib_wc_status status)
{
	u32 verr = READ_ONCE(conn->untold);

	if (!verr || (status != IB_WC_WR_FLUSH_ERR && status != srxe_verr_status(verr)))
		return 0;
	return xchg(&conn->untold, 0);
}

/* Why a request got no answer, if it is known. */
static u32 verr_of(struct srxe_conn *conn, enum ib_wc_status status)
{
	struct srxe_sa *sa;
	u32 verr;
	u64 mark;

	if (READ_ONCE(conn->tx_state) == SRXE_TX_FAILED)
		return tell(conn, status);

	/* the peer began anew, and nothing valid has come from it since */
	mark = READ_ONCE(conn->reset_mark);
	if (status != IB_WC_RETRY_EXC_ERR || !mark)
		return 0;
	rcu_read_lock();
	sa = rcu_dereference(conn->tx_sa);
	verr = sa && READ_ONCE(sa->rx.window.top) + 1 == mark ? SRXE_VERR_PEER_RESET : 0;
	rcu_read_unlock();
	return verr;
}

/**
 * srxe_set_vendor_err() - say why a work request failed
 * @qp: queue pair
 * @wqe: work request, its status is final
 * @cqe: its completion, zeroed so far
 *
 * Context: process or softirq.
 */
void srxe_set_vendor_err(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe,
			 struct rxe_cqe *cqe)
{
	struct srxe_conn *conn = qp->sec.conn;
	u32 verr;

	if (!conn || wqe->status == IB_WC_SUCCESS)
		return;
	verr = verr_of(conn, wqe->status);
	if (qp->is_user)
		cqe->uibwc.vendor_err = verr;
	else
		cqe->ibwc.vendor_err = verr;
}
