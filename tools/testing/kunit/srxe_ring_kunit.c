// SPDX-License-Identifier: GPL-2.0
/*
 * A link's ring on real keyrings: who may add, which key is for whom, and what
 * the end of a key means.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/inet.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>

#include "srxe_kunit.h"
#include "srxe_policy.h"
#include "srxe_ring_priv.h"

#define MAX_ALTS	8

/* What the ring reported to the driver. */
static atomic_t gone_count;

void srxe_policy_key_gone(struct srxe_link *link, const struct srxe_ring_key *key)
{
	WARN_ON(!READ_ONCE(key->gone));
	atomic_inc(&gone_count);
}

struct fixture {
	struct srxe_link	link;
	struct srxe_ring	*ring;
};

static int setup(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->link.net = &init_net;
	f->ring = srxe_ring_create(&f->link, "kunit");
	if (IS_ERR(f->ring))
		return PTR_ERR(f->ring);
	atomic_set(&gone_count, 0);
	test->priv = f;
	return 0;
}

static void teardown(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f)
		srxe_ring_destroy(f->ring);
}

static struct srxe_ring *ring_of(struct kunit *test)
{
	return ((struct fixture *)test->priv)->ring;
}

static struct in6_addr addr(const char *text)
{
	struct in6_addr a = {};
	__be32 v4;

	if (in4_pton(text, -1, (u8 *)&v4, -1, NULL))
		ipv6_addr_set_v4mapped(v4, &a);
	else
		in6_pton(text, -1, a.s6_addr, -1, NULL);
	return a;
}

static key_ref_t try_add(struct kunit *test, const char *type, const char *desc,
			 unsigned long flags)
{
	key_ref_t ring = make_key_ref(ring_of(test)->keyring, true);
	u8 psk[SRXE_PSK_LEN];

	get_random_bytes(psk, sizeof(psk));
	return key_create_or_update(ring, type, desc, psk, sizeof(psk), KEY_PERM_UNDEF, flags);
}

/* Adds a key; the reference is the caller's. */
static struct key *add(struct kunit *test, const char *desc)
{
	key_ref_t ref = try_add(test, "rdma_psk", desc, KEY_ALLOC_NOT_IN_QUOTA);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(ref), "%s: %ld", desc, PTR_ERR(ref));
	return key_ref_to_ptr(ref);
}

/* Adds a key that the keyring alone keeps. */
static void add_put(struct kunit *test, const char *desc)
{
	key_put(add(test, desc));
}

/* Looks a peer up; tells the tag of the first key, or NULL, and how many there are. */
static int lookup(struct kunit *test, const char *peer, char tag[SRXE_PSK_TAG_MAX + 1])
{
	struct srxe_ring_key *keys[MAX_ALTS];
	struct in6_addr a = addr(peer);
	int i, n;

	n = srxe_ring_lookup(ring_of(test), &a, keys, MAX_ALTS);
	for (i = 0; i < n; i++) {
		if (!i && tag)
			strscpy(tag, keys[0]->match.tag, SRXE_PSK_TAG_MAX + 1);
		KUNIT_EXPECT_TRUE(test, srxe_ring_key_live(keys[i]));
		if (i)
			KUNIT_EXPECT_GT(test, keys[i - 1]->psk->seq, keys[i]->psk->seq);
		srxe_ring_key_put(keys[i]);
	}
	return n;
}

static enum srxe_peer state(struct kunit *test, const char *peer)
{
	struct in6_addr a = addr(peer);

	return srxe_ring_peer(ring_of(test), &a);
}

static void expect_lookup(struct kunit *test, const char *peer, int want)
{
	KUNIT_EXPECT_EQ_MSG(test, lookup(test, peer, NULL), want, "%s", peer);
}

static void expect_tag(struct kunit *test, const char *peer, int n, const char *want)
{
	char tag[SRXE_PSK_TAG_MAX + 1] = "";

	KUNIT_EXPECT_EQ_MSG(test, lookup(test, peer, tag), n, "%s", peer);
	KUNIT_EXPECT_STREQ_MSG(test, (char *)tag, want, "%s", peer);
}

static void expect_peer(struct kunit *test, const char *peer, enum srxe_peer want)
{
	KUNIT_EXPECT_EQ_MSG(test, (int)state(test, peer), (int)want, "%s", peer);
}

/* --- who may add ------------------------------------------------------------------ */

static void add_other_type(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, PTR_ERR(try_add(test, "user", "peer:10.0.0.1", 0)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, PTR_ERR(try_add(test, "logon", "a:b", 0)), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, key_link(ring_of(test)->keyring, ring_of(test)->keyring),
			-EOPNOTSUPP);
}

static void add_bad_description(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, PTR_ERR(try_add(test, "rdma_psk", "peer:10.0.0.1/8", 0)), -EINVAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(try_add(test, "rdma_psk", NULL, 0)), -EINVAL);
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
	ref = try_add(test, "rdma_psk", "peer:10.0.0.1", 0);
	revert_creds(old);
	put_cred(cred);

	KUNIT_EXPECT_EQ(test, PTR_ERR(ref), -EPERM);
	expect_peer(test, "10.0.0.1", SRXE_PEER_UNKEYED);
	expect_lookup(test, "10.0.0.1", -ENOKEY);
}

/* request_key() can link a key without asking: it is there and does not count. */
static void add_past_restriction(struct kunit *test)
{
	key_ref_t ref = try_add(test, "rdma_psk", "peer:10.0.0.1", KEY_ALLOC_BYPASS_RESTRICTION);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ref));
	expect_lookup(test, "10.0.0.1", -ENOKEY);
	add_put(test, "peer:10.0.0.2");
	expect_lookup(test, "10.0.0.2", 1);
	expect_lookup(test, "10.0.0.1", -ENOKEY);
	key_ref_put(ref);
}

static void link_key(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = add(test, "peer:10.0.0.1");

	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, key), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_refresh(ring, NULL, NULL), 0);
	expect_lookup(test, "10.0.0.1", -ENOKEY);
	KUNIT_EXPECT_EQ(test, key_link(ring->keyring, key), 0);
	expect_lookup(test, "10.0.0.1", 1);
	/* once more, which changes nothing */
	KUNIT_EXPECT_EQ(test, key_link(ring->keyring, key), 0);
	expect_lookup(test, "10.0.0.1", 1);

	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, key), 0);
	key_revoke(key);
	KUNIT_EXPECT_EQ(test, key_link(ring->keyring, key), -EKEYREVOKED);
	key_put(key);
}

/* --- which key ---------------------------------------------------------------------- */

static void longest_prefix(struct kunit *test)
{
	expect_lookup(test, "10.0.0.1", -ENOKEY);
	expect_peer(test, "10.0.0.1", SRXE_PEER_UNKEYED);

	add_put(test, "default#d");
	add_put(test, "peer:10.0.0.0/8#8");
	add_put(test, "peer:10.0.0.1#host");
	add_put(test, "peer:fd00::/64#64");
	expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	expect_tag(test, "10.0.0.1", 1, "host");
	expect_tag(test, "10.0.0.2", 1, "8");
	expect_tag(test, "11.0.0.1", 1, "d");
	expect_tag(test, "fd00::1", 1, "64");
	expect_tag(test, "fd01::1", 1, "d");
}

static void youngest_first(struct kunit *test)
{
	add_put(test, "peer:10.0.0.1#b");
	add_put(test, "peer:10.0.0.1");
	add_put(test, "peer:10.0.0.1#a");
	expect_tag(test, "10.0.0.1", 3, "a");
	/* replacing makes it the youngest, and ends the one before */
	add_put(test, "peer:10.0.0.1#b");
	expect_tag(test, "10.0.0.1", 3, "b");
	srxe_ring_settle(ring_of(test));
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
}

static void by_id(struct kunit *test)
{
	struct in6_addr host = addr("10.0.0.1"), other = addr("10.0.0.2");
	struct srxe_ring *ring = ring_of(test);
	struct key *wide, *narrow, *second;
	struct srxe_psk *w, *n, *s;
	struct srxe_ring_key *rk;

	wide = add(test, "peer:10.0.0.0/8");
	narrow = add(test, "peer:10.0.0.1");
	second = add(test, "peer:10.0.0.1#2");
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

/* --- the end of a key ------------------------------------------------------------------ */

static void revoked_denies(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = add(test, "peer:10.0.0.0/24");

	add_put(test, "default");
	expect_lookup(test, "10.0.0.1", 1);
	key_revoke(key);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	expect_lookup(test, "10.0.0.2", -EKEYREVOKED);
	expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.1.1", 1);
	key_put(key);

	/* the collector takes it out, which is not the same as somebody doing so */
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	expect_lookup(test, "10.0.0.2", -EKEYREVOKED);

	add_put(test, "peer:10.0.0.0/24#new");
	expect_tag(test, "10.0.0.2", 1, "new");
	expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
}

static void revoked_at_once(struct kunit *test)
{
	struct key *key = add(test, "peer:10.0.0.1");

	key_revoke(key);
	key_put(key);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	srxe_ring_settle(ring_of(test));
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
}

static void alternative_lives(struct kunit *test)
{
	struct key *old = add(test, "peer:10.0.0.1#old");
	struct key *new = add(test, "peer:10.0.0.1#new");

	key_revoke(new);
	expect_tag(test, "10.0.0.1", 1, "old");
	srxe_ring_settle(ring_of(test));
	expect_tag(test, "10.0.0.1", 1, "old");
	expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	key_revoke(old);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	srxe_ring_settle(ring_of(test));
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	key_put(old);
	key_put(new);
}

static void invalidated_denies(struct kunit *test)
{
	struct key *key = add(test, "peer:10.0.0.1");

	KUNIT_EXPECT_EQ(test, srxe_ring_sync(ring_of(test)), 0);
	expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	key_invalidate(key);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	srxe_ring_settle(ring_of(test));
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	key_put(key);
}

static void expired_denies(struct kunit *test)
{
	struct key *key = add(test, "peer:10.0.0.1");

	add_put(test, "default");
	expect_lookup(test, "10.0.0.1", 1);
	key_set_timeout(key, 1);
	expect_lookup(test, "10.0.0.1", 1);
	msleep(2100);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.1", -EKEYEXPIRED);
	/* the search of every second has found it by itself */
	msleep(1100);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	expect_lookup(test, "10.0.0.1", -EKEYEXPIRED);
	key_put(key);
}

/* Who was talked to under it is denied, for others it is as if it had never been. */
static void unlinked(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct in6_addr peer = addr("10.0.0.1"), marked = addr("10.0.0.3");
	struct key *key = add(test, "peer:10.0.0.0/24");

	expect_lookup(test, "10.0.0.1", 1);
	srxe_ring_mark(ring, &marked);
	KUNIT_EXPECT_EQ(test, key_unlink(ring->keyring, key), 0);
	key_put(key);
	msleep(1200);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	expect_peer(test, "10.0.0.3", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	expect_lookup(test, "10.0.0.2", -ENOKEY);

	/* never the default either */
	add_put(test, "default");
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	expect_lookup(test, "10.0.0.2", 1);
	add_put(test, "peer:10.0.0.0/16");
	expect_lookup(test, "10.0.0.1", -EKEYREJECTED);

	KUNIT_EXPECT_EQ(test, srxe_ring_clear(ring, &peer), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear(ring, &peer), -ENOENT);
	expect_peer(test, "10.0.0.1", SRXE_PEER_KEYED);
	expect_lookup(test, "10.0.0.1", 1);
	expect_lookup(test, "10.0.0.3", -EKEYREJECTED);
	/* as close a match as there was is a key again */
	add_put(test, "peer:10.0.0.0/24");
	expect_lookup(test, "10.0.0.3", 1);
}

static void key_gone_under_sa(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct in6_addr peer = addr("10.0.0.1");
	struct srxe_ring_key *rk = NULL;

	add_put(test, "peer:10.0.0.1");
	KUNIT_ASSERT_EQ(test, srxe_ring_lookup(ring, &peer, &rk, 1), 1);
	KUNIT_EXPECT_TRUE(test, srxe_ring_key_live(rk));
	keyring_clear(ring->keyring);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_FALSE(test, srxe_ring_key_live(rk));
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	srxe_ring_settle(ring);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	srxe_ring_key_put(rk);
}

/* The keyring is ours to revoke; when somebody else does, nobody is taken for unkeyed. */
static void keyring_revoked(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);

	add_put(test, "peer:10.0.0.1");
	expect_lookup(test, "10.0.0.1", 1);
	expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	key_revoke(ring->keyring);
	srxe_ring_settle(ring);
	expect_peer(test, "10.0.0.1", SRXE_PEER_DENIED);
	expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.2", -EKEYREJECTED);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR(try_add(test, "rdma_psk", "peer:10.0.0.2", 0)),
			-EKEYREVOKED);
}

static void tombs_overflow(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);

	expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	ring->tombs.full = true;
	expect_peer(test, "10.0.0.2", SRXE_PEER_DENIED);
	expect_lookup(test, "10.0.0.2", -EKEYREJECTED);
	add_put(test, "peer:10.0.0.2");
	expect_lookup(test, "10.0.0.2", 1);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear_all(ring), 0);
	expect_peer(test, "10.0.0.3", SRXE_PEER_UNKEYED);
}

/* --- what netlink offers ------------------------------------------------------------------ */

struct seen {
	unsigned int	n;
	int		err[MAX_ALTS];
	char		desc[MAX_ALTS][SRXE_PSK_DESC_MAX];
	time64_t	expiry[MAX_ALTS];
};

static int see(const struct srxe_ring_info *info, void *arg)
{
	struct seen *seen = arg;

	if (seen->n == MAX_ALTS)
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

	add_put(test, "peer:10.0.0.1#a");
	add_put(test, "default");
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &none), -ENOENT);
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &bad), -EINVAL);
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &sel), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	KUNIT_EXPECT_EQ(test, srxe_ring_revoke(ring, &sel), -EKEYREVOKED);
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);

	seen = list(test);
	KUNIT_ASSERT_EQ(test, seen->n, 2);
	KUNIT_EXPECT_STREQ(test, (char *)seen->desc[0], "peer:10.0.0.1#a");
	KUNIT_EXPECT_EQ(test, seen->err[0], -EKEYREVOKED);
	KUNIT_EXPECT_STREQ(test, (char *)seen->desc[1], "default");
	KUNIT_EXPECT_EQ(test, seen->err[1], 0);

	/* taking out what is left of it */
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), 0);
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), -ENOENT);
	expect_lookup(test, "10.0.0.1", 1);
}

static void admin_timeout(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct key *key = add(test, "peer:10.0.0.1");
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
	struct key *key = add(test, "peer:10.0.0.1");
	struct srxe_ring_sel sel = { .serial = key_serial(key) };

	expect_lookup(test, "10.0.0.1", 1);
	KUNIT_EXPECT_EQ(test, srxe_ring_unlink(ring, &sel), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), 1);
	KUNIT_EXPECT_EQ(test, list(test)->n, 0);
	expect_lookup(test, "10.0.0.1", -EKEYREJECTED);
	/* the key object is as good as before, elsewhere */
	KUNIT_EXPECT_EQ(test, key_validate(key), 0);
	key_put(key);
}

static void admin_clear(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct in6_addr peer = addr("10.0.0.1");
	struct key *host = add(test, "peer:10.0.0.1");
	struct key *net = add(test, "peer:10.0.0.0/24");

	expect_lookup(test, "10.0.0.1", 1);
	expect_lookup(test, "10.0.0.2", 1);
	key_revoke(host);
	key_revoke(net);
	/* a host is cleared of its own key, not of its net's */
	KUNIT_EXPECT_EQ(test, srxe_ring_clear(ring, &peer), 0);
	KUNIT_EXPECT_EQ(test, list(test)->n, 1);
	expect_lookup(test, "10.0.0.1", -EKEYREVOKED);
	KUNIT_EXPECT_EQ(test, srxe_ring_clear_all(ring), 0);
	KUNIT_EXPECT_EQ(test, list(test)->n, 0);
	expect_lookup(test, "10.0.0.1", -ENOKEY);
	expect_peer(test, "10.0.0.2", SRXE_PEER_UNKEYED);
	key_put(host);
	key_put(net);
}

/* A payload that is taken away from under a ring's key leaves the key's secrets there. */
static void secrets_outlive_payload(struct kunit *test)
{
	struct srxe_ring *ring = ring_of(test);
	struct in6_addr peer = addr("10.0.0.1");
	struct key *key = add(test, "peer:10.0.0.1");
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

#define MANY	300

static void many_keys(struct kunit *test)
{
	char desc[SRXE_PSK_DESC_MAX], peer[INET6_ADDRSTRLEN];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(desc, sizeof(desc), "peer:fd00::1:%x", i + 1);
		add_put(test, desc);
	}
	for (i = 0; i < MANY; i += 37) {
		snprintf(peer, sizeof(peer), "fd00::1:%x", i + 1);
		expect_lookup(test, peer, 1);
	}
	expect_lookup(test, "fd00::2:1", -ENOKEY);
	keyring_clear(ring_of(test)->keyring);
	srxe_ring_settle(ring_of(test));
	KUNIT_EXPECT_EQ(test, atomic_read(&gone_count), MANY);
	expect_peer(test, "fd00::1:2", SRXE_PEER_UNKEYED);
	expect_peer(test, "fd00::1:1", SRXE_PEER_DENIED);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(add_other_type),
	KUNIT_CASE(add_bad_description),
	KUNIT_CASE(add_without_capability),
	KUNIT_CASE(add_past_restriction),
	KUNIT_CASE(link_key),
	KUNIT_CASE(longest_prefix),
	KUNIT_CASE(youngest_first),
	KUNIT_CASE(by_id),
	KUNIT_CASE(revoked_denies),
	KUNIT_CASE(revoked_at_once),
	KUNIT_CASE(alternative_lives),
	KUNIT_CASE(invalidated_denies),
	KUNIT_CASE_SLOW(expired_denies),
	KUNIT_CASE_SLOW(unlinked),
	KUNIT_CASE(key_gone_under_sa),
	KUNIT_CASE(keyring_revoked),
	KUNIT_CASE(tombs_overflow),
	KUNIT_CASE(admin_revoke),
	KUNIT_CASE_SLOW(admin_timeout),
	KUNIT_CASE(admin_unlink),
	KUNIT_CASE(admin_clear),
	KUNIT_CASE(secrets_outlive_payload),
	KUNIT_CASE_SLOW(many_keys),
	{}
};

static int suite_setup(struct kunit_suite *suite)
{
	return srxe_psk_register();
}

static void suite_teardown(struct kunit_suite *suite)
{
	srxe_psk_unregister();
}

static struct kunit_suite ring_suite = {
	.name = "srxe_ring",
	.suite_init = suite_setup,
	.suite_exit = suite_teardown,
	.init = setup,
	.exit = teardown,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
