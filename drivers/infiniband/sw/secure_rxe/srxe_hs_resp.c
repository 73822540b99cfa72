// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handshake of one connection: we as responder.
 *
 * The order of checks is the protocol's: nothing is kept, and nothing that
 * costs more than a MAC is done, before it is certain that the INIT comes from
 * a holder of the key who was there within the last two challenge periods, and
 * is not one that has served an earlier incarnation.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <crypto/algapi.h>

#include "srxe_hs_int.h"

/**
 * srxe_hs_park_drop() - throw the parked INIT away
 * @hs: the machine
 */
void srxe_hs_park_drop(struct srxe_hs *hs)
{
	kfree(hs->parked);
	hs->parked = NULL;
	hs->parked_end = 0;
}

/* The newest replaces: an initiator that began anew has no use for the old one. */
static void park(struct srxe_hs *hs, const struct srxe_hs_rx *rx)
{
	if (!hs->parked)
		hs->parked = kmalloc(sizeof(*hs->parked), GFP_KERNEL);
	if (!hs->parked) {
		hs->ops->count(hs, SRXE_HS_COUNT_LIMIT);
		return;
	}
	*hs->parked = *rx;
	hs->parked_end = hs->ops->now(hs) + srxe_hs_ms(SRXE_PARK_S * MSEC_PER_SEC);
	hs->ops->count(hs, SRXE_HS_COUNT_PARKED);
}

static u64 answer_end_time(const struct srxe_hs_answer *ans)
{
	return ans->born + srxe_hs_ms(SRXE_HS_TURN_MS);
}

static void forget(struct srxe_hs *hs, struct srxe_hs_answer *ans)
{
	list_del(&ans->entry);
	srxe_hs_leave(hs, SRXE_HS_RESPONDER);
	kfree(ans);
}

static void end_answer(struct srxe_hs *hs, struct srxe_hs_answer *ans)
{
	hs->ops->sa_end(hs, ans->sa);
	forget(hs, ans);
}

/**
 * srxe_hs_answers_end() - end all that has been answered and not confirmed
 * @hs: the machine
 */
void srxe_hs_answers_end(struct srxe_hs *hs)
{
	struct srxe_hs_answer *ans, *tmp;

	list_for_each_entry_safe(ans, tmp, &hs->answers, entry)
		end_answer(hs, ans);
}

/* The peer has taken this one; what else we answered it has given up. */
static void confirmed(struct srxe_hs *hs, struct srxe_hs_answer *ans)
{
	struct srxe_sa *sa = ans->sa;
	u64 after = ans->after;

	forget(hs, ans);
	srxe_hs_answers_end(hs);
	srxe_hs_served_end(hs);
	srxe_hs_stand(hs, sa, after);
}

/* One that stood and has been ended since is not as if it had never been. */
static bool stood(const struct srxe_sa *sa)
{
	/* pairs with the locks that the changes of state are made under */
	int state = smp_load_acquire(&sa->state);

	return state == SRXE_SA_STANDING || (state == SRXE_SA_DEAD && sa->established);
}

/**
 * srxe_hs_answers_run() - see what became of our answers
 * @hs: the machine
 * @now: boottime, ns
 */
void srxe_hs_answers_run(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_answer *ans, *tmp;

	list_for_each_entry_safe(ans, tmp, &hs->answers, entry) {
		if (stood(ans->sa)) {
			confirmed(hs, ans);
			return;
		}
		if (READ_ONCE(ans->sa->state) != SRXE_SA_PENDING ||
		    now >= answer_end_time(ans))
			end_answer(hs, ans);
	}
}

/**
 * srxe_hs_answers_due() - when the oldest answer has waited long enough
 * @hs: the machine
 *
 * Return: boottime in ns, 0 for never.
 */
u64 srxe_hs_answers_due(const struct srxe_hs *hs)
{
	if (list_empty(&hs->answers))
		return 0;
	return answer_end_time(list_first_entry(&hs->answers, struct srxe_hs_answer, entry));
}

static bool fits_ends(const struct srxe_hs *hs, const struct srxe_hs_rx *rx)
{
	const struct srxe_hs_body *b = &rx->msg.body;

	if (b->kind != hs->ends.kind || be32_to_cpu(b->qpn_r) != hs->ends.lqpn)
		return false;
	if (!hs->bound)
		return true;
	return srxe_hs_side(hs) && be32_to_cpu(b->qpn_i) == hs->ends.rqpn &&
	       ipv6_addr_equal(&rx->local, &hs->ends.lgid) &&
	       ipv6_addr_equal(&rx->remote, &hs->ends.rgid);
}

static struct srxe_hs_answer *find_duplicate(const struct srxe_hs *hs,
					     const struct srxe_hs_msg *init)
{
	struct srxe_hs_answer *ans;

	list_for_each_entry(ans, &hs->answers, entry)
		if (!memcmp(&ans->init.body, &init->body, sizeof(init->body)))
			return ans;
	return NULL;
}

static unsigned int served(const struct srxe_hs *hs)
{
	return min(hs->served_count, SRXE_HS_MAX_SERVED);
}

/* Its SA may yet be confirmed, so it must be answered if it comes again. */
static bool is_pending(const struct srxe_hs *hs, const u8 mac[SRXE_MAC_LEN])
{
	const struct srxe_hs_answer *ans;

	list_for_each_entry(ans, &hs->answers, entry)
		if (!crypto_memneq(ans->init.body.mac, mac, SRXE_MAC_LEN))
			return true;
	return false;
}

static bool has_served(const struct srxe_hs *hs, const struct srxe_hs_msg *init)
{
	unsigned int i;

	for (i = 0; i < served(hs); i++)
		if (!crypto_memneq(hs->served[i].mac, init->body.mac, SRXE_MAC_LEN))
			return true;
	return false;
}

/* If an SA comes of all this, that INIT shall not be answered any more. */
static void note_served(struct srxe_hs *hs, const struct srxe_hs_msg *init, u64 now)
{
	struct srxe_hs_served *s = &hs->served[hs->served_count % SRXE_HS_MAX_SERVED];

	if (has_served(hs, init))
		return;
	memcpy(s->mac, init->body.mac, sizeof(s->mac));
	s->seen = now;
	hs->served_count++;
}

/**
 * srxe_hs_served_end() - the peer has used an SA
 * @hs: the machine
 *
 * As long as their challenges are good, the INITs that served until now are
 * remembered by the link. It does no harm to say so more than once.
 */
void srxe_hs_served_end(struct srxe_hs *hs)
{
	u64 now = hs->ops->now(hs);
	unsigned int i;

	for (i = 0; i < served(hs); i++) {
		const struct srxe_hs_served *s = &hs->served[i];

		if (!is_pending(hs, s->mac))
			srxe_hs_limit_served(hs->limit, now, s->seen, s->mac);
	}
}

static void send_back(struct srxe_hs *hs, const struct srxe_hs_rx *rx,
		      const struct srxe_hs_msg *msg)
{
	hs->ops->send(hs, &rx->local, &rx->remote, msg);
}

static void send_retry(struct srxe_hs *hs, const struct srxe_hs_rx *rx, const struct srxe_p *p,
		       const struct srxe_psk_keys *keys)
{
	u8 challenge[SRXE_CHALLENGE_LEN];
	struct srxe_hs_msg retry;

	if (srxe_hs_limit_challenge(hs->limit, hs->ops->now(hs), p, challenge))
		return;
	srxe_hs_build_retry(&retry, &rx->msg, challenge);
	if (srxe_hs_sign_reply(keys, p, &rx->msg, &retry))
		return;
	send_back(hs, rx, &retry);
	hs->ops->count(hs, SRXE_HS_COUNT_RETRY);
}

static void send_refuse(struct srxe_hs *hs, const struct srxe_hs_rx *rx, const struct srxe_p *p,
			const struct srxe_psk_keys *keys, enum srxe_refuse reason)
{
	struct srxe_hs_msg refuse;

	srxe_hs_build_refuse(&refuse, &rx->msg, reason);
	if (srxe_hs_sign_reply(keys, p, &rx->msg, &refuse))
		return;
	send_back(hs, rx, &refuse);
	hs->ops->count(hs, SRXE_HS_COUNT_REFUSE);
}

/* Return: 0 and what is agreed on, or why not. */
static int negotiate(struct srxe_hs *hs, const struct srxe_hs_body *init,
		     struct srxe_sa_params *p)
{
	const struct srxe_suite *suite;
	struct srxe_hs_policy policy;

	hs->ops->policy(hs, &policy);
	p->mode = max(init->mode, policy.min_mode);
	if (p->mode > policy.max_mode)
		return SRXE_REFUSE_MODE;
	suite = srxe_suite_pick(be16_to_cpu(init->suites) & policy.suites);
	if (!suite)
		return SRXE_REFUSE_SUITE;
	p->suite = suite->id;
	return 0;
}

/*
 * One more pending SA of this connection: there is room, or the oldest is older
 * than an initiator takes to ask again.
 */
static bool make_room(struct srxe_hs *hs, u64 now)
{
	struct srxe_hs_answer *oldest;

	if (list_count_nodes(&hs->answers) < SRXE_MAX_PENDING)
		return true;
	oldest = list_first_entry(&hs->answers, struct srxe_hs_answer, entry);
	if (now < oldest->born + srxe_hs_ms(SRXE_RETRY_MAX_MS))
		return false;
	end_answer(hs, oldest);
	return true;
}

/* X25519 and all that follows from it, but for keeping it. */
static int make_resp(struct srxe_hs *hs, const struct srxe_hs_msg *init, const struct srxe_p *p,
		     const struct srxe_psk_keys *keys, struct srxe_hs_answer *ans,
		     struct srxe_sa_params *out)
{
	u8 secret[SRXE_SHARE_LEN], share[SRXE_SHARE_LEN], nonce[SRXE_NONCE_LEN];
	u8 prk[SRXE_SECRET_LEN], th[SRXE_HASH_LEN];
	struct srxe_sa_secrets sec;
	int err;

	err = srxe_hs_share_new(secret, share);
	if (err)
		return err;
	err = srxe_hs_prk(keys->psk, secret, init->body.share, prk);
	memzero_explicit(secret, sizeof(secret));
	if (err)
		return err;
	get_random_bytes(nonce, sizeof(nonce));
	srxe_hs_build_resp(&ans->resp, init, out->mode, out->suite, ans->sa->spi, nonce, share);
	srxe_hs_th(p, init, &ans->resp, th);
	err = srxe_hs_sign_resp(prk, th, &ans->resp);
	if (!err)
		err = srxe_hs_sa_secrets(prk, th, &sec);
	memzero_explicit(prk, sizeof(prk));
	if (err)
		return err;

	out->initiator = false;
	out->peer_spi = be32_to_cpu(init->body.spi);
	memcpy(out->sa_id, sec.sa_id, sizeof(out->sa_id));
	memcpy(out->chain, sec.chain, sizeof(out->chain));
	memzero_explicit(&sec, sizeof(sec));
	return 0;
}

static int answer(struct srxe_hs *hs, const struct srxe_hs_rx *rx, const struct srxe_p *p,
		  struct srxe_ring_key *key, struct srxe_sa_params *params)
{
	struct srxe_hs_answer *ans = kzalloc(sizeof(*ans), GFP_KERNEL);
	int err = -ENOMEM;

	if (!ans)
		return err;
	ans->sa = hs->ops->sa_new(hs, &hs->ends, key);
	if (!ans->sa)
		goto err_free;
	err = make_resp(hs, &rx->msg, p, hs->ops->secrets(key), ans, params);
	if (!err)
		err = hs->ops->sa_key(hs, ans->sa, params, SRXE_SA_PENDING);
	if (err)
		goto err_sa;
	ans->init = rx->msg;
	ans->born = hs->ops->now(hs);
	ans->after = srxe_hs_confirmed(hs);
	list_add_tail(&ans->entry, &hs->answers);
	note_served(hs, &rx->msg, ans->born);
	send_back(hs, rx, &ans->resp);
	return 0;

err_sa:
	hs->ops->sa_end(hs, ans->sa);
err_free:
	kfree(ans);
	return err;
}

/* All is well with this INIT: refuse it, or answer it. */
static void fresh_init(struct srxe_hs *hs, const struct srxe_hs_rx *rx, const struct srxe_p *p,
		       struct srxe_ring_key *key)
{
	const struct srxe_psk_keys *keys = hs->ops->secrets(key);
	struct srxe_sa_params params = { };
	u64 now = hs->ops->now(hs);
	int err;

	err = negotiate(hs, &rx->msg.body, &params);
	if (!err && !make_room(hs, now))
		err = SRXE_REFUSE_BUSY;
	if (!err && !srxe_hs_limit_enter(hs->limit, SRXE_HS_RESPONDER, &hs->ends.rgid, hs->pd,
					 &hs->user))
		err = SRXE_REFUSE_BUSY;
	if (err) {
		send_refuse(hs, rx, p, keys, err);
		return;
	}

	err = -EAGAIN;
	if (srxe_hs_limit_charge(hs->limit, now, &hs->ends.rgid))
		err = answer(hs, rx, p, key, &params);
	memzero_explicit(&params, sizeof(params));
	if (err) {
		srxe_hs_leave(hs, SRXE_HS_RESPONDER);
		hs->ops->count(hs, err == -EBADMSG ? SRXE_HS_COUNT_MAC : SRXE_HS_COUNT_LIMIT);
	}
}

/* We are the preferred initiator, and the peer may not know yet what we have made. */
static bool ours_counts(const struct srxe_hs *hs)
{
	return srxe_hs_side(hs) < 0 && (hs->attempt || (hs->sa && hs->confirm.next));
}

/* From the MAC on. */
static void judge(struct srxe_hs *hs, const struct srxe_hs_rx *rx, struct srxe_ring_key *key,
		  bool unparked)
{
	struct srxe_p p = srxe_hs_p(&rx->remote, &rx->local);
	const struct srxe_psk_keys *keys = hs->ops->secrets(key);
	u64 now = hs->ops->now(hs);
	struct srxe_hs_answer *dup;

	if (srxe_hs_verify_init(keys, &p, &rx->msg)) {
		hs->ops->count(hs, SRXE_HS_COUNT_MAC);
		return;
	}
	dup = find_duplicate(hs, &rx->msg);
	if (dup) {
		send_back(hs, rx, &dup->resp);
		return;
	}
	/* Both are at it. If it is us whose handshake counts, it must get there. */
	if (ours_counts(hs)) {
		hs->ops->count(hs, SRXE_HS_COUNT_STATE);
		note_served(hs, &rx->msg, now);
		if (hs->attempt)
			srxe_hs_attempt_again(hs, now);
		return;
	}
	if (!unparked &&
	    srxe_hs_limit_challenge_ok(hs->limit, now, &p, rx->msg.body.challenge)) {
		send_retry(hs, rx, &p, keys);
		return;
	}
	if (hs->bound)
		fresh_init(hs, rx, &p, key);
	else
		park(hs, rx);
}

/*
 * The peer asks for what it already has, and not by what brought it that: its
 * queue pair was reset, or has got a new owner. Nothing comes of it, but should the
 * connection break it is known why. That is worth one MAC a second.
 */
static void note_reset(struct srxe_hs *hs, const struct srxe_hs_rx *rx)
{
	struct srxe_p p = srxe_hs_p(&rx->remote, &rx->local);
	const struct srxe_psk_keys *keys;
	u64 now = hs->ops->now(hs);

	if (!hs->sa || now < hs->noted || has_served(hs, &rx->msg))
		return;
	hs->noted = now + NSEC_PER_SEC;
	keys = hs->ops->secrets(hs->sa->key);
	if (!memcmp(keys->key_id, rx->msg.body.key_id, sizeof(keys->key_id)) &&
	    !srxe_hs_verify_init(keys, &p, &rx->msg))
		hs->ops->peer_reset(hs, hs->sa);
}

static void init_rcv(struct srxe_hs *hs, const struct srxe_hs_rx *rx, bool unparked)
{
	struct srxe_ring_key *key;
	bool fits = fits_ends(hs, rx);

	if (hs->over && fits)
		note_reset(hs, rx);
	if (hs->over || !fits) {
		hs->ops->count(hs, SRXE_HS_COUNT_STATE);
		return;
	}
	if (srxe_hs_past_has(&hs->limit->past, hs->ops->now(hs), rx->msg.body.mac)) {
		hs->ops->count(hs, SRXE_HS_COUNT_REPLAYED);
		return;
	}
	key = hs->ops->key_by_id(hs, &rx->remote, rx->msg.body.key_id);
	if (key && hs->ops->key_live(key))
		judge(hs, rx, key, unparked);
	else
		hs->ops->count(hs, SRXE_HS_COUNT_NO_KEY);
	if (key)
		hs->ops->key_put(key);
}

/**
 * srxe_hs_init_rcv() - an INIT came in
 * @hs: the machine
 * @rx: the INIT
 */
void srxe_hs_init_rcv(struct srxe_hs *hs, const struct srxe_hs_rx *rx)
{
	init_rcv(hs, rx, false);
}

/**
 * srxe_hs_unpark() - now that the peer is known, see to the INIT that came before
 * @hs: the machine, just bound
 *
 * Its challenge was good when it came.
 */
void srxe_hs_unpark(struct srxe_hs *hs)
{
	struct srxe_hs_rx *rx = hs->parked;

	if (!rx)
		return;
	hs->parked = NULL;
	if (hs->ops->now(hs) < hs->parked_end)
		init_rcv(hs, rx, true);
	hs->parked_end = 0;
	kfree(rx);
}
