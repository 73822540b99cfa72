// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whom a queue pair is charged to.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "rxe.h"
#include "srxe_user.h"

/*
 * Who makes user namespaces has as many users as he likes; they are all him. An
 * administrator's namespaces are of containers, whose users are strangers.
 */
static kuid_t owner(const struct cred *cred)
{
	const struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	for (; ns != &init_user_ns && !uid_eq(ns->owner, GLOBAL_ROOT_UID); ns = ns->parent)
		uid = ns->owner;
	return uid;
}

/**
 * srxe_user_of_qp() - on whose behalf is a queue pair made?
 * @qp: queue pair that is being made by the current task
 * @user: result
 *
 * Context: process.
 */
void srxe_user_of_qp(const struct rxe_qp *qp, struct srxe_user *user)
{
	const struct net *net = srxe_net(to_rdev(qp->ibqp.device));

	user->uid = owner(current_cred());
	user->bound = qp->is_user && !ns_capable_noaudit(net->user_ns, CAP_NET_ADMIN);
}
