/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Counters of the protection layer, shown beside rxe's own by
 * "rdma statistic show link". The one list below yields the enumerators that
 * are placed into enum rxe_counters and the names that go with them, so the
 * two cannot drift apart.
 *
 * Each drop has exactly one reason: what a packet is dropped for is the first
 * check of the receive order (wire format, "Receiving") that it fails.
 */
#ifndef SRXE_STATS_H
#define SRXE_STATS_H

/* All but the first, which has no comma before it. */
#define SRXE_STATS_REST(X)						\
	/* data path, good */						\
	X(SRXE_CNT_RX_OPENED,		"rx_opened")			\
	X(SRXE_CNT_TX_PLAIN,		"tx_plain")			\
	X(SRXE_CNT_RX_PLAIN,		"rx_plain")			\
	X(SRXE_CNT_CRYPTO_ASYNC,	"crypto_async")			\
	/* receive drops, in the order of the checks */			\
	X(SRXE_CNT_RX_MALFORMED,	"rx_drop_malformed")		\
	X(SRXE_CNT_RX_FRAGMENT,		"rx_drop_fragment")		\
	X(SRXE_CNT_RX_OPCODE,		"rx_drop_opcode")		\
	X(SRXE_CNT_RX_RESERVED,		"rx_drop_reserved_bits")	\
	X(SRXE_CNT_RX_NO_SA,		"rx_drop_unknown_spi")		\
	X(SRXE_CNT_RX_ADDR,		"rx_drop_sa_address")		\
	X(SRXE_CNT_RX_MODE,		"rx_drop_sa_mode")		\
	X(SRXE_CNT_RX_KIND,		"rx_drop_sa_service")		\
	X(SRXE_CNT_RX_QPN,		"rx_drop_sa_qpn")		\
	X(SRXE_CNT_RX_SOURCE,		"rx_drop_sa_source_qpn")	\
	X(SRXE_CNT_RX_EPOCH,		"rx_drop_epoch")		\
	X(SRXE_CNT_RX_REPLAY,		"rx_drop_replayed")		\
	X(SRXE_CNT_RX_OLD,		"rx_drop_too_old")		\
	X(SRXE_CNT_RX_FRAMING,		"rx_drop_framing")		\
	X(SRXE_CNT_RX_AUTH,		"rx_drop_bad_tag")		\
	X(SRXE_CNT_RX_PAD,		"rx_drop_pad")			\
	X(SRXE_CNT_RX_ICRC,		"rx_drop_icrc")			\
	X(SRXE_CNT_RX_KEY_GONE,		"rx_drop_key_revoked")		\
	X(SRXE_CNT_RX_PLAIN_DENIED,	"rx_drop_unprotected")		\
	X(SRXE_CNT_RX_BUSY,		"rx_drop_crypto_busy")		\
	X(SRXE_CNT_RX_CRYPTO,		"rx_drop_crypto_error")		\
	X(SRXE_CNT_RX_NOMEM,		"rx_drop_no_memory")		\
	/* transmit drops */						\
	X(SRXE_CNT_TX_NO_SA,		"tx_drop_no_sa")		\
	X(SRXE_CNT_TX_PLAIN_DENIED,	"tx_drop_unprotected")		\
	X(SRXE_CNT_TX_MULTICAST,	"tx_drop_multicast")		\
	X(SRXE_CNT_TX_KEY_GONE,		"tx_drop_key_revoked")		\
	X(SRXE_CNT_TX_QP1,		"tx_drop_qp1")			\
	X(SRXE_CNT_TX_QUEUE,		"tx_drop_waiting_full")		\
	X(SRXE_CNT_TX_HANDSHAKE,	"tx_drop_handshake")		\
	X(SRXE_CNT_TX_PEERS,		"tx_drop_too_many_peers")	\
	X(SRXE_CNT_TX_QP_GONE,		"tx_drop_qp_destroyed")		\
	X(SRXE_CNT_TX_LIMIT,		"tx_drop_epoch_limit")		\
	X(SRXE_CNT_TX_BUSY,		"tx_drop_crypto_busy")		\
	X(SRXE_CNT_TX_CRYPTO,		"tx_drop_crypto_error")		\
	X(SRXE_CNT_TX_NOMEM,		"tx_drop_no_memory")		\
	/* datagram peers */						\
	X(SRXE_CNT_DGRAM_DEAD,		"dgram_peer_silent")		\
	X(SRXE_CNT_DGRAM_EVICTED,	"dgram_peer_evicted")		\
	/* handshake */							\
	X(SRXE_CNT_HS_DONE,		"hs_established")		\
	X(SRXE_CNT_HS_FAILED,		"hs_failed")			\
	X(SRXE_CNT_HS_RETRY,		"hs_retry_sent")		\
	X(SRXE_CNT_HS_REFUSED,		"hs_refuse_sent")		\
	X(SRXE_CNT_HS_PARKED,		"hs_parked")			\
	X(SRXE_CNT_HS_MALFORMED,	"hs_drop_malformed")		\
	X(SRXE_CNT_HS_STATE,		"hs_drop_state")		\
	X(SRXE_CNT_HS_REPLAYED,		"hs_drop_replayed")		\
	X(SRXE_CNT_HS_NO_KEY,		"hs_drop_unknown_key")		\
	X(SRXE_CNT_HS_MAC,		"hs_drop_bad_mac")		\
	X(SRXE_CNT_HS_LIMIT,		"hs_drop_limit")		\
	/* events */							\
	X(SRXE_CNT_EVENTS_LOST,		"events_lost")

#define SRXE_STAT_ID(id, text)		, id
#define SRXE_STAT_DESC(id, text)	, [id].name = text

/* What the semantic patches place into rxe's enum and into its table of names. */
#define SRXE_CNT_IDS	SRXE_CNT_TX_SEALED SRXE_STATS_REST(SRXE_STAT_ID)
#define SRXE_CNT_DESCS	[SRXE_CNT_TX_SEALED].name = "tx_sealed" SRXE_STATS_REST(SRXE_STAT_DESC)

#endif /* SRXE_STATS_H */
