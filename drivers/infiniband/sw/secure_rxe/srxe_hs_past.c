// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * INITs that have served. What is remembered goes by whole periods, so there is
 * no timer and nothing to sort.
 */
#include <linux/errno.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <crypto/algapi.h>

#include "srxe_hs_past.h"

/* struct served - an INIT that has */
struct served {
	struct hlist_node	node;
	u8			mac[SRXE_MAC_LEN];
};

static u32 hash_mac(const struct srxe_hs_past *past, const u8 mac[SRXE_MAC_LEN])
{
	return (u32)siphash(mac, SRXE_MAC_LEN, &past->seed);
}

static void empty(struct srxe_hs_past_period *p)
{
	struct hlist_node *tmp;
	struct served *s;
	int i;

	hash_for_each_safe(p->macs, i, tmp, s, node) {
		hash_del(&s->node);
		kfree(s);
		cond_resched();
	}
	p->count = 0;
}

/* What no challenge of is good any more goes. */
static void expire(struct srxe_hs_past *past, u64 now)
{
	u64 period = srxe_hs_period(now);
	unsigned int i;

	lockdep_assert_held(&past->lock);
	for (i = 0; i < SRXE_HS_PAST_PERIODS; i++)
		if (past->periods[i].period + SRXE_HS_PAST_PERIODS <= period)
			empty(&past->periods[i]);
}

static struct served *find(const struct srxe_hs_past *past,
			   const struct srxe_hs_past_period *p, const u8 mac[SRXE_MAC_LEN])
{
	struct served *s;

	hash_for_each_possible(p->macs, s, node, hash_mac(past, mac))
		if (!crypto_memneq(s->mac, mac, sizeof(s->mac)))
			return s;
	return NULL;
}

/**
 * srxe_hs_past_init() - nothing has served yet
 * @past: to set up
 *
 * Context: Process.
 */
void srxe_hs_past_init(struct srxe_hs_past *past)
{
	unsigned int i;

	mutex_init(&past->lock);
	get_random_bytes(&past->seed, sizeof(past->seed));
	for (i = 0; i < SRXE_HS_PAST_PERIODS; i++) {
		hash_init(past->periods[i].macs);
		past->periods[i].period = i;
		past->periods[i].count = 0;
	}
}

/**
 * srxe_hs_past_clear() - nothing of all this has a good challenge any more
 * @past: what a link remembers
 *
 * Context: Process.
 */
void srxe_hs_past_clear(struct srxe_hs_past *past)
{
	unsigned int i;

	mutex_lock(&past->lock);
	for (i = 0; i < SRXE_HS_PAST_PERIODS; i++)
		empty(&past->periods[i]);
	mutex_unlock(&past->lock);
}

/**
 * srxe_hs_past_destroy() - the link goes
 * @past: what it remembers
 *
 * Context: Process.
 */
void srxe_hs_past_destroy(struct srxe_hs_past *past)
{
	srxe_hs_past_clear(past);
	mutex_destroy(&past->lock);
}

static int add(struct srxe_hs_past *past, u64 period, const u8 mac[SRXE_MAC_LEN])
{
	struct srxe_hs_past_period *p = &past->periods[period % SRXE_HS_PAST_PERIODS];
	struct served *s;

	/* it is empty if it was another's */
	p->period = period;
	if (find(past, p, mac))
		return 0;
	if (p->count >= SRXE_HS_PAST_MAX)
		return -ENOSPC;
	s = kmalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	memcpy(s->mac, mac, sizeof(s->mac));
	hash_add(p->macs, &s->node, hash_mac(past, mac));
	p->count++;
	return 0;
}

/**
 * srxe_hs_past_add() - an INIT has served
 * @past: what the link remembers
 * @now: boottime, ns
 * @seen: boottime, ns, when its challenge was found good, if it was looked at
 * @mac: its MAC, which is good
 *
 * Context: Process.
 * Return: 0; -ENOSPC or -ENOMEM if it could not be remembered: then its challenge
 * should not stay good.
 */
int srxe_hs_past_add(struct srxe_hs_past *past, u64 now, u64 seen,
		     const u8 mac[SRXE_MAC_LEN])
{
	u64 period = srxe_hs_period(seen);
	int err = 0;

	mutex_lock(&past->lock);
	expire(past, now);
	if (period + SRXE_HS_PAST_PERIODS > srxe_hs_period(now))
		err = add(past, period, mac);
	mutex_unlock(&past->lock);
	return err;
}

/**
 * srxe_hs_past_has() - has an INIT served?
 * @past: what the link remembers
 * @now: boottime, ns
 * @mac: its MAC; nobody needs to have looked at that
 *
 * Context: Process.
 * Return: true if it has, and its challenge may still be good.
 */
bool srxe_hs_past_has(struct srxe_hs_past *past, u64 now, const u8 mac[SRXE_MAC_LEN])
{
	bool found = false;
	unsigned int i;

	mutex_lock(&past->lock);
	expire(past, now);
	for (i = 0; !found && i < SRXE_HS_PAST_PERIODS; i++)
		found = find(past, &past->periods[i], mac);
	mutex_unlock(&past->lock);
	return found;
}
