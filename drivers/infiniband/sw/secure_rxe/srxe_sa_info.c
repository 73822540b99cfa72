// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * SAs as administrators see them.
 */
#include <linux/string.h>

#include "rxe.h"
#include "srxe_policy.h"
#include "srxe_ring.h"
#include "srxe_sa.h"

static void fill_tx(struct srxe_sa *sa, struct srxe_sa_info *info)
{
	spin_lock_bh(&sa->tx.fifo.lock);
	info->tx_epoch = sa->tx.e.epoch;
	info->tx_pn = sa->tx.pn;
	spin_unlock_bh(&sa->tx.fifo.lock);
}

static void fill_rx(struct srxe_sa *sa, struct srxe_sa_info *info)
{
	spin_lock_bh(&sa->rx.fifo.lock);
	info->rx_epoch = sa->rx.e.epoch;
	info->rx_pn = sa->rx.window.top;
	spin_unlock_bh(&sa->rx.fifo.lock);
}

/**
 * srxe_sa_info() - describe an SA
 * @sa: SA, referenced or found under its link's sa_lock
 * @info: filled in
 *
 * Context: any but hard interrupts; takes the SA's locks.
 */
void srxe_sa_info(struct srxe_sa *sa, struct srxe_sa_info *info)
{
	memset(info, 0, sizeof(*info));
	info->seq = sa->seq;
	info->ends = sa->ends;
	info->spi = sa->spi;
	info->key_serial = sa->key->key->serial;
	memcpy(info->key_id, sa->key->psk->keys.key_id, sizeof(info->key_id));
	info->key_match = sa->key->match;

	spin_lock_bh(&sa->lock);
	info->state = sa->state;
	info->established = sa->established;
	if (sa->keyed) {
		/* these do not change any more */
		info->peer_spi = sa->p.peer_spi;
		info->mode = sa->p.mode;
		info->suite = sa->p.suite;
		info->initiator = sa->p.initiator;
		memcpy(info->sa_id, sa->p.sa_id, sizeof(info->sa_id));
		strscpy(info->driver, sa->driver, sizeof(info->driver));
	}
	spin_unlock_bh(&sa->lock);
	fill_tx(sa, info);
	fill_rx(sa, info);
}

/**
 * srxe_sa_for_each() - describe a link's SAs, oldest first
 * @link: link
 * @cursor: number of the SA to go on after, 0 to begin; set to the last one
 *	that @cb has taken
 * @cb: called with each; must not sleep; what it returns but 0 ends the walk,
 *	and the SA counts as not taken
 * @arg: for @cb
 *
 * A walk in pieces sees every SA that is there all the time exactly once.
 *
 * Context: any but hard interrupts; holds the link's sa_lock.
 * Return: 0, or what @cb returned.
 */
int srxe_sa_for_each(struct srxe_link *link, u64 *cursor,
		     int (*cb)(const struct srxe_sa_info *info, void *arg), void *arg)
{
	struct srxe_sa_info info;
	struct srxe_sa *sa;
	int err = 0;

	spin_lock_bh(&link->sa_lock);
	list_for_each_entry(sa, &link->sas, entry) {
		if (sa->seq <= *cursor)
			continue;
		srxe_sa_info(sa, &info);
		err = cb(&info, arg);
		if (err)
			break;
		*cursor = sa->seq;
	}
	spin_unlock_bh(&link->sa_lock);
	return err;
}
