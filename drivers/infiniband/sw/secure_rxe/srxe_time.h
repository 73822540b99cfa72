/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Boottime, in nanoseconds, and the jiffies of works. */
#ifndef SRXE_TIME_H
#define SRXE_TIME_H

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

/**
 * srxe_delay() - delay of a work that is due at some time, and not before it
 * @now: ns
 * @when: ns
 *
 * Context: any.
 * Return: jiffies.
 */
static inline unsigned long srxe_delay(u64 now, u64 when)
{
	return when > now ? nsecs_to_jiffies(when - now) + 1 : 0;
}

/**
 * srxe_rough_boottime() - time of the last tick, for what is marked with each packet
 *
 * Context: any.
 * Return: ns.
 */
static inline u64 srxe_rough_boottime(void)
{
	return ktime_to_ns(ktime_get_coarse_boottime());
}

#endif /* SRXE_TIME_H */
