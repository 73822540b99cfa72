// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handshake of one connection: we as initiator.
 *
 * An attempt goes through the keys there are for the peer. Each has its own
 * INIT, and whichever is answered ends the attempt.
 */
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "srxe_hs_int.h"

static const u8 *id_of(struct srxe_hs *hs, const struct srxe_ring_key *key)
{
	return hs->ops->secrets(key)->key_id;
}

static void end_try(struct srxe_hs *hs, struct srxe_hs_try *t)
{
	if (!t)
		return;
	if (t->sa)
		hs->ops->sa_end(hs, t->sa);
	kfree_sensitive(t);
}

/**
 * srxe_hs_attempt_end() - our attempt is over, or is no longer needed
 * @hs: the machine
 */
void srxe_hs_attempt_end(struct srxe_hs *hs)
{
	struct srxe_hs_attempt *a = hs->attempt;
	unsigned int i;

	hs->queue.next = 0;
	srxe_hs_limit_forgo(hs->limit, &hs->wait);
	if (!a)
		return;
	hs->attempt = NULL;
	for (i = 0; i < a->count; i++) {
		end_try(hs, a->tries[i]);
		hs->ops->key_put(a->keys[i]);
	}
	srxe_hs_leave(hs, SRXE_HS_INITIATOR);
	kfree(a);
}

/**
 * srxe_hs_attempt_reap() - forget tries whose SA was ended from outside
 * @hs: the machine
 */
void srxe_hs_attempt_reap(struct srxe_hs *hs)
{
	struct srxe_hs_attempt *a = hs->attempt;
	unsigned int i;

	for (i = 0; a && i < a->count; i++) {
		if (a->tries[i] && READ_ONCE(a->tries[i]->sa->state) == SRXE_SA_DEAD) {
			end_try(hs, a->tries[i]);
			a->tries[i] = NULL;
		}
	}
}

static int build_init(struct srxe_hs *hs, struct srxe_hs_try *t)
{
	struct srxe_p p = srxe_hs_p(&hs->ends.lgid, &hs->ends.rgid);
	const struct srxe_psk_keys *keys = hs->ops->secrets(t->sa->key);
	u8 share[SRXE_SHARE_LEN], nonce[SRXE_NONCE_LEN];
	u8 challenge[SRXE_CHALLENGE_LEN];
	struct srxe_hs_policy policy;
	struct srxe_hs_init v = {
		.kind	= hs->ends.kind,
		.qpn_i	= hs->ends.lqpn,
		.qpn_r	= hs->ends.rqpn,
		.spi	= t->sa->spi,
		.key_id	= keys->key_id,
		.nonce	= nonce,
		.share	= share,
	};
	int err;

	hs->ops->policy(hs, &policy);
	v.min_mode = policy.min_mode;
	v.suites = policy.suites;
	if (srxe_hs_limit_recall(hs->limit, &p, challenge))
		v.challenge = challenge;
	get_random_bytes(nonce, sizeof(nonce));
	err = srxe_hs_share_new(t->secret, share);
	if (err)
		return err;
	srxe_hs_build_init(&t->init[0], &v);
	t->inits = 1;
	return srxe_hs_sign_init(keys, &p, &t->init[0]);
}

static struct srxe_hs_try *make_try(struct srxe_hs *hs, struct srxe_ring_key *key)
{
	struct srxe_hs_try *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->sa = hs->ops->sa_new(hs, &hs->ends, key);
	if (t->sa && !build_init(hs, t))
		return t;
	end_try(hs, t);
	return NULL;
}

/* The key in turn, or the next one that is still good. */
static bool pick_key(struct srxe_hs *hs, struct srxe_hs_attempt *a)
{
	unsigned int i;

	for (i = 0; i < a->count; i++) {
		if (hs->ops->key_live(a->keys[a->cur]))
			return true;
		end_try(hs, a->tries[a->cur]);
		a->tries[a->cur] = NULL;
		a->cur = (a->cur + 1) % a->count;
		a->silent = 0;
	}
	return false;
}

/* Without memory or an SPI there is another chance when it is sent again. */
static void send_init(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_attempt *a = hs->attempt;
	struct srxe_hs_try *t;

	if (!pick_key(hs, a)) {
		srxe_hs_fail(hs, SRXE_VERR_KEY_REVOKED, id_of(hs, a->keys[a->cur]));
		return;
	}
	t = a->tries[a->cur];
	if (!t) {
		t = make_try(hs, a->keys[a->cur]);
		a->tries[a->cur] = t;
	}
	if (!t)
		return;
	a->sent = now;
	a->silent++;
	a->inits++;
	hs->ops->send(hs, &hs->ends.lgid, &hs->ends.rgid, &t->init[t->inits - 1]);
}

/*
 * The turn goes on after SRXE_ALT_KEY_INITS silent ones, and round and round:
 * it may be that the peer was not there yet, not that it lacks the key.
 */
static void next_turn(struct srxe_hs_attempt *a)
{
	const struct srxe_hs_try *t = a->tries[a->cur];

	if ((t && t->known) || a->silent < SRXE_ALT_KEY_INITS)
		return;
	a->cur = (a->cur + 1) % a->count;
	a->silent = 0;
}

/* A queue pair connected to itself: no handshake, but a key all the same. */
static void stand_alone(struct srxe_hs *hs, struct srxe_ring_key *key)
{
	struct srxe_sa_params p = { .initiator = true };
	struct srxe_hs_policy policy;
	const struct srxe_suite *suite;
	struct srxe_sa *sa;

	hs->ops->policy(hs, &policy);
	suite = srxe_suite_pick(policy.suites);
	sa = suite ? hs->ops->sa_new(hs, &hs->ends, key) : NULL;
	if (!sa) {
		srxe_hs_fail(hs, SRXE_VERR_UNSUPPORTED, id_of(hs, key));
		return;
	}
	p.mode = policy.min_mode;
	p.suite = suite->id;
	p.peer_spi = sa->spi;
	get_random_bytes(p.sa_id, sizeof(p.sa_id));
	/* what is sent is what is received */
	get_random_bytes(p.chain[SRXE_DIR_I2R], sizeof(p.chain[SRXE_DIR_I2R]));
	memcpy(p.chain[SRXE_DIR_R2I], p.chain[SRXE_DIR_I2R], sizeof(p.chain[SRXE_DIR_R2I]));
	if (hs->ops->sa_key(hs, sa, &p, SRXE_SA_STANDING)) {
		hs->ops->sa_end(hs, sa);
		srxe_hs_fail(hs, SRXE_VERR_UNSUPPORTED, id_of(hs, key));
	} else {
		srxe_hs_stand(hs, sa, srxe_hs_confirmed(hs));
	}
	memzero_explicit(&p, sizeof(p));
}

static void queue_start(struct srxe_hs *hs, u64 now)
{
	srxe_hs_backoff_start(&hs->queue, now, srxe_hs_ms(SRXE_HS_QUEUE_MS));
	if (hs->give_up)
		hs->queue.end = hs->give_up;
}

/* Room for one more, or wait for it: there is none while others are at it. */
static bool enter(struct srxe_hs *hs, u64 now)
{
	if (srxe_hs_limit_begin(hs->limit, now, &hs->ends.rgid, hs->pd, &hs->user,
				&hs->wait)) {
		hs->queue.next = 0;
		return true;
	}
	if (!hs->queue.next)
		queue_start(hs, now);
	else if (now >= hs->queue.end)
		srxe_hs_fail(hs, hs->tried ?: SRXE_VERR_NO_ANSWER,
			     hs->tried ? hs->tried_key : NULL);
	else
		srxe_hs_backoff_step(&hs->queue, now);
	return false;
}

static void put_keys(struct srxe_hs *hs, struct srxe_ring_key **keys, unsigned int n)
{
	while (n--)
		hs->ops->key_put(keys[n]);
}

static void begin(struct srxe_hs *hs, u64 now)
{
	struct srxe_ring_key *keys[SRXE_HS_MAX_ALTS];
	struct srxe_hs_attempt *a;
	int n;

	n = hs->ops->keys(hs, &hs->ends.rgid, keys, ARRAY_SIZE(keys));
	if (n <= 0) {
		srxe_hs_fail(hs, n == -EKEYREVOKED ? SRXE_VERR_KEY_REVOKED : SRXE_VERR_NO_KEY,
			     NULL);
		return;
	}
	if (!enter(hs, now))
		goto out;
	if (!srxe_hs_side(hs)) {
		stand_alone(hs, keys[0]);
		srxe_hs_leave(hs, SRXE_HS_INITIATOR);
		goto out;
	}
	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a) {
		srxe_hs_leave(hs, SRXE_HS_INITIATOR);
		queue_start(hs, now);
		goto out;
	}
	memcpy(a->keys, keys, sizeof(a->keys));
	a->count = n;
	a->after = srxe_hs_confirmed(hs);
	if (!hs->give_up)
		hs->give_up = now + hs->life;
	a->begun = now;
	srxe_hs_backoff_start(&a->retry, now, srxe_hs_ms(SRXE_HS_TURN_MS));
	a->retry.end = min(a->retry.end, hs->give_up);
	hs->attempt = a;
	send_init(hs, now);
	return;

out:
	put_keys(hs, keys, n);
}

/* An answer of ours that may yet be confirmed comes first, for a while. */
static bool yields(const struct srxe_hs *hs, u64 now)
{
	return !list_empty(&hs->answers) && now < hs->yield_end;
}

/* The turn is over: the next attempt follows, at once if nobody waits. */
static void turn_over(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_attempt *a = hs->attempt;

	hs->tried = a->busy ? SRXE_VERR_REFUSED_BUSY : SRXE_VERR_NO_ANSWER;
	memcpy(hs->tried_key, id_of(hs, a->keys[a->cur]), sizeof(hs->tried_key));
	if (now >= hs->give_up) {
		srxe_hs_fail(hs, hs->tried, hs->tried_key);
		return;
	}
	srxe_hs_attempt_end(hs);
	begin(hs, now);
}

/*
 * It has had the time that answers take, under every key, and others wait for its place.
 * That is for the connection manager, with whose places anybody can call anybody: an
 * attempt that has to begin anew costs a key pair, and a domain's or a user's own
 * patience is his own business.
 */
static bool outstays(const struct srxe_hs *hs, u64 now)
{
	const struct srxe_hs_attempt *a = hs->attempt;

	return hs->pd == SRXE_HS_PD_CM &&
	       now >= a->begun + srxe_hs_ms(SRXE_HS_SHORT_TURN_MS) &&
	       a->inits >= a->count * SRXE_ALT_KEY_INITS &&
	       srxe_hs_limit_awaited(hs->limit, hs->pd);
}

/**
 * srxe_hs_attempt_run() - begin, send again, or give up, if it is time to
 * @hs: the machine
 * @now: boottime, ns
 */
void srxe_hs_attempt_run(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_attempt *a = hs->attempt;

	if (!a) {
		if (hs->wanted && !hs->over && !yields(hs, now) && now >= hs->queue.next)
			begin(hs, now);
	} else if (now >= a->retry.end || (now >= a->retry.next && outstays(hs, now))) {
		turn_over(hs, now);
	} else if (now >= a->retry.next) {
		next_turn(a);
		srxe_hs_backoff_step(&a->retry, now);
		send_init(hs, now);
	}
}

/**
 * srxe_hs_attempt_due() - when srxe_hs_attempt_run() has something to do
 * @hs: the machine
 *
 * Return: boottime in ns, 0 for never.
 */
u64 srxe_hs_attempt_due(const struct srxe_hs *hs)
{
	const struct srxe_hs_attempt *a = hs->attempt;

	if (a)
		return min(a->retry.next, a->retry.end);
	if (!hs->wanted || hs->over)
		return 0;
	return list_empty(&hs->answers) ? hs->queue.next : max(hs->queue.next, hs->yield_end);
}

/**
 * srxe_hs_attempt_again() - the peer, too, has sent an INIT: ours may be lost
 * @hs: the machine; an attempt of ours is out
 * @now: boottime, ns
 *
 * Not more often than INITs are ever sent, since the peer's may be replayed.
 */
void srxe_hs_attempt_again(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_attempt *a = hs->attempt;
	unsigned int silent = a->silent;

	if (now < a->sent + srxe_hs_ms(SRXE_RETRY_MIN_MS))
		return;
	send_init(hs, now);
	if (hs->attempt == a)
		a->silent = silent;
}

static struct srxe_hs_try *find_try(struct srxe_hs_attempt *a, const struct srxe_hs_msg *msg,
				    unsigned int *which)
{
	unsigned int i;

	for (i = 0; i < a->count; i++) {
		if (a->tries[i] && cpu_to_be32(a->tries[i]->sa->spi) == msg->body.peer_spi) {
			*which = i;
			return a->tries[i];
		}
	}
	return NULL;
}

/* The INIT whose challenge the RESP echoes. */
static const struct srxe_hs_msg *find_init(const struct srxe_hs_try *t,
					   const struct srxe_hs_msg *resp)
{
	unsigned int i;

	for (i = 0; i < t->inits; i++)
		if (srxe_hs_fits(&t->init[i], resp) == SRXE_HS_OK)
			return &t->init[i];
	return NULL;
}

static int resp_params(struct srxe_hs *hs, const struct srxe_hs_try *t,
		       const struct srxe_hs_msg *init, const struct srxe_hs_msg *resp,
		       struct srxe_sa_params *out)
{
	struct srxe_p p = srxe_hs_p(&hs->ends.lgid, &hs->ends.rgid);
	u8 prk[SRXE_SECRET_LEN], th[SRXE_HASH_LEN];
	struct srxe_sa_secrets sec;
	int err;

	err = srxe_hs_prk(hs->ops->secrets(t->sa->key)->psk, t->secret, resp->body.share, prk);
	if (err)
		return err;
	srxe_hs_th(&p, init, resp, th);
	err = srxe_hs_verify_resp(prk, th, resp);
	if (!err)
		err = srxe_hs_sa_secrets(prk, th, &sec);
	memzero_explicit(prk, sizeof(prk));
	if (err)
		return err;

	out->mode = resp->body.mode;
	out->suite = ilog2(be16_to_cpu(resp->body.suites));
	out->initiator = true;
	out->peer_spi = be32_to_cpu(resp->body.spi);
	memcpy(out->sa_id, sec.sa_id, sizeof(out->sa_id));
	memcpy(out->chain, sec.chain, sizeof(out->chain));
	memzero_explicit(&sec, sizeof(sec));
	return 0;
}

static bool policy_agrees(struct srxe_hs *hs, const struct srxe_sa_params *p)
{
	struct srxe_hs_policy policy;

	hs->ops->policy(hs, &policy);
	return p->mode >= policy.min_mode && policy.suites & BIT(p->suite);
}

/* The RESP is good: the SA is no longer the try's. */
static void take(struct srxe_hs *hs, struct srxe_hs_try *t, struct srxe_sa_params *p)
{
	struct srxe_hs_policy policy;
	struct srxe_sa *sa = t->sa;

	hs->ops->policy(hs, &policy);
	if (!policy_agrees(hs, p)) {
		/* settings have changed since it was asked for: ask anew */
		srxe_hs_attempt_end(hs);
	} else if (p->mode > policy.max_mode || hs->ops->sa_key(hs, sa, p, SRXE_SA_STANDING)) {
		srxe_hs_fail(hs, SRXE_VERR_UNSUPPORTED, id_of(hs, sa->key));
	} else {
		t->sa = NULL;
		srxe_hs_stand(hs, sa, hs->attempt->after);
	}
}

/**
 * srxe_hs_resp() - a RESP came in
 * @hs: the machine; an attempt of ours is out, and the addresses fit
 * @msg: the RESP
 */
void srxe_hs_resp(struct srxe_hs *hs, const struct srxe_hs_msg *msg)
{
	const struct srxe_hs_msg *init;
	struct srxe_sa_params p = { };
	struct srxe_hs_try *t;
	unsigned int which;
	int err;

	t = find_try(hs->attempt, msg, &which);
	init = t ? find_init(t, msg) : NULL;
	if (!init) {
		hs->ops->count(hs, SRXE_HS_COUNT_STATE);
		return;
	}
	if (!hs->ops->key_live(t->sa->key)) {
		hs->ops->count(hs, SRXE_HS_COUNT_NO_KEY);
		return;
	}
	err = resp_params(hs, t, init, msg, &p);
	if (err)
		hs->ops->count(hs, err == -EBADMSG ? SRXE_HS_COUNT_MAC : SRXE_HS_COUNT_LIMIT);
	else
		take(hs, t, &p);
	memzero_explicit(&p, sizeof(p));
}

/* The peer has that key, so it is the one to go on with. */
static void settle_on(struct srxe_hs_attempt *a, unsigned int which)
{
	a->tries[which]->known = true;
	a->cur = which;
	a->silent = 0;
}

/**
 * srxe_hs_retry() - a RETRY came in: our challenge was missing or stale
 * @hs: the machine; an attempt of ours is out, and the addresses fit
 * @msg: the RETRY
 */
void srxe_hs_retry(struct srxe_hs *hs, const struct srxe_hs_msg *msg)
{
	struct srxe_p p = srxe_hs_p(&hs->ends.lgid, &hs->ends.rgid);
	struct srxe_hs_attempt *a = hs->attempt;
	const struct srxe_psk_keys *keys;
	u64 now = hs->ops->now(hs);
	struct srxe_hs_try *t;
	unsigned int which;

	t = find_try(a, msg, &which);
	if (!t || t->inits > 1 || srxe_hs_fits(&t->init[0], msg) != SRXE_HS_OK) {
		hs->ops->count(hs, SRXE_HS_COUNT_STATE);
		return;
	}
	keys = hs->ops->secrets(t->sa->key);
	if (srxe_hs_verify_reply(keys, &p, &t->init[0], msg)) {
		hs->ops->count(hs, SRXE_HS_COUNT_MAC);
		return;
	}
	srxe_hs_limit_remember(hs->limit, &p, msg->body.challenge);
	t->init[1] = t->init[0];
	srxe_hs_set_challenge(&t->init[1], msg->body.challenge);
	if (srxe_hs_sign_init(keys, &p, &t->init[1]))
		return;
	t->inits = 2;
	settle_on(a, which);
	a->retry.interval = srxe_hs_ms(SRXE_RETRY_MIN_MS);
	a->retry.next = now + a->retry.interval;
	send_init(hs, now);
}

/**
 * srxe_hs_refuse() - a REFUSE came in
 * @hs: the machine; an attempt of ours is out, and the addresses fit
 * @msg: the REFUSE
 *
 * Being busy passes: we go on asking, and say so if it does not.
 */
void srxe_hs_refuse(struct srxe_hs *hs, const struct srxe_hs_msg *msg)
{
	struct srxe_p p = srxe_hs_p(&hs->ends.lgid, &hs->ends.rgid);
	struct srxe_hs_attempt *a = hs->attempt;
	const struct srxe_psk_keys *keys;
	struct srxe_hs_try *t;
	unsigned int which;

	t = find_try(a, msg, &which);
	if (!t || srxe_hs_fits(&t->init[t->inits - 1], msg) != SRXE_HS_OK) {
		hs->ops->count(hs, SRXE_HS_COUNT_STATE);
		return;
	}
	keys = hs->ops->secrets(t->sa->key);
	if (srxe_hs_verify_reply(keys, &p, &t->init[t->inits - 1], msg)) {
		hs->ops->count(hs, SRXE_HS_COUNT_MAC);
		return;
	}
	switch (msg->body.mode) {
	case SRXE_REFUSE_MODE:
		srxe_hs_fail(hs, SRXE_VERR_REFUSED_MODE, keys->key_id);
		break;
	case SRXE_REFUSE_SUITE:
		srxe_hs_fail(hs, SRXE_VERR_REFUSED_SUITE, keys->key_id);
		break;
	default:
		settle_on(a, which);
		a->busy = true;
		break;
	}
}
