/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses and descriptions as text, for the suites of keys and rings.
 */
#ifndef SRXE_ADDR_H
#define SRXE_ADDR_H

#include <kunit/test.h>
#include <linux/inet.h>
#include <net/ipv6.h>

#include "srxe_psk_match.h"

/* The address @text stands for; an IPv4 one becomes a mapped one. */
static inline struct in6_addr addr(struct kunit *test, const char *text)
{
	struct in6_addr a;
	__be32 v4;

	if (in4_pton(text, -1, (u8 *)&v4, -1, NULL))
		ipv6_addr_set_v4mapped(v4, &a);
	else
		KUNIT_ASSERT_EQ(test, in6_pton(text, -1, a.s6_addr, -1, NULL), 1);
	return a;
}

/* What the description @desc stands for. */
static inline struct srxe_psk_match match_of(struct kunit *test, const char *desc)
{
	struct srxe_psk_match match;
	const char *why;

	KUNIT_ASSERT_EQ_MSG(test, srxe_psk_match_parse(desc, &match, &why), 0, "%s", desc);
	return match;
}

#endif /* SRXE_ADDR_H */
