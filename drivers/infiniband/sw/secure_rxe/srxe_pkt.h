/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The IP and UDP headers around a packet of ours.
 */
#ifndef SRXE_PKT_H
#define SRXE_PKT_H

#include <linux/if_ether.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ipv6.h>
#include <rdma/srxe_wire.h>

/**
 * srxe_opcode_kind() - kind of SA that serves an IBTA opcode
 * @opcode: from a BTH
 *
 * Context: any.
 * Return: enum srxe_kind, UD standing for GSI as well; 0 for other services
 * and for opcodes of our own.
 */
static inline u8 srxe_opcode_kind(u8 opcode)
{
	switch (opcode >> 5) {
	case 0:
		return SRXE_KIND_RC;
	case 1:
		return SRXE_KIND_UC;
	case 3:
		return SRXE_KIND_UD;
	default:
		return 0;
	}
}

/**
 * srxe_ip_len() - length of a packet's IP header
 * @skb: packet; its IP header has neither options nor extensions
 *
 * Context: any.
 * Return: bytes.
 */
static inline unsigned int srxe_ip_len(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IP) ? sizeof(struct iphdr) :
						  sizeof(struct ipv6hdr);
}

/**
 * srxe_addrs() - addresses of a packet
 * @skb: packet, network header set
 * @saddr: source, IPv4 as v4-mapped
 * @daddr: destination, likewise
 *
 * Context: any.
 */
static inline void srxe_addrs(const struct sk_buff *skb, struct in6_addr *saddr,
			      struct in6_addr *daddr)
{
	if (skb->protocol == htons(ETH_P_IP)) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, daddr);
	} else {
		*saddr = ipv6_hdr(skb)->saddr;
		*daddr = ipv6_hdr(skb)->daddr;
	}
}

/**
 * srxe_set_lengths() - make IP and UDP headers say how long a packet is
 * @skb: packet; IP and UDP header stand one behind the other
 * @len: bytes from the BTH on
 *
 * Context: any.
 */
static inline void srxe_set_lengths(struct sk_buff *skb, unsigned int len)
{
	len += sizeof(struct udphdr);
	udp_hdr(skb)->len = htons(len);
	if (skb->protocol == htons(ETH_P_IP))
		ip_hdr(skb)->tot_len = htons(len + sizeof(struct iphdr));
	else
		ipv6_hdr(skb)->payload_len = htons(len);
}

#endif /* SRXE_PKT_H */
