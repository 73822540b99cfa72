/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Epoch keys: what one direction of an SA is sealed with for a while, and the
 * work that makes the next one ready and lets the old one go.
 */
#ifndef SRXE_EPOCH_H
#define SRXE_EPOCH_H

#include <linux/refcount.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <crypto/aead.h>

#include "srxe_suite.h"

struct srxe_sa;
struct srxe_sa_params;

/**
 * struct srxe_epoch_key - key of one epoch and direction
 * @ref: one for the SA while it may be used, one for each request in crypto
 * @tfm: holds the AEAD key; never keyed again
 * @epoch: 64-bit epoch
 * @salt: of the nonces
 * @free: frees it in process context
 */
struct srxe_epoch_key {
	refcount_t		ref;
	struct crypto_aead	*tfm;
	u64			epoch;
	u8			salt[SRXE_SALT_MAX];
	struct work_struct	free;
};

/**
 * srxe_epoch_key_get() - take a reference
 * @key: key the caller has or whose SA's lock it holds
 *
 * Context: any.
 * Return: @key.
 */
static inline struct srxe_epoch_key *srxe_epoch_key_get(struct srxe_epoch_key *key)
{
	refcount_inc(&key->ref);
	return key;
}

void srxe_epoch_key_put(struct srxe_epoch_key *key);

/**
 * srxe_epoch_now() - the clock epochs are timed by
 *
 * To a tick, which is good enough for minutes and cheap enough for packets.
 *
 * Context: any.
 * Return: ns of boottime.
 */
static inline u64 srxe_epoch_now(void)
{
	return ktime_get_coarse_boottime_ns();
}

int srxe_epoch_start(struct srxe_sa *sa, const struct srxe_sa_params *p);
void srxe_epoch_stop(struct srxe_sa *sa);
void srxe_epoch_kick(struct srxe_sa *sa);
void srxe_epoch_cancel(struct srxe_sa *sa);
void srxe_epoch_work(struct work_struct *work);
void srxe_epoch_heard(struct srxe_sa *sa, u8 rx_epoch);

#endif /* SRXE_EPOCH_H */
