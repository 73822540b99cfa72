/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Where kernels differ, and nowhere else. The rest of the code is written for
 * the newest of them.
 */
#ifndef SRXE_COMPAT_H
#define SRXE_COMPAT_H

#include <linux/crypto.h>
#include <linux/netdevice.h>
#include <linux/version.h>
#include <net/genetlink.h>

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

/**
 * srxe_flushes_whole_mr() - a FLUSH of a memory region, whatever its address says
 * @pkt: the request
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool srxe_flushes_whole_mr(const struct rxe_pkt_info *pkt)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return pkt->mask & RXE_FLUSH_MASK &&
	       feth_sel((struct rxe_pkt_info *)pkt) == IB_FLUSH_MR;
#else
	return false;
#endif
}

/**
 * srxe_sched_send() - let the send task of a queue pair run
 * @qp: the queue pair
 *
 * Context: any.
 */
static inline void srxe_sched_send(struct rxe_qp *qp)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	rxe_sched_task(&qp->send_task);
#else
	rxe_sched_task(&qp->req.task);
#endif
}

/**
 * srxe_sched_complete() - let the completer of a queue pair run
 * @qp: the queue pair
 *
 * Context: any.
 */
static inline void srxe_sched_complete(struct rxe_qp *qp)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	rxe_sched_task(&qp->send_task);
#else
	rxe_sched_task(&qp->comp.task);
#endif
}

/**
 * srxe_retransmit() - as if the retransmission timer of a queue pair had run out
 * @qp: the queue pair
 *
 * Of a queue pair that has no such timer the send task runs.
 *
 * Context: any.
 */
static inline void srxe_retransmit(struct rxe_qp *qp)
{
	unsigned long flags;

	if (qp_type(qp) == IB_QPT_RC) {
		spin_lock_irqsave(&qp->state_lock, flags);
		qp->comp.timeout = 1;
		spin_unlock_irqrestore(&qp->state_lock, flags);
	}
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
	rxe_sched_task(&qp->comp.task);
#endif
	srxe_sched_send(qp);
}

/*
 * What a crypto completion is called with: 6.1 gives a request, which need not
 * be the one submitted, and in it what was given with the callback.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
typedef void srxe_crypto_arg;
#else
typedef struct crypto_async_request srxe_crypto_arg;
#endif

/**
 * srxe_crypto_data() - what was given with a completion callback
 * @arg: first argument of the callback
 *
 * Context: any.
 * Return: the data.
 */
static inline void *srxe_crypto_data(srxe_crypto_arg *arg)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return arg;
#else
	return arg->data;
#endif
}

/* In a tracepoint: copy a string to where __string() has made room for it. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define srxe_assign_str(dst, src)	__assign_str(dst)
#else
#define srxe_assign_str(dst, src)	__assign_str(dst, src)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* struct genl_split_ops - one of a command's two halves, as the table has it */
struct genl_split_ops {
	int			(*doit)(struct sk_buff *skb, struct genl_info *info);
	int			(*dumpit)(struct sk_buff *skb, struct netlink_callback *cb);
	const struct nla_policy	*policy;
	unsigned int		maxattr;
	u8			cmd;
	u8			flags;
};

#define SRXE_GENL_CMDS	16	/* room for the family's commands */

static inline int srxe_genl_join(struct genl_ops *ops, const struct genl_split_ops *half)
{
	struct genl_ops *op;

	if (WARN_ON(!half->cmd || half->cmd > SRXE_GENL_CMDS))
		return -EINVAL;
	op = &ops[half->cmd - 1];
	op->cmd = half->cmd;
	op->flags |= half->flags;
	if (half->doit)
		op->doit = half->doit;
	else
		op->dumpit = half->dumpit;
	/* There is one policy for both halves. */
	if (half->doit || !op->policy) {
		op->policy = half->policy;
		op->maxattr = half->maxattr;
	}
	return 0;
}
#endif

/**
 * srxe_genl_register() - register a family with split operations
 * @family: family, all but its operations filled in
 * @ops: halves of the commands; commands are numbered without a gap
 * @n: their number
 *
 * Context: process, module init; for one family only.
 * Return: 0 or an error.
 */
static inline int srxe_genl_register(struct genl_family *family,
				     const struct genl_split_ops *ops, unsigned int n)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	family->split_ops = ops;
	family->n_split_ops = n;
#else
	static struct genl_ops joined[SRXE_GENL_CMDS];
	unsigned int i;
	int err;

	for (i = 0; i < n; i++) {
		err = srxe_genl_join(joined, &ops[i]);
		if (err)
			return err;
		family->n_ops = max_t(u8, family->n_ops, ops[i].cmd);
	}
	family->ops = joined;
#endif
	return genl_register_family(family);
}

/**
 * srxe_genl_dump_attrs() - attributes of the request for a dump
 * @cb: the dump
 *
 * Context: process.
 * Return: the attributes by number.
 */
static inline struct nlattr **srxe_genl_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	return genl_dumpit_info(cb)->info.attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif /* SRXE_COMPAT_H */
