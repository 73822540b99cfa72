// SPDX-License-Identifier: GPL-2.0
//
// Identity: a link type of our own, and devices that are told apart from those
// of stock rxe, with which we share the driver id (so that rdma-core's provider
// works unchanged).
//
// Safe there: the driver id is only used to look devices up, and every look-up
// goes through rxe_get_dev_from_net(), which asks srxe_ours(). Module exit may
// not unregister by driver id; it has nothing to unregister, since every link
// pins the module.

@types_inc depends on file in "rxe_verbs.h"@
@@
 #include "rxe_hw_counters.h"
+#include "srxe_types.h"

@hooks_inc depends on file in "rxe.h"@
@@
+#include "srxe_hooks.h"
 #include "rxe_net.h"

@link_type@
@@
 struct rdma_link_ops rxe_link_ops = {
-	.type = "rxe",
+	.type = SRXE_LINK_TYPE,
	...
 };

@alias@
declarer name MODULE_ALIAS_RDMA_LINK;
@@
- MODULE_ALIAS_RDMA_LINK("rxe");
+ MODULE_ALIAS_RDMA_LINK(SRXE_LINK_TYPE);

@own_dev@
identifier ibdev;
@@
 rxe_get_dev_from_net(...)
 {
 ...
+ ibdev = srxe_ours(ibdev);
 if (!ibdev)
	return NULL;
 ...
 }

@unregister@
@@
- ib_unregister_driver(RDMA_DRIVER_RXE);
