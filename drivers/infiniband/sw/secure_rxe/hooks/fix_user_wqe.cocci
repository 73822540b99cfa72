// SPDX-License-Identifier: GPL-2.0
//
// Fix: work requests of user space come from a ring that it can write at any
// time. Their opcode is no index before it is bounded, and a request to
// register memory, whose memory region is a kernel pointer in the request, is
// refused.
//
// Safe there: an opcode out of bounds has no properties, and the requester
// fails what has none; rxe's user library knows neither.

@opcode_bound@
identifier opcode;
@@
 wr_opcode_mask(int opcode, ...)
 {
+ if (!srxe_wr_opcode_ok(&opcode))
+	return 0;
 return ...;
 }

@opcode_count_inc depends on file in "rxe_opcode.c"@
@@
 #include "rxe_hdr.h"
+#include "srxe_hooks.h"

@opcode_count@
@@
 struct rxe_wr_opcode_info rxe_wr_opcode_info[] = { ... };
+const unsigned int srxe_wr_opcode_count = ARRAY_SIZE(rxe_wr_opcode_info);

@reg_mr@
symbol ret, qp, wqe;
@@
 rxe_do_local_ops(...)
 {
 <+...
- ret = rxe_reg_fast_mr(qp, wqe);
+ ret = srxe_reg_fast_mr(qp, wqe);
 ...+>
 }
