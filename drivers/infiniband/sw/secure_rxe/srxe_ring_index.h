/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Index of a link's keys: what a look-up by peer address needs, in an object
 * that never changes once it is published.
 */
#ifndef SRXE_RING_INDEX_H
#define SRXE_RING_INDEX_H

#include <linux/in6.h>
#include <linux/key.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "srxe_psk_match.h"

struct srxe_ring_key;

/*
 * Dead ones an index has; half a MB. They are outside of their owner's quota,
 * so what is more than that becomes a tombstone, which denies as well.
 */
#define SRXE_RING_DEAD_MAX	4096

/**
 * struct srxe_ring_slot - a key, or the remains of one
 * @match: which peers it is for
 * @rk: the key, referenced; NULL if it is dead
 * @err: why it is dead: -EKEYREVOKED or -EKEYEXPIRED; 0 if it was not when the
 *	index was made
 * @serial: its key object
 * @key_id: its public name
 * @seq: order of creation, the higher the younger
 * @created: when, seconds since the Epoch
 * @expiry: of a key that has expired: when, seconds since the Epoch
 */
struct srxe_ring_slot {
	struct srxe_psk_match	match;
	struct srxe_ring_key	*rk;
	int			err;
	key_serial_t		serial;
	u8			key_id[SRXE_KEY_ID_LEN];
	u64			seq;
	time64_t		created;
	time64_t		expiry;
};

/**
 * struct srxe_ring_span - slots from @first up to but not including @end
 * @rank: rank of them all
 * @first: first one
 * @end: one behind the last
 */
struct srxe_ring_span {
	u8		rank;
	unsigned int	first;
	unsigned int	end;
};

/**
 * struct srxe_ring_index - an index
 * @rcu: for freeing it
 * @size: slots there is room for
 * @n: slots in use, sorted once it is published
 * @live: how many of them are not dead
 * @levels: number of ranks that occur
 * @level: all slots of a rank, the highest rank first
 * @dead: how many are
 * @slots: alternatives side by side, the live ones first, of these the
 *	youngest first; of dead ones the last of each description
 */
struct srxe_ring_index {
	struct rcu_head		rcu;
	unsigned int		size;
	unsigned int		n;
	unsigned int		live;
	unsigned int		dead;
	unsigned int		levels;
	struct srxe_ring_span	level[SRXE_RANK_COUNT];
	struct srxe_ring_slot	slots[];
};

struct srxe_ring_index *srxe_ring_index_alloc(size_t size);
void srxe_ring_index_free(struct srxe_ring_index *index);
void srxe_ring_index_add(struct srxe_ring_index *index, struct srxe_ring_key *rk);
void srxe_ring_index_add_dead(struct srxe_ring_index *index,
			      const struct srxe_ring_slot *dead);
unsigned int srxe_ring_index_seal(struct srxe_ring_index *index);
bool srxe_ring_index_find(const struct srxe_ring_index *index, const struct in6_addr *peer,
			  struct srxe_ring_span *span);
bool srxe_ring_index_find_match(const struct srxe_ring_index *index,
				const struct srxe_psk_match *match,
				struct srxe_ring_span *span);

#endif /* SRXE_RING_INDEX_H */
