// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Crypto requests: from submission to the one tail that both kinds of
 * completion share.
 *
 * A request that completes inline and one that an engine gives back later, on
 * another CPU and out of order, take the same way: srxe_req_done() marks it in
 * its FIFO, and the FIFO's drainer hands it on in its turn. Software crypto
 * goes asynchronous too when a softirq finds the FPU in use, so this is no
 * matter of hardware only.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_conn.h"
#include "srxe_epoch.h"
#include "srxe_open.h"
#include "srxe_policy.h"
#include "srxe_req.h"
#include "srxe_sa.h"
#include "srxe_seal.h"

/* Most a transform may want for itself in a request; software takes 400 at most. */
#define REQ_CTX_MAX	1024

/* Packets a drainer hands on before it lets others run. */
#define DRAIN_BUDGET	64

static struct kmem_cache *req_cache;

/* With a constructor the allocator does not clear a whole request for each packet. */
static void construct(void *ptr)
{
	memset(ptr, 0, sizeof(struct srxe_req) + REQ_CTX_MAX);
}

/**
 * srxe_req_init() - make the cache
 *
 * Context: process, module load.
 * Return: 0 or -ENOMEM.
 */
int srxe_req_init(void)
{
	req_cache = kmem_cache_create("srxe_req", sizeof(struct srxe_req) + REQ_CTX_MAX,
				      __alignof__(struct srxe_req), SLAB_HWCACHE_ALIGN,
				      construct);
	return req_cache ? 0 : -ENOMEM;
}

/**
 * srxe_req_exit() - free the cache
 *
 * Context: process, module unload; no request is left.
 */
void srxe_req_exit(void)
{
	kmem_cache_destroy(req_cache);
}

/**
 * srxe_req_fits() - do our requests have room for what a transform needs?
 * @tfm: transform
 *
 * Context: any.
 * Return: true if they do.
 */
bool srxe_req_fits(struct crypto_aead *tfm)
{
	return crypto_aead_reqsize(tfm) <= REQ_CTX_MAX;
}

/**
 * srxe_req_alloc() - start with a packet
 * @sa: SA, whose reference the request takes over
 * @skb: packet, which the request takes over
 * @seal: to seal it, not to open it
 *
 * Context: any but hard interrupts.
 * Return: request, or NULL; then both still are the caller's.
 */
struct srxe_req *srxe_req_alloc(struct srxe_sa *sa, struct sk_buff *skb, bool seal)
{
	struct srxe_req *req = kmem_cache_alloc(req_cache, GFP_ATOMIC | __GFP_NOWARN);

	if (!req)
		return NULL;
	req->sa = sa;
	req->key = NULL;
	req->skb = skb;
	req->dev = skb->dev;
	dev_hold(req->dev);
	req->drop = 0;
	req->seal = seal;
	req->moved = false;
	return req;
}

/*
 * The cache keeps what is in its objects. A transform leaves keys for one packet
 * (Poly1305) and what a tag was made of in its part; the nonce has a secret in it.
 */
static void wipe(struct srxe_req *req)
{
	memzero_explicit(req->iv, sizeof(req->iv));
	memzero_explicit(req->aead.__ctx, crypto_aead_reqsize(req->key->tfm));
}

/**
 * srxe_req_free() - be done with a request
 * @req: request, not in a FIFO
 *
 * SA and packet are the caller's again.
 *
 * Context: any but hard interrupts.
 */
void srxe_req_free(struct srxe_req *req)
{
	dev_put(req->dev);
	if (req->key) {
		wipe(req);
		srxe_epoch_key_put(req->key);
	}
	kmem_cache_free(req_cache, req);
}

static void finish(struct srxe_req *req)
{
	if (req->seal)
		srxe_seal_finish(req);
	else
		srxe_open_finish(req);
}

/* There is room for requests again: they wait until the last one above it has left. */
static bool room_again(const struct srxe_sa *sa, const struct srxe_fifo *fifo)
{
	return fifo == &sa->tx.fifo && fifo->inflight == SRXE_TX_LOW;
}

/*
 * Hand on what is done, from the head, as the FIFO's drainer; lock held. Every
 * request brings an SA reference along. They are kept until here, where the SA
 * is not touched any more. Returns how many there are to drop.
 */
static unsigned int drain(struct srxe_sa *sa, struct srxe_fifo *fifo)
	__must_hold(&fifo->lock)
{
	unsigned int budget = DRAIN_BUDGET, refs = 0;
	struct srxe_fifo_entry *entry;
	struct srxe_req *req;
	bool resume;

	while ((entry = srxe_fifo_next(fifo, &budget))) {
		req = container_of(entry, struct srxe_req, fifo);
		resume = room_again(sa, fifo);
		if (!req->seal)
			srxe_open_serial(req);
		spin_unlock_bh(&fifo->lock);

		finish(req);
		if (resume && sa->conn)
			srxe_conn_resume(sa->conn);
		refs++;

		spin_lock_bh(&fifo->lock);
	}
	if (!budget) {
		/* we still are the drainer, and so the work cannot be queued */
		queue_work(srxe_sa_wq, fifo == &sa->tx.fifo ? &sa->tx.drain : &sa->rx.drain);
		refs--;		/* it keeps one of ours */
	}
	return refs;
}

/**
 * srxe_req_done() - a request's crypto is over
 * @req: request in its FIFO; not the caller's any more
 * @err: 0 or why it failed
 *
 * Context: any but hard interrupts, no fifo lock held.
 */
void srxe_req_done(struct srxe_req *req, int err)
{
	struct srxe_sa *sa = req->sa;
	struct srxe_fifo *fifo = req->seal ? &sa->tx.fifo : &sa->rx.fifo;
	unsigned int refs = 0;

	req->err = err;
	spin_lock_bh(&fifo->lock);
	if (srxe_fifo_done(fifo, &req->fifo))
		refs = drain(sa, fifo);
	spin_unlock_bh(&fifo->lock);
	if (refs)
		srxe_sa_put_many(sa, refs);
}

static void drain_on(struct srxe_sa *sa, struct srxe_fifo *fifo)
{
	unsigned int refs;

	spin_lock_bh(&fifo->lock);
	refs = drain(sa, fifo);
	spin_unlock_bh(&fifo->lock);
	/* the one we came with, on top */
	srxe_sa_put_many(sa, refs + 1);
}

/**
 * srxe_req_drain_tx() - go on draining an SA's transmit FIFO
 * @work: its @tx.drain, which comes with a reference
 *
 * Context: process.
 */
void srxe_req_drain_tx(struct work_struct *work)
{
	struct srxe_sa *sa = container_of(work, struct srxe_sa, tx.drain);

	drain_on(sa, &sa->tx.fifo);
}

/**
 * srxe_req_drain_rx() - go on draining an SA's receive FIFO
 * @work: its @rx.drain, which comes with a reference
 *
 * Context: process.
 */
void srxe_req_drain_rx(struct work_struct *work)
{
	struct srxe_sa *sa = container_of(work, struct srxe_sa, rx.drain);

	drain_on(sa, &sa->rx.fifo);
}

static void crypto_done(srxe_crypto_arg *arg, int err)
{
	if (err != -EINPROGRESS)
		srxe_req_done(srxe_crypto_data(arg), err);
}

/**
 * srxe_req_submit() - have a request sealed or opened
 * @req: request in its FIFO, @frame, @iv and @fsg set; not the caller's any more
 *
 * An engine that is full refuses (there is no backlog), which drops the packet:
 * waiting is not possible here, and RC repairs it.
 *
 * Context: any but hard interrupts, no fifo lock held.
 */
void srxe_req_submit(struct srxe_req *req)
{
	struct aead_request *aead = &req->aead;
	struct rxe_dev *rxe = req->sa->link->rxe;
	int err;

	aead_request_set_tfm(aead, req->key->tfm);
	aead_request_set_callback(aead, 0, crypto_done, req);
	srxe_frame_set_request(&req->frame, &req->fsg, aead, req->iv, req->seal);

	/*
	 * In process context a softirq could find the FPU in use by us, and its
	 * own crypto would go the slow, asynchronous way.
	 */
	local_bh_disable();
	err = req->seal ? crypto_aead_encrypt(aead) : crypto_aead_decrypt(aead);
	/* the request may be gone, and the SA; BH off, the device is not yet */
	if (err == -EINPROGRESS)
		rxe_counter_inc(rxe, SRXE_CNT_CRYPTO_ASYNC);
	local_bh_enable();

	if (err != -EINPROGRESS)
		srxe_req_done(req, err);
}
