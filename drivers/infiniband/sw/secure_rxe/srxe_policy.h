/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Policy of a link: what must be protected, how strongly, and with whom plain
 * RoCEv2 is still spoken. One struct srxe_link hangs off every device.
 */
#ifndef SRXE_POLICY_H
#define SRXE_POLICY_H

#include <linux/crypto.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>
#include <rdma/srxe_wire.h>

struct net;
struct rxe_dev;
struct srxe_dgrams;
struct srxe_hs_link;
struct srxe_notify;
struct srxe_ring;
struct srxe_ring_key;
struct srxe_spi_share;

/**
 * struct srxe_settings - what an administrator sets on a link
 * @mode: minimum protection, enum srxe_mode; the stronger of both ends wins
 * @suites: bitmap of enum srxe_suite_id that may be offered and chosen
 * @unkeyed_allow: peers without a key, now and ever, may talk plain RoCEv2
 * @driver: crypto driver every new SA must use, empty for the best there is
 */
struct srxe_settings {
	u8	mode;
	u16	suites;
	bool	unkeyed_allow;
	char	driver[CRYPTO_MAX_ALG_NAME];
};

/**
 * struct srxe_link - the protection layer's view of one device
 * @rxe: the device; valid as long as this is
 * @net: its network namespace
 * @lock: serialises writers of @settings
 * @settings: read without a lock by the data path (single fields only), as a
 *	whole under @lock
 * @ring: keyring, key index and tombstones
 * @sa_lock: protects @sas and @sa_count; BH
 * @sas: every SA of the link that is in the SPI table
 * @sa_count: their number
 * @spis: places in the SPI table
 * @dgrams: datagram peers
 * @hs: handshake bounds and rate buckets, owned by srxe_hs_io.c
 * @notify: failures that administrators are to be told, owned by srxe_notify.c
 * @events: GID changes, so that SAs of an address that left are ended
 */
struct srxe_link {
	struct rxe_dev			*rxe;
	struct net			*net;
	struct mutex			lock;		/* writers of settings */
	struct srxe_settings		settings;
	struct srxe_ring		*ring;
	spinlock_t			sa_lock;	/* sas, sa_count; BH */
	struct list_head		sas;
	unsigned int			sa_count;
	struct srxe_spi_share		*spis;
	struct srxe_dgrams		*dgrams;
	struct srxe_hs_link		*hs;
	struct srxe_notify		*notify;
	struct ib_event_handler		events;
};

int srxe_policy_attach(struct rxe_dev *rxe, const char *name);
void srxe_policy_detach(struct rxe_dev *rxe);

void srxe_policy_get(struct srxe_link *link, struct srxe_settings *settings);
struct netlink_ext_ack;
int srxe_policy_set(struct srxe_link *link, const struct srxe_settings *settings,
		    struct netlink_ext_ack *extack);

bool srxe_policy_plain_ok(struct srxe_link *link, const struct in6_addr *peer);
void srxe_policy_key_gone(struct srxe_link *link, const struct srxe_ring_key *key);

#endif /* SRXE_POLICY_H */
