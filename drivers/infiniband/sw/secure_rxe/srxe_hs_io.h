/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Handshakes among the rest of the driver: bare messages in and out, the
 * handshake's part of a link, and the workqueue all of it runs on.
 */
#ifndef SRXE_HS_IO_H
#define SRXE_HS_IO_H

#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "srxe_hs_limit.h"

struct in6_addr;
struct rxe_av;
struct rxe_dev;
struct sk_buff;
struct srxe_conn;
struct srxe_hs_msg;
struct srxe_hs_ops;
struct srxe_link;

/* Bare messages that may wait, and among how many lists their senders share that. */
#define SRXE_HS_QUEUES		32
#define SRXE_HS_QUEUE_LEN	(2 * SRXE_MAX_HS_PEER)	/* in both roles */

/**
 * struct srxe_hs_link - a link's handshakes
 * @entry: in the list of all of them
 * @link: the link
 * @limit: challenges, rates and bounds
 * @lock: protects the rest; BH
 * @queues: messages that wait, by a hash of their source, so that one who sends
 *	many keeps nobody else's out
 * @lengths: of @queues
 * @turn: the queue to take the next message from
 * @seed: of the hash
 * @work: judges them
 */
struct srxe_hs_link {
	struct list_head	entry;
	struct srxe_link	*link;
	struct srxe_hs_limit	limit;
	spinlock_t		lock;	/* protects the rest; BH */
	struct list_head	queues[SRXE_HS_QUEUES];
	unsigned int		lengths[SRXE_HS_QUEUES];
	unsigned int		turn;
	siphash_key_t		seed;
	struct work_struct	work;
};

extern struct workqueue_struct *srxe_hs_wq;
extern const struct srxe_hs_ops srxe_hs_world;	/* srxe_hs_ops.c */

int srxe_hs_init(void);
void srxe_hs_exit(void);
int srxe_hs_link_create(struct srxe_link *link);
void srxe_hs_link_destroy(struct srxe_link *link);
void srxe_hs_each_link(void (*fn)(struct srxe_link *link));

/* A bare message arrived (softirq, or the sender's context); consumes the skb. */
void srxe_hs_rcv(struct srxe_link *link, struct sk_buff *skb);
void srxe_hs_xmit(struct srxe_conn *conn, const struct in6_addr *local,
		  const struct in6_addr *remote, const struct srxe_hs_msg *msg);
void srxe_hs_xmit_dgram(struct srxe_link *link, const struct in6_addr *local,
			const struct in6_addr *remote, const struct srxe_hs_msg *msg);
int srxe_av_of_addrs(struct rxe_dev *rxe, const struct in6_addr *local,
		     const struct in6_addr *remote, struct rxe_av *av);

#endif /* SRXE_HS_IO_H */
