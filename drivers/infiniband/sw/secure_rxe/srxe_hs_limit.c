// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Challenges, rate buckets and bounds of handshakes on a link.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "srxe_hs.h"
#include "srxe_hs_limit.h"
#include "srxe_spi.h"

#define LINK_COST	(NSEC_PER_SEC / SRXE_HS_LINK_RATE)
#define PARTY_COST	(NSEC_PER_SEC / SRXE_HS_PARTY_RATE)
/* What of a link's bucket is not for users' handshakes. */
#define LINK_KEPT	(LINK_COST * (SRXE_HS_LINK_BURST / SRXE_USER_KEPT))

/*
 * A link's places in the SPI table are for
 *
 *   - SAs made within the last SRXE_SPI_HOLD_S, alive or on hold: in each of two
 *     roles no more than a burst and what comes back in that time,
 *     2 * (32768 + 240 * 256) = 188416;
 *   - those that attempts under way have no keys for yet, one for each key tried
 *     (those of answers are among the first), 1024 * 4 = 4096;
 *   - SAs that are older. For them there are 262144 - 192512 = 69632 left.
 *
 * So nobody uses a link's places up by making SAs, however fast; and of all that
 * can be made, one party makes no more than (16384 + 240 * 64) of (32768 + 240 *
 * 256), a third. Nor do users by keeping them: srxe_spi.c knows of fair shares, too.
 */
#define PLACES_MADE	(2 * (SRXE_HS_LINK_BURST + SRXE_SPI_HOLD_S * SRXE_HS_LINK_RATE))
#define PLACES_TRIED	(SRXE_MAX_HS_LINK * SRXE_HS_MAX_ALTS)
static_assert(PLACES_MADE + PLACES_TRIED <= SRXE_SPI_SHARE / 4 * 3);

/* The parties a handshake is counted for; the last two only if a user is bound. */
enum {
	WITH_PEER,
	IN_PD,
	BY_USER,
	BY_USER_WITH_PEER,
	PARTIES,
};

static struct srxe_hs_party_id peer_id(const struct in6_addr *addr)
{
	return (struct srxe_hs_party_id){ .addr = *addr, .kind = SRXE_HS_PEER };
}

static struct srxe_hs_party_id pd_id(u32 pd)
{
	return (struct srxe_hs_party_id){ .num = pd, .kind = SRXE_HS_PD };
}

/* Return: how many. */
static unsigned int all_ids(const struct in6_addr *peer, u32 pd, const struct srxe_user *user,
			    struct srxe_hs_party_id ids[PARTIES])
{
	u32 uid;

	ids[WITH_PEER] = peer_id(peer);
	ids[IN_PD] = pd_id(pd);
	if (!user || !user->bound)
		return BY_USER;
	uid = __kuid_val(user->uid);
	ids[BY_USER] = (struct srxe_hs_party_id){ .kind = SRXE_HS_USER, .num = uid };
	ids[BY_USER_WITH_PEER] = (struct srxe_hs_party_id){
		.kind = SRXE_HS_PAIR, .num = uid, .addr = *peer,
	};
	return PARTIES;
}

static void fill(struct srxe_hs_bucket *b, u64 now, u64 cost, u64 burst)
{
	if (now > b->filled) {
		b->tokens = min(b->tokens + (now - b->filled), burst * cost);
		b->filled = now;
	}
}

/* Time passes for what @party may do in @role. */
static void refill(struct srxe_hs_limit *lim, u64 now, enum srxe_hs_role role,
		   struct srxe_hs_party *party)
{
	fill(&lim->link[role], now, LINK_COST, SRXE_HS_LINK_BURST);
	fill(&party->bucket, now, PARTY_COST, SRXE_HS_PARTY_BURST);
}

static bool can_pay(const struct srxe_hs_limit *lim, enum srxe_hs_role role,
		    const struct srxe_hs_party *party)
{
	return lim->link[role].tokens >= LINK_COST && party->bucket.tokens >= PARTY_COST;
}

static void pay(struct srxe_hs_limit *lim, enum srxe_hs_role role, struct srxe_hs_party *party)
{
	lim->link[role].tokens -= LINK_COST;
	party->bucket.tokens -= PARTY_COST;
}

/**
 * srxe_hs_limit_init() - bounds of a new link
 * @lim: to set up
 * @now: boottime, ns
 *
 * Context: Process.
 */
void srxe_hs_limit_init(struct srxe_hs_limit *lim, u64 now)
{
	unsigned int role;

	mutex_init(&lim->lock);
	srxe_hs_parties_init(&lim->parties, (u64)SRXE_HS_PARTY_BURST * PARTY_COST);
	srxe_hs_past_init(&lim->past);
	memset(lim->out, 0, sizeof(lim->out));
	for (role = 0; role < SRXE_HS_ROLES; role++) {
		lim->link[role].tokens = (u64)SRXE_HS_LINK_BURST * LINK_COST;
		lim->link[role].filled = now;
	}
	get_random_bytes(lim->secret, sizeof(lim->secret));
}

/**
 * srxe_hs_limit_destroy() - the link goes
 * @lim: nothing is under way any more
 *
 * Context: Process.
 */
void srxe_hs_limit_destroy(struct srxe_hs_limit *lim)
{
	srxe_hs_parties_destroy(&lim->parties);
	srxe_hs_past_destroy(&lim->past);
	memzero_explicit(lim->secret, sizeof(lim->secret));
	mutex_destroy(&lim->lock);
}

/**
 * srxe_hs_limit_renew() - a copy of this machine may have the same secret
 * @lim: bounds of a link
 *
 * Context: Process.
 */
void srxe_hs_limit_renew(struct srxe_hs_limit *lim)
{
	mutex_lock(&lim->lock);
	get_random_bytes(lim->secret, sizeof(lim->secret));
	mutex_unlock(&lim->lock);
	srxe_hs_past_clear(&lim->past);
}

/**
 * srxe_hs_limit_challenge() - the challenge an initiator must echo now
 * @lim: bounds of the link
 * @now: boottime, ns
 * @p: addresses, initiator first
 * @challenge: result
 *
 * Context: Process.
 * Return: 0 or an error of the crypto API.
 */
int srxe_hs_limit_challenge(struct srxe_hs_limit *lim, u64 now, const struct srxe_p *p,
			    u8 challenge[SRXE_CHALLENGE_LEN])
{
	int err;

	mutex_lock(&lim->lock);
	err = srxe_hs_challenge(lim->secret, srxe_hs_period(now), p, challenge);
	mutex_unlock(&lim->lock);
	return err;
}

/**
 * srxe_hs_limit_challenge_ok() - has the initiator been here within two periods?
 * @lim: bounds of the link
 * @now: boottime, ns
 * @p: addresses, initiator first
 * @challenge: as in its INIT
 *
 * Context: Process.
 * Return: 0, -ESTALE, or an error of the crypto API.
 */
int srxe_hs_limit_challenge_ok(struct srxe_hs_limit *lim, u64 now, const struct srxe_p *p,
			       const u8 challenge[SRXE_CHALLENGE_LEN])
{
	int err;

	mutex_lock(&lim->lock);
	err = srxe_hs_challenge_ok(lim->secret, srxe_hs_period(now), p, challenge);
	mutex_unlock(&lim->lock);
	return err;
}

/**
 * srxe_hs_limit_served() - an INIT has served, and is not to serve again
 * @lim: bounds of the link
 * @now: boottime, ns
 * @seen: boottime, ns, when it came first
 * @mac: its MAC, which is good
 *
 * If there is no room for it, every challenge is replaced, and so none of what
 * was seen up to now is of use to anybody; it costs each peer one round trip.
 *
 * Context: Process.
 */
void srxe_hs_limit_served(struct srxe_hs_limit *lim, u64 now, u64 seen,
			  const u8 mac[SRXE_MAC_LEN])
{
	if (srxe_hs_past_add(&lim->past, now, seen, mac))
		srxe_hs_limit_renew(lim);
}

/**
 * srxe_hs_limit_remember() - keep the challenge a RETRY brought
 * @lim: bounds of the link
 * @p: addresses, ours first
 * @challenge: from a RETRY whose MAC is good
 *
 * Context: Process.
 */
void srxe_hs_limit_remember(struct srxe_hs_limit *lim, const struct srxe_p *p,
			    const u8 challenge[SRXE_CHALLENGE_LEN])
{
	struct srxe_hs_party_id id = peer_id((const struct in6_addr *)p->gid_r);
	struct srxe_hs_party *party;

	mutex_lock(&lim->lock);
	party = srxe_hs_party_get(&lim->parties, &id);
	if (party) {
		memcpy(party->local, p->gid_i, sizeof(party->local));
		memcpy(party->challenge, challenge, sizeof(party->challenge));
		party->has_challenge = true;
		srxe_hs_party_touch(&lim->parties, party);
	}
	mutex_unlock(&lim->lock);
}

/**
 * srxe_hs_limit_recall() - the challenge to begin an attempt with
 * @lim: bounds of the link
 * @p: addresses, ours first
 * @challenge: result; it may be stale
 *
 * Context: Process.
 * Return: true if there is one.
 */
bool srxe_hs_limit_recall(struct srxe_hs_limit *lim, const struct srxe_p *p,
			  u8 challenge[SRXE_CHALLENGE_LEN])
{
	struct srxe_hs_party_id id = peer_id((const struct in6_addr *)p->gid_r);
	struct srxe_hs_party *party;
	bool found;

	mutex_lock(&lim->lock);
	party = srxe_hs_party_find(&lim->parties, &id);
	found = party && party->has_challenge &&
		!memcmp(party->local, p->gid_i, sizeof(party->local));
	if (found)
		memcpy(challenge, party->challenge, sizeof(party->challenge));
	mutex_unlock(&lim->lock);
	return found;
}

/**
 * srxe_hs_limit_charge() - may one more INIT of a peer cost us an X25519?
 * @lim: bounds of the link
 * @now: boottime, ns
 * @peer: who it is from; its MAC and its challenge are good, or a spoofer
 *	could use up the peer's budget
 *
 * Context: Process.
 * Return: true if it may; it is charged then.
 */
bool srxe_hs_limit_charge(struct srxe_hs_limit *lim, u64 now, const struct in6_addr *peer)
{
	struct srxe_hs_party_id id = peer_id(peer);
	struct srxe_hs_party *p;
	bool ok = false;

	mutex_lock(&lim->lock);
	p = srxe_hs_party_get(&lim->parties, &id);
	if (p) {
		refill(lim, now, SRXE_HS_RESPONDER, p);
		ok = can_pay(lim, SRXE_HS_RESPONDER, p);
		if (ok)
			pay(lim, SRXE_HS_RESPONDER, p);
		srxe_hs_party_touch(&lim->parties, p);
	}
	mutex_unlock(&lim->lock);
	return ok;
}

/* How many wait before @wait, or before one who does not wait here; @max is enough. */
static unsigned int ahead_of(const struct srxe_hs_party *p, const struct srxe_hs_wait *wait,
			     unsigned int max)
{
	const struct list_head *pos;
	unsigned int n = 0;

	list_for_each(pos, &p->waiting) {
		if (n == max || pos == &wait->entry)
			break;
		n++;
	}
	return n;
}

/* How many more places the peer has, for whoever it is. */
static unsigned int peer_room(enum srxe_hs_role role, struct srxe_hs_party *const p[PARTIES])
{
	unsigned int out = p[WITH_PEER]->out[role];

	if (!p[BY_USER])
		return SRXE_MAX_HS_PEER - out;
	return srxe_user_room(SRXE_MAX_HS_PEER, out, p[BY_USER_WITH_PEER]->out[role]);
}

/* The connection manager's domain is that of a whole host. */
static unsigned int pd_room(enum srxe_hs_role role, struct srxe_hs_party *const p[PARTIES])
{
	const struct srxe_hs_party *pd = p[IN_PD];

	return (pd->id.num == SRXE_HS_PD_CM ? SRXE_HS_MAX_CM : SRXE_MAX_HS_PD) - pd->out[role];
}

static unsigned int link_room(const struct srxe_hs_limit *lim, enum srxe_hs_role role,
			      struct srxe_hs_party *const p[PARTIES])
{
	if (!p[BY_USER])
		return SRXE_MAX_HS_LINK - lim->out[role];
	return srxe_user_room(SRXE_MAX_HS_LINK, lim->out[role], p[BY_USER]->out[role]);
}

/* For how many more there is room in what a user may do, or a domain if he is not bound. */
static unsigned int payer_room(const struct srxe_hs_limit *lim, enum srxe_hs_role role,
			       struct srxe_hs_party *const p[PARTIES])
{
	const struct srxe_hs_party *payer = p[BY_USER] ?: p[IN_PD];
	u64 kept = p[BY_USER] ? LINK_KEPT : 0, link = lim->link[role].tokens;

	if (link < kept)
		return 0;
	return min3((u64)link_room(lim, role, p), div_u64(link - kept, LINK_COST),
		    div_u64(payer->bucket.tokens, PARTY_COST));
}

static void wait_at(struct srxe_hs_party *p, struct srxe_hs_wait *wait)
{
	if (wait->at == p)
		return;
	list_move_tail(&wait->entry, &p->waiting);
	wait->at = p;
}

static void wait_no_more(struct srxe_hs_wait *wait)
{
	list_del_init(&wait->entry);
	wait->at = NULL;
}

/* Is it among the first @room who wait for what @p has? */
static bool is_next(const struct srxe_hs_party *p, const struct srxe_hs_wait *wait,
		    unsigned int room)
{
	return ahead_of(p, wait, room) < room;
}

/*
 * Who keeps one who wants to begin from it: the domain, the user, or the peer. NULL:
 * nobody does.
 *
 * Whoever gives a place back and asks again must not get it before those who
 * have waited for it. So each waits where it is stopped first, and takes nobody's turn
 * elsewhere.
 */
static struct srxe_hs_party *stopped_at(const struct srxe_hs_limit *lim,
					struct srxe_hs_party *const p[PARTIES],
					const struct srxe_hs_wait *wait)
{
	struct srxe_hs_party *pd = p[IN_PD], *user = p[BY_USER];
	struct srxe_hs_party *peer = p[BY_USER_WITH_PEER] ?: p[WITH_PEER];
	const enum srxe_hs_role role = SRXE_HS_INITIATOR;
	unsigned int payer = payer_room(lim, role, p), room = pd_room(role, p);

	if (!is_next(pd, wait, user ? room : min(room, payer)))
		return pd;
	if (user && !is_next(user, wait, payer))
		return user;
	return is_next(peer, wait, peer_room(role, p)) ? NULL : peer;
}

static bool its_turn(struct srxe_hs_limit *lim, u64 now, struct srxe_hs_party *const p[PARTIES],
		     struct srxe_hs_wait *wait)
{
	struct srxe_hs_party *payer = p[BY_USER] ?: p[IN_PD], *at;

	refill(lim, now, SRXE_HS_INITIATOR, payer);
	at = stopped_at(lim, p, wait);
	if (at) {
		wait_at(at, wait);
		return false;
	}
	wait_no_more(wait);
	pay(lim, SRXE_HS_INITIATOR, payer);
	return true;
}

static bool has_room(const struct srxe_hs_limit *lim, enum srxe_hs_role role,
		     struct srxe_hs_party *const p[PARTIES])
{
	return link_room(lim, role, p) && peer_room(role, p) && pd_room(role, p);
}

/* Without @wait: now or not at all. */
static bool try_enter(struct srxe_hs_limit *lim, u64 now, enum srxe_hs_role role,
		      const struct srxe_hs_party_id *ids, unsigned int n,
		      struct srxe_hs_wait *wait)
{
	struct srxe_hs_party *p[PARTIES] = { };
	unsigned int i, got = 0;
	bool ok = false;

	mutex_lock(&lim->lock);
	while (got < n && (p[got] = srxe_hs_party_get(&lim->parties, &ids[got])))
		/* making room for the others must not take this one */
		list_del_init(&p[got++]->idle);
	if (got == n)
		ok = wait ? its_turn(lim, now, p, wait) : has_room(lim, role, p);
	if (ok)
		lim->out[role]++;
	for (i = 0; i < got; i++) {
		if (ok)
			p[i]->out[role]++;
		srxe_hs_party_touch(&lim->parties, p[i]);
	}
	mutex_unlock(&lim->lock);
	return ok;
}

/**
 * srxe_hs_limit_enter() - may one more handshake be under way?
 * @lim: bounds of the link
 * @role: our side
 * @peer: with whom
 * @pd: number of the protection domain it is for
 * @user: on whose behalf, or NULL
 *
 * Context: Process.
 * Return: true if it may; srxe_hs_limit_leave() is owed then.
 */
bool srxe_hs_limit_enter(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			 const struct in6_addr *peer, u32 pd, const struct srxe_user *user)
{
	struct srxe_hs_party_id ids[PARTIES];
	unsigned int n = all_ids(peer, pd, user, ids);

	return try_enter(lim, 0, role, ids, n, NULL);
}

/**
 * srxe_hs_limit_begin() - may we begin one more handshake?
 * @lim: bounds of the link
 * @now: boottime, ns
 * @peer: with whom
 * @pd: number of the protection domain it is for
 * @user: on whose behalf, or NULL
 * @wait: place among those who wait for that
 *
 * Context: Process.
 * Return: true if we may; it is charged to the user, or the domain if he is not
 * bound, and srxe_hs_limit_leave() is owed then. If not, we are to
 * ask again, or srxe_hs_limit_forgo() is owed.
 */
bool srxe_hs_limit_begin(struct srxe_hs_limit *lim, u64 now, const struct in6_addr *peer,
			 u32 pd, const struct srxe_user *user, struct srxe_hs_wait *wait)
{
	struct srxe_hs_party_id ids[PARTIES];
	unsigned int n = all_ids(peer, pd, user, ids);

	return try_enter(lim, now, SRXE_HS_INITIATOR, ids, n, wait);
}

/**
 * srxe_hs_wait_init() - one who does not wait yet
 * @wait: to set up
 *
 * Context: any.
 */
void srxe_hs_wait_init(struct srxe_hs_wait *wait)
{
	INIT_LIST_HEAD(&wait->entry);
	wait->at = NULL;
}

/**
 * srxe_hs_limit_forgo() - one who waited to begin a handshake does not want to
 * @lim: bounds of the link
 * @wait: as for srxe_hs_limit_begin(); need not be in the queue
 *
 * Context: Process.
 */
void srxe_hs_limit_forgo(struct srxe_hs_limit *lim, struct srxe_hs_wait *wait)
{
	struct srxe_hs_party *at;

	mutex_lock(&lim->lock);
	at = wait->at;
	wait_no_more(wait);
	/* one where somebody waits is never forgotten */
	if (at)
		srxe_hs_party_touch(&lim->parties, at);
	mutex_unlock(&lim->lock);
}

/**
 * srxe_hs_limit_awaited() - does anybody wait for a domain to have room?
 * @lim: bounds of the link
 * @pd: number of the protection domain
 *
 * Context: Process.
 * Return: true if so.
 */
bool srxe_hs_limit_awaited(struct srxe_hs_limit *lim, u32 pd)
{
	const struct srxe_hs_party_id id = pd_id(pd);
	struct srxe_hs_party *p;
	bool awaited;

	mutex_lock(&lim->lock);
	p = srxe_hs_party_find(&lim->parties, &id);
	awaited = p && !list_empty(&p->waiting);
	mutex_unlock(&lim->lock);
	return awaited;
}

/**
 * srxe_hs_limit_leave() - a handshake came to an end
 * @lim: bounds of the link
 * @role: as for srxe_hs_limit_enter()
 * @peer: as for srxe_hs_limit_enter()
 * @pd: as for srxe_hs_limit_enter()
 * @user: as for srxe_hs_limit_enter()
 *
 * Context: Process.
 */
void srxe_hs_limit_leave(struct srxe_hs_limit *lim, enum srxe_hs_role role,
			 const struct in6_addr *peer, u32 pd, const struct srxe_user *user)
{
	struct srxe_hs_party_id ids[PARTIES];
	unsigned int i, n = all_ids(peer, pd, user, ids);
	struct srxe_hs_party *p;

	mutex_lock(&lim->lock);
	lim->out[role]--;
	for (i = 0; i < n; i++) {
		/* one with something under way is never forgotten */
		p = srxe_hs_party_find(&lim->parties, &ids[i]);
		if (WARN_ON_ONCE(!p || !p->out[role]))
			continue;
		p->out[role]--;
		srxe_hs_party_touch(&lim->parties, p);
	}
	mutex_unlock(&lim->lock);
}
