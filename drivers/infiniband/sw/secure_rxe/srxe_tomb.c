// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tombstones of a link.
 */
#include <linux/bitmap.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "srxe_tomb.h"

/* No padding: it is hashed and compared as bytes. */
struct tomb_key {
	struct in6_addr	prefix;
	u32		rank;
};

struct tomb {
	struct rhash_head	node;
	struct tomb_key		key;
	time64_t		since;
	struct rcu_head		rcu;
};

static const struct rhashtable_params params = {
	.head_offset		= offsetof(struct tomb, node),
	.key_offset		= offsetof(struct tomb, key),
	.key_len		= sizeof_field(struct tomb, key),
	.automatic_shrinking	= true,
};

/**
 * srxe_tombs_init() - no tombstones
 * @tombs: to set up
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int srxe_tombs_init(struct srxe_tombs *tombs)
{
	atomic_set(&tombs->n, 0);
	bitmap_zero(tombs->ranks, SRXE_RANK_COUNT);
	tombs->lost = -1;
	return rhashtable_init(&tombs->table, &params);
}

static void free_tomb(void *ptr, void *arg)
{
	kfree(ptr);
}

/**
 * srxe_tombs_destroy() - free them all
 * @tombs: not used by anybody any more, an RCU grace period ago
 *
 * Context: process, may sleep.
 */
void srxe_tombs_destroy(struct srxe_tombs *tombs)
{
	rhashtable_free_and_destroy(&tombs->table, free_tomb, NULL);
}

/* Under rcu_read_lock(). */
static struct tomb *find(struct srxe_tombs *tombs, const struct in6_addr *addr, u8 rank)
{
	struct tomb_key key = { .rank = rank };

	srxe_psk_match_prefix(addr, rank, &key.prefix);
	return rhashtable_lookup(&tombs->table, &key, params);
}

static bool is_there(struct srxe_tombs *tombs, const struct srxe_psk_match *match)
{
	bool found;

	rcu_read_lock();
	found = find(tombs, &match->addr, match->rank);
	rcu_read_unlock();
	return found;
}

static bool add(struct srxe_tombs *tombs, const struct srxe_psk_match *match)
{
	struct tomb *tomb;
	int err = -ENOMEM;

	if (!atomic_add_unless(&tombs->n, 1, SRXE_TOMBS_MAX))
		return false;
	tomb = kzalloc(sizeof(*tomb), GFP_KERNEL);
	if (tomb) {
		tomb->key.prefix = match->addr;
		tomb->key.rank = match->rank;
		tomb->since = ktime_get_real_seconds();
		/* who looks for it goes by the ranks */
		set_bit(match->rank, tombs->ranks);
		err = rhashtable_lookup_insert_fast(&tombs->table, &tomb->node, params);
	}
	if (!err)
		return true;
	kfree(tomb);
	atomic_dec(&tombs->n);
	/* another one was faster */
	return err == -EEXIST;
}

static void lose(struct srxe_tombs *tombs, int rank)
{
	int old = READ_ONCE(tombs->lost);

	while (old < rank && !try_cmpxchg(&tombs->lost, &old, rank))
		;
}

/**
 * srxe_tombs_mark() - remember whom a key is for
 * @tombs: where
 * @match: the key's description; its tag does not matter
 *
 * Context: process, may sleep.
 */
void srxe_tombs_mark(struct srxe_tombs *tombs, const struct srxe_psk_match *match)
{
	if (!is_there(tombs, match) && !add(tombs, match))
		lose(tombs, match->rank);
}

/**
 * srxe_tombs_rank() - what is remembered of a peer
 * @tombs: where
 * @peer: address, IPv4 as v4-mapped
 *
 * Context: any. Takes a look-up for each rank in use.
 * Return: the closest match that there was or, if not all is remembered, may
 * have been; -1 if there was none.
 */
int srxe_tombs_rank(struct srxe_tombs *tombs, const struct in6_addr *peer)
{
	int closest = -1;
	unsigned int rank;

	rcu_read_lock();
	for_each_set_bit(rank, tombs->ranks, SRXE_RANK_COUNT)
		if (find(tombs, peer, rank))
			closest = rank;
	rcu_read_unlock();
	return max(closest, READ_ONCE(tombs->lost));
}

static bool remove(struct srxe_tombs *tombs, struct tomb *tomb)
{
	if (rhashtable_remove_fast(&tombs->table, &tomb->node, params))
		return false;
	atomic_dec(&tombs->n);
	kfree_rcu(tomb, rcu);
	return true;
}

/**
 * srxe_tombs_clear() - forget whom a key was for
 * @tombs: where
 * @match: the very address or prefix, or the default
 *
 * Context: any.
 * Return: true if there was something to forget.
 */
bool srxe_tombs_clear(struct srxe_tombs *tombs, const struct srxe_psk_match *match)
{
	struct tomb *tomb;
	bool found;

	rcu_read_lock();
	tomb = find(tombs, &match->addr, match->rank);
	found = tomb && remove(tombs, tomb);
	rcu_read_unlock();
	return found;
}

/**
 * srxe_tombs_clear_all() - forget everything
 * @tombs: where; what is marked meanwhile may stay
 *
 * Context: process.
 */
void srxe_tombs_clear_all(struct srxe_tombs *tombs)
{
	struct rhashtable_iter iter;
	struct tomb *tomb;

	WRITE_ONCE(tombs->lost, -1);
	rhashtable_walk_enter(&tombs->table, &iter);
	rhashtable_walk_start(&iter);
	/* -EAGAIN: the table is being resized, and the walk begins anew */
	while ((tomb = rhashtable_walk_next(&iter)))
		if (!IS_ERR(tomb))
			remove(tombs, tomb);
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
}

/**
 * srxe_tombs_each() - go through the tombstones
 * @tombs: where
 * @pos: how many to leave out; on return, how many there were before the one
 *	at which @fn stopped, so that one can go on there
 * @fn: called for each; must not sleep
 * @arg: for @fn
 *
 * One made or cleared meanwhile may be met twice or not at all.
 *
 * Context: process.
 * Return: what @fn stopped with, or 0 at the end.
 */
int srxe_tombs_each(struct srxe_tombs *tombs, unsigned long *pos, srxe_tomb_fn fn, void *arg)
{
	struct srxe_psk_match match = {};
	struct rhashtable_iter iter;
	unsigned long n = 0;
	struct tomb *tomb;
	int ret = 0;

	rhashtable_walk_enter(&tombs->table, &iter);
	rhashtable_walk_start(&iter);
	while (!ret && (tomb = rhashtable_walk_next(&iter))) {
		if (IS_ERR(tomb)) {
			n = 0;
			continue;
		}
		match.addr = tomb->key.prefix;
		match.rank = tomb->key.rank;
		if (n >= *pos)
			ret = fn(&match, tomb->since, arg);
		if (!ret)
			n++;
	}
	rhashtable_walk_stop(&iter);
	rhashtable_walk_exit(&iter);
	*pos = max(*pos, n);
	return ret;
}
