// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: their bounds, and the queue pair that a window of type 2 is
 * bound to.
 */
#include <linux/errno.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

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

static void unbind(struct rxe_mw *mw, const struct rxe_qp *qp)
{
	spin_lock_bh(&mw->lock);
	if (mw->qp == qp)
		rxe_do_invalidate_mw(mw);
	spin_unlock_bh(&mw->lock);
}

static void unbind_all(struct rxe_qp *qp)
{
	struct rxe_pool *pool = &to_rdev(qp->ibqp.device)->mw_pool;
	struct rxe_pool_elem *elem;
	unsigned long index;
	struct rxe_mw *mw;

	xa_for_each(&pool->xa, index, elem) {
		mw = rxe_pool_get_index(pool, index);
		if (!mw)
			continue;
		unbind(mw, qp);
		rxe_put(mw);
	}
}

/**
 * srxe_unbind_windows() - take a queue pair that goes from its windows
 * @qp: queue pair that is about to be destroyed
 *
 * Each window bound to it holds a reference to it.
 *
 * Context: process.
 */
void srxe_unbind_windows(struct rxe_qp *qp)
{
	WRITE_ONCE(qp->sec.no_bind, true);
	/* pairs with srxe_bind_mw(): it sees this, or we see its window */
	smp_mb();
	unbind_all(qp);
}

/*
 * What is asked for is read more than once, and must not change in between:
 * user space can write the work request at any time.
 */
static int bind_as_it_is(struct rxe_qp *qp, const struct rxe_send_wqe *wqe)
{
	struct rxe_send_wqe copy = { .wr = wqe->wr };

	return rxe_bind_mw(qp, &copy);
}

/**
 * srxe_bind_mw() - a work request to bind a memory window
 * @qp: the queue pair
 * @wqe: the work request
 *
 * Context: the send task.
 * Return: 0, or a negative error that fails the work request.
 */
int srxe_bind_mw(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	int err;

	if (READ_ONCE(qp->sec.no_bind))
		return -EINVAL;
	err = bind_as_it_is(qp, wqe);
	/* pairs with srxe_unbind_windows() */
	smp_mb();
	if (!err && READ_ONCE(qp->sec.no_bind)) {
		unbind_all(qp);
		err = -EINVAL;
	}
	return err;
}
