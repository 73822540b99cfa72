/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tombstones: the peers that were once talked to under a key of a link. What
 * is remembered of each is how closely its key matched, so that the end of that
 * key never lets a wider key, or none, take its place.
 */
#ifndef SRXE_TOMB_H
#define SRXE_TOMB_H

#include <linux/atomic.h>
#include <linux/in6.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

/* Peers a link remembers; some 6 MB. Past it, unknown peers are denied. */
#define SRXE_TOMBS_MAX	65536

/**
 * struct srxe_tombs - tombstones of a link
 * @table: by address
 * @n: how many there are
 * @full: one could not be made, so that a peer without one proves nothing
 */
struct srxe_tombs {
	struct rhashtable	table;
	atomic_t		n;
	bool			full;
};

/**
 * typedef srxe_tomb_fn - what to do with a tombstone
 * @peer: address, IPv4 as v4-mapped
 * @rank: closest match there was, see &struct srxe_psk_match
 * @since: when the peer was first talked to, seconds since the Epoch
 * @arg: the caller's
 *
 * Called under rcu_read_lock(). Returns 0 to go on.
 */
typedef int (*srxe_tomb_fn)(const struct in6_addr *peer, u8 rank, time64_t since, void *arg);

int srxe_tombs_init(struct srxe_tombs *tombs);
void srxe_tombs_destroy(struct srxe_tombs *tombs);
void srxe_tombs_mark(struct srxe_tombs *tombs, const struct in6_addr *peer, u8 rank);
int srxe_tombs_rank(struct srxe_tombs *tombs, const struct in6_addr *peer);
bool srxe_tombs_clear(struct srxe_tombs *tombs, const struct in6_addr *peer);
void srxe_tombs_clear_all(struct srxe_tombs *tombs);
int srxe_tombs_each(struct srxe_tombs *tombs, unsigned long *pos, srxe_tomb_fn fn, void *arg);

#endif /* SRXE_TOMB_H */
