/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * secure-rxe: what stands on the wire, version 1.
 *
 * Everything here is protocol: two hosts must agree on it, and so must a
 * dissector or a NIC. All integers are big endian. GIDs are 16 bytes, IPv4 as
 * v4-mapped. A sealed packet on UDP port 4791 is
 *
 *   BTH(12) | SETH(16) | [RKH] | ext headers | payload | pad | [ICRC(4)] | ICV(16)
 *
 * where the inner ICRC is there in header mode only, and a bare handshake
 * message is
 *
 *   BTH(12) | SETH(16, all zero) | body(120)
 */
#ifndef _UAPI_RDMA_SRXE_WIRE_H
#define _UAPI_RDMA_SRXE_WIRE_H

#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif

#define SRXE_PROTO_VERSION	1

/* BTH transport header version of everything of ours: stock receivers drop it. */
#define SRXE_BTH_TVER		1
#define SRXE_BTH_TVER_MASK	0x0f
#define SRXE_BTH_PAD_SHIFT	4
#define SRXE_BTH_PAD_MASK	0x30
/* In the byte before the destination QPN. Sent as 0, never trusted. */
#define SRXE_BTH_FECN		0x80
#define SRXE_BTH_BECN		0x40
#define SRXE_BTH_QPN_MASK	0x00ffffff
/* P_Key of handshake and CTRL packets. */
#define SRXE_BTH_PKEY		0xffff

#define SRXE_GID_LEN		16
#define SRXE_ICV_LEN		16
#define SRXE_ICRC_LEN		4
#define SRXE_PSK_LEN		32
#define SRXE_SECRET_LEN		32
#define SRXE_HASH_LEN		32
#define SRXE_KEY_ID_LEN		16
#define SRXE_SA_ID_LEN		16
#define SRXE_CHALLENGE_LEN	16
#define SRXE_NONCE_LEN		16	/* of a handshake, not of an AEAD */
#define SRXE_SHARE_LEN		32	/* X25519 */
#define SRXE_MAC_LEN		16	/* of a handshake message */

/**
 * struct srxe_bth - base transport header as IBTA lays it out
 * @opcode: IBTA opcode, or one of &enum srxe_opcode
 * @flags: solicited event, migration, 2 bits pad count, 4 bits TVER
 * @pkey: partition key
 * @qpn: FECN, BECN, 6 reserved bits, 24 bits destination QPN
 * @apsn: acknowledge request, 7 reserved bits, 24 bits PSN
 */
struct srxe_bth {
	__u8	opcode;
	__u8	flags;
	__be16	pkey;
	__be32	qpn;
	__be32	apsn;
} __attribute__((packed));

/* SETH flags */
#define SRXE_SETH_MODE_SHIFT	6
#define SRXE_SETH_MODE_MASK	0xc0
#define SRXE_SETH_CONCEAL	0x20
#define SRXE_SETH_RKH		0x10
#define SRXE_SETH_ZERO_MASK	0x0f

/* SPIs below this one are never given out; 0 marks a bare message. */
#define SRXE_SPI_MIN		256

/**
 * struct srxe_seth - security extended transport header
 * @flags: SRXE_SETH_*: bits 7-6 mode, 5 conceal, 4 RKH present, 3-0 zero
 * @epoch: low 8 bits of the epoch whose key sealed this packet
 * @rx_epoch: low 8 bits of the newest epoch the sender of this packet can receive
 * @zero: 0
 * @spi: security parameters index, chosen by the receiver
 * @pn: packet number, from 1, per SA and direction, never reset, never reused
 */
struct srxe_seth {
	__u8	flags;
	__u8	epoch;
	__u8	rx_epoch;
	__u8	zero;
	__be32	spi;
	__be64	pn;
} __attribute__((packed));

/* A sealed packet carries these at the least. */
#define SRXE_MIN_LEN	(sizeof(struct srxe_bth) + sizeof(struct srxe_seth) + SRXE_ICV_LEN)

/**
 * enum srxe_mode - protection of an SA, in order of strength
 * @SRXE_MODE_HEADER: headers are authenticated, payload is not
 * @SRXE_MODE_PACKET: the whole packet is authenticated
 * @SRXE_MODE_ENCRYPT: payload is encrypted, all is authenticated
 * @SRXE_MODE_CONCEAL: extended headers and RKH are encrypted as well; in SETH
 *	this is mode 3 with SRXE_SETH_CONCEAL
 *
 * These numbers stand in handshake bodies and in the KDF context.
 */
enum srxe_mode {
	SRXE_MODE_HEADER	= 1,
	SRXE_MODE_PACKET	= 2,
	SRXE_MODE_ENCRYPT	= 3,
	SRXE_MODE_CONCEAL	= 4,
};

/* enum srxe_suite_id - AEAD of an SA; bit (1 << id) in a body's bitmap */
enum srxe_suite_id {
	SRXE_SUITE_AES256_GCM		= 0,
	SRXE_SUITE_AES128_GCM		= 1,
	SRXE_SUITE_CHACHA20_POLY1305	= 2,
	SRXE_SUITE_AEGIS128		= 3,	/* CAESAR AEGIS-128, not 128L */
	SRXE_SUITE_COUNT,
};

/* enum srxe_kind - what an SA serves */
enum srxe_kind {
	SRXE_KIND_RC	= 1,
	SRXE_KIND_UC	= 2,
	SRXE_KIND_UD	= 3,
	SRXE_KIND_GSI	= 4,
};

/* enum srxe_opcode - BTH opcodes of our own, in the manufacturers' range */
enum srxe_opcode {
	SRXE_OP_INIT	= 0xc0,
	SRXE_OP_RESP	= 0xc1,
	SRXE_OP_RETRY	= 0xc2,
	SRXE_OP_REFUSE	= 0xc3,
	SRXE_OP_CTRL	= 0xc4,	/* sealed; the others are bare */
};

/* enum srxe_refuse - reason in a REFUSE */
enum srxe_refuse {
	SRXE_REFUSE_MODE	= 1,
	SRXE_REFUSE_SUITE	= 2,
	SRXE_REFUSE_BUSY	= 3,
};

/**
 * struct srxe_hs_body - body of a handshake message
 * @version: SRXE_PROTO_VERSION
 * @kind: &enum srxe_kind
 * @mode: INIT: minimum mode; RESP: chosen mode; RETRY: 0; REFUSE: &enum srxe_refuse
 * @zero0: 0
 * @suites: INIT: bitmap of suites; RESP: one bit; else 0
 * @zero1: 0
 * @qpn_i: QPN of the attempt's initiator, 0 for the datagram kinds
 * @qpn_r: QPN of the attempt's responder, 0 for the datagram kinds
 * @spi: the SPI the sender will receive on; RETRY, REFUSE: 0
 * @peer_spi: INIT: 0; else the INIT's @spi
 * @key_id: which PSK
 * @challenge: INIT: a challenge or 0; RESP: as in the INIT; RETRY: the right
 *	one; REFUSE: 0
 * @nonce: the sender's own; RETRY, REFUSE: as in the INIT
 * @share: the sender's X25519 public value; RETRY, REFUSE: 0
 * @mac: over all before it and more, see the protocol
 */
struct srxe_hs_body {
	__u8	version;
	__u8	kind;
	__u8	mode;
	__u8	zero0;
	__be16	suites;
	__be16	zero1;
	__be32	qpn_i;
	__be32	qpn_r;
	__be32	spi;
	__be32	peer_spi;
	__u8	key_id[SRXE_KEY_ID_LEN];
	__u8	challenge[SRXE_CHALLENGE_LEN];
	__u8	nonce[SRXE_NONCE_LEN];
	__u8	share[SRXE_SHARE_LEN];
	__u8	mac[SRXE_MAC_LEN];
} __attribute__((packed));

/* How much of a body the MACs and the transcript cover besides @mac. */
#define SRXE_HS_SIGNED_LEN	(sizeof(struct srxe_hs_body) - SRXE_MAC_LEN)

/* struct srxe_hs_msg - a bare handshake message, from the BTH to its end */
struct srxe_hs_msg {
	struct srxe_bth		bth;
	struct srxe_seth	seth;
	struct srxe_hs_body	body;
} __attribute__((packed));

/* enum srxe_ctrl_type - first byte of a CTRL payload; unknown ones are ignored */
enum srxe_ctrl_type {
	SRXE_CTRL_EMPTY	= 0,	/* answer to a probe, keep-alive */
	SRXE_CTRL_INIT	= 1,
	SRXE_CTRL_RESP	= 2,
	SRXE_CTRL_PROBE	= 3,	/* asks for an answer; confirms an SA */
};

/**
 * struct srxe_ctrl - payload of a CTRL packet
 * @type: &enum srxe_ctrl_type
 * @zero: 0
 * @body: with SRXE_CTRL_INIT and SRXE_CTRL_RESP only
 */
struct srxe_ctrl {
	__u8	type;
	__u8	zero[3];
	struct srxe_hs_body	body[];
} __attribute__((packed));

/* Region rights */
#define SRXE_RIGHT_READ		0x01
#define SRXE_RIGHT_WRITE	0x02
#define SRXE_RIGHT_ATOMIC	0x04
#define SRXE_RIGHT_FLUSH	0x08
#define SRXE_RIGHT_INVALIDATE	0x10
#define SRXE_RIGHT_ALL		0x1f

/* Descriptor flags */
#define SRXE_DESC_OWNED		0x01

/**
 * struct srxe_region_desc - what a region key may touch, one level down
 * @va: first byte, in the address space of the rkey it is used with
 * @length: bytes, not 0
 * @not_after: Unix time in seconds, 0 for never
 * @peer: 0, or the first 4 bytes of the key id under which alone it works
 * @id: tells keys for the same range apart
 * @rights: SRXE_RIGHT_*
 * @flags: SRXE_DESC_*
 * @zero: 0
 */
struct srxe_region_desc {
	__be64	va;
	__be64	length;
	__be32	not_after;
	__be32	peer;
	__be32	id;
	__u8	rights;
	__u8	flags;
	__be16	zero;
} __attribute__((packed));

/**
 * struct srxe_rkh - region key header
 * @depth: number of descriptors below the MR, SRXE_RKH_MAX_DEPTH at most
 * @zero: 0
 * @desc: from the MR down; SRXE_RKH_TAG_LEN bytes of tag follow the last
 */
struct srxe_rkh {
	__u8	depth;
	__u8	zero[3];
	struct srxe_region_desc	desc[];
} __attribute__((packed));

#define SRXE_RKH_TAG_LEN	16
#define SRXE_RKH_MAX_DEPTH	8
#define SRXE_RKH_LEN(depth)	(sizeof(struct srxe_rkh) + SRXE_RKH_TAG_LEN + \
				 (depth) * sizeof(struct srxe_region_desc))
/* Room in every packet for an RKH of this depth, whether it is used or not. */
#define SRXE_RKH_ROOM_DEPTH	4
#define SRXE_RKH_ROOM		SRXE_RKH_LEN(SRXE_RKH_ROOM_DEPTH)

/* By how much a sealed packet may exceed the plain one (ICRC included there). */
#define SRXE_OVERHEAD		(sizeof(struct srxe_seth) + SRXE_RKH_ROOM + SRXE_ICV_LEN)

/* Per epoch: a sender moves on at SOFT packets and refuses to send at HARD. SOFT
 * of the suites other than GCM is the sender's own choice: it must only be below.
 */
#define SRXE_GCM_SOFT_PACKETS	(1ULL << 26)
#define SRXE_GCM_HARD_PACKETS	(1ULL << 28)
#define SRXE_SOFT_PACKETS	(1ULL << 30)
#define SRXE_HARD_PACKETS	(1ULL << 32)
/* CTRLs an epoch may carry beyond HARD, so that a probe can still be sent. */
#define SRXE_EPOCH_CTRL_EXTRA	(1U << 16)

/* Times, in the unit of the name's end */
#define SRXE_EPOCH_MAX_S		600	/* a sender moves on, idle or not */
#define SRXE_EPOCH_OLD_HOLD_S		2	/* receive key of the epoch before */
#define SRXE_EPOCH_PROBE_S		1	/* while no announcement comes */
#define SRXE_SPI_HOLD_S			240	/* before an SPI is reused */
#define SRXE_SA_OLD_HOLD_S		2	/* receive side of a replaced SA */
#define SRXE_CHALLENGE_PERIOD_S		120	/* of boottime */
#define SRXE_PARK_S			4	/* INIT for a QP not yet in RTR */
#define SRXE_RETRY_MIN_MS		20	/* first retry of an INIT; doubles */
#define SRXE_RETRY_MAX_MS		2000
#define SRXE_GIVE_UP_MIN_MS		8000
#define SRXE_PROBE_ANSWER_MS		10	/* one answer in this time per SA */
#define SRXE_DGRAM_KEEPALIVE_S		5	/* received and sent nothing */
#define SRXE_DGRAM_DEAD_S		8	/* sent and heard nothing */
#define SRXE_DH_MAX_S			86400	/* before a fresh DH */

/* Silent INITs before the next alternative key is tried. */
#define SRXE_ALT_KEY_INITS		3

/* Replay windows, in packet numbers */
#define SRXE_WINDOW_CONN		2048	/* RC, UC */
#define SRXE_WINDOW_DGRAM		8192	/* UD, GSI */

/* Bounds */
#define SRXE_MAX_PENDING		4	/* SAs per QP or datagram key */
#define SRXE_MAX_QUEUED			32	/* datagrams waiting for an SA */
#define SRXE_MAX_HS_PD			64	/* outstanding handshakes */
#define SRXE_MAX_HS_PEER		64
#define SRXE_MAX_HS_LINK		1024
#define SRXE_MAX_IDLE_PD		256	/* idle datagram SAs */
#define SRXE_MAX_IDLE_PEER		256
#define SRXE_MAX_IDLE_LINK		4096

/**
 * enum srxe_vendor_err - vendor_err of a completion that secure-rxe failed
 * @SRXE_VERR_NO_KEY: no key for the peer here; add one (srxe psk add)
 * @SRXE_VERR_REFUSED_MODE: peer knows the key and refused our modes
 * @SRXE_VERR_REFUSED_SUITE: peer knows the key and refused our suites
 * @SRXE_VERR_REFUSED_BUSY: peer knows the key and is at one of its bounds
 * @SRXE_VERR_NO_ANSWER: peer is silent, or does not know the key
 * @SRXE_VERR_PEER_RESET: peer's QP was reset or lost its SA; it needs a reset here too
 * @SRXE_VERR_KEY_REVOKED: key of the SA was revoked or has expired
 * @SRXE_VERR_SA_LOST: SA ended by resume, VM fork, or its GID leaving the link
 * @SRXE_VERR_UNSUPPORTED: policy asks for what this version does not do
 */
enum srxe_vendor_err {
	SRXE_VERR_NO_KEY	= 0x5301,
	SRXE_VERR_REFUSED_MODE	= 0x5302,
	SRXE_VERR_REFUSED_SUITE	= 0x5303,
	SRXE_VERR_REFUSED_BUSY	= 0x5304,
	SRXE_VERR_NO_ANSWER	= 0x5305,
	SRXE_VERR_PEER_RESET	= 0x5306,
	SRXE_VERR_KEY_REVOKED	= 0x5307,
	SRXE_VERR_SA_LOST	= 0x5308,
	SRXE_VERR_UNSUPPORTED	= 0x5309,
};

static_assert(sizeof(struct srxe_bth) == 12, "BTH");
static_assert(sizeof(struct srxe_seth) == 16, "SETH");
static_assert(SRXE_MIN_LEN == 44, "shortest sealed packet");
static_assert(sizeof(struct srxe_hs_body) == 120, "handshake body");
static_assert(SRXE_HS_SIGNED_LEN == 104, "signed part of a body");
static_assert(sizeof(struct srxe_hs_msg) == 148, "bare message");
static_assert(sizeof(struct srxe_ctrl) == 4, "CTRL header");
static_assert(sizeof(struct srxe_region_desc) == 32, "region descriptor");
static_assert(sizeof(struct srxe_rkh) == 4, "RKH header");
static_assert(SRXE_RKH_ROOM == 148, "RKH room");
static_assert(SRXE_OVERHEAD == 180, "overhead");

#endif /* _UAPI_RDMA_SRXE_WIRE_H */
