// SPDX-License-Identifier: GPL-2.0
/* Peers as keys name them: peer:ADDRESS[/LEN][#TAG] or default[#TAG]. */

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srxe.h"

#define TAG_MAX	63

static const char peer_prefix[] = "peer:";

static bool starts(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

/* Does the word name a key by its description, not by its serial? */
bool peer_is_keyspec(const char *word)
{
	return starts(word, peer_prefix) || starts(word, "default");
}

/* What stands behind "peer:" in a description; "default" stands alone. */
const char *peer_of(const char *desc)
{
	return starts(desc, peer_prefix) ? desc + strlen(peer_prefix) : desc;
}

/* Text of an address; v4-mapped ones as IPv4, but no others with dots. */
void peer_format(const struct in6_addr *addr, char text[INET6_ADDRSTRLEN])
{
	if (IN6_IS_ADDR_V4MAPPED(addr))
		inet_ntop(AF_INET, &addr->s6_addr[12], text, INET6_ADDRSTRLEN);
	else if (IN6_IS_ADDR_V4COMPAT(addr) && addr->s6_addr16[6])
		snprintf(text, INET6_ADDRSTRLEN, "::%x:%x", ntohs(addr->s6_addr16[6]),
			 ntohs(addr->s6_addr16[7]));
	else
		inet_ntop(AF_INET6, addr, text, INET6_ADDRSTRLEN);
}

/* Returns: bits of the address as written, 0 when it is none. */
static unsigned int parse_address(const char *word, struct in6_addr *addr)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, word, &v4) == 1) {
		memset(addr, 0, sizeof(*addr));
		addr->s6_addr[10] = 0xff;
		addr->s6_addr[11] = 0xff;
		memcpy(&addr->s6_addr[12], &v4, sizeof(v4));
		return 32;
	}
	return inet_pton(AF_INET6, word, addr) == 1 ? 128 : 0;
}

static bool host_bits_clear(const struct in6_addr *addr, unsigned int len)
{
	unsigned int bit;

	for (bit = len; bit < 128; bit++) {
		if (addr->s6_addr[bit / 8] & (0x80 >> (bit % 8)))
			return false;
	}
	return true;
}

/* Returns: the length behind the slash, or -1. */
static int parse_len(const char *text, unsigned int max)
{
	unsigned long len;
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	len = strtoul(text, &end, 10);
	return *end || len > max ? -1 : (int)len;
}

/* ADDRESS[/LEN], without a tag, into the one spelling that the kernel takes. */
static int canonical(const char *word, char *spec, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	char *slash = strchr(spec, '/');
	struct in6_addr addr;
	unsigned int bits;
	int len;

	if (slash)
		*slash++ = '\0';
	bits = parse_address(spec, &addr);
	if (!bits)
		return syntax("\"%s\": \"%s\" is not an IP address", word, spec);
	/* What is written as ::ffff:a.b.c.d is IPv4. */
	if (bits == 128 && IN6_IS_ADDR_V4MAPPED(&addr)) {
		if (slash)
			return syntax("\"%s\": write IPv4 prefixes as a.b.c.d/LEN", word);
		bits = 32;
	}
	len = slash ? parse_len(slash, bits) : (int)bits;
	if (len < 0)
		return syntax("\"%s\": the prefix length must be 0 to %u", word, bits);
	if (!host_bits_clear(&addr, 128 - bits + (unsigned int)len))
		return syntax("\"%s\": the address has bits set behind /%d; which peers are meant?",
			      word, len);
	peer_format(&addr, address);
	if (len == (int)bits)
		snprintf(text, size, "%s%s", peer_prefix, address);
	else
		snprintf(text, size, "%s%s/%d", peer_prefix, address, len);
	return SRXE_OK;
}

static bool tag_ok(const char *tag)
{
	size_t n = 0;

	while (isalnum((unsigned char)tag[n]) || (tag[n] && strchr("._-", tag[n])))
		n++;
	return n >= 1 && n <= TAG_MAX && !tag[n];
}

/* Key description of what was written, in the kernel's spelling. */
int peer_parse(const char *word, char desc[PEER_DESC_MAX])
{
	char spec[PEER_DESC_MAX];
	char text[PEER_DESC_MAX];
	char *tag;

	if (snprintf(spec, sizeof(spec), "%s", word) >= (int)sizeof(spec))
		return syntax("\"%.40s...\" is too long for a key's description", word);
	tag = strchr(spec, '#');
	if (tag) {
		*tag++ = '\0';
		if (!tag_ok(tag))
			return syntax("\"%s\": a tag is 1 to %d letters, digits, '.', '_' or '-'",
				      word, TAG_MAX);
	}
	if (strcmp(spec, "default") == 0) {
		snprintf(text, sizeof(text), "%s", spec);
	} else if (starts(spec, peer_prefix)) {
		if (canonical(word, spec + strlen(peer_prefix), text, sizeof(text)))
			return SRXE_SYNTAX;
	} else {
		return syntax("\"%s\" is neither peer:ADDRESS[/LEN][#TAG] nor default[#TAG]", word);
	}
	if (snprintf(desc, PEER_DESC_MAX, "%s%s%s", text, tag ? "#" : "", tag ? tag : "") >=
	    PEER_DESC_MAX)
		return syntax("\"%.40s...\" is too long for a key's description", word);
	return SRXE_OK;
}

/* Peers without a tag; "peer:" may be left out. */
int peer_parse_untagged(const char *word, char desc[PEER_DESC_MAX])
{
	char spec[PEER_DESC_MAX];

	if (strchr(word, '#'))
		return syntax("\"%s\": a tag tells keys apart, not peers; leave it out", word);
	if (snprintf(spec, sizeof(spec), "%s%s", peer_is_keyspec(word) ? "" : peer_prefix, word) >=
	    (int)sizeof(spec))
		return syntax("\"%.40s...\" is too long for peers", word);
	return peer_parse(spec, desc);
}
