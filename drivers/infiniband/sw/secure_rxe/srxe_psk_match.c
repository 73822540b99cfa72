// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Descriptions of pre-shared keys: parsing, canonical text, matching, order.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "srxe_psk_match.h"

#define PEER		"peer:"
#define DEFAULT		"default"
#define V4_OFFSET	96
#define ADDR_MAX	40	/* IPv6 text and its NUL */

static const char why_form[] = "expected peer:ADDRESS[/LENGTH][#TAG] or default[#TAG]";
static const char why_tag[] = "a tag is 1 to 63 letters, digits, '.', '_' or '-'";
static const char why_addr[] = "expected an IPv4 or IPv6 address after peer:";
static const char why_len[] = "expected a prefix length of at most 32 (IPv4) or 128 (IPv6)";
static const char why_host[] = "bits of the address below the prefix length must be 0";
static const char why_v4[] = "an IPv4 address is written as such, not as ::ffff:";
static const char why_canon[] =
	"expected canonical text (RFC 5952), and a length only if shorter than the address";

static int parse_tag(const char *tag, struct srxe_psk_match *match)
{
	size_t len = strlen(tag);
	size_t i;

	if (!len || len > SRXE_PSK_TAG_MAX)
		return -EINVAL;
	for (i = 0; i < len; i++)
		if (!isascii(tag[i]) || (!isalnum(tag[i]) && !strchr("._-", tag[i])))
			return -EINVAL;
	memcpy(match->tag, tag, len + 1);
	return 0;
}

/* Takes any text of an address; whether it was the canonical one is seen later. */
static int parse_addr(const char *s, size_t len, struct in6_addr *addr, unsigned int *bits)
{
	const char *end;
	__be32 v4;

	if (in4_pton(s, len, (u8 *)&v4, -1, &end) && end == s + len) {
		ipv6_addr_set_v4mapped(v4, addr);
		*bits = 32;
		return 0;
	}
	if (in6_pton(s, len, addr->s6_addr, -1, &end) && end == s + len) {
		*bits = 128;
		return 0;
	}
	return -EINVAL;
}

static int parse_len(const char *s, const char *end, unsigned int max, unsigned int *len)
{
	unsigned int n = 0;

	if (s == end || end - s > 3)
		return -EINVAL;
	for (; s < end; s++) {
		if (!isdigit(*s))
			return -EINVAL;
		n = n * 10 + *s - '0';
	}
	if (n > max)
		return -EINVAL;
	*len = n;
	return 0;
}

static const char *parse_peer(const char *s, const char *end, struct srxe_psk_match *match)
{
	const char *slash = memchr(s, '/', end - s);
	struct in6_addr addr;
	unsigned int bits, len;

	if (parse_addr(s, (slash ?: end) - s, &addr, &bits))
		return why_addr;
	len = bits;
	if (slash && parse_len(slash + 1, end, bits, &len))
		return why_len;
	if (bits == 32)
		len += V4_OFFSET;
	else if (len >= V4_OFFSET && ipv6_addr_v4mapped(&addr))
		return why_v4;

	match->rank = 1 + len;
	srxe_psk_match_prefix(&addr, match->rank, &match->addr);
	return ipv6_addr_equal(&addr, &match->addr) ? NULL : why_host;
}

static const char *parse(const char *desc, struct srxe_psk_match *match)
{
	const char *end = strchrnul(desc, '#');
	char canon[SRXE_PSK_DESC_MAX];
	const char *why;

	if (*end && parse_tag(end + 1, match))
		return why_tag;
	if (end - desc == strlen(DEFAULT) && str_has_prefix(desc, DEFAULT))
		return NULL;
	if (!str_has_prefix(desc, PEER))
		return why_form;
	why = parse_peer(desc + strlen(PEER), end, match);
	if (why)
		return why;
	srxe_psk_match_format(match, canon, sizeof(canon));
	return strcmp(desc, canon) ? why_canon : NULL;
}

/**
 * srxe_psk_match_parse() - understand a description
 * @desc: description, NUL-terminated
 * @match: filled in, all of it
 * @why: what was expected instead, when it is not understood; never user text
 *
 * Only the canonical text is taken: IPv4 dotted, IPv6 as in RFC 5952, no
 * length that is the whole address, no bits below the length.
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int srxe_psk_match_parse(const char *desc, struct srxe_psk_match *match, const char **why)
{
	memset(match, 0, sizeof(*match));
	*why = parse(desc, match);
	return *why ? -EINVAL : 0;
}

/* First of the longest runs of two or more zero groups, or -1. */
static int zero_run(const struct in6_addr *addr, int *runlen)
{
	int best = -1, best_len = 1, i, n;

	for (i = 0; i < 8; i += n + 1) {
		for (n = 0; i + n < 8 && !addr->s6_addr16[i + n]; n++)
			;
		if (n > best_len) {
			best = i;
			best_len = n;
		}
	}
	*runlen = best_len;
	return best;
}

/*
 * %pI6c would do but for ISATAP, which it writes with a dotted tail, unlike
 * everybody's inet_ntop().
 */
static void format_v6(const struct in6_addr *addr, char *buf, size_t size)
{
	int runlen, run = zero_run(addr, &runlen);
	size_t n = 0;
	int i;

	for (i = 0; i < 8; i++) {
		if (i == run) {
			n += scnprintf(buf + n, size - n, "::");
			i += runlen - 1;
			continue;
		}
		n += scnprintf(buf + n, size - n, "%s%x",
			       i && i != run + runlen ? ":" : "",
			       ntohs(addr->s6_addr16[i]));
	}
}

/**
 * srxe_psk_match_format() - the canonical description
 * @match: what it is to say
 * @buf: where to; SRXE_PSK_DESC_MAX bytes hold any
 * @size: of @buf, bytes
 *
 * Context: any.
 * Return: length of the text in bytes, its NUL not counted.
 */
int srxe_psk_match_format(const struct srxe_psk_match *match, char *buf, size_t size)
{
	unsigned int len = match->rank - 1;
	const char *hash = match->tag[0] ? "#" : "";
	char addr[ADDR_MAX], slash[8] = "";

	if (match->rank == SRXE_RANK_DEFAULT)
		return scnprintf(buf, size, DEFAULT "%s%s", hash, match->tag);

	if (match->rank != SRXE_RANK_HOST)
		snprintf(slash, sizeof(slash), "/%u", len);
	if (len >= V4_OFFSET && ipv6_addr_v4mapped(&match->addr)) {
		snprintf(addr, sizeof(addr), "%pI4", &match->addr.s6_addr32[3]);
		if (match->rank != SRXE_RANK_HOST)
			snprintf(slash, sizeof(slash), "/%u", len - V4_OFFSET);
	} else {
		format_v6(&match->addr, addr, sizeof(addr));
	}
	return scnprintf(buf, size, PEER "%s%s%s%s", addr, slash, hash, match->tag);
}

/**
 * srxe_psk_match_prefix() - what a match of some rank must have as its address
 * @peer: peer's address, IPv4 as v4-mapped
 * @rank: rank, see &struct srxe_psk_match
 * @addr: filled in: the address cut to the rank's length
 *
 * Context: any.
 */
void srxe_psk_match_prefix(const struct in6_addr *peer, u8 rank, struct in6_addr *addr)
{
	if (rank == SRXE_RANK_DEFAULT)
		memset(addr, 0, sizeof(*addr));
	else
		ipv6_addr_prefix(addr, peer, rank - 1);
}

/**
 * srxe_psk_match_covers() - is a key with that description for that peer?
 * @match: description
 * @peer: peer's address, IPv4 as v4-mapped
 *
 * Context: any.
 * Return: true if it is, leaving open whether a longer prefix is too.
 */
bool srxe_psk_match_covers(const struct srxe_psk_match *match, const struct in6_addr *peer)
{
	struct in6_addr addr;

	srxe_psk_match_prefix(peer, match->rank, &addr);
	return ipv6_addr_equal(&addr, &match->addr);
}

/**
 * srxe_psk_match_cmp() - order of descriptions, tags aside
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: below 0 if @a comes first: the longer prefix, then the lower
 * address; 0 if they are alternatives for the same peers.
 */
int srxe_psk_match_cmp(const struct srxe_psk_match *a, const struct srxe_psk_match *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return memcmp(&a->addr, &b->addr, sizeof(a->addr));
}

/**
 * srxe_psk_match_equal() - do two descriptions read the same?
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: true if peers and tag are equal.
 */
bool srxe_psk_match_equal(const struct srxe_psk_match *a, const struct srxe_psk_match *b)
{
	return !srxe_psk_match_cmp(a, b) && !strcmp(a->tag, b->tag);
}
