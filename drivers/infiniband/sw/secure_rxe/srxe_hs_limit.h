/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What keeps handshakes cheap and bounded on a link: challenges, so that an old
 * INIT costs one MAC and nothing else; those that have served, of which not even
 * that; rate buckets per peer and for the link; and how many handshakes may be
 * under way per peer, protection domain and link, and what of that is a local
 * user's fair share.
 *
 * No time and no device here: the caller passes boottime in nanoseconds. All
 * functions may sleep.
 */
#ifndef SRXE_HS_LIMIT_H
#define SRXE_HS_LIMIT_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "srxe_hs_msg.h"
#include "srxe_hs_party.h"
#include "srxe_hs_past.h"
#include "srxe_user.h"

/*
 * Handshakes that cost an X25519 and a place in the SPI table, per second and in
 * one go: of a link in each role, and of it for one peer that we answer and for
 * one user that begins, or a protection domain if he is not bound. What is used
 * up comes back within minutes, and the burst is for all that a program or a host
 * connects when it starts.
 */
#define SRXE_HS_LINK_RATE	256
#define SRXE_HS_LINK_BURST	32768
#define SRXE_HS_PARTY_RATE	64
#define SRXE_HS_PARTY_BURST	16384

/*
 * The connection manager has one queue pair for a whole host, and sends what any user
 * of rdma_cm asks for. Its handshakes under way are a quarter of the link's, and so
 * neither starve for a domain's share nor starve the others.
 */
#define SRXE_HS_MAX_CM		(SRXE_MAX_HS_LINK / 4)

/*
 * Numbers of protection domains that are not the device's: the connection manager's,
 * and one for each peer that nobody here has asked for.
 */
#define SRXE_HS_PD_CM		BIT(31)
#define SRXE_HS_PD_STRANGER	(BIT(31) | BIT(30))

/**
 * struct srxe_hs_wait - one who waits to begin a handshake
 * @entry: in the queue of @at
 * @at: whose turn it is waiting for, or NULL
 */
struct srxe_hs_wait {
	struct list_head	entry;
	struct srxe_hs_party	*at;
};

/**
 * struct srxe_hs_limit - bounds of one link
 * @lock: innermost, taken under a handshake's
 * @secret: key of our challenges, random
 * @past: INITs that have served, under its own lock
 * @link: rate of the whole link, by role
 * @out: handshakes under way, by role
 * @parties: peers, protection domains and users
 */
struct srxe_hs_limit {
	struct mutex		lock;		/* protects all of it */
	u8			secret[SRXE_SECRET_LEN];
	struct srxe_hs_past	past;
	struct srxe_hs_bucket	link[SRXE_HS_ROLES];
	unsigned int		out[SRXE_HS_ROLES];
	struct srxe_hs_parties	parties;
};

void srxe_hs_limit_init(struct srxe_hs_limit *lim, u64 now);
void srxe_hs_limit_destroy(struct srxe_hs_limit *lim);
void srxe_hs_limit_renew(struct srxe_hs_limit *lim);

/* As responder: challenges we give out. */
int srxe_hs_limit_challenge(struct srxe_hs_limit *lim, u64 now, const struct srxe_p *p,
			    u8 challenge[SRXE_CHALLENGE_LEN]);
int srxe_hs_limit_challenge_ok(struct srxe_hs_limit *lim, u64 now, const struct srxe_p *p,
			       const u8 challenge[SRXE_CHALLENGE_LEN]);
void srxe_hs_limit_served(struct srxe_hs_limit *lim, u64 now, u64 seen,
			  const u8 mac[SRXE_MAC_LEN]);
/* As initiator: challenges we were given. */
void srxe_hs_limit_remember(struct srxe_hs_limit *lim, const struct srxe_p *p,
			    const u8 challenge[SRXE_CHALLENGE_LEN]);
bool srxe_hs_limit_recall(struct srxe_hs_limit *lim, const struct srxe_p *p,
			  u8 challenge[SRXE_CHALLENGE_LEN]);

bool srxe_hs_limit_charge(struct srxe_hs_limit *lim, u64 now, const struct in6_addr *peer);

bool srxe_hs_limit_enter(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			 const struct in6_addr *peer, u32 pd, const struct srxe_user *user);
bool srxe_hs_limit_begin(struct srxe_hs_limit *lim, u64 now, const struct in6_addr *peer,
			 u32 pd, const struct srxe_user *user, struct srxe_hs_wait *wait);
void srxe_hs_limit_forgo(struct srxe_hs_limit *lim, struct srxe_hs_wait *wait);
void srxe_hs_wait_init(struct srxe_hs_wait *wait);
bool srxe_hs_limit_awaited(struct srxe_hs_limit *lim, u32 pd);
void srxe_hs_limit_leave(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			 const struct in6_addr *peer, u32 pd, const struct srxe_user *user);

#endif /* SRXE_HS_LIMIT_H */
