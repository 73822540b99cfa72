// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whether a datagram peer is still there, and still of use to anybody: see
 * srxe_dgram_rules.h. A peer that has restarted does not know our SA and says
 * nothing to what comes under it. Were nobody to notice, the connection manager
 * could not reach it ever again.
 */
#include <linux/ktime.h>

#include "rxe.h"
#include "srxe_dgram.h"
#include "srxe_hs_io.h"
#include "srxe_policy.h"
#include "srxe_sa.h"
#include "srxe_time.h"

/**
 * srxe_dgram_live_in() - something is due at some time
 * @d: peer, referenced
 * @when: boottime, ns
 *
 * Context: any but hard interrupts.
 */
void srxe_dgram_live_in(struct srxe_dgram *d, u64 when)
{
	u64 now = ktime_get_boottime_ns();
	bool queued = false;

	spin_lock_bh(&d->lock);
	if (!d->ended && (!d->due || when < d->due)) {
		d->due = when;
		srxe_dgram_hold(d);
		queued = mod_delayed_work(srxe_hs_wq, &d->live, srxe_delay(now, when));
	}
	spin_unlock_bh(&d->lock);
	/* it has a reference already */
	if (queued)
		srxe_dgram_put(d);
}

/**
 * srxe_dgram_sent() - a packet goes out under the peer's SA
 * @d: peer, referenced
 * @data: it is data, not a CTRL
 *
 * Context: any but hard interrupts.
 */
void srxe_dgram_sent(struct srxe_dgram *d, bool data)
{
	u64 when = srxe_dgram_life_sent(&d->life, srxe_rough_boottime(), data);

	if (when)
		srxe_dgram_live_in(d, when);
}

/**
 * srxe_dgram_heard() - a valid packet came in under an SA of the peer's
 * @d: peer, referenced
 * @data: it is data, not a CTRL
 *
 * Context: any but hard interrupts.
 */
void srxe_dgram_heard(struct srxe_dgram *d, bool data)
{
	u64 when = srxe_dgram_life_heard(&d->life, srxe_rough_boottime(), data);

	if (when)
		srxe_dgram_live_in(d, when);
}

/* No SA, and nobody who wants one. */
static bool of_no_use(struct srxe_dgram *d, u64 now)
{
	const struct srxe_hs *hs = &d->hs;
	bool unused;

	spin_lock_bh(&d->lock);
	unused = skb_queue_empty(&d->waiting) && now >= d->hold_off;
	spin_unlock_bh(&d->lock);
	return unused && !hs->sa && !hs->attempt && !hs->wanted && list_empty(&hs->answers);
}

/* Silent for too long. It may have begun anew; the SA is kept until another one stands. */
static void dead(struct srxe_dgram *d)
{
	WRITE_ONCE(d->life.unheard, 0);
	/* one that has yet to be confirmed is seen to by the handshake */
	if (!srxe_hs_confirmed(&d->hs) || d->hs.wanted)
		return;
	rxe_counter_inc(d->link->rxe, SRXE_CNT_DGRAM_DEAD);
	srxe_dgram_start(d);
}

static void mark_idle(struct srxe_dgram *d, bool idle)
{
	struct srxe_dgrams *dgrams = d->link->dgrams;
	struct srxe_dgram *victim;

	spin_lock_bh(&dgrams->lock);
	victim = srxe_dgram_set_idle(dgrams, d, idle);
	spin_unlock_bh(&dgrams->lock);
	if (!victim)
		return;
	rxe_counter_inc(d->link->rxe, SRXE_CNT_DGRAM_EVICTED);
	srxe_dgram_post(victim, SRXE_DGRAM_END);
	srxe_dgram_put(victim);
}

static void tick(struct srxe_dgram *d, u64 now)
{
	struct srxe_sa *sa = d->hs.sa;
	bool initiator = sa && sa->p.initiator;
	unsigned int due = srxe_dgram_life_due(&d->life, now, initiator);

	if (!sa) {
		if (of_no_use(d, now))
			srxe_dgram_end(d);
		else
			srxe_dgram_live_in(d, now + NSEC_PER_SEC);
		return;
	}
	if (due & SRXE_DGRAM_DUE_END && !d->hs.wanted) {
		srxe_dgram_end(d);
		return;
	}
	if (due & SRXE_DGRAM_DUE_KEEPALIVE) {
		srxe_seal_ctrl(sa, SRXE_CTRL_EMPTY, NULL, 0);
		WRITE_ONCE(d->life.owed, 0);
	}
	if (due & SRXE_DGRAM_DUE_DEAD)
		dead(d);
	mark_idle(d, due & SRXE_DGRAM_DUE_QUIET);
	srxe_dgram_live_in(d, max(srxe_dgram_life_next(&d->life, now, initiator),
				  now + NSEC_PER_SEC / 10));
}

/**
 * srxe_dgram_live() - see to the signs of life
 * @work: a peer's @live, which comes with a reference
 *
 * Context: process.
 */
void srxe_dgram_live(struct work_struct *work)
{
	struct srxe_dgram *d = container_of(to_delayed_work(work), struct srxe_dgram, live);

	spin_lock_bh(&d->lock);
	d->due = 0;
	spin_unlock_bh(&d->lock);
	mutex_lock(&d->hs_lock);
	if (!d->ended)
		tick(d, ktime_get_boottime_ns());
	mutex_unlock(&d->hs_lock);
	srxe_dgram_put(d);
}
