/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A link's keyring and what is made of it: an index of the pre-shared keys by
 * peer address, and tombstones for the peers that once had one.
 */
#ifndef SRXE_RING_H
#define SRXE_RING_H

#include <linux/in6.h>
#include <linux/key.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "srxe_psk.h"
#include "srxe_tomb.h"

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
 * @gone_entry: on its way to srxe_policy_key_gone(); private to the ring
 * @rcu: for freeing it
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
	struct list_head	gone_entry;
	struct rcu_head		rcu;
};

enum srxe_peer {
	SRXE_PEER_UNKEYED,	/* no key matches and none ever did */
	SRXE_PEER_KEYED,	/* a live key matches */
	SRXE_PEER_DENIED,	/* matching keys are revoked or expired, or a tombstone stands */
};

/* srxe_ring.c: the keyring and its index */
struct srxe_ring *srxe_ring_create(struct srxe_link *link, const char *name);
void srxe_ring_destroy(struct srxe_ring *ring);
void srxe_ring_refresh_all(void);

struct srxe_ring_key *srxe_ring_key_get(struct srxe_ring_key *rk);
void srxe_ring_key_put(struct srxe_ring_key *rk);

/* srxe_ring_lookup.c: which key for which peer */
int srxe_ring_lookup(struct srxe_ring *ring, const struct in6_addr *peer,
		     struct srxe_ring_key **keys, unsigned int max);
struct srxe_ring_key *srxe_ring_by_id(struct srxe_ring *ring, const struct in6_addr *peer,
				      const u8 key_id[SRXE_KEY_ID_LEN]);
enum srxe_peer srxe_ring_peer(struct srxe_ring *ring, const struct in6_addr *peer);
bool srxe_ring_denies(struct srxe_ring *ring, const struct srxe_psk_match *match);
void srxe_ring_mark(struct srxe_ring *ring, const struct srxe_psk_match *match);

/**
 * struct srxe_ring_sel - names a key
 * @serial: key object, or 0
 * @desc: description, if @serial is 0
 */
struct srxe_ring_sel {
	key_serial_t	serial;
	const char	*desc;
};

/**
 * struct srxe_ring_info - a key as it is shown
 * @rk: the key, for comparing with what SAs hold; NULL if it is dead
 * @match: its description, understood
 * @serial: key object
 * @key_id: public name, SRXE_KEY_ID_LEN bytes
 * @err: 0 while it is live, -EKEYREVOKED or -EKEYEXPIRED when it denies
 * @created: when, seconds since the Epoch
 * @expiry: when it expires or has expired, seconds since the Epoch; 0: never
 */
struct srxe_ring_info {
	const struct srxe_ring_key	*rk;
	const struct srxe_psk_match	*match;
	key_serial_t			serial;
	const u8			*key_id;
	int				err;
	time64_t			created;
	time64_t			expiry;
};

/* Called under rcu_read_lock(); returns 0 to go on. */
typedef int (*srxe_ring_key_fn)(const struct srxe_ring_info *info, void *arg);

/* srxe_ring_admin.c: what netlink offers; the caller has checked CAP_NET_ADMIN */
key_serial_t srxe_ring_serial(const struct srxe_ring *ring);
int srxe_ring_each_key(struct srxe_ring *ring, unsigned long *pos, srxe_ring_key_fn fn,
		       void *arg);
int srxe_ring_each_tomb(struct srxe_ring *ring, unsigned long *pos, srxe_tomb_fn fn,
			void *arg);
int srxe_ring_revoke(struct srxe_ring *ring, const struct srxe_ring_sel *sel);
int srxe_ring_timeout(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		      unsigned int seconds);
int srxe_ring_unlink(struct srxe_ring *ring, const struct srxe_ring_sel *sel);
int srxe_ring_clear(struct srxe_ring *ring, const struct srxe_psk_match *match);
int srxe_ring_clear_all(struct srxe_ring *ring);

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
