/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link with queue pairs of every kind, and peers that have SAs with it and seal
 * whatever a test wants under their keys. From srxe_rcv() to the queue of a queue
 * pair all is real; what is not is in srxe_open_stand_ins.c.
 */
#ifndef SRXE_OPEN_WORLD_H
#define SRXE_OPEN_WORLD_H

#include <kunit/test.h>
#include <linux/key.h>

#include "rxe.h"
#include "srxe_conn.h"
#include "srxe_packet.h"
#include "srxe_policy.h"
#include "srxe_ring.h"
#include "srxe_sa.h"

/* Queue pairs, all in the first domain; there is none behind the last number. */
enum open_qp {
	OPEN_RC,
	OPEN_RC_OTHER,
	OPEN_UC,
	OPEN_UD,
	OPEN_UD_OTHER,
	OPEN_GSI,
	OPEN_QPS,
};

/* Number of the first, by which the others follow; that of GSI is 1 on the wire. */
#define OPEN_QPN	0x31
#define OPEN_GSI_QPN	1

/* Protection domains, and keys: the first is the link's, the others are tenants'. */
#define OPEN_PDS	3

/**
 * struct open_pd - protection domain
 * @pd: the domain
 * @key: the key its datagrams use
 */
struct open_pd {
	struct rxe_pd			pd;
	const struct srxe_ring_key	*key;
};

/**
 * struct open_world - what there is
 * @test: the test
 * @rxe: the device
 * @link: its link
 * @key: object of all keys
 * @keys: the link's and tenants'
 * @pds: domains; all queue pairs are in the first, unless a test moves one
 * @qps: queue pairs
 * @conns: of those that have one
 */
struct open_world {
	struct kunit		*test;
	struct rxe_dev		rxe;
	struct srxe_link	link;
	struct key		key;
	struct srxe_ring_key	keys[OPEN_PDS];
	struct open_pd		pds[OPEN_PDS];
	struct rxe_qp		qps[OPEN_QPS];
	struct srxe_conn	conns[OPEN_QPS];
};

/**
 * struct open_aim - a packet as far as tests differ in it
 * @opcode: in the BTH
 * @qpn: destination
 * @from: source, if it is a datagram
 */
struct open_aim {
	u8	opcode;
	u32	qpn;
	u32	from;
};

/**
 * struct open_peer - the other end of an SA
 * @w: the world
 * @sa: the SA, ours
 * @key: what the peer seals with
 * @right: a packet that it is entitled to send, ...
 * @to: ... and who gets it
 * @pn: last packet number it has used
 */
struct open_peer {
	struct open_world	*w;
	struct srxe_sa		*sa;
	struct packet_key	*key;
	struct open_aim		right;
	enum open_qp		to;
	u64			pn;
};

int open_init(struct kunit *test);
void open_exit(struct kunit *test);

u32 open_qpn(enum open_qp qp);
struct open_peer *open_peer_new(struct kunit *test, u8 kind, enum open_qp to,
				unsigned int key);

void open_expect_drop(struct open_peer *peer, const struct open_aim *aim, u64 pn, int why);
void open_expect_late(struct open_peer *peer, const struct open_aim *aim, u64 pn, int why);
void open_expect_pass(struct open_peer *peer, const struct open_aim *aim, u64 pn,
		      enum open_qp to);

#endif /* SRXE_OPEN_WORLD_H */
