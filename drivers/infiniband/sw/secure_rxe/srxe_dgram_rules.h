/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * When a datagram peer is dead, owed an answer, or no longer used: times of
 * boottime in nanoseconds and nothing else, so that a test can let them pass.
 *
 * A peer that is sent data says something within SRXE_DGRAM_KEEPALIVE_S, if only
 * that it is there. One that has said nothing for SRXE_DGRAM_DEAD_S has lost its
 * SA (a restart), or cannot be reached.
 *
 * Fields are written by senders and receivers at a time, without a lock. What
 * they lose to each other is some nanoseconds.
 */
#ifndef SRXE_DGRAM_RULES_H
#define SRXE_DGRAM_RULES_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <rdma/srxe_wire.h>

/* Unused for so long, an SA may make way for others. */
#define SRXE_DGRAM_QUIET_NS	(10 * NSEC_PER_SEC)
/* Unused for so long, it is not sent under any more: the peer may have ended it. */
#define SRXE_DGRAM_IDLE_NS	(300 * NSEC_PER_SEC)
/* The end that answered keeps it longer, so that the other one comes first. */
#define SRXE_DGRAM_IDLE_RESP_NS	(330 * NSEC_PER_SEC)
#define SRXE_DGRAM_KEEP_NS	(SRXE_DGRAM_KEEPALIVE_S * NSEC_PER_SEC)
#define SRXE_DGRAM_DEAD_NS	(SRXE_DGRAM_DEAD_S * NSEC_PER_SEC)

/**
 * struct srxe_dgram_life - signs of life of a datagram peer
 * @used: data was sent or received last
 * @owed: data was received, and nothing sent since; 0 if something was
 * @unheard: data was sent, and nothing valid received since; 0 if something was
 */
struct srxe_dgram_life {
	u64	used;
	u64	owed;
	u64	unheard;
};

/* enum srxe_dgram_due - what is to be done, bits */
enum srxe_dgram_due {
	SRXE_DGRAM_DUE_KEEPALIVE	= 1,	/* say that we are there */
	SRXE_DGRAM_DUE_DEAD		= 2,	/* begin a new handshake */
	SRXE_DGRAM_DUE_QUIET		= 4,	/* it may make way for others */
	SRXE_DGRAM_DUE_END		= 8,	/* nobody has use for it */
};

/**
 * srxe_dgram_life_sent() - a packet goes out
 * @l: signs of life
 * @now: time
 * @data: it is data, so that the peer will say something
 *
 * Context: any.
 * Return: when something is due because of it, 0 if nothing is.
 */
static inline u64 srxe_dgram_life_sent(struct srxe_dgram_life *l, u64 now, bool data)
{
	if (READ_ONCE(l->owed))
		WRITE_ONCE(l->owed, 0);
	if (!data)
		return 0;
	WRITE_ONCE(l->used, now);
	if (READ_ONCE(l->unheard))
		return 0;
	WRITE_ONCE(l->unheard, now);
	return now + SRXE_DGRAM_DEAD_NS;
}

/**
 * srxe_dgram_life_heard() - a valid packet came in
 * @l: signs of life
 * @now: time
 * @data: it is data, so the peer waits for a sign
 *
 * Context: any.
 * Return: when something is due because of it, 0 if nothing is.
 */
static inline u64 srxe_dgram_life_heard(struct srxe_dgram_life *l, u64 now, bool data)
{
	if (READ_ONCE(l->unheard))
		WRITE_ONCE(l->unheard, 0);
	if (!data)
		return 0;
	WRITE_ONCE(l->used, now);
	if (READ_ONCE(l->owed))
		return 0;
	WRITE_ONCE(l->owed, now);
	return now + SRXE_DGRAM_KEEP_NS;
}

/**
 * srxe_dgram_life_usable() - may the SA still be sent under?
 * @l: signs of life
 * @now: time
 *
 * Context: any.
 * Return: false if the peer may have ended it for not being used.
 */
static inline bool srxe_dgram_life_usable(const struct srxe_dgram_life *l, u64 now)
{
	return now < READ_ONCE(l->used) + SRXE_DGRAM_IDLE_NS;
}

/* When is it no longer needed? */
static inline u64 srxe_dgram_life_end(const struct srxe_dgram_life *l, bool initiator)
{
	return READ_ONCE(l->used) + (initiator ? SRXE_DGRAM_IDLE_NS : SRXE_DGRAM_IDLE_RESP_NS);
}

/**
 * srxe_dgram_life_due() - what is to be done now?
 * @l: signs of life
 * @now: time
 * @initiator: the SA in use is one that we initiated
 *
 * Context: any.
 * Return: enum srxe_dgram_due.
 */
static inline unsigned int srxe_dgram_life_due(const struct srxe_dgram_life *l, u64 now,
					       bool initiator)
{
	u64 owed = READ_ONCE(l->owed), unheard = READ_ONCE(l->unheard);
	unsigned int due = 0;

	if (owed && now >= owed + SRXE_DGRAM_KEEP_NS)
		due |= SRXE_DGRAM_DUE_KEEPALIVE;
	if (unheard && now >= unheard + SRXE_DGRAM_DEAD_NS)
		due |= SRXE_DGRAM_DUE_DEAD;
	if (now >= READ_ONCE(l->used) + SRXE_DGRAM_QUIET_NS)
		due |= SRXE_DGRAM_DUE_QUIET;
	if (now >= srxe_dgram_life_end(l, initiator))
		due |= SRXE_DGRAM_DUE_END;
	return due;
}

/**
 * srxe_dgram_life_next() - when is there something to be done next?
 * @l: signs of life, after what was due has been done
 * @now: time
 * @initiator: as for srxe_dgram_life_due()
 *
 * Context: any.
 * Return: the time.
 */
static inline u64 srxe_dgram_life_next(const struct srxe_dgram_life *l, u64 now,
				       bool initiator)
{
	u64 owed = READ_ONCE(l->owed), unheard = READ_ONCE(l->unheard);
	u64 quiet = READ_ONCE(l->used) + SRXE_DGRAM_QUIET_NS;
	u64 next = srxe_dgram_life_end(l, initiator);

	if (now < quiet)
		next = min(next, quiet);
	if (owed)
		next = min(next, owed + SRXE_DGRAM_KEEP_NS);
	if (unheard)
		next = min(next, unheard + SRXE_DGRAM_DEAD_NS);
	return next;
}

#endif /* SRXE_DGRAM_RULES_H */
