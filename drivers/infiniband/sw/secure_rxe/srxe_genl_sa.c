// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Generic netlink: sa-get. */
#include <net/genetlink.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_genl.h"
#include "srxe_nl.h"
#include "srxe_policy.h"
#include "srxe_psk_match.h"
#include "srxe_sa.h"

/* What one call of put_sa() needs besides the SA. */
struct sa_dump {
	struct sk_buff		*skb;
	struct netlink_callback	*cb;
	struct srxe_link	*link;
};

static u8 state_of(const struct srxe_sa_info *sa)
{
	switch (sa->state) {
	case SRXE_SA_EMBRYO:
		return SRXE_SA_NL_STATE_EMBRYO;
	case SRXE_SA_PENDING:
		return SRXE_SA_NL_STATE_PENDING;
	case SRXE_SA_STANDING:
		return SRXE_SA_NL_STATE_STANDING;
	case SRXE_SA_LINGER:
		return SRXE_SA_NL_STATE_LINGER;
	default:
		return SRXE_SA_NL_STATE_DEAD;
	}
}

static int put_ends(struct sk_buff *skb, const struct srxe_sa_info *sa)
{
	return nla_put_u8(skb, SRXE_A_SA_KIND, sa->ends.kind) ?:
	       nla_put_u8(skb, SRXE_A_SA_STATE, state_of(sa)) ?:
	       nla_put_in6_addr(skb, SRXE_A_SA_LOCAL_GID, &sa->ends.lgid) ?:
	       nla_put_in6_addr(skb, SRXE_A_SA_PEER_GID, &sa->ends.rgid) ?:
	       nla_put_u32(skb, SRXE_A_SA_LOCAL_QPN, sa->ends.lqpn) ?:
	       nla_put_u32(skb, SRXE_A_SA_PEER_QPN, sa->ends.rqpn) ?:
	       nla_put_u32(skb, SRXE_A_SA_LOCAL_SPI, sa->spi);
}

static int put_progress(struct sk_buff *skb, const struct srxe_sa_info *sa)
{
	return nla_put_u64_64bit(skb, SRXE_A_SA_TX_EPOCH, sa->tx_epoch, SRXE_A_SA_PAD) ?:
	       nla_put_u64_64bit(skb, SRXE_A_SA_RX_EPOCH, sa->rx_epoch, SRXE_A_SA_PAD) ?:
	       nla_put_u64_64bit(skb, SRXE_A_SA_TX_PN, sa->tx_pn, SRXE_A_SA_PAD) ?:
	       nla_put_u64_64bit(skb, SRXE_A_SA_RX_PN, sa->rx_pn, SRXE_A_SA_PAD);
}

/* What a handshake agreed on. */
static int put_agreed(struct sk_buff *skb, const struct srxe_sa_info *sa)
{
	int err;

	if (sa->state == SRXE_SA_EMBRYO)
		return 0;
	err = nla_put(skb, SRXE_A_SA_ID, sizeof(sa->sa_id), sa->sa_id) ?:
	      nla_put_u8(skb, SRXE_A_SA_MODE, sa->mode) ?:
	      nla_put_u8(skb, SRXE_A_SA_SUITE, sa->suite) ?:
	      nla_put_string(skb, SRXE_A_SA_DRIVER, sa->driver) ?:
	      nla_put_u32(skb, SRXE_A_SA_PEER_SPI, sa->peer_spi) ?:
	      put_progress(skb, sa);
	if (!err && sa->initiator)
		err = nla_put_flag(skb, SRXE_A_SA_INITIATOR);
	if (!err && sa->established)
		err = nla_put_u64_64bit(skb, SRXE_A_SA_ESTABLISHED, sa->established,
					SRXE_A_SA_PAD);
	return err;
}

/* An SA with oneself has a key like any other. */
static int put_key(struct sk_buff *skb, const struct srxe_sa_info *sa)
{
	char desc[SRXE_PSK_DESC_MAX];

	srxe_psk_match_format(&sa->key_match, desc, sizeof(desc));
	return nla_put_s32(skb, SRXE_A_SA_KEY_SERIAL, sa->key_serial) ?:
	       nla_put(skb, SRXE_A_SA_KEY_ID, sizeof(sa->key_id), sa->key_id) ?:
	       nla_put_u8(skb, SRXE_A_SA_KEY_MATCH, srxe_genl_match(&sa->key_match)) ?:
	       nla_put_string(skb, SRXE_A_SA_KEY_DESCRIPTION, desc);
}

static int put_sa(const struct srxe_sa_info *sa, void *arg)
{
	struct sa_dump *d = arg;
	void *hdr;
	int err;

	hdr = genlmsg_put(d->skb, NETLINK_CB(d->cb->skb).portid, d->cb->nlh->nlmsg_seq,
			  &srxe_genl_family, NLM_F_MULTI, SRXE_CMD_SA_GET);
	if (!hdr)
		return -EMSGSIZE;
	err = srxe_genl_put_dev(d->skb, d->link) ?:
	      put_ends(d->skb, sa) ?:
	      put_agreed(d->skb, sa) ?:
	      put_key(d->skb, sa);
	if (err) {
		genlmsg_cancel(d->skb, hdr);
		return err;
	}
	genlmsg_end(d->skb, hdr);
	return 0;
}

static int dump_sas(struct sk_buff *skb, struct netlink_callback *cb, struct srxe_link *link)
{
	struct sa_dump d = { .skb = skb, .cb = cb, .link = link };
	u64 cursor = cb->args[SRXE_GENL_ARG];
	int err;

	err = srxe_sa_for_each(link, &cursor, put_sa, &d);
	cb->args[SRXE_GENL_ARG] = cursor;
	return err;
}

/**
 * secure_rxe_nl_sa_get_dumpit() - sa-get
 * @skb: to be filled
 * @cb: the dump
 *
 * Context: process.
 * Return: bytes in @skb, 0 at the end of the dump, or an error.
 */
int secure_rxe_nl_sa_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return srxe_genl_dump(skb, cb, srxe_genl_dump_attrs(cb), dump_sas);
}
