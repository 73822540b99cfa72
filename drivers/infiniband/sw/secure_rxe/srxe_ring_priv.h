/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the files that make up a link's ring share; nobody else includes it.
 */
#ifndef SRXE_RING_PRIV_H
#define SRXE_RING_PRIV_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "srxe_ring.h"
#include "srxe_ring_index.h"
#include "srxe_tomb.h"

struct user_namespace;

/**
 * struct srxe_ring_incoming - a key that was admitted and is not indexed yet
 * @entry: in ring->incoming
 * @psk: the key, referenced
 * @rcu: for freeing it
 */
struct srxe_ring_incoming {
	struct list_head	entry;
	struct srxe_psk		*psk;
	struct rcu_head		rcu;
};

/**
 * struct srxe_ring - a link's ring
 * @link: its link
 * @keyring: the keyring, referenced
 * @user_ns: CAP_NET_ADMIN in it is what it takes to add keys; referenced, since
 *	a ring can outlive the network namespace that named it
 * @entry: in the list of rings, by which the restriction finds its ring
 * @lock: serialises refreshing; taken before keyring->sem
 * @index: what look-ups use (RCU; replaced under @lock)
 * @gen: how many keys were admitted
 * @index_gen: @gen when @index was made
 * @incoming: keys admitted since then (RCU). Added to with keyring->sem held for
 *	writing, removed from with @lock held and keyring->sem held for reading.
 * @gone: keys for srxe_policy_key_gone(); under @lock
 * @tombs: tombstones
 * @lost: the keyring itself was revoked, by somebody or in the end by us:
 *	nothing can be told any more and every peer is denied
 * @work: refreshes when told to, and every second while there are keys
 */
struct srxe_ring {
	struct srxe_link		*link;
	struct key			*keyring;
	struct user_namespace		*user_ns;
	struct list_head		entry;
	struct mutex			lock;	/* one refresh at a time */
	struct srxe_ring_index __rcu	*index;
	atomic_t			gen;
	int				index_gen;
	struct list_head		incoming;
	struct list_head		gone;
	struct srxe_tombs		tombs;
	bool				lost;
	struct delayed_work		work;
};

/* Is what is left of a dead key to stay? */
typedef bool (*srxe_ring_keep_fn)(const struct srxe_ring_slot *slot, void *arg);

int srxe_ring_refresh(struct srxe_ring *ring, srxe_ring_keep_fn keep, void *arg);
int srxe_ring_sync(struct srxe_ring *ring);
void srxe_ring_settle(struct srxe_ring *ring);
void srxe_ring_forget_incoming(struct srxe_ring *ring);
void srxe_ring_work(struct work_struct *work);

#endif /* SRXE_RING_PRIV_H */
