/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counting what fails, so that it can be told now and then instead of each time.
 *
 * What fails alike (the same peer, for the same reason) is counted together. A
 * count is due SRXE_TALLY_FIRST_S after its first failure, and from then on every
 * SRXE_TALLY_NEXT_S until there was none for that long. The number of counts is
 * bounded; what finds no room is counted together, whatever the peer.
 *
 * Nothing here knows of clocks, links or netlink; the caller serialises.
 */
#ifndef SRXE_TALLY_H
#define SRXE_TALLY_H

#include <linux/in6.h>
#include <linux/types.h>
#include <rdma/srxe_wire.h>

#define SRXE_TALLY_MAX		64	/* peers and reasons kept apart */
#define SRXE_TALLY_FIRST_S	1
#define SRXE_TALLY_NEXT_S	10

enum srxe_tally_what {
	SRXE_TALLY_HANDSHAKE,	/* an attempt of ours came to nothing */
	SRXE_TALLY_AUTH,	/* what came in did not authenticate */
	SRXE_TALLY_WHATS,
};

/**
 * struct srxe_failure - a failure, or several alike and the last of them
 * @what: enum srxe_tally_what
 * @many: of peers there was no room for: @peer is unset, @why of the last one
 * @why: enum srxe_vendor_err or enum srxe_auth_cause
 * @peer: the peer's address; unset if it is not known
 * @count: how many
 * @kind: enum srxe_kind, of the last one
 * @local: our address, of the last one; unset if it is not known
 * @lqpn: our queue pair, of the last one
 * @rqpn: the peer's queue pair, of the last one
 * @key_id: key of the last one; all zero if there was none
 */
struct srxe_failure {
	u8		what;
	bool		many;
	u32		why;
	struct in6_addr	peer;
	u64		count;
	u8		kind;
	struct in6_addr	local;
	u32		lqpn;
	u32		rqpn;
	u8		key_id[SRXE_KEY_ID_LEN];
};

/**
 * struct srxe_tally_slot - a count
 * @f: what is counted; its count is 0 when all was told
 * @due: when it is to be told, ns; 0 if the slot is free
 */
struct srxe_tally_slot {
	struct srxe_failure	f;
	u64			due;
};

/**
 * struct srxe_tally - the counts of a link
 * @slots: by peer and reason, in no order
 * @rest: what found no room there, by enum srxe_tally_what
 */
struct srxe_tally {
	struct srxe_tally_slot	slots[SRXE_TALLY_MAX];
	struct srxe_tally_slot	rest[SRXE_TALLY_WHATS];
};

bool srxe_tally_add(struct srxe_tally *t, const struct srxe_failure *f, u64 now);
bool srxe_tally_take(struct srxe_tally *t, u64 now, struct srxe_failure *f);
u64 srxe_tally_due(const struct srxe_tally *t);

#endif /* SRXE_TALLY_H */
