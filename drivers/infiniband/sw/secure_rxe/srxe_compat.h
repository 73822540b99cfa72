/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where kernels differ, and nowhere else. The rest of the code is written for
 * the newest of them.
 */
#ifndef SRXE_COMPAT_H
#define SRXE_COMPAT_H

#include <linux/netdevice.h>
#include <linux/version.h>

#include "rxe.h"

/**
 * srxe_netdev_get() - netdev of a link
 * @rxe: device of the link
 *
 * Context: process.
 * Return: the netdev with a reference for dev_put(), or NULL once the core has
 * let go of it.
 */
static inline struct net_device *srxe_netdev_get(struct rxe_dev *rxe)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return rxe_ib_device_get_netdev(&rxe->ib_dev);
#else
	dev_hold(rxe->ndev);
	return rxe->ndev;
#endif
}

#endif /* SRXE_COMPAT_H */
