// SPDX-License-Identifier: GPL-2.0
//
// Fix: a work request that the requester fails is completed with the status it
// failed with. Where the queue pair goes to the error state first, rxe flushes
// that one too and reports all as flushed, so nobody learns what went wrong.
// Flushed ones are completed the same way as all others, so that what is hooked
// there (report.cocci) sees them.
//
// Safe there: the completion is made anew from the same work request, and a
// work request is in that state only when it failed or was flushed. Older rxe
// does this by itself, the status of flushed ones included.

@own_status@
identifier qp, wqe, cqe, err;
@@
 flush_send_wqe(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
 {
 ...
+ if (wqe->state != wqe_state_error)
+	wqe->status = IB_WC_WR_FLUSH_ERR;
+ make_send_cqe(qp, wqe, &cqe);
 err = rxe_cq_post(qp->scq, &cqe, 0);
 ...
 }
