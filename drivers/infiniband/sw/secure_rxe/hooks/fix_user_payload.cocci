// SPDX-License-Identifier: GPL-2.0
//
// Fix: where payload is in a work request of user space, or which of its
// buffers is next, is in a ring that user space can write at any time. All of
// it is read once and bounded before anything is copied. With rxe as it is,
// an offset out of bounds sends kernel memory to the peer.
//
// Safe there: the helpers do what they replace and return its errors, and rxe
// fails the work request on any of them. Nothing else copies by what a ring
// says; what they replace is not called any more.

@inline_data@
symbol qp, wqe, pkt, payload, err;
identifier tmp;
@@
 finish_packet(...)
 {
 <+...
- u8 *tmp = &wqe->dma.inline_data[wqe->dma.sge_offset];
-
- memcpy(payload_addr(pkt), tmp, payload);
-
- wqe->dma.resid -= payload;
- wqe->dma.sge_offset += payload;
+ err = srxe_copy_inline(qp, &wqe->dma, payload_addr(pkt), payload);
+ if (err)
+	return err;
 ...+>
 }

@atomic_write@
symbol wqe, pkt, payload, err;
@@
 finish_packet(...)
 {
 <+...
- memcpy(payload_addr(pkt), wqe->dma.atomic_wr, payload);
- wqe->dma.resid -= payload;
+ err = srxe_copy_atomic_write(&wqe->dma, payload_addr(pkt), payload);
+ if (err)
+	return err;
 ...+>
 }

@copy_send@
expression dma, addr, length;
symbol qp;
@@
 finish_packet(...)
 {
 <+...
- copy_data(qp->pd, 0, dma, addr, length, RXE_FROM_MR_OBJ)
+ srxe_copy_send(qp, dma, addr, length)
 ...+>
 }

@copy_response@
identifier fn = {do_read, do_atomic};
expression dma, addr, length;
symbol qp;
@@
 fn(...)
 {
 <+...
- copy_data(qp->pd, IB_ACCESS_LOCAL_WRITE, dma, addr, length, RXE_TO_MR_OBJ)
+ srxe_copy_response(qp, dma, addr, length)
 ...+>
 }

@skip_send@
expression dma, length;
symbol qp;
@@
 retry_first_write_send(...)
 {
 <+...
- advance_dma_data(dma, length);
+ srxe_skip_send(qp, dma, length);
 ...+>
 }

@copy_recv@
expression dma, addr, length;
symbol qp;
@@
 send_data_in(...)
 {
 <+...
- copy_data(qp->pd, IB_ACCESS_LOCAL_WRITE, dma, addr, length, RXE_TO_MR_OBJ)
+ srxe_copy_recv(qp, dma, addr, length)
 ...+>
 }

// The copy of the request says again how many buffers there are.
@recv_num_sge@
identifier fn = {get_srq_wqe, rxe_get_recv_wqe};
symbol qp, wqe, size, num_sge;
@@
 fn(...)
 {
 <...
 memcpy(&qp->resp.srq_wqe, wqe, size);
+ qp->resp.srq_wqe.wqe.dma.num_sge = num_sge;
 ...>
 }

// A request in the error state whose status user space wrote over.
@no_status@
symbol wqe;
@@
 rxe_completer(...)
 {
 <+...
- WARN_ON_ONCE(wqe->status == IB_WC_SUCCESS);
+ srxe_fail_wqe(wqe);
 ...+>
 }
