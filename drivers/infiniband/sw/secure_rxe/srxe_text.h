/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Addresses as people write them. */
#ifndef SRXE_TEXT_H
#define SRXE_TEXT_H

#include <linux/in6.h>
#include <linux/kernel.h>
#include <net/ipv6.h>

/* Longest address. */
#define SRXE_ADDR_TEXT	40

/**
 * srxe_addr_text() - an address as text
 * @addr: address, IPv4 as v4-mapped
 * @text: where it goes
 *
 * Context: any.
 */
static inline void srxe_addr_text(const struct in6_addr *addr, char text[SRXE_ADDR_TEXT])
{
	if (ipv6_addr_v4mapped(addr))
		snprintf(text, SRXE_ADDR_TEXT, "%pI4", &addr->s6_addr32[3]);
	else
		snprintf(text, SRXE_ADDR_TEXT, "%pI6c", addr);
}

#endif /* SRXE_TEXT_H */
