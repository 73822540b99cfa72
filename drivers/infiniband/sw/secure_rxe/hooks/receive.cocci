// SPDX-License-Identifier: GPL-2.0
//
// Receive: every packet, from the wire or looped back, is opened before rxe
// looks at it, and its packet info starts from zero.
//
// Safe there: both callers of rxe_rcv() own the skb and hold a reference to the
// device; srxe_rcv() takes both over as rxe_rcv() does.

@open@
identifier fn = {rxe_udp_encap_recv, rxe_loopback};
expression skb;
@@
 fn(...)
 {
 <...
- rxe_rcv(skb);
+ srxe_rcv(skb);
 ...>
 }

// Early drops in rxe_rcv() look at the packet info, which lives in skb->cb and
// holds what the IP layer left there.
@info@
identifier skb, pkt;
@@
 rxe_udp_encap_recv(struct sock *sk, struct sk_buff *skb)
 {
 ...
 struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);
+
+ srxe_pkt_init(skb);
 ...
 }

// A looped back packet starts like one from the wire: the sender's packet info
// says what was meant to be sent, not what was sealed.
@info_loopback@
identifier skb, pkt;
@@
 rxe_loopback(struct sk_buff *skb, struct rxe_pkt_info *pkt)
 {
 ...
- memcpy(SKB_TO_PKT(skb), pkt, sizeof(*pkt));
+ srxe_pkt_loopback(skb, pkt);
 ...
 }

// A packet tap may share the data, and opening writes it in place: get a copy
// of our own before pkt->hdr points into it.
@private@
expression skb;
@@
 rxe_udp_encap_recv(...)
 {
 <+...
- skb_linearize(skb)
+ skb_linearize_cow(skb)
 ...+>
 }

// An opened packet has no ICRC but in header mode. With the queue pair found,
// this is also where a packet is held to be for that very queue pair.
@last_check@
expression skb, pkt;
@@
 rxe_rcv(...)
 {
 <+...
- rxe_icrc_check(skb, pkt)
+ srxe_rcv_check(skb, pkt)
 ...+>
 }

// A packet that crossed a reset of its queue pair is in the queue of a task, and
// the task must not see it.
@next_request@
symbol qp;
@@
 get_req(...)
 {
 <+...
- skb_peek(&qp->req_pkts)
+ srxe_next_request(qp)
 ...+>
 }

@next_response@
symbol qp;
@@
 rxe_completer(...)
 {
 <+...
- skb_dequeue(&qp->resp_pkts)
+ srxe_next_response(qp)
 ...+>
 }

// On transmit the work request, on receive what srxe_rcv() found out. There is
// no room for both: the packet info fills skb->cb.
@pkt_info@
@@
 struct rxe_pkt_info {
 ...
-	struct rxe_send_wqe	*wqe;
+	union {
+		struct rxe_send_wqe	*wqe;
+		u64			srxe_conn_id;
+	};
 ...
+	u8			srxe_flags;
 };
