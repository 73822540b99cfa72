/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tombstones: which keys of a link peers were once looked up or talked to
 * under. What is remembered is whom such a key was for, so that its end never
 * lets a wider key, or none, take its place. There is one for each address or
 * prefix that had such a key, not for each peer: peers come as they like.
 */
#ifndef SRXE_TOMB_H
#define SRXE_TOMB_H

#include <linux/atomic.h>
#include <linux/in6.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

#include "srxe_psk_match.h"

/* What a link remembers; some 6 MB. Past it, who has no such key is denied. */
#define SRXE_TOMBS_MAX	65536

/**
 * struct srxe_tombs - tombstones of a link
 * @table: by rank and prefix
 * @n: how many there are
 * @ranks: those that occur, or did
 * @lost: highest rank of one that could not be made, so that it may be missing
 *	for any peer; -1: none
 */
struct srxe_tombs {
	struct rhashtable	table;
	atomic_t		n;
	DECLARE_BITMAP(ranks, SRXE_RANK_COUNT);
	int			lost;
};

/**
 * typedef srxe_tomb_fn - what to do with a tombstone
 * @match: the peers it stands for; no tag
 * @since: when one of them was first talked to, seconds since the Epoch
 * @arg: the caller's
 *
 * Called under rcu_read_lock(). Returns 0 to go on.
 */
typedef int (*srxe_tomb_fn)(const struct srxe_psk_match *match, time64_t since, void *arg);

int srxe_tombs_init(struct srxe_tombs *tombs);
void srxe_tombs_destroy(struct srxe_tombs *tombs);
void srxe_tombs_mark(struct srxe_tombs *tombs, const struct srxe_psk_match *match);
int srxe_tombs_rank(struct srxe_tombs *tombs, const struct in6_addr *peer);
bool srxe_tombs_clear(struct srxe_tombs *tombs, const struct srxe_psk_match *match);
void srxe_tombs_clear_all(struct srxe_tombs *tombs);
int srxe_tombs_each(struct srxe_tombs *tombs, unsigned long *pos, srxe_tomb_fn fn, void *arg);

#endif /* SRXE_TOMB_H */
