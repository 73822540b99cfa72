// SPDX-License-Identifier: GPL-2.0
//
// Mappings: since our devices can be disassociated from their users, a mapping
// may outlive the user context, the device and the link. The core then no
// longer pins the module for an open context either, so each mapping does.
//
// Safe there: an object that was never mapped is still on the device's list,
// and then its context and device exist; once mapped it is off the list for
// good, and nothing of the device is needed to free it.

@release_unmapped@
symbol ip, rxe;
@@
 rxe_mmap_release(...)
 {
 ...
- struct rxe_dev *rxe = to_rdev(ip->context->device);
+ struct rxe_dev *rxe;
+
+ if (list_empty(&ip->pending_mmaps))
+	goto free;
+ rxe = to_rdev(ip->context->device);
 ...
 spin_unlock_bh(&rxe->pending_lock);
+free:
 ...
 }

@vma_open@
@@
 rxe_vma_open(...)
 {
 ...
+ srxe_mapping_get();
 kref_get(...);
 }

@vma_close@
@@
 rxe_vma_close(...)
 {
 ...
 kref_put(...);
+ srxe_mapping_put();
 }

@vma_new@
identifier vma;
@@
 rxe_mmap(..., struct vm_area_struct *vma)
 {
 ... when exists
+ srxe_mapping_get();
 vma->vm_ops = &rxe_vm_ops;
 ... when exists
 }

@vma_failed@
identifier vma;
@@
 rxe_mmap(..., struct vm_area_struct *vma)
 {
 <+...
 vma->vm_ops = NULL;
+ srxe_mapping_put();
 ...+>
 }
