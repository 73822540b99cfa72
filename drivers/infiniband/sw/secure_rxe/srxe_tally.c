// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counting what fails: see srxe_tally.h.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <net/ipv6.h>

#include "srxe_tally.h"

static bool alike(const struct srxe_failure *a, const struct srxe_failure *b)
{
	return a->what == b->what && a->why == b->why && ipv6_addr_equal(&a->peer, &b->peer);
}

/* Its own slot, or a free one, or else the one for all there is no room for. */
static struct srxe_tally_slot *find_slot(struct srxe_tally *t, const struct srxe_failure *f)
{
	struct srxe_tally_slot *unused = NULL;
	unsigned int i;

	for (i = 0; i < SRXE_TALLY_MAX; i++) {
		if (!t->slots[i].due)
			unused = unused ?: &t->slots[i];
		else if (alike(&t->slots[i].f, f))
			return &t->slots[i];
	}
	return unused ?: &t->rest[f->what];
}

/**
 * srxe_tally_add() - count a failure
 * @t: tally, zeroed in the beginning
 * @f: failure; @f->count and @f->many do not matter
 * @now: ns, above 0
 *
 * Context: any; takes as long as a look at SRXE_TALLY_MAX slots.
 * Return: true if srxe_tally_due() may be earlier now.
 */
bool srxe_tally_add(struct srxe_tally *t, const struct srxe_failure *f, u64 now)
{
	struct srxe_tally_slot *slot = find_slot(t, f);
	u64 count = slot->due ? slot->f.count : 0;
	bool first = !slot->due;

	slot->f = *f;
	slot->f.count = count + 1;
	slot->f.many = slot == &t->rest[f->what];
	if (slot->f.many)
		memset(&slot->f.peer, 0, sizeof(slot->f.peer));
	if (first)
		slot->due = now + SRXE_TALLY_FIRST_S * NSEC_PER_SEC;
	return first;
}

/* A slot at which nothing has happened since it was told is free again. */
static bool take(struct srxe_tally_slot *slot, u64 now, struct srxe_failure *f)
{
	if (!slot->due || now < slot->due)
		return false;
	if (!slot->f.count) {
		slot->due = 0;
		return false;
	}
	*f = slot->f;
	slot->f.count = 0;
	slot->due = now + SRXE_TALLY_NEXT_S * NSEC_PER_SEC;
	return true;
}

/**
 * srxe_tally_take() - the next count that is to be told
 * @t: tally
 * @now: ns
 * @f: where it goes
 *
 * Context: any.
 * Return: false if there is none.
 */
bool srxe_tally_take(struct srxe_tally *t, u64 now, struct srxe_failure *f)
{
	unsigned int i;

	for (i = 0; i < SRXE_TALLY_MAX; i++)
		if (take(&t->slots[i], now, f))
			return true;
	for (i = 0; i < SRXE_TALLY_WHATS; i++)
		if (take(&t->rest[i], now, f))
			return true;
	return false;
}

static u64 earlier(u64 a, u64 b)
{
	return a && b ? min(a, b) : a ?: b;
}

/**
 * srxe_tally_due() - when srxe_tally_take() has something to do
 * @t: tally
 *
 * Context: any.
 * Return: ns, 0 for never.
 */
u64 srxe_tally_due(const struct srxe_tally *t)
{
	unsigned int i;
	u64 due = 0;

	for (i = 0; i < SRXE_TALLY_MAX; i++)
		due = earlier(due, t->slots[i].due);
	for (i = 0; i < SRXE_TALLY_WHATS; i++)
		due = earlier(due, t->rest[i].due);
	return due;
}
