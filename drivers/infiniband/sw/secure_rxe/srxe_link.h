/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Links among themselves; what the composed driver calls is in srxe_hooks.h. */
#ifndef SRXE_LINK_H
#define SRXE_LINK_H

struct net;

void srxe_link_drop_net(struct net *net);

#endif /* SRXE_LINK_H */
