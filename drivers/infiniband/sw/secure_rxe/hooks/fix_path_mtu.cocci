// SPDX-License-Identifier: GPL-2.0
//
// Fix: a path MTU above that of the link is refused, or becomes the link's where
// the core has worked it out from the netdev alone (srxe_path_mtu()). rxe compares
// it with the largest there is, and then its packets do not fit (they carry DF).
//
// Safe there: a queue pair that has its path MTU keeps it when the netdev's MTU
// changes, and both places are for those that ask for one now.

@path_mtu@
symbol port;
identifier max_mtu;
@@
 rxe_qp_chk_attr(...)
 {
 <+...
- enum ib_mtu max_mtu = port->attr.max_mtu;
+ enum ib_mtu max_mtu = srxe_max_path_mtu(port);
 ...+>
 }

@path_mtu_set@
identifier qp, attr;
@@
 rxe_qp_from_attr(struct rxe_qp *qp, struct ib_qp_attr *attr, ...)
 {
 <+...
- qp->attr.path_mtu = attr->path_mtu;
- qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
+ qp->attr.path_mtu = srxe_path_mtu(qp, attr->path_mtu);
+ qp->mtu = ib_mtu_enum_to_int(qp->attr.path_mtu);
 ...+>
 }
