// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The world around a connection's handshake: keys, settings, SAs, clock and
 * counters as they really are. What a datagram peer's has in common with it comes
 * first.
 */
#include <linux/ktime.h>

#include "rxe.h"
#include "srxe_conn.h"
#include "srxe_hs_io.h"
#include "srxe_hs_ops.h"
#include "srxe_hs_watch.h"
#include "srxe_notify.h"
#include "srxe_pm.h"
#include "srxe_policy.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_time.h"

/* The strongest mode there is so far. */
#define MAX_MODE	SRXE_MODE_ENCRYPT

/**
 * srxe_world_now() - boottime
 * @hs: any machine
 *
 * Context: any.
 * Return: ns.
 */
u64 srxe_world_now(struct srxe_hs *hs)
{
	return ktime_get_boottime_ns();
}

/**
 * srxe_world_keys() - the keys of a link for a peer
 * @link: link
 * @peer: the peer's address
 * @found: keys in order of trial, referenced
 * @max: how many fit
 *
 * Context: process, may sleep.
 * Return: their number, 0, or -EKEYREVOKED.
 */
int srxe_world_keys(struct srxe_link *link, const struct in6_addr *peer,
		    struct srxe_ring_key **found, unsigned int max)
{
	int n = srxe_ring_lookup(link->ring, peer, found, max);

	if (n == -ENOKEY)
		return 0;
	return n < 0 ? -EKEYREVOKED : n;
}

/**
 * srxe_world_secrets() - what is derived from a key
 * @key: key, referenced
 *
 * Context: any.
 * Return: the secrets, which live as long as the key.
 */
const struct srxe_psk_keys *srxe_world_secrets(const struct srxe_ring_key *key)
{
	return &key->psk->keys;
}

/**
 * srxe_world_policy() - settings of a link as they are now
 * @link: link
 * @p: filled in
 *
 * Context: any.
 */
void srxe_world_policy(const struct srxe_link *link, struct srxe_hs_policy *p)
{
	p->min_mode = READ_ONCE(link->settings.mode);
	p->max_mode = MAX_MODE;
	p->suites = READ_ONCE(link->settings.suites);
}

/**
 * srxe_world_sa_key() - give an SA its keys
 * @hs: any machine
 * @sa: embryo
 * @params: outcome of the handshake
 * @state: SRXE_SA_PENDING or SRXE_SA_STANDING
 *
 * Context: process, may sleep.
 * Return: 0 or an error, as srxe_sa_key() does.
 */
int srxe_world_sa_key(struct srxe_hs *hs, struct srxe_sa *sa, struct srxe_sa_params *params,
		      enum srxe_sa_state state)
{
	/* whoever called on us: the end of his key must not make him one without */
	srxe_ring_mark(sa->link->ring, &sa->key->match);
	return srxe_sa_key(sa, params, state);
}

/**
 * srxe_world_sa_linger() - an SA is to receive only
 * @hs: any machine
 * @sa: one of its SAs
 *
 * Context: process or softirq.
 */
void srxe_world_sa_linger(struct srxe_hs *hs, struct srxe_sa *sa)
{
	srxe_sa_advance(sa, SRXE_SA_LINGER);
}

/**
 * srxe_world_sa_heard() - has a valid packet come in under an SA?
 * @sa: SA
 *
 * Context: any.
 * Return: true if so.
 */
bool srxe_world_sa_heard(const struct srxe_sa *sa)
{
	return READ_ONCE(sa->rx.window.top);
}

/**
 * srxe_world_probe() - ask the peer for a sign of life
 * @hs: any machine
 * @sa: one of its SAs
 *
 * Context: process or softirq.
 */
void srxe_world_probe(struct srxe_hs *hs, struct srxe_sa *sa)
{
	/* one that does not get away is as good as lost: there will be others */
	srxe_seal_ctrl(sa, SRXE_CTRL_PROBE, NULL, 0);
}

/**
 * srxe_world_count() - count what happened in a handshake, and tell who watches
 * @link: link
 * @ends: what is known of the handshake's ends; the rest is 0
 * @what: what
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_world_count(struct srxe_link *link, const struct srxe_sa_ends *ends,
		      enum srxe_hs_count what)
{
	static const enum rxe_counters counters[] = {
		[SRXE_HS_COUNT_DONE]	= SRXE_CNT_HS_DONE,
		[SRXE_HS_COUNT_FAILED]	= SRXE_CNT_HS_FAILED,
		[SRXE_HS_COUNT_RETRY]	= SRXE_CNT_HS_RETRY,
		[SRXE_HS_COUNT_REFUSE]	= SRXE_CNT_HS_REFUSED,
		[SRXE_HS_COUNT_PARKED]	= SRXE_CNT_HS_PARKED,
		[SRXE_HS_COUNT_STATE]	= SRXE_CNT_HS_STATE,
		[SRXE_HS_COUNT_REPLAYED] = SRXE_CNT_HS_REPLAYED,
		[SRXE_HS_COUNT_NO_KEY]	= SRXE_CNT_HS_NO_KEY,
		[SRXE_HS_COUNT_MAC]	= SRXE_CNT_HS_MAC,
		[SRXE_HS_COUNT_LIMIT]	= SRXE_CNT_HS_LIMIT,
	};

	rxe_counter_inc(link->rxe, counters[what]);
	srxe_hs_watch_count(link, ends, what, counters[what]);
}

/**
 * srxe_world_count_msg() - count what became of a message that no machine is for
 * @link: link
 * @rx: the message
 * @what: what
 *
 * Context: as srxe_world_count().
 */
void srxe_world_count_msg(struct srxe_link *link, const struct srxe_hs_rx *rx,
			  enum srxe_hs_count what)
{
	struct srxe_sa_ends ends = {
		.kind	= rx->msg.body.kind,
		.lgid	= rx->local,
		.rgid	= rx->remote,
		.lqpn	= be32_to_cpu(rx->msg.bth.qpn) & SRXE_BTH_QPN_MASK,
	};

	srxe_world_count(link, &ends, what);
}

static struct srxe_conn *conn_of(struct srxe_hs *hs)
{
	return container_of(hs, struct srxe_conn, hs);
}

static void set_timer(struct srxe_hs *hs, u64 when)
{
	struct srxe_conn *conn = conn_of(hs);

	if (!when) {
		if (cancel_delayed_work(&conn->timer))
			srxe_conn_put(conn);
		return;
	}
	srxe_conn_get(conn);
	if (mod_delayed_work(srxe_hs_wq, &conn->timer, srxe_delay(srxe_world_now(hs), when)))
		srxe_conn_put(conn);
}

static void send(struct srxe_hs *hs, const struct in6_addr *local,
		 const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	srxe_hs_watch_msg(conn_of(hs)->link, true, local, remote, msg);
	srxe_hs_xmit(conn_of(hs), local, remote, msg);
}

static int keys(struct srxe_hs *hs, const struct in6_addr *peer, struct srxe_ring_key **found,
		unsigned int max)
{
	return srxe_world_keys(conn_of(hs)->link, peer, found, max);
}

static struct srxe_ring_key *key_by_id(struct srxe_hs *hs, const struct in6_addr *peer,
				       const u8 key_id[SRXE_KEY_ID_LEN])
{
	return srxe_ring_by_id(conn_of(hs)->link->ring, peer, key_id);
}

static void policy(struct srxe_hs *hs, struct srxe_hs_policy *p)
{
	srxe_world_policy(conn_of(hs)->link, p);
}

static struct srxe_sa *sa_new(struct srxe_hs *hs, const struct srxe_sa_ends *ends,
			      struct srxe_ring_key *key)
{
	struct srxe_conn *conn = conn_of(hs);
	struct srxe_sa *sa;

	/* none may be in the image of a machine that is being stopped */
	if (srxe_pm_stopping())
		return NULL;
	sa = srxe_sa_alloc(conn->link, ends, key, conn, NULL);
	if (IS_ERR(sa))
		return NULL;
	spin_lock_bh(&conn->lock);
	list_add_tail(&sa->conn_entry, &conn->sas);
	spin_unlock_bh(&conn->lock);
	return sa;
}

static void sa_end(struct srxe_hs *hs, struct srxe_sa *sa)
{
	srxe_conn_drop(conn_of(hs), sa);
}

static void use(struct srxe_hs *hs, struct srxe_sa *sa)
{
	srxe_conn_use(conn_of(hs), sa);
}

static void lost(struct srxe_hs *hs, enum srxe_vendor_err verr)
{
	srxe_conn_lost(conn_of(hs), verr);
}

static void failed(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id)
{
	srxe_notify_hs_failed(conn_of(hs)->link, &hs->ends, verr, key_id);
	srxe_conn_hs_failed(conn_of(hs), verr, key_id);
}

static void peer_reset(struct srxe_hs *hs, struct srxe_sa *sa)
{
	WRITE_ONCE(conn_of(hs)->reset_mark, READ_ONCE(sa->rx.window.top) + 1);
}

static void count(struct srxe_hs *hs, enum srxe_hs_count what)
{
	srxe_world_count(conn_of(hs)->link, &hs->ends, what);
}

const struct srxe_hs_ops srxe_hs_world = {
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
