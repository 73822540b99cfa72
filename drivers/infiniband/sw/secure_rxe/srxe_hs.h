/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Handshake of one RC or UC connection, or of the datagrams between two
 * addresses, as a state machine without packets, devices or clocks: what it needs
 * of the world it asks for through its operations, so that all of it can be
 * driven by a test.
 *
 * One incarnation of a queue pair makes one handshake. It may take part in it
 * as initiator (an attempt), as responder (answers), or as both at once. The
 * first SA that stands (for its initiator when the RESP is good, for its
 * responder when the first valid packet arrives) is what the connection sends
 * under, and from then on no bare message is listened to. If both sides'
 * handshakes came through, the one of the preferred initiator is kept and the
 * other only received on for a little longer.
 *
 * Datagrams have no incarnations. There one handshake may follow the other: we
 * begin another one when the peer has fallen silent, and answer when it does. The
 * SA of a handshake takes the place of the one that was confirmed before that
 * handshake began. Of two that were under way at a time it is, as above, that of
 * the preferred initiator. Both ends judge alike, since what is confirmed here is
 * in use there: while ours is not confirmed, an INIT of the other end may be older
 * than it, and the preferred initiator does not answer it.
 *
 * Every function here runs in process context and may sleep; the caller
 * serialises all calls for one machine. Operations are called in the same way.
 */
#ifndef SRXE_HS_H
#define SRXE_HS_H

#include <linux/list.h>
#include <linux/types.h>

#include "srxe_hs_limit.h"
#include "srxe_hs_msg.h"
#include "srxe_sa.h"

/* Alternative keys one attempt tries; more than that is a rotation gone wrong. */
#define SRXE_HS_MAX_ALTS	4
/*
 * While the peer's handshake is on its way, our own waits, but not longer than
 * this: the INIT we answered may have been an old one, sent by somebody else.
 */
#define SRXE_HS_YIELD_MS	1000
/* For so long an attempt waits for others of the link to make room for it. */
#define SRXE_HS_QUEUE_MS	60000
/*
 * So long an attempt that is not answered keeps others waiting, and so long an
 * answer that is not confirmed: one who waits longer does so in turns.
 */
#define SRXE_HS_TURN_MS		SRXE_GIVE_UP_MIN_MS
/* So long if it is the connection manager's, and others of its wait. */
#define SRXE_HS_SHORT_TURN_MS	1000
/* INITs of the peer's that an incarnation keeps in mind: for each key that may be tried, two. */
#define SRXE_HS_MAX_SERVED	(2 * SRXE_HS_MAX_ALTS)

struct srxe_hs;
struct srxe_ring_key;

static inline bool srxe_kind_is_dgram(u8 kind)
{
	return kind == SRXE_KIND_UD || kind == SRXE_KIND_GSI;
}

/* enum srxe_hs_count - what happened, for counters */
enum srxe_hs_count {
	SRXE_HS_COUNT_DONE,	/* an SA stands */
	SRXE_HS_COUNT_FAILED,	/* an attempt of ours came to nothing */
	SRXE_HS_COUNT_RETRY,	/* RETRY sent */
	SRXE_HS_COUNT_REFUSE,	/* REFUSE sent */
	SRXE_HS_COUNT_PARKED,	/* INIT kept until the queue pair is in RTR */
	SRXE_HS_COUNT_DROPS,	/* from here on messages were dropped */
	SRXE_HS_COUNT_STATE = SRXE_HS_COUNT_DROPS,	/* does not fit the state */
	SRXE_HS_COUNT_REPLAYED,	/* has served before */
	SRXE_HS_COUNT_NO_KEY,	/* key unknown, not for that peer, or gone */
	SRXE_HS_COUNT_MAC,	/* MAC or public value bad */
	SRXE_HS_COUNT_LIMIT,	/* rate, bounds or memory */
};

/**
 * struct srxe_hs_policy - what we ask for and put up with
 * @min_mode: weakest mode, enum srxe_mode
 * @max_mode: strongest mode this version can do
 * @suites: bitmap of suites
 */
struct srxe_hs_policy {
	u8	min_mode;
	u8	max_mode;
	u16	suites;
};

/**
 * struct srxe_hs_rx - a bare message that arrived
 * @local: destination address of its packet
 * @remote: source address of its packet
 * @msg: the message; srxe_hs_check() found it well-formed
 */
struct srxe_hs_rx {
	struct in6_addr		local;
	struct in6_addr		remote;
	struct srxe_hs_msg	msg;
};

/**
 * struct srxe_hs_ops - the world around the state machine
 * @now: boottime, ns
 * @set_timer: srxe_hs_run() is due at that time (boottime, ns), replacing
 *	what was set before; 0 for never
 * @send: send a bare message from one address of ours to one of the peer's
 * @keys: the keys for a peer in order of trial, referenced; their number, 0 if
 *	there is none, or -EKEYREVOKED if there are only dead ones
 * @key_by_id: the key of that id, if it is one for that peer; referenced
 * @key_put: undoes the reference of @keys and @key_by_id
 * @key_live: may the key still be used?
 * @secrets: what is derived from the key
 * @policy: settings of the link as they are now
 * @sa_new: an SA with an SPI and nothing else; referenced, or NULL
 * @sa_key: give it its keys; 0 or an error
 * @sa_end: end it and drop the reference
 * @sa_linger: it is to receive only, and will soon be ended
 * @sa_heard: has a valid packet arrived under it?
 * @probe: send CTRL 3 under it
 * @use: from now on the connection sends under this SA; it has been standing,
 *	or does from now on
 * @lost: the SA in use was ended from outside: why; the connection may know it
 *	already, and is broken from now on
 * @failed: no SA came of it: why, and the id of the key if there was one
 * @peer_reset: the peer wants a handshake although this SA stands; whether it
 *	is the peer of now or somebody who replays it, nobody knows
 * @count: something to be counted happened
 */
struct srxe_hs_ops {
	u64	(*now)(struct srxe_hs *hs);
	void	(*set_timer)(struct srxe_hs *hs, u64 when);
	void	(*send)(struct srxe_hs *hs, const struct in6_addr *local,
			const struct in6_addr *remote, const struct srxe_hs_msg *msg);
	int	(*keys)(struct srxe_hs *hs, const struct in6_addr *peer,
			struct srxe_ring_key **keys, unsigned int max);
	struct srxe_ring_key *(*key_by_id)(struct srxe_hs *hs, const struct in6_addr *peer,
					   const u8 key_id[SRXE_KEY_ID_LEN]);
	void	(*key_put)(struct srxe_ring_key *key);
	bool	(*key_live)(const struct srxe_ring_key *key);
	const struct srxe_psk_keys *(*secrets)(const struct srxe_ring_key *key);
	void	(*policy)(struct srxe_hs *hs, struct srxe_hs_policy *policy);
	struct srxe_sa *(*sa_new)(struct srxe_hs *hs, const struct srxe_sa_ends *ends,
				  struct srxe_ring_key *key);
	int	(*sa_key)(struct srxe_hs *hs, struct srxe_sa *sa,
			  struct srxe_sa_params *params, enum srxe_sa_state state);
	void	(*sa_end)(struct srxe_hs *hs, struct srxe_sa *sa);
	void	(*sa_linger)(struct srxe_hs *hs, struct srxe_sa *sa);
	bool	(*sa_heard)(const struct srxe_sa *sa);
	void	(*probe)(struct srxe_hs *hs, struct srxe_sa *sa);
	void	(*use)(struct srxe_hs *hs, struct srxe_sa *sa);
	void	(*lost)(struct srxe_hs *hs, enum srxe_vendor_err verr);
	void	(*failed)(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id);
	void	(*peer_reset)(struct srxe_hs *hs, struct srxe_sa *sa);
	void	(*count)(struct srxe_hs *hs, enum srxe_hs_count what);
};

/**
 * struct srxe_hs_backoff - when to send again
 * @next: boottime, ns
 * @interval: ns until the one after that
 * @end: boottime, ns, at which to give up
 */
struct srxe_hs_backoff {
	u64	next;
	u64	interval;
	u64	end;
};

/**
 * struct srxe_hs_try - one INIT of ours, and what is needed to use its answer
 * @sa: the SA to be, which also holds the key
 * @init: the INIT, and after a RETRY the one with the right challenge as well
 * @inits: number of them
 * @secret: our X25519 private value
 * @known: the peer has answered, so it has the key
 */
struct srxe_hs_try {
	struct srxe_sa		*sa;
	struct srxe_hs_msg	init[2];
	unsigned int		inits;
	u8			secret[SRXE_SHARE_LEN];
	bool			known;
};

/**
 * struct srxe_hs_attempt - we as initiator
 * @keys: alternatives in order of trial, referenced
 * @tries: the INIT under each; NULL before its turn and once its key is dead
 * @count: number of alternatives
 * @cur: the one that is being sent
 * @silent: INITs sent under it since its turn came
 * @retry: when to send it again
 * @begun: when it began
 * @sent: when an INIT was sent last
 * @inits: how many have been sent
 * @busy: the peer has refused for being busy, and has been asked again since
 * @after: the SA that is to be replaced, see struct srxe_hs_answer
 */
struct srxe_hs_attempt {
	struct srxe_ring_key	*keys[SRXE_HS_MAX_ALTS];
	struct srxe_hs_try	*tries[SRXE_HS_MAX_ALTS];
	unsigned int		count;
	unsigned int		cur;
	unsigned int		silent;
	struct srxe_hs_backoff	retry;
	u64			begun;
	u64			sent;
	unsigned int		inits;
	bool			busy;
	u64			after;
};

/**
 * struct srxe_hs_answer - we as responder
 * @entry: in hs->answers, oldest first
 * @sa: the SA, pending until the peer confirms it
 * @init: what was answered
 * @resp: the answer
 * @born: boottime, ns
 * @after: @turn of the SA that was in use and confirmed when this handshake began,
 *	and which its SA is to replace; 0 if there was none
 */
struct srxe_hs_answer {
	struct list_head	entry;
	struct srxe_sa		*sa;
	struct srxe_hs_msg	init;
	struct srxe_hs_msg	resp;
	u64			born;
	u64			after;
};

/**
 * struct srxe_hs_served - an INIT of the peer's, answered or crossed by ours
 * @mac: its MAC
 * @seen: boottime, ns, when it came first
 */
struct srxe_hs_served {
	u8	mac[SRXE_MAC_LEN];
	u64	seen;
};

/**
 * struct srxe_hs - handshake of one connection
 * @ops: the world around
 * @limit: bounds of the link
 * @pd: number of the queue pair's protection domain
 * @user: on whose behalf it is; nobody's in particular after srxe_hs_setup(). What is
 *	under way has been counted for the two
 * @ends: kind, own QPN and incarnation from the beginning, the rest from RTR on
 * @bound: the ends are known: the queue pair has been in RTR
 * @wanted: an SA is wanted: the queue pair has reached RTS
 * @again: datagrams: a handshake may follow another
 * @over: an SA stands or has stood: no further handshake in this incarnation;
 *	never set with @again
 * @life: ns after which we give up
 * @give_up: boottime, ns, at which that is; 0 before the first attempt
 * @yield_end: boottime, ns, until which an attempt of ours waits for the peer's
 * @queue: waiting for room for an attempt of ours; @next is 0 if it does not
 * @wait: place in a queue meanwhile
 * @attempt: our attempt, or NULL
 * @tried: what to say if there is no room for another one, enum srxe_vendor_err;
 *	0 before the first
 * @tried_key: id of the key that @tried is about
 * @verdict: why our attempt failed, enum srxe_vendor_err, to be told when the
 *	last answer is gone as well; 0 if there is nothing to be told
 * @verdict_key: id of the key that @verdict is about
 * @answers: what we have answered, of struct srxe_hs_answer
 * @served: INITs of the peer's that must not serve again if an SA comes of all
 *	this; the oldest is overwritten
 * @served_count: how many there have been
 * @parked: an INIT that came before RTR
 * @parked_end: boottime, ns, at which it is thrown away
 * @sa: what the connection sends under
 * @turn: number of @sa, grows with every SA that is used
 * @confirm: probes of @sa; @next is 0 when it is confirmed
 * @noted: boottime, ns, before which no further INIT is looked at for @peer_reset
 * @old: an SA that lost against @sa
 * @old_end: boottime, ns, at which it ends
 */
struct srxe_hs {
	const struct srxe_hs_ops	*ops;
	struct srxe_hs_limit		*limit;
	u32				pd;
	struct srxe_user		user;
	struct srxe_sa_ends		ends;
	bool				bound;
	bool				wanted;
	bool				again;
	bool				over;
	u64				life;
	u64				give_up;
	u64				yield_end;
	struct srxe_hs_backoff		queue;
	struct srxe_hs_wait		wait;
	struct srxe_hs_attempt		*attempt;
	int				tried;
	u8				tried_key[SRXE_KEY_ID_LEN];
	int				verdict;
	u8				verdict_key[SRXE_KEY_ID_LEN];
	struct list_head		answers;
	struct srxe_hs_served		served[SRXE_HS_MAX_SERVED];
	unsigned int			served_count;
	struct srxe_hs_rx		*parked;
	u64				parked_end;
	struct srxe_sa			*sa;
	u64				turn;
	struct srxe_hs_backoff		confirm;
	u64				noted;
	struct srxe_sa			*old;
	u64				old_end;
};

void srxe_hs_setup(struct srxe_hs *hs, const struct srxe_hs_ops *ops,
		   struct srxe_hs_limit *limit, u32 pd, u8 kind, u32 qpn, u64 id);
void srxe_hs_charge(struct srxe_hs *hs, u32 pd, const struct srxe_user *user);
void srxe_hs_reset(struct srxe_hs *hs, u64 id);
void srxe_hs_bind(struct srxe_hs *hs, const struct in6_addr *local,
		  const struct in6_addr *remote, u32 remote_qpn);
void srxe_hs_start(struct srxe_hs *hs, u64 life);
void srxe_hs_stop(struct srxe_hs *hs);
void srxe_hs_input(struct srxe_hs *hs, const struct srxe_hs_rx *rx);
void srxe_hs_run(struct srxe_hs *hs);
u64 srxe_hs_confirmed(const struct srxe_hs *hs);

/**
 * srxe_hs_waits() - does it wait for room, and nothing is under way?
 * @hs: the machine
 *
 * Return: true if so.
 */
static inline bool srxe_hs_waits(const struct srxe_hs *hs)
{
	return hs->wait.at && !hs->attempt && list_empty(&hs->answers);
}

#endif /* SRXE_HS_H */
