// SPDX-License-Identifier: GPL-2.0
//
// Fix: a memory window that is not bound has no queue pair and no memory region
// to let go of, and one that is bound does not keep its queue pair from going.
// With rxe as it is, invalidating a window twice (a peer can, by SEND with
// invalidate) is a NULL pointer, and destroying a queue pair before its windows
// waits 50 seconds and then frees what they still point to.
//
// Safe there: the state is read under the window's lock; the queue pair may be
// destroyed, and nothing waits for references to it yet.

@not_bound@
identifier mw;
@@
 rxe_check_invalidate_mw(..., struct rxe_mw *mw)
 {
 <+...
- mw->state == RXE_MW_STATE_INVALID
+ mw->state != RXE_MW_STATE_VALID
 ...+>
 }

@unbind@
@@
- static
 void rxe_do_invalidate_mw(struct rxe_mw *mw) { ... }

@destroy@
identifier err, qp;
statement S;
@@
 rxe_destroy_qp(...)
 {
 <...
 err = rxe_qp_chk_destroy(qp);
 if (err) S
+ srxe_unbind_windows(qp);
 ...>
 }

@bind@
symbol ret, qp, wqe;
@@
 rxe_do_local_ops(...)
 {
 <+...
- ret = rxe_bind_mw(qp, wqe);
+ ret = srxe_bind_mw(qp, wqe);
 ...+>
 }
