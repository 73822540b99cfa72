/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Replay window: which packet numbers have been accepted (compare RFC 6479).
 */
#ifndef SRXE_REPLAY_H
#define SRXE_REPLAY_H

#include <linux/gfp_types.h>
#include <linux/types.h>

/* enum srxe_replay_verdict - what the window says about a packet number */
enum srxe_replay_verdict {
	SRXE_REPLAY_OK,
	SRXE_REPLAY_SEEN,	/* replayed */
	SRXE_REPLAY_OLD,	/* left of the window, or 0 */
};

/**
 * struct srxe_replay - one direction's window
 * @top: right edge: the highest number accepted, 0 before the first
 * @mask: size - 1; the size is a power of two
 * @map: bit (number & @mask) for each of the numbers (top - size, top]
 */
struct srxe_replay {
	u64		top;
	unsigned int	mask;
	unsigned long	*map;
};

int srxe_replay_init(struct srxe_replay *rp, unsigned int size, gfp_t gfp);
void srxe_replay_destroy(struct srxe_replay *rp);
enum srxe_replay_verdict srxe_replay_check(const struct srxe_replay *rp, u64 pn);
enum srxe_replay_verdict srxe_replay_test_and_set(struct srxe_replay *rp, u64 pn,
						  bool *moved);

#endif /* SRXE_REPLAY_H */
