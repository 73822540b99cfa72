// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Policy of a link: settings, what they mean for a packet, and the end of SAs
 * that no longer fit.
 */
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "rxe.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_hs_io.h"
#include "srxe_notify.h"
#include "srxe_policy.h"
#include "srxe_req.h"
#include "srxe_ring.h"
#include "srxe_sa.h"
#include "srxe_suite.h"

/* Secure by default: all is encrypted, and who has no key is not talked to. */
static const struct srxe_settings defaults = {
	.mode	= SRXE_MODE_ENCRYPT,
	.suites	= BIT(SRXE_SUITE_AES256_GCM),
};

typedef bool (*sa_match_t)(const struct srxe_sa *sa, const void *arg);

static struct srxe_sa *find_sa(struct srxe_link *link, sa_match_t match, const void *arg)
{
	struct srxe_sa *sa;

	spin_lock_bh(&link->sa_lock);
	list_for_each_entry(sa, &link->sas, entry) {
		if (match(sa, arg)) {
			srxe_sa_get(sa);
			spin_unlock_bh(&link->sa_lock);
			return sa;
		}
	}
	spin_unlock_bh(&link->sa_lock);
	return NULL;
}

/* Ending an SA takes it off the list, so every round finds another one. */
static void end_matching(struct srxe_link *link, sa_match_t match, const void *arg,
			 enum srxe_vendor_err verr)
{
	struct srxe_sa *sa;

	while ((sa = find_sa(link, match, arg))) {
		srxe_sa_fail(sa, verr);
		srxe_sa_put(sa);
	}
}

static bool has_key(const struct srxe_sa *sa, const void *arg)
{
	return sa->key == arg;
}

/**
 * srxe_policy_key_gone() - a key is no longer valid or no longer in the ring
 * @link: link in whose ring it was
 * @key: the key, marked gone already
 *
 * Its SAs end and their connections fail: what a key allowed ends with it.
 *
 * Context: process; takes link->sa_lock and connections' locks.
 */
void srxe_policy_key_gone(struct srxe_link *link, const struct srxe_ring_key *key)
{
	srxe_notify_key_gone(link, key);
	end_matching(link, has_key, key, SRXE_VERR_KEY_REVOKED);
}

static bool address_left(const struct srxe_sa *sa, const void *arg)
{
	struct ib_device *ibdev = (struct ib_device *)arg;
	const struct ib_gid_attr *attr;
	union ib_gid gid;

	memcpy(gid.raw, &sa->ends.lgid, sizeof(gid.raw));
	attr = rdma_find_gid_by_port(ibdev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
	if (IS_ERR(attr))
		return true;
	rdma_put_gid_attr(attr);
	return false;
}

static void link_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct srxe_link *link = container_of(handler, struct srxe_link, events);

	if (event->event == IB_EVENT_GID_CHANGE)
		end_matching(link, address_left, event->device, SRXE_VERR_SA_LOST);
}

/*
 * Make a transform of every suite once: what is set can then be used, and the
 * first handshake does not wait for modules to be loaded.
 */
static int try_suites(const struct srxe_settings *s)
{
	u8 keymat[SRXE_KEYMAT_MAX];
	struct crypto_aead *tfm;
	unsigned int id;
	bool fits;

	get_random_bytes(keymat, sizeof(keymat));
	for (id = 0; id < SRXE_SUITE_COUNT; id++) {
		if (!(s->suites & BIT(id)))
			continue;
		tfm = srxe_suite_alloc(srxe_suite_by_id(id),
				       s->driver[0] ? s->driver : NULL, keymat);
		if (IS_ERR(tfm))
			return PTR_ERR(tfm);
		fits = srxe_req_fits(tfm);
		crypto_free_aead(tfm);
		if (!fits)
			return -EMSGSIZE;
	}
	return 0;
}

/**
 * srxe_policy_attach() - give a new device its protection layer
 * @rxe: device, not registered yet, sec.net set
 * @name: what it will be called
 *
 * Context: process.
 * Return: 0; -ENOMEM, the keyring's error, or that of the crypto API if it has
 * nothing for the default suite.
 */
int srxe_policy_attach(struct rxe_dev *rxe, const char *name)
{
	struct srxe_link *link;
	int err;

	link = kzalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return -ENOMEM;
	link->rxe = rxe;
	link->net = rxe->sec.net;
	link->settings = defaults;
	mutex_init(&link->lock);
	spin_lock_init(&link->sa_lock);
	INIT_LIST_HEAD(&link->sas);

	err = try_suites(&link->settings);
	if (err) {
		pr_err("%s: no crypto driver for %s (error %d): see /proc/crypto, modprobe gcm\n",
		       name, srxe_suite_pick(defaults.suites)->name, err);
		goto err_free;
	}
	err = -ENOMEM;
	link->spis = srxe_spi_share_new(SRXE_SPI_SHARE);
	if (!link->spis || srxe_notify_attach(link))
		goto err_free;
	link->ring = srxe_ring_create(link, name);
	if (IS_ERR(link->ring)) {
		err = PTR_ERR(link->ring);
		goto err_free;
	}
	err = srxe_dgrams_create(link);
	if (err)
		goto err_ring;
	/* from here on a suspend or a VM fork finds the link */
	err = srxe_hs_link_create(link);
	if (err)
		goto err_dgrams;

	INIT_IB_EVENT_HANDLER(&link->events, &rxe->ib_dev, link_event);
	ib_register_event_handler(&link->events);
	rxe->sec.link = link;
	return 0;

err_dgrams:
	srxe_dgrams_destroy(link);
err_ring:
	srxe_ring_destroy(link->ring);
err_free:
	srxe_notify_detach(link);
	srxe_spi_share_put(link->spis);
	mutex_destroy(&link->lock);
	kfree(link);
	return err;
}

/**
 * srxe_policy_detach() - take the protection layer of a device down
 * @rxe: device, unregistered or never registered, no queue pair left
 *
 * Order: no more events; no datagram peers, of which there are none any more but
 * for a device that was never registered; no more handshakes, so that no SA is
 * made any more; the SAs; the ring, which SAs and handshakes refer to; last what
 * all of them tell their failures.
 *
 * Context: process, may sleep.
 */
void srxe_policy_detach(struct rxe_dev *rxe)
{
	struct srxe_link *link = rxe->sec.link;

	if (!link)
		return;
	ib_unregister_event_handler(&link->events);
	srxe_dgrams_close(link);
	srxe_hs_link_destroy(link);
	srxe_dgrams_destroy(link);
	srxe_sa_end_link(link);
	srxe_ring_destroy(link->ring);
	srxe_notify_detach(link);
	srxe_spi_share_put(link->spis);
	rxe->sec.link = NULL;
	mutex_destroy(&link->lock);
	kfree(link);
}

/**
 * srxe_policy_get() - a consistent copy of a link's settings
 * @link: link
 * @settings: filled in
 *
 * Context: process.
 */
void srxe_policy_get(struct srxe_link *link, struct srxe_settings *settings)
{
	mutex_lock(&link->lock);
	*settings = link->settings;
	mutex_unlock(&link->lock);
}

static int check_settings(const struct srxe_settings *s, struct netlink_ext_ack *extack)
{
	int err;

	if (s->mode == SRXE_MODE_CONCEAL) {
		NL_SET_ERR_MSG(extack,
			       "mode conceal is not supported yet, encrypt is the strongest");
		return -EOPNOTSUPP;
	}
	if (s->mode < SRXE_MODE_HEADER || s->mode > SRXE_MODE_ENCRYPT) {
		NL_SET_ERR_MSG(extack, "mode must be header, packet or encrypt");
		return -EINVAL;
	}
	if (!s->suites || s->suites & ~SRXE_SUITES_ALL) {
		NL_SET_ERR_MSG(extack, "suites must name at least one known suite and no other");
		return -EINVAL;
	}
	err = try_suites(s);
	if (err && s->driver[0])
		NL_SET_ERR_MSG(extack,
			       "driver must exist and implement every suite of the link; see /proc/crypto");
	else if (err)
		NL_SET_ERR_MSG(extack, "a suite is not in this kernel; see /proc/crypto");
	return err;
}

static bool weaker_datagrams(const struct srxe_sa *sa, const void *arg)
{
	const u8 *mode = arg;

	return sa->dgram && srxe_sa_weaker(sa, *mode);
}

/* Datagrams below the minimum end now, and have another SA made. */
static void raise_datagrams(struct srxe_link *link, u8 mode)
{
	struct srxe_sa *sa;

	while ((sa = find_sa(link, weaker_datagrams, &mode))) {
		srxe_sa_fail(sa, SRXE_VERR_SA_LOST);
		srxe_dgram_post(sa->dgram, SRXE_DGRAM_ANEW);
		srxe_sa_put(sa);
	}
}

/**
 * srxe_policy_set() - change a link's settings
 * @link: link
 * @settings: all of them
 * @extack: where the reason of a refusal goes
 *
 * What is set holds for every SA made from now on. Raising the minimum mode
 * above an SA that stands would leave traffic below it. Those of datagrams are
 * made anew. For a connection's there is no way yet to do that, so it is refused
 * while there is one.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL, -EOPNOTSUPP or -ENOENT for settings that cannot be;
 * -EBUSY while an SA below the new minimum stands.
 */
int srxe_policy_set(struct srxe_link *link, const struct srxe_settings *settings,
		    struct netlink_ext_ack *extack)
{
	struct srxe_sa *sa;
	int err;

	err = check_settings(settings, extack);
	if (err)
		return err;

	mutex_lock(&link->lock);
	/* srxe_sa_key() judges a new SA's mode under the same lock. */
	spin_lock_bh(&link->sa_lock);
	list_for_each_entry(sa, &link->sas, entry) {
		if (sa->conn && srxe_sa_weaker(sa, settings->mode)) {
			err = -EBUSY;
			break;
		}
	}
	if (!err) {
		WRITE_ONCE(link->settings.mode, settings->mode);
		WRITE_ONCE(link->settings.suites, settings->suites);
		WRITE_ONCE(link->settings.unkeyed_allow, settings->unkeyed_allow);
		memcpy(link->settings.driver, settings->driver, sizeof(settings->driver));
	}
	spin_unlock_bh(&link->sa_lock);
	if (!err)
		raise_datagrams(link, settings->mode);
	mutex_unlock(&link->lock);
	if (err)
		NL_SET_ERR_MSG(extack,
			       "connections below that mode stand; close them first (srxe sa show)");
	return err;
}

/**
 * srxe_policy_plain_ok() - may unprotected packets go to and come from a peer?
 * @link: link
 * @peer: the peer's address, IPv4 as v4-mapped
 *
 * Asked for every such packet, so that a key added for a peer counts at once.
 *
 * Context: any.
 * Return: true only where policy allows peers without a key, and this one has
 * none and never had.
 */
bool srxe_policy_plain_ok(struct srxe_link *link, const struct in6_addr *peer)
{
	return READ_ONCE(link->settings.unkeyed_allow) &&
	       srxe_ring_peer(link->ring, peer) == SRXE_PEER_UNKEYED;
}
