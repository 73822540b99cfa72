/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Local users of a link, and what is a fair share of what they have in common:
 * places for handshakes under way, places in the SPI table.
 */
#ifndef SRXE_USER_H
#define SRXE_USER_H

#include <linux/minmax.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct rxe_qp;

/* One in so many of what there is stays for the kernel and for administrators. */
#define SRXE_USER_KEPT	8

/**
 * struct srxe_user - on whose behalf something is done
 * @uid: the user
 * @bound: he gets a fair share; false for the kernel and for administrators, who
 *	get what there is
 */
struct srxe_user {
	kuid_t	uid;
	bool	bound;
};

static inline bool srxe_same_user(const struct srxe_user *a, const struct srxe_user *b)
{
	return a->bound == b->bound && uid_eq(a->uid, b->uid);
}

/**
 * srxe_user_room() - how many more places may a user take?
 * @max: places there are
 * @taken: places taken, by whomever
 * @own: by him
 *
 * He may have as many as he leaves to others. So one alone has less than half, the
 * next finds as many as that half of what is left, and so on.
 *
 * Context: any.
 * Return: their number.
 */
static inline unsigned int srxe_user_room(unsigned int max, unsigned int taken,
					  unsigned int own)
{
	unsigned int gone = min(taken + max / SRXE_USER_KEPT, max);
	unsigned int left = max - gone;

	return own < left ? (left - own + 1) / 2 : 0;
}

void srxe_user_of_qp(const struct rxe_qp *qp, struct srxe_user *user);

#endif /* SRXE_USER_H */
