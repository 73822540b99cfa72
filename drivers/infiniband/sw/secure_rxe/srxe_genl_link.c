// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Generic netlink: link-get and link-set. */
#include <linux/mutex.h>
#include <net/genetlink.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_genl.h"
#include "srxe_nl.h"
#include "srxe_policy.h"
#include "srxe_ring.h"
#include "srxe_suite.h"

/* What this version does; a tool can tell without trying. */
#define MODE_CAPS	(BIT(SRXE_MODE_HEADER) | BIT(SRXE_MODE_PACKET) | BIT(SRXE_MODE_ENCRYPT))
#define KIND_CAPS	(BIT(SRXE_KIND_RC) | BIT(SRXE_KIND_UC) | BIT(SRXE_KIND_UD) | \
			 BIT(SRXE_KIND_GSI))

/* A change reads, edits and writes the settings: one at a time. */
static DEFINE_MUTEX(set_lock);

static u32 count_sas(struct srxe_link *link)
{
	u32 n;

	spin_lock_bh(&link->sa_lock);
	n = link->sa_count;
	spin_unlock_bh(&link->sa_lock);
	return n;
}

static int put_settings(struct sk_buff *skb, struct srxe_link *link)
{
	struct srxe_settings s;

	srxe_policy_get(link, &s);
	return nla_put_u8(skb, SRXE_A_LINK_MODE, s.mode) ?:
	       nla_put_u32(skb, SRXE_A_LINK_SUITES, s.suites) ?:
	       nla_put_u8(skb, SRXE_A_LINK_UNKEYED,
			  s.unkeyed_allow ? SRXE_UNKEYED_ALLOW : SRXE_UNKEYED_DENY) ?:
	       nla_put_string(skb, SRXE_A_LINK_DRIVER, s.driver);
}

static int put_capabilities(struct sk_buff *skb)
{
	return nla_put_u32(skb, SRXE_A_LINK_MODE_CAPS, MODE_CAPS) ?:
	       nla_put_u32(skb, SRXE_A_LINK_SUITE_CAPS, SRXE_SUITES_ALL) ?:
	       nla_put_u32(skb, SRXE_A_LINK_KIND_CAPS, KIND_CAPS) ?:
	       nla_put_u32(skb, SRXE_A_LINK_OVERHEAD, SRXE_OVERHEAD) ?:
	       nla_put_u32(skb, SRXE_A_LINK_HANDSHAKES_MAX, SRXE_MAX_HS_LINK);
}

static int put_link(struct sk_buff *skb, u32 portid, u32 seq, int flags,
		    struct srxe_link *link)
{
	void *hdr;
	int err;

	hdr = genlmsg_put(skb, portid, seq, &srxe_genl_family, flags, SRXE_CMD_LINK_GET);
	if (!hdr)
		return -EMSGSIZE;
	err = srxe_genl_put_dev(skb, link) ?:
	      put_settings(skb, link) ?:
	      nla_put_s32(skb, SRXE_A_LINK_KEYRING, srxe_ring_serial(link->ring)) ?:
	      nla_put_u32(skb, SRXE_A_LINK_SAS, count_sas(link)) ?:
	      put_capabilities(skb);
	if (err) {
		genlmsg_cancel(skb, hdr);
		return err;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * secure_rxe_nl_link_get_doit() - link-get of one link
 * @skb: request
 * @info: request, parsed
 *
 * Context: process.
 * Return: 0 or an error.
 */
int secure_rxe_nl_link_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *reply;
	struct rxe_dev *rxe;
	int err;

	rxe = srxe_genl_link(genl_info_net(info), info->attrs, info->extack);
	if (IS_ERR(rxe))
		return PTR_ERR(rxe);
	reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	err = reply ? put_link(reply, info->snd_portid, info->snd_seq, 0, rxe->sec.link)
		    : -ENOMEM;
	ib_device_put(&rxe->ib_dev);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	return genlmsg_reply(reply, info);
}

static int dump_link(struct sk_buff *skb, struct netlink_callback *cb, struct srxe_link *link)
{
	return put_link(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI, link);
}

/**
 * secure_rxe_nl_link_get_dumpit() - link-get of all links
 * @skb: to be filled
 * @cb: the dump
 *
 * Context: process.
 * Return: bytes in @skb, 0 at the end of the dump, or an error.
 */
int secure_rxe_nl_link_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srxe_genl_dump(skb, cb, NULL, dump_link);
}

/* Returns false if nothing is to be changed. */
static bool edit(struct srxe_settings *s, struct nlattr **attrs)
{
	bool any = false;

	if (attrs[SRXE_A_LINK_MODE]) {
		s->mode = nla_get_u8(attrs[SRXE_A_LINK_MODE]);
		any = true;
	}
	if (attrs[SRXE_A_LINK_SUITES]) {
		s->suites = nla_get_u32(attrs[SRXE_A_LINK_SUITES]);
		any = true;
	}
	if (attrs[SRXE_A_LINK_UNKEYED]) {
		s->unkeyed_allow = nla_get_u8(attrs[SRXE_A_LINK_UNKEYED]) == SRXE_UNKEYED_ALLOW;
		any = true;
	}
	if (attrs[SRXE_A_LINK_DRIVER]) {
		nla_strscpy(s->driver, attrs[SRXE_A_LINK_DRIVER], sizeof(s->driver));
		any = true;
	}
	return any;
}

/**
 * secure_rxe_nl_link_set_doit() - link-set
 * @skb: request
 * @info: request, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or an error, with its reason in the extack.
 */
int secure_rxe_nl_link_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct srxe_settings s;
	struct rxe_dev *rxe;
	int err;

	rxe = srxe_genl_link(genl_info_net(info), info->attrs, info->extack);
	if (IS_ERR(rxe))
		return PTR_ERR(rxe);

	mutex_lock(&set_lock);
	srxe_policy_get(rxe->sec.link, &s);
	if (edit(&s, info->attrs)) {
		err = srxe_policy_set(rxe->sec.link, &s, info->extack);
	} else {
		NL_SET_ERR_MSG(info->extack,
			       "nothing to set; give mode, suites, unkeyed or driver");
		err = -EINVAL;
	}
	mutex_unlock(&set_lock);
	ib_device_put(&rxe->ib_dev);
	return err;
}
