// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Buffers with room for what sealing adds, and the packet info in them.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/moduleparam.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <rdma/srxe_wire.h>

#include "rxe.h"
#include "srxe_hooks.h"

/* Before the BTH of a packet that is sent, and behind its payload. */
#define SRXE_HEADROOM	(sizeof(struct srxe_seth) + SRXE_RKH_ROOM)
#define SRXE_TAILROOM	SRXE_ICV_LEN

/* The packet info fills skb->cb to the last byte. */
static_assert(sizeof(struct rxe_pkt_info) == sizeof_field(struct sk_buff, cb));

#if IS_ENABLED(CONFIG_SECURE_RXE_DEBUG)
static bool no_large_frags;
module_param(no_large_frags, bool, 0600);
MODULE_PARM_DESC(no_large_frags, "as if there were no pages in a row (tests only)");
#else
static const bool no_large_frags;
#endif

static struct sk_buff *alloc_large(unsigned int truesize)
{
	void *data = no_large_frags ? NULL : netdev_alloc_frag(truesize);
	struct sk_buff *skb;

	if (!data)
		return NULL;
	skb = build_skb(data, truesize);
	if (!skb)
		skb_free_frag(data);
	return skb;
}

/**
 * srxe_alloc_skb() - buffer for a packet that may be sealed
 * @size: bytes that rxe needs, all headers included
 *
 * Head room is reserved already; the caller reserves its own on top.
 *
 * What does not fit into a page is a page fragment: kmalloc() would take 8 KiB
 * for a full packet and clear them on hardened kernels, each time anew. But
 * fragments of that size need eight pages in a row, and without the allocator
 * may go on failing on that CPU; kmalloc() is content with two.
 *
 * Context: any.
 * Return: the buffer, or NULL.
 */
struct sk_buff *srxe_alloc_skb(unsigned int size)
{
	unsigned int truesize;
	struct sk_buff *skb = NULL;

	size += SRXE_HEADROOM + SRXE_TAILROOM;
	truesize = SKB_DATA_ALIGN(size) + SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	if (truesize > PAGE_SIZE)
		skb = alloc_large(truesize);
	if (!skb)
		skb = alloc_skb(size, GFP_ATOMIC);
	if (likely(skb))
		skb_reserve(skb, SRXE_HEADROOM);
	return skb;
}

static bool was_reassembled(const struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IP))
		return IPCB(skb)->frag_max_size;
	return IP6CB(skb)->flags & IP6SKB_FRAGMENTED;
}

/**
 * srxe_pkt_init() - start the packet info of a packet from the wire
 * @skb: the packet as UDP delivers it; what IP says in skb->cb is still there
 *
 * Context: softirq.
 */
void srxe_pkt_init(struct sk_buff *skb)
{
	struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);
	bool reassembled = was_reassembled(skb);

	memset(pkt, 0, sizeof(*pkt));
	if (reassembled)
		pkt->srxe_flags = SRXE_PKT_REASSEMBLED;
}

/**
 * srxe_pkt_loopback() - start the packet info of a packet that is looped back
 * @skb: the packet, headers set and skb->data at the IP header
 * @sent: the sender's packet info, not in @skb
 *
 * As for a packet from the wire, length and place come from the packet: sealing
 * moved its BTH and made it longer.
 *
 * Context: any.
 */
void srxe_pkt_loopback(struct sk_buff *skb, const struct rxe_pkt_info *sent)
{
	struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);
	const struct udphdr *udph = udp_hdr(skb);

	memset(pkt, 0, sizeof(*pkt));
	pkt->rxe = sent->rxe;
	pkt->port_num = sent->port_num;
	pkt->mask = RXE_GRH_MASK | RXE_LOOPBACK_MASK;
	pkt->hdr = (u8 *)(udph + 1);
	pkt->paylen = be16_to_cpu(udph->len) - sizeof(*udph);
}
