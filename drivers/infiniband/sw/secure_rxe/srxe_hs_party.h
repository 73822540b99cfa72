/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Whose handshakes are counted on a link: peers, protection domains, local users.
 *
 * Parties are remembered as long as something of theirs is under way or waits, and
 * after that until others need their place. Part of srxe_hs_limit.h, whose lock
 * protects all of it; all functions may sleep.
 */
#ifndef SRXE_HS_PARTY_H
#define SRXE_HS_PARTY_H

#include <linux/hashtable.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/siphash.h>
#include <linux/types.h>
#include <rdma/srxe_wire.h>

/*
 * Parties remembered; the longest idle one makes room. Each handshake under way, in
 * either role, keeps up to four from being idle. Who waits does so where there is
 * something under way, or in the one place of a user or a domain.
 */
#define SRXE_HS_MAX_PARTIES	(12 * SRXE_MAX_HS_LINK)

/* enum srxe_hs_role - which side of a handshake; the bounds are for each */
enum srxe_hs_role {
	SRXE_HS_INITIATOR,
	SRXE_HS_RESPONDER,
	SRXE_HS_ROLES,
};

/**
 * struct srxe_hs_bucket - token bucket
 * @tokens: what is in it, in nanoseconds of its rate
 * @filled: boottime (ns) up to which @tokens has been counted
 */
struct srxe_hs_bucket {
	u64	tokens;
	u64	filled;
};

/* enum srxe_hs_party_kind - whose handshakes are counted */
enum srxe_hs_party_kind {
	SRXE_HS_PEER,
	SRXE_HS_PD,
	SRXE_HS_USER,
	SRXE_HS_PAIR,	/* a user's with one peer; forgotten when there are none */
};

/**
 * struct srxe_hs_party_id - name of a party; no padding, it is hashed as bytes
 * @addr: peer's address
 * @num: number of the protection domain, or of the user
 * @kind: enum srxe_hs_party_kind
 */
struct srxe_hs_party_id {
	struct in6_addr	addr;
	u32		num;
	u32		kind;
};

/**
 * struct srxe_hs_party - a peer, a protection domain, a user
 * @node: in the table
 * @idle: in the list of idle ones, while nothing is under way and nobody waits
 * @id: whose
 * @out: handshakes under way, by role
 * @waiting: those who wait to begin one, first come first; a user's wait for a peer
 *	among themselves
 * @bucket: rate of a peer's handshakes that we answer, or of those that a
 *	protection domain or a user begins
 * @local: our address that @challenge is for
 * @challenge: the last one the peer gave us
 * @has_challenge: it has given us one
 */
struct srxe_hs_party {
	struct hlist_node	node;
	struct list_head	idle;
	struct srxe_hs_party_id	id;
	unsigned int		out[SRXE_HS_ROLES];
	struct list_head	waiting;
	struct srxe_hs_bucket	bucket;
	u8			local[SRXE_GID_LEN];
	u8			challenge[SRXE_CHALLENGE_LEN];
	bool			has_challenge;
};

/**
 * struct srxe_hs_parties - those of a link
 * @table: by their id
 * @idle: those with nothing under way and for whom nobody waits, longest idle first
 * @count: how many there are
 * @full: what is in a new one's bucket
 * @seed: of the hash
 */
struct srxe_hs_parties {
	DECLARE_HASHTABLE(table, 10);
	struct list_head	idle;
	unsigned int		count;
	u64			full;
	siphash_key_t		seed;
};

void srxe_hs_parties_init(struct srxe_hs_parties *parties, u64 full);
void srxe_hs_parties_destroy(struct srxe_hs_parties *parties);
struct srxe_hs_party *srxe_hs_party_find(struct srxe_hs_parties *parties,
					 const struct srxe_hs_party_id *id);
struct srxe_hs_party *srxe_hs_party_get(struct srxe_hs_parties *parties,
					const struct srxe_hs_party_id *id);
void srxe_hs_party_touch(struct srxe_hs_parties *parties, struct srxe_hs_party *p);

#endif /* SRXE_HS_PARTY_H */
