/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * When a sender moves on to the next epoch, and which epochs a receiver takes.
 * Decisions only: no keys, no locks, no clock.
 *
 * Epochs are 64-bit inside and 8-bit on the wire. A sender is at most one epoch
 * ahead of what its peer has announced, a receiver holds the epoch before the
 * newest one seen, that one, and the next: low bits are never ambiguous.
 */
#ifndef SRXE_EPOCH_RULES_H
#define SRXE_EPOCH_RULES_H

#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <rdma/srxe_wire.h>

#define SRXE_EPOCH_MAX_NS	((u64)SRXE_EPOCH_MAX_S * NSEC_PER_SEC)
#define SRXE_EPOCH_OLD_HOLD_NS	((u64)SRXE_EPOCH_OLD_HOLD_S * NSEC_PER_SEC)
#define SRXE_EPOCH_PROBE_NS	((u64)SRXE_EPOCH_PROBE_S * NSEC_PER_SEC)

/* What both ends can receive before anything was announced. */
#define SRXE_EPOCH_FIRST_READY	1

/**
 * struct srxe_epoch_limits - how long an epoch lasts, in packets
 * @soft: after so many the sender moves on as soon as it may
 * @hard: after so many it sends no more data
 */
struct srxe_epoch_limits {
	u64	soft;
	u64	hard;
};

/**
 * struct srxe_epoch_tx - a sender's epoch
 * @epoch: in use
 * @start_pn: last packet number of the epoch before
 * @start: when it began, ns of boottime
 * @peer_ready: newest epoch the peer has announced it can receive
 */
struct srxe_epoch_tx {
	u64	epoch;
	u64	start_pn;
	u64	start;
	u64	peer_ready;
};

/**
 * struct srxe_epoch_rx - a receiver's epochs
 * @epoch: newest one a valid packet has come in
 * @since: when the first such packet came, ns of boottime
 * @ready: newest one there is a key for, at most @epoch + 1; what is announced
 */
struct srxe_epoch_rx {
	u64	epoch;
	u64	since;
	u64	ready;
};

/**
 * enum srxe_epoch_step - what the next packet means for the epoch
 * @SRXE_EPOCH_STAY: send it in the current one
 * @SRXE_EPOCH_DUE: the same, but it is time to move and something is missing:
 *	the next key or the peer's announcement
 * @SRXE_EPOCH_MOVE: send it in the next one
 * @SRXE_EPOCH_REFUSE: do not send it
 */
enum srxe_epoch_step {
	SRXE_EPOCH_STAY,
	SRXE_EPOCH_DUE,
	SRXE_EPOCH_MOVE,
	SRXE_EPOCH_REFUSE,
};

/**
 * srxe_epoch_limits_lower() - a suite's limits with a lower count, for tests
 * @soft: of the suite
 * @hard: of the suite
 * @count: packets to move on at; 0 for the suite's own
 *
 * The count can only be lowered. Not below 64, else the announcement's own
 * packets would keep the epochs turning for ever.
 *
 * Context: Any.
 * Return: the limits.
 */
static inline struct srxe_epoch_limits srxe_epoch_limits_lower(u64 soft, u64 hard,
							       u64 count)
{
	struct srxe_epoch_limits l = { .soft = soft, .hard = hard };

	if (count) {
		l.soft = min(soft, max_t(u64, count, 64));
		l.hard = min(hard, l.soft * 4);
	}
	return l;
}

/**
 * srxe_epoch_tx_step() - may the next packet go, and in which epoch?
 * @t: sender's epoch
 * @l: its limits
 * @pn: last packet number given out
 * @now: ns of boottime
 * @next_key: the key of the next epoch is there
 * @ctrl: the packet is a CTRL, which may exceed the limit a little: the peer's
 *	answer to it is what lifts the limit
 *
 * Context: Any.
 * Return: &enum srxe_epoch_step.
 */
static inline enum srxe_epoch_step
srxe_epoch_tx_step(const struct srxe_epoch_tx *t, const struct srxe_epoch_limits *l,
		   u64 pn, u64 now, bool next_key, bool ctrl)
{
	u64 sent = pn - t->start_pn;
	bool due = sent >= l->soft || now - t->start >= SRXE_EPOCH_MAX_NS;

	if (due && next_key && t->peer_ready > t->epoch)
		return SRXE_EPOCH_MOVE;
	if (sent >= l->hard + (ctrl ? SRXE_EPOCH_CTRL_EXTRA : 0))
		return SRXE_EPOCH_REFUSE;
	return due ? SRXE_EPOCH_DUE : SRXE_EPOCH_STAY;
}

/**
 * srxe_epoch_tx_move() - the sender enters its next epoch
 * @t: sender's epoch
 * @pn: last packet number given out
 * @now: ns of boottime
 *
 * Context: Any.
 */
static inline void srxe_epoch_tx_move(struct srxe_epoch_tx *t, u64 pn, u64 now)
{
	t->epoch++;
	t->start_pn = pn;
	t->start = now;
}

/**
 * srxe_epoch_tx_heard() - the peer has announced what it can receive
 * @t: sender's epoch
 * @rx_epoch: as on the wire, from a valid packet that moved the right edge of
 *	the replay window
 *
 * Only the one value that says something new counts: anything else is old, or
 * could be once it was held back for long enough.
 *
 * Context: Any.
 * Return: true if the sender may move on now and could not before.
 */
static inline bool srxe_epoch_tx_heard(struct srxe_epoch_tx *t, u8 rx_epoch)
{
	if (t->peer_ready > t->epoch || rx_epoch != (u8)(t->epoch + 1))
		return false;
	t->peer_ready = t->epoch + 1;
	return true;
}

/**
 * srxe_epoch_rx_find() - which epoch does the low byte mean?
 * @r: receiver's epochs
 * @wire: as on the wire
 * @epoch: set to the epoch
 *
 * Context: Any.
 * Return: false if it is none that can be held.
 */
static inline bool srxe_epoch_rx_find(const struct srxe_epoch_rx *r, u8 wire,
				      u64 *epoch)
{
	/* 0xff: the one before; 0, 1: the newest seen, the next */
	switch ((u8)(wire - (u8)r->epoch)) {
	case 0:
		*epoch = r->epoch;
		return true;
	case 1:
		*epoch = r->epoch + 1;
		return r->ready > r->epoch;
	case 0xff:
		*epoch = r->epoch - 1;
		return r->epoch;
	default:
		return false;
	}
}

/**
 * srxe_epoch_rx_seen() - a valid packet has come
 * @r: receiver's epochs
 * @epoch: its epoch
 * @now: ns of boottime
 *
 * Context: Any.
 * Return: true if it is the first one of a newer epoch.
 */
static inline bool srxe_epoch_rx_seen(struct srxe_epoch_rx *r, u64 epoch, u64 now)
{
	if (epoch <= r->epoch)
		return false;
	r->epoch = epoch;
	r->since = now;
	return true;
}

/**
 * srxe_epoch_rx_old() - how much longer is the epoch before to be held?
 * @r: receiver's epochs
 * @now: ns of boottime
 *
 * Context: Any.
 * Return: ns; 0 when its key is to go.
 */
static inline u64 srxe_epoch_rx_old(const struct srxe_epoch_rx *r, u64 now)
{
	u64 age = now - r->since;

	return age < SRXE_EPOCH_OLD_HOLD_NS ? SRXE_EPOCH_OLD_HOLD_NS - age : 0;
}

#endif /* SRXE_EPOCH_RULES_H */
