// SPDX-License-Identifier: GPL-2.0
/*
 * Pre-shared keys without a keyring: descriptions, payloads, matching, the
 * index and tombstones.
 */
#include <linux/slab.h>

#include "srxe_addr.h"
#include "srxe_kunit.h"
#include "srxe_psk.h"
#include "srxe_psk_match.h"
#include "srxe_ring_index.h"
#include "srxe_tomb.h"

/* --- descriptions ------------------------------------------------------------ */

struct good_desc {
	const char	*desc;
	u8		rank;
	const char	*addr;
	const char	*tag;
};

static const struct good_desc good_descs[] = {
	{ "default", 0, "::", "" },
	{ "default#a", 0, "::", "a" },
	{ "peer:10.0.0.1", 129, "10.0.0.1", "" },
	{ "peer:10.0.0.1#2026-01", 129, "10.0.0.1", "2026-01" },
	{ "peer:10.0.0.0/8", 105, "10.0.0.0", "" },
	{ "peer:10.0.0.0/31#x", 128, "10.0.0.0", "x" },
	{ "peer:0.0.0.0/0", 97, "0.0.0.0", "" },
	{ "peer:255.255.255.255", 129, "255.255.255.255", "" },
	{ "peer:128.0.0.0/1", 98, "128.0.0.0", "" },
	{ "peer:fd00::1", 129, "fd00::1", "" },
	{ "peer:fd00::/8", 9, "fd00::", "" },
	{ "peer:::/0", 1, "::", "" },
	{ "peer:::1", 129, "::1", "" },
	{ "peer:::", 129, "::", "" },
	{ "peer:8000::/1#A.b_C-d", 2, "8000::", "A.b_C-d" },
	{ "peer:2001:db8:0:1:1:1:1:1", 129, "2001:db8:0:1:1:1:1:1", "" },
	{ "peer:2001:db8::1:0:0:1", 129, "2001:db8:0:0:1:0:0:1", "" },
	{ "peer:2001:0:0:1::1", 129, "2001:0:0:1:0:0:0:1", "" },
	{ "peer:1:2:3:4:5:6:7:0", 129, "1:2:3:4:5:6:7:0", "" },
	{ "peer:1:2:3:4:5:6::", 129, "1:2:3:4:5:6:0:0", "" },
	/* IPv4 in disguise other than v4-mapped is IPv6 */
	{ "peer:fe80::5efe:102:304", 129, "fe80::5efe:102:304", "" },
	{ "peer:::102:304", 129, "::102:304", "" },
	{ "peer:64:ff9b::102:304", 129, "64:ff9b::102:304", "" },
	{ "peer:::/95", 96, "::", "" },
};

static void desc_good(struct kunit *test)
{
	char buf[SRXE_PSK_DESC_MAX];
	struct srxe_psk_match m;
	struct in6_addr want;
	const char *why;
	int i, n;

	for (i = 0; i < ARRAY_SIZE(good_descs); i++) {
		const struct good_desc *g = &good_descs[i];

		KUNIT_EXPECT_EQ_MSG(test, srxe_psk_match_parse(g->desc, &m, &why), 0,
				    "%s: %s", g->desc, why);
		want = addr(test, g->addr);
		KUNIT_EXPECT_EQ_MSG(test, m.rank, g->rank, "%s", g->desc);
		KUNIT_EXPECT_MEMEQ_MSG(test, &m.addr, &want, sizeof(want), "%s", g->desc);
		KUNIT_EXPECT_STREQ_MSG(test, (char *)m.tag, g->tag, "%s", g->desc);
		n = srxe_psk_match_format(&m, buf, sizeof(buf));
		KUNIT_EXPECT_STREQ(test, (char *)buf, g->desc);
		KUNIT_EXPECT_EQ(test, n, (int)strlen(g->desc));
	}
}

#define TAG63 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

static void desc_longest(struct kunit *test)
{
	static const char desc[] =
		"peer:1111:2222:3333:4444:5555:6666:7777:8880/125#" TAG63;
	char buf[SRXE_PSK_DESC_MAX];
	struct srxe_psk_match m;
	const char *why;

	KUNIT_ASSERT_EQ(test, srxe_psk_match_parse(desc, &m, &why), 0);
	KUNIT_EXPECT_EQ(test, srxe_psk_match_format(&m, buf, sizeof(buf)),
			(int)strlen(desc));
	KUNIT_EXPECT_STREQ(test, (char *)buf, desc);
}

static const char * const bad_descs[] = {
	"", "d", "defaul", "defaultx", "Default", " default", "default ", "default/0",
	"default#", "default#a#b", "default#a b", "default#\xc3\xa9", "default#a\n",
	"default#" TAG63 "f",
	"peer", "peer:", "peer:#a", "peer:/8", "Peer:10.0.0.1", "10.0.0.1", "peer=10.0.0.1",
	"peer:10.0.0.1#", "peer:10.0.0.1 ", "peer: 10.0.0.1", "peer:10.0.0.1\n",
	"peer:10.0.0", "peer:10.0.0.0.1", "peer:10.0.0.256", "peer:010.0.0.1",
	"peer:10.0.0.01", "peer:10.0.0.1.", "peer:0x0a.0.0.1", "peer:10.0.0.1x",
	"peer:10.0.0.1/", "peer:10.0.0.1/32", "peer:10.0.0.0/33", "peer:10.0.0.0/08",
	"peer:10.0.0.0/-1", "peer:10.0.0.0/+8", "peer:10.0.0.0/8x", "peer:10.0.0.0/ 8",
	"peer:10.0.0.0/8/8", "peer:10.0.0.0/0000000008", "peer:10.0.0.0/4294967304",
	"peer:10.0.0.0/255.0.0.0",
	"peer:10.0.0.1/8", "peer:10.0.0.1/31", "peer:10.0.0.0/6", "peer:1.0.0.0/0",
	"peer:fd00::1/64", "peer:fd00::/7", "peer:::1/127", "peer:::1/0",
	"peer:fd00::1/128", "peer:fd00::/129", "peer:fd00::/1000",
	"peer:FD00::1", "peer:fd00::01", "peer:fd00:0::1", "peer:fd00:0:0:0:0:0:0:1",
	"peer:2001:db8::1:1:1:1:1", "peer:2001:db8:0:0:1::1", "peer:1:2:3:4:5:6:7::",
	"peer:fd00:::1", "peer:fd00::1::2", "peer:1:2:3:4:5:6:7", "peer:1:2:3:4:5:6:7:8:9",
	"peer:fd00::12345", "peer:fd00::g", "peer:[fd00::1]", "peer:fe80::1%eth0", "peer:::1.2.3.4",
	"peer:::ffff:10.0.0.1", "peer:::ffff:a00:1", "peer:::ffff:0:0/96",
	"peer:::ffff:10.0.0.0/104", "peer:localhost", "pd:3",
};

static void desc_bad(struct kunit *test)
{
	struct srxe_psk_match m;
	const char *why;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_descs); i++) {
		char *desc = exact_copy(test, bad_descs[i], strlen(bad_descs[i]) + 1);

		why = NULL;
		KUNIT_EXPECT_EQ_MSG(test, srxe_psk_match_parse(desc, &m, &why), -EINVAL,
				    "\"%s\"", desc);
		KUNIT_EXPECT_NOT_NULL_MSG(test, why, "\"%s\"", desc);
	}
}

/* --- matching ------------------------------------------------------------------ */

static void flip(struct in6_addr *a, unsigned int bit)
{
	a->s6_addr[bit / 8] ^= 0x80 >> bit % 8;
}

/* Every length: the last bit that counts and the first that does not. */
static void covers_lengths(struct kunit *test)
{
	struct in6_addr peer = addr(test, "2001:db8:a5a5:5a5a:ff00:ff:1234:5678");
	struct in6_addr other;
	unsigned int len;

	for (len = 0; len <= 128; len++) {
		struct srxe_psk_match m = { .rank = len + 1 };

		srxe_psk_match_prefix(&peer, m.rank, &m.addr);
		KUNIT_EXPECT_TRUE_MSG(test, srxe_psk_match_covers(&m, &peer), "/%u", len);
		if (len) {
			other = peer;
			flip(&other, len - 1);
			KUNIT_EXPECT_FALSE_MSG(test, srxe_psk_match_covers(&m, &other),
					       "/%u", len);
		}
		if (len < 128) {
			other = peer;
			flip(&other, len);
			KUNIT_EXPECT_TRUE_MSG(test, srxe_psk_match_covers(&m, &other),
					      "/%u", len);
		}
	}
}

struct cover_case {
	const char	*desc;
	const char	*peer;
	bool		covers;
};

static const struct cover_case cover_cases[] = {
	{ "default", "10.0.0.1", true },
	{ "default", "fd00::1", true },
	{ "peer:0.0.0.0/0", "10.0.0.1", true },
	{ "peer:0.0.0.0/0", "fd00::1", false },
	{ "peer:0.0.0.0/0", "::a00:1", false },
	{ "peer:::/0", "fd00::1", true },
	/* GIDs are 128 bits: an IPv6 prefix of 80 bits or fewer may hold all of IPv4 */
	{ "peer:::/0", "10.0.0.1", true },
	{ "peer:::/80", "10.0.0.1", true },
	{ "peer:::/81", "10.0.0.1", false },
	{ "peer:10.0.0.0/8", "10.255.255.255", true },
	{ "peer:10.0.0.0/8", "11.0.0.0", false },
	{ "peer:10.0.0.1", "10.0.0.1", true },
	{ "peer:10.0.0.1", "10.0.0.2", false },
	{ "peer:fd00::/64", "fd00::ffff", true },
	{ "peer:fd00::/64", "fd00:0:0:1::", false },
};

static void covers_table(struct kunit *test)
{
	struct srxe_psk_match m;
	struct in6_addr peer;
	const char *why;
	int i;

	for (i = 0; i < ARRAY_SIZE(cover_cases); i++) {
		const struct cover_case *c = &cover_cases[i];

		KUNIT_ASSERT_EQ(test, srxe_psk_match_parse(c->desc, &m, &why), 0);
		peer = addr(test, c->peer);
		KUNIT_EXPECT_EQ_MSG(test, srxe_psk_match_covers(&m, &peer), c->covers,
				    "%s %s", c->desc, c->peer);
	}
}

/* --- payloads ------------------------------------------------------------------ */

#define RAW	"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" \
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
#define HEX	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define BASE64	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

struct payload {
	const char	*name;
	const char	*data;
	size_t		len;
};

#define P(name, text) { name, text, sizeof(text) - 1 }

static const struct payload good_payloads[] = {
	P("raw", RAW), P("hex", HEX), P("hex, newline", HEX "\n"),
	P("base64", BASE64), P("base64, newline", BASE64 "\n"),
	P("hex, upper case", "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"),
};

static void payload_good(struct kunit *test)
{
	u8 psk[SRXE_PSK_LEN];
	int i;

	for (i = 0; i < ARRAY_SIZE(good_payloads); i++) {
		const struct payload *p = &good_payloads[i];
		u8 *data = exact_copy(test, p->data, p->len);

		memset(psk, 0xff, sizeof(psk));
		KUNIT_EXPECT_EQ_MSG(test, srxe_psk_decode(data, p->len, psk), 0, "%s", p->name);
		KUNIT_EXPECT_MEMEQ_MSG(test, psk, RAW, sizeof(psk), "%s", p->name);
	}
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* 42 digits from there on, one that ends well, and the padding. */
static void check_digits(struct kunit *test, unsigned int first)
{
	u8 text[44], psk[SRXE_PSK_LEN];
	u32 acc = 0, bits = 0;
	int i, n = 0;

	memcpy(text, digits + first, 42);
	text[42] = '8';
	text[43] = '=';
	KUNIT_ASSERT_EQ(test, srxe_psk_decode(text, sizeof(text), psk), 0);
	for (i = 0; i < 43; i++) {
		acc = acc << 6 | (strchr(digits, text[i]) - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			KUNIT_EXPECT_EQ(test, psk[n], (u8)(acc >> bits));
			n++;
		}
	}
	KUNIT_EXPECT_EQ(test, n, SRXE_PSK_LEN);
}

static void payload_base64(struct kunit *test)
{
	check_digits(test, 0);
	check_digits(test, 64 - 42);
}

static const struct payload bad_payloads[] = {
	P("nothing", ""),
	P("31 bytes", "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"
	  "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"),
	P("33 bytes", RAW "\x20"),
	P("raw, newline", RAW "\n"),
	P("hex, 63 digits", "00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
	P("hex, 65 digits", HEX "0"),
	P("hex, two newlines", HEX "\n\n"),
	P("hex, carriage return", HEX "\r\n"),
	P("hex, NUL", HEX "\0"),
	P("hex, prefix", "0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
	P("hex, no digit", "g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
	P("hex, no digit at the end",
	  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1g"),
	P("hex, colon", "00:102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
	P("base64, no padding", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
	P("base64, two paddings", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh=="),
	P("base64, padding inside", "AAECAwQFBgcICQoLDA0OD=AREhMUFRYXGBkaGxwdHh8="),
	P("base64, bits left over", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9="),
	P("base64, other alphabet", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh-="),
	P("base64, space", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh 8="),
	P("base64, 8 bits", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh\xc1="),
	P("base64 of 33 bytes", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"),
	P("passphrase", "correct horse battery staple now"),
	P("passphrase, newline", "correct horse battery staple no\n"),
	P("hex of half a key", "000102030405060708090a0b0c0d0e0f"),
	P("zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	P("zeros in hex",
	  "0000000000000000000000000000000000000000000000000000000000000000"),
	P("all the same in base64", "//////////////////////////////////////////8="),
};

static void payload_bad(struct kunit *test)
{
	static const u8 wiped[SRXE_PSK_LEN];
	u8 psk[SRXE_PSK_LEN];
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_payloads); i++) {
		const struct payload *p = &bad_payloads[i];
		u8 *data = p->len ? exact_copy(test, p->data, p->len) : NULL;

		memset(psk, 0xff, sizeof(psk));
		KUNIT_EXPECT_EQ_MSG(test, srxe_psk_decode(data, p->len, psk), -EINVAL,
				    "%s", p->name);
		KUNIT_EXPECT_MEMEQ_MSG(test, psk, wiped, sizeof(psk), "%s", p->name);
	}
}

/* --- index ----------------------------------------------------------------------- */

static struct srxe_ring_index *make_index(struct kunit *test, const char * const *descs,
					  unsigned int n)
{
	struct srxe_ring_index *index = srxe_ring_index_alloc(n);
	const char *why;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, index);
	for (i = 0; i < n; i++) {
		struct srxe_ring_slot slot = { .err = -EKEYREVOKED, .seq = i };

		KUNIT_ASSERT_EQ(test, srxe_psk_match_parse(descs[i], &slot.match, &why), 0);
		srxe_ring_index_add_dead(index, &slot);
	}
	srxe_ring_index_seal(index);
	return index;
}

static const char * const index_descs[] = {
	"default#a", "peer:10.0.0.1#1", "peer:10.0.0.0/24", "peer:fd00::/64", "peer:10.0.0.1#2",
	"peer:fd00::1", "peer:10.0.0.0/25", "peer:0.0.0.0/0", "default#b", "peer:10.0.0.1#3",
	"peer:10.0.1.0/24",
};

struct find_case {
	const char	*peer;
	u8		rank;
	u64		seq[4];
	unsigned int	n;
};

static const struct find_case find_cases[] = {
	{ "10.0.0.1", 129, { 1, 4, 9 }, 3 },
	{ "10.0.0.2", 122, { 6 }, 1 },
	{ "10.0.0.200", 121, { 2 }, 1 },
	{ "10.0.1.200", 121, { 10 }, 1 },
	{ "10.0.2.1", 97, { 7 }, 1 },
	{ "fd00::1", 129, { 5 }, 1 },
	{ "fd00::2", 65, { 3 }, 1 },
	{ "fd00:0:0:1::2", 0, { 0, 8 }, 2 },
};

static void index_find(struct kunit *test)
{
	struct srxe_ring_index *index = make_index(test, index_descs, ARRAY_SIZE(index_descs));
	struct srxe_ring_span span;
	struct in6_addr peer;
	unsigned int i, j;

	KUNIT_EXPECT_EQ(test, index->n, ARRAY_SIZE(index_descs));
	KUNIT_EXPECT_EQ(test, index->live, 0);
	KUNIT_EXPECT_EQ(test, index->dead, ARRAY_SIZE(index_descs));
	for (i = 0; i < ARRAY_SIZE(find_cases); i++) {
		const struct find_case *c = &find_cases[i];

		peer = addr(test, c->peer);
		KUNIT_ASSERT_TRUE_MSG(test, srxe_ring_index_find(index, &peer, &span),
				      "%s", c->peer);
		KUNIT_EXPECT_EQ_MSG(test, span.rank, c->rank, "%s", c->peer);
		KUNIT_ASSERT_EQ_MSG(test, span.end - span.first, c->n, "%s", c->peer);
		for (j = 0; j < c->n; j++)
			KUNIT_EXPECT_EQ_MSG(test, index->slots[span.first + j].seq,
					    c->seq[j], "%s", c->peer);
	}
	srxe_ring_index_free(index);
}

/* What is left of a description is there once, the youngest. */
static void index_merges(struct kunit *test)
{
	static const char * const descs[] = {
		"peer:10.0.0.1#b", "peer:10.0.0.1#a", "peer:10.0.0.2", "peer:10.0.0.1#b",
		"peer:10.0.0.1", "peer:10.0.0.1#a", "peer:10.0.0.1#b",
	};
	static const u64 left[] = { 4, 5, 6, 2 };
	struct srxe_ring_index *index = make_index(test, descs, ARRAY_SIZE(descs));
	unsigned int i;

	KUNIT_EXPECT_EQ(test, index->dead, ARRAY_SIZE(left));
	KUNIT_ASSERT_EQ(test, index->n, ARRAY_SIZE(left));
	for (i = 0; i < ARRAY_SIZE(left); i++)
		KUNIT_EXPECT_EQ(test, index->slots[i].seq, left[i]);
	srxe_ring_index_free(index);
}

static void index_none(struct kunit *test)
{
	static const char * const descs[] = { "peer:10.0.0.0/24", "peer:fd00::1" };
	struct srxe_ring_index *index = make_index(test, descs, ARRAY_SIZE(descs));
	struct srxe_ring_index *empty = make_index(test, NULL, 0);
	struct in6_addr peer = addr(test, "10.0.1.1");
	struct srxe_ring_span span;

	KUNIT_EXPECT_FALSE(test, srxe_ring_index_find(index, &peer, &span));
	KUNIT_EXPECT_FALSE(test, srxe_ring_index_find(empty, &peer, &span));
	KUNIT_EXPECT_FALSE(test, srxe_ring_index_find(NULL, &peer, &span));
	srxe_ring_index_free(index);
	srxe_ring_index_free(empty);
}

/* All 130 ranks at once: an address that leaves the path at bit n meets rank n + 1. */
static void index_all_ranks(struct kunit *test)
{
	struct in6_addr base = addr(test, "2001:db8:a5a5:5a5a:ff00:ff:1234:5678"), peer;
	struct srxe_ring_index *index = srxe_ring_index_alloc(SRXE_RANK_COUNT);
	struct srxe_ring_span span;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, index);
	for (i = 0; i < SRXE_RANK_COUNT; i++) {
		struct srxe_ring_slot slot = { .match.rank = i, .seq = i };

		srxe_psk_match_prefix(&base, i, &slot.match.addr);
		srxe_ring_index_add_dead(index, &slot);
	}
	srxe_ring_index_seal(index);
	KUNIT_EXPECT_EQ(test, index->levels, SRXE_RANK_COUNT);
	for (i = 0; i <= 128; i++) {
		peer = base;
		if (i < 128)
			flip(&peer, i);
		KUNIT_ASSERT_TRUE(test, srxe_ring_index_find(index, &peer, &span));
		KUNIT_EXPECT_EQ(test, span.rank, i + 1);
	}
	srxe_ring_index_free(index);
}

/* --- tombstones ------------------------------------------------------------------- */

static int count_tomb(const struct srxe_psk_match *match, time64_t since, void *arg)
{
	unsigned int *n = arg;

	/* stop for once, as a full message would */
	return ++*n == 2 ? -EMSGSIZE : 0;
}

static struct srxe_tombs *make_tombs(struct kunit *test)
{
	struct srxe_tombs *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_EQ(test, srxe_tombs_init(t), 0);
	return t;
}

static void mark(struct kunit *test, struct srxe_tombs *t, const char *desc)
{
	struct srxe_psk_match match = match_of(test, desc);

	srxe_tombs_mark(t, &match);
}

static void tombs(struct kunit *test)
{
	struct in6_addr a = addr(test, "10.0.0.1"), b = addr(test, "fd00::1");
	struct in6_addr c = addr(test, "10.0.0.2");
	struct srxe_psk_match net = match_of(test, "peer:10.0.0.0/24#tag");
	struct srxe_psk_match inner = match_of(test, "peer:10.0.0.0/25");
	struct srxe_tombs *t = make_tombs(test);
	unsigned long pos = 0;
	unsigned int n = 0;

	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &a), -1);
	mark(test, t, "peer:10.0.0.0/24");
	mark(test, t, "peer:0.0.0.0/0");
	mark(test, t, "peer:10.0.0.0/24#other");
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &a), 121);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &c), 121);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &b), -1);
	mark(test, t, "default");
	mark(test, t, "peer:10.0.0.2");
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &b), 0);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &c), 129);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->n), 4);

	KUNIT_EXPECT_EQ(test, srxe_tombs_each(t, &pos, count_tomb, &n), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, pos, 1);
	KUNIT_EXPECT_EQ(test, srxe_tombs_each(t, &pos, count_tomb, &n), 0);
	KUNIT_EXPECT_EQ(test, pos, 4);
	KUNIT_EXPECT_EQ(test, n, 5);

	KUNIT_EXPECT_FALSE(test, srxe_tombs_clear(t, &inner));
	KUNIT_EXPECT_TRUE(test, srxe_tombs_clear(t, &net));
	KUNIT_EXPECT_FALSE(test, srxe_tombs_clear(t, &net));
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &a), 97);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &c), 129);
	srxe_tombs_clear_all(t);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &b), -1);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->n), 0);
	srxe_tombs_destroy(t);
}

/* Many enough for the table to grow, the rest only in number. */
static void tombs_full(struct kunit *test)
{
	struct srxe_psk_match peer = match_of(test, "peer:fd00::");
	struct srxe_tombs *t = make_tombs(test);
	u32 i;

	for (i = 0; i < 1000; i++) {
		peer.addr.s6_addr32[3] = cpu_to_be32(i);
		srxe_tombs_mark(t, &peer);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&t->n), 1000);
	atomic_set(&t->n, SRXE_TOMBS_MAX - 1);
	peer.addr.s6_addr32[3] = cpu_to_be32(i++);
	srxe_tombs_mark(t, &peer);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &peer.addr), 129);
	/* who is there is no matter of room */
	srxe_tombs_mark(t, &peer);
	KUNIT_EXPECT_EQ(test, t->lost, -1);

	/* of one that has no place it is not known whom it was for, but how wide it was */
	mark(test, t, "peer:fd01::/64");
	mark(test, t, "peer:fd01::/32");
	KUNIT_EXPECT_EQ(test, t->lost, 65);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &peer.addr), 129);
	peer.addr.s6_addr32[3] = cpu_to_be32(i);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &peer.addr), 65);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->n), SRXE_TOMBS_MAX);

	srxe_tombs_clear_all(t);
	KUNIT_EXPECT_EQ(test, t->lost, -1);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &peer.addr), -1);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->n), SRXE_TOMBS_MAX - 1001);
	srxe_tombs_mark(t, &peer);
	KUNIT_EXPECT_EQ(test, srxe_tombs_rank(t, &peer.addr), 129);
	srxe_tombs_destroy(t);
}

static struct kunit_case psk_cases[] = {
	KUNIT_CASE(desc_good),
	KUNIT_CASE(desc_longest),
	KUNIT_CASE(desc_bad),
	KUNIT_CASE(covers_lengths),
	KUNIT_CASE(covers_table),
	KUNIT_CASE(payload_good),
	KUNIT_CASE(payload_base64),
	KUNIT_CASE(payload_bad),
	KUNIT_CASE(index_find),
	KUNIT_CASE(index_merges),
	KUNIT_CASE(index_none),
	KUNIT_CASE(index_all_ranks),
	KUNIT_CASE(tombs),
	KUNIT_CASE(tombs_full),
	{}
};

static struct kunit_suite psk_suite = {
	.name = "srxe_psk",
	.test_cases = psk_cases,
};

kunit_test_suite(psk_suite);
