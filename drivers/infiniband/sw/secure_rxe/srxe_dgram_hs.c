// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Handshakes of datagram peers: bare messages for them, and the world around their
 * machine.
 */
#include <linux/err.h>
#include <linux/ktime.h>

#include "rxe.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_hs_int.h"
#include "srxe_hs_io.h"
#include "srxe_hs_ops.h"
#include "srxe_pm.h"
#include "srxe_policy.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_time.h"

static struct srxe_dgram *dgram_of(struct srxe_hs *hs)
{
	return container_of(hs, struct srxe_dgram, hs);
}

static void set_timer(struct srxe_hs *hs, u64 when)
{
	struct srxe_dgram *d = dgram_of(hs);

	if (!when) {
		if (cancel_delayed_work(&d->timer))
			srxe_dgram_put(d);
		return;
	}
	srxe_dgram_hold(d);
	if (mod_delayed_work(srxe_hs_wq, &d->timer, srxe_delay(srxe_world_now(hs), when)))
		srxe_dgram_put(d);
}

static void send(struct srxe_hs *hs, const struct in6_addr *local,
		 const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	srxe_hs_xmit_dgram(dgram_of(hs)->link, local, remote, msg);
}

/* The connection manager speaks for the host, so its keys are the link's. So are all, so far. */
static int keys(struct srxe_hs *hs, const struct in6_addr *peer, struct srxe_ring_key **found,
		unsigned int max)
{
	return srxe_world_keys(dgram_of(hs)->link, peer, found, max);
}

static struct srxe_ring_key *key_by_id(struct srxe_hs *hs, const struct in6_addr *peer,
				       const u8 key_id[SRXE_KEY_ID_LEN])
{
	return srxe_ring_by_id(dgram_of(hs)->link->ring, peer, key_id);
}

static void policy(struct srxe_hs *hs, struct srxe_hs_policy *p)
{
	srxe_world_policy(dgram_of(hs)->link, p);
	/* a MAD is payload: with its headers alone protected it could be rewritten */
	if (hs->ends.kind == SRXE_KIND_GSI)
		p->min_mode = max_t(u8, p->min_mode, SRXE_MODE_PACKET);
}

static struct srxe_sa *sa_new(struct srxe_hs *hs, const struct srxe_sa_ends *ends,
			      struct srxe_ring_key *key)
{
	struct srxe_dgram *d = dgram_of(hs);
	struct srxe_sa *sa;

	/* none may be in the image of a machine that is being stopped */
	if (srxe_pm_stopping())
		return NULL;
	if (hs->user.bound && !d->spis) {
		d->spis = srxe_spi_share_of(d->link->spis, hs->user.uid);
		if (!d->spis)
			return NULL;
	}
	sa = srxe_sa_alloc(d->link, ends, key, NULL, d);
	return IS_ERR(sa) ? NULL : sa;
}

static void sa_end(struct srxe_hs *hs, struct srxe_sa *sa)
{
	srxe_dgram_drop_sa(dgram_of(hs), sa);
}

static void use(struct srxe_hs *hs, struct srxe_sa *sa)
{
	struct srxe_dgram *d = dgram_of(hs);

	/* whoever ends it takes it back afterwards, or makes it useless */
	WRITE_ONCE(d->life.used, ktime_get_boottime_ns());
	WRITE_ONCE(d->life.unheard, 0);
	srxe_dgram_flush(d, sa);
}

/*
 * It ended from outside: key, address or settings. The next datagram asks for another,
 * or says why there will be none.
 */
static void lost(struct srxe_hs *hs, enum srxe_vendor_err verr)
{
}

static void failed(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id)
{
	struct srxe_dgram *d = dgram_of(hs);

	/* one that answered and fell silent */
	if (verr == SRXE_VERR_PEER_RESET)
		verr = SRXE_VERR_NO_ANSWER;
	spin_lock_bh(&d->lock);
	d->starting = false;
	d->hold_off = ktime_get_boottime_ns() + SRXE_DGRAM_HOLD_OFF_NS;
	spin_unlock_bh(&d->lock);
	srxe_report(d->link, &hs->ends, verr, key_id);
	srxe_dgram_purge(d, NULL, SRXE_CNT_TX_HANDSHAKE);
}

/* Not asked of datagrams: a peer that begins anew is answered. */
static void peer_reset(struct srxe_hs *hs, struct srxe_sa *sa)
{
}

static void count(struct srxe_hs *hs, enum srxe_hs_count what)
{
	srxe_world_count(dgram_of(hs)->link, &hs->ends, what);
}

const struct srxe_hs_ops srxe_dgram_world = {
	.now		= srxe_world_now,
	.set_timer	= set_timer,
	.send		= send,
	.keys		= keys,
	.key_by_id	= key_by_id,
	.key_put	= srxe_ring_key_put,
	.key_live	= srxe_ring_key_live,
	.secrets	= srxe_world_secrets,
	.policy		= policy,
	.sa_new		= sa_new,
	.sa_key		= srxe_world_sa_key,
	.sa_end		= sa_end,
	.sa_linger	= srxe_world_sa_linger,
	.sa_heard	= srxe_world_sa_heard,
	.probe		= srxe_world_probe,
	.use		= use,
	.lost		= lost,
	.failed		= failed,
	.peer_reset	= peer_reset,
	.count		= count,
};

static int charge(struct srxe_dgram *d, const struct srxe_dgram_user *user)
{
	struct srxe_dgrams *dgrams = d->link->dgrams;
	int err;

	spin_lock_bh(&dgrams->lock);
	err = srxe_dgram_charge(dgrams, d, user);
	spin_unlock_bh(&dgrams->lock);
	if (err)
		return err;
	srxe_hs_charge(&d->hs, user->pd, &user->who);
	srxe_spi_share_put(d->spis);
	d->spis = NULL;
	return 0;
}

/*
 * A peer is everybody's, and one of its users pays for its handshakes. If he has no
 * room for one, whoever has is not to wait for that.
 */
static void find_payer(struct srxe_dgram *d)
{
	struct srxe_dgram_user user;
	unsigned int i;

	for (i = 0; srxe_hs_waits(&d->hs) && srxe_dgram_waiting(d, i, &user); i++) {
		if (user.pd == d->hs.pd && srxe_same_user(&user.who, &d->hs.user))
			continue;
		if (!charge(d, &user))
			srxe_hs_run(&d->hs);
	}
}

/**
 * srxe_dgram_start() - have an SA made, if that is not under way
 * @d: peer, its handshake locked
 *
 * Context: process.
 */
void srxe_dgram_start(struct srxe_dgram *d)
{
	lockdep_assert_held(&d->hs_lock);
	/* what has ended must not be taken for what stands */
	srxe_hs_run(&d->hs);
	/* one that has yet to be confirmed is the new one */
	if (d->hs.sa && !srxe_hs_confirmed(&d->hs))
		return;
	srxe_hs_start(&d->hs, 0);
	find_payer(d);
}

static void forget_tx(struct srxe_dgram *d, struct srxe_sa *sa)
{
	spin_lock_bh(&d->lock);
	if (rcu_access_pointer(d->tx_sa) == sa)
		RCU_INIT_POINTER(d->tx_sa, NULL);
	spin_unlock_bh(&d->lock);
}

/**
 * srxe_dgram_drop_sa() - the handshake is done with an SA
 * @d: peer, its handshake locked
 * @sa: one of its SAs; the reference of its making is dropped
 *
 * Context: process.
 */
void srxe_dgram_drop_sa(struct srxe_dgram *d, struct srxe_sa *sa)
{
	forget_tx(d, sa);
	srxe_sa_end(sa);
	srxe_sa_put(sa);
}

/**
 * srxe_dgram_fail() - an SA has become unusable: key, address, settings or link
 * @d: peer
 * @sa: its SA, referenced; it ends
 *
 * Context: any but hard interrupts, no lock held.
 */
void srxe_dgram_fail(struct srxe_dgram *d, struct srxe_sa *sa)
{
	forget_tx(d, sa);
	srxe_sa_end(sa);
	/* the handshake finds it ended */
	srxe_dgram_post(d, SRXE_DGRAM_RUN);
}

/**
 * srxe_dgram_confirmed() - the peer has our answer: it sent something under its SA
 * @d: peer
 * @sa: its SA, which was pending; referenced
 *
 * Context: softirq or process, no lock held.
 */
void srxe_dgram_confirmed(struct srxe_dgram *d, struct srxe_sa *sa)
{
	srxe_sa_advance(sa, SRXE_SA_STANDING);
	srxe_dgram_post(d, SRXE_DGRAM_RUN);
}

/* Messages */

static void send_retry(struct srxe_link *link, const struct srxe_hs_rx *rx,
		       const struct srxe_p *p, const struct srxe_psk_keys *secrets)
{
	u8 challenge[SRXE_CHALLENGE_LEN];
	struct srxe_hs_msg retry;

	if (srxe_hs_limit_challenge(&link->hs->limit, ktime_get_boottime_ns(), p, challenge))
		return;
	srxe_hs_build_retry(&retry, &rx->msg, challenge);
	if (srxe_hs_sign_reply(secrets, p, &rx->msg, &retry))
		return;
	srxe_hs_xmit_dgram(link, &rx->local, &rx->remote, &retry);
	srxe_world_count_msg(link, rx, SRXE_HS_COUNT_RETRY);
}

/*
 * An INIT of somebody we know nothing of: nothing is kept before it is certain that
 * it comes from a holder of the key who is there now. The machine judges it again.
 */
static bool admit_with(struct srxe_link *link, const struct srxe_hs_rx *rx,
		       const struct srxe_psk_keys *secrets)
{
	struct srxe_p p = srxe_hs_p(&rx->remote, &rx->local);

	if (srxe_hs_verify_init(secrets, &p, &rx->msg)) {
		srxe_world_count_msg(link, rx, SRXE_HS_COUNT_MAC);
		return false;
	}
	if (srxe_hs_limit_challenge_ok(&link->hs->limit, ktime_get_boottime_ns(), &p,
				       rx->msg.body.challenge)) {
		send_retry(link, rx, &p, secrets);
		return false;
	}
	return true;
}

static bool admit(struct srxe_link *link, const struct srxe_hs_rx *rx)
{
	struct srxe_ring_key *key;
	bool ok = false;

	if (srxe_hs_past_has(&link->hs->limit.past, ktime_get_boottime_ns(),
			     rx->msg.body.mac)) {
		srxe_world_count_msg(link, rx, SRXE_HS_COUNT_REPLAYED);
		return false;
	}
	if (rx->msg.bth.opcode != SRXE_OP_INIT || rx->msg.body.qpn_r ||
	    ipv6_addr_equal(&rx->local, &rx->remote)) {
		srxe_world_count_msg(link, rx, SRXE_HS_COUNT_STATE);
		return false;
	}
	key = srxe_ring_by_id(link->ring, &rx->remote, rx->msg.body.key_id);
	if (key && srxe_ring_key_live(key))
		ok = admit_with(link, rx, srxe_world_secrets(key));
	else
		srxe_world_count_msg(link, rx, SRXE_HS_COUNT_NO_KEY);
	if (key)
		srxe_ring_key_put(key);
	return ok;
}

/* The peer a message is for, made if need be; with a reference. */
static struct srxe_dgram *peer_of(struct srxe_link *link, const struct srxe_hs_rx *rx)
{
	static const struct srxe_dgram_user nobody = { .local = false };
	struct srxe_dgram_key key = {
		.lgid = rx->local,
		.rgid = rx->remote,
		.kind = rx->msg.body.kind,
	};
	struct srxe_dgram *d = srxe_dgram_get(link->dgrams, &key);

	if (d)
		return d;
	if (!admit(link, rx))
		return ERR_PTR(-EPERM);
	d = srxe_dgram_make(link, &key, &nobody, GFP_KERNEL);
	if (IS_ERR(d) && PTR_ERR(d) != -EAGAIN)
		srxe_world_count_msg(link, rx, SRXE_HS_COUNT_LIMIT);
	return d;
}

/* False if that peer has ended: another one has to be found. */
static bool hand_over(struct srxe_dgram *d, const struct srxe_hs_rx *rx)
{
	bool there;

	mutex_lock(&d->hs_lock);
	there = !d->ended;
	if (there)
		srxe_hs_input(&d->hs, rx);
	mutex_unlock(&d->hs_lock);
	return there;
}

/**
 * srxe_dgram_input() - a bare message of a datagram kind came in
 * @link: on which link
 * @rx: the message; all that is known of it is that it is well-formed
 *
 * Context: process, may sleep.
 */
void srxe_dgram_input(struct srxe_link *link, const struct srxe_hs_rx *rx)
{
	struct srxe_dgram *d;
	bool done = false;

	while (!done) {
		d = peer_of(link, rx);
		if (PTR_ERR_OR_ZERO(d) == -EAGAIN)
			continue;
		if (IS_ERR(d))
			return;
		done = hand_over(d, rx);
		srxe_dgram_put(d);
	}
}
