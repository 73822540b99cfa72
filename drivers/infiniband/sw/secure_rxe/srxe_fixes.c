// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What rxe lacks whatever the mode: checks that protection of the wire would
 * otherwise stand on sand without.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>

#include "rxe.h"
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
