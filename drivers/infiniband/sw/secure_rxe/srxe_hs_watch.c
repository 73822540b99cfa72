// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What handshakes do, for whoever watches.
 */
#include "rxe.h"
#include "srxe_hs_watch.h"
#include "srxe_notify.h"
#include "srxe_policy.h"
#include "srxe_trace.h"

static_assert(SRXE_OP_REFUSE - SRXE_OP_INIT == 3);

/**
 * srxe_hs_watch_msg() - a message is sent or was received
 * @link: link
 * @sent: it is sent
 * @local: our address
 * @peer: the peer's address
 * @msg: the message; it need not be a good one
 *
 * Context: any.
 */
void srxe_hs_watch_msg(const struct srxe_link *link, bool sent, const struct in6_addr *local,
		       const struct in6_addr *peer, const struct srxe_hs_msg *msg)
{
	u32 qpn_i = be32_to_cpu(msg->body.qpn_i), qpn_r = be32_to_cpu(msg->body.qpn_r);
	bool initiator = sent == (msg->bth.opcode == SRXE_OP_INIT);
	struct srxe_sa_ends ends = {
		.kind	= msg->body.kind,
		.lgid	= *local,
		.rgid	= *peer,
		.lqpn	= initiator ? qpn_i : qpn_r,
		.rqpn	= initiator ? qpn_r : qpn_i,
	};

	trace_srxe_handshake(link->rxe, (sent ? SRXE_STEP_SENT : SRXE_STEP_RECEIVED) +
					msg->bth.opcode - SRXE_OP_INIT, &ends);
}

static void dropped(struct srxe_link *link, const struct srxe_sa_ends *ends, int reason)
{
	struct srxe_trace_pkt pkt = {
		.saddr	= ends->rgid,
		.daddr	= ends->lgid,
		.qpn	= ends->lqpn,
	};

	trace_srxe_drop(link->rxe, &pkt, reason);
}

/**
 * srxe_hs_watch_count() - something was counted
 * @link: link
 * @ends: what is known of the handshake's ends; the rest is 0
 * @what: what
 * @counter: its counter, the reason if something was dropped
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_hs_watch_count(struct srxe_link *link, const struct srxe_sa_ends *ends,
			 enum srxe_hs_count what, enum rxe_counters counter)
{
	if (what == SRXE_HS_COUNT_DONE)
		trace_srxe_handshake(link->rxe, SRXE_STEP_ESTABLISHED, ends);
	if (what == SRXE_HS_COUNT_FAILED)
		trace_srxe_handshake(link->rxe, SRXE_STEP_FAILED, ends);
	if (what == SRXE_HS_COUNT_NO_KEY)
		srxe_notify_auth_failed(link, ends, SRXE_AUTH_CAUSE_UNKNOWN_KEY);
	if (what == SRXE_HS_COUNT_MAC)
		srxe_notify_auth_failed(link, ends, SRXE_AUTH_CAUSE_BAD_MAC);
	if (what >= SRXE_HS_COUNT_DROPS)
		dropped(link, ends, counter);
}
