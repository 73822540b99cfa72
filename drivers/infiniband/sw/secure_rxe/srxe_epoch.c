// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Epochs of an SA.
 *
 * The data path only moves between keys that are there. This work makes them:
 * for a sender the next one, as soon as it has moved to the one before; for a
 * receiver the one after the newest it has had a valid packet in. It also lets
 * the receive key of the epoch before go after two seconds, announces what has
 * become ready, and sees to idle and one-way senders.
 *
 * Of the chain S_dir,e each direction keeps the newest value it has made a key
 * from, so with the next key ready no value of an epoch in use is left: a key
 * learned later opens nothing older.
 */
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "rxe.h"
#include "srxe_epoch.h"
#include "srxe_kdf.h"
#include "srxe_policy.h"
#include "srxe_req.h"
#include "srxe_sa.h"

#if IS_ENABLED(CONFIG_SECURE_RXE_DEBUG)
static uint epoch_packets;
module_param(epoch_packets, uint, 0644);
MODULE_PARM_DESC(epoch_packets, "packets after which new SAs move to the next epoch, at least 64 (0: as the suite says)");
#else
static const uint epoch_packets;
#endif

static void free_key(struct work_struct *work)
{
	struct srxe_epoch_key *key = container_of(work, struct srxe_epoch_key, free);

	crypto_free_aead(key->tfm);
	kfree_sensitive(key);
}

/**
 * srxe_epoch_key_put() - drop a reference
 * @key: key, or NULL
 *
 * Context: any; the key goes in process context, as freeing a transform may
 * sleep.
 */
void srxe_epoch_key_put(struct srxe_epoch_key *key)
{
	if (key && refcount_dec_and_test(&key->ref))
		queue_work(srxe_sa_wq, &key->free);
}

static struct crypto_aead *alloc_tfm(struct srxe_sa *sa, const u8 *keymat)
{
	struct crypto_aead *tfm;

	tfm = srxe_suite_alloc(sa->suite, sa->pinned[0] ? sa->pinned : NULL, keymat);
	if (IS_ERR(tfm) || srxe_req_fits(tfm))
		return tfm;
	crypto_free_aead(tfm);
	return ERR_PTR(-EMSGSIZE);
}

/* The key of @epoch, from S_dir,@epoch. */
static struct srxe_epoch_key *make_key(struct srxe_sa *sa, const u8 *chain, u8 mode,
				       u64 epoch)
{
	u8 keymat[SRXE_KEYMAT_MAX];
	struct srxe_epoch_key *key;
	int err;

	key = kzalloc(sizeof(*key), GFP_KERNEL);
	if (!key)
		return ERR_PTR(-ENOMEM);
	err = srxe_epoch_keymat(chain, sa->suite, mode, keymat);
	if (err)
		goto err_free;
	key->tfm = alloc_tfm(sa, keymat);
	if (IS_ERR(key->tfm)) {
		err = PTR_ERR(key->tfm);
		goto err_free;
	}
	refcount_set(&key->ref, 1);
	key->epoch = epoch;
	memcpy(key->salt, keymat + sa->suite->key_len, sa->suite->salt_len);
	INIT_WORK(&key->free, free_key);
	memzero_explicit(keymat, sizeof(keymat));
	return key;

err_free:
	memzero_explicit(keymat, sizeof(keymat));
	kfree_sensitive(key);
	return ERR_PTR(err);
}

/* The key of @epoch, from S_dir,(@epoch - 1), which becomes S_dir,@epoch. */
static struct srxe_epoch_key *next_key(struct srxe_sa *sa, u8 *chain, u8 mode, u64 epoch)
{
	u8 next[SRXE_SECRET_LEN];
	struct srxe_epoch_key *key;
	int err;

	err = srxe_epoch_next(chain, epoch, next);
	if (err)
		return ERR_PTR(err);
	key = make_key(sa, next, mode, epoch);
	if (!IS_ERR(key))
		memcpy(chain, next, sizeof(next));
	memzero_explicit(next, sizeof(next));
	return key;
}

/* Keys of the first two epochs; the chain is left at the second. */
static int first_keys(struct srxe_sa *sa, u8 *chain, const u8 *first, u8 mode,
		      struct srxe_epoch_key **keys)
{
	struct srxe_epoch_key *key;

	memcpy(chain, first, SRXE_SECRET_LEN);
	key = make_key(sa, chain, mode, 0);
	if (IS_ERR(key))
		return PTR_ERR(key);
	keys[0] = key;
	key = next_key(sa, chain, mode, SRXE_EPOCH_FIRST_READY);
	if (IS_ERR(key))
		return PTR_ERR(key);
	keys[1] = key;
	return 0;
}

/**
 * srxe_epoch_start() - make an SA's first keys, both directions
 * @sa: an embryo that nobody else changes
 * @p: what the handshake agreed on
 *
 * Context: process, may sleep.
 * Return: 0; -ENOENT or another error of the crypto API; -EMSGSIZE if the
 * driver needs more memory per request than we have; -ENOMEM. On error the
 * keys made so far go with the SA.
 */
int srxe_epoch_start(struct srxe_sa *sa, const struct srxe_sa_params *p)
{
	struct srxe_epoch_key *tx[2] = {}, *rx[2] = {};
	u64 now = srxe_epoch_now();
	struct srxe_settings settings;
	int err;

	srxe_policy_get(sa->link, &settings);
	strscpy(sa->pinned, settings.driver, sizeof(sa->pinned));

	sa->limits = srxe_epoch_limits_lower(sa->suite->soft_packets,
					     sa->suite->hard_packets,
					     READ_ONCE(epoch_packets));
	err = first_keys(sa, sa->tx.chain, p->chain[p->initiator ? 0 : 1], p->mode, tx);
	if (!err)
		err = first_keys(sa, sa->rx.chain, p->chain[p->initiator ? 1 : 0],
				 p->mode, rx);

	spin_lock_bh(&sa->tx.fifo.lock);
	sa->tx.key = tx[0];
	sa->tx.next = tx[1];
	sa->tx.e.start = now;
	sa->tx.e.peer_ready = SRXE_EPOCH_FIRST_READY;
	spin_unlock_bh(&sa->tx.fifo.lock);

	spin_lock_bh(&sa->rx.fifo.lock);
	sa->rx.keys[0] = rx[0];
	sa->rx.keys[1] = rx[1];
	sa->rx.e.since = now;
	WRITE_ONCE(sa->rx.e.ready, SRXE_EPOCH_FIRST_READY);
	spin_unlock_bh(&sa->rx.fifo.lock);
	return err;
}

/**
 * srxe_epoch_stop() - let an SA's keys go
 * @sa: SA that nobody uses any more
 *
 * Context: any.
 */
void srxe_epoch_stop(struct srxe_sa *sa)
{
	unsigned int i;

	srxe_epoch_key_put(sa->tx.key);
	srxe_epoch_key_put(sa->tx.next);
	for (i = 0; i < SRXE_RX_SLOTS; i++)
		srxe_epoch_key_put(sa->rx.keys[i]);
}

/**
 * srxe_epoch_kick() - have the epoch work look at an SA now
 * @sa: SA, referenced
 *
 * Context: any but hard interrupts; an SA's fifo locks may be held.
 */
void srxe_epoch_kick(struct srxe_sa *sa)
{
	srxe_sa_get(sa);
	if (mod_delayed_work(srxe_sa_wq, &sa->epoch_work, 0))
		srxe_sa_put(sa);	/* it was queued, with a reference of its own */
}

/**
 * srxe_epoch_cancel() - take back the epoch work's appointment
 * @sa: SA, referenced, its state DEAD
 *
 * A work that runs now sees the state, or sees it after it has queued itself.
 *
 * Context: any but hard interrupts.
 */
void srxe_epoch_cancel(struct srxe_sa *sa)
{
	if (cancel_delayed_work(&sa->epoch_work))
		srxe_sa_put(sa);
}

/* Come back in @wait ns, or earlier if somebody has kicked meanwhile. */
static void come_back(struct srxe_sa *sa, u64 wait)
{
	srxe_sa_get(sa);
	if (!queue_delayed_work(srxe_sa_wq, &sa->epoch_work, nsecs_to_jiffies(wait) + 1))
		srxe_sa_put(sa);
	/* pairs with the one in srxe_sa_end(): one of us sees the other */
	smp_mb();
	if (READ_ONCE(sa->state) == SRXE_SA_DEAD)
		srxe_epoch_cancel(sa);
}

/**
 * srxe_epoch_heard() - the peer has announced which epoch it can receive
 * @sa: SA, referenced
 * @rx_epoch: as on the wire, from a valid packet that moved the right edge of
 *	the window
 *
 * Context: any but hard interrupts, no fifo lock held.
 */
void srxe_epoch_heard(struct srxe_sa *sa, u8 rx_epoch)
{
	struct srxe_epoch_tx *e = &sa->tx.e;

	/* nothing new in almost every packet: judge without the lock first */
	if (READ_ONCE(e->peer_ready) > READ_ONCE(e->epoch))
		return;
	spin_lock_bh(&sa->tx.fifo.lock);
	if (srxe_epoch_tx_heard(e, rx_epoch) && sa->tx.asked)
		srxe_epoch_kick(sa);	/* an idle sender moves with a CTRL */
	spin_unlock_bh(&sa->tx.fifo.lock);
}

/* Make the sender's next key if it is missing. False: try again in a while. */
static bool tx_ready_next(struct srxe_sa *sa)
{
	struct srxe_sa_tx *tx = &sa->tx;
	struct srxe_epoch_key *key;
	bool missing;
	u64 epoch;

	spin_lock_bh(&tx->fifo.lock);
	missing = !tx->next;
	epoch = tx->e.epoch + 1;
	spin_unlock_bh(&tx->fifo.lock);
	if (!missing)
		return true;

	/* without it the epoch cannot move, so it is the same below */
	key = next_key(sa, tx->chain, sa->p.mode, epoch);
	if (IS_ERR(key))
		return false;
	spin_lock_bh(&tx->fifo.lock);
	tx->next = key;
	spin_unlock_bh(&tx->fifo.lock);
	srxe_sa_set_driver(sa, key->tfm);
	return true;
}

/* The sending side. Returns ns until there is something to do. */
static u64 tx_turn(struct srxe_sa *sa)
{
	struct srxe_sa_tx *tx = &sa->tx;
	enum srxe_epoch_step step;
	u64 now = srxe_epoch_now();
	u64 age;

	if (READ_ONCE(sa->state) != SRXE_SA_STANDING)
		return SRXE_EPOCH_MAX_NS;
	if (!tx_ready_next(sa))
		return SRXE_EPOCH_PROBE_NS;

	spin_lock_bh(&tx->fifo.lock);
	step = srxe_epoch_tx_step(&tx->e, &sa->limits, tx->pn, now, tx->next, true);
	age = now - tx->e.start;
	if (step != SRXE_EPOCH_STAY)
		tx->asked = true;
	spin_unlock_bh(&tx->fifo.lock);

	switch (step) {
	case SRXE_EPOCH_STAY:
		return SRXE_EPOCH_MAX_NS - age;
	case SRXE_EPOCH_MOVE:
		/* nothing else was sent: this packet moves, and brings us back here */
		srxe_seal_ctrl(sa, SRXE_CTRL_EMPTY, NULL, 0);
		break;
	default:
		srxe_seal_ctrl(sa, SRXE_CTRL_PROBE, NULL, 0);
		break;
	}
	return SRXE_EPOCH_PROBE_NS;
}

/* @key is ready: e + 2 in the words of the protocol, so e - 1 goes if it is still there. */
static void rx_install(struct srxe_sa *sa, struct srxe_epoch_key *key)
{
	struct srxe_sa_rx *rx = &sa->rx;
	struct srxe_epoch_key **slot;

	spin_lock_bh(&rx->fifo.lock);
	rx->keys[key->epoch % SRXE_RX_SLOTS] = key;
	if (key->epoch >= 3) {
		slot = &rx->keys[(key->epoch - 3) % SRXE_RX_SLOTS];
		srxe_epoch_key_put(*slot);
		*slot = NULL;
	}
	WRITE_ONCE(rx->e.ready, key->epoch);
	spin_unlock_bh(&rx->fifo.lock);
}

/* Make the key after the newest epoch seen. False: try again in a while. */
static bool rx_ready_next(struct srxe_sa *sa)
{
	struct srxe_sa_rx *rx = &sa->rx;
	struct srxe_epoch_key *key;
	bool missing;
	u64 epoch;

	spin_lock_bh(&rx->fifo.lock);
	missing = rx->e.ready == rx->e.epoch;
	epoch = rx->e.epoch + 1;
	spin_unlock_bh(&rx->fifo.lock);
	if (!missing)
		return true;

	/* nothing newer can be received without it, so this is still the one below */
	key = next_key(sa, rx->chain, sa->p.mode, epoch);
	if (IS_ERR(key))
		return false;
	rx_install(sa, key);
	/* a peer that hears nothing else from us hears of it this way */
	srxe_seal_ctrl(sa, SRXE_CTRL_EMPTY, NULL, 0);
	return true;
}

/* Let the key of the epoch before go in time. Returns ns until then. */
static u64 rx_retire(struct srxe_sa_rx *rx)
{
	struct srxe_epoch_key **slot;
	u64 left = 0;

	if (!rx->e.epoch)
		return SRXE_EPOCH_MAX_NS;
	slot = &rx->keys[(rx->e.epoch - 1) % SRXE_RX_SLOTS];
	if (*slot)
		left = srxe_epoch_rx_old(&rx->e, srxe_epoch_now());
	if (left)
		return left;
	srxe_epoch_key_put(*slot);
	*slot = NULL;
	return SRXE_EPOCH_MAX_NS;
}

/* The receiving side. Returns ns until there is something to do. */
static u64 rx_turn(struct srxe_sa *sa)
{
	struct srxe_sa_rx *rx = &sa->rx;
	u64 wait = SRXE_EPOCH_MAX_NS;

	if (!rx_ready_next(sa))
		wait = SRXE_EPOCH_PROBE_NS;

	spin_lock_bh(&rx->fifo.lock);
	wait = min(wait, rx_retire(rx));
	spin_unlock_bh(&rx->fifo.lock);
	return wait;
}

/**
 * srxe_epoch_work() - see to an SA's epochs
 * @work: its @epoch_work, which comes with a reference
 *
 * Context: process, may sleep; one at a time for each SA.
 */
void srxe_epoch_work(struct work_struct *work)
{
	struct srxe_sa *sa = container_of(to_delayed_work(work), struct srxe_sa,
					  epoch_work);
	u64 wait;

	if (READ_ONCE(sa->state) != SRXE_SA_DEAD) {
		wait = min(rx_turn(sa), tx_turn(sa));
		come_back(sa, wait);
	}
	srxe_sa_put(sa);
}
