// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests that are sent once more, wholly or from some packet on: see
 * hooks/fix_retry.cocci.
 */
#include "rxe.h"
#include "rxe_loc.h"
#include "rxe_queue.h"
#include "srxe_compat.h"
#include "srxe_hooks.h"

static bool is_write_or_send(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe)
{
	return wr_opcode_mask(READ_ONCE(wqe->wr.opcode), (struct rxe_qp *)qp) &
	       WR_WRITE_OR_SEND_MASK;
}

static bool all_acked(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe)
{
	return psn_compare(qp->comp.psn, READ_ONCE(wqe->last_psn)) > 0;
}

/**
 * srxe_settled() - is nothing of a request to be sent any more?
 * @qp: the queue pair
 * @wqe: a request in its send ring
 *
 * One that has been acknowledged to its end is done from now on.
 *
 * Context: the send task.
 * Return: true if it is done.
 */
bool srxe_settled(const struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	u32 state = READ_ONCE(wqe->state);

	if (state == wqe_state_done)
		return true;
	if (state != wqe_state_processing && state != wqe_state_pending)
		return false;
	if (!is_write_or_send(qp, wqe) || !all_acked(qp, wqe))
		return false;
	/* in 6.1 it may just be completed, and be a new one */
	return cmpxchg(&wqe->state, state, wqe_state_done) == state;
}

/**
 * srxe_skip_settled() - go on behind a request if nothing of it is to be sent
 * @qp: the queue pair
 * @wqe: the request whose turn it is
 *
 * Of connections that are not reliable nothing is sent again.
 *
 * Context: the send task.
 * Return: true if the next request is at turn now.
 */
bool srxe_skip_settled(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	if (qp_type(qp) != IB_QPT_RC || likely(!srxe_settled(qp, wqe)))
		return false;
	if (psn_compare(qp->comp.psn, qp->req.psn) > 0)
		qp->req.psn = qp->comp.psn;
	qp->req.opcode = -1;
	qp->req.wqe_index = queue_next_index(qp->sq.queue, qp->req.wqe_index);
	srxe_sched_complete(qp);
	return true;
}

/**
 * srxe_send_again() - a request is to be sent again
 * @qp: the queue pair
 * @wqe: the request; how far it is used up says from where on
 *
 * One that goes on where it was is not as if it had never been sent.
 *
 * Context: the send task.
 */
void srxe_send_again(const struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	bool part = is_write_or_send(qp, wqe) &&
		    READ_ONCE(wqe->dma.resid) != READ_ONCE(wqe->dma.length);

	WRITE_ONCE(wqe->state, part ? wqe_state_processing : wqe_state_posted);
}
