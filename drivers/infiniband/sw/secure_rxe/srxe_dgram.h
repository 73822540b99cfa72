/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Datagrams, those of the connection manager among them: what protects them
 * between an address of ours and one of a peer's, for all queue pairs there are.
 *
 * A struct srxe_dgram is a peer as far as one kind (UD or GSI) and one address of
 * ours go. It is made when the first datagram is to be sent, or when a holder of
 * the key asks for a handshake; it ends when it is not used any more, has to make
 * way for others, or its address, its key or the link goes.
 *
 * Lifetime. The table holds a reference until srxe_dgram_end(); every SA, every
 * queued work and every user of srxe_dgram_get() hold one each. Whoever finds
 * one in the table may find it ended, and then looks again: its place is free.
 *
 * Teardown. srxe_dgrams_close() ends all of a link while its device is still
 * registered, since it is what their SAs keep: our client of the RDMA core
 * (srxe_dgram_link.c) hears of the removal before the core waits for them. From
 * then on none is made, unless the device comes back: a move to another namespace
 * takes it from its clients and gives it to them again. A queue pair takes its
 * waiting datagrams along: srxe_dgram_forget_qp() comes before the wait for the
 * queue pair's last reference, which each of them has.
 *
 * Locks, outermost first: @hs_lock (process context), the link's handshake
 * bounds; @lock (BH), the table's. An SA's lock is never held while one of these
 * is taken. Nothing is sent while @lock is held: what is looped back may come to
 * need it.
 */
#ifndef SRXE_DGRAM_H
#define SRXE_DGRAM_H

#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/srxe_wire.h>

#include "srxe_dgram_rules.h"
#include "srxe_hs.h"
#include "srxe_user.h"

struct ib_device;
struct rxe_dev;
struct rxe_pkt_info;
struct rxe_qp;
struct srxe_bth;
struct srxe_link;
struct srxe_sa;
struct srxe_spi_share;

/* After a handshake that failed no other one begins for so long. */
#define SRXE_DGRAM_HOLD_OFF_NS	NSEC_PER_SEC
/* Peers of a link altogether, in use or not; half of them may be others' idea. */
#define SRXE_MAX_DGRAM_LINK	16384
/* Datagrams of a queue pair, and of a link, that wait for the SAs of all their peers. */
#define SRXE_MAX_DGRAM_WAIT_QP		2048
#define SRXE_MAX_DGRAM_WAIT_LINK	8192
/* Peers that the queue pairs of one user, or the connection manager, use at a time. */
#define SRXE_MAX_DGRAM_USER	2048

/* struct srxe_dgram_key - name of a peer; no padding, it is hashed as bytes */
struct srxe_dgram_key {
	struct in6_addr	lgid;
	struct in6_addr	rgid;
	u32		kind;
};

/* enum srxe_dgram_group_kind - whose share of the peers is bounded */
enum srxe_dgram_group_kind {
	SRXE_DGRAM_OF_LINK,	/* idle ones */
	SRXE_DGRAM_OF_PEER,	/* idle ones with one address */
	SRXE_DGRAM_OF_PD,	/* idle ones of one protection domain */
	SRXE_DGRAM_OF_USER,	/* those in use by one user */
	SRXE_DGRAM_GROUPS,
};

struct srxe_dgram_group;

/**
 * struct srxe_dgram_member - place in a group
 * @group: the group, NULL if it is in none of that kind
 * @entry: in the group's list of idle ones, while it is idle
 */
struct srxe_dgram_member {
	struct srxe_dgram_group	*group;
	struct list_head	entry;
};

/**
 * struct srxe_dgram_user - for whom a peer is made, or an SA of it
 * @who: user; INVALID_UID, a user of its own, for the connection manager
 * @pd: number of the protection domain
 * @local: somebody here wants it; else the peer does, and the rest says nothing
 */
struct srxe_dgram_user {
	struct srxe_user	who;
	u32			pd;
	bool			local;
};

/**
 * struct srxe_dgram - a datagram peer
 * @ref: references
 * @node: in the table, until it is ended
 * @key: its name
 * @link: its link
 * @spis: places in the SPI table of whom it is charged to, NULL if he is not bound or
 *	it has had no SA since; under @hs_lock
 * @entry: in the list of all, under the table's lock
 * @seq: its number, grows along the list
 * @members: groups it counts in, under the table's lock
 * @idle: it counts as idle, under the table's lock
 * @lock: protects what follows up to @waiting; BH
 * @ended: it is not in the table any more, and gets no SA; also under @hs_lock
 * @starting: a handshake has been asked for, and has not come to an end
 * @hold_off: boottime in ns before which no handshake is asked for
 * @due: boottime in ns at which @live is going to run, 0 if it is not
 * @tx_sa: SA it sends under (RCU), or NULL
 * @waiting: datagrams that wait for one, packet info in their control blocks, each
 *	with references to its queue pair and its netdev
 * @hs_lock: serialises everything about @hs
 * @hs: the handshake
 * @event: does what @events says
 * @events: SRXE_DGRAM_* bits
 * @timer: the handshake has something to do
 * @life: signs of life
 * @live: sees to @life; each of the three holds a reference while it is queued
 * @rcu: frees it
 */
struct srxe_dgram {
	struct kref			ref;
	struct rhash_head		node;
	struct srxe_dgram_key		key;
	struct srxe_link		*link;
	struct srxe_spi_share		*spis;
	struct list_head		entry;
	u64				seq;
	struct srxe_dgram_member	members[SRXE_DGRAM_GROUPS];
	bool				idle;
	spinlock_t			lock;	/* see above */
	bool				ended;
	bool				starting;
	u64				hold_off;
	u64				due;
	struct srxe_sa __rcu		*tx_sa;
	struct sk_buff_head		waiting;
	struct mutex			hs_lock;	/* see above */
	struct srxe_hs			hs;
	struct work_struct		event;
	unsigned long			events;
	struct delayed_work		timer;
	struct srxe_dgram_life		life;
	struct delayed_work		live;
	struct rcu_head			rcu;
};

/* What a peer's work has to do; bits in @events. */
enum srxe_dgram_event {
	SRXE_DGRAM_START,	/* a datagram waits */
	SRXE_DGRAM_ANEW,	/* the SA in use has ended, and is to be replaced */
	SRXE_DGRAM_RUN,		/* an SA was confirmed, or ended from outside */
	SRXE_DGRAM_END,		/* it has to make way */
};

/**
 * struct srxe_dgrams - datagram peers of a link
 * @table: by name
 * @waiting: datagrams that wait for an SA
 * @lock: protects the rest; BH
 * @all: every peer in the table
 * @count: their number
 * @last_seq: number of the last of them
 * @closed: none is made
 * @groups: by kind and name, of struct srxe_dgram_group
 */
struct srxe_dgrams {
	struct rhashtable	table;
	atomic_t		waiting;
	spinlock_t		lock;	/* protects the rest; BH */
	struct list_head	all;
	unsigned int		count;
	u64			last_seq;
	bool			closed;
	struct hlist_head	groups[256];
};

/**
 * srxe_dgram_usable() - may datagrams be sent under an SA?
 * @d: peer
 * @sa: its SA in use, or NULL
 * @now: boottime, ns
 *
 * Context: any; @sa is kept from being freed.
 * Return: true if they may.
 */
static inline bool srxe_dgram_usable(const struct srxe_dgram *d, const struct srxe_sa *sa,
				     u64 now)
{
	return sa && READ_ONCE(sa->state) == SRXE_SA_STANDING &&
	       srxe_dgram_life_usable(&d->life, now);
}

/* srxe_dgram.c: the table */
int srxe_dgrams_create(struct srxe_link *link);
void srxe_dgrams_destroy(struct srxe_link *link);
void srxe_dgrams_open(struct srxe_link *link);
void srxe_dgrams_close(struct srxe_link *link);
void srxe_dgrams_each(struct srxe_link *link,
		      void (*fn)(struct srxe_dgram *d, void *arg), void *arg);
void srxe_dgrams_end_all(struct srxe_link *link);
struct srxe_dgram *srxe_dgram_find(struct srxe_dgrams *dgrams,
				   const struct srxe_dgram_key *key);
struct srxe_dgram *srxe_dgram_get(struct srxe_dgrams *dgrams,
				  const struct srxe_dgram_key *key);
struct srxe_dgram *srxe_dgram_make(struct srxe_link *link, const struct srxe_dgram_key *key,
				   const struct srxe_dgram_user *user, gfp_t gfp);
void srxe_dgram_hold(struct srxe_dgram *d);
void srxe_dgram_put(struct srxe_dgram *d);
void srxe_dgram_end(struct srxe_dgram *d);
void srxe_dgram_post(struct srxe_dgram *d, enum srxe_dgram_event event);

/* srxe_dgram_bound.c: how many there may be; the table's lock is held */
int srxe_dgram_join(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
		    const struct srxe_dgram_user *user);
void srxe_dgram_leave(struct srxe_dgrams *dgrams, struct srxe_dgram *d);
int srxe_dgram_charge(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
		      const struct srxe_dgram_user *user);
struct srxe_dgram *srxe_dgram_set_idle(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
				       bool idle);

/* srxe_dgram_hs.c: handshakes */
extern const struct srxe_hs_ops srxe_dgram_world;

void srxe_dgram_input(struct srxe_link *link, const struct srxe_hs_rx *rx);
void srxe_dgram_drop_sa(struct srxe_dgram *d, struct srxe_sa *sa);
void srxe_dgram_confirmed(struct srxe_dgram *d, struct srxe_sa *sa);
void srxe_dgram_fail(struct srxe_dgram *d, struct srxe_sa *sa);
void srxe_dgram_start(struct srxe_dgram *d);

/* srxe_dgram_live.c: signs of life */
void srxe_dgram_live(struct work_struct *work);
void srxe_dgram_sent(struct srxe_dgram *d, bool data);
void srxe_dgram_heard(struct srxe_dgram *d, bool data);
void srxe_dgram_live_in(struct srxe_dgram *d, u64 when);

/* srxe_dgram_send.c: the way out; takes over the packet */
int srxe_dgram_send(struct rxe_qp *qp, struct rxe_pkt_info *pkt, struct sk_buff *skb,
		    const struct in6_addr *saddr, const struct in6_addr *daddr);

/* srxe_dgram_wait.c: datagrams without an SA yet */
int srxe_dgram_wait(struct srxe_dgram *d, struct rxe_qp *qp, const struct rxe_pkt_info *pkt,
		    struct sk_buff *skb);
bool srxe_dgram_waiting(struct srxe_dgram *d, unsigned int i, struct srxe_dgram_user *user);
void srxe_dgram_flush(struct srxe_dgram *d, struct srxe_sa *sa);
void srxe_dgram_purge(struct srxe_dgram *d, const struct rxe_qp *qp, int why);
void srxe_dgram_forget_qp(struct rxe_qp *qp);

/* srxe_dgram_qp.c: which queue pair may talk to which */
int srxe_dgram_may_send(const struct rxe_qp *qp, const struct srxe_bth *bth);
int srxe_dgram_may_receive(const struct srxe_sa *sa, const struct rxe_pkt_info *pkt);
bool srxe_dgram_entitles(const struct srxe_sa *sa, const struct rxe_qp *qp);
bool srxe_dgram_fits(const struct rxe_qp *qp, u8 kind);
void srxe_dgram_user_of(const struct rxe_qp *qp, struct srxe_dgram_user *user);

/* srxe_dgram_link.c: links that go */
int srxe_dgram_init(void);
void srxe_dgram_exit(void);

#endif /* SRXE_DGRAM_H */
