// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A link's ring: the keyring, who may add to it, its beginning and its end.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "srxe_policy.h"
#include "srxe_ring_priv.h"

#define KEYRING_NAME	"secure_rxe:"
/* Not setattr: who may do what with the ring is not up to its owner. */
#define KEYRING_PERM	((KEY_POS_ALL & ~KEY_POS_SETATTR) | (KEY_USR_ALL & ~KEY_USR_SETATTR))
/* When keys are added one after the other, the ring is refreshed this often. */
#define ADDING_TAKES	(HZ / 20)

/* Protects rings. Taken after a key's or keyring's semaphore. */
static DEFINE_MUTEX(rings_lock);
static LIST_HEAD(rings);

/**
 * srxe_ring_key_get() - take a reference
 * @rk: key the caller has a reference to
 *
 * Context: any.
 * Return: @rk.
 */
struct srxe_ring_key *srxe_ring_key_get(struct srxe_ring_key *rk)
{
	refcount_inc(&rk->ref);
	return rk;
}

/**
 * srxe_ring_key_put() - drop a reference
 * @rk: key, or NULL
 *
 * Context: any.
 */
void srxe_ring_key_put(struct srxe_ring_key *rk)
{
	if (!rk || !refcount_dec_and_test(&rk->ref))
		return;
	key_put(rk->key);
	srxe_psk_put(rk->psk);
	kfree_rcu(rk, rcu);
}

/**
 * srxe_ring_refresh_all() - a key that is in some ring was revoked
 *
 * Context: process, may sleep; key semaphores may be held.
 */
void srxe_ring_refresh_all(void)
{
	struct srxe_ring *ring;

	mutex_lock(&rings_lock);
	list_for_each_entry(ring, &rings, entry)
		mod_delayed_work(system_unbound_wq, &ring->work, 0);
	mutex_unlock(&rings_lock);
}

static int admit(struct srxe_ring *ring, const union key_payload *payload)
{
	struct srxe_ring_incoming *in;

	if (!ns_capable(ring->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	in = kzalloc(sizeof(*in), GFP_KERNEL);
	if (!in)
		return -ENOMEM;
	in->psk = srxe_psk_of(payload);
	if (!in->psk) {
		kfree(in);
		return -EKEYREVOKED;
	}
	WRITE_ONCE(in->psk->used, true);
	/* one refresh for many keys; look-ups do not wait for it */
	if (list_empty(&ring->incoming))
		mod_delayed_work(system_unbound_wq, &ring->work, ADDING_TAKES);
	list_add_tail_rcu(&in->entry, &ring->incoming);
	atomic_inc(&ring->gen);
	return 0;
}

/*
 * Called for every link that is to be made in one of our keyrings, with its
 * semaphore held for writing. The write permission on the keyring has been
 * checked; uid 0 has that, whatever its capabilities.
 */
static int check_link(struct key *keyring, const struct key_type *type,
		      const union key_payload *payload, struct key *unused)
{
	struct srxe_ring *ring;
	int err = -EKEYREVOKED;

	if (type != &srxe_key_type_psk)
		return -EOPNOTSUPP;

	mutex_lock(&rings_lock);
	list_for_each_entry(ring, &rings, entry) {
		if (ring->keyring == keyring) {
			err = admit(ring, payload);
			break;
		}
	}
	mutex_unlock(&rings_lock);
	return err;
}

static struct key *alloc_keyring(const char *name, struct user_namespace *user_ns)
{
	struct key_restriction *restriction;
	struct key *keyring;
	char *desc;
	kuid_t uid;
	kgid_t gid;

	uid = make_kuid(user_ns, 0);
	if (!uid_valid(uid))
		uid = GLOBAL_ROOT_UID;
	gid = make_kgid(user_ns, 0);
	if (!gid_valid(gid))
		gid = GLOBAL_ROOT_GID;

	desc = kasprintf(GFP_KERNEL, KEYRING_NAME "%s", name);
	restriction = kzalloc(sizeof(*restriction), GFP_KERNEL);
	if (!desc || !restriction) {
		keyring = ERR_PTR(-ENOMEM);
		goto out;
	}
	restriction->check = check_link;
	keyring = keyring_alloc(desc, uid, gid, srxe_psk_cred(), KEYRING_PERM,
				KEY_ALLOC_NOT_IN_QUOTA, restriction, NULL);
	/* it is the keyring's now */
	if (!IS_ERR(keyring))
		restriction = NULL;
out:
	kfree(restriction);
	kfree(desc);
	return keyring;
}

/**
 * srxe_ring_create() - make a link's ring
 * @link: link; its net is there while this runs
 * @name: the link's name, for the keyring's description; who looks for the
 *	keyring goes by its serial
 *
 * Context: process, may sleep.
 * Return: the ring or an ERR_PTR.
 */
struct srxe_ring *srxe_ring_create(struct srxe_link *link, const char *name)
{
	struct srxe_ring_index *index;
	struct srxe_ring *ring;
	int err = -ENOMEM;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	index = srxe_ring_index_alloc(0);
	if (!ring || !index)
		goto err_free;
	err = srxe_tombs_init(&ring->tombs);
	if (err)
		goto err_free;
	ring->keyring = alloc_keyring(name, link->net->user_ns);
	if (IS_ERR(ring->keyring)) {
		err = PTR_ERR(ring->keyring);
		goto err_tombs;
	}

	ring->link = link;
	ring->user_ns = get_user_ns(link->net->user_ns);
	mutex_init(&ring->lock);
	RCU_INIT_POINTER(ring->index, index);
	INIT_LIST_HEAD(&ring->incoming);
	INIT_LIST_HEAD(&ring->gone);
	INIT_DELAYED_WORK(&ring->work, srxe_ring_work);

	mutex_lock(&rings_lock);
	list_add_tail(&ring->entry, &rings);
	mutex_unlock(&rings_lock);
	return ring;

err_tombs:
	srxe_tombs_destroy(&ring->tombs);
err_free:
	kvfree(index);
	kfree(ring);
	return ERR_PTR(err);
}

/* Who still holds keys, against the order of things, finds them gone. */
static void drop_keys(struct srxe_ring *ring)
{
	struct srxe_ring_index *index = rcu_dereference_protected(ring->index, true);
	struct srxe_ring_key *rk, *tmp;
	unsigned int i;

	for (i = 0; i < index->n; i++)
		if (index->slots[i].rk)
			WRITE_ONCE(index->slots[i].rk->gone, true);
	srxe_ring_index_free(index);
	list_for_each_entry_safe(rk, tmp, &ring->gone, gone_entry)
		srxe_ring_key_put(rk);
	srxe_ring_forget_incoming(ring);
}

/**
 * srxe_ring_destroy() - the end of a link's ring
 * @ring: ring; SAs and handshakes of the link are gone, nobody asks any more
 *
 * The keyring is revoked: somebody may have a link to it.
 *
 * Context: process, may sleep.
 */
void srxe_ring_destroy(struct srxe_ring *ring)
{
	mutex_lock(&rings_lock);
	list_del(&ring->entry);
	mutex_unlock(&rings_lock);
	/* it is revoked, but by us */
	WRITE_ONCE(ring->lost, true);
	/* nobody is in check_link() after this, nor ever will be */
	key_revoke(ring->keyring);
	cancel_delayed_work_sync(&ring->work);
	/* who asked for packets of the link has had his answer after this */
	synchronize_rcu();

	drop_keys(ring);
	srxe_tombs_destroy(&ring->tombs);
	put_user_ns(ring->user_ns);
	key_put(ring->keyring);
	mutex_destroy(&ring->lock);
	kfree(ring);
}
