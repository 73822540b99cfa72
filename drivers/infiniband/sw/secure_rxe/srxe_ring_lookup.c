// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which key for which peer.
 *
 * The longest prefix decides alone: when all keys under it are dead the peer is
 * denied, whatever shorter prefixes there are. So is a peer that was once
 * matched more closely than it is now.
 */
#include <linux/err.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "srxe_ring_priv.h"

static int slot_error(const struct srxe_ring_slot *slot)
{
	if (!slot->rk)
		return slot->err;
	if (srxe_ring_key_live(slot->rk))
		return 0;
	return key_validate(slot->rk->key) == -EKEYEXPIRED ? -EKEYEXPIRED : -EKEYREVOKED;
}

/* Under rcu_read_lock(). 0: there is a live key in the span; -ENOKEY: unkeyed; else denied. */
static int judge(struct srxe_ring *ring, const struct srxe_ring_index *index,
		 const struct in6_addr *peer, struct srxe_ring_span *span)
{
	int rank = srxe_tombs_rank(&ring->tombs, peer);
	unsigned int i;
	u64 seq = 0;
	int err = 0;

	if (READ_ONCE(ring->lost))
		return -EKEYREJECTED;
	if (!srxe_ring_index_find(index, peer, span))
		return rank >= 0 ? -EKEYREJECTED : -ENOKEY;
	if (span->rank < rank)
		return -EKEYREJECTED;

	for (i = span->first; i < span->end; i++) {
		int slot_err = slot_error(&index->slots[i]);

		if (!slot_err)
			return 0;
		/* why the youngest cannot be used says most */
		if (!err || index->slots[i].seq > seq) {
			err = slot_err;
			seq = index->slots[i].seq;
		}
	}
	return err;
}

static struct srxe_ring_key *take_live(const struct srxe_ring_slot *slot)
{
	struct srxe_ring_key *rk = slot->rk;

	if (rk && srxe_ring_key_live(rk) && refcount_inc_not_zero(&rk->ref))
		return rk;
	return NULL;
}

/**
 * srxe_ring_lookup() - the keys to try with a peer
 * @ring: ring
 * @peer: peer's address, IPv4 as v4-mapped
 * @keys: filled in, youngest first, each with a reference
 * @max: how many fit, at least 1
 *
 * That a peer has keys is remembered: those that they are for are never without
 * again, unless the tombstone is cleared. Who asks has proved nothing, and there
 * is no end of peers, so it is the key's address or prefix that is remembered.
 *
 * Context: process, may sleep; no key's or keyring's semaphore is held.
 * Return: how many keys; -ENOKEY if the peer has none and never had;
 * -EKEYREVOKED, -EKEYEXPIRED or -EKEYREJECTED (its key was removed) if it is
 * denied; another error if the ring cannot be looked at.
 */
int srxe_ring_lookup(struct srxe_ring *ring, const struct in6_addr *peer,
		     struct srxe_ring_key **keys, unsigned int max)
{
	const struct srxe_ring_index *index;
	struct srxe_ring_span span = {};
	unsigned int i, n = 0;
	int err;

	err = srxe_ring_sync(ring);
	if (err)
		return err;

	rcu_read_lock();
	index = rcu_dereference(ring->index);
	err = judge(ring, index, peer, &span);
	for (i = span.first; !err && i < span.end && n < max; i++) {
		keys[n] = take_live(&index->slots[i]);
		n += !!keys[n];
	}
	rcu_read_unlock();

	if (err)
		return err;
	/* they all ended since the verdict */
	if (!n)
		return -EKEYREVOKED;
	srxe_ring_mark(ring, &keys[0]->match);
	return n;
}

/**
 * srxe_ring_by_id() - the key a peer named
 * @ring: ring
 * @peer: peer's address, IPv4 as v4-mapped
 * @key_id: name of the key, not secret
 *
 * Context: process, may sleep; no key's or keyring's semaphore is held.
 * Return: the key with a reference; NULL if it is not one that we would use
 * with that peer.
 */
struct srxe_ring_key *srxe_ring_by_id(struct srxe_ring *ring, const struct in6_addr *peer,
				      const u8 key_id[SRXE_KEY_ID_LEN])
{
	const struct srxe_ring_index *index;
	struct srxe_ring_key *rk = NULL;
	struct srxe_ring_span span;
	unsigned int i;

	if (srxe_ring_sync(ring))
		return NULL;

	rcu_read_lock();
	index = rcu_dereference(ring->index);
	if (!judge(ring, index, peer, &span)) {
		for (i = span.first; !rk && i < span.end; i++)
			if (!memcmp(index->slots[i].key_id, key_id, SRXE_KEY_ID_LEN))
				rk = take_live(&index->slots[i]);
	}
	rcu_read_unlock();
	return rk;
}

/*
 * A key that is being added counts before it is in the index, and so does its
 * revocation.
 */
static enum srxe_peer incoming(struct srxe_ring *ring, const struct in6_addr *peer)
{
	enum srxe_peer state = SRXE_PEER_UNKEYED;
	struct srxe_ring_incoming *in;

	list_for_each_entry_rcu(in, &ring->incoming, entry) {
		if (!srxe_psk_match_covers(&in->psk->match, peer))
			continue;
		if (!READ_ONCE(in->psk->revoked))
			return SRXE_PEER_KEYED;
		state = SRXE_PEER_DENIED;
	}
	return state;
}

/**
 * srxe_ring_peer() - how a peer stands
 * @ring: ring
 * @peer: peer's address, IPv4 as v4-mapped
 *
 * Context: any; does not sleep.
 * Return: see &enum srxe_peer. Only SRXE_PEER_UNKEYED says that plain RoCEv2
 * may be talked about.
 */
enum srxe_peer srxe_ring_peer(struct srxe_ring *ring, const struct in6_addr *peer)
{
	struct srxe_ring_span span;
	enum srxe_peer state;

	rcu_read_lock();
	state = incoming(ring, peer);
	/* from there keys go into the index: see refresh_locked() */
	smp_rmb();
	switch (judge(ring, rcu_dereference(ring->index), peer, &span)) {
	case 0:
		state = SRXE_PEER_KEYED;
		break;
	case -ENOKEY:
		break;
	default:
		state = SRXE_PEER_DENIED;
	}
	rcu_read_unlock();
	return state;
}

/**
 * srxe_ring_denies() - is a tombstone of such peers in force?
 * @ring: ring
 * @match: the very address or prefix, or the default
 *
 * Context: any; does not sleep.
 * Return: false while there is a live key with that match.
 */
bool srxe_ring_denies(struct srxe_ring *ring, const struct srxe_psk_match *match)
{
	const struct srxe_ring_index *index;
	struct srxe_ring_span span;
	bool denies = true;
	unsigned int i;

	rcu_read_lock();
	index = rcu_dereference(ring->index);
	if (!READ_ONCE(ring->lost) && srxe_ring_index_find_match(index, match, &span))
		for (i = span.first; denies && i < span.end; i++)
			denies = slot_error(&index->slots[i]);
	rcu_read_unlock();
	return denies;
}

/**
 * srxe_ring_mark() - peers are talked to under a key: remember it
 * @ring: ring
 * @match: of that key. What matches a peer by now may be a wider one.
 *
 * Context: process, may sleep.
 */
void srxe_ring_mark(struct srxe_ring *ring, const struct srxe_psk_match *match)
{
	srxe_tombs_mark(&ring->tombs, match);
}
