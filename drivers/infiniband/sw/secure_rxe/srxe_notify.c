// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Events: what happens on a link, told by netlink. See srxe_notify.h.
 *
 * Whoever calls keeps the device registered (an SA, a queue pair, a packet), or is
 * not sure to and looks. The link's namespace is good as long as that is so:
 * before it goes its devices are unregistered.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <net/ipv6.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_genl.h"
#include "srxe_nl.h"
#include "srxe_notify.h"
#include "srxe_policy.h"
#include "srxe_psk_match.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_tally.h"
#include "srxe_time.h"

/* A link is named as in the replies to requests. */
static_assert((int)SRXE_A_EVENT_DEV_INDEX == (int)SRXE_A_LINK_DEV_INDEX &&
	      (int)SRXE_A_EVENT_DEV_NAME == (int)SRXE_A_LINK_DEV_NAME);

/**
 * struct srxe_notify - failures of a link that are not told yet
 * @link: the link
 * @lock: protects @tally; BH
 * @tally: the counts
 * @work: tells what is due
 */
struct srxe_notify {
	struct srxe_link	*link;
	spinlock_t		lock;	/* tally; BH */
	struct srxe_tally	tally;
	struct delayed_work	work;
};

/* Room for the longest, an SA's. */
#define EVENT_SIZE							\
	(nla_total_size(sizeof(u32)) * 9 +				\
	 nla_total_size(IB_DEVICE_NAME_MAX) +				\
	 nla_total_size(sizeof(u8)) * 5 +				\
	 nla_total_size(sizeof(struct in6_addr)) * 2 +			\
	 nla_total_size(SRXE_SA_ID_LEN) +				\
	 nla_total_size(SRXE_KEY_ID_LEN) +				\
	 nla_total_size(SRXE_PSK_DESC_MAX) +				\
	 nla_total_size_64bit(sizeof(u64)))

/* An event on its way to be sent. */
struct event {
	struct srxe_link	*link;
	gfp_t			gfp;
	struct sk_buff		*skb;
	void			*hdr;
};

static bool wanted(const struct srxe_link *link)
{
	return genl_has_listeners(&srxe_genl_family, link->net, SECURE_RXE_NLGRP_EVENTS);
}

static void lost(struct srxe_link *link)
{
	rxe_counter_inc(link->rxe, SRXE_CNT_EVENTS_LOST);
	genl_set_err(&srxe_genl_family, link->net, 0, SECURE_RXE_NLGRP_EVENTS, -ENOBUFS);
}

static bool event_begin(struct event *e, struct srxe_link *link, u8 cmd, gfp_t gfp)
{
	e->link = link;
	e->gfp = gfp;
	e->skb = genlmsg_new(EVENT_SIZE, gfp);
	if (!e->skb) {
		lost(link);
		return false;
	}
	e->hdr = genlmsg_put(e->skb, 0, 0, &srxe_genl_family, 0, cmd);
	return true;
}

static void event_end(struct event *e, int err)
{
	if (WARN_ON_ONCE(!e->hdr || err)) {
		nlmsg_free(e->skb);
		lost(e->link);
		return;
	}
	genlmsg_end(e->skb, e->hdr);
	/* who cannot keep up is told by the socket, and nobody at all is no error */
	genlmsg_multicast_netns(&srxe_genl_family, e->link->net, e->skb, 0,
				SECURE_RXE_NLGRP_EVENTS, e->gfp);
}

static int put_gid(struct sk_buff *skb, int attr, const struct in6_addr *gid)
{
	return ipv6_addr_any(gid) ? 0 : nla_put_in6_addr(skb, attr, gid);
}

static int put_ends(struct sk_buff *skb, u8 kind, const struct in6_addr *lgid,
		    const struct in6_addr *rgid, u32 lqpn, u32 rqpn)
{
	return nla_put_u8(skb, SRXE_A_EVENT_KIND, kind) ?:
	       put_gid(skb, SRXE_A_EVENT_LOCAL_GID, lgid) ?:
	       put_gid(skb, SRXE_A_EVENT_PEER_GID, rgid) ?:
	       nla_put_u32(skb, SRXE_A_EVENT_LOCAL_QPN, lqpn) ?:
	       nla_put_u32(skb, SRXE_A_EVENT_PEER_QPN, rqpn);
}

static int put_key(struct sk_buff *skb, const struct srxe_ring_key *key)
{
	char desc[SRXE_PSK_DESC_MAX];

	srxe_psk_match_format(&key->match, desc, sizeof(desc));
	return nla_put(skb, SRXE_A_EVENT_KEY_ID, SRXE_KEY_ID_LEN, key->psk->keys.key_id) ?:
	       nla_put_s32(skb, SRXE_A_EVENT_KEY_SERIAL, key->key->serial) ?:
	       nla_put_string(skb, SRXE_A_EVENT_KEY_DESCRIPTION, desc);
}

static int put_sa(struct sk_buff *skb, const struct srxe_sa *sa)
{
	const struct srxe_sa_ends *ends = &sa->ends;

	return put_ends(skb, ends->kind, &ends->lgid, &ends->rgid, ends->lqpn, ends->rqpn) ?:
	       nla_put(skb, SRXE_A_EVENT_SA_ID, sizeof(sa->p.sa_id), sa->p.sa_id) ?:
	       nla_put_u32(skb, SRXE_A_EVENT_LOCAL_SPI, sa->spi) ?:
	       nla_put_u32(skb, SRXE_A_EVENT_PEER_SPI, sa->p.peer_spi) ?:
	       nla_put_u8(skb, SRXE_A_EVENT_MODE, sa->p.mode) ?:
	       nla_put_u8(skb, SRXE_A_EVENT_SUITE, sa->p.suite) ?:
	       put_key(skb, sa->key);
}

static void tell_sa(const struct srxe_sa *sa, u8 cmd)
{
	struct event e;

	lockdep_assert_held(&sa->lock);
	if (wanted(sa->link) && event_begin(&e, sa->link, cmd, GFP_ATOMIC))
		event_end(&e, srxe_genl_put_dev(e.skb, sa->link) ?: put_sa(e.skb, sa));
}

/**
 * srxe_notify_sa_up() - an SA has come to stand
 * @sa: SA
 *
 * Context: any but hard interrupts, sa->lock held, which keeps an SA's events in
 * their order.
 */
void srxe_notify_sa_up(const struct srxe_sa *sa)
{
	tell_sa(sa, SRXE_CMD_SA_UP);
}

/**
 * srxe_notify_sa_down() - an SA has ended
 * @sa: SA; if it never stood there is nothing to tell
 *
 * Context: any but hard interrupts, sa->lock held.
 */
void srxe_notify_sa_down(const struct srxe_sa *sa)
{
	if (sa->established)
		tell_sa(sa, SRXE_CMD_SA_DOWN);
}

static u8 end_of(const struct srxe_ring_key *key)
{
	switch (key_validate(key->key)) {
	case 0:
		return SRXE_KEY_END_REMOVED;
	case -EKEYEXPIRED:
		return SRXE_KEY_END_EXPIRED;
	default:
		return SRXE_KEY_END_REVOKED;
	}
}

/**
 * srxe_notify_key_gone() - a key of a link is of no more use
 * @link: link
 * @key: key, no longer in the ring or no longer valid
 *
 * Context: process, may sleep.
 */
void srxe_notify_key_gone(struct srxe_link *link, const struct srxe_ring_key *key)
{
	struct ib_device *ibdev = &link->rxe->ib_dev;
	struct event e;

	/* a ring may outlive the namespace */
	if (!ib_device_try_get(ibdev))
		return;
	if (wanted(link) && event_begin(&e, link, SRXE_CMD_KEY_GONE, GFP_KERNEL))
		event_end(&e, srxe_genl_put_dev(e.skb, link) ?:
			      nla_put_u8(e.skb, SRXE_A_EVENT_KEY_END, end_of(key)) ?:
			      put_key(e.skb, key));
	ib_device_put(ibdev);
}

/* Failures */

static int put_why(struct sk_buff *skb, const struct srxe_failure *f)
{
	/* there was more than one reason */
	if (f->many)
		return 0;
	if (f->what == SRXE_TALLY_HANDSHAKE)
		return nla_put_u32(skb, SRXE_A_EVENT_FAILURE, f->why);
	return nla_put_u8(skb, SRXE_A_EVENT_AUTH_CAUSE, f->why);
}

static int put_key_id(struct sk_buff *skb, const struct srxe_failure *f)
{
	if (!memchr_inv(f->key_id, 0, sizeof(f->key_id)))
		return 0;
	return nla_put(skb, SRXE_A_EVENT_KEY_ID, sizeof(f->key_id), f->key_id);
}

static void tell_failure(struct srxe_link *link, const struct srxe_failure *f)
{
	u8 cmd = f->what == SRXE_TALLY_HANDSHAKE ? SRXE_CMD_HANDSHAKE_FAILED :
						   SRXE_CMD_AUTH_FAILED;
	struct event e;

	if (!wanted(link) || !event_begin(&e, link, cmd, GFP_KERNEL))
		return;
	event_end(&e, srxe_genl_put_dev(e.skb, link) ?:
		      put_why(e.skb, f) ?:
		      put_ends(e.skb, f->kind, &f->local, &f->peer, f->lqpn, f->rqpn) ?:
		      put_key_id(e.skb, f) ?:
		      nla_put_u64_64bit(e.skb, SRXE_A_EVENT_COUNT, f->count,
					SRXE_A_EVENT_PAD));
}

/* The next time that something is due. */
static void arm(struct srxe_notify *n, u64 now)
{
	u64 due = srxe_tally_due(&n->tally);

	lockdep_assert_held(&n->lock);
	if (due)
		mod_delayed_work(system_unbound_wq, &n->work, srxe_delay(now, due));
}

static void tell_due(struct work_struct *work)
{
	struct srxe_notify *n = container_of(to_delayed_work(work), struct srxe_notify, work);
	struct ib_device *ibdev = &n->link->rxe->ib_dev;
	u64 now = ktime_get_boottime_ns();
	struct srxe_failure f;

	/* nobody is left to be told of a link that goes */
	if (!ib_device_try_get(ibdev))
		return;
	spin_lock_bh(&n->lock);
	while (srxe_tally_take(&n->tally, now, &f)) {
		spin_unlock_bh(&n->lock);
		tell_failure(n->link, &f);
		spin_lock_bh(&n->lock);
	}
	arm(n, now);
	spin_unlock_bh(&n->lock);
	ib_device_put(ibdev);
}

static void count(struct srxe_link *link, const struct srxe_sa_ends *ends,
		  struct srxe_failure *f)
{
	struct srxe_notify *n = link->notify;
	u64 now = ktime_get_boottime_ns();

	f->peer = ends->rgid;
	f->kind = ends->kind;
	f->local = ends->lgid;
	f->lqpn = ends->lqpn;
	f->rqpn = ends->rqpn;
	spin_lock_bh(&n->lock);
	if (srxe_tally_add(&n->tally, f, now))
		arm(n, now);
	spin_unlock_bh(&n->lock);
}

/**
 * srxe_notify_hs_failed() - a handshake of ours came to nothing, or could not begin
 * @link: link
 * @ends: between whom
 * @why: reason
 * @key_id: id of the key it was made under, or NULL
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_notify_hs_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			   enum srxe_vendor_err why, const u8 *key_id)
{
	struct srxe_failure f = { .what = SRXE_TALLY_HANDSHAKE, .why = why };

	if (!wanted(link))
		return;
	if (key_id)
		memcpy(f.key_id, key_id, sizeof(f.key_id));
	count(link, ends, &f);
}

/**
 * srxe_notify_auth_failed() - something from a peer did not authenticate
 * @link: link
 * @ends: whose SA or handshake it was for
 * @cause: enum srxe_auth_cause
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_notify_auth_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			     enum srxe_auth_cause cause)
{
	struct srxe_failure f = { .what = SRXE_TALLY_AUTH, .why = cause };

	if (wanted(link))
		count(link, ends, &f);
}

/**
 * srxe_notify_attach() - make what a link needs for its events
 * @link: link, new
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int srxe_notify_attach(struct srxe_link *link)
{
	struct srxe_notify *n = kzalloc(sizeof(*n), GFP_KERNEL);

	if (!n)
		return -ENOMEM;
	n->link = link;
	spin_lock_init(&n->lock);
	INIT_DELAYED_WORK(&n->work, tell_due);
	link->notify = n;
	return 0;
}

/**
 * srxe_notify_detach() - undo srxe_notify_attach()
 * @link: link; nothing happens on it any more
 *
 * Context: process, may sleep.
 */
void srxe_notify_detach(struct srxe_link *link)
{
	struct srxe_notify *n = link->notify;

	if (!n)
		return;
	cancel_delayed_work_sync(&n->work);
	link->notify = NULL;
	kfree(n);
}
