/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What of ours lives inside rxe's own objects: one member, named sec, in each.
 * Included by rxe_verbs.h, so nothing of rxe may be used here but pointers.
 */
#ifndef SRXE_TYPES_H
#define SRXE_TYPES_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>

#include "srxe_user.h"

struct net;
struct srxe_conn;
struct srxe_link;
struct srxe_port;

/**
 * struct srxe_dev - our part of a struct rxe_dev
 * @entry: in the list of our links, under its mutex (srxe_link.c)
 * @net: network namespace of the link; fixed, and good until the device is
 *	unregistered; not held, the namespace's end unregisters its links
 * @port: UDP port 4791 of that namespace
 * @link: policy, keyring and tables of the link; set before the device is
 *	registered, freed when the device is (secure variant only)
 * @pinned: the link is in the list and holds a reference to the module
 */
struct srxe_dev {
	struct list_head	entry;
	struct net		*net;
	struct srxe_port	*port;
	struct srxe_link	*link;
	bool			pinned;
};

/**
 * struct srxe_qp - our part of a struct rxe_qp
 * @conn: security state of the connection; allocated with the queue pair of
 *	kind RC or UC, freed when its last reference is gone; NULL for others
 *	and in the plain variant
 * @no_bind: the queue pair is being destroyed, no memory window may be bound
 *	to it any more
 * @closing: the queue pair is being destroyed, none of its datagrams may wait
 * @waiting: how many of its datagrams wait for an SA
 * @user: on whose behalf it is
 */
struct srxe_qp {
	struct srxe_conn	*conn;
	bool			no_bind;
	bool			closing;
	atomic_t		waiting;
	struct srxe_user	user;
};

#endif /* SRXE_TYPES_H */
