// SPDX-License-Identifier: GPL-2.0
//
// Datagrams: the Q_Key of a work request, and groups.
//
// A Q_Key with the highest bit set means the queue pair's own (IBA, 10.2.5), which
// rxe does not do: anybody could send what only the privileged may. And a group has
// no key, so a link that does not allow plain packets has no groups.
//
// Safe there: the request's Q_Key is read once and checked as it is read; nothing
// of the group exists yet.

@qkey@
symbol qp, pkt, ibwr;
@@
 init_req_packet(...)
 {
 <...
- deth_set_qkey(pkt, ibwr->wr.ud.remote_qkey);
+ deth_set_qkey(pkt, srxe_wr_qkey(qp, READ_ONCE(ibwr->wr.ud.remote_qkey)));
 ...>
 }

@attach_mcast@
symbol err;
identifier ibqp, mgid, mlid, rxe, qp;
@@
 rxe_attach_mcast(struct ib_qp *ibqp, union ib_gid *mgid, u16 mlid)
 {
 ...
 struct rxe_dev *rxe = to_rdev(ibqp->device);
 ...
 struct rxe_qp *qp = to_rqp(ibqp);
 ...
+ err = srxe_attach_mcast(qp, mgid);
+ if (err)
+	return err;
 mcg = rxe_get_mcg(rxe, mgid);
 ...
 }
