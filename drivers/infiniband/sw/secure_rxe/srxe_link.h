/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Links among themselves; what the composed driver calls is in srxe_hooks.h. */
#ifndef SRXE_LINK_H
#define SRXE_LINK_H

struct net;
struct rxe_dev;

void srxe_link_drop_net(struct net *net);
struct rxe_dev *srxe_link_find(struct net *net, const char *name);
int srxe_link_for_each(struct net *net, int (*fn)(struct rxe_dev *rxe, void *data),
		       void *data);

#endif /* SRXE_LINK_H */
