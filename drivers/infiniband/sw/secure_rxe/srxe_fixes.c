// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What rxe lacks whatever the mode: checks that protection of the wire would
 * otherwise stand on sand without.
 */
#include <linux/errno.h>
#include <linux/spinlock.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_hooks.h"

static bool range_within(u64 va, u64 len, u64 start, u64 size)
{
	return va >= start && va - start <= size && len <= size - (va - start);
}

/**
 * srxe_check_mw() - hold an access through a memory window to its bounds
 * @qp: the responder's queue pair, with the rest of the access in resp: from
 *	va, resid bytes
 * @pkt: the request
 * @mw: window that the rkey names, held
 * @mr: memory region that the window was bound to when it was looked up
 *
 * Context: softirq or process.
 * Return: 0, or -EACCES if the access leaves the window, or the window is no
 * longer the one that was looked up.
 */
int srxe_check_mw(const struct rxe_qp *qp, const struct rxe_pkt_info *pkt,
		  struct rxe_mw *mw, const struct rxe_mr *mr)
{
	u64 va = qp->resp.va, len = qp->resp.resid;
	u64 start;
	bool ok;

	spin_lock_bh(&mw->lock);
	start = mw->access & IB_ZERO_BASED ? 0 : mw->addr;
	/* a flush of the whole region needs a window on the whole region */
	if (srxe_flushes_whole_mr(pkt)) {
		va = mr->ibmr.iova - mw->addr + start;
		len = mr->ibmr.length;
	}
	ok = mw->state == RXE_MW_STATE_VALID && mw->mr == mr &&
	     mw->rkey == qp->resp.rkey &&
	     range_within(va, len, start, mw->length);
	spin_unlock_bh(&mw->lock);

	return ok ? 0 : -EACCES;
}

/**
 * srxe_xmit_code() - tell a lost packet from an error
 * @code: what the IP layer said to a packet
 *
 * A positive code is a queue's: it is full, or soon will be, and the packet is
 * lost at worst. That is what retransmission is for.
 *
 * Context: any.
 * Return: 0, or a negative error that means what it says.
 */
int srxe_xmit_code(int code)
{
	return min(code, 0);
}

/**
 * srxe_reg_fast_mr() - a work request to register memory
 * @qp: the queue pair
 * @wqe: the work request
 *
 * The memory region is a kernel pointer in the work request, so only the
 * kernel may have written it.
 *
 * Context: the send task.
 * Return: 0, or a negative error that fails the work request.
 */
int srxe_reg_fast_mr(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	if (qp->is_user)
		return -EPERM;
	return rxe_reg_fast_mr(qp, wqe);
}
