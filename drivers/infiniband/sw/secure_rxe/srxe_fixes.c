// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What rxe lacks whatever the mode: checks that protection of the wire would
 * otherwise stand on sand without.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <rdma/ib_addr.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_hooks.h"

/**
 * srxe_xmit_code() - tell a lost packet from an error
 * @code: what the IP layer said to a packet
 *
 * A positive code is a queue's: it is full, or soon will be, and the packet is
 * lost at worst. That is what retransmission is for.
 *
 * Context: any.
 * Return: 0, or a negative error that means what it says.
 */
int srxe_xmit_code(int code)
{
	return min(code, 0);
}

/**
 * srxe_reg_fast_mr() - a work request to register memory
 * @qp: the queue pair
 * @wqe: the work request
 *
 * The memory region is a kernel pointer in the work request, so only the
 * kernel may have written it.
 *
 * Context: the send task.
 * Return: 0, or a negative error that fails the work request.
 */
int srxe_reg_fast_mr(struct rxe_qp *qp, struct rxe_send_wqe *wqe)
{
	if (qp->is_user)
		return -EPERM;
	return rxe_reg_fast_mr(qp, wqe);
}

/**
 * srxe_max_path_mtu() - largest path MTU a queue pair may ask for
 * @port: port of its link
 *
 * That of its link; but the core works a connection's out from the MTU of the
 * netdev, and knows nothing of what sealing adds. rdma_cm and the programs that
 * use it cannot ask for less, so they may ask for that.
 *
 * Context: process, may sleep.
 * Return: the MTU.
 */
enum ib_mtu srxe_max_path_mtu(struct rxe_port *port)
{
	struct rxe_dev *rxe = container_of(port, struct rxe_dev, port);
	struct net_device *ndev = srxe_netdev_get(rxe);
	enum ib_mtu mtu = port->attr.active_mtu;

	if (ndev)
		mtu = max(mtu, iboe_get_mtu(READ_ONCE(ndev->mtu)));
	dev_put(ndev);
	return mtu;
}

/**
 * srxe_path_mtu() - path MTU that a queue pair gets
 * @qp: queue pair
 * @mtu: what it asked for
 *
 * Context: process.
 * Return: the MTU, which fits the link.
 */
enum ib_mtu srxe_path_mtu(struct rxe_qp *qp, enum ib_mtu mtu)
{
	return min(mtu, to_rdev(qp->ibqp.device)->port.attr.active_mtu);
}

/**
 * srxe_pool_erased() - wait for those who are just looking up what is to go
 * @pool: where it was
 *
 * rxe itself sees to memory regions, and others are not looked up.
 *
 * Context: process, may sleep.
 */
void srxe_pool_erased(const struct rxe_pool *pool)
{
	switch (pool->type) {
	case RXE_TYPE_QP:
	case RXE_TYPE_MW:
	case RXE_TYPE_AH:
		synchronize_rcu_expedited();
		break;
	default:
		break;
	}
}
