// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tracepoints, and what is gathered for them while somebody is tracing.
 */
#include "srxe_pkt.h"

#define CREATE_TRACE_POINTS
#include "srxe_trace.h"

/*
 * In a packet that was opened the BTH has moved, over SETH, and begins where it
 * did not before: what it had for an SPI is gone.
 */
static void fill_headers(struct srxe_trace_pkt *pkt, const struct sk_buff *skb)
{
	const u8 *hdr = skb_transport_header(skb) + sizeof(struct udphdr);
	const struct srxe_bth *bth = (const struct srxe_bth *)hdr;
	const struct srxe_seth *seth = (const struct srxe_seth *)(bth + 1);

	if (skb_tail_pointer(skb) < hdr)
		return;
	pkt->len = skb_tail_pointer(skb) - hdr;
	if (pkt->len < sizeof(*bth))
		return;
	pkt->opcode = bth->opcode;
	pkt->qpn = be32_to_cpu(bth->qpn) & SRXE_BTH_QPN_MASK;
	if (bth->flags & SRXE_BTH_TVER_MASK && pkt->len >= sizeof(*bth) + sizeof(*seth) &&
	    skb->data <= hdr)
		pkt->spi = be32_to_cpu(seth->spi);
}

/**
 * srxe_count_drop() - count that a packet is dropped, and tell who traces
 * @rxe: device
 * @skb: packet, linear, with IP and UDP header, in whatever state
 * @reason: counter
 *
 * Context: any.
 */
void srxe_count_drop(struct rxe_dev *rxe, const struct sk_buff *skb, int reason)
{
	struct srxe_trace_pkt pkt = { };

	rxe_counter_inc(rxe, reason);
	if (!trace_srxe_drop_enabled())
		return;
	srxe_addrs(skb, &pkt.saddr, &pkt.daddr);
	fill_headers(&pkt, skb);
	trace_srxe_drop(rxe, &pkt, reason);
}
