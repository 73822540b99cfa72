// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SPI table.
 *
 * An SPI outlives its SA in the table: the place stays taken, with no SA, until
 * packets of the old SA that were held back somewhere cannot matter any more.
 * So ending an SA allocates nothing and can be done in any context. An SA that
 * never had keys leaves nothing behind: nothing can have been sealed for it.
 *
 * Each link has a share of places, in use and on hold, so that whoever makes SAs
 * without end, locally or as a peer, does it at the cost of one link alone; and of
 * that each local user has no more than he leaves to others.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/random.h>
#include <linux/refcount.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <rdma/srxe_wire.h>

#include "srxe_spi.h"
#include "srxe_user.h"

#define SPI_TRIES	16
#define SPI_HOLD_NS	((u64)SRXE_SPI_HOLD_S * NSEC_PER_SEC)
/* Places freed with the lock held in one go. */
#define SPI_REAP_BATCH	64

struct spi_key {
	const struct net	*net;	/* compared, never followed */
	unsigned long		spi;	/* no padding: hashed as memory */
};

/**
 * struct srxe_spi_share - places that a link may take, or one of its users
 * @ref: one for each holder, and one for each place, which may outlast the link; and
 *	a link's has one for each user's
 * @taken: places taken, users' included
 * @max: of a link: places there are
 * @link: of a user: the link's share, referenced; else NULL
 * @uid: the user
 * @entry: of a user: in @users of the link's; under users_lock
 * @users: of a link: its users that have queue pairs, or places; under users_lock
 */
struct srxe_spi_share {
	refcount_t		ref;
	atomic_t		taken;
	unsigned int		max;
	struct srxe_spi_share	*link;
	kuid_t			uid;
	struct list_head	entry;
	struct list_head	users;
};

/**
 * struct srxe_spi - a place in the table
 * @node: in the table
 * @key: namespace and SPI
 * @share: whose place it is
 * @sa: the SA, NULL when it has ended
 * @until: boottime in ns until which the place is on hold
 * @entry: in on_hold, in the order of @until
 * @rcu: frees it
 */
struct srxe_spi {
	struct rhash_head	node;
	struct spi_key		key;
	struct srxe_spi_share	*share;
	struct srxe_sa __rcu	*sa;
	u64			until;
	struct list_head	entry;
	struct rcu_head		rcu;
};

static const struct rhashtable_params spi_params = {
	.head_offset		= offsetof(struct srxe_spi, node),
	.key_offset		= offsetof(struct srxe_spi, key),
	.key_len		= sizeof(struct spi_key),
	.automatic_shrinking	= true,
};

static struct rhashtable spi_table;
/* Protects on_hold; BH. */
static DEFINE_SPINLOCK(hold_lock);
static LIST_HEAD(on_hold);
/* Protects the lists of users; innermost, BH. */
static DEFINE_SPINLOCK(users_lock);

static void reap_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(reaper, reap_work);

/**
 * srxe_spi_share_new() - places for a link
 * @max: how many
 *
 * Context: process.
 * Return: the share for srxe_spi_share_put(), or NULL.
 */
struct srxe_spi_share *srxe_spi_share_new(unsigned int max)
{
	struct srxe_spi_share *share = kzalloc(sizeof(*share), GFP_KERNEL);

	if (!share)
		return NULL;
	refcount_set(&share->ref, 1);
	share->max = max;
	INIT_LIST_HEAD(&share->entry);
	INIT_LIST_HEAD(&share->users);
	return share;
}

static struct srxe_spi_share *existing_share(struct srxe_spi_share *link, kuid_t uid)
{
	struct srxe_spi_share *share;

	lockdep_assert_held(&users_lock);
	list_for_each_entry(share, &link->users, entry) {
		if (uid_eq(share->uid, uid)) {
			refcount_inc(&share->ref);
			return share;
		}
	}
	return NULL;
}

/**
 * srxe_spi_share_of() - places for a user of a link
 * @link: the link's share
 * @uid: the user
 *
 * Context: process.
 * Return: his share, for srxe_spi_share_put(), or NULL.
 */
struct srxe_spi_share *srxe_spi_share_of(struct srxe_spi_share *link, kuid_t uid)
{
	struct srxe_spi_share *new = srxe_spi_share_new(0), *share;

	if (!new)
		return NULL;
	spin_lock_bh(&users_lock);
	share = existing_share(link, uid);
	if (!share) {
		share = new;
		new = NULL;
		refcount_inc(&link->ref);
		share->link = link;
		share->uid = uid;
		list_add(&share->entry, &link->users);
	}
	spin_unlock_bh(&users_lock);
	kfree(new);
	return share;
}

/**
 * srxe_spi_share_put() - no more places are taken from a share
 * @share: from srxe_spi_share_new() or srxe_spi_share_of(), or NULL
 *
 * Context: any but hard interrupts.
 */
void srxe_spi_share_put(struct srxe_spi_share *share)
{
	struct srxe_spi_share *link = NULL;
	bool last;

	if (!share)
		return;
	/* who finds a user's finds one that lives */
	spin_lock_bh(&users_lock);
	last = refcount_dec_and_test(&share->ref);
	if (last) {
		link = share->link;
		list_del(&share->entry);
		last = !link || refcount_dec_and_test(&link->ref);
		kfree(share);
	}
	spin_unlock_bh(&users_lock);
	if (last && link)
		kfree(link);
}

static bool has_room(const struct srxe_spi_share *share)
{
	const struct srxe_spi_share *link = share->link;
	unsigned int taken = atomic_read(&share->taken);

	if (!link)
		return taken < share->max;
	return srxe_user_room(link->max, atomic_read(&link->taken), taken);
}

static void take_place(struct srxe_spi_share *share)
{
	refcount_inc(&share->ref);
	atomic_inc(&share->taken);
	if (share->link)
		atomic_inc(&share->link->taken);
}

static void give_place(struct srxe_spi_share *share)
{
	atomic_dec(&share->taken);
	if (share->link)
		atomic_dec(&share->link->taken);
	srxe_spi_share_put(share);
}

/**
 * srxe_spi_insert() - put an SA at a given place
 * @net: namespace
 * @share: whose place it is to be
 * @spi: SPI
 * @sa: the SA
 * @slot: set to the place
 *
 * Context: process.
 * Return: 0; -EEXIST if the place is in use or on hold; -ENOSPC if the share is
 * used up; -ENOMEM.
 */
int srxe_spi_insert(struct net *net, struct srxe_spi_share *share, u32 spi,
		    struct srxe_sa *sa, struct srxe_spi **slot)
{
	struct srxe_spi *new;
	int err;

	if (!has_room(share))
		return -ENOSPC;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	new->key.net = net;
	new->key.spi = spi;
	new->share = share;
	RCU_INIT_POINTER(new->sa, sa);
	err = rhashtable_lookup_insert_fast(&spi_table, &new->node, spi_params);
	if (err) {
		kfree(new);
		return err;
	}
	take_place(share);
	*slot = new;
	return 0;
}

/**
 * srxe_spi_take() - give an SA an SPI
 * @net: namespace of its link
 * @share: its link's
 * @sa: the SA, complete enough to be found
 * @spi: set to the SPI
 *
 * Context: process.
 * Return: the place, for srxe_spi_release(); ERR_PTR(-ENOSPC) when the link has
 * too many SAs or places on hold, ERR_PTR(-ENOMEM).
 */
struct srxe_spi *srxe_spi_take(struct net *net, struct srxe_spi_share *share,
			       struct srxe_sa *sa, u32 *spi)
{
	struct srxe_spi *slot;
	unsigned int tries;
	int err = -ENOSPC;

	for (tries = 0; tries < SPI_TRIES; tries++) {
		*spi = get_random_u32();
		if (*spi < SRXE_SPI_MIN)
			continue;
		err = srxe_spi_insert(net, share, *spi, sa, &slot);
		if (!err)
			return slot;
		if (err != -EEXIST)
			break;
	}
	return ERR_PTR(err == -EEXIST ? -ENOSPC : err);
}

static void free_slot(struct srxe_spi *slot)
{
	lockdep_assert_held(&hold_lock);
	rhashtable_remove_fast(&spi_table, &slot->node, spi_params);
	give_place(slot->share);
	kfree_rcu(slot, rcu);
}

/**
 * srxe_spi_release() - the SA at a place has ended
 * @slot: from srxe_spi_take(); not to be used any more
 * @hold: packets may have been sealed for it: the SA had keys
 *
 * Packets for the SPI find nothing from now on. Who has found the SA before
 * may use it until an RCU grace period is over.
 *
 * Context: any but hard interrupts.
 */
void srxe_spi_release(struct srxe_spi *slot, bool hold)
{
	RCU_INIT_POINTER(slot->sa, NULL);

	spin_lock_bh(&hold_lock);
	if (hold) {
		slot->until = ktime_get_boottime_ns() + SPI_HOLD_NS;
		list_add_tail(&slot->entry, &on_hold);
	} else {
		free_slot(slot);
	}
	spin_unlock_bh(&hold_lock);
	/* does nothing if it is on its way, which is never later than needed */
	if (hold)
		schedule_delayed_work(&reaper, SRXE_SPI_HOLD_S * HZ);
}

/**
 * srxe_spi_lookup() - SA of a sealed packet
 * @net: namespace the packet arrived in
 * @spi: from the packet
 *
 * Context: rcu_read_lock().
 * Return: the SA, good until rcu_read_unlock(), or NULL.
 */
struct srxe_sa *srxe_spi_lookup(struct net *net, u32 spi)
{
	struct spi_key key = { .net = net, .spi = spi };
	struct srxe_spi *slot;

	slot = rhashtable_lookup(&spi_table, &key, spi_params);
	return slot ? rcu_dereference(slot->sa) : NULL;
}

static unsigned int reap_batch(u64 now)
{
	struct srxe_spi *slot, *tmp;
	unsigned int n = 0;

	spin_lock_bh(&hold_lock);
	list_for_each_entry_safe(slot, tmp, &on_hold, entry) {
		if (slot->until > now || n == SPI_REAP_BATCH)
			break;
		list_del(&slot->entry);
		free_slot(slot);
		n++;
	}
	spin_unlock_bh(&hold_lock);
	return n;
}

/**
 * srxe_spi_reap() - free the places whose hold is over
 * @now: ns of boottime
 *
 * Context: process.
 */
void srxe_spi_reap(u64 now)
{
	while (reap_batch(now) == SPI_REAP_BATCH)
		cond_resched();
}

/* When the first hold is over, at most once a second; 0 if there is none. */
static unsigned long reap_delay(u64 now)
{
	struct srxe_spi *slot;
	unsigned long delay = 0;

	spin_lock_bh(&hold_lock);
	slot = list_first_entry_or_null(&on_hold, struct srxe_spi, entry);
	if (slot) {
		delay = HZ;
		if (slot->until > now)
			delay += nsecs_to_jiffies(slot->until - now);
	}
	spin_unlock_bh(&hold_lock);
	return delay;
}

static void reap_work(struct work_struct *work)
{
	u64 now = ktime_get_boottime_ns();
	unsigned long delay;

	srxe_spi_reap(now);
	delay = reap_delay(now);
	if (delay)
		schedule_delayed_work(&reaper, delay);
}

/**
 * srxe_spi_init() - make the table
 *
 * Context: process, module load.
 * Return: 0 or -ENOMEM.
 */
int srxe_spi_init(void)
{
	return rhashtable_init(&spi_table, &spi_params);
}

static void free_place(void *ptr, void *arg)
{
	struct srxe_spi *slot = ptr;

	give_place(slot->share);
	kfree(slot);
}

/**
 * srxe_spi_exit() - free the table
 *
 * Context: process, module unload; every SA has ended and been freed.
 */
void srxe_spi_exit(void)
{
	cancel_delayed_work_sync(&reaper);
	INIT_LIST_HEAD(&on_hold);
	rhashtable_free_and_destroy(&spi_table, free_place, NULL);
}
