// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which queue pair may send datagrams to which, and under what SA.
 *
 * An SA of kind GSI is the host's word: what comes under it is taken for the peer's
 * connection manager. So only queue pair 1 speaks under it, and only to queue pair
 * 1, and nobody else speaks to that at all, whatever the policy; else any user of a
 * host could have connection management messages sealed in the host's name.
 */
#include <linux/inetdevice.h>
#include <linux/ratelimit.h>

#include "rxe.h"
#include "rxe_loc.h"
#include "srxe_dgram.h"
#include "srxe_hooks.h"
#include "srxe_policy.h"
#include "srxe_sa.h"
#include "srxe_seal.h"

#define GSI_QPN		1

/* Of a Q_Key in a work request: send the queue pair's own instead. */
#define QKEY_OWN	BIT(31)

/**
 * srxe_gsi() - is this queue pair 1?
 * @qp: queue pair
 *
 * By type: its number as an object is another one.
 *
 * Context: any.
 * Return: true if so.
 */
bool srxe_gsi(const struct rxe_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_GSI;
}

/**
 * srxe_gsi_get() - queue pair 1 of a link
 * @rxe: device of the link
 *
 * Handshakes of datagrams and CTRLs are nobody's, so they are sent from there.
 *
 * Context: any.
 * Return: the queue pair with a reference, or NULL before the core has made it and
 * after it has destroyed it.
 */
struct rxe_qp *srxe_gsi_get(struct rxe_dev *rxe)
{
	struct rxe_qp *qp = rxe_pool_get_index(&rxe->qp_pool, READ_ONCE(rxe->port.qp_gsi_index));

	if (qp && !srxe_gsi(qp)) {
		rxe_put(qp);
		return NULL;
	}
	return qp;
}

/**
 * srxe_gsi_gone() - a queue pair is gone; if it was queue pair 1 there may be another
 * @qp: queue pair without references
 *
 * rxe has its devices make one for all their life, but the core makes it anew when
 * it moves a device to another namespace.
 *
 * Context: any.
 */
void srxe_gsi_gone(const struct rxe_qp *qp)
{
	struct rxe_port *port = &to_rdev(qp->ibqp.device)->port;

	/* a second one is refused, and is not it */
	if (srxe_gsi(qp) && port->qp_gsi_index == qp->elem.index)
		WRITE_ONCE(port->qp_gsi_index, 0);
}

/**
 * srxe_dgram_entitles() - does a queue pair use this SA's key with its peer?
 * @sa: SA of its kind
 * @qp: queue pair
 *
 * The keys are those of its protection domain. As long as domains have none of
 * their own, all of them use the link's.
 *
 * Context: any.
 * Return: true if so; then it may send and receive under the SA.
 */
bool srxe_dgram_entitles(const struct srxe_sa *sa, const struct rxe_qp *qp)
{
	return true;
}

/**
 * srxe_dgram_fits() - may datagrams of that kind enter this queue pair?
 * @qp: queue pair
 * @kind: SRXE_KIND_UD or SRXE_KIND_GSI
 *
 * Context: any.
 * Return: true if so.
 */
bool srxe_dgram_fits(const struct rxe_qp *qp, u8 kind)
{
	return qp->ibqp.qp_type == (kind == SRXE_KIND_GSI ? IB_QPT_GSI : IB_QPT_UD);
}

/**
 * srxe_dgram_may_send() - may this queue pair send that datagram?
 * @qp: queue pair it is from, not RC or UC
 * @bth: the packet from there on
 *
 * Context: any.
 * Return: 0, or the counter of why not.
 */
int srxe_dgram_may_send(const struct rxe_qp *qp, const struct srxe_bth *bth)
{
	bool to_gsi = (be32_to_cpu(bth->qpn) & SRXE_BTH_QPN_MASK) == GSI_QPN;

	if (to_gsi == srxe_gsi(qp))
		return 0;
	net_warn_ratelimited("%s: qp %u: datagram to qp %u dropped: only qp 1 talks to qp 1\n",
			     dev_name(&qp->ibqp.device->dev), qp->ibqp.qp_num,
			     be32_to_cpu(bth->qpn) & SRXE_BTH_QPN_MASK);
	return SRXE_CNT_TX_QP1;
}

static u32 source_qpn(const struct rxe_pkt_info *pkt)
{
	const u8 *ext = pkt->hdr + sizeof(struct srxe_bth) + sizeof(struct srxe_seth);

	/* the second half of a DETH; every sealed packet is that long */
	return be32_to_cpu(*(__be32 *)(ext + sizeof(__be32))) & SRXE_BTH_QPN_MASK;
}

/* To queue pair 1 from queue pair 1. */
static int check_gsi(const struct rxe_pkt_info *pkt, u32 qpn)
{
	if (qpn != GSI_QPN)
		return SRXE_CNT_RX_QPN;
	return source_qpn(pkt) == GSI_QPN ? 0 : SRXE_CNT_RX_SOURCE;
}

static int check_ud(const struct srxe_sa *sa, const struct rxe_pkt_info *pkt, u32 qpn)
{
	struct rxe_qp *qp;
	bool ok;

	if (qpn == GSI_QPN)
		return SRXE_CNT_RX_QPN;
	qp = rxe_pool_get_index(&pkt->rxe->qp_pool, qpn);
	if (!qp)
		return SRXE_CNT_RX_QPN;
	ok = srxe_dgram_fits(qp, SRXE_KIND_UD) && srxe_dgram_entitles(sa, qp);
	rxe_put(qp);
	return ok ? 0 : SRXE_CNT_RX_QPN;
}

/**
 * srxe_dgram_may_receive() - does its SA entitle a datagram to the queue pair it names?
 * @sa: SA of kind UD or GSI
 * @pkt: packet info of a sealed packet of that service, at least SRXE_MIN_LEN long
 *
 * Context: any.
 * Return: 0, or the counter of why not.
 */
int srxe_dgram_may_receive(const struct srxe_sa *sa, const struct rxe_pkt_info *pkt)
{
	const struct srxe_bth *bth = (const struct srxe_bth *)pkt->hdr;
	u32 qpn = be32_to_cpu(bth->qpn) & SRXE_BTH_QPN_MASK;

	return sa->ends.kind == SRXE_KIND_GSI ? check_gsi(pkt, qpn) : check_ud(sa, pkt, qpn);
}

/**
 * srxe_wr_qkey() - Q_Key that a datagram is sent with
 * @qp: queue pair, not 1
 * @qkey: what the work request says
 *
 * Those with the highest bit set are privileged: a queue pair sends one only if it
 * is its own, which the core has let it have.
 *
 * Context: any.
 * Return: the Q_Key.
 */
u32 srxe_wr_qkey(const struct rxe_qp *qp, u32 qkey)
{
	return qkey & QKEY_OWN ? qp->attr.qkey : qkey;
}

/**
 * srxe_attach_mcast() - may a queue pair join a multicast group?
 * @qp: queue pair
 * @mgid: the group
 *
 * A group has no key, so its packets are plain.
 *
 * Context: process.
 * Return: 0; -EPERM unless plain packets are allowed.
 */
int srxe_attach_mcast(const struct rxe_qp *qp, const union ib_gid *mgid)
{
	struct rxe_dev *rxe = to_rdev(qp->ibqp.device);

	if (READ_ONCE(rxe->sec.link->settings.unkeyed_allow))
		return 0;
	net_warn_ratelimited("%s: qp %u: multicast group %pI6c refused: multicast cannot be protected: srxe link set dev %s unkeyed allow\n",
			     dev_name(&rxe->ib_dev.dev), qp->ibqp.qp_num, mgid->raw,
			     dev_name(&rxe->ib_dev.dev));
	return -EPERM;
}

/**
 * srxe_dgram_user_of() - who is charged for what a queue pair's datagrams need
 * @qp: queue pair of type UD or GSI
 * @user: result
 *
 * Context: any.
 */
void srxe_dgram_user_of(const struct rxe_qp *qp, struct srxe_dgram_user *user)
{
	user->local = true;
	user->pd = qp->pd->elem.index;
	user->who = qp->sec.user;
	if (srxe_gsi(qp)) {
		user->pd = SRXE_HS_PD_CM;
		user->who = (struct srxe_user){ .uid = INVALID_UID };
	}
}
