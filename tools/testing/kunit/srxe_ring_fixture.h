/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of a link that is not there, on a real keyring, for the suites of
 * rings: who may add, what the end of a key means, what netlink offers.
 */
#ifndef SRXE_RING_FIXTURE_H
#define SRXE_RING_FIXTURE_H

#include <linux/key.h>

#include "srxe_addr.h"
#include "srxe_ring_priv.h"

#define RING_MAX_ALTS	8

int ring_suite_init(struct kunit_suite *suite);
void ring_suite_exit(struct kunit_suite *suite);
int ring_init(struct kunit *test);
void ring_exit(struct kunit *test);

#define RING_SUITE(suite_name, suite_cases)	{	\
	.name		= suite_name,			\
	.suite_init	= ring_suite_init,		\
	.suite_exit	= ring_suite_exit,		\
	.init		= ring_init,			\
	.exit		= ring_exit,			\
	.test_cases	= suite_cases,			\
}

struct srxe_ring *ring_of(struct kunit *test);
unsigned int ring_gone(struct kunit *test);
key_ref_t ring_try_add(struct kunit *test, const char *type, const char *desc,
		       unsigned long flags);
struct key *ring_add(struct kunit *test, const char *desc);
void ring_add_put(struct kunit *test, const char *desc);

void ring_expect_lookup(struct kunit *test, const char *peer, int want);
void ring_expect_tag(struct kunit *test, const char *peer, int n, const char *want);
void ring_expect_peer(struct kunit *test, const char *peer, enum srxe_peer want);

#endif /* SRXE_RING_FIXTURE_H */
