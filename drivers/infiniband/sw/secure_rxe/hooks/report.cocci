// SPDX-License-Identifier: GPL-2.0
//
// Reporting: our counters beside rxe's, and the reason in a failed completion.
//
// Safe there: the array of counters is sized by the enum, rxe itself asserts at
// build time that every counter has a name, and the completion was just zeroed.

@counters_inc depends on file in "rxe_hw_counters.h"@
@@
 #define RXE_HW_COUNTERS_H
+#include "srxe_stats.h"

@counters@
@@
 enum rxe_counters {
 ...,
 RXE_CNT_RDMA_RECV,
-RXE_NUM_OF_COUNTERS
+SRXE_CNT_IDS,
+RXE_NUM_OF_COUNTERS
 };

@counter_names@
symbol rxe_counter_descs;
@@
 struct rdma_stat_desc rxe_counter_descs[] = {
 ...,
+	SRXE_CNT_DESCS,
 };

@vendor_err@
identifier qp, wqe, cqe;
@@
 make_send_cqe(struct rxe_qp *qp, struct rxe_send_wqe *wqe, struct rxe_cqe *cqe)
 {
 ...
 memset(cqe, 0, sizeof(*cqe));
+ srxe_set_vendor_err(qp, wqe, cqe);
 ...
 }
