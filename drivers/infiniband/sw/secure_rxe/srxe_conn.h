/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The security state of one RC or UC queue pair: which SA it sends under, which
 * it still receives under, and the handshake that makes them.
 *
 * Lifetime. A connection is made with its queue pair and can outlive it: the
 * queue pair, every SA and every queued work hold a reference. Of the queue
 * pair it has no reference, on the contrary: a queue pair cannot go before
 * srxe_qp_destroy() has set @id to 0, under @hs_lock and @lock. So whoever
 * holds either lock and sees an @id other than 0 may use @qp, and take a
 * reference to it, which is certain to succeed. The same goes for @link, which
 * lasts as long as there are queue pairs or SAs.
 *
 * Teardown. srxe_qp_reset() and srxe_qp_destroy() end every SA and whatever
 * handshake is under way before the tasks of the queue pair run again or are
 * waited for. Work that is queued then finds @id 0, or another incarnation, and
 * leaves. Packets that are in crypto keep their SA, and it the connection, but
 * they are dropped when they come out: the SA is dead, or of another incarnation.
 *
 * Locks, outermost first: @hs_lock (process context), the link's handshake
 * bounds; @lock, the SA's, its FIFOs' (BH). An SA's lock is never held while a
 * connection's is taken.
 */
#ifndef SRXE_CONN_H
#define SRXE_CONN_H

#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/srxe_wire.h>

#include "srxe_hooks.h"
#include "srxe_hs.h"

struct rxe_qp;
struct srxe_link;
struct srxe_sa;
struct srxe_spi_share;

/**
 * struct srxe_conn - a queue pair's security state
 * @ref: references
 * @qp: the queue pair
 * @link: its link
 * @spis: its user's places in the SPI table, NULL if he is not bound
 * @lock: protects everything up to @sas; BH
 * @id: incarnation: a number never used before, new at creation and at every
 *	RESET, 0 once the queue pair is being destroyed. An SA is good for one.
 * @tx_state: what srxe_tx_ready() answers while there is no SA
 * @verr: enum srxe_vendor_err: why @tx_state is SRXE_TX_FAILED
 * @untold: the same until a completion has said so, then 0; not under @lock
 * @waiting: a work request waits for the SA, so if none comes it must fail
 * @idle: nothing is being done to get an SA; a work request changes that
 * @plain: the peer is one without a key, and policy lets us talk to such
 * @peer: the peer's address, from RTR on
 * @reset_mark: 1 + highest packet number received when the peer asked for a
 *	handshake that it should not need; 0 if it did not
 * @tx_sa: the SA it sends under (RCU), or NULL
 * @sas: its SAs, embryos included, until the handshake is done with them
 * @hs_lock: serialises everything about @hs
 * @hs: the handshake
 * @event: does what @events says
 * @events: SRXE_CONN_* bits
 * @timer: the handshake has something to do; each of the two holds a reference
 *	to the connection while it is queued
 * @rcu: for freeing it: who shows a queue pair may look at it without a reference
 */
struct srxe_conn {
	struct kref		ref;
	struct rxe_qp		*qp;
	struct srxe_link	*link;
	struct srxe_spi_share	*spis;
	spinlock_t		lock;	/* see above */
	u64			id;
	enum srxe_tx_state	tx_state;
	u32			verr;
	u32			untold;
	bool			waiting;
	bool			idle;
	bool			plain;
	struct in6_addr		peer;
	u64			reset_mark;
	struct srxe_sa __rcu	*tx_sa;
	struct list_head	sas;
	struct mutex		hs_lock;	/* see above */
	struct srxe_hs		hs;
	struct work_struct	event;
	unsigned long		events;
	struct delayed_work	timer;
	struct rcu_head		rcu;
};

/* What a connection's work has to do; bits in @events. */
enum srxe_conn_event {
	SRXE_CONN_START,	/* a work request waits */
	SRXE_CONN_RUN,		/* an SA was confirmed, or ended from outside */
	SRXE_CONN_LOST,		/* the SA in use ended: the queue pair must hear of it */
};

/* srxe_conn.c */
struct srxe_conn *srxe_conn_get(struct srxe_conn *conn);
void srxe_conn_put(struct srxe_conn *conn);
void srxe_conn_post(struct srxe_conn *conn, enum srxe_conn_event event);
void srxe_conn_use(struct srxe_conn *conn, struct srxe_sa *sa);
void srxe_conn_drop(struct srxe_conn *conn, struct srxe_sa *sa);

/* The receive path, in the serial stage: a valid packet came in under a pending SA. */
void srxe_conn_confirmed(struct srxe_conn *conn, struct srxe_sa *sa);
/* The crypto queue of the SA in use has room again. */
void srxe_conn_resume(struct srxe_conn *conn);

/* srxe_conn_fail.c: the SA is unusable: key, address or link gone, or a VM fork. */
void srxe_conn_fail(struct srxe_conn *conn, struct srxe_sa *sa, enum srxe_vendor_err verr);
void srxe_conn_lost(struct srxe_conn *conn, enum srxe_vendor_err verr);
void srxe_conn_hs_failed(struct srxe_conn *conn, enum srxe_vendor_err verr,
			 const u8 *key_id);
void srxe_conn_break(struct srxe_conn *conn);
void srxe_conn_end_link(struct srxe_link *link, enum srxe_vendor_err verr);
enum ib_wc_status srxe_verr_status(u32 verr);
void srxe_report(struct srxe_link *link, const struct srxe_sa_ends *ends,
		 enum srxe_vendor_err verr, const u8 *key_id);

#endif /* SRXE_CONN_H */
