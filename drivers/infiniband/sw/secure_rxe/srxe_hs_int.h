/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the files of the handshake's state machine share among themselves. */
#ifndef SRXE_HS_INT_H
#define SRXE_HS_INT_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <net/ipv6.h>

#include "srxe_hs.h"

static_assert(sizeof(struct in6_addr) == SRXE_GID_LEN);

static inline u64 srxe_hs_ms(unsigned int ms)
{
	return (u64)ms * NSEC_PER_MSEC;
}

static inline struct srxe_p srxe_hs_p(const struct in6_addr *i, const struct in6_addr *r)
{
	struct srxe_p p;

	memcpy(p.gid_i, i, sizeof(p.gid_i));
	memcpy(p.gid_r, r, sizeof(p.gid_r));
	return p;
}

/* < 0 if we are the preferred initiator, 0 for a queue pair connected to itself */
static inline int srxe_hs_side(const struct srxe_hs *hs)
{
	return srxe_hs_order(hs->ends.lgid.s6_addr, hs->ends.lqpn,
			     hs->ends.rgid.s6_addr, hs->ends.rqpn);
}

static inline void srxe_hs_backoff_start(struct srxe_hs_backoff *b, u64 now, u64 life)
{
	b->interval = srxe_hs_ms(SRXE_RETRY_MIN_MS);
	b->next = now + b->interval;
	b->end = now + life;
}

static inline void srxe_hs_backoff_step(struct srxe_hs_backoff *b, u64 now)
{
	b->interval = min(2 * b->interval, srxe_hs_ms(SRXE_RETRY_MAX_MS));
	b->next = now + b->interval;
}

static inline void srxe_hs_leave(struct srxe_hs *hs, enum srxe_hs_role role)
{
	srxe_hs_limit_leave(hs->limit, role, &hs->ends.rgid, hs->pd, &hs->user);
}

/* srxe_hs.c */
void srxe_hs_stand(struct srxe_hs *hs, struct srxe_sa *sa, u64 after);
void srxe_hs_fail(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id);

/* srxe_hs_try.c: we as initiator */
void srxe_hs_attempt_run(struct srxe_hs *hs, u64 now);
void srxe_hs_attempt_again(struct srxe_hs *hs, u64 now);
void srxe_hs_attempt_end(struct srxe_hs *hs);
void srxe_hs_attempt_reap(struct srxe_hs *hs);
u64 srxe_hs_attempt_due(const struct srxe_hs *hs);
void srxe_hs_resp(struct srxe_hs *hs, const struct srxe_hs_msg *msg);
void srxe_hs_retry(struct srxe_hs *hs, const struct srxe_hs_msg *msg);
void srxe_hs_refuse(struct srxe_hs *hs, const struct srxe_hs_msg *msg);

/* srxe_hs_resp.c: we as responder */
void srxe_hs_init_rcv(struct srxe_hs *hs, const struct srxe_hs_rx *rx);
void srxe_hs_unpark(struct srxe_hs *hs);
void srxe_hs_park_drop(struct srxe_hs *hs);
void srxe_hs_answers_end(struct srxe_hs *hs);
void srxe_hs_served_end(struct srxe_hs *hs);
void srxe_hs_answers_run(struct srxe_hs *hs, u64 now);
u64 srxe_hs_answers_due(const struct srxe_hs *hs);

#endif /* SRXE_HS_INT_H */
