// SPDX-License-Identifier: GPL-2.0
//
// Fix: what is sent once more, and from where on.
//
// An ACK may come while its request is being sent for a second time. It counts,
// but rxe completes the request only when all of it has been sent again. If it
// is to be sent a third time before that, there is nothing left of it to send:
// rxe makes a request of no length of it, with a number that is the next one's,
// and everything behind it is one off. And a request of which a part is to be
// sent again is taken for one never sent if that is decided twice: it begins
// anew, in the middle. The responder finds opcodes out of order in both cases
// and the connection ends.
//
// Safe there: the send task is the only one to move on in its ring, and a
// request that is done is completed by the next look at it, as those are that
// need no ACK.

@settled@
symbol qp, wqe, exit, done;
@@
 rxe_requester(...)
 {
 ... when exists
 wqe = req_next_wqe(qp);
 if (unlikely(!wqe))
	goto exit;
+ if (srxe_skip_settled(qp, wqe))
+	goto done;
 ... when any
 }

@again@
symbol qp, wqe;
@@
 req_retry(...)
 {
 <+...
 if (wqe->state == wqe_state_done)
	continue;
+ if (srxe_settled(qp, wqe))
+	continue;
 ...
- wqe->state = wqe_state_posted;
+ srxe_send_again(qp, wqe);
 ...+>
 }
