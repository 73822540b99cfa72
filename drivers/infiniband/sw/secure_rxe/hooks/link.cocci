// SPDX-License-Identifier: GPL-2.0
//
// Links: our part of a device lives as long as the device.
//
// Safe there: srxe_link_attach() runs before ib_register_device(), so nothing
// finds a device without it; srxe_link_release() is the last thing that
// rxe_dealloc() does, and rxe_dealloc() is called exactly once for every
// device whose operations were set, also when registration fails.

@dev_member@
@@
 struct rxe_dev {
 ...
+	struct srxe_dev		sec;
 };

@newlink@
@@
 rxe_newlink(...)
 {
 <+...
- rxe_net_add
+ srxe_link_add
 (...)
 ...+>
 }

// the device may be gone after the put: log first
@newlink_log@
identifier rxe, ndev;
expression fmt;
@@
 rxe_newlink(const char *ibdev_name, struct net_device *ndev)
 {
 <...
- ib_device_put(&rxe->ib_dev);
 rxe_err_dev(rxe, fmt, ndev->name);
+ ib_device_put(&rxe->ib_dev);
 ...>
 }

@attach@
identifier rxe, dev, err;
expression name, dma;
@@
 rxe_register_device(struct rxe_dev *rxe, ...)
 {
 ...
+ err = srxe_link_attach(rxe, name);
+ if (err)
+	return err;
 err = ib_register_device(dev, name, dma);
 ...
 }

@ops@
identifier dev;
@@
 rxe_register_device(...)
 {
 ...
 ib_set_device_ops(dev, &rxe_dev_ops);
+ srxe_set_ops(dev);
 ...
 }

@release@
identifier rxe;
@@
 rxe_dealloc(...)
 {
 ...
 mutex_destroy(&rxe->usdev_lock);
+ srxe_link_release(rxe);
 }
