/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A link's keyring and what is made of it: an index of the pre-shared keys by
 * peer address, and tombstones for the peers that once had one.
 */
#ifndef SRXE_RING_H
#define SRXE_RING_H

#include <linux/in6.h>
#include <linux/key.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "srxe_hs_msg.h"
#include "srxe_psk_match.h"

struct srxe_link;
struct srxe_ring;

/**
 * struct srxe_ring_key - one key as it stands, or stood, in a link's ring
 * @ref: references; the last one drops @key and @psk
 * @key: the key object, for key_validate() at use
 * @psk: the secrets derived from it, shared with the key's payload
 * @match: which peers it is for
 * @gone: it is no longer in the ring (unlinked, replaced, revoked, expired);
 *	never cleared again
 *
 * SAs and handshakes hold these, so that the end of a key is seen where it is
 * used, whatever becomes of the keyring.
 */
struct srxe_ring_key {
	refcount_t		ref;
	struct key		*key;
	struct srxe_psk		*psk;
	struct srxe_psk_match	match;
	bool			gone;
	struct rcu_head		rcu;
};

enum srxe_peer {
	SRXE_PEER_UNKEYED,	/* no key matches and none ever did */
	SRXE_PEER_KEYED,	/* a live key matches */
	SRXE_PEER_DENIED,	/* matching keys are revoked or expired, or a tombstone stands */
};

int srxe_psk_register(void);	/* key type rdma_psk; module init and exit */
void srxe_psk_unregister(void);

struct srxe_ring *srxe_ring_create(struct srxe_link *link);
void srxe_ring_destroy(struct srxe_ring *ring);
key_serial_t srxe_ring_serial(const struct srxe_ring *ring);

int srxe_ring_lookup(struct srxe_ring *ring, const struct in6_addr *peer,
		     struct srxe_ring_key **keys, unsigned int max);
struct srxe_ring_key *srxe_ring_by_id(struct srxe_ring *ring, const struct in6_addr *peer,
				      const u8 key_id[SRXE_KEY_ID_LEN]);
enum srxe_peer srxe_ring_peer(struct srxe_ring *ring, const struct in6_addr *peer);

struct srxe_ring_key *srxe_ring_key_get(struct srxe_ring_key *rk);
void srxe_ring_key_put(struct srxe_ring_key *rk);

/**
 * srxe_ring_key_live() - may this key still be used?
 * @rk: key, referenced by the caller
 *
 * Context: any; two or three loads.
 * Return: true while the key is in its ring, neither revoked nor expired.
 */
static inline bool srxe_ring_key_live(const struct srxe_ring_key *rk)
{
	return !READ_ONCE(rk->gone) && key_validate(rk->key) == 0;
}

#endif /* SRXE_RING_H */
