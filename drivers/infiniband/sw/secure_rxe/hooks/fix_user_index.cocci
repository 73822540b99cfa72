// SPDX-License-Identifier: GPL-2.0
//
// Fix: how far a ring is filled is an index that user space can write at any
// time. It is masked where it is read, or a loop from one index to the other
// never ends; and what empties a ring takes no more at a stretch than fits into
// it, however fast user space adds to it.
//
// Safe there: the kernel's own indices are masked already. Whoever adds
// requests schedules the task that takes them, so nothing stays behind; a
// response that is dropped where the completer stops is one that was lost.

@producer@
symbol prod, q;
@@
 queue_get_producer(...)
 {
 ...
- return prod;
+ return prod & q->index_mask;
 }

@emptied@
identifier fn = {flush_send_queue, flush_recv_queue, rxe_drain_resp_pkts, rxe_drain_req_pkts};
identifier q;
expression E;
@@
 fn(...)
 {
 ...
 struct rxe_queue *q = E;
+ unsigned int taken = 0;
 <+...
- queue_head(q, q->type)
+ srxe_ring_next(q, &taken)
 ...+>
 }

@completed@
symbol qp, pkt, wqe, state;
identifier ret;
@@
 rxe_completer(...)
 {
 ...
 int ret;
+ unsigned int taken = 0;
 <+...
 state = complete_wqe(qp, pkt, wqe);
+ if (srxe_ring_round(qp->sq.queue, &taken))
+	state = COMPST_DONE;
 ...+>
 }
