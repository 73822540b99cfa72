// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Security associations: birth, change of state, end.
 *
 * References: one for whoever made the SA, one for being in the table and the
 * link's list until srxe_sa_end(), one for each request in crypto and each
 * work that is queued.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "rxe.h"
#include "srxe_conn.h"
#include "srxe_dgram.h"
#include "srxe_epoch.h"
#include "srxe_notify.h"
#include "srxe_policy.h"
#include "srxe_req.h"
#include "srxe_ring.h"
#include "srxe_sa.h"

/* Everything of SAs that needs process context: epochs, long drains, freeing. */
struct workqueue_struct *srxe_sa_wq;

static struct kmem_cache *sa_cache;
static atomic64_t last_seq = ATOMIC64_INIT(0);

/**
 * srxe_sa_init() - make what SAs need
 *
 * Context: process, module load.
 * Return: 0 or -ENOMEM.
 */
int srxe_sa_init(void)
{
	int err = -ENOMEM;

	sa_cache = KMEM_CACHE(srxe_sa, SLAB_HWCACHE_ALIGN);
	if (!sa_cache)
		return -ENOMEM;
	/* an engine may lie on the path of memory reclaim, as storage does */
	srxe_sa_wq = alloc_workqueue("srxe_sa", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!srxe_sa_wq)
		goto err_cache;
	err = srxe_req_init();
	if (err)
		goto err_wq;
	err = srxe_spi_init();
	if (err)
		goto err_req;
	return 0;

err_req:
	srxe_req_exit();
err_wq:
	destroy_workqueue(srxe_sa_wq);
err_cache:
	kmem_cache_destroy(sa_cache);
	return err;
}

/**
 * srxe_sa_exit() - undo srxe_sa_init()
 *
 * No link is left, so no SA and nothing in crypto; but the end of the last of
 * them may still be on its way through RCU and the workqueue, where an SA's
 * end queues that of its keys.
 *
 * Context: process, module unload.
 */
void srxe_sa_exit(void)
{
	rcu_barrier();
	destroy_workqueue(srxe_sa_wq);
	srxe_spi_exit();
	rcu_barrier();
	srxe_req_exit();
	kmem_cache_destroy(sa_cache);
}

/* After the last reference and a grace period. */
static void free_sa(struct work_struct *work)
{
	struct srxe_sa *sa = container_of(to_rcu_work(work), struct srxe_sa, free);
	struct ib_device *ibdev = &sa->link->rxe->ib_dev;
	struct srxe_dgram *dgram = sa->dgram;
	struct srxe_conn *conn = sa->conn;

	srxe_epoch_stop(sa);
	srxe_replay_destroy(&sa->rx.window);
	srxe_ring_key_put(sa->key);
	memzero_explicit(sa, sizeof(*sa));
	kmem_cache_free(sa_cache, sa);
	if (conn)
		srxe_conn_put(conn);
	if (dgram)
		srxe_dgram_put(dgram);
	/* last: the device, and with it the link, may go now */
	ib_device_put(ibdev);
}

static void init_directions(struct srxe_sa *sa)
{
	srxe_fifo_init(&sa->tx.fifo);
	srxe_fifo_init(&sa->rx.fifo);
	INIT_WORK(&sa->tx.drain, srxe_req_drain_tx);
	INIT_WORK(&sa->rx.drain, srxe_req_drain_rx);
	INIT_DELAYED_WORK(&sa->epoch_work, srxe_epoch_work);
	INIT_RCU_WORK(&sa->free, free_sa);
}

/* Whose place in the SPI table it takes: a user's, if he is bound. */
static struct srxe_spi_share *share_of(const struct srxe_sa *sa)
{
	if (sa->conn && sa->conn->spis)
		return sa->conn->spis;
	if (sa->dgram && sa->dgram->spis)
		return sa->dgram->spis;
	return sa->link->spis;
}

static unsigned int window_size(u8 kind)
{
	return srxe_kind_is_dgram(kind) ? SRXE_WINDOW_DGRAM : SRXE_WINDOW_CONN;
}

/**
 * srxe_sa_alloc() - make an SA that has an SPI and nothing else
 * @link: its link
 * @ends: what it binds
 * @key: pre-shared key it will come from
 * @conn: its connection, or NULL for datagram kinds
 * @dgram: its datagram peer, or NULL for the others
 *
 * The device must be registered; the SA keeps it so.
 *
 * Context: process, may sleep.
 * Return: SA for srxe_sa_end() and srxe_sa_put(); ERR_PTR(-ENODEV) if the
 * device is going, ERR_PTR(-ENOSPC) if there are too many, ERR_PTR(-ENOMEM).
 */
struct srxe_sa *srxe_sa_alloc(struct srxe_link *link, const struct srxe_sa_ends *ends,
			      struct srxe_ring_key *key, struct srxe_conn *conn,
			      struct srxe_dgram *dgram)
{
	struct srxe_sa *sa;
	int err;

	if (!ib_device_try_get(&link->rxe->ib_dev))
		return ERR_PTR(-ENODEV);
	sa = kmem_cache_zalloc(sa_cache, GFP_KERNEL);
	err = -ENOMEM;
	if (!sa)
		goto err_dev;
	/* one of these is the table's */
	refcount_set(&sa->ref, 2);
	sa->state = SRXE_SA_EMBRYO;
	spin_lock_init(&sa->lock);
	sa->link = link;
	sa->ends = *ends;
	sa->seq = atomic64_inc_return(&last_seq);
	sa->key = key;
	sa->conn = conn;
	sa->dgram = dgram;
	INIT_LIST_HEAD(&sa->conn_entry);
	init_directions(sa);
	err = srxe_replay_init(&sa->rx.window, window_size(ends->kind), GFP_KERNEL);
	if (err)
		goto err_sa;

	/* found from here on, and refused for being an embryo */
	sa->spi_slot = srxe_spi_take(link->net, share_of(sa), sa, &sa->spi);
	if (IS_ERR(sa->spi_slot)) {
		err = PTR_ERR(sa->spi_slot);
		goto err_window;
	}
	srxe_ring_key_get(key);
	if (conn)
		srxe_conn_get(conn);
	if (dgram)
		srxe_dgram_hold(dgram);
	spin_lock_bh(&link->sa_lock);
	list_add_tail(&sa->entry, &link->sas);
	link->sa_count++;
	spin_unlock_bh(&link->sa_lock);
	return sa;

err_window:
	srxe_replay_destroy(&sa->rx.window);
err_sa:
	kmem_cache_free(sa_cache, sa);
err_dev:
	ib_device_put(&link->rxe->ib_dev);
	return ERR_PTR(err);
}

/**
 * srxe_sa_set_driver() - note the crypto driver, for display
 * @sa: SA
 * @tfm: what it sends with, now or soon; a better driver may have come
 *
 * Context: any but hard interrupts.
 */
void srxe_sa_set_driver(struct srxe_sa *sa, struct crypto_aead *tfm)
{
	const char *name = crypto_tfm_alg_driver_name(crypto_aead_tfm(tfm));

	spin_lock_bh(&sa->lock);
	strscpy(sa->driver, name, sizeof(sa->driver));
	spin_unlock_bh(&sa->lock);
}

static void stands(struct srxe_sa *sa)
{
	lockdep_assert_held(&sa->lock);
	sa->established = ktime_get_real_seconds();
	srxe_notify_sa_up(sa);
}

/* The SA has its keys: let it be used, unless it ended or policy changed meanwhile. */
static int settle(struct srxe_sa *sa, const struct srxe_sa_params *p,
		  enum srxe_sa_state state)
{
	int err = 0;

	/* srxe_policy_set() looks for SAs below a new minimum under this lock */
	spin_lock_bh(&sa->link->sa_lock);
	spin_lock(&sa->lock);
	if (sa->state != SRXE_SA_EMBRYO) {
		err = -ESTALE;
	} else if (p->mode < sa->link->settings.mode) {
		err = -EPERM;
	} else {
		sa->keyed = true;
		if (state == SRXE_SA_STANDING)
			stands(sa);
		/* who sees the state sees what it stands for */
		smp_store_release(&sa->state, state);
	}
	spin_unlock(&sa->lock);
	spin_unlock_bh(&sa->link->sa_lock);
	return err;
}

/**
 * srxe_sa_key() - give an SA its keys
 * @sa: embryo; one call only
 * @p: outcome of the handshake; its chains are wiped, whatever happens
 * @state: SRXE_SA_PENDING for a responder, SRXE_SA_STANDING for an initiator
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP for a mode or suite that we do not do; -ESTALE if the
 * SA has ended; -EPERM if the mode is below the link's by now; -EMSGSIZE if
 * the crypto driver cannot be used; an error of the crypto API; -ENOMEM. After
 * an error the SA is good for nothing but srxe_sa_end().
 */
int srxe_sa_key(struct srxe_sa *sa, struct srxe_sa_params *p, enum srxe_sa_state state)
{
	int err = -EOPNOTSUPP;

	sa->suite = srxe_suite_by_id(p->suite);
	if (!sa->suite || p->mode < SRXE_MODE_HEADER || p->mode > SRXE_MODE_ENCRYPT)
		goto out;
	err = srxe_epoch_start(sa, p);
	if (err)
		goto out;

	sa->p = *p;
	memzero_explicit(sa->p.chain, sizeof(sa->p.chain));
	srxe_sa_set_driver(sa, sa->tx.key->tfm);
	err = settle(sa, p, state);
	if (!err)
		srxe_epoch_kick(sa);
out:
	memzero_explicit(p->chain, sizeof(p->chain));
	return err;
}

/**
 * srxe_sa_advance() - move an SA on in its life
 * @sa: SA
 * @state: SRXE_SA_STANDING or SRXE_SA_LINGER
 *
 * Context: any but hard interrupts.
 * Return: true if it was in an earlier state, and keyed; false if nothing changed.
 */
bool srxe_sa_advance(struct srxe_sa *sa, enum srxe_sa_state state)
{
	bool moved;

	spin_lock_bh(&sa->lock);
	moved = sa->state != SRXE_SA_EMBRYO && sa->state < state;
	if (moved) {
		if (state == SRXE_SA_STANDING)
			stands(sa);
		WRITE_ONCE(sa->state, state);
	}
	spin_unlock_bh(&sa->lock);

	if (moved)
		srxe_epoch_kick(sa);	/* it may send from now on, or no more */
	return moved;
}

/**
 * srxe_sa_end() - end an SA, both directions, for good
 * @sa: SA, referenced by the caller
 *
 * What is in crypto is dropped when it comes back. May be called more than once.
 *
 * Context: any but hard interrupts; takes the link's sa_lock.
 */
void srxe_sa_end(struct srxe_sa *sa)
{
	struct srxe_link *link = sa->link;
	bool ended, keyed;

	spin_lock_bh(&sa->lock);
	ended = sa->state == SRXE_SA_DEAD;
	keyed = sa->keyed;
	WRITE_ONCE(sa->state, SRXE_SA_DEAD);
	if (!ended)
		srxe_notify_sa_down(sa);
	spin_unlock_bh(&sa->lock);
	if (ended)
		return;

	spin_lock_bh(&link->sa_lock);
	list_del(&sa->entry);
	link->sa_count--;
	spin_unlock_bh(&link->sa_lock);
	srxe_spi_release(sa->spi_slot, keyed);
	/* pairs with the one in come_back(): one of us sees the other */
	smp_mb();
	srxe_epoch_cancel(sa);
	srxe_sa_put(sa);
}

/**
 * srxe_sa_fail() - end an SA because it must not be used any more
 * @sa: SA, referenced by the caller
 * @verr: why, for those who send under it
 *
 * Context: any but hard interrupts; takes its connection's or peer's lock.
 */
void srxe_sa_fail(struct srxe_sa *sa, enum srxe_vendor_err verr)
{
	if (sa->conn)
		srxe_conn_fail(sa->conn, sa, verr);
	if (sa->dgram)
		srxe_dgram_fail(sa->dgram, sa);
	srxe_sa_end(sa);
}

static struct srxe_sa *first_of(struct srxe_link *link)
{
	struct srxe_sa *sa;

	spin_lock_bh(&link->sa_lock);
	sa = list_first_entry_or_null(&link->sas, struct srxe_sa, entry);
	if (sa)
		srxe_sa_get(sa);
	spin_unlock_bh(&link->sa_lock);
	return sa;
}

/**
 * srxe_sa_end_link() - end every SA of a link, and fail their connections
 * @link: link
 *
 * Context: process; takes connections' locks.
 */
void srxe_sa_end_link(struct srxe_link *link)
{
	struct srxe_sa *sa;

	while ((sa = first_of(link))) {
		srxe_sa_fail(sa, SRXE_VERR_SA_LOST);
		srxe_sa_put(sa);
	}
}

/**
 * srxe_sa_get() - take a reference
 * @sa: SA the caller has a reference to, or finds under a lock that keeps one
 *
 * Context: any.
 * Return: @sa.
 */
struct srxe_sa *srxe_sa_get(struct srxe_sa *sa)
{
	refcount_inc(&sa->ref);
	return sa;
}

/**
 * srxe_sa_put_many() - drop references
 * @sa: SA
 * @n: how many
 *
 * Context: any.
 */
void srxe_sa_put_many(struct srxe_sa *sa, unsigned int n)
{
	if (refcount_sub_and_test(n, &sa->ref))
		queue_rcu_work(srxe_sa_wq, &sa->free);
}
