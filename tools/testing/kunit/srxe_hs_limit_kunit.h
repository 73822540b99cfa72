/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites about bounds of handshakes have in common.
 */
#ifndef SRXE_HS_LIMIT_KUNIT_H
#define SRXE_HS_LIMIT_KUNIT_H

#include <kunit/test.h>

#include <srxe_hs_limit.h>

static inline struct in6_addr peer(u32 n)
{
	struct in6_addr addr = { .s6_addr32[0] = htonl(0x20010db8) };

	addr.s6_addr32[3] = htonl(n);
	return addr;
}

static inline int limit_init(struct kunit *test)
{
	struct srxe_hs_limit *lim = kunit_kzalloc(test, sizeof(*lim), GFP_KERNEL);

	if (!lim)
		return -ENOMEM;
	srxe_hs_limit_init(lim, NSEC_PER_SEC);
	test->priv = lim;
	return 0;
}

static inline void limit_exit(struct kunit *test)
{
	srxe_hs_limit_destroy(test->priv);
}

static inline bool waits(const struct srxe_hs_wait *wait)
{
	return !list_empty(&wait->entry);
}

static inline bool waits_at(const struct srxe_hs_wait *wait, enum srxe_hs_party_kind kind)
{
	return waits(wait) && wait->at->id.kind == kind;
}

/* Begins and ends as many as it may, one after the other. */
static inline unsigned int begin_all(struct srxe_hs_limit *lim, u64 now, u32 pd,
				     struct srxe_hs_wait *wait)
{
	struct in6_addr a = peer(1);
	unsigned int n = 0;

	for (; srxe_hs_limit_begin(lim, now, &a, pd, NULL, wait); n++)
		srxe_hs_limit_leave(lim, SRXE_HS_INITIATOR, &a, pd, NULL);
	return n;
}

static inline unsigned int enter_all(struct srxe_hs_limit *lim, enum srxe_hs_role role,
				     const struct in6_addr *addr, u32 pd)
{
	unsigned int n = 0;

	while (srxe_hs_limit_enter(lim, role, addr, pd, NULL))
		n++;
	return n;
}

static inline void leave_all(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			     const struct in6_addr *addr, u32 pd, unsigned int n)
{
	while (n--)
		srxe_hs_limit_leave(lim, role, addr, pd, NULL);
}

#endif /* SRXE_HS_LIMIT_KUNIT_H */
