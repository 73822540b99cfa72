/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generic netlink family secure-rxe, as Documentation/netlink/specs describes
 * it: what its parts share. Policies and operations are generated (srxe_nl.c).
 */
#ifndef SRXE_GENL_H
#define SRXE_GENL_H

#include <linux/netlink.h>
#include <linux/types.h>

struct genl_family;
struct rxe_dev;
struct srxe_link;
struct srxe_psk_match;

/*
 * Dumps what one link has into @skb. What it keeps in @cb->args, from
 * SRXE_GENL_ARG on, is 0 when the link is begun. Returns 0 when the link is
 * done, -EMSGSIZE when there is no room left.
 */
typedef int (*srxe_genl_dump_fn)(struct sk_buff *skb, struct netlink_callback *cb,
				 struct srxe_link *link);

/* cb->args below this one are srxe_genl_dump()'s own. */
#define SRXE_GENL_ARG	1

extern struct genl_family srxe_genl_family;

int srxe_genl_init(void);	/* module init and exit */
void srxe_genl_exit(void);

struct rxe_dev *srxe_genl_link(struct net *net, struct nlattr **attrs,
			       struct netlink_ext_ack *extack);
int srxe_genl_dump(struct sk_buff *skb, struct netlink_callback *cb, struct nlattr **attrs,
		   srxe_genl_dump_fn fn);
int srxe_genl_put_dev(struct sk_buff *skb, const struct srxe_link *link);
u8 srxe_genl_match(const struct srxe_psk_match *match);

#endif /* SRXE_GENL_H */
