/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Security associations: what protects the packets between two ends, and the
 * state it takes. An SA is made by a handshake (srxe_hs.c), used by the data
 * path (srxe_seal.c, srxe_open.c) and ended by its connection or datagram peer, its
 * key, its link or a VM fork.
 *
 * Life: srxe_sa_alloc() gives an embryo that owns an SPI but no keys; packets
 * for it are dropped. srxe_sa_key() gives it keys: it can then receive, and
 * whoever holds it decides (by publishing it as the connection's tx_sa) when
 * it sends. srxe_sa_end() stops both directions for good; what is in a crypto
 * engine by then is dropped when it comes back. Memory is freed, and every
 * secret wiped, after the last reference and an RCU grace period.
 *
 * An SA keeps its device registered, so that link, namespace and netdev are
 * good as long as it is: unregistering waits for the last SA. Those of connections
 * end with the queue pairs, which are destroyed before, those of datagrams by
 * srxe_dgrams_close().
 */
#ifndef SRXE_SA_H
#define SRXE_SA_H

#include <linux/crypto.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <rdma/srxe_wire.h>

#include "srxe_epoch_rules.h"
#include "srxe_fifo.h"
#include "srxe_hs_msg.h"
#include "srxe_replay.h"
#include "srxe_ring.h"
#include "srxe_spi.h"

struct crypto_aead;
struct srxe_conn;
struct srxe_dgram;
struct srxe_epoch_key;
struct srxe_link;
struct srxe_suite;

/* Packets of an SA that may be in crypto at a time, per direction. */
#define SRXE_INFLIGHT_MAX	512	/* more are dropped */
#define SRXE_TX_HIGH		256	/* requests wait above it, ... */
#define SRXE_TX_LOW		128	/* ... and go on at this one */

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
 * struct srxe_sa_tx - sending direction
 * @fifo: order; its lock also protects the rest but @chain
 * @pn: last packet number given out
 * @e: epoch in use
 * @asked: the epoch work has been told that it is time for the next epoch
 * @key: key of the epoch in use
 * @next: key of the next epoch, or NULL until the epoch work has made it
 * @chain: S_dir of the newest epoch there is a key for; epoch work only; secret
 * @drain: takes over from a drainer that ran out of its budget
 */
struct srxe_sa_tx {
	struct srxe_fifo	fifo;
	u64			pn;
	struct srxe_epoch_tx	e;
	bool			asked;
	struct srxe_epoch_key	*key;
	struct srxe_epoch_key	*next;
	u8			chain[SRXE_SECRET_LEN];
	struct work_struct	drain;
};

/* Slots for receive keys: the epoch before, the newest seen, the next. */
#define SRXE_RX_SLOTS		4

/**
 * struct srxe_sa_rx - receiving direction
 * @fifo: order; its lock also protects the rest but @chain and @answered
 * @e: epochs; @e.ready is read without the lock to be announced
 * @keys: by epoch modulo their number; NULL where none is held
 * @window: numbers seen
 * @answered: when a probe was answered last, ns of boottime; drainer only
 * @chain: S_dir of the newest epoch there is a key for; epoch work only; secret
 * @drain: takes over from a drainer that ran out of its budget
 */
struct srxe_sa_rx {
	struct srxe_fifo	fifo;
	struct srxe_epoch_rx	e;
	struct srxe_epoch_key	*keys[SRXE_RX_SLOTS];
	struct srxe_replay	window;
	u64			answered;
	u8			chain[SRXE_SECRET_LEN];
	struct work_struct	drain;
};

/**
 * struct srxe_sa - a security association
 * @ref: references
 * @state: enum srxe_sa_state; written under @lock, read anywhere
 * @lock: protects the state's transitions; BH
 * @link: its link
 * @ends: what it binds
 * @spi: chosen by us, in packets to us
 * @spi_slot: its place in the SPI table
 * @seq: number of the SA on this machine, in the order they were made
 * @p: what the handshake agreed on, valid when the state is not EMBRYO; the
 *	chains in it are wiped by srxe_sa_key()
 * @suite: row of @p.suite
 * @limits: packets per epoch
 * @key: the pre-shared key it came from, referenced
 * @conn: its connection, referenced, or NULL for datagram kinds
 * @dgram: its datagram peer, referenced, or NULL for the others
 * @entry: in link->sas, until it is ended
 * @conn_entry: in conn->sas, under conn->lock
 * @tx: sending
 * @rx: receiving
 * @epoch_work: derives and retires epoch keys; holds a reference while queued
 * @established: ktime_get_real_seconds() when it came to stand, for display
 * @keyed: @p is valid, whatever the state
 * @driver: crypto driver it sends with, for display; under @lock
 * @pinned: crypto driver that all its keys are made with, empty for the best
 *	there is; set with the first of them, as settings hold for new SAs
 * @free: frees it in process context
 */
struct srxe_sa {
	refcount_t			ref;
	int				state;
	spinlock_t			lock;	/* BH */
	struct srxe_link		*link;
	struct srxe_sa_ends		ends;
	u32				spi;
	struct srxe_spi			*spi_slot;
	u64				seq;
	struct srxe_sa_params		p;
	const struct srxe_suite		*suite;
	struct srxe_epoch_limits	limits;
	struct srxe_ring_key		*key;
	struct srxe_conn		*conn;
	struct srxe_dgram		*dgram;
	struct list_head		entry;
	struct list_head		conn_entry;
	struct srxe_sa_tx		tx;
	struct srxe_sa_rx		rx;
	struct delayed_work		epoch_work;
	time64_t			established;
	bool				keyed;
	char				driver[CRYPTO_MAX_ALG_NAME];
	char				pinned[CRYPTO_MAX_ALG_NAME];
	struct rcu_work			free;
};

/**
 * struct srxe_sa_info - an SA as administrators see it; nothing secret
 * @seq: number of the SA, grows
 * @ends: what it binds
 * @spi: in packets to us
 * @peer_spi: in packets to the peer
 * @state: enum srxe_sa_state
 * @mode: enum srxe_mode, 0 for an embryo
 * @suite: enum srxe_suite_id
 * @initiator: we initiated
 * @tx_epoch: epoch we send in
 * @tx_pn: last packet number sent
 * @rx_epoch: newest epoch received in
 * @rx_pn: highest packet number received
 * @established: seconds since 1970, or 0
 * @sa_id: equal at both ends
 * @key_serial: of the pre-shared key
 * @key_id: of the pre-shared key, as in handshakes
 * @key_match: which peers the key is for, that is how it matched
 * @driver: crypto driver
 */
struct srxe_sa_info {
	u64			seq;
	struct srxe_sa_ends	ends;
	u32			spi;
	u32			peer_spi;
	u8			state;
	u8			mode;
	u8			suite;
	bool			initiator;
	u64			tx_epoch;
	u64			tx_pn;
	u64			rx_epoch;
	u64			rx_pn;
	time64_t		established;
	u8			sa_id[SRXE_SA_ID_LEN];
	key_serial_t		key_serial;
	u8			key_id[SRXE_KEY_ID_LEN];
	struct srxe_psk_match	key_match;
	char			driver[CRYPTO_MAX_ALG_NAME];
};

/* srxe_sa.c: objects. alloc, key, init and exit may sleep, nothing else does. */
extern struct workqueue_struct *srxe_sa_wq;

int srxe_sa_init(void);
void srxe_sa_exit(void);
struct srxe_sa *srxe_sa_alloc(struct srxe_link *link, const struct srxe_sa_ends *ends,
			      struct srxe_ring_key *key, struct srxe_conn *conn,
			      struct srxe_dgram *dgram);
int srxe_sa_key(struct srxe_sa *sa, struct srxe_sa_params *p, enum srxe_sa_state state);
void srxe_sa_set_driver(struct srxe_sa *sa, struct crypto_aead *tfm);
bool srxe_sa_advance(struct srxe_sa *sa, enum srxe_sa_state state);
void srxe_sa_end(struct srxe_sa *sa);
void srxe_sa_fail(struct srxe_sa *sa, enum srxe_vendor_err verr);
void srxe_sa_end_link(struct srxe_link *link);
struct srxe_sa *srxe_sa_get(struct srxe_sa *sa);
void srxe_sa_put_many(struct srxe_sa *sa, unsigned int n);

/**
 * srxe_sa_put() - drop a reference
 * @sa: SA, or NULL
 *
 * Context: any.
 */
static inline void srxe_sa_put(struct srxe_sa *sa)
{
	if (sa)
		srxe_sa_put_many(sa, 1);
}

/**
 * srxe_sa_tryget() - take a reference on an SA found under RCU
 * @sa: SA
 *
 * Context: rcu_read_lock().
 * Return: false if it is being freed.
 */
static inline bool srxe_sa_tryget(struct srxe_sa *sa)
{
	return refcount_inc_not_zero(&sa->ref);
}

/**
 * srxe_sa_tx_room() - may one more request be made for this SA?
 * @sa: SA
 *
 * After a false, srxe_conn_resume() is called once there is room again.
 *
 * Context: any; sa referenced or under rcu_read_lock().
 * Return: false while so much is in crypto that requests are to wait.
 */
static inline bool srxe_sa_tx_room(const struct srxe_sa *sa)
{
	return READ_ONCE(sa->tx.fifo.inflight) < SRXE_TX_HIGH;
}

/**
 * srxe_sa_weaker() - is there traffic under this SA that is weaker than that?
 * @sa: SA
 * @mode: enum srxe_mode
 *
 * One that has no keys yet is judged when it gets them, and one that is ending
 * has no traffic any more, whether it had keys or not.
 *
 * Context: any; sa->link->sa_lock held.
 * Return: true if there is, or may be.
 */
static inline bool srxe_sa_weaker(const struct srxe_sa *sa, u8 mode)
{
	int state = READ_ONCE(sa->state);

	return state != SRXE_SA_EMBRYO && state != SRXE_SA_DEAD && sa->p.mode < mode;
}

/* srxe_sa_info.c */
void srxe_sa_info(struct srxe_sa *sa, struct srxe_sa_info *info);
int srxe_sa_for_each(struct srxe_link *link, u64 *cursor,
		     int (*cb)(const struct srxe_sa_info *info, void *arg), void *arg);

/* srxe_seal.c */
int srxe_seal_ctrl(struct srxe_sa *sa, u8 type, const void *body, size_t len);

#endif /* SRXE_SA_H */
