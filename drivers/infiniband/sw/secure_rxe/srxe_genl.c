// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generic netlink: the family, how requests name links, and how dumps walk
 * them. Links of other network namespaces do not exist here: permission was
 * checked against the caller's own (GENL_UNS_ADMIN_PERM).
 */
#include <linux/module.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_genl.h"
#include "srxe_link.h"
#include "srxe_nl.h"
#include "srxe_policy.h"
#include "srxe_psk_match.h"

/* A link is named alike in every request. */
enum {
	DEV_INDEX	= SRXE_A_LINK_DEV_INDEX,
	DEV_NAME	= SRXE_A_LINK_DEV_NAME,
};

static_assert((int)SRXE_A_SA_DEV_INDEX == DEV_INDEX && (int)SRXE_A_SA_DEV_NAME == DEV_NAME);
static_assert((int)SRXE_A_PSK_DEV_INDEX == DEV_INDEX && (int)SRXE_A_PSK_DEV_NAME == DEV_NAME);

/* Not the generated table, which cannot say who may join. */
static const struct genl_multicast_group groups[] = {
	[SECURE_RXE_NLGRP_EVENTS] = {
		.name	= SRXE_GENL_MCGRP_EVENTS,
		.flags	= GENL_MCAST_CAP_NET_ADMIN,
	},
};

struct genl_family srxe_genl_family __ro_after_init = {
	.name		= SRXE_GENL_NAME,
	.version	= SRXE_GENL_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.mcgrps		= groups,
	.n_mcgrps	= ARRAY_SIZE(groups),
	.module		= THIS_MODULE,
};

/**
 * srxe_genl_init() - register the family
 *
 * Context: process, module init.
 * Return: 0 or an error.
 */
int srxe_genl_init(void)
{
	return srxe_genl_register(&srxe_genl_family, secure_rxe_nl_ops,
				  ARRAY_SIZE(secure_rxe_nl_ops));
}

/**
 * srxe_genl_exit() - unregister the family, waiting for what is going on
 *
 * Context: process, module exit.
 */
void srxe_genl_exit(void)
{
	genl_unregister_family(&srxe_genl_family);
}

struct index_match {
	u32		index;
	struct rxe_dev	*found;
};

static int match_index(struct rxe_dev *rxe, void *data)
{
	struct index_match *m = data;

	if (rxe->ib_dev.index != m->index)
		return 0;
	if (!ib_device_try_get(&rxe->ib_dev))
		return -ENODEV;
	m->found = rxe;
	return 1;
}

static struct rxe_dev *find_by_index(struct net *net, u32 index)
{
	struct index_match m = { .index = index };

	srxe_link_for_each(net, match_index, &m);
	return m.found;
}

/**
 * srxe_genl_link() - the link that a request names
 * @net: namespace of the caller
 * @attrs: the request's attributes; dev-index, dev-name or both
 * @extack: where the reason of a failure goes
 *
 * Context: process.
 * Return: the device with a reference for ib_device_put(); -EINVAL if no link
 * is named, -ENODEV if the namespace has none of that name.
 */
struct rxe_dev *srxe_genl_link(struct net *net, struct nlattr **attrs,
			       struct netlink_ext_ack *extack)
{
	struct nlattr *index = attrs[DEV_INDEX], *name = attrs[DEV_NAME];
	struct rxe_dev *rxe;

	if (!index && !name) {
		NL_SET_ERR_MSG(extack, "which link? give dev-name or dev-index of its RDMA device");
		return ERR_PTR(-EINVAL);
	}
	if (index)
		rxe = find_by_index(net, nla_get_u32(index));
	else
		rxe = srxe_link_find(net, nla_data(name));
	if (rxe && index && name && strcmp(rxe->ib_dev.name, nla_data(name))) {
		ib_device_put(&rxe->ib_dev);
		NL_SET_ERR_MSG_ATTR(extack, name,
				    "the link of that index has another name (rdma link show)");
		return ERR_PTR(-ENODEV);
	}
	if (!rxe) {
		NL_SET_ERR_MSG_ATTR(extack, index ?: name,
				    "no such secure-rxe link in this network namespace (rdma link show)");
		return ERR_PTR(-ENODEV);
	}
	return rxe;
}

/*
 * struct walk - a dump over links
 * @skb: what is filled
 * @cb: the dump; args[0] counts the links that are done
 * @fn: what is dumped of a link
 * @n: links passed in this round
 */
struct walk {
	struct sk_buff		*skb;
	struct netlink_callback	*cb;
	srxe_genl_dump_fn	fn;
	long			n;
};

static int walk_link(struct rxe_dev *rxe, void *data)
{
	struct walk *w = data;
	int err;

	if (w->n++ < w->cb->args[0])
		return 0;
	err = w->fn(w->skb, w->cb, rxe->sec.link);
	if (err)
		return err;
	w->cb->args[0] = w->n;
	memset(&w->cb->args[SRXE_GENL_ARG], 0,
	       sizeof(w->cb->args) - SRXE_GENL_ARG * sizeof(w->cb->args[0]));
	return 0;
}

/**
 * srxe_genl_dump() - dump something of the link that is named, or of all
 * @skb: to be filled
 * @cb: the dump
 * @attrs: the request's attributes, NULL if it cannot have any
 * @fn: dumps one link
 *
 * Context: process.
 * Return: bytes in @skb, 0 at the end of the dump, or an error.
 */
int srxe_genl_dump(struct sk_buff *skb, struct netlink_callback *cb, struct nlattr **attrs,
		   srxe_genl_dump_fn fn)
{
	struct walk w = { .skb = skb, .cb = cb, .fn = fn };
	struct net *net = sock_net(skb->sk);
	struct rxe_dev *rxe;
	int err;

	if (attrs && (attrs[DEV_INDEX] || attrs[DEV_NAME])) {
		rxe = srxe_genl_link(net, attrs, cb->extack);
		if (IS_ERR(rxe))
			return PTR_ERR(rxe);
		err = walk_link(rxe, &w);
		ib_device_put(&rxe->ib_dev);
	} else {
		err = srxe_link_for_each(net, walk_link, &w);
	}
	/* Full is not an error, unless not even one object fits. */
	if (err && (err != -EMSGSIZE || !skb->len))
		return err;
	return skb->len;
}

/**
 * srxe_genl_put_dev() - say which link an object is of
 * @skb: message
 * @link: link
 *
 * Context: any.
 * Return: 0 or -EMSGSIZE.
 */
int srxe_genl_put_dev(struct sk_buff *skb, const struct srxe_link *link)
{
	const struct ib_device *ibdev = &link->rxe->ib_dev;

	return nla_put_u32(skb, DEV_INDEX, ibdev->index) ?:
	       nla_put_string(skb, DEV_NAME, ibdev->name);
}

/**
 * srxe_genl_match() - how closely a key matches, in netlink's terms
 * @match: the key's description
 *
 * Context: any.
 * Return: enum srxe_psk_nl_match.
 */
u8 srxe_genl_match(const struct srxe_psk_match *match)
{
	switch (match->rank) {
	case SRXE_RANK_DEFAULT:
		return SRXE_PSK_NL_MATCH_DEFAULT;
	case SRXE_RANK_HOST:
		return SRXE_PSK_NL_MATCH_HOST;
	default:
		return SRXE_PSK_NL_MATCH_PREFIX;
	}
}
