// SPDX-License-Identifier: GPL-2.0
//
// Requester: as for a receiver that is not ready, the send task stops until the
// SA stands, and fails the work request if it never will.
//
// Safe there: nothing of the packet exists yet, the queue pair's state was
// checked, and both exits are those that rxe takes at this very place.

@pause@
symbol qp, wqe, opcode, exit, err;
@@
 rxe_requester(...)
 {
 ... when exists
+	switch (srxe_tx_ready(qp, wqe)) {
+	case SRXE_TX_READY:
+		break;
+	case SRXE_TX_WAIT:
+		goto exit;
+	case SRXE_TX_FAILED:
+		goto err;
+	}
 opcode = next_opcode(qp, wqe, wqe->wr.opcode);
 ...
 }
