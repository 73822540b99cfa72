// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of the rings' suites.
 */
#include <linux/random.h>
#include <net/net_namespace.h>

#include "srxe_policy.h"
#include "srxe_ring_fixture.h"

struct fixture {
	struct srxe_link	link;
	struct srxe_ring	*ring;
	atomic_t		gone;	/* what the ring reported to the driver */
};

/**
 * srxe_policy_key_gone() - what the ring says to the driver; here it is counted
 * @link: the fixture's link
 * @key: the key that is gone
 *
 * Context: as in the driver.
 */
void srxe_policy_key_gone(struct srxe_link *link, const struct srxe_ring_key *key)
{
	struct fixture *f = container_of(link, struct fixture, link);

	WARN_ON(!READ_ONCE(key->gone));
	atomic_inc(&f->gone);
}

/**
 * ring_suite_init() - makes the key type known
 * @suite: not used
 *
 * Context: process; a suite's suite_init.
 * Return: 0, or -errno.
 */
int ring_suite_init(struct kunit_suite *suite)
{
	return srxe_psk_register();
}

/**
 * ring_suite_exit() - takes the key type back
 * @suite: not used
 *
 * Context: process; a suite's suite_exit.
 */
void ring_suite_exit(struct kunit_suite *suite)
{
	srxe_psk_unregister();
}

/**
 * ring_init() - makes a test's ring
 * @test: the test; the fixture is in its priv
 *
 * Context: process; a suite's init.
 * Return: 0, or -errno.
 */
int ring_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	f->link.net = &init_net;
	f->ring = srxe_ring_create(&f->link, "kunit");
	if (IS_ERR(f->ring))
		return PTR_ERR(f->ring);
	test->priv = f;
	return 0;
}

/**
 * ring_exit() - takes a test's ring down
 * @test: the test
 *
 * Context: process; a suite's exit.
 */
void ring_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f)
		srxe_ring_destroy(f->ring);
}

/**
 * ring_of() - a test's ring
 * @test: the test
 *
 * Context: process; a test.
 * Return: the ring.
 */
struct srxe_ring *ring_of(struct kunit *test)
{
	return ((struct fixture *)test->priv)->ring;
}

/**
 * ring_gone() - how many keys the ring has reported as gone
 * @test: the test
 *
 * Context: process; a test.
 * Return: their number.
 */
unsigned int ring_gone(struct kunit *test)
{
	return atomic_read(&((struct fixture *)test->priv)->gone);
}

/**
 * ring_try_add() - tries to add a key with a random secret to the ring's keyring
 * @test: the test
 * @type: the key's type
 * @desc: its description, or NULL
 * @flags: KEY_ALLOC_...
 *
 * Context: process; a test.
 * Return: the key, whose reference is the caller's, or an ERR_PTR.
 */
key_ref_t ring_try_add(struct kunit *test, const char *type, const char *desc,
		       unsigned long flags)
{
	key_ref_t ring = make_key_ref(ring_of(test)->keyring, true);
	u8 psk[SRXE_PSK_LEN];

	get_random_bytes(psk, sizeof(psk));
	return key_create_or_update(ring, type, desc, psk, sizeof(psk), KEY_PERM_UNDEF, flags);
}

/**
 * ring_add() - adds a key
 * @test: the test, which ends if that fails
 * @desc: the key's description
 *
 * Context: process; a test.
 * Return: the key; the reference is the caller's.
 */
struct key *ring_add(struct kunit *test, const char *desc)
{
	key_ref_t ref = ring_try_add(test, "rdma_psk", desc, KEY_ALLOC_NOT_IN_QUOTA);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(ref), "%s: %ld", desc, PTR_ERR(ref));
	return key_ref_to_ptr(ref);
}

/**
 * ring_add_put() - adds a key that the keyring alone keeps
 * @test: the test, which ends if that fails
 * @desc: the key's description
 *
 * Context: process; a test.
 */
void ring_add_put(struct kunit *test, const char *desc)
{
	key_put(ring_add(test, desc));
}

/* Looks a peer up; tells the tag of the first key, or NULL, and how many there are. */
static int lookup(struct kunit *test, const char *peer, char tag[SRXE_PSK_TAG_MAX + 1])
{
	struct srxe_ring_key *keys[RING_MAX_ALTS];
	struct in6_addr a = addr(test, peer);
	int i, n;

	n = srxe_ring_lookup(ring_of(test), &a, keys, RING_MAX_ALTS);
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

/**
 * ring_expect_lookup() - expects so many keys for a peer, the youngest first
 * @test: the test
 * @peer: its address, as text
 * @want: their number, or the -errno there is instead
 *
 * Context: process; a test.
 */
void ring_expect_lookup(struct kunit *test, const char *peer, int want)
{
	KUNIT_EXPECT_EQ_MSG(test, lookup(test, peer, NULL), want, "%s", peer);
}

/**
 * ring_expect_tag() - expects so many keys for a peer, and which is the first
 * @test: the test
 * @peer: its address, as text
 * @n: their number
 * @want: tag of the first
 *
 * Context: process; a test.
 */
void ring_expect_tag(struct kunit *test, const char *peer, int n, const char *want)
{
	char tag[SRXE_PSK_TAG_MAX + 1] = "";

	KUNIT_EXPECT_EQ_MSG(test, lookup(test, peer, tag), n, "%s", peer);
	KUNIT_EXPECT_STREQ_MSG(test, (char *)tag, want, "%s", peer);
}

/**
 * ring_expect_peer() - expects a peer to be keyed, unkeyed or denied
 * @test: the test
 * @peer: its address, as text
 * @want: which of them
 *
 * Context: process; a test.
 */
void ring_expect_peer(struct kunit *test, const char *peer, enum srxe_peer want)
{
	struct in6_addr a = addr(test, peer);

	KUNIT_EXPECT_EQ_MSG(test, (int)srxe_ring_peer(ring_of(test), &a), (int)want, "%s", peer);
}
