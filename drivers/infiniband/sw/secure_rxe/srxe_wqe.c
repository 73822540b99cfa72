// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests in rings that user space can write at any time.
 *
 * Whatever is read there is read once and bounded before it is used. What the
 * kernel keeps in a work request between packets is no exception: user space
 * may have changed that too.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "rxe.h"
#include "rxe_loc.h"
#include "rxe_queue.h"
#include "srxe_hooks.h"

/* Payload of an atomic write, which any slot of a ring has room for. */
#define ATOMIC_WRITE_LEN	sizeof(u64)

static_assert(roundup_pow_of_two(sizeof(struct rxe_send_wqe)) >=
	      sizeof(struct rxe_send_wqe) + ATOMIC_WRITE_LEN);

/* Where in its buffers a work request is. */
struct place {
	u32		sge;
	u32		num_sge;
	u32		offset;
	u32		resid;
	struct rxe_sge	buf;
};

static void read_sge(struct place *at, const struct rxe_dma_info *dma)
{
	const struct rxe_sge *sge = &dma->sge[at->sge];

	at->buf.addr = READ_ONCE(sge->addr);
	at->buf.length = READ_ONCE(sge->length);
	at->buf.lkey = READ_ONCE(sge->lkey);
}

static int start(struct place *at, const struct rxe_dma_info *dma, unsigned int max_sge,
		 unsigned int length)
{
	at->sge = READ_ONCE(dma->cur_sge);
	at->num_sge = min(READ_ONCE(dma->num_sge), max_sge);
	at->offset = READ_ONCE(dma->sge_offset);
	at->resid = READ_ONCE(dma->resid);
	if (length > at->resid)
		return -EINVAL;
	if (at->sge >= at->num_sge)
		return -ENOSPC;
	read_sge(at, dma);
	return 0;
}

/* Bytes in one piece that come next, @length at most, or -ENOSPC. */
static int next_piece(struct place *at, const struct rxe_dma_info *dma, unsigned int length)
{
	while (at->offset >= at->buf.length) {
		at->offset = 0;
		if (++at->sge >= at->num_sge)
			return -ENOSPC;
		read_sge(at, dma);
	}
	return min(length, at->buf.length - at->offset);
}

static void advance(struct place *at, unsigned int bytes)
{
	at->offset += bytes;
	at->resid -= bytes;
}

static void finish(const struct place *at, struct rxe_dma_info *dma)
{
	dma->cur_sge = at->sge;
	dma->sge_offset = at->offset;
	dma->resid = at->resid;
}

static int copy_piece(struct rxe_pd *pd, const struct place *at, void *addr,
		      unsigned int bytes, enum rxe_mr_copy_dir dir)
{
	int access = dir == RXE_TO_MR_OBJ ? IB_ACCESS_LOCAL_WRITE : 0;
	struct rxe_mr *mr = lookup_mr(pd, access, at->buf.lkey, RXE_LOOKUP_LOCAL);
	int err;

	if (!mr)
		return -EINVAL;
	err = rxe_mr_copy(mr, at->buf.addr + at->offset, addr, bytes, dir);
	rxe_put(mr);
	return err;
}

/* Copies what comes next in the buffers to or from @addr; without it, passes over that. */
static int copy(struct rxe_pd *pd, struct rxe_dma_info *dma, unsigned int max_sge,
		void *addr, unsigned int length, enum rxe_mr_copy_dir dir)
{
	struct place at;
	int bytes, err;

	if (!length)
		return 0;
	err = start(&at, dma, max_sge, length);
	if (err)
		return err;
	while (length) {
		bytes = next_piece(&at, dma, length);
		if (bytes < 0)
			return bytes;
		if (addr) {
			err = copy_piece(pd, &at, addr, bytes, dir);
			if (err)
				return err;
			addr += bytes;
		}
		advance(&at, bytes);
		length -= bytes;
	}
	finish(&at, dma);
	return 0;
}

/**
 * srxe_copy_send() - copy payload out of the buffers of a send request
 * @qp: the queue pair, whose send ring @dma is in
 * @dma: the buffers, and how far they are used up
 * @addr: where to
 * @length: how much, in bytes
 *
 * Context: the send task.
 * Return: 0; -ENOSPC if the buffers end before; another negative error.
 */
int srxe_copy_send(struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		   unsigned int length)
{
	return copy(qp->pd, dma, qp->sq.max_sge, addr, length, RXE_FROM_MR_OBJ);
}

/**
 * srxe_copy_response() - copy a response into the buffers of a send request
 * @qp: the queue pair, whose send ring @dma is in
 * @dma: the buffers, and how far they are filled
 * @addr: payload of the response
 * @length: its length in bytes
 *
 * Context: the send task.
 * Return: 0; -ENOSPC if the buffers end before; another negative error.
 */
int srxe_copy_response(struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		       unsigned int length)
{
	return copy(qp->pd, dma, qp->sq.max_sge, addr, length, RXE_TO_MR_OBJ);
}

/**
 * srxe_copy_recv() - copy payload into the buffers of a receive request
 * @qp: the queue pair
 * @dma: the buffers, and how far they are filled
 * @addr: the payload
 * @length: its length in bytes
 *
 * Context: the receive task.
 * Return: 0; -ENOSPC if the buffers end before; another negative error.
 */
int srxe_copy_recv(struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		   unsigned int length)
{
	unsigned int max_sge = qp->srq ? qp->srq->rq.max_sge : qp->rq.max_sge;

	return copy(qp->pd, dma, max_sge, addr, length, RXE_TO_MR_OBJ);
}

/**
 * srxe_skip_send() - payload of a send request that needs not be sent again
 * @qp: the queue pair, whose send ring @dma is in
 * @dma: the buffers, and how far they are used up
 * @length: how much to skip, in bytes
 *
 * Context: the send task.
 * Return: 0; -ENOSPC if the buffers end before; -EINVAL.
 */
int srxe_skip_send(const struct rxe_qp *qp, struct rxe_dma_info *dma, unsigned int length)
{
	return copy(qp->pd, dma, qp->sq.max_sge, NULL, length, RXE_FROM_MR_OBJ);
}

/**
 * srxe_copy_inline() - copy payload that is in the send request itself
 * @qp: the queue pair, whose send ring @dma is in
 * @dma: the payload, and how far it is used up
 * @addr: where to
 * @length: how much, in bytes
 *
 * Context: the send task.
 * Return: 0, or -EFAULT if it is not all within the request.
 */
int srxe_copy_inline(const struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		     unsigned int length)
{
	unsigned int offset = READ_ONCE(dma->sge_offset);
	unsigned int max = qp->sq.max_inline;

	if (length > max || offset > max - length)
		return -EFAULT;
	memcpy(addr, dma->inline_data + offset, length);
	dma->sge_offset = offset + length;
	dma->resid -= length;
	return 0;
}

/**
 * srxe_copy_atomic_write() - copy the payload of an atomic write
 * @dma: the payload, in the send request itself
 * @addr: where to
 * @length: how much user space says there is, in bytes
 *
 * Context: the send task.
 * Return: 0, or -EFAULT if it is not all within the request.
 */
int srxe_copy_atomic_write(struct rxe_dma_info *dma, void *addr, unsigned int length)
{
	if (length > ATOMIC_WRITE_LEN)
		return -EFAULT;
	memcpy(addr, dma->inline_data, length);
	dma->resid -= length;
	return 0;
}

/**
 * srxe_fail_wqe() - a send request is about to be completed as failed
 * @wqe: the send request
 *
 * Why it failed is in the ring. If no error is there any more, or if what made
 * it fail has not said so, it is an error all the same.
 *
 * Context: the send task.
 */
void srxe_fail_wqe(struct rxe_send_wqe *wqe)
{
	if (READ_ONCE(wqe->status) == IB_WC_SUCCESS)
		wqe->status = IB_WC_FATAL_ERR;
}

/**
 * srxe_ring_round() - has more been taken from a ring than fits into it?
 * @q: the ring
 * @taken: how many requests were taken from it at a stretch, 0 at first; counted here
 *
 * While we take them user space can add more, without end.
 *
 * Context: any.
 * Return: true if so, and it is time to let others run.
 */
bool srxe_ring_round(const struct rxe_queue *q, unsigned int *taken)
{
	return (*taken)++ > q->index_mask;
}

/**
 * srxe_ring_next() - next request to take from a ring that is emptied
 * @q: the ring
 * @taken: as for srxe_ring_round()
 *
 * Context: any.
 * Return: the request; or NULL, if there is none or as many as fit were taken.
 */
void *srxe_ring_next(struct rxe_queue *q, unsigned int *taken)
{
	return srxe_ring_round(q, taken) ? NULL : queue_head(q, q->type);
}
