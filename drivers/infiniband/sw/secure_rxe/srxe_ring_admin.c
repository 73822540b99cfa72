// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A link's ring as an administrator sees and changes it. Root owns the keys it
 * adds but does not possess the keyring, so keyctl alone does not let it revoke
 * them or give them a time limit; this does.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/time64.h>

#include "srxe_ring_priv.h"

/**
 * srxe_ring_serial() - serial of the keyring
 * @ring: ring
 *
 * Context: any.
 * Return: by what keyctl finds it.
 */
key_serial_t srxe_ring_serial(const struct srxe_ring *ring)
{
	return key_serial(ring->keyring);
}

static time64_t expiry_of(const struct key *key)
{
	time64_t expiry = READ_ONCE(key->expiry);

	return expiry == TIME64_MAX ? 0 : expiry;
}

/* Returns false for a key that was unlinked just now: the next index is without it. */
static bool fill_info(struct srxe_ring_info *info, const struct srxe_ring_slot *slot)
{
	*info = (struct srxe_ring_info) {
		.rk = slot->rk,
		.match = &slot->match,
		.serial = slot->serial,
		.key_id = slot->key_id,
		.err = slot->err,
		.created = slot->created,
		.expiry = slot->expiry,
	};
	if (!slot->rk)
		return true;
	switch (key_validate(slot->rk->key)) {
	case 0:
		info->expiry = expiry_of(slot->rk->key);
		return !READ_ONCE(slot->rk->gone);
	case -EKEYEXPIRED:
		info->err = -EKEYEXPIRED;
		info->expiry = expiry_of(slot->rk->key);
		return true;
	default:
		info->err = -EKEYREVOKED;
		return true;
	}
}

/**
 * srxe_ring_each_key() - go through the keys, dead ones too
 * @ring: ring
 * @pos: how many to leave out; on return, the place of the one at which @fn
 *	stopped, so that one can go on there
 * @fn: called for each; must not sleep
 * @arg: for @fn
 *
 * Context: process, may sleep.
 * Return: what @fn stopped with, 0 at the end, or an error if the ring cannot
 * be looked at.
 */
int srxe_ring_each_key(struct srxe_ring *ring, unsigned long *pos, srxe_ring_key_fn fn,
		       void *arg)
{
	const struct srxe_ring_index *index;
	struct srxe_ring_info info;
	int ret;

	ret = srxe_ring_sync(ring);
	if (ret)
		return ret;

	rcu_read_lock();
	index = rcu_dereference(ring->index);
	for (; *pos < index->n; (*pos)++) {
		if (!fill_info(&info, &index->slots[*pos]))
			continue;
		ret = fn(&info, arg);
		if (ret)
			break;
	}
	rcu_read_unlock();
	return ret;
}

/**
 * srxe_ring_each_tomb() - go through the tombstones
 * @ring: ring
 * @pos: as for srxe_tombs_each()
 * @fn: called for each; must not sleep
 * @arg: for @fn
 *
 * Context: process.
 * Return: what @fn stopped with, or 0 at the end.
 */
int srxe_ring_each_tomb(struct srxe_ring *ring, unsigned long *pos, srxe_tomb_fn fn,
			void *arg)
{
	return srxe_tombs_each(&ring->tombs, pos, fn, arg);
}

/* A key that is named, and what was found of it. */
struct selection {
	key_serial_t		serial;
	struct srxe_psk_match	match;
	struct srxe_ring_key	*rk;	/* referenced; NULL if it is dead */
	int			err;
};

static bool selects(const struct selection *s, const struct srxe_ring_slot *slot)
{
	if (s->serial)
		return slot->serial == s->serial;
	return srxe_psk_match_equal(&slot->match, &s->match);
}

static int find_slot(struct srxe_ring *ring, struct selection *s)
{
	const struct srxe_ring_index *index;
	int err = -ENOENT;
	unsigned int i;

	rcu_read_lock();
	index = rcu_dereference(ring->index);
	for (i = 0; i < index->n; i++) {
		const struct srxe_ring_slot *slot = &index->slots[i];

		if (!selects(s, slot))
			continue;
		/* of a live one and what is left of one before it, the live one */
		s->serial = slot->serial;
		s->rk = slot->rk && refcount_inc_not_zero(&slot->rk->ref) ? slot->rk : NULL;
		s->err = slot->err;
		err = 0;
		break;
	}
	rcu_read_unlock();
	return err;
}

static int select_key(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		      struct selection *s)
{
	const char *why;
	int err;

	*s = (struct selection) { .serial = sel->serial };
	if (!sel->serial) {
		err = srxe_psk_match_parse(sel->desc, &s->match, &why);
		if (err)
			return err;
	}
	err = srxe_ring_sync(ring);
	return err ?: find_slot(ring, s);
}

static int select_live(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		       struct selection *s)
{
	int err = select_key(ring, sel, s);

	if (err)
		return err;
	if (!s->rk)
		return s->err ?: -ENOENT;
	err = key_validate(s->rk->key);
	if (err)
		srxe_ring_key_put(s->rk);
	return err;
}

/**
 * srxe_ring_revoke() - revoke a key
 * @ring: ring
 * @sel: which one
 *
 * Its SAs have ended on return, and its peers are denied.
 *
 * Context: process, may sleep; no lock is held that ending an SA takes.
 * Return: 0; -ENOENT, -EINVAL (description), or, if it is dead already,
 * -EKEYREVOKED or -EKEYEXPIRED.
 */
int srxe_ring_revoke(struct srxe_ring *ring, const struct srxe_ring_sel *sel)
{
	struct selection s;
	int err = select_live(ring, sel, &s);

	if (err)
		return err;
	key_revoke(s.rk->key);
	srxe_ring_key_put(s.rk);
	srxe_ring_settle(ring);
	return 0;
}

/**
 * srxe_ring_timeout() - give a key a time limit
 * @ring: ring
 * @sel: which one
 * @seconds: from now; 0: none
 *
 * Context: process, may sleep.
 * Return: as srxe_ring_revoke().
 */
int srxe_ring_timeout(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		      unsigned int seconds)
{
	struct selection s;
	int err = select_live(ring, sel, &s);

	if (err)
		return err;
	key_set_timeout(s.rk->key, seconds);
	srxe_ring_key_put(s.rk);
	return 0;
}

static bool not_selected(const struct srxe_ring_slot *slot, void *arg)
{
	return !selects(arg, slot);
}

/**
 * srxe_ring_unlink() - take a key out of the ring, or forget a dead one
 * @ring: ring
 * @sel: which one
 *
 * Its SAs have ended on return. Its peers are denied if one of them was talked to
 * under it, or if an alternative was revoked or has expired and is not forgotten;
 * else it is as if it had never been.
 *
 * Context: process, may sleep; no lock is held that ending an SA takes.
 * Return: 0, -ENOENT, -EINVAL (description) or -ENOMEM.
 */
int srxe_ring_unlink(struct srxe_ring *ring, const struct srxe_ring_sel *sel)
{
	struct selection s;
	int err = select_key(ring, sel, &s);

	if (err)
		return err;
	if (s.rk) {
		err = key_unlink(ring->keyring, s.rk->key);
		srxe_ring_key_put(s.rk);
		/* the keyring may have dropped a dead key before we did */
		if (err == -ENOENT)
			err = 0;
	}
	if (!err)
		err = srxe_ring_refresh(ring, not_selected, &s);
	srxe_ring_settle(ring);
	return err;
}

struct clearing {
	const struct srxe_psk_match	*match;
	bool				found;
};

static bool not_cleared(const struct srxe_ring_slot *slot, void *arg)
{
	struct clearing *c = arg;

	if (srxe_psk_match_cmp(&slot->match, c->match))
		return true;
	c->found = true;
	return false;
}

/**
 * srxe_ring_clear() - forget that peers had a key
 * @ring: ring
 * @match: the very address or prefix that the key was for, or the default; its
 *	tag does not matter
 *
 * The tombstone goes, and what is left of dead keys with that match.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOENT if there was nothing, or -ENOMEM.
 */
int srxe_ring_clear(struct srxe_ring *ring, const struct srxe_psk_match *match)
{
	struct clearing c = { .match = match };
	int err;

	err = srxe_ring_refresh(ring, not_cleared, &c);
	if (err)
		return err;
	c.found |= srxe_tombs_clear(&ring->tombs, match);
	return c.found ? 0 : -ENOENT;
}

static bool none(const struct srxe_ring_slot *slot, void *arg)
{
	return false;
}

/**
 * srxe_ring_clear_all() - forget all peers
 * @ring: ring
 *
 * All tombstones go, and what is left of dead keys.
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM, and nothing was forgotten.
 */
int srxe_ring_clear_all(struct srxe_ring *ring)
{
	int err = srxe_ring_refresh(ring, none, NULL);

	if (!err)
		srxe_tombs_clear_all(&ring->tombs);
	return err;
}
