// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keeping the index of a link's ring true to what is in the keyring.
 *
 * The keyring says when a key is about to be linked, the key type when one is
 * revoked. Nobody says when one is unlinked, replaced, invalidated or expires,
 * so the ring is searched anew every second. That is for ending what the key
 * allowed; whoever uses a key asks srxe_ring_key_live() and is not late.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "srxe_policy.h"
#include "srxe_ring_priv.h"

#define SEARCH_EVERY	HZ

/* Takes over the reference to psk, if it works out. */
static struct srxe_ring_key *new_key(struct key *key, struct srxe_psk *psk)
{
	struct srxe_ring_key *rk;

	rk = kzalloc(sizeof(*rk), GFP_KERNEL);
	if (!rk)
		return NULL;
	refcount_set(&rk->ref, 1);
	rk->key = key_get(key);
	rk->psk = psk;
	rk->match = psk->match;
	return rk;
}

/* --- what is in the keyring ------------------------------------------------ */

/*
 * keys: live ones in the keyring, by address
 * admitted: those of ring->incoming, by address
 */
struct listing {
	struct key	**keys;
	unsigned int	n;
	struct srxe_psk	**admitted;
	unsigned int	admitted_n;
};

static int cmp_ptr(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static bool has_ptr(const void *ptr, void *array, unsigned int n)
{
	return bsearch(&ptr, array, n, sizeof(ptr), cmp_ptr);
}

static void listing_free(struct listing *l)
{
	unsigned int i;

	for (i = 0; i < l->n; i++)
		key_put(l->keys[i]);
	kvfree(l->keys);
	kvfree(l->admitted);
}

static int list_admitted(struct srxe_ring *ring, struct listing *l)
{
	struct srxe_ring_incoming *in;
	unsigned int n = 0;

	list_for_each_entry(in, &ring->incoming, entry)
		n++;
	l->admitted = kvmalloc_array(n ?: 1, sizeof(*l->admitted), GFP_KERNEL);
	if (!l->admitted)
		return -ENOMEM;
	list_for_each_entry(in, &ring->incoming, entry)
		l->admitted[l->admitted_n++] = in->psk;
	sort(l->admitted, n, sizeof(*l->admitted), cmp_ptr, NULL);
	return 0;
}

static int list_keys(struct srxe_ring *ring, struct listing *l)
{
	unsigned int max = ring->keyring->keys.nr_leaves_on_tree;
	int n;

	l->keys = kvmalloc_array(max ?: 1, sizeof(*l->keys), GFP_KERNEL);
	if (!l->keys)
		return -ENOMEM;
	n = srxe_psk_list(ring->keyring, l->keys, max);
	if (n < 0)
		return n;
	l->n = n;
	sort(l->keys, n, sizeof(*l->keys), cmp_ptr, NULL);
	return 0;
}

static bool still_there(const struct srxe_ring_key *rk, struct listing *l)
{
	return srxe_ring_key_live(rk) && has_ptr(rk->key, l->keys, l->n);
}

/* --- the next index -------------------------------------------------------- */

static bool has_key(const struct srxe_ring_index *index, const struct key *key)
{
	unsigned int i;

	for (i = 0; i < index->n; i++)
		if (index->slots[i].rk && index->slots[i].rk->key == key)
			return true;
	return false;
}

/*
 * Keys that are new in the keyring. One that the restriction has not admitted
 * is none of ours: request_key() links what it constructs without asking it.
 */
static int add_new(struct srxe_ring_index *next, struct listing *l)
{
	struct srxe_ring_key *rk;
	struct srxe_psk *psk;
	unsigned int i;

	for (i = 0; l->admitted_n && i < l->n; i++) {
		psk = srxe_psk_of(&l->keys[i]->payload);
		if (!psk || !has_ptr(psk, l->admitted, l->admitted_n) ||
		    has_key(next, l->keys[i])) {
			srxe_psk_put(psk);
			continue;
		}
		rk = new_key(l->keys[i], psk);
		if (!rk) {
			srxe_psk_put(psk);
			return -ENOMEM;
		}
		srxe_ring_index_add(next, rk);
		srxe_ring_key_put(rk);
	}
	return 0;
}

/* Admitted and revoked before they were ever seen: they deny all the same. */
static void add_revoked(struct srxe_ring_index *next, struct listing *l)
{
	unsigned int i;

	for (i = 0; i < l->admitted_n; i++) {
		const struct srxe_psk *psk = l->admitted[i];
		struct srxe_ring_slot dead = {
			.match = psk->match,
			.err = -EKEYREVOKED,
			.serial = psk->serial,
			.seq = psk->seq,
			.created = psk->created,
		};

		if (!READ_ONCE(psk->revoked))
			continue;
		memcpy(dead.key_id, psk->keys.key_id, sizeof(dead.key_id));
		srxe_ring_index_add_dead(next, &dead);
	}
}

/*
 * A key is gone. Revoked, invalidated and expired ones leave something that
 * denies; one that was taken out while it was good leaves nothing. Returns
 * true if there is something left.
 */
static bool bury(struct srxe_ring *ring, const struct srxe_ring_slot *slot,
		 struct srxe_ring_slot *dead)
{
	struct srxe_ring_key *rk = slot->rk;
	int err = key_validate(rk->key);

	WRITE_ONCE(rk->gone, true);
	list_add_tail(&srxe_ring_key_get(rk)->gone_entry, &ring->gone);

	*dead = *slot;
	dead->rk = NULL;
	dead->err = err == -EKEYEXPIRED ? err : -EKEYREVOKED;
	dead->expiry = err == -EKEYEXPIRED ? READ_ONCE(rk->key->expiry) : 0;
	return err;
}

static void add_live(struct srxe_ring_index *next, const struct srxe_ring_index *old,
		     struct listing *l)
{
	unsigned int i;

	for (i = 0; i < old->n; i++)
		if (old->slots[i].rk && still_there(old->slots[i].rk, l))
			srxe_ring_index_add(next, old->slots[i].rk);
}

/*
 * The other half of add_live(), after all that can fail. Keys may die at any
 * moment, so who is alive was decided there: the first kept slots of next are
 * those, in their old order.
 */
static void add_dead(struct srxe_ring *ring, struct srxe_ring_index *next,
		     const struct srxe_ring_index *old, unsigned int kept,
		     srxe_ring_keep_fn keep, void *arg)
{
	struct srxe_ring_slot dead;
	unsigned int i, live = 0;

	for (i = 0; i < old->n; i++) {
		const struct srxe_ring_slot *slot = &old->slots[i];

		if (!slot->rk)
			dead = *slot;
		else if (live < kept && next->slots[live].rk == slot->rk && ++live)
			continue;
		else if (!bury(ring, slot, &dead))
			continue;
		if (!keep || keep(&dead, arg))
			srxe_ring_index_add_dead(next, &dead);
	}
}

static bool changed(const struct srxe_ring_index *old, struct listing *l)
{
	unsigned int i;

	if (l->admitted_n)
		return true;
	for (i = 0; i < old->n; i++)
		if (old->slots[i].rk && !still_there(old->slots[i].rk, l))
			return true;
	return false;
}

static void free_index(struct rcu_head *rcu)
{
	srxe_ring_index_free(container_of(rcu, struct srxe_ring_index, rcu));
}

static int replace_index(struct srxe_ring *ring, struct srxe_ring_index *old,
			 struct listing *l, srxe_ring_keep_fn keep, void *arg)
{
	struct srxe_ring_index *next;
	unsigned int kept, cut;
	int err;

	next = srxe_ring_index_alloc((size_t)old->n + l->n + l->admitted_n);
	if (!next)
		return -ENOMEM;
	add_live(next, old, l);
	kept = next->n;
	err = add_new(next, l);
	if (err) {
		srxe_ring_index_free(next);
		return err;
	}
	add_revoked(next, l);
	add_dead(ring, next, old, kept, keep, arg);
	for (cut = srxe_ring_index_seal(next); cut; cut--)
		srxe_ring_mark(ring, &next->slots[next->n + cut - 1].match);
	rcu_assign_pointer(ring->index, next);
	call_rcu(&old->rcu, free_index);
	return 0;
}

/**
 * srxe_ring_forget_incoming() - drop the list of keys that are not indexed yet
 * @ring: ring, locked as its @incoming asks, or not used by anybody any more
 *
 * Context: process.
 */
void srxe_ring_forget_incoming(struct srxe_ring *ring)
{
	struct srxe_ring_incoming *in, *tmp;

	list_for_each_entry_safe(in, tmp, &ring->incoming, entry) {
		list_del_rcu(&in->entry);
		srxe_psk_put(in->psk);
		kfree_rcu(in, rcu);
	}
}

static void check_keyring(struct srxe_ring *ring)
{
	if (ring->lost || !key_validate(ring->keyring))
		return;
	pr_warn("keyring %d (%s) was revoked, all its peers are denied: make the link anew\n",
		key_serial(ring->keyring), ring->keyring->description);
	WRITE_ONCE(ring->lost, true);
}

static int refresh_locked(struct srxe_ring *ring, srxe_ring_keep_fn keep, void *arg)
{
	struct srxe_ring_index *old;
	struct listing l = {};
	int err;

	lockdep_assert_held(&ring->lock);
	old = rcu_dereference_protected(ring->index, lockdep_is_held(&ring->lock));

	/* Waits for links under way: what was admitted is there by then, or never will be. */
	down_read(&ring->keyring->sem);
	check_keyring(ring);
	err = list_admitted(ring, &l);
	if (!err)
		err = list_keys(ring, &l);
	if (!err && (keep || changed(old, &l)))
		err = replace_index(ring, old, &l, keep, arg);
	if (!err) {
		/* srxe_ring_peer() must find a key in one of the two */
		smp_wmb();
		srxe_ring_forget_incoming(ring);
		WRITE_ONCE(ring->index_gen, atomic_read(&ring->gen));
	}
	up_read(&ring->keyring->sem);

	listing_free(&l);
	return err;
}

/**
 * srxe_ring_refresh() - make the index true to the keyring
 * @ring: ring
 * @keep: which dead ones are to stay; NULL: all
 * @arg: for @keep
 *
 * Keys that are gone are marked so; their SAs end a little later, in the work.
 *
 * Context: process, may sleep; no key's or keyring's semaphore is held.
 * Return: 0, or -ENOMEM or a security module's error, and the index is as it was.
 */
int srxe_ring_refresh(struct srxe_ring *ring, srxe_ring_keep_fn keep, void *arg)
{
	int err;

	mutex_lock(&ring->lock);
	err = refresh_locked(ring, keep, arg);
	if (!list_empty(&ring->gone))
		mod_delayed_work(system_unbound_wq, &ring->work, 0);
	mutex_unlock(&ring->lock);
	return err;
}

/**
 * srxe_ring_sync() - see to it that keys added before this call are indexed
 * @ring: ring
 *
 * Context: process, may sleep; no key's or keyring's semaphore is held.
 * Return: 0 or an error of srxe_ring_refresh().
 */
int srxe_ring_sync(struct srxe_ring *ring)
{
	if (atomic_read(&ring->gen) == READ_ONCE(ring->index_gen))
		return 0;
	return srxe_ring_refresh(ring, NULL, NULL);
}

/**
 * srxe_ring_settle() - have the ring refreshed and the SAs of gone keys ended
 * @ring: ring
 *
 * Context: process, may sleep; no lock is held that ending an SA takes.
 */
void srxe_ring_settle(struct srxe_ring *ring)
{
	mod_delayed_work(system_unbound_wq, &ring->work, 0);
	flush_delayed_work(&ring->work);
}

static void end_gone(struct srxe_ring *ring, struct list_head *gone)
{
	struct srxe_ring_key *rk, *tmp;

	list_for_each_entry_safe(rk, tmp, gone, gone_entry) {
		list_del(&rk->gone_entry);
		srxe_policy_key_gone(ring->link, rk);
		srxe_ring_key_put(rk);
	}
}

/**
 * srxe_ring_work() - work of a ring
 * @work: the work of a &struct srxe_ring
 *
 * Context: process, may sleep.
 */
void srxe_ring_work(struct work_struct *work)
{
	struct srxe_ring *ring = container_of(to_delayed_work(work), struct srxe_ring, work);
	struct srxe_ring_index *index;
	LIST_HEAD(gone);
	bool again;

	mutex_lock(&ring->lock);
	again = refresh_locked(ring, NULL, NULL);
	index = rcu_dereference_protected(ring->index, lockdep_is_held(&ring->lock));
	again |= index->live;
	list_splice_init(&ring->gone, &gone);
	mutex_unlock(&ring->lock);

	end_gone(ring, &gone);
	if (again)
		queue_delayed_work(system_unbound_wq, &ring->work, SEARCH_EVERY);
}
