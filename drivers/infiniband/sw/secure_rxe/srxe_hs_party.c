// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whose handshakes are counted on a link, and for how long that is remembered.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "srxe_hs_party.h"

static u32 hash_id(const struct srxe_hs_parties *parties, const struct srxe_hs_party_id *id)
{
	return (u32)siphash(id, sizeof(*id), &parties->seed);
}

/**
 * srxe_hs_parties_init() - nobody yet
 * @parties: to set up
 * @full: what is in a new one's bucket
 *
 * Context: process.
 */
void srxe_hs_parties_init(struct srxe_hs_parties *parties, u64 full)
{
	hash_init(parties->table);
	INIT_LIST_HEAD(&parties->idle);
	parties->count = 0;
	parties->full = full;
	get_random_bytes(&parties->seed, sizeof(parties->seed));
}

static void free_party(struct srxe_hs_parties *parties, struct srxe_hs_party *p)
{
	hash_del(&p->node);
	list_del(&p->idle);
	parties->count--;
	kfree(p);
}

/**
 * srxe_hs_parties_destroy() - forget all
 * @parties: nothing is under way any more, and nobody waits
 *
 * Context: process.
 */
void srxe_hs_parties_destroy(struct srxe_hs_parties *parties)
{
	struct srxe_hs_party *p;
	struct hlist_node *tmp;
	int i;

	hash_for_each_safe(parties->table, i, tmp, p, node)
		free_party(parties, p);
}

/**
 * srxe_hs_party_find() - a party that is remembered
 * @parties: those of a link
 * @id: whose
 *
 * Context: process.
 * Return: it, or NULL.
 */
struct srxe_hs_party *srxe_hs_party_find(struct srxe_hs_parties *parties,
					 const struct srxe_hs_party_id *id)
{
	struct srxe_hs_party *p;

	hash_for_each_possible(parties->table, p, node, hash_id(parties, id))
		if (!memcmp(&p->id, id, sizeof(*id)))
			return p;
	return NULL;
}

/**
 * srxe_hs_party_get() - a party, which is remembered from now on
 * @parties: those of a link
 * @id: whose
 *
 * A forgotten party comes back with a full bucket. It was idle for longer than
 * thousands of others, and what all of them may do is bounded by the link's.
 *
 * Context: process.
 * Return: it, srxe_hs_party_touch() being owed, or NULL: there are too many that
 * something of is under way, or there is no memory.
 */
struct srxe_hs_party *srxe_hs_party_get(struct srxe_hs_parties *parties,
					const struct srxe_hs_party_id *id)
{
	struct srxe_hs_party *p = srxe_hs_party_find(parties, id);

	if (p)
		return p;
	if (parties->count >= SRXE_HS_MAX_PARTIES) {
		if (list_empty(&parties->idle))
			return NULL;
		free_party(parties, list_first_entry(&parties->idle, struct srxe_hs_party, idle));
	}
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return NULL;
	p->id = *id;
	INIT_LIST_HEAD(&p->waiting);
	p->bucket.tokens = parties->full;
	hash_add(parties->table, &p->node, hash_id(parties, id));
	list_add_tail(&p->idle, &parties->idle);
	parties->count++;
	return p;
}

/**
 * srxe_hs_party_touch() - something of a party's has begun, or come to its end
 * @parties: those of a link
 * @p: one of them; it may be gone when this returns
 *
 * Context: process.
 */
void srxe_hs_party_touch(struct srxe_hs_parties *parties, struct srxe_hs_party *p)
{
	if (p->out[SRXE_HS_INITIATOR] || p->out[SRXE_HS_RESPONDER] ||
	    !list_empty(&p->waiting))
		list_del_init(&p->idle);
	else if (p->id.kind == SRXE_HS_PAIR)
		free_party(parties, p);
	else
		list_move_tail(&p->idle, &parties->idle);
}
