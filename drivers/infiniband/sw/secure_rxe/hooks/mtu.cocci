// SPDX-License-Identifier: GPL-2.0
//
// MTU: what a netdev's MTU leaves for payload is less by what sealing adds.
//
// Safe there: the one place where rxe turns a netdev's MTU into a link's, when
// a link is made and whenever the netdev's MTU changes.

@mtu_inc depends on file in "rxe_param.h"@
@@
 #include <uapi/rdma/rdma_user_rxe.h>
+#include <rdma/srxe_wire.h>

@overhead@
identifier mtu;
@@
 eth_mtu_int_to_enum(int mtu)
 {
- mtu -= RXE_MAX_HDR_LENGTH;
+ mtu -= RXE_MAX_HDR_LENGTH + (int)SRXE_OVERHEAD;
 ...
 }
