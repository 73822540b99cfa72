// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Index of a link's keys by peer address.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "srxe_ring.h"
#include "srxe_ring_index.h"

/**
 * srxe_ring_index_alloc() - an empty index
 * @size: how many slots it is to have room for
 *
 * Context: process, may sleep.
 * Return: the index or NULL.
 */
struct srxe_ring_index *srxe_ring_index_alloc(size_t size)
{
	struct srxe_ring_index *index;

	index = kvzalloc(struct_size(index, slots, size), GFP_KERNEL);
	if (index)
		index->size = size;
	return index;
}

/**
 * srxe_ring_index_free() - free an index and drop its references
 * @index: not used by anybody any more, or NULL
 *
 * Context: any.
 */
void srxe_ring_index_free(struct srxe_ring_index *index)
{
	unsigned int i;

	if (!index)
		return;
	for (i = 0; i < index->n; i++)
		srxe_ring_key_put(index->slots[i].rk);
	kvfree(index);
}

/**
 * srxe_ring_index_add() - add a live key
 * @index: not published yet, with room
 * @rk: key; the index takes a reference of its own
 *
 * Context: any.
 */
void srxe_ring_index_add(struct srxe_ring_index *index, struct srxe_ring_key *rk)
{
	struct srxe_ring_slot *slot = &index->slots[index->n++];

	slot->match = rk->match;
	slot->rk = srxe_ring_key_get(rk);
	slot->serial = rk->psk->serial;
	memcpy(slot->key_id, rk->psk->keys.key_id, sizeof(slot->key_id));
	slot->seq = rk->psk->seq;
	slot->created = rk->psk->created;
}

/**
 * srxe_ring_index_add_dead() - add what is left of a key that is dead
 * @index: not published yet, with room
 * @dead: copied; refers to no key
 *
 * Context: any.
 */
void srxe_ring_index_add_dead(struct srxe_ring_index *index,
			      const struct srxe_ring_slot *dead)
{
	index->slots[index->n++] = *dead;
}

static int younger_first(const struct srxe_ring_slot *a, const struct srxe_ring_slot *b)
{
	return a->seq > b->seq ? -1 : a->seq < b->seq;
}

static int cmp_slots(const void *pa, const void *pb)
{
	const struct srxe_ring_slot *a = pa, *b = pb;
	int cmp = srxe_psk_match_cmp(&a->match, &b->match);

	if (cmp)
		return cmp;
	if (!a->rk != !b->rk)
		return a->rk ? -1 : 1;
	cmp = a->rk ? 0 : strcmp(a->match.tag, b->match.tag);
	return cmp ?: younger_first(a, b);
}

/* What may be cut off comes last: the oldest of the dead. */
static int cmp_keeping(const void *pa, const void *pb)
{
	const struct srxe_ring_slot *a = pa, *b = pb;

	if (!a->rk != !b->rk)
		return a->rk ? -1 : 1;
	return younger_first(a, b);
}

/*
 * A dead one denies, and once is enough for a description. It stays beside live
 * ones, which may go again: then nothing must be as if it had never been.
 */
static bool doubled(const struct srxe_ring_slot *dead, const struct srxe_ring_slot *kept)
{
	return !dead->rk && !kept->rk && srxe_psk_match_equal(&dead->match, &kept->match);
}

static void drop_doubled(struct srxe_ring_index *index)
{
	unsigned int i, n = 0;

	for (i = 0; i < index->n; i++) {
		if (n && doubled(&index->slots[i], &index->slots[n - 1]))
			continue;
		index->slots[n++] = index->slots[i];
		if (index->slots[i].rk)
			index->live++;
		else
			index->dead++;
	}
	index->n = n;
}

/* Moves dead ones that are too many behind the end. */
static unsigned int cut_dead(struct srxe_ring_index *index)
{
	unsigned int cut;

	if (index->dead <= SRXE_RING_DEAD_MAX)
		return 0;
	cut = index->dead - SRXE_RING_DEAD_MAX;
	sort(index->slots, index->n, sizeof(index->slots[0]), cmp_keeping, NULL);
	index->n -= cut;
	index->dead -= cut;
	sort(index->slots, index->n, sizeof(index->slots[0]), cmp_slots, NULL);
	return cut;
}

static void set_levels(struct srxe_ring_index *index)
{
	struct srxe_ring_span *level = NULL;
	unsigned int i;

	for (i = 0; i < index->n; i++) {
		const struct srxe_ring_slot *slot = &index->slots[i];

		if (!level || level->rank != slot->match.rank) {
			level = &index->level[index->levels++];
			level->rank = slot->match.rank;
			level->first = i;
		}
		level->end = i + 1;
	}
}

/**
 * srxe_ring_index_seal() - put an index in order, so that it can be published
 * @index: with all that belongs in it
 *
 * Context: process, may sleep.
 * Return: how many dead ones it has no place for, the oldest; they are behind
 * its last slot.
 */
unsigned int srxe_ring_index_seal(struct srxe_ring_index *index)
{
	unsigned int cut;

	sort(index->slots, index->n, sizeof(index->slots[0]), cmp_slots, NULL);
	drop_doubled(index);
	cut = cut_dead(index);
	set_levels(index);
	return cut;
}

/* First slot in the level that does not come before the key. */
static unsigned int lower_bound(const struct srxe_ring_index *index,
				const struct srxe_ring_span *level,
				const struct srxe_psk_match *key)
{
	unsigned int lo = level->first, hi = level->end, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (srxe_psk_match_cmp(&index->slots[mid].match, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool find_in_level(const struct srxe_ring_index *index,
			  const struct srxe_ring_span *level,
			  const struct srxe_psk_match *key, struct srxe_ring_span *span)
{
	span->rank = level->rank;
	span->first = lower_bound(index, level, key);
	span->end = span->first;
	while (span->end < level->end &&
	       !srxe_psk_match_cmp(&index->slots[span->end].match, key))
		span->end++;
	return span->end > span->first;
}

/**
 * srxe_ring_index_find() - the keys with the longest prefix for a peer
 * @index: index, or NULL for an empty one
 * @peer: peer's address, IPv4 as v4-mapped
 * @span: filled in: all the alternatives, dead ones too, in the order to try
 *
 * Context: any. Takes a binary search for each prefix length in use.
 * Return: true if there are any.
 */
bool srxe_ring_index_find(const struct srxe_ring_index *index, const struct in6_addr *peer,
			  struct srxe_ring_span *span)
{
	struct srxe_psk_match key = {};
	unsigned int i;

	for (i = 0; index && i < index->levels; i++) {
		key.rank = index->level[i].rank;
		srxe_psk_match_prefix(peer, key.rank, &key.addr);
		if (find_in_level(index, &index->level[i], &key, span))
			return true;
	}
	return false;
}

/**
 * srxe_ring_index_find_match() - the keys for the very address or prefix
 * @index: index, or NULL for an empty one
 * @match: address or prefix, or the default; its tag does not matter
 * @span: filled in: all the alternatives, dead ones too
 *
 * Context: any.
 * Return: true if there are any.
 */
bool srxe_ring_index_find_match(const struct srxe_ring_index *index,
				const struct srxe_psk_match *match,
				struct srxe_ring_span *span)
{
	unsigned int i;

	for (i = 0; index && i < index->levels; i++)
		if (index->level[i].rank == match->rank)
			return find_in_level(index, &index->level[i], match, span);
	return false;
}
