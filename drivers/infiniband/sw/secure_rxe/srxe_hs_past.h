/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * INITs that have served: the MACs of those whose handshake came to an SA. Who
 * captured one and sends it again, after the queue pair was reset, is not
 * answered, although its challenge is still good.
 *
 * A MAC is over kind, addresses and queue pair numbers, so it names one INIT of
 * one connection, or of one pair of addresses for datagram kinds, and no other
 * key is needed. It is remembered as long as the INIT's challenge is good, and
 * no longer: after that the answer is a RETRY, as to anybody.
 *
 * No time and no device here: the caller passes boottime in nanoseconds. All
 * functions may sleep.
 */
#ifndef SRXE_HS_PAST_H
#define SRXE_HS_PAST_H

#include <linux/hashtable.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/siphash.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <rdma/srxe_wire.h>

/* A challenge is good in its own period and in the next. */
#define SRXE_HS_PAST_PERIODS	2
/*
 * MACs of one period: more than answers are made in it, which are 32768 and 256 a
 * second at most (srxe_hs_limit.h); 2 MB.
 */
#define SRXE_HS_PAST_MAX	65536

/**
 * struct srxe_hs_past_period - MACs of one period
 * @period: which
 * @count: of them
 * @macs: by their hash
 */
struct srxe_hs_past_period {
	u64		period;
	unsigned int	count;
	DECLARE_HASHTABLE(macs, 9);
};

/**
 * struct srxe_hs_past - what a link remembers
 * @lock: innermost
 * @seed: of the hash
 * @periods: by the period's number
 */
struct srxe_hs_past {
	struct mutex			lock;	/* protects all of it */
	siphash_key_t			seed;
	struct srxe_hs_past_period	periods[SRXE_HS_PAST_PERIODS];
};

/* The challenge period of a time. */
static inline u64 srxe_hs_period(u64 now)
{
	return div64_u64(now, SRXE_CHALLENGE_PERIOD_S * NSEC_PER_SEC);
}

void srxe_hs_past_init(struct srxe_hs_past *past);
void srxe_hs_past_destroy(struct srxe_hs_past *past);
void srxe_hs_past_clear(struct srxe_hs_past *past);
int srxe_hs_past_add(struct srxe_hs_past *past, u64 now, u64 seen,
		     const u8 mac[SRXE_MAC_LEN]);
bool srxe_hs_past_has(struct srxe_hs_past *past, u64 now, const u8 mac[SRXE_MAC_LEN]);

#endif /* SRXE_HS_PAST_H */
