/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The security state of one RC or UC queue pair: which SA it sends under, which
 * it still receives under, and the handshake that makes them.
 */
#ifndef SRXE_CONN_H
#define SRXE_CONN_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/srxe_wire.h>

#include "srxe_hooks.h"

struct rxe_qp;
struct srxe_hs;
struct srxe_link;
struct srxe_sa;

/**
 * struct srxe_conn - a queue pair's security state
 * @ref: references; SAs and handshake work hold one each, so a conn can outlive
 *	its queue pair
 * @qp: the queue pair; only used by who holds a reference to it, or under
 *	@lock while @id is not 0
 * @link: its link
 * @lock: protects everything below but @hs; BH
 * @id: incarnation: a number never used before, new at creation and at every
 *	RESET, 0 once the queue pair is being destroyed. An SA is good for one.
 * @tx_state: what srxe_tx_ready() answers, read without @lock
 * @verr: enum srxe_vendor_err for work requests that fail because of @tx_state
 * @peer_plain: policy let this connection talk unprotected (decided anew per packet)
 * @tx_sa: the SA it sends under (RCU), or NULL
 * @sas: SAs that are not dead: pending, standing, lingering
 * @hs: handshake state, serialised by its own mutex (srxe_hs_io.c)
 */
struct srxe_conn {
	struct kref		ref;
	struct rxe_qp		*qp;
	struct srxe_link	*link;
	spinlock_t		lock;
	u64			id;
	enum srxe_tx_state	tx_state;
	u32			verr;
	bool			peer_plain;
	struct srxe_sa __rcu	*tx_sa;
	struct list_head	sas;
	struct srxe_hs		*hs;
};

struct srxe_conn *srxe_conn_get(struct srxe_conn *conn);
void srxe_conn_put(struct srxe_conn *conn);

/* Called by the receive path, in the serial stage, BH off, no lock held. */
void srxe_conn_confirmed(struct srxe_conn *conn, struct srxe_sa *sa);
void srxe_conn_ctrl(struct srxe_conn *conn, struct srxe_sa *sa, u8 type,
		    const struct srxe_hs_body *body);

/* Called by whoever finds the SA unusable: key gone, link or policy change, VM fork. */
void srxe_conn_fail(struct srxe_conn *conn, struct srxe_sa *sa, enum srxe_vendor_err verr);
/* The crypto queue of the SA has room again: let the send task go on. */
void srxe_conn_resume(struct srxe_conn *conn);

/* srxe_hs_io.c: a bare handshake message arrived (softirq); consumes the skb. */
struct sk_buff;
void srxe_hs_rcv(struct srxe_link *link, struct sk_buff *skb);

#endif /* SRXE_CONN_H */
