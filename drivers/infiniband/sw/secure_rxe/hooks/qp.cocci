// SPDX-License-Identifier: GPL-2.0
//
// Queue pairs: the security state of a connection follows the queue pair.
//
// Safe there: init runs first of all that can fail, and fini last, when no
// reference is left; both run in process context. A queue pair whose creation
// fails sees init and fini, and nothing else.

@qp_member@
@@
 struct rxe_qp {
 ...
+	struct srxe_qp		sec;
 };

@init@
identifier qp;
@@
 rxe_qp_init_misc(struct rxe_dev *rxe, struct rxe_qp *qp, ...)
 {
 ...
 spin_lock_init(&qp->state_lock);
+ srxe_qp_init(qp);
 ...
 }

// all of rxe's own checks passed, nothing is changed yet
@chk_attr@
identifier qp, attr, mask;
@@
 rxe_qp_chk_attr(struct rxe_dev *rxe, struct rxe_qp *qp, struct ib_qp_attr *attr, int mask)
 {
 ... when exists
- return 0;
+ return srxe_qp_chk_attr(qp, attr, mask);
 ...
 }

// the only return of success: address, numbers and state are all written
@modified@
identifier qp, attr, mask;
@@
 rxe_qp_from_attr(struct rxe_qp *qp, struct ib_qp_attr *attr, int mask, ...)
 {
 ...
+ srxe_qp_modified(qp, attr, mask);
 return 0;
 }

// tasks are disabled, queues not drained yet: what is drained finds no SA
@reset@
identifier qp;
@@
 rxe_qp_reset(struct rxe_qp *qp)
 {
 ...
 rxe_disable_task(&qp->send_task);
+ srxe_qp_reset(qp);
 ...
 }

@reset_61@
identifier qp;
@@
 rxe_qp_reset(struct rxe_qp *qp)
 {
 ...
+ srxe_qp_reset(qp);
 qp->req.state = QP_STATE_RESET;
 ...
 }

// before the wait for the last reference, which work of ours may hold
@destroy@
identifier qp;
symbol err;
@@
 rxe_destroy_qp(...)
 {
 <...
+ srxe_qp_destroy(qp);
 err = rxe_cleanup(qp);
 ...>
 }

@destroy_61@
symbol qp;
@@
 rxe_destroy_qp(...)
 {
 <...
+ srxe_qp_destroy(qp);
 rxe_cleanup(qp);
 ...>
 }

// after the flush, which still makes completions
@fini@
identifier qp;
@@
 rxe_qp_do_cleanup(...)
 {
 ...
+ srxe_qp_fini(qp);
 free_rd_atomic_resources(qp);
 ...
 }
