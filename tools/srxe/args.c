// SPDX-License-Identifier: GPL-2.0
/* Names of what the kernel numbers, and small arguments. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srxe.h"

const struct name mode_names[] = {
	{ SRXE_MODE_HEADER, "header" },
	{ SRXE_MODE_PACKET, "packet" },
	{ SRXE_MODE_ENCRYPT, "encrypt" },
	{ SRXE_MODE_CONCEAL, "conceal", .reserved = true },
	{ }
};

const struct name suite_names[] = {
	{ SRXE_SUITE_AES256_GCM, "aes256-gcm" },
	{ SRXE_SUITE_AES128_GCM, "aes128-gcm" },
	{ SRXE_SUITE_CHACHA20_POLY1305, "chacha20-poly1305" },
	{ SRXE_SUITE_AEGIS128, "aegis128" },
	{ }
};

const struct name kind_names[] = {
	{ SRXE_KIND_RC, "rc" },
	{ SRXE_KIND_UC, "uc" },
	{ SRXE_KIND_UD, "ud" },
	{ SRXE_KIND_GSI, "gsi" },
	{ }
};

const struct name unkeyed_names[] = {
	{ SRXE_UNKEYED_DENY, "deny" },
	{ SRXE_UNKEYED_ALLOW, "allow" },
	{ }
};

const struct name sa_state_names[] = {
	{ SRXE_SA_NL_STATE_EMBRYO, "embryo" },
	{ SRXE_SA_NL_STATE_PENDING, "pending" },
	{ SRXE_SA_NL_STATE_STANDING, "standing" },
	{ SRXE_SA_NL_STATE_LINGER, "linger" },
	{ SRXE_SA_NL_STATE_DEAD, "dead" },
	{ }
};

const struct name psk_state_names[] = {
	{ SRXE_PSK_NL_STATE_LIVE, "live" },
	{ SRXE_PSK_NL_STATE_REVOKED, "revoked" },
	{ SRXE_PSK_NL_STATE_EXPIRED, "expired" },
	{ SRXE_PSK_NL_STATE_TOMBSTONE, "tombstone" },
	{ }
};

const struct name psk_match_names[] = {
	{ SRXE_PSK_NL_MATCH_HOST, "host" },
	{ SRXE_PSK_NL_MATCH_PREFIX, "prefix" },
	{ SRXE_PSK_NL_MATCH_DEFAULT, "default" },
	{ }
};

const struct name event_names[] = {
	{ SRXE_CMD_SA_UP, "sa-up" },
	{ SRXE_CMD_SA_DOWN, "sa-down" },
	{ SRXE_CMD_KEY_GONE, "key-gone" },
	{ SRXE_CMD_HANDSHAKE_FAILED, "handshake-failed" },
	{ SRXE_CMD_AUTH_FAILED, "auth-failed" },
	{ }
};

const struct name failure_names[] = {
	{ SRXE_VERR_NO_KEY, "no-key" },
	{ SRXE_VERR_REFUSED_MODE, "refused-mode" },
	{ SRXE_VERR_REFUSED_SUITE, "refused-suite" },
	{ SRXE_VERR_REFUSED_BUSY, "refused-busy" },
	{ SRXE_VERR_NO_ANSWER, "no-answer" },
	{ SRXE_VERR_PEER_RESET, "peer-reset" },
	{ SRXE_VERR_KEY_REVOKED, "key-revoked" },
	{ SRXE_VERR_SA_LOST, "sa-lost" },
	{ SRXE_VERR_UNSUPPORTED, "unsupported" },
	{ }
};

const struct name auth_cause_names[] = {
	{ SRXE_AUTH_CAUSE_BAD_TAG, "bad-tag" },
	{ SRXE_AUTH_CAUSE_BAD_MAC, "bad-mac" },
	{ SRXE_AUTH_CAUSE_UNKNOWN_KEY, "unknown-key" },
	{ }
};

const struct name key_end_names[] = {
	{ SRXE_KEY_END_REVOKED, "revoked" },
	{ SRXE_KEY_END_EXPIRED, "expired" },
	{ SRXE_KEY_END_REMOVED, "removed" },
	{ }
};

/* Returns: the name, or "unknown" for what a newer kernel may say. */
const char *name_of(const struct name *names, unsigned int value)
{
	for (; names->name; names++) {
		if (names->value == value)
			return names->name;
	}
	return "unknown";
}

static const struct name *find(const struct name *names, const char *word, size_t len)
{
	for (; names->name; names++) {
		if (strlen(names->name) == len && memcmp(names->name, word, len) == 0)
			return names;
	}
	return NULL;
}

static int unknown(const struct name *names, const char *word, int len, const char *what)
{
	fprintf(stderr, "srxe: no %s \"%.*s\", one of:", what, len, word);
	for (; names->name; names++) {
		if (!names->reserved)
			fprintf(stderr, " %s", names->name);
	}
	fputc('\n', stderr);
	return SRXE_SYNTAX;
}

int value_of(const struct name *names, const char *word, const char *what,
	     unsigned int *value)
{
	const struct name *n = find(names, word, strlen(word));

	if (!n)
		return unknown(names, word, (int)strlen(word), what);
	*value = n->value;
	return SRXE_OK;
}

/* A list with commas in between, or "all". */
int bits_of(const struct name *names, const char *list, const char *what, __u32 *bits)
{
	const struct name *n;
	size_t len;

	*bits = 0;
	if (strcmp(list, "all") == 0) {
		for (n = names; n->name; n++)
			*bits |= 1U << n->value;
		return SRXE_OK;
	}
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		n = find(names, list, len);
		if (!n)
			return unknown(names, list, (int)len, what);
		*bits |= 1U << n->value;
		if (!list[len])
			return SRXE_OK;
	}
}

/* "never" is 0, which therefore cannot be asked for as a number. */
int parse_seconds(const char *word, __u32 *seconds)
{
	unsigned long long n;
	char *end;

	*seconds = 0;
	if (strcmp(word, "never") == 0)
		return SRXE_OK;
	errno = 0;
	n = strtoull(word, &end, 10);
	if (*word < '0' || *word > '9' || *end || errno || n == 0 || n > 0xffffffffULL)
		return syntax("\"%s\" is not a number of seconds (1 or more) or \"never\"", word);
	*seconds = (__u32)n;
	return SRXE_OK;
}
