// SPDX-License-Identifier: GPL-2.0
/*
 * A link's ring on real keyrings: what netlink offers.
 */
#include <linux/delay.h>

#include "srxe_ring_fixture.h"

struct seen {
	unsigned int	n;
	int		err[RING_MAX_ALTS];
	char		desc[RING_MAX_ALTS][SRXE_PSK_DESC_MAX];
	time64_t	expiry[RING_MAX_ALTS];
};

static int see(const struct srxe_ring_info *info, void *arg)
{
	struct seen *seen = arg;

	if (seen->n == RING_MAX_ALTS)
		return -EMSGSIZE;
	seen->err[seen->n] = info->err;
	seen->expiry[seen->n] = info->expiry;
	srxe_psk_match_format(info->match, seen->desc[seen->n], SRXE_PSK_DESC_MAX);
	seen->n++;
	return 0;
}

static struct seen *list(struct kunit *test)
{
	struct seen *seen = kunit_kzalloc(test, sizeof(*seen), GFP_KERNEL);
	unsigned long pos = 0;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	KUNIT_EXPECT_EQ(test, srxe_ring_each_key(ring_of(test), &pos, see, seen), 0);
	KUNIT_EXPECT_EQ(test, pos, seen->n);
	return seen;
}

static void admin_revoke(struct kunit *test)
{
	const struct srxe_ring_sel sel = { .desc = "peer:10.0.0.1#a" };
	const struct srxe_ring_sel none = { .desc = "peer:10.0.0.1" };
	const struct srxe_ring_sel bad = { .desc = "peer:10.0.0.1/32" };
	struct srxe_ring *ring = ring_of(test);
	struct seen *seen;

	ring_add_put(test, "peer:10.0.0.1#a");
	ring_add_put(test, "default");
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &none), -ENOENT);
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &bad), -EINVAL);
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &sel), 0);
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &sel), -EKEYREVOKED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);

	seen = list(test);
	KUNIT_ASSERT_EQ(test, seen->n, 2);
	KUNIT_EXPECT_STREQ(test, (char *)seen->desc[0], "peer:10.0.0.1#a");
	KUNIT_EXPECT_EQ(test, seen->err[0], -EKEYREVOKED);
	KUNIT_EXPECT_STREQ(test, (char *)seen->desc[1], "default");
	KUNIT_EXPECT_EQ(test, seen->err[1], 0);

	/* taking out what is left of it */
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), -ENOENT);
	ring_expect_lookup(test, "10.0.0.1", 1);
}

static void admin_timeout(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = ring_add(test, "peer:10.0.0.1");
	struct srxe_ring_sel sel = { .serial = key_serial(key) };
	time64_t now = ktime_get_real_seconds();

	KUNIT_EXPECT_EQ(test, list(test)->expiry[0], 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_timeout(ring, &sel, 100), 0);
	KUNIT_EXPECT_GE(test, list(test)->expiry[0], now + 100);
	KUNIT_EXPECT_LE(test, list(test)->expiry[0], now + 110);
	KUNIT_EXPECT_EQ(test, srxe_ring_timeout(ring, &sel, 0), 0);
	KUNIT_EXPECT_EQ(test, list(test)->expiry[0], 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_timeout(ring, &sel, 1), 0);
	msleep(2100);
	KUNIT_EXPECT_EQ(test, list(test)->err[0], -EKEYEXPIRED);
	KUNIT_EXPECT_EQ(test, srxe_ring_timeout(ring, &sel, 100), -EKEYEXPIRED);
	sel.serial++;
	KUNIT_EXPECT_EQ(test, srxe_ring_timeout(ring, &sel, 100), -ENOENT);
	key_put(key);
}

static void admin_unlink(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = ring_add(test, "peer:10.0.0.1");
	struct srxe_ring_sel sel = { .serial = key_serial(key) };

	ring_expect_lookup(test, "10.0.0.1", 1);
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), 0);
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
	KUNIT_EXPECT_EQ(test, list(test)->n, 0);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	/* the key object is as good as before, elsewhere */
	KUNIT_EXPECT_EQ(test, key_validate(key), 0);
	key_put(key);
}

/* A key of the same description does not undo a revocation by coming and going. */
static void admin_replaced(struct kunit *test)
{
	const struct srxe_ring_sel sel = { .desc = "peer:10.0.0.1" };
	struct srxe_ring *ring = ring_of(test);
	struct seen *seen;

	ring_add_put(test, "peer:10.0.0.1");
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &sel), 0);
	ring_add_put(test, "peer:10.0.0.1");
	seen = list(test);
	KUNIT_ASSERT_EQ(test, seen->n, 2);
	KUNIT_EXPECT_EQ(test, seen->err[0], 0);
	KUNIT_EXPECT_EQ(test, seen->err[1], -EKEYREVOKED);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);

	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), 0);
	seen = list(test);
	KUNIT_ASSERT_EQ(test, seen->n, 1);
	KUNIT_EXPECT_EQ(test, seen->err[0], -EKEYREVOKED);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), 0);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_UNKEYED);
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), -ENOENT);
}

static void admin_clear(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct srxe_psk_match peer = match_of(test, "peer:10.0.0.1");
	struct key *host = ring_add(test, "peer:10.0.0.1");
	struct key *net = ring_add(test, "peer:10.0.0.0/24");

	ring_expect_lookup(test, "10.0.0.1", 1);
	ring_expect_lookup(test, "10.0.0.2", 1);
	key_revoke(host);
	key_revoke(net);
	/* a host is cleared of its own key, not of its net's */
	KUNIT_EXPECT_EQ(test, srxe_ring_clear(ring, &peer), 0);
	KUNIT_EXPECT_EQ(test, list(test)->n, 1);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear_all(ring), 0);
	KUNIT_EXPECT_EQ(test, list(test)->n, 0);
	ring_expect_lookup(test, "10.0.0.1", -ENOKEY);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	key_put(host);
	key_put(net);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(admin_revoke),
	KUNIT_CASE_SLOW(admin_timeout),
	KUNIT_CASE(admin_unlink),
	KUNIT_CASE(admin_replaced),
	KUNIT_CASE(admin_clear),
	{}
};

static struct kunit_suite suite = RING_SUITE("srxe_ring_admin", cases);

kunit_test_suite(suite);
