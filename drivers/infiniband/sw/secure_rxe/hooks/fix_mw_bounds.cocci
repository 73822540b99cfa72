// SPDX-License-Identifier: GPL-2.0
//
// Fix: a memory window confines an access to its own bounds. rxe checks only
// those of the memory region that it is bound to.
//
// Safe there: the window is still held, and the error path puts both.

@mw_range@
symbol qp, pkt, mr, mw, state, err;
@@
 check_rkey(...)
 {
 <+...
 rxe_get(mr);
+	if (srxe_check_mw(qp, pkt, mw, mr)) {
+		state = RESPST_ERR_RKEY_VIOLATION;
+		goto err;
+	}
 rxe_put(mw);
 ...+>
 }
