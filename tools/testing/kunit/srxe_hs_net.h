/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network in a test: hosts with keys and settings, queue pairs with the real
 * handshake machine, a wire that does what it is told, and a clock that stands
 * still until it is moved. Messages, MACs and X25519 are the real ones; an SA
 * is its handshake's outcome and nothing more, and a packet under it is good
 * if both ends have the same keys.
 */
#ifndef SRXE_HS_NET_H
#define SRXE_HS_NET_H

#include <kunit/test.h>
#include <linux/list.h>

#include <srxe_hs.h>
#include <srxe_ring.h>

#define FAB_MS		NSEC_PER_MSEC
#define FAB_LATENCY	FAB_MS
#define FAB_MAX_KEYS	6

struct fabric;

/* struct fab_key - a pre-shared key in a host's ring */
struct fab_key {
	struct srxe_ring_key	rk;
	struct srxe_psk_keys	secrets;
	struct in6_addr		peer;
	bool			any;	/* it is for every peer */
	bool			live;
	int			refs;
};

struct fab_host {
	struct fabric		*fab;
	struct in6_addr		addr;
	struct srxe_hs_limit	limit;
	struct srxe_hs_policy	policy;
	struct fab_key		*keys[FAB_MAX_KEYS];
	unsigned int		nkeys;
};

/* struct fab_qp - a queue pair */
struct fab_qp {
	struct srxe_hs		hs;
	struct fab_host		*host;
	struct list_head	entry;
	u64			timer;
	struct srxe_sa		*tx;
	enum srxe_vendor_err	verr;	/* of the last failure */
	unsigned int		failures;
	unsigned int		lost;	/* SAs in use, ended from outside */
	unsigned int		probes;	/* sent */
	unsigned int		resets;	/* of the peer, as told */
	unsigned int		count[SRXE_HS_COUNT_LIMIT + 1];
	unsigned int		sent[4];	/* by opcode - SRXE_OP_INIT */
	int			sa_key_err;	/* for the next SA */
	bool			no_sa;	/* sa_new gives nothing */
	bool			sa_dies; /* when it has got its keys */
	struct srxe_sa		*doomed; /* dies when another makes way for it */
	u8			failed_key[SRXE_KEY_ID_LEN];
};

/* struct fab_sa - an SA */
struct fab_sa {
	struct srxe_sa		sa;
	struct fab_qp		*qp;
	struct list_head	entry;
	bool			heard;
	bool			lingers;
};

/* struct fab_frame - a packet on the wire */
struct fab_frame {
	struct list_head	entry;
	u64			due;
	struct in6_addr		src;
	struct in6_addr		dst;
	bool			sealed;
	u32			spi;	/* of a sealed one, with its SA's name and key */
	u8			ctrl;
	u8			sa_id[SRXE_SA_ID_LEN];
	u8			key[SRXE_SECRET_LEN];
	struct srxe_hs_msg	msg;
};

/* enum fab_fate - what the wire does to a packet */
enum fab_fate {
	FAB_PASS,
	FAB_DROP,
	FAB_HOLD,	/* into fab->held, until fab_release() */
};

/* struct fab_loss - what fab_lose() drops */
struct fab_loss {
	u8		opcode;	/* 0 for what is sealed */
	unsigned int	n;	/* so many more are lost */
};

/**
 * struct fabric - the network
 * @test: the test it belongs to
 * @now: boottime, ns
 * @wire: packets under way, in the order they arrive
 * @held: packets the wire holds back
 * @qps: all queue pairs
 * @sas: all SAs
 * @fate: what becomes of a packet, or NULL: it passes
 * @fate_arg: for @fate
 * @spi: last SPI given out
 * @conn_id: last incarnation of a queue pair given out
 * @seen: copy of the last bare message of each opcode, as it was sent
 */
struct fabric {
	struct kunit		*test;
	u64			now;
	struct list_head	wire;
	struct list_head	held;
	struct list_head	qps;
	struct list_head	sas;
	enum fab_fate		(*fate)(struct fabric *fab, struct fab_frame *frame);
	void			*fate_arg;
	u32			spi;
	u64			conn_id;
	struct fab_frame	seen[4];
};

struct fabric *fab_new(struct kunit *test);
void fab_exit(struct kunit *test);
struct fab_host *fab_host_new(struct fabric *fab, u8 last_byte);
struct fab_key *fab_key_add(struct fab_host *host, u8 seed, const struct fab_host *peer);
struct fab_qp *fab_qp_new(struct fab_host *host, u32 qpn);
struct fab_qp *fab_dgram_new(struct fab_host *host, u8 kind);
void fab_begin(struct fab_qp *a, struct fab_qp *b);
void fab_connect(struct fab_qp *a, struct fab_qp *b);
void fab_reset(struct fab_qp *qp);
void fab_rtr(struct fab_qp *qp, const struct fab_qp *peer);
void fab_rts(struct fab_qp *qp);

void fab_put(struct fabric *fab, const struct fab_frame *frame);
void fab_replay(struct fabric *fab, u8 opcode);
void fab_release(struct fabric *fab);
void fab_data(struct fab_qp *qp);
void fab_run(struct fabric *fab, u64 ms);
void fab_end_sa(struct srxe_sa *sa);

/* Two hosts with a key for each other, and a queue pair on each. */
struct fab_pair {
	struct fabric	*fab;
	struct fab_host	*ha, *hb;
	struct fab_qp	*a, *b;	/* @a is the preferred initiator */
	struct fab_frame copy;	/* for a fate to keep one */
};

struct fab_pair *fab_pair_new(struct kunit *test);
struct fab_pair *fab_pair_up(struct kunit *test);
struct fab_pair *fab_dgram_pair(struct kunit *test, u8 kind);
void fab_pair_reset(struct fab_pair *p);

bool fab_is_bare(const struct fab_frame *frame, u8 opcode);
bool fab_is(const struct fab_frame *frame, u8 opcode, const struct fab_host *from);
enum fab_fate fab_drop_init(struct fabric *fab, struct fab_frame *f);
enum fab_fate fab_drop_resp(struct fabric *fab, struct fab_frame *f);
enum fab_fate fab_drop_sealed(struct fabric *fab, struct fab_frame *f);
enum fab_fate fab_hold_sealed(struct fabric *fab, struct fab_frame *f);
enum fab_fate fab_lose(struct fabric *fab, struct fab_frame *f);

unsigned int fab_sas(const struct fab_qp *qp, enum srxe_sa_state state);
unsigned int fab_sent(const struct fab_qp *qp, u8 opcode);
void fab_expect_up(struct fab_qp *a, struct fab_qp *b);
void fab_come_up(struct fab_qp *a, struct fab_qp *b, u64 ms);
void fab_expect_quiet(struct fab_qp *qp);

#endif /* SRXE_HS_NET_H */
