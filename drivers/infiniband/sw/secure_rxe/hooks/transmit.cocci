// SPDX-License-Identifier: GPL-2.0
//
// Transmit: rxe_xmit_packet() hands the finished packet to srxe_seal(). Its
// tail moves, as it stands, into a function of its own, which the completion of
// an asynchronous crypto operation calls as well.
//
// Safe there: every packet of every service goes through rxe_xmit_packet(), its
// headers and payload are final, and nobody else has the skb yet.

@tail@
@@
+int srxe_xmit_tail(struct sk_buff *skb, struct rxe_pkt_info *pkt)
+{
+	if (pkt->mask & RXE_LOOPBACK_MASK)
+		return rxe_loopback(skb, pkt);
+	return rxe_send(skb, pkt);
+}
+
 int rxe_xmit_packet(struct rxe_qp *qp, struct rxe_pkt_info *pkt, struct sk_buff *skb) { ... }

@seal@
symbol err;
identifier qp, pkt, skb;
@@
 int rxe_xmit_packet(struct rxe_qp *qp, struct rxe_pkt_info *pkt, struct sk_buff *skb)
 {
 ... when exists
-	rxe_icrc_generate(skb, pkt);
-	if (pkt->mask & RXE_LOOPBACK_MASK)
-		err = rxe_loopback(skb, pkt);
-	else
-		err = rxe_send(skb, pkt);
+	err = srxe_seal(qp, pkt, skb);
 ...
 }

// head and tail room for what a sealed packet has more; srxe_alloc_skb()
// reserves the head room, rxe's own skb_reserve() adds to that
@room@
expression size;
@@
 rxe_init_packet(...)
 {
 <+...
- alloc_skb(size, GFP_ATOMIC)
+ srxe_alloc_skb(size)
 ...+>
 }
