/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* UDP port 4791 of a network namespace. */
#ifndef SRXE_NETNS_H
#define SRXE_NETNS_H

struct net;
struct srxe_port;

struct srxe_port *srxe_port_get(struct net *net);
void srxe_port_put(struct srxe_port *port);

#endif /* SRXE_NETNS_H */
