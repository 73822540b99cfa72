/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which peers a pre-shared key is for, as its description says:
 *
 *   peer:<address>[/<length>][#<tag>]	default[#<tag>]
 *
 * Pure functions. One peer or prefix has one spelling, so that a keyring, which
 * compares descriptions as text, holds it only once per tag.
 */
#ifndef SRXE_PSK_MATCH_H
#define SRXE_PSK_MATCH_H

#include <linux/in6.h>
#include <linux/types.h>

#define SRXE_PSK_TAG_MAX	63
/* Longest description, its NUL included */
#define SRXE_PSK_DESC_MAX	128

/* Ranks order matches: the default, then prefixes from 0 to 128 bits. */
#define SRXE_RANK_DEFAULT	0
#define SRXE_RANK_HOST		129
#define SRXE_RANK_COUNT		130

/**
 * struct srxe_psk_match - a description, understood
 * @addr: address or prefix, IPv4 as v4-mapped, bits below the prefix length
 *	are 0; :: for the default
 * @rank: SRXE_RANK_DEFAULT, or 1 + prefix length in bits (of 128)
 * @tag: what stands behind '#', or an empty string
 *
 * Keys whose @addr and @rank are equal are alternatives for the same peers.
 */
struct srxe_psk_match {
	struct in6_addr	addr;
	u8		rank;
	char		tag[SRXE_PSK_TAG_MAX + 1];
};

int srxe_psk_match_parse(const char *desc, struct srxe_psk_match *match, const char **why);
int srxe_psk_match_format(const struct srxe_psk_match *match, char *buf, size_t size);
bool srxe_psk_match_covers(const struct srxe_psk_match *match, const struct in6_addr *peer);
int srxe_psk_match_cmp(const struct srxe_psk_match *a, const struct srxe_psk_match *b);
bool srxe_psk_match_equal(const struct srxe_psk_match *a, const struct srxe_psk_match *b);
void srxe_psk_match_prefix(const struct in6_addr *peer, u8 rank, struct in6_addr *addr);

#endif /* SRXE_PSK_MATCH_H */
