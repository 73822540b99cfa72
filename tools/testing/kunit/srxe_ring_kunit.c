// SPDX-License-Identifier: GPL-2.0
/*
 * A link's ring on real keyrings: who may add, and which key is for whom.
 */
#include <linux/cred.h>

#include "srxe_ring_fixture.h"

/* --- who may add ------------------------------------------------------------------ */

static void add_other_type(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_try_add(test, "user", "peer:10.0.0.1", 0)),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_try_add(test, "logon", "a:b", 0)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, key_link(ring_of(test)->keyring, ring_of(test)->keyring),
			-EOPNOTSUPP);
}

static void add_bad_description(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_try_add(test, "rdma_psk", "peer:10.0.0.1/8", 0)),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_try_add(test, "rdma_psk", NULL, 0)), -EINVAL);
}

/* uid 0 owns the keyring and may write to it, but that is not enough. */
static void add_without_capability(struct kunit *test)
{
	const struct cred *old;
	struct cred *cred;
	key_ref_t ref;

	cred = prepare_kernel_cred(&init_task);
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_lower(cred->cap_effective, CAP_NET_ADMIN);
	old = override_creds(cred);
	ref = ring_try_add(test, "rdma_psk", "peer:10.0.0.1", 0);
	revert_creds(old);
	put_cred(cred);

	KUNIT_EXPECT_EQ(test, PTR_ERR(ref), -EPERM);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_UNKEYED);
	ring_expect_lookup(test, "10.0.0.1", -ENOKEY);
}

/* request_key() can link a key without asking: it is there and does not count. */
static void add_past_restriction(struct kunit *test)
{
	key_ref_t ref = ring_try_add(test, "rdma_psk", "peer:10.0.0.1",
				     KEY_ALLOC_BYPASS_RESTRICTION);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ref));
	ring_expect_lookup(test, "10.0.0.1", -ENOKEY);
	ring_add_put(test, "peer:10.0.0.2");
	ring_expect_lookup(test, "10.0.0.2", 1);
	ring_expect_lookup(test, "10.0.0.1", -ENOKEY);
	key_ref_put(ref);
}

static void link_key(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = ring_add(test, "peer:10.0.0.1");

	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, key), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_refresh(ring, NULL, NULL), 0);
	ring_expect_lookup(test, "10.0.0.1", -ENOKEY);
	KUNIT_EXPECT_EQ(test, key_link(ring->keyring, key), 0);
	ring_expect_lookup(test, "10.0.0.1", 1);
	/* once more, which changes nothing */
	KUNIT_EXPECT_EQ(test, key_link(ring->keyring, key), 0);
	ring_expect_lookup(test, "10.0.0.1", 1);

	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, key), 0);
	key_revoke(key);
	KUNIT_EXPECT_EQ(test, key_link(ring->keyring, key), -EKEYREVOKED);
	key_put(key);
}

/* --- which key ---------------------------------------------------------------------- */

static void longest_prefix(struct kunit *test)
{
	ring_expect_lookup(test, "10.0.0.1", -ENOKEY);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_UNKEYED);

	ring_add_put(test, "default#d");
	ring_add_put(test, "peer:10.0.0.0/8#8");
	ring_add_put(test, "peer:10.0.0.1#host");
	ring_add_put(test, "peer:fd00::/64#64");
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	ring_expect_tag(test, "10.0.0.1", 1, "host");
	ring_expect_tag(test, "10.0.0.2", 1, "8");
	ring_expect_tag(test, "11.0.0.1", 1, "d");
	ring_expect_tag(test, "fd00::1", 1, "64");
	ring_expect_tag(test, "fd01::1", 1, "d");
}

static void youngest_first(struct kunit *test)
{
	ring_add_put(test, "peer:10.0.0.1#b");
	ring_add_put(test, "peer:10.0.0.1");
	ring_add_put(test, "peer:10.0.0.1#a");
	ring_expect_tag(test, "10.0.0.1", 3, "a");
	/* replacing makes it the youngest, and ends the one before */
	ring_add_put(test, "peer:10.0.0.1#b");
	ring_expect_tag(test, "10.0.0.1", 3, "b");
	srxe_ring_settle(ring_of(test));
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
}

static void by_id(struct kunit *test)
{
	struct in6_addr host = addr(test, "10.0.0.1"), other = addr(test, "10.0.0.2");
	struct srxe_ring *ring = ring_of(test);
	struct key *wide, *narrow, *second;
	struct srxe_psk *w, *n, *s;
	struct srxe_ring_key *rk;

	wide = ring_add(test, "peer:10.0.0.0/8");
	narrow = ring_add(test, "peer:10.0.0.1");
	second = ring_add(test, "peer:10.0.0.1#2");
	w = srxe_psk_of(&wide->payload);
	n = srxe_psk_of(&narrow->payload);
	s = srxe_psk_of(&second->payload);

	rk = srxe_ring_by_id(ring, &host, n->keys.key_id);
	KUNIT_EXPECT_PTR_EQ(test, rk ? rk->key : NULL, narrow);
	srxe_ring_key_put(rk);
	rk = srxe_ring_by_id(ring, &host, s->keys.key_id);
	KUNIT_EXPECT_PTR_EQ(test, rk ? rk->key : NULL, second);
	srxe_ring_key_put(rk);
	rk = srxe_ring_by_id(ring, &other, w->keys.key_id);
	KUNIT_EXPECT_PTR_EQ(test, rk ? rk->key : NULL, wide);
	srxe_ring_key_put(rk);

	/* a shorter prefix is not for that host, a longer one not for the other */
	KUNIT_EXPECT_NULL(test, srxe_ring_by_id(ring, &host, w->keys.key_id));
	KUNIT_EXPECT_NULL(test, srxe_ring_by_id(ring, &other, n->keys.key_id));
	key_revoke(second);
	KUNIT_EXPECT_NULL(test, srxe_ring_by_id(ring, &host, s->keys.key_id));

	srxe_psk_put(w);
	srxe_psk_put(n);
	srxe_psk_put(s);
	key_put(wide);
	key_put(narrow);
	key_put(second);
}

#define MANY	300

static void many_keys(struct kunit *test)
{
	char desc[SRXE_PSK_DESC_MAX], peer[INET6_ADDRSTRLEN];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(desc, sizeof(desc), "peer:fd00::1:%x", i + 1);
		ring_add_put(test, desc);
	}
	for (i = 0; i < MANY; i += 37) {
		snprintf(peer, sizeof(peer), "fd00::1:%x", i + 1);
		ring_expect_lookup(test, peer, 1);
	}
	ring_expect_lookup(test, "fd00::2:1", -ENOKEY);
	keyring_clear(ring_of(test)->keyring);
	srxe_ring_settle(ring_of(test));
	KUNIT_EXPECT_EQ(test, ring_gone(test), MANY);
	ring_expect_peer(test, "fd00::1:2", SRXE_PEER_UNKEYED);
	ring_expect_peer(test, "fd00::1:1", SRXE_PEER_DENIED);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(add_other_type),
	KUNIT_CASE(add_bad_description),
	KUNIT_CASE(add_without_capability),
	KUNIT_CASE(add_past_restriction),
	KUNIT_CASE(link_key),
	KUNIT_CASE(longest_prefix),
	KUNIT_CASE(youngest_first),
	KUNIT_CASE(by_id),
	KUNIT_CASE_SLOW(many_keys),
	{}
};

static struct kunit_suite suite = RING_SUITE("srxe_ring", cases);

kunit_test_suite(suite);
