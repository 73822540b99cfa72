// SPDX-License-Identifier: GPL-2.0
//
// Fix: an object that goes is freed when nobody can still be looking at it.
// rxe looks objects up under RCU and takes a reference, but nothing waits for
// those that look before rdma-core frees the object: a look-up that is
// interrupted at the wrong moment takes a reference to freed memory. Packets
// of a peer look queue pairs and memory regions up.
//
// Safe there: the caller may sleep, holds no lock, and waits there anyway.

@looked_up@
symbol sleepable, pool;
@@
 __rxe_cleanup(...)
 {
 <+...
 if (sleepable) {
+	srxe_pool_erased(pool);
	if (...) { ... }
 }
 else { ... }
 ...+>
 }
