// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Generic netlink: keys and tombstones of a link. */
#include <net/genetlink.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_genl.h"
#include "srxe_nl.h"
#include "srxe_policy.h"
#include "srxe_psk_match.h"
#include "srxe_ring.h"
#include "srxe_sa.h"

/*
 * What the callbacks of a dump need besides the object. Of cb->args, the first
 * says which of the two lists it is, the second where in that list.
 */
struct psk_dump {
	struct sk_buff		*skb;
	struct netlink_callback	*cb;
	struct srxe_link	*link;
};

enum {
	ARG_LIST = SRXE_GENL_ARG,
	ARG_POS,
};

static void *begin(const struct psk_dump *d)
{
	return genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, d->cb->nlh->nlmsg_seq,
			   &srxe_genl_family, NLM_F_MULTI, SRXE_CMD_PSK_GET);
}

static int finish(const struct psk_dump *d, void *hdr, int err)
{
	if (err)
		genlmsg_cancel(d->skb, hdr);
	else
		genlmsg_end(d->skb, hdr);
	return err;
}

static u32 count_sas(struct srxe_link *link, const struct srxe_ring_key *key)
{
	struct srxe_sa *sa;
	u32 n = 0;

	if (!key)
		return 0;
	spin_lock_bh(&link->sa_lock);
	list_for_each_entry(sa, &link->sas, entry)
		n += sa->key == key;
	spin_unlock_bh(&link->sa_lock);
	return n;
}

static u8 state_of(const struct srxe_ring_info *key)
{
	switch (key->err) {
	case 0:
		return SRXE_PSK_NL_STATE_LIVE;
	case -EKEYEXPIRED:
		return SRXE_PSK_NL_STATE_EXPIRED;
	default:
		return SRXE_PSK_NL_STATE_REVOKED;
	}
}

static int put_peers(struct sk_buff *skb, const struct srxe_psk_match *match)
{
	char desc[SRXE_PSK_DESC_MAX];
	int err;

	srxe_psk_match_format(match, desc, sizeof(desc));
	err = nla_put_string(skb, SRXE_A_PSK_DESCRIPTION, desc) ?:
	      nla_put_u8(skb, SRXE_A_PSK_MATCH, srxe_genl_match(match));
	if (err || match->rank == SRXE_RANK_DEFAULT)
		return err;
	return nla_put_in6_addr(skb, SRXE_A_PSK_ADDRESS, &match->addr) ?:
	       nla_put_u8(skb, SRXE_A_PSK_PREFIX_LEN, match->rank - 1);
}

static int put_times(struct sk_buff *skb, time64_t since, time64_t expiry)
{
	int err = nla_put_u64_64bit(skb, SRXE_A_PSK_SINCE, since, SRXE_A_PSK_PAD);

	if (!err && expiry)
		err = nla_put_u64_64bit(skb, SRXE_A_PSK_EXPIRY, expiry, SRXE_A_PSK_PAD);
	return err;
}

static int put_key(const struct srxe_ring_info *key, void *arg)
{
	struct psk_dump *d = arg;
	struct sk_buff *skb = d->skb;
	void *hdr;

	/* Unlinked just now: what is left of it is tombstones. */
	if (key->err == -ENOKEY)
		return 0;
	hdr = begin(d);
	if (!hdr)
		return -EMSGSIZE;
	return finish(d, hdr,
		      srxe_genl_put_dev(skb, d->link) ?:
		      nla_put_u8(skb, SRXE_A_PSK_STATE, state_of(key)) ?:
		      put_peers(skb, key->match) ?:
		      nla_put_s32(skb, SRXE_A_PSK_SERIAL, key->serial) ?:
		      nla_put(skb, SRXE_A_PSK_KEY_ID, SRXE_KEY_ID_LEN, key->key_id) ?:
		      nla_put_u32(skb, SRXE_A_PSK_SAS, count_sas(d->link, key->rk)) ?:
		      put_times(skb, key->created, key->expiry));
}

static int put_tomb(const struct srxe_psk_match *match, time64_t since, void *arg)
{
	struct psk_dump *d = arg;
	struct sk_buff *skb = d->skb;
	void *hdr;
	int err;

	hdr = begin(d);
	if (!hdr)
		return -EMSGSIZE;
	err = srxe_genl_put_dev(skb, d->link) ?:
	      nla_put_u8(skb, SRXE_A_PSK_STATE, SRXE_PSK_NL_STATE_TOMBSTONE) ?:
	      put_peers(skb, match) ?:
	      put_times(skb, since, 0);
	if (!err && srxe_ring_denies(d->link->ring, match))
		err = nla_put_flag(skb, SRXE_A_PSK_DENIED);
	return finish(d, hdr, err);
}

static int dump_psks(struct sk_buff *skb, struct netlink_callback *cb, struct srxe_link *link)
{
	struct psk_dump d = { .skb = skb, .cb = cb, .link = link };
	unsigned long *pos = (unsigned long *)&cb->args[ARG_POS];
	int err;

	if (!cb->args[ARG_LIST]) {
		err = srxe_ring_each_key(link->ring, pos, put_key, &d);
		if (err)
			return err;
		cb->args[ARG_LIST] = 1;
		*pos = 0;
	}
	return srxe_ring_each_tomb(link->ring, pos, put_tomb, &d);
}

/**
 * secure_rxe_nl_psk_get_dumpit() - psk-get
 * @skb: to be filled
 * @cb: the dump
 *
 * Context: process.
 * Return: bytes in @skb, 0 at the end of the dump, or an error.
 */
int secure_rxe_nl_psk_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srxe_genl_dump(skb, cb, srxe_genl_dump_attrs(cb), dump_psks);
}

/* Which key a request is about. */
static int get_sel(struct genl_info *info, struct srxe_ring_sel *sel)
{
	struct nlattr *serial = info->attrs[SRXE_A_PSK_SERIAL];
	struct nlattr *desc = info->attrs[SRXE_A_PSK_DESCRIPTION];

	if (!serial == !desc) {
		NL_SET_ERR_MSG(info->extack,
			       "which key? give either serial or description (srxe psk show)");
		return -EINVAL;
	}
	sel->serial = serial ? nla_get_s32(serial) : 0;
	sel->desc = desc ? nla_data(desc) : NULL;
	if (serial && sel->serial <= 0) {
		NL_SET_ERR_MSG_ATTR(info->extack, serial, "serial of a key is above 0");
		return -EINVAL;
	}
	return 0;
}

typedef int (*key_op)(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		      struct genl_info *info);

static int revoke(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		  struct genl_info *info)
{
	return srxe_ring_revoke(ring, sel);
}

static int set_timeout(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		       struct genl_info *info)
{
	return srxe_ring_timeout(ring, sel, nla_get_u32(info->attrs[SRXE_A_PSK_TIMEOUT]));
}

static int unlink(struct srxe_ring *ring, const struct srxe_ring_sel *sel,
		  struct genl_info *info)
{
	return srxe_ring_unlink(ring, sel);
}

static void explain(int err, struct netlink_ext_ack *extack)
{
	switch (err) {
	case -EINVAL:
		NL_SET_ERR_MSG(extack,
			       "description is peer:ADDRESS[/LEN][#TAG] or default[#TAG], as srxe psk show prints it");
		break;
	case -ENOENT:
		NL_SET_ERR_MSG(extack, "no such key on this link (srxe psk show)");
		break;
	case -EKEYREVOKED:
		NL_SET_ERR_MSG(extack, "the key is revoked already; del it and add another");
		break;
	case -EKEYEXPIRED:
		NL_SET_ERR_MSG(extack, "the key has expired; del it and add another");
		break;
	}
}

static int on_key(struct genl_info *info, key_op op)
{
	struct srxe_ring_sel sel;
	struct rxe_dev *rxe;
	int err;

	err = get_sel(info, &sel);
	if (err)
		return err;
	rxe = srxe_genl_link(genl_info_net(info), info->attrs, info->extack);
	if (IS_ERR(rxe))
		return PTR_ERR(rxe);
	err = op(rxe->sec.link->ring, &sel, info);
	ib_device_put(&rxe->ib_dev);
	explain(err, info->extack);
	return err;
}

/**
 * secure_rxe_nl_psk_revoke_doit() - psk-revoke
 * @skb: request
 * @info: request, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or an error, with its reason in the extack.
 */
int secure_rxe_nl_psk_revoke_doit(struct sk_buff *skb, struct genl_info *info)
{
	return on_key(info, revoke);
}

/**
 * secure_rxe_nl_psk_timeout_doit() - psk-timeout
 * @skb: request
 * @info: request, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or an error, with its reason in the extack.
 */
int secure_rxe_nl_psk_timeout_doit(struct sk_buff *skb, struct genl_info *info)
{
	if (!info->attrs[SRXE_A_PSK_TIMEOUT]) {
		NL_SET_ERR_MSG(info->extack, "when? give timeout in seconds, 0 for never");
		return -EINVAL;
	}
	return on_key(info, set_timeout);
}

/**
 * secure_rxe_nl_psk_del_doit() - psk-del
 * @skb: request
 * @info: request, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or an error, with its reason in the extack.
 */
int secure_rxe_nl_psk_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	return on_key(info, unlink);
}

static int clear(struct srxe_ring *ring, struct nlattr *desc, struct netlink_ext_ack *extack)
{
	struct srxe_psk_match match;
	const char *why;
	int err;

	err = srxe_psk_match_parse(nla_data(desc), &match, &why);
	if (err || match.tag[0]) {
		NL_SET_ERR_MSG_ATTR(extack, desc,
				    "description of a tombstone is peer:ADDRESS[/LEN] or default, without a tag");
		return -EINVAL;
	}
	err = srxe_ring_clear(ring, &match);
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(extack, desc,
				    "no tombstone of those very peers on this link (srxe psk show)");
	return err;
}

/**
 * secure_rxe_nl_psk_clear_doit() - psk-clear
 * @skb: request
 * @info: request, parsed
 *
 * Context: process, may sleep.
 * Return: 0 or an error, with its reason in the extack.
 */
int secure_rxe_nl_psk_clear_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *desc = info->attrs[SRXE_A_PSK_DESCRIPTION];
	struct rxe_dev *rxe;
	int err;

	if (!desc == !nla_get_flag(info->attrs[SRXE_A_PSK_ALL])) {
		NL_SET_ERR_MSG(info->extack, "which tombstones? give either description or all");
		return -EINVAL;
	}
	rxe = srxe_genl_link(genl_info_net(info), info->attrs, info->extack);
	if (IS_ERR(rxe))
		return PTR_ERR(rxe);
	err = desc ? clear(rxe->sec.link->ring, desc, info->extack) :
		     srxe_ring_clear_all(rxe->sec.link->ring);
	ib_device_put(&rxe->ib_dev);
	return err;
}
