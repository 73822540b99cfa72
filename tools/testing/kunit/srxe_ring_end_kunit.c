// SPDX-License-Identifier: GPL-2.0
/*
 * A link's ring on real keyrings: what the end of a key means.
 */
#include <linux/delay.h>

#include "srxe_ring_fixture.h"

static void revoked_denies(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = ring_add(test, "peer:10.0.0.0/24");

	ring_add_put(test, "default");
	ring_expect_lookup(test, "10.0.0.1", 1);
	key_revoke(key);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREVOKED);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.1.1", 1);
	key_put(key);

	/* the collector takes it out, which is not the same as somebody doing so */
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREVOKED);

	ring_add_put(test, "peer:10.0.0.0/24#new");
	ring_expect_tag(test, "10.0.0.2", 1, "new");
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
}

static void revoked_at_once(struct kunit *test)
{
	struct key *key;
	char desc[32];
	unsigned int i;

	/* before the index knows the key at all, in most of them */
	for (i = 1; i < 50; i++) {
		snprintf(desc, sizeof(desc), "peer:10.0.0.%u", i);
		key = ring_add(test, desc);
		key_revoke(key);
		key_put(key);
		ring_expect_peer(test, desc + strlen("peer:"), SRXE_PEER_DENIED);
	}
	srxe_ring_settle(ring_of(test));
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
}

static void alternative_lives(struct kunit *test)
{
	struct key *old = ring_add(test, "peer:10.0.0.1#old");
	struct key *new = ring_add(test, "peer:10.0.0.1#new");

	key_revoke(new);
	ring_expect_tag(test, "10.0.0.1", 1, "old");
	srxe_ring_settle(ring_of(test));
	ring_expect_tag(test, "10.0.0.1", 1, "old");
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	key_revoke(old);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	srxe_ring_settle(ring_of(test));
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	key_put(old);
	key_put(new);
}

/*
 * An alternative lifts what a revoked key denies only as long as it is there,
 * whether it came before or after that. Nobody talked to anybody under it.
 */
static void alternative_goes(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *before = ring_add(test, "peer:10.0.0.1");
	struct key *beside = ring_add(test, "peer:10.0.0.2#a");
	struct key *after, *other = ring_add(test, "peer:10.0.0.2#b");

	ring_add_put(test, "default");
	KUNIT_EXPECT_EQ(test, srxe_ring_sync(ring), 0);
	key_revoke(before);
	key_revoke(beside);
	srxe_ring_settle(ring);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	after = ring_add(test, "peer:10.0.0.1#new");
	srxe_ring_settle(ring);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_KEYED);

	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, after), 0);
	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, other), 0);
	srxe_ring_settle(ring);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREVOKED);
	ring_expect_lookup(test, "10.0.0.3", 1);
	key_put(before);
	key_put(beside);
	key_put(after);
	key_put(other);
}

static void invalidated_denies(struct kunit *test)
{
	struct key *key = ring_add(test, "peer:10.0.0.1");

	KUNIT_EXPECT_EQ(test, srxe_ring_sync(ring_of(test)), 0);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	key_invalidate(key);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	srxe_ring_settle(ring_of(test));
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	key_put(key);
}

static void expect_gone(struct kunit *test, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < 100 && ring_gone(test) < n; i++)
		msleep(100);
	KUNIT_EXPECT_EQ(test, ring_gone(test), n);
}

static void expired_denies(struct kunit *test)
{
	struct key *key = ring_add(test, "peer:10.0.0.1");

	ring_add_put(test, "default");
	ring_expect_lookup(test, "10.0.0.1", 1);
	key_set_timeout(key, 100);
	ring_expect_lookup(test, "10.0.0.1", 1);
	key_set_timeout(key, 1);
	msleep(2100);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYEXPIRED);
	/* the search of every second finds it by itself */
	expect_gone(test, 1);
	ring_expect_lookup(test, "10.0.0.1", -EKEYEXPIRED);
	key_put(key);
}

/* A handshake that the peer began comes this far: its key is found, but not tried. */
static struct srxe_ring_key *named_by(struct kunit *test, const char *peer, struct key *key)
{
	struct in6_addr a = addr(test, peer);
	struct srxe_ring_key *rk;
	struct srxe_psk *psk;

	psk = srxe_psk_of(&key->payload);
	KUNIT_ASSERT_NOT_NULL(test, psk);
	rk = srxe_ring_by_id(ring_of(test), &a, psk->keys.key_id);
	srxe_psk_put(psk);
	KUNIT_ASSERT_NOT_NULL(test, rk);
	return rk;
}

static void unlinked(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct srxe_psk_match net = match_of(test, "peer:10.0.0.0/24");
	struct key *key = ring_add(test, "peer:10.0.0.0/24");

	ring_add_put(test, "peer:10.0.1.0/24");
	ring_expect_lookup(test, "10.0.0.1", 1);
	keyring_clear(ring->keyring);
	key_put(key);
	expect_gone(test, 2);
	/* one of its peers was talked to, so it is remembered for all of them */
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREJECTED);
	/* nobody used the other one: it is as if it had never been */
	ring_expect_peer(test, "10.0.1.1", SRXE_PEER_UNKEYED);
	ring_expect_lookup(test, "10.0.1.1", -ENOKEY);

	/* never the default either */
	ring_add_put(test, "default");
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	ring_expect_lookup(test, "10.0.1.1", 1);
	ring_add_put(test, "peer:10.0.0.0/16");
	ring_expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	/* as close a match as there was is a key again, and so is a closer one */
	ring_add_put(test, "peer:10.0.0.1");
	ring_expect_lookup(test, "10.0.0.1", 1);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREJECTED);
	ring_add_put(test, "peer:10.0.0.0/24");
	ring_expect_lookup(test, "10.0.0.2", 1);
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	ring_add_put(test, "default");

	KUNIT_EXPECT_EQ(test, srxe_ring_clear(ring, &net), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear(ring, &net), -ENOENT);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_KEYED);
	ring_expect_lookup(test, "10.0.0.2", 1);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
}

/* However many peers a wide key is for, there is one thing to remember. */
static void wide_key_marks_once(struct kunit *test)
{
	struct srxe_psk_match net = match_of(test, "peer:fd00::/64");
	struct srxe_ring *ring = ring_of(test);
	char peer[INET6_ADDRSTRLEN];
	int i;

	ring_add_put(test, "peer:fd00::/64");
	KUNIT_EXPECT_EQ(test, srxe_ring_sync(ring), 0);
	for (i = 0; i < 1000; i++) {
		snprintf(peer, sizeof(peer), "fd00::%x", i + 1);
		ring_expect_lookup(test, peer, 1);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&ring->tombs.n), 1);
	KUNIT_EXPECT_EQ(test, ring->tombs.lost, -1);
	KUNIT_EXPECT_FALSE(test, srxe_ring_denies(ring, &net));

	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_TRUE(test, srxe_ring_denies(ring, &net));
	ring_expect_peer(test, "fd00::1", SRXE_PEER_DENIED);
	ring_expect_peer(test, "fd00::ffff", SRXE_PEER_DENIED);
	ring_expect_peer(test, "fd01::1", SRXE_PEER_UNKEYED);
}

/*
 * The peer's own key goes between the INIT and the SA: what is remembered is
 * how that key matched, not how the default does that is left.
 */
static void key_gone_before_sa(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = ring_add(test, "peer:10.0.0.1");
	struct srxe_ring_key *rk = named_by(test, "10.0.0.1", key);

	ring_add_put(test, "default");
	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, key), 0);
	key_put(key);
	srxe_ring_settle(ring);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	srxe_ring_mark(ring, &rk->match);
	srxe_ring_key_put(rk);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	ring_expect_lookup(test, "10.0.0.2", 1);
}

static void key_gone_under_sa(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct in6_addr peer = addr(test, "10.0.0.1");
	struct srxe_ring_key *rk = NULL;

	ring_add_put(test, "peer:10.0.0.1");
	KUNIT_ASSERT_EQ(test, srxe_ring_lookup(ring, &peer, &rk, 1), 1);
	KUNIT_EXPECT_TRUE(test, srxe_ring_key_live(rk));
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_FALSE(test, srxe_ring_key_live(rk));
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
	srxe_ring_key_put(rk);
}

/* The keyring is ours to revoke; when somebody else does, nobody is taken for unkeyed. */
static void keyring_revoked(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);

	ring_add_put(test, "peer:10.0.0.1");
	ring_expect_lookup(test, "10.0.0.1", 1);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	key_revoke(ring->keyring);
	srxe_ring_settle(ring);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREJECTED);
	KUNIT_EXPECT_EQ(test, ring_gone(test), 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_try_add(test, "rdma_psk", "peer:10.0.0.2", 0)),
			-EKEYREVOKED);
}

/* What could not be remembered may be of any peer: no wider key is good for it. */
static void tombs_overflow(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);

	ring_expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	atomic_set(&ring->tombs.n, SRXE_TOMBS_MAX);
	ring_add_put(test, "peer:10.0.0.0/24");
	ring_expect_lookup(test, "10.0.0.1", 1);
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	ring_expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	ring_expect_peer(test, "11.0.0.1", SRXE_PEER_DENIED);
	ring_expect_lookup(test, "11.0.0.1", -EKEYREJECTED);
	ring_add_put(test, "default");
	ring_add_put(test, "peer:10.0.0.0/23");
	ring_expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	ring_expect_lookup(test, "11.0.0.1", -EKEYREJECTED);
	ring_add_put(test, "peer:10.0.0.0/24");
	ring_add_put(test, "peer:11.0.0.1");
	ring_expect_lookup(test, "10.0.0.1", 1);
	ring_expect_lookup(test, "11.0.0.1", 1);

	atomic_set(&ring->tombs.n, 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear_all(ring), 0);
	ring_expect_lookup(test, "12.0.0.1", 1);
	keyring_clear(ring->keyring);
	KUNIT_EXPECT_EQ(test, srxe_ring_refresh(ring, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear_all(ring), 0);
	ring_expect_peer(test, "11.0.0.1", SRXE_PEER_UNKEYED);
}

static const struct srxe_ring_index *index_of(struct srxe_ring *ring)
{
	return rcu_dereference_protected(ring->index, true);
}

/* As after so many revocations, of addresses that count up from fd00::. */
static void fill_with_dead(struct kunit *test, unsigned int n)
{
	struct srxe_ring_slot dead = {
		.match = match_of(test, "peer:fd00::"),
		.err = -EKEYREVOKED,
	};
	struct srxe_ring *ring = ring_of(test);
	struct srxe_ring_index *index = srxe_ring_index_alloc(n);

	KUNIT_ASSERT_NOT_NULL(test, index);
	for (; dead.seq < n; dead.seq++) {
		dead.match.addr.s6_addr32[3] = cpu_to_be32(dead.seq);
		srxe_ring_index_add_dead(index, &dead);
	}
	KUNIT_EXPECT_EQ(test, srxe_ring_index_seal(index), 0);
	mutex_lock(&ring->lock);
	index = rcu_replace_pointer(ring->index, index, lockdep_is_held(&ring->lock));
	mutex_unlock(&ring->lock);
	synchronize_rcu();
	srxe_ring_index_free(index);
}

/* However often keys are revoked, what is left of them is bounded, and denies. */
static void dead_ones_bounded(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key;
	int i;

	for (i = 0; i < 20; i++) {
		key = ring_add(test, i & 1 ? "peer:10.0.0.1" : "peer:10.0.0.1#a");
		key_revoke(key);
		key_put(key);
		srxe_ring_settle(ring);
	}
	KUNIT_EXPECT_EQ(test, index_of(ring)->n, 2);

	fill_with_dead(test, SRXE_RING_DEAD_MAX);
	ring_add_put(test, "default");
	ring_add_put(test, "peer:fd00::#live");
	key = ring_add(test, "peer:10.0.0.1");
	key_revoke(key);
	key_put(key);
	key = ring_add(test, "peer:10.0.0.0/24");
	key_revoke(key);
	key_put(key);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_EQ(test, index_of(ring)->dead, SRXE_RING_DEAD_MAX);
	KUNIT_EXPECT_EQ(test, index_of(ring)->live, 2);
	ring_expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	ring_expect_lookup(test, "10.0.0.2", -EKEYREVOKED);
	/* the two oldest had to go; one of them has an alternative, for now */
	KUNIT_EXPECT_EQ(test, atomic_read(&ring->tombs.n), 2);
	ring_expect_peer(test, "fd00::", SRXE_PEER_KEYED);
	ring_expect_lookup(test, "fd00::1", -EKEYREJECTED);
	ring_expect_lookup(test, "fd00::2", -EKEYREVOKED);
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	ring_expect_peer(test, "fd00::", SRXE_PEER_DENIED);
	ring_expect_peer(test, "fd00::ffff:1", SRXE_PEER_UNKEYED);
}

/* A payload that is taken away from under a ring's key leaves the key's secrets there. */
static void secrets_outlive_payload(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct in6_addr peer = addr(test, "10.0.0.1");
	struct key *key = ring_add(test, "peer:10.0.0.1");
	struct srxe_psk_keys keys, *now;
	struct srxe_ring_key *rk = NULL;

	KUNIT_ASSERT_EQ(test, srxe_ring_lookup(ring, &peer, &rk, 1), 1);
	keys = rk->psk->keys;
	key_revoke(key);
	KUNIT_EXPECT_NULL(test, srxe_psk_of(&key->payload));
	key_put(key);
	srxe_ring_settle(ring);
	now = &rk->psk->keys;
	KUNIT_EXPECT_MEMEQ(test, now, &keys, sizeof(keys));
	KUNIT_EXPECT_FALSE(test, srxe_ring_key_live(rk));
	srxe_ring_key_put(rk);
	memzero_explicit(&keys, sizeof(keys));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(revoked_denies),
	KUNIT_CASE(revoked_at_once),
	KUNIT_CASE(alternative_lives),
	KUNIT_CASE(alternative_goes),
	KUNIT_CASE(invalidated_denies),
	KUNIT_CASE_SLOW(expired_denies),
	KUNIT_CASE_SLOW(unlinked),
	KUNIT_CASE(wide_key_marks_once),
	KUNIT_CASE(key_gone_before_sa),
	KUNIT_CASE(key_gone_under_sa),
	KUNIT_CASE(keyring_revoked),
	KUNIT_CASE(tombs_overflow),
	KUNIT_CASE(dead_ones_bounded),
	KUNIT_CASE(secrets_outlive_payload),
	{}
};

static struct kunit_suite suite = RING_SUITE("srxe_ring_end", cases);

kunit_test_suite(suite);
