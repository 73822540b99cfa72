/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the suites share.
 */
#ifndef SRXE_KUNIT_H
#define SRXE_KUNIT_H

#include <kunit/test.h>

/* The bytes tools/testing/vectors/generate.py makes of a seed. */
static inline void fill(u8 *out, u8 seed, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		out[i] = seed * 31 + i * 7 + 3;
}

/* A copy with nothing behind it, so that KASAN sees a read too far. */
static inline void *exact_copy(struct kunit *test, const void *data, size_t len)
{
	void *copy = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	memcpy(copy, data, len);
	return copy;
}

#endif /* SRXE_KUNIT_H */
