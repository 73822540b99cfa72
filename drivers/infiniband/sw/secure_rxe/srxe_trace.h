/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints; Documentation/tracing.rst tells their fields. No key material
 * and nothing of a payload is in them: what they show stands in clear on the wire
 * or in what netlink shows.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM secure_rxe

#if !defined(SRXE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SRXE_TRACE_H

#include <linux/in6.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <rdma/srxe_wire.h>

#include "rxe.h"
#include "srxe_compat.h"
#include "srxe_epoch.h"
#include "srxe_req.h"
#include "srxe_sa.h"
#include "srxe_stats.h"

/* What has happened to a handshake: messages in the order of their opcodes. */
#ifndef SRXE_TRACE_STEPS
#define SRXE_TRACE_STEPS
enum srxe_step {
	SRXE_STEP_SENT,
	SRXE_STEP_RECEIVED = SRXE_STEP_SENT + 4,
	SRXE_STEP_ESTABLISHED = SRXE_STEP_RECEIVED + 4,
	SRXE_STEP_FAILED,
};

/**
 * struct srxe_trace_pkt - what is traced of a packet that is dropped
 * @saddr: source, unset if it is not known any more; IPv4 as v4-mapped
 * @daddr: destination, likewise
 * @opcode: of its BTH, 0 if there is none
 * @qpn: destination queue pair
 * @spi: of a sealed packet, else 0
 * @len: bytes from the BTH on
 */
struct srxe_trace_pkt {
	struct in6_addr	saddr;
	struct in6_addr	daddr;
	u8		opcode;
	u32		qpn;
	u32		spi;
	u32		len;
};
#endif

#define srxe_show_kind(kind)						\
	__print_symbolic(kind,						\
		{ 1, "rc" }, { 2, "uc" }, { 3, "ud" }, { 4, "gsi" })
#define srxe_show_mode(mode)						\
	__print_symbolic(mode,						\
		{ 1, "header" }, { 2, "packet" }, { 3, "encrypt" }, { 4, "conceal" })
#define srxe_show_suite(suite)						\
	__print_symbolic(suite,						\
		{ 0, "aes256-gcm" }, { 1, "aes128-gcm" },		\
		{ 2, "chacha20-poly1305" }, { 3, "aegis128" })
#define srxe_show_step(step)						\
	__print_symbolic(step,						\
		{ 0, "init-sent" }, { 1, "resp-sent" },			\
		{ 2, "retry-sent" }, { 3, "refuse-sent" },		\
		{ 4, "init-received" }, { 5, "resp-received" },		\
		{ 6, "retry-received" }, { 7, "refuse-received" },	\
		{ 8, "established" }, { 9, "failed" })

/* Reasons are counters, by the names they have there. */
#define SRXE_TRACE_ENUM(id, text)	TRACE_DEFINE_ENUM(id);
#define SRXE_TRACE_NAME(id, text)	, { id, text }
TRACE_DEFINE_ENUM(SRXE_CNT_TX_SEALED);
SRXE_STATS_REST(SRXE_TRACE_ENUM)
#define srxe_show_reason(reason)					\
	__print_symbolic(reason,					\
		{ SRXE_CNT_TX_SEALED, "tx_sealed" } SRXE_STATS_REST(SRXE_TRACE_NAME))

DECLARE_EVENT_CLASS(srxe_crypt,
	TP_PROTO(const struct srxe_req *req, const struct rxe_pkt_info *pkt),
	TP_ARGS(req, pkt),
	TP_STRUCT__entry(
		__string(dev, pkt->rxe->ib_dev.name)
		__field(u8, kind)
		__field(u8, mode)
		__field(u8, suite)
		__field(u8, opcode)
		__array(u8, peer, SRXE_GID_LEN)
		__field(u32, lqpn)
		__field(u32, rqpn)
		__field(u32, spi)
		__field(u32, len)
		__field(u64, epoch)
		__field(u64, pn)
	),
	TP_fast_assign(
		const struct srxe_sa *sa = req->sa;

		srxe_assign_str(dev, pkt->rxe->ib_dev.name);
		__entry->kind = sa->ends.kind;
		__entry->mode = sa->p.mode;
		__entry->suite = sa->p.suite;
		__entry->opcode = *pkt->hdr;
		memcpy(__entry->peer, &sa->ends.rgid, SRXE_GID_LEN);
		__entry->lqpn = sa->ends.lqpn;
		__entry->rqpn = sa->ends.rqpn;
		__entry->spi = req->seth.spi;
		__entry->len = pkt->paylen;
		__entry->epoch = req->key->epoch;
		__entry->pn = req->seth.pn;
	),
	TP_printk("dev=%s kind=%s peer=%pI6c lqpn=%u rqpn=%u mode=%s suite=%s opcode=0x%02x spi=0x%08x epoch=%llu pn=%llu len=%u",
		  __get_str(dev), srxe_show_kind(__entry->kind), __entry->peer,
		  __entry->lqpn, __entry->rqpn, srxe_show_mode(__entry->mode),
		  srxe_show_suite(__entry->suite), __entry->opcode, __entry->spi,
		  __entry->epoch, __entry->pn, __entry->len)
);

DEFINE_EVENT(srxe_crypt, srxe_seal,
	TP_PROTO(const struct srxe_req *req, const struct rxe_pkt_info *pkt),
	TP_ARGS(req, pkt)
);

DEFINE_EVENT(srxe_crypt, srxe_open,
	TP_PROTO(const struct srxe_req *req, const struct rxe_pkt_info *pkt),
	TP_ARGS(req, pkt)
);

TRACE_EVENT(srxe_drop,
	TP_PROTO(const struct rxe_dev *rxe, const struct srxe_trace_pkt *pkt, int reason),
	TP_ARGS(rxe, pkt, reason),
	TP_STRUCT__entry(
		__string(dev, rxe->ib_dev.name)
		__field(int, reason)
		__array(u8, saddr, SRXE_GID_LEN)
		__array(u8, daddr, SRXE_GID_LEN)
		__field(u8, opcode)
		__field(u32, qpn)
		__field(u32, spi)
		__field(u32, len)
	),
	TP_fast_assign(
		srxe_assign_str(dev, rxe->ib_dev.name);
		__entry->reason = reason;
		memcpy(__entry->saddr, &pkt->saddr, SRXE_GID_LEN);
		memcpy(__entry->daddr, &pkt->daddr, SRXE_GID_LEN);
		__entry->opcode = pkt->opcode;
		__entry->qpn = pkt->qpn;
		__entry->spi = pkt->spi;
		__entry->len = pkt->len;
	),
	TP_printk("dev=%s reason=%s saddr=%pI6c daddr=%pI6c opcode=0x%02x qpn=%u spi=0x%08x len=%u",
		  __get_str(dev), srxe_show_reason(__entry->reason), __entry->saddr,
		  __entry->daddr, __entry->opcode, __entry->qpn, __entry->spi, __entry->len)
);

TRACE_EVENT(srxe_handshake,
	TP_PROTO(const struct rxe_dev *rxe, int step, const struct srxe_sa_ends *ends),
	TP_ARGS(rxe, step, ends),
	TP_STRUCT__entry(
		__string(dev, rxe->ib_dev.name)
		__field(u8, step)
		__field(u8, kind)
		__array(u8, local, SRXE_GID_LEN)
		__array(u8, peer, SRXE_GID_LEN)
		__field(u32, lqpn)
		__field(u32, rqpn)
	),
	TP_fast_assign(
		srxe_assign_str(dev, rxe->ib_dev.name);
		__entry->step = step;
		__entry->kind = ends->kind;
		memcpy(__entry->local, &ends->lgid, SRXE_GID_LEN);
		memcpy(__entry->peer, &ends->rgid, SRXE_GID_LEN);
		__entry->lqpn = ends->lqpn;
		__entry->rqpn = ends->rqpn;
	),
	TP_printk("dev=%s step=%s kind=%s local=%pI6c peer=%pI6c lqpn=%u rqpn=%u",
		  __get_str(dev), srxe_show_step(__entry->step),
		  srxe_show_kind(__entry->kind), __entry->local, __entry->peer,
		  __entry->lqpn, __entry->rqpn)
);

/* srxe_trace.c: srxe_drop and its counter, of a packet that is at hand. */
void srxe_count_drop(struct rxe_dev *rxe, const struct sk_buff *skb, int reason);

#endif /* SRXE_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE srxe_trace
#include <trace/define_trace.h>
