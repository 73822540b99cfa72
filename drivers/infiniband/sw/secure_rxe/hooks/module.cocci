// SPDX-License-Identifier: GPL-2.0
//
// Start and end of the protection layer.
//
// Safe there: the link type is registered right after the start and is gone
// before the end, so no link exists while either runs. An rxe with a workqueue
// of its own has more to undo.

@init@
symbol err;
@@
 rxe_module_init(void)
 {
 ...
 err = rxe_net_init();
 if (err)
	return err;
+	err = srxe_init();
+	if (err) {
+		rxe_net_exit();
+		return err;
+	}
 ...
 }

@init_wq@
symbol err;
@@
 rxe_module_init(void)
 {
 ...
 err = rxe_net_init();
 if (err) {
	rxe_destroy_wq();
	return err;
 }
+	err = srxe_init();
+	if (err) {
+		rxe_net_exit();
+		rxe_destroy_wq();
+		return err;
+	}
 ...
 }

@exit@
@@
 rxe_module_exit(void)
 {
 ...
 rdma_link_unregister(&rxe_link_ops);
+ srxe_exit();
 ...
 }
