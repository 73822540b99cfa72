// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Replay window.
 *
 * The map holds exactly one bit for each number in the window, so the window is
 * its full size at any time. Bits of numbers that come into the window are
 * cleared before the right edge is published: a look without the lock can at
 * worst take a number for new that the test under the lock then refuses.
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>

#include "srxe_replay.h"

/**
 * srxe_replay_init() - make an empty window
 * @rp: the window
 * @size: numbers it holds; a power of two, at least BITS_PER_LONG
 * @gfp: allocation flags
 *
 * Context: As @gfp says.
 * Return: 0, -EINVAL for a bad size, -ENOMEM.
 */
int srxe_replay_init(struct srxe_replay *rp, unsigned int size, gfp_t gfp)
{
	if (size < BITS_PER_LONG || !is_power_of_2(size))
		return -EINVAL;
	rp->map = bitmap_zalloc(size, gfp);
	if (!rp->map)
		return -ENOMEM;
	rp->mask = size - 1;
	rp->top = 0;
	return 0;
}

/**
 * srxe_replay_destroy() - free what srxe_replay_init() allocated
 * @rp: the window; may be all zero
 *
 * Context: Any.
 */
void srxe_replay_destroy(struct srxe_replay *rp)
{
	bitmap_free(rp->map);
	rp->map = NULL;
}

static enum srxe_replay_verdict judge(const struct srxe_replay *rp, u64 top,
				      u64 pn)
{
	if (!pn)
		return SRXE_REPLAY_OLD;
	if (pn > top)
		return SRXE_REPLAY_OK;
	if (top - pn > rp->mask)
		return SRXE_REPLAY_OLD;
	return test_bit(pn & rp->mask, rp->map) ? SRXE_REPLAY_SEEN : SRXE_REPLAY_OK;
}

/**
 * srxe_replay_check() - would this number be accepted now?
 * @rp: the window
 * @pn: packet number
 *
 * A filter before the costly work and nothing more: only
 * srxe_replay_test_and_set() decides. Needs no lock; on a 32-bit machine a
 * torn read may cost a packet.
 *
 * Context: Any.
 * Return: &enum srxe_replay_verdict.
 */
enum srxe_replay_verdict srxe_replay_check(const struct srxe_replay *rp, u64 pn)
{
	u64 top = READ_ONCE(rp->top);

	/* Pairs with smp_wmb() in advance(): see the cleared bits with the edge. */
	smp_rmb();
	return judge(rp, top, pn);
}

/* Forget what the bits of the numbers (top, pn] stood for a window ago. */
static void advance(struct srxe_replay *rp, u64 pn)
{
	unsigned int size = rp->mask + 1;
	unsigned int first, n, head;

	if (pn - rp->top >= size) {
		bitmap_zero(rp->map, size);
	} else {
		first = (rp->top + 1) & rp->mask;
		n = pn - rp->top;
		head = min(n, size - first);
		bitmap_clear(rp->map, first, head);
		bitmap_clear(rp->map, 0, n - head);
	}
	/* Pairs with smp_rmb() in srxe_replay_check(). */
	smp_wmb();
	WRITE_ONCE(rp->top, pn);
}

/**
 * srxe_replay_test_and_set() - accept a number once
 * @rp: the window
 * @pn: packet number, of a packet whose tag verified
 * @moved: set to whether the window's right edge moved
 *
 * Context: Any; the caller holds the lock of the SA, so that test and set are
 *	one step.
 * Return: &enum srxe_replay_verdict; unless SRXE_REPLAY_OK nothing changed.
 */
enum srxe_replay_verdict srxe_replay_test_and_set(struct srxe_replay *rp, u64 pn,
						  bool *moved)
{
	enum srxe_replay_verdict verdict = judge(rp, rp->top, pn);

	*moved = false;
	if (verdict != SRXE_REPLAY_OK)
		return verdict;
	if (pn > rp->top) {
		advance(rp, pn);
		*moved = true;
	}
	__set_bit(pn & rp->mask, rp->map);
	return SRXE_REPLAY_OK;
}
