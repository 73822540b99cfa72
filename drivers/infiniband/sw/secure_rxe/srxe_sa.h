/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Security associations: what protects the packets between two ends, and the
 * state it takes. An SA is made by a handshake (srxe_hs.c), used by the data
 * path (srxe_seal.c, srxe_open.c) and ended by its connection, its key, its
 * link or a VM fork.
 *
 * Life: srxe_sa_alloc() gives an embryo that owns an SPI but no keys; packets
 * for it are dropped. srxe_sa_key() gives it keys: it can then receive, and
 * whoever holds it decides (by publishing it as the connection's tx_sa) when
 * it sends. srxe_sa_end() stops both directions for good; what is in a crypto
 * engine by then is dropped when it comes back. Memory is freed, and every
 * secret wiped, after the last reference and an RCU grace period.
 */
#ifndef SRXE_SA_H
#define SRXE_SA_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/srxe_wire.h>

#include "srxe_hs_msg.h"
#include "srxe_replay.h"

struct rxe_qp;
struct srxe_conn;
struct srxe_epoch_key;
struct srxe_link;
struct srxe_ring_key;
struct srxe_suite;

enum srxe_sa_state {
	SRXE_SA_EMBRYO,		/* SPI only */
	SRXE_SA_PENDING,	/* keyed; we answered an INIT, the peer has not confirmed */
	SRXE_SA_STANDING,	/* keyed and confirmed, or made by us as initiator */
	SRXE_SA_LINGER,		/* superseded: receives for a little longer */
	SRXE_SA_DEAD,
};

/**
 * struct srxe_sa_ends - the two ends an SA binds, fixed for its life
 * @kind: enum srxe_kind
 * @lgid: our address
 * @rgid: the peer's address
 * @lqpn: our queue pair, 0 for datagram kinds
 * @rqpn: the peer's queue pair, 0 for datagram kinds
 * @conn_id: incarnation of our queue pair (srxe_conn_id()), 0 for datagram kinds
 */
struct srxe_sa_ends {
	u8		kind;
	struct in6_addr	lgid;
	struct in6_addr	rgid;
	u32		lqpn;
	u32		rqpn;
	u64		conn_id;
};

/**
 * struct srxe_sa_params - outcome of a handshake
 * @mode: enum srxe_mode
 * @suite: enum srxe_suite_id
 * @initiator: we initiated; decides which direction's chain is ours
 * @peer_spi: SPI the peer chose
 * @sa_id: public name of the SA, equal at both ends
 * @chain: S_dir,0 by direction (0: the SA's initiator sends); secret
 */
struct srxe_sa_params {
	u8	mode;
	u8	suite;
	bool	initiator;
	u32	peer_spi;
	u8	sa_id[SRXE_SA_ID_LEN];
	u8	chain[2][SRXE_SECRET_LEN];
};

/**
 * struct srxe_fifo - keeps the order of one direction across the crypto
 * @lock: protects all of it, and the packet number of the direction; BH
 * @reqs: requests in the order they entered, done or not
 * @inflight: their number, read without the lock as a limit
 * @draining: somebody is handing finished requests on from the head; others leave it to them
 * @work: takes over a drain that ran out of its budget
 */
struct srxe_fifo {
	spinlock_t		lock;
	struct list_head	reqs;
	unsigned int		inflight;
	bool			draining;
	struct work_struct	work;
};

/**
 * struct srxe_sa_tx - sending direction
 * @fifo: order; its lock also protects @pn and @epoch_start_pn
 * @pn: last packet number given out
 * @epoch: 64-bit epoch in use
 * @epoch_start_pn: @pn when it began
 * @epoch_start: ktime (boottime, ns) when it began
 * @peer_rx_epoch: newest epoch the peer has announced it can receive
 * @key: key of the epoch in use (RCU; replaced under @fifo.lock)
 * @next: key of the following epoch, ready before it is needed (RCU)
 * @chain: S_dir of the epoch after @next; epoch work only; secret
 */
struct srxe_sa_tx {
	struct srxe_fifo		fifo;
	u64				pn;
	u64				epoch;
	u64				epoch_start_pn;
	u64				epoch_start;
	u64				peer_rx_epoch;
	struct srxe_epoch_key __rcu	*key;
	struct srxe_epoch_key __rcu	*next;
	u8				chain[SRXE_SECRET_LEN];
};

/**
 * struct srxe_sa_rx - receiving direction
 * @fifo: order; its lock also protects @window and @epoch
 * @epoch: newest epoch a valid packet has come in
 * @keys: by epoch modulo their number: the one before, the current, the next
 * @chain: S_dir of the epoch after the newest in @keys; epoch work only; secret
 * @window: numbers seen
 */
struct srxe_sa_rx {
	struct srxe_fifo		fifo;
	u64				epoch;
	struct srxe_epoch_key __rcu	*keys[3];
	u8				chain[SRXE_SECRET_LEN];
	struct srxe_replay		window;
};

/**
 * struct srxe_sa - a security association
 * @ref: references
 * @state: enum srxe_sa_state; written under @lock, read anywhere
 * @lock: protects the state's transitions; BH
 * @link: its link, referenced through the ib_device for the SA's whole life
 * @ends: what it binds
 * @spi: chosen by us, in packets to us
 * @p: what the handshake agreed on; the chains in it are wiped by srxe_sa_key()
 * @suite: row of @p.suite
 * @key: the pre-shared key it came from, referenced
 * @conn: its connection, or NULL; see srxe_conn.h for its lifetime rule
 * @entry: in link->sas
 * @conn_entry: in conn->sas, under conn->lock
 * @spi_node: in the SPI table
 * @tx: sending
 * @rx: receiving
 * @epoch_work: derives and retires epoch keys (process context)
 * @established: ktime_get_real_seconds() when it was confirmed, for display
 */
struct srxe_sa {
	refcount_t		ref;
	int			state;
	spinlock_t		lock;
	struct srxe_link	*link;
	struct srxe_sa_ends	ends;
	u32			spi;
	struct srxe_sa_params	p;
	const struct srxe_suite	*suite;
	struct srxe_ring_key	*key;
	struct srxe_conn	*conn;
	struct list_head	entry;
	struct list_head	conn_entry;
	struct rhash_head	spi_node;
	struct srxe_sa_tx	tx;
	struct srxe_sa_rx	rx;
	struct delayed_work	epoch_work;
	time64_t		established;
	struct rcu_head		rcu;
};

/* srxe_sa.c: objects. All but get, put and end may sleep. */
int srxe_sa_init(void);		/* caches, SPI table, workqueue; module init and exit */
void srxe_sa_exit(void);
struct srxe_sa *srxe_sa_alloc(struct srxe_link *link, const struct srxe_sa_ends *ends,
			      struct srxe_ring_key *key, struct srxe_conn *conn);
int srxe_sa_key(struct srxe_sa *sa, struct srxe_sa_params *p, enum srxe_sa_state state);
bool srxe_sa_advance(struct srxe_sa *sa, enum srxe_sa_state state);
void srxe_sa_end(struct srxe_sa *sa);	/* any context, BH-safe, idempotent */
struct srxe_sa *srxe_sa_get(struct srxe_sa *sa);
void srxe_sa_put(struct srxe_sa *sa);

/* srxe_spi.c: the SPI table. Under rcu_read_lock(). */
struct srxe_sa *srxe_spi_lookup(struct net *net, u32 spi);

/* srxe_seal.c: also used for CTRL messages, BH or process context. */
int srxe_seal_ctrl(struct srxe_sa *sa, u8 type, const void *body, size_t len);

#endif /* SRXE_SA_H */
