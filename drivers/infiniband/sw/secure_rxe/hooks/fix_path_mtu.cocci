// SPDX-License-Identifier: GPL-2.0
//
// Fix: a path MTU above that of the link is refused. rxe compares it with the
// largest there is, and then its packets do not fit (they carry DF).
//
// Safe there: a queue pair that has its path MTU keeps it when the netdev's MTU
// changes, and the check is for those that ask for one now.

@path_mtu@
symbol port;
@@
 rxe_qp_chk_attr(...)
 {
 <+...
- port->attr.max_mtu
+ port->attr.active_mtu
 ...+>
 }
