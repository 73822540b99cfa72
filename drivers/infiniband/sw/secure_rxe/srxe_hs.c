// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handshake of one connection or datagram peer: what concerns both roles. Which SA is used, when
 * something is due, what becomes of it all in the end.
 */
#include <linux/string.h>

#include "srxe_hs_int.h"

static bool gone(const struct srxe_sa *sa)
{
	return READ_ONCE(sa->state) == SRXE_SA_DEAD;
}

/* The SA is done with. That the peer used it may not have been noticed yet. */
static void end_sa(struct srxe_hs *hs, struct srxe_sa *sa)
{
	if (hs->ops->sa_heard(sa))
		srxe_hs_served_end(hs);
	hs->ops->sa_end(hs, sa);
}

static void drop_old(struct srxe_hs *hs)
{
	if (hs->old)
		end_sa(hs, hs->old);
	hs->old = NULL;
	hs->old_end = 0;
}

static void drop_sa(struct srxe_hs *hs)
{
	if (hs->sa)
		end_sa(hs, hs->sa);
	hs->sa = NULL;
	hs->confirm.next = 0;
}

/* Others may send under it for a little longer; we do not. */
static void retire(struct srxe_hs *hs, struct srxe_sa *sa)
{
	drop_old(hs);
	hs->ops->sa_linger(hs, sa);
	hs->old = sa;
	hs->old_end = hs->ops->now(hs) + srxe_hs_ms(SRXE_SA_OLD_HOLD_S * MSEC_PER_SEC);
}

static bool by_preferred(const struct srxe_hs *hs, const struct srxe_sa *sa)
{
	return (srxe_hs_side(hs) < 0) == sa->p.initiator;
}

static void use(struct srxe_hs *hs, struct srxe_sa *sa)
{
	u64 now = hs->ops->now(hs);

	hs->sa = sa;
	hs->turn++;
	hs->confirm.next = 0;
	hs->ops->use(hs, sa);
	if (srxe_hs_side(hs) && !hs->ops->sa_heard(sa)) {
		srxe_hs_backoff_start(&hs->confirm, now, hs->life);
		hs->ops->probe(hs, sa);
	}
}

/**
 * srxe_hs_confirmed() - the SA in use, if the peer is known to have it
 * @hs: the machine
 *
 * Return: its turn; 0 if there is none, or it is not confirmed.
 */
u64 srxe_hs_confirmed(const struct srxe_hs *hs)
{
	return hs->sa && hs->ops->sa_heard(hs->sa) ? hs->turn : 0;
}

/* Is @sa the one that both ends keep? */
static bool replaces(const struct srxe_hs *hs, const struct srxe_sa *sa, u64 after)
{
	return after == hs->turn || (by_preferred(hs, sa) && !by_preferred(hs, hs->sa));
}

/**
 * srxe_hs_stand() - an SA stands
 * @hs: the machine
 * @sa: keyed and good for use, with the reference it was made with
 * @after: what srxe_hs_confirmed() said when its handshake began
 *
 * Our own attempt is over with it. Answers that are still pending are not:
 * the peer may just have taken one of them for standing, and sends under it
 * until it hears from us.
 */
void srxe_hs_stand(struct srxe_hs *hs, struct srxe_sa *sa, u64 after)
{
	if (!hs->over)
		hs->ops->count(hs, SRXE_HS_COUNT_DONE);
	hs->over = !hs->again;
	hs->wanted = false;
	hs->verdict = 0;
	srxe_hs_attempt_end(hs);
	srxe_hs_park_drop(hs);

	if (!hs->sa) {
		use(hs, sa);
	} else if (replaces(hs, sa, after)) {
		retire(hs, hs->sa);
		use(hs, sa);
	} else {
		retire(hs, sa);
	}
}

static void tell(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id)
{
	hs->ops->count(hs, SRXE_HS_COUNT_FAILED);
	hs->ops->failed(hs, verr, key_id);
}

/**
 * srxe_hs_fail() - nothing came of our attempt
 * @hs: the machine
 * @verr: why
 * @key_id: id of the key it was made under, or NULL
 *
 * An answer of ours may still be confirmed, so nothing is told before the last
 * of them is gone.
 */
void srxe_hs_fail(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id)
{
	u8 id[SRXE_KEY_ID_LEN] = { };

	/* @key_id may be part of what goes now */
	if (key_id)
		memcpy(id, key_id, sizeof(id));
	hs->wanted = false;
	srxe_hs_attempt_end(hs);
	if (!list_empty(&hs->answers)) {
		hs->verdict = verr;
		memcpy(hs->verdict_key, id, sizeof(id));
		return;
	}
	tell(hs, verr, key_id ? id : NULL);
}

static void run_verdict(struct srxe_hs *hs)
{
	enum srxe_vendor_err verr = hs->verdict;

	if (!verr || !list_empty(&hs->answers))
		return;
	hs->verdict = 0;
	tell(hs, verr, srxe_key_id_ok(hs->verdict_key) ? hs->verdict_key : NULL);
}

/*
 * Whoever ended the SA in use may have come when it was keyed but not yet in
 * use, and then has told nobody. No other SA follows in this incarnation.
 */
static void lose_sa(struct srxe_hs *hs)
{
	hs->ops->lost(hs, hs->ops->key_live(hs->sa->key) ? SRXE_VERR_SA_LOST :
							   SRXE_VERR_KEY_REVOKED);
	drop_sa(hs);
}

/* An SA may have been ended from outside: its key, its address or its link went. */
static void reap(struct srxe_hs *hs)
{
	if (hs->sa && gone(hs->sa))
		lose_sa(hs);
	if (hs->old && gone(hs->old))
		drop_old(hs);
	srxe_hs_attempt_reap(hs);
}

/*
 * The RESP was good, so the peer was there and willing; if it never sends
 * anything valid it has been reset since.
 */
static void run_confirm(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_backoff *b = &hs->confirm;
	u8 key_id[SRXE_KEY_ID_LEN];

	if (!b->next)
		return;
	if (hs->ops->sa_heard(hs->sa)) {
		b->next = 0;
		srxe_hs_served_end(hs);
	} else if (now >= b->end) {
		memcpy(key_id, hs->ops->secrets(hs->sa->key)->key_id, sizeof(key_id));
		drop_sa(hs);
		tell(hs, SRXE_VERR_PEER_RESET, key_id);
	} else if (now >= b->next) {
		srxe_hs_backoff_step(b, now);
		hs->ops->probe(hs, hs->sa);
	}
}

/* As long as ours is not confirmed the peer may be using the one before. */
static void run_old(struct srxe_hs *hs, u64 now)
{
	if (!hs->old || now < hs->old_end)
		return;
	if (hs->again && hs->confirm.next)
		hs->old_end = now + srxe_hs_ms(SRXE_SA_OLD_HOLD_S * MSEC_PER_SEC);
	else
		drop_old(hs);
}

static u64 earlier(u64 a, u64 b)
{
	if (!a || !b)
		return a ?: b;
	return min(a, b);
}

static void arm(struct srxe_hs *hs)
{
	u64 when = srxe_hs_attempt_due(hs);

	when = earlier(when, srxe_hs_answers_due(hs));
	when = earlier(when, hs->confirm.next ? min(hs->confirm.next, hs->confirm.end) : 0);
	when = earlier(when, hs->old_end);
	when = earlier(when, hs->parked ? hs->parked_end : 0);
	hs->ops->set_timer(hs, when);
}

/**
 * srxe_hs_run() - do what is due
 * @hs: the machine
 *
 * To be called when the timer has run out, and after the state of one of the
 * connection's SAs changed: the first valid packet came in under a pending one,
 * which makes it a standing one, or one was ended. It does no harm at other
 * times.
 */
void srxe_hs_run(struct srxe_hs *hs)
{
	u64 now = hs->ops->now(hs);

	reap(hs);
	srxe_hs_answers_run(hs, now);
	/* what came to stand there may have been ended since */
	reap(hs);
	run_confirm(hs, now);
	run_old(hs, now);
	if (hs->parked && now >= hs->parked_end)
		srxe_hs_park_drop(hs);
	srxe_hs_attempt_run(hs, now);
	run_verdict(hs);
	arm(hs);
}

/**
 * srxe_hs_setup() - a machine for a new queue pair or datagram peer
 * @hs: zeroed memory
 * @ops: the world around
 * @limit: bounds of the link
 * @pd: number of the protection domain it is for
 * @kind: enum srxe_kind
 * @qpn: the queue pair's number, 0 for the datagram kinds
 * @id: its incarnation, 0 for the datagram kinds
 *
 * Nothing is under way and nothing is called.
 */
void srxe_hs_setup(struct srxe_hs *hs, const struct srxe_hs_ops *ops,
		   struct srxe_hs_limit *limit, u32 pd, u8 kind, u32 qpn, u64 id)
{
	hs->ops = ops;
	hs->limit = limit;
	hs->pd = pd;
	hs->ends.kind = kind;
	hs->ends.lqpn = qpn;
	hs->ends.conn_id = id;
	hs->again = srxe_kind_is_dgram(kind);
	hs->life = srxe_hs_ms(SRXE_GIVE_UP_MIN_MS);
	INIT_LIST_HEAD(&hs->answers);
	srxe_hs_wait_init(&hs->wait);
}

/**
 * srxe_hs_charge() - from now on it is somebody else's
 * @hs: the machine; srxe_hs_waits() is true
 * @pd: number of the protection domain it is for
 * @user: on whose behalf
 *
 * Whether there is room for him is to be found out by srxe_hs_run().
 */
void srxe_hs_charge(struct srxe_hs *hs, u32 pd, const struct srxe_user *user)
{
	WARN_ON_ONCE(!srxe_hs_waits(hs));
	srxe_hs_attempt_end(hs);
	hs->pd = pd;
	hs->user = *user;
}

/**
 * srxe_hs_reset() - the queue pair was reset, or is about to go
 * @hs: the machine
 * @id: the new incarnation
 *
 * Every SA of the connection ends, and the machine is as new.
 */
void srxe_hs_reset(struct srxe_hs *hs, u64 id)
{
	srxe_hs_attempt_end(hs);
	srxe_hs_park_drop(hs);
	srxe_hs_answers_end(hs);
	drop_sa(hs);
	drop_old(hs);
	hs->bound = false;
	hs->wanted = false;
	hs->over = false;
	hs->served_count = 0;
	hs->yield_end = 0;
	hs->noted = 0;
	hs->verdict = 0;
	hs->life = srxe_hs_ms(SRXE_GIVE_UP_MIN_MS);
	hs->ends.conn_id = id;
	arm(hs);
}

/**
 * srxe_hs_bind() - the queue pair is in RTR: the peer is known
 * @hs: the machine
 * @local: our address
 * @remote: the peer's address
 * @remote_qpn: the peer's queue pair
 */
void srxe_hs_bind(struct srxe_hs *hs, const struct in6_addr *local,
		  const struct in6_addr *remote, u32 remote_qpn)
{
	if (hs->bound)
		return;
	hs->ends.lgid = *local;
	hs->ends.rgid = *remote;
	hs->ends.rqpn = remote_qpn;
	hs->bound = true;
	srxe_hs_unpark(hs);
	srxe_hs_run(hs);
}

/**
 * srxe_hs_start() - an SA is wanted: the queue pair is in RTS, or has to send
 *	after an attempt failed
 * @hs: the machine
 * @life: ns after which to give up; SRXE_GIVE_UP_MIN_MS at least
 */
void srxe_hs_start(struct srxe_hs *hs, u64 life)
{
	if (!hs->bound || hs->over || hs->wanted)
		return;
	hs->wanted = true;
	hs->verdict = 0;
	hs->life = max(life, srxe_hs_ms(SRXE_GIVE_UP_MIN_MS));
	hs->give_up = 0;
	hs->tried = 0;
	hs->yield_end = hs->ops->now(hs) + srxe_hs_ms(SRXE_HS_YIELD_MS);
	srxe_hs_run(hs);
}

/**
 * srxe_hs_stop() - the queue pair is in the error state
 * @hs: the machine
 *
 * No handshake begins any more; what stands still receives.
 */
void srxe_hs_stop(struct srxe_hs *hs)
{
	hs->over = true;
	hs->wanted = false;
	hs->verdict = 0;
	hs->confirm.next = 0;
	srxe_hs_attempt_end(hs);
	srxe_hs_park_drop(hs);
	arm(hs);
}

static bool from_peer(const struct srxe_hs *hs, const struct srxe_hs_rx *rx)
{
	return hs->bound && ipv6_addr_equal(&rx->local, &hs->ends.lgid) &&
	       ipv6_addr_equal(&rx->remote, &hs->ends.rgid);
}

/**
 * srxe_hs_input() - a bare message for this queue pair came in
 * @hs: the machine
 * @rx: the message; all that is known of it is that it is well-formed
 */
void srxe_hs_input(struct srxe_hs *hs, const struct srxe_hs_rx *rx)
{
	/* what is over by now must not meet the message */
	srxe_hs_run(hs);
	if (rx->msg.bth.opcode == SRXE_OP_INIT) {
		srxe_hs_init_rcv(hs, rx);
	} else if (!hs->attempt || !from_peer(hs, rx)) {
		hs->ops->count(hs, SRXE_HS_COUNT_STATE);
	} else {
		switch (rx->msg.bth.opcode) {
		case SRXE_OP_RESP:
			srxe_hs_resp(hs, &rx->msg);
			break;
		case SRXE_OP_RETRY:
			srxe_hs_retry(hs, &rx->msg);
			break;
		default:
			srxe_hs_refuse(hs, &rx->msg);
			break;
		}
	}
	srxe_hs_run(hs);
}
