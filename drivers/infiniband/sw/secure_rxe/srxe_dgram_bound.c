// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How many datagram peers there may be.
 *
 * Peers come as they like: anybody here can send to any address that has a key,
 * and anybody with a key can ask for a handshake from any address the key is for.
 * So those that nobody has used for a while make way, the oldest first, and those
 * in use are bounded for each user.
 */
#include <linux/jhash.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "srxe_dgram.h"

/**
 * struct srxe_dgram_group - peers that share a bound
 * @node: in the table of groups
 * @kind: enum srxe_dgram_group_kind
 * @id: address, or number in the last word
 * @members: how many there are, idle or not
 * @idle: how many are idle
 * @idles: they, by struct srxe_dgram_member, longest idle first
 */
struct srxe_dgram_group {
	struct hlist_node	node;
	u32			kind;
	struct in6_addr		id;
	unsigned int		members;
	unsigned int		idle;
	struct list_head	idles;
};

static unsigned int max_idle(u32 kind)
{
	switch (kind) {
	case SRXE_DGRAM_OF_LINK:
		return SRXE_MAX_IDLE_LINK;
	case SRXE_DGRAM_OF_PEER:
		return SRXE_MAX_IDLE_PEER;
	case SRXE_DGRAM_OF_PD:
		return SRXE_MAX_IDLE_PD;
	default:
		return UINT_MAX;
	}
}

static struct hlist_head *bucket_of(struct srxe_dgrams *dgrams, u32 kind,
				    const struct in6_addr *id)
{
	u32 hash = jhash2((const u32 *)id->s6_addr32, 4, kind);

	return &dgrams->groups[hash % ARRAY_SIZE(dgrams->groups)];
}

static struct srxe_dgram_group *get_group(struct srxe_dgrams *dgrams, u32 kind,
					  const struct in6_addr *id)
{
	struct hlist_head *bucket = bucket_of(dgrams, kind, id);
	struct srxe_dgram_group *g;

	hlist_for_each_entry(g, bucket, node)
		if (g->kind == kind && ipv6_addr_equal(&g->id, id))
			return g;
	g = kzalloc(sizeof(*g), GFP_ATOMIC);
	if (!g)
		return NULL;
	g->kind = kind;
	g->id = *id;
	INIT_LIST_HEAD(&g->idles);
	hlist_add_head(&g->node, bucket);
	return g;
}

static void put_group(struct srxe_dgram_group *g)
{
	if (g->members)
		return;
	hlist_del(&g->node);
	kfree(g);
}

static struct in6_addr number(u32 n)
{
	struct in6_addr id = { };

	id.s6_addr32[3] = (__force __be32)n;
	return id;
}

/* Idle ones make way, those in use do not. */
static bool has_room(const struct srxe_dgram_group *g)
{
	return g->kind != SRXE_DGRAM_OF_USER || g->members - g->idle < SRXE_MAX_DGRAM_USER;
}

static void leave_one(struct srxe_dgram_member *m)
{
	if (!m->group)
		return;
	m->group->members--;
	put_group(m->group);
	m->group = NULL;
}

/* Leaves the one of that kind it is in, if it may join. */
static int join_one(struct srxe_dgrams *dgrams, struct srxe_dgram *d, u32 kind,
		    const struct in6_addr *id)
{
	struct srxe_dgram_group *g = get_group(dgrams, kind, id);

	if (!g)
		return -ENOMEM;
	if (g == d->members[kind].group)
		return 0;
	if (!has_room(g)) {
		put_group(g);
		return -ENOSPC;
	}
	leave_one(&d->members[kind]);
	g->members++;
	d->members[kind].group = g;
	return 0;
}

static int join_user(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
		     const struct srxe_dgram_user *user)
{
	struct in6_addr uid = number(__kuid_val(user->who.uid)), pd = number(user->pd);

	return join_one(dgrams, d, SRXE_DGRAM_OF_USER, &uid) ?:
	       join_one(dgrams, d, SRXE_DGRAM_OF_PD, &pd);
}

static int join_all(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
		    const struct srxe_dgram_user *user)
{
	struct in6_addr id = number(0);
	int err;

	err = join_one(dgrams, d, SRXE_DGRAM_OF_LINK, &id) ?:
	      join_one(dgrams, d, SRXE_DGRAM_OF_PEER, &d->key.rgid);
	if (err || !user->local)
		return err;
	return join_user(dgrams, d, user);
}

/**
 * srxe_dgram_join() - may there be one more?
 * @dgrams: peers of a link, locked
 * @d: new peer
 * @user: for whom
 *
 * Context: any.
 * Return: 0; -ENOSPC at a bound; -ENOMEM.
 */
int srxe_dgram_join(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
		    const struct srxe_dgram_user *user)
{
	unsigned int i;
	int err;

	lockdep_assert_held(&dgrams->lock);
	if (dgrams->count >= (user->local ? SRXE_MAX_DGRAM_LINK : SRXE_MAX_DGRAM_LINK / 2))
		return -ENOSPC;
	for (i = 0; i < SRXE_DGRAM_GROUPS; i++)
		INIT_LIST_HEAD(&d->members[i].entry);
	err = join_all(dgrams, d, user);
	if (err)
		srxe_dgram_leave(dgrams, d);
	return err;
}

/**
 * srxe_dgram_leave() - there is one less
 * @dgrams: peers of a link, locked
 * @d: peer that joined, or began to
 *
 * Context: any.
 */
void srxe_dgram_leave(struct srxe_dgrams *dgrams, struct srxe_dgram *d)
{
	unsigned int i;

	lockdep_assert_held(&dgrams->lock);
	srxe_dgram_set_idle(dgrams, d, false);
	for (i = 0; i < SRXE_DGRAM_GROUPS; i++)
		leave_one(&d->members[i]);
}

/**
 * srxe_dgram_charge() - it is another user who wants a peer now
 * @dgrams: peers of a link, locked
 * @d: peer that joined; it is not idle any more
 * @user: local user
 *
 * Context: any.
 * Return: 0; -ENOSPC at his bound, and all is as it was but for that; -ENOMEM.
 */
int srxe_dgram_charge(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
		      const struct srxe_dgram_user *user)
{
	lockdep_assert_held(&dgrams->lock);
	srxe_dgram_set_idle(dgrams, d, false);
	return join_user(dgrams, d, user);
}

static void move(struct srxe_dgram *d, bool idle)
{
	struct srxe_dgram_member *m;
	unsigned int i;

	if (d->idle == idle)
		return;
	d->idle = idle;
	for (i = 0; i < SRXE_DGRAM_GROUPS; i++) {
		m = &d->members[i];
		if (!m->group)
			continue;
		if (idle) {
			m->group->idle++;
			list_add_tail(&m->entry, &m->group->idles);
		} else {
			m->group->idle--;
			list_del_init(&m->entry);
		}
	}
}

static struct srxe_dgram *first_idle(struct srxe_dgram_group *g)
{
	struct srxe_dgram_member *m;

	m = list_first_entry_or_null(&g->idles, struct srxe_dgram_member, entry);
	return m ? container_of(m - g->kind, struct srxe_dgram, members[0]) : NULL;
}

/* The longest idle one of a group with too many; those used again since are not idle. */
static struct srxe_dgram *victim(struct srxe_dgram_group *g, u64 now)
{
	struct srxe_dgram *d;

	while (g->idle > max_idle(g->kind)) {
		d = first_idle(g);
		move(d, false);
		if (now >= READ_ONCE(d->life.used) + SRXE_DGRAM_QUIET_NS)
			return d;
	}
	return NULL;
}

/**
 * srxe_dgram_set_idle() - a peer has not been used for a while, or is used again
 * @dgrams: peers of a link, locked
 * @d: peer
 * @idle: which of the two
 *
 * Context: any.
 * Return: a peer that must make way now, with a reference, or NULL.
 */
struct srxe_dgram *srxe_dgram_set_idle(struct srxe_dgrams *dgrams, struct srxe_dgram *d,
				       bool idle)
{
	struct srxe_dgram *v = NULL;
	u64 now = ktime_get_boottime_ns();
	unsigned int i;

	lockdep_assert_held(&dgrams->lock);
	move(d, idle);
	for (i = 0; idle && !v && i < SRXE_DGRAM_GROUPS; i++)
		if (d->members[i].group)
			v = victim(d->members[i].group, now);
	if (v)
		srxe_dgram_hold(v);
	return v;
}
