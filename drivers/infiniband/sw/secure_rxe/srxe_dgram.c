// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagram peers of a link: the table, and how they begin and end.
 */
#include <linux/ktime.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "rxe.h"
#include "srxe_dgram.h"
#include "srxe_hs_io.h"
#include "srxe_policy.h"
#include "srxe_sa.h"

static const struct rhashtable_params params = {
	.head_offset		= offsetof(struct srxe_dgram, node),
	.key_offset		= offsetof(struct srxe_dgram, key),
	.key_len		= sizeof_field(struct srxe_dgram, key),
	.automatic_shrinking	= true,
};

static atomic_t last_stranger = ATOMIC_INIT(0);

/**
 * srxe_dgrams_create() - datagram peers of a new link: none
 * @link: link
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int srxe_dgrams_create(struct srxe_link *link)
{
	struct srxe_dgrams *dgrams = kzalloc(sizeof(*dgrams), GFP_KERNEL);
	int err;

	if (!dgrams)
		return -ENOMEM;
	err = rhashtable_init(&dgrams->table, &params);
	if (err) {
		kfree(dgrams);
		return err;
	}
	spin_lock_init(&dgrams->lock);
	INIT_LIST_HEAD(&dgrams->all);
	link->dgrams = dgrams;
	return 0;
}

/**
 * srxe_dgrams_destroy() - the link goes
 * @link: link; srxe_dgrams_close() has been called, and nobody looks for a peer
 *	any more
 *
 * Context: process, may sleep.
 */
void srxe_dgrams_destroy(struct srxe_link *link)
{
	struct srxe_dgrams *dgrams = link->dgrams;

	link->dgrams = NULL;
	rhashtable_destroy(&dgrams->table);
	kfree(dgrams);
}

/**
 * srxe_dgram_hold() - take a reference
 * @d: peer the caller may use
 *
 * Context: any.
 */
void srxe_dgram_hold(struct srxe_dgram *d)
{
	kref_get(&d->ref);
}

static void free_dgram(struct kref *ref)
{
	struct srxe_dgram *d = container_of(ref, struct srxe_dgram, ref);

	srxe_spi_share_put(d->spis);
	mutex_destroy(&d->hs_lock);
	kfree_rcu(d, rcu);
}

/**
 * srxe_dgram_put() - drop a reference
 * @d: peer
 *
 * Context: any.
 */
void srxe_dgram_put(struct srxe_dgram *d)
{
	kref_put(&d->ref, free_dgram);
}

/**
 * srxe_dgram_find() - find a peer
 * @dgrams: peers of a link
 * @key: its name
 *
 * Context: rcu_read_lock().
 * Return: the peer, not referenced, or NULL. It may be ended at any time.
 */
struct srxe_dgram *srxe_dgram_find(struct srxe_dgrams *dgrams,
				   const struct srxe_dgram_key *key)
{
	return rhashtable_lookup(&dgrams->table, key, params);
}

/**
 * srxe_dgram_get() - find a peer and take a reference
 * @dgrams: peers of a link
 * @key: its name
 *
 * Context: any.
 * Return: the peer, or NULL. It may be ended at any time.
 */
struct srxe_dgram *srxe_dgram_get(struct srxe_dgrams *dgrams,
				  const struct srxe_dgram_key *key)
{
	struct srxe_dgram *d;

	rcu_read_lock();
	d = srxe_dgram_find(dgrams, key);
	if (d && !kref_get_unless_zero(&d->ref))
		d = NULL;
	rcu_read_unlock();
	return d;
}

/**
 * srxe_dgram_post() - let the peer's work do something
 * @d: peer, referenced
 * @event: what
 *
 * Context: any but hard interrupts.
 */
void srxe_dgram_post(struct srxe_dgram *d, enum srxe_dgram_event event)
{
	set_bit(event, &d->events);
	srxe_dgram_hold(d);
	if (!queue_work(srxe_hs_wq, &d->event))
		srxe_dgram_put(d);
}

/* Or has it been sent by now? */
static bool waits(struct srxe_dgram *d)
{
	bool waits;

	spin_lock_bh(&d->lock);
	waits = !skb_queue_empty(&d->waiting);
	d->starting = waits;
	spin_unlock_bh(&d->lock);
	return waits;
}

static void handle_event(struct work_struct *work)
{
	struct srxe_dgram *d = container_of(work, struct srxe_dgram, event);
	unsigned long events = xchg(&d->events, 0);

	mutex_lock(&d->hs_lock);
	if (d->ended) {
		;
	} else if (events & BIT(SRXE_DGRAM_END)) {
		srxe_dgram_end(d);
	} else {
		if (events & BIT(SRXE_DGRAM_ANEW) ||
		    (events & BIT(SRXE_DGRAM_START) && waits(d)))
			srxe_dgram_start(d);
		srxe_hs_run(&d->hs);
	}
	mutex_unlock(&d->hs_lock);
	srxe_dgram_put(d);
}

static void handle_timer(struct work_struct *work)
{
	struct srxe_dgram *d = container_of(to_delayed_work(work), struct srxe_dgram, timer);

	mutex_lock(&d->hs_lock);
	if (!d->ended)
		srxe_hs_run(&d->hs);
	mutex_unlock(&d->hs_lock);
	srxe_dgram_put(d);
}

static struct srxe_dgram *new_dgram(struct srxe_link *link, const struct srxe_dgram_key *key,
				    const struct srxe_dgram_user *user, gfp_t gfp)
{
	struct srxe_dgram *d = kzalloc(sizeof(*d), gfp);
	u32 pd;

	if (!d)
		return NULL;
	/* one for the table, one for whoever makes it */
	kref_init(&d->ref);
	kref_get(&d->ref);
	d->key = *key;
	d->link = link;
	INIT_LIST_HEAD(&d->entry);
	spin_lock_init(&d->lock);
	mutex_init(&d->hs_lock);
	__skb_queue_head_init(&d->waiting);
	INIT_WORK(&d->event, handle_event);
	INIT_DELAYED_WORK(&d->timer, handle_timer);
	INIT_DELAYED_WORK(&d->live, srxe_dgram_live);
	d->life.used = ktime_get_boottime_ns();

	pd = user->local ? user->pd :
	     SRXE_HS_PD_STRANGER | (u32)atomic_inc_return(&last_stranger);
	srxe_hs_setup(&d->hs, &srxe_dgram_world, &link->hs->limit, pd, key->kind, 0, 0);
	d->hs.user = user->who;
	d->hs.ends.lgid = key->lgid;
	d->hs.ends.rgid = key->rgid;
	d->hs.bound = true;
	return d;
}

static void leave(struct srxe_dgrams *dgrams, struct srxe_dgram *d)
{
	srxe_dgram_leave(dgrams, d);
	dgrams->count--;
}

/* The list is in the order of the numbers: srxe_dgrams_each() goes by them. */
static void append(struct srxe_dgrams *dgrams, struct srxe_dgram *d)
{
	d->seq = ++dgrams->last_seq;
	list_add_tail(&d->entry, &dgrams->all);
}

/*
 * Into the table, the list and its groups, all or nothing. Returns the one that is
 * in the table already, with a reference, or NULL.
 */
static struct srxe_dgram *enlist(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
				 const struct srxe_dgram_user *user)
{
	struct srxe_dgram *other;
	int err;

	lockdep_assert_held(&dgrams->lock);
	if (dgrams->closed)
		return ERR_PTR(-ENODEV);
	err = srxe_dgram_join(dgrams, d, user);
	if (err)
		return ERR_PTR(err);
	dgrams->count++;

	rcu_read_lock();
	other = rhashtable_lookup_get_insert_fast(&dgrams->table, &d->node, params);
	/* one in the table has the table's reference, but the end may be at it */
	if (!IS_ERR_OR_NULL(other) && !kref_get_unless_zero(&other->ref))
		other = ERR_PTR(-EAGAIN);
	rcu_read_unlock();
	if (other)
		leave(dgrams, d);
	else
		append(dgrams, d);
	return other;
}

/**
 * srxe_dgram_make() - have a peer
 * @link: link
 * @key: its name
 * @user: for whom
 * @gfp: how to allocate
 *
 * Whoever comes second, because somebody else made it a moment ago, gets that
 * one. So nothing is ever begun with one that is not in the table.
 *
 * Context: any but hard interrupts, as @gfp allows.
 * Return: the peer with a reference; ERR_PTR(-ENOSPC) at a bound,
 * ERR_PTR(-ENODEV) if the link goes, ERR_PTR(-ENOMEM).
 */
struct srxe_dgram *srxe_dgram_make(struct srxe_link *link, const struct srxe_dgram_key *key,
				   const struct srxe_dgram_user *user, gfp_t gfp)
{
	struct srxe_dgrams *dgrams = link->dgrams;
	struct srxe_dgram *d, *other;

	d = new_dgram(link, key, user, gfp);
	if (!d)
		return ERR_PTR(-ENOMEM);
	spin_lock_bh(&dgrams->lock);
	other = enlist(dgrams, d, user);
	spin_unlock_bh(&dgrams->lock);
	if (other) {
		mutex_destroy(&d->hs_lock);
		kfree(d);
		return other;
	}
	srxe_dgram_live_in(d, ktime_get_boottime_ns() + SRXE_DGRAM_HOLD_OFF_NS);
	return d;
}

/**
 * srxe_dgram_end() - a peer ends, and all of its SAs
 * @d: peer, its handshake locked
 *
 * Context: process.
 */
void srxe_dgram_end(struct srxe_dgram *d)
{
	struct srxe_dgrams *dgrams = d->link->dgrams;

	lockdep_assert_held(&d->hs_lock);
	if (d->ended)
		return;
	spin_lock_bh(&d->lock);
	d->ended = true;
	rhashtable_remove_fast(&dgrams->table, &d->node, params);
	spin_unlock_bh(&d->lock);

	srxe_hs_reset(&d->hs, 0);
	srxe_dgram_purge(d, NULL, SRXE_CNT_TX_NO_SA);
	if (cancel_delayed_work(&d->live))
		srxe_dgram_put(d);
	spin_lock_bh(&dgrams->lock);
	list_del_init(&d->entry);
	leave(dgrams, d);
	spin_unlock_bh(&dgrams->lock);
	srxe_dgram_put(d);
}

/* The next one behind number @seq, with a reference. */
static struct srxe_dgram *next_of(struct srxe_dgrams *dgrams, struct srxe_dgram *prev, u64 seq)
{
	struct srxe_dgram *d = NULL, *pos;

	spin_lock_bh(&dgrams->lock);
	if (prev && !list_empty(&prev->entry)) {
		if (!list_is_last(&prev->entry, &dgrams->all))
			d = list_next_entry(prev, entry);
	} else {
		list_for_each_entry(pos, &dgrams->all, entry) {
			if (pos->seq > seq) {
				d = pos;
				break;
			}
		}
	}
	if (d)
		srxe_dgram_hold(d);
	spin_unlock_bh(&dgrams->lock);
	return d;
}

/**
 * srxe_dgrams_each() - do something with every datagram peer of a link
 * @link: link
 * @fn: what; may sleep if the caller may
 * @arg: for @fn
 *
 * Context: process.
 */
void srxe_dgrams_each(struct srxe_link *link,
		      void (*fn)(struct srxe_dgram *d, void *arg), void *arg)
{
	struct srxe_dgram *d, *next;
	u64 seq = 0;

	for (d = next_of(link->dgrams, NULL, 0); d; d = next) {
		fn(d, arg);
		seq = d->seq;
		next = next_of(link->dgrams, d, seq);
		srxe_dgram_put(d);
	}
}

static void end_one(struct srxe_dgram *d, void *arg)
{
	mutex_lock(&d->hs_lock);
	srxe_dgram_end(d);
	mutex_unlock(&d->hs_lock);
}

/**
 * srxe_dgrams_end_all() - end every datagram peer of a link
 * @link: link
 *
 * What is sent later begins anew.
 *
 * Context: process, may sleep.
 */
void srxe_dgrams_end_all(struct srxe_link *link)
{
	srxe_dgrams_each(link, end_one, NULL);
}

/**
 * srxe_dgrams_open() - datagram peers again, after srxe_dgrams_close()
 * @link: link whose device is there for its clients; a new one is open already
 *
 * Context: process.
 */
void srxe_dgrams_open(struct srxe_link *link)
{
	struct srxe_dgrams *dgrams = link->dgrams;

	spin_lock_bh(&dgrams->lock);
	WRITE_ONCE(dgrams->closed, false);
	spin_unlock_bh(&dgrams->lock);
}

/**
 * srxe_dgrams_close() - no datagram peers until srxe_dgrams_open()
 * @link: link, about to go or to move; may be called more than once
 *
 * Context: process, may sleep.
 */
void srxe_dgrams_close(struct srxe_link *link)
{
	struct srxe_dgrams *dgrams = link->dgrams;

	spin_lock_bh(&dgrams->lock);
	WRITE_ONCE(dgrams->closed, true);
	spin_unlock_bh(&dgrams->lock);
	srxe_dgrams_end_all(link);
}
