// SPDX-License-Identifier: GPL-2.0
/*
 * The network of the handshake's suites.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "srxe_hs_net.h"

static struct fab_qp *qp_of(struct srxe_hs *hs)
{
	return container_of(hs, struct fab_qp, hs);
}

static struct fab_sa *fsa(const struct srxe_sa *sa)
{
	return container_of((struct srxe_sa *)sa, struct fab_sa, sa);
}

static struct fab_key *key_of(const struct srxe_ring_key *rk)
{
	return container_of((struct srxe_ring_key *)rk, struct fab_key, rk);
}

/* The wire */

static void enqueue(struct fabric *fab, struct fab_frame *frame)
{
	struct fab_frame *f;

	/* behind all that are due no later */
	list_for_each_entry_reverse(f, &fab->wire, entry) {
		if (f->due <= frame->due) {
			list_add(&frame->entry, &f->entry);
			return;
		}
	}
	list_add(&frame->entry, &fab->wire);
}

void fab_put(struct fabric *fab, const struct fab_frame *frame)
{
	struct fab_frame *f = kmemdup(frame, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(fab->test, f);
	f->due = fab->now + FAB_LATENCY;
	switch (fab->fate ? fab->fate(fab, f) : FAB_PASS) {
	case FAB_PASS:
		enqueue(fab, f);
		break;
	case FAB_HOLD:
		list_add_tail(&f->entry, &fab->held);
		break;
	default:
		kfree(f);
		break;
	}
}

void fab_replay(struct fabric *fab, u8 opcode)
{
	struct fab_frame *f = kmemdup(&fab->seen[opcode - SRXE_OP_INIT], sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(fab->test, f);
	KUNIT_ASSERT_EQ(fab->test, f->msg.bth.opcode, opcode);
	f->due = fab->now + FAB_LATENCY;
	enqueue(fab, f);
}

void fab_release(struct fabric *fab)
{
	struct fab_frame *f, *tmp;

	list_for_each_entry_safe(f, tmp, &fab->held, entry) {
		list_del(&f->entry);
		f->due = fab->now + FAB_LATENCY;
		enqueue(fab, f);
	}
}

static void send_sealed(struct fab_qp *qp, struct srxe_sa *sa, u8 ctrl)
{
	struct fab_frame f = {
		.src = sa->ends.lgid,
		.dst = sa->ends.rgid,
		.sealed = true,
		.spi = sa->p.peer_spi,
		.ctrl = ctrl,
	};

	memcpy(f.sa_id, sa->p.sa_id, sizeof(f.sa_id));
	memcpy(f.key, sa->p.chain[sa->p.initiator ? SRXE_DIR_I2R : SRXE_DIR_R2I], sizeof(f.key));
	fab_put(qp->host->fab, &f);
}

void fab_data(struct fab_qp *qp)
{
	KUNIT_ASSERT_NOT_NULL(qp->host->fab->test, qp->tx);
	send_sealed(qp, qp->tx, SRXE_CTRL_EMPTY);
}

static bool opens(const struct fab_frame *f, const struct srxe_sa *sa)
{
	enum srxe_dir dir = sa->p.initiator ? SRXE_DIR_R2I : SRXE_DIR_I2R;

	return sa->spi == f->spi && sa->state != SRXE_SA_EMBRYO && sa->state != SRXE_SA_DEAD &&
	       ipv6_addr_equal(&sa->ends.rgid, &f->src) &&
	       ipv6_addr_equal(&sa->ends.lgid, &f->dst) &&
	       key_of(sa->key)->live &&
	       !memcmp(sa->p.sa_id, f->sa_id, sizeof(f->sa_id)) &&
	       !memcmp(sa->p.chain[dir], f->key, sizeof(f->key));
}

/* As the receive path does it: the first valid packet confirms. */
static void receive_sealed(struct fabric *fab, const struct fab_frame *f)
{
	struct fab_sa *s;

	list_for_each_entry(s, &fab->sas, entry) {
		if (!opens(f, &s->sa))
			continue;
		s->heard = true;
		if (s->sa.state == SRXE_SA_PENDING)
			s->sa.state = SRXE_SA_STANDING;
		if (f->ctrl == SRXE_CTRL_PROBE && s->sa.state == SRXE_SA_STANDING)
			send_sealed(s->qp, &s->sa, SRXE_CTRL_EMPTY);
		srxe_hs_run(&s->qp->hs);
		return;
	}
}

static void receive_bare(struct fabric *fab, const struct fab_frame *f)
{
	u32 qpn = be32_to_cpu(f->msg.bth.qpn) & SRXE_BTH_QPN_MASK;
	struct srxe_hs_rx rx = { .local = f->dst, .remote = f->src, .msg = f->msg };
	struct fab_qp *qp;

	if (srxe_hs_check(&f->msg, sizeof(f->msg)) != SRXE_HS_OK)
		return;
	list_for_each_entry(qp, &fab->qps, entry) {
		if (qp->hs.ends.lqpn == qpn && ipv6_addr_equal(&qp->host->addr, &f->dst)) {
			srxe_hs_input(&qp->hs, &rx);
			return;
		}
	}
}

/* The next thing to happen until @end: a packet arrives, or a timer runs out. */
static bool step(struct fabric *fab, u64 end)
{
	struct fab_frame *f = list_first_entry_or_null(&fab->wire, struct fab_frame, entry);
	struct fab_qp *qp, *next = NULL;
	u64 when = f ? f->due : U64_MAX;

	list_for_each_entry(qp, &fab->qps, entry) {
		if (qp->timer && qp->timer < when) {
			when = qp->timer;
			next = qp;
		}
	}
	if (when > end)
		return false;
	fab->now = max(fab->now, when);
	if (next) {
		next->timer = 0;
		srxe_hs_run(&next->hs);
		return true;
	}
	list_del(&f->entry);
	if (f->sealed)
		receive_sealed(fab, f);
	else
		receive_bare(fab, f);
	kfree(f);
	return true;
}

void fab_run(struct fabric *fab, u64 ms)
{
	u64 end = fab->now + ms * FAB_MS;
	unsigned int steps = 0;

	while (step(fab, end)) {
		if (++steps > 100000) {
			KUNIT_FAIL(fab->test, "the network does not come to rest");
			break;
		}
	}
	fab->now = end;
}

/* What the machine asks for */

static u64 op_now(struct srxe_hs *hs)
{
	return qp_of(hs)->host->fab->now;
}

static void op_set_timer(struct srxe_hs *hs, u64 when)
{
	qp_of(hs)->timer = when;
}

static void op_send(struct srxe_hs *hs, const struct in6_addr *local,
		    const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	struct fab_frame f = { .src = *local, .dst = *remote, .msg = *msg };
	struct fabric *fab = qp_of(hs)->host->fab;
	unsigned int n = msg->bth.opcode - SRXE_OP_INIT;

	KUNIT_EXPECT_EQ(fab->test, srxe_hs_check(msg, sizeof(*msg)), SRXE_HS_OK);
	qp_of(hs)->sent[n]++;
	fab->seen[n] = f;
	fab_put(fab, &f);
}

static bool for_peer(const struct fab_key *key, const struct in6_addr *peer)
{
	return key->any || ipv6_addr_equal(&key->peer, peer);
}

static int op_keys(struct srxe_hs *hs, const struct in6_addr *peer,
		   struct srxe_ring_key **keys, unsigned int max)
{
	struct fab_host *host = qp_of(hs)->host;
	bool dead = false;
	int n = 0;
	int i;

	/* the youngest first */
	for (i = host->nkeys - 1; i >= 0; i--) {
		if (!for_peer(host->keys[i], peer))
			continue;
		if (!host->keys[i]->live) {
			dead = true;
		} else if (n < max) {
			host->keys[i]->refs++;
			keys[n++] = &host->keys[i]->rk;
		}
	}
	return n ?: dead ? -EKEYREVOKED : 0;
}

static struct srxe_ring_key *op_key_by_id(struct srxe_hs *hs, const struct in6_addr *peer,
					  const u8 key_id[SRXE_KEY_ID_LEN])
{
	struct fab_host *host = qp_of(hs)->host;
	unsigned int i;

	for (i = 0; i < host->nkeys; i++) {
		if (for_peer(host->keys[i], peer) &&
		    !memcmp(host->keys[i]->secrets.key_id, key_id, SRXE_KEY_ID_LEN)) {
			host->keys[i]->refs++;
			return &host->keys[i]->rk;
		}
	}
	return NULL;
}

static void op_key_put(struct srxe_ring_key *rk)
{
	key_of(rk)->refs--;
}

static bool op_key_live(const struct srxe_ring_key *rk)
{
	return key_of(rk)->live;
}

static const struct srxe_psk_keys *op_secrets(const struct srxe_ring_key *rk)
{
	return &key_of(rk)->secrets;
}

static void op_policy(struct srxe_hs *hs, struct srxe_hs_policy *policy)
{
	*policy = qp_of(hs)->host->policy;
}

static struct srxe_sa *op_sa_new(struct srxe_hs *hs, const struct srxe_sa_ends *ends,
				 struct srxe_ring_key *key)
{
	struct fab_qp *qp = qp_of(hs);
	struct fab_sa *s;

	if (qp->no_sa)
		return NULL;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return NULL;
	s->qp = qp;
	s->sa.ends = *ends;
	s->sa.key = key;
	s->sa.spi = ++qp->host->fab->spi;
	key_of(key)->refs++;
	list_add_tail(&s->entry, &qp->host->fab->sas);
	return &s->sa;
}

static int op_sa_key(struct srxe_hs *hs, struct srxe_sa *sa, struct srxe_sa_params *p,
		     enum srxe_sa_state state)
{
	struct fab_qp *qp = qp_of(hs);
	int err = qp->sa_key_err;

	KUNIT_EXPECT_EQ(qp->host->fab->test, sa->state, SRXE_SA_EMBRYO);
	qp->sa_key_err = 0;
	if (err)
		return err;
	sa->p = *p;
	sa->state = qp->sa_dies ? SRXE_SA_DEAD : state;
	return 0;
}

static void op_sa_end(struct srxe_hs *hs, struct srxe_sa *sa)
{
	struct fab_qp *qp = qp_of(hs);

	if (qp->tx == sa)
		qp->tx = NULL;
	key_of(sa->key)->refs--;
	list_del(&fsa(sa)->entry);
	kfree_sensitive(fsa(sa));
}

static void op_sa_linger(struct srxe_hs *hs, struct srxe_sa *sa)
{
	struct srxe_sa *doomed = qp_of(hs)->doomed;

	sa->state = SRXE_SA_LINGER;
	fsa(sa)->lingers = true;
	if (doomed)
		doomed->state = SRXE_SA_DEAD;
}

static bool op_sa_heard(const struct srxe_sa *sa)
{
	return fsa(sa)->heard;
}

static void op_probe(struct srxe_hs *hs, struct srxe_sa *sa)
{
	qp_of(hs)->probes++;
	send_sealed(qp_of(hs), sa, SRXE_CTRL_PROBE);
}

static void op_use(struct srxe_hs *hs, struct srxe_sa *sa)
{
	if (sa->state == SRXE_SA_DEAD)
		return;
	KUNIT_EXPECT_EQ(qp_of(hs)->host->fab->test, sa->state, SRXE_SA_STANDING);
	qp_of(hs)->tx = sa;
}

static void op_lost(struct srxe_hs *hs, enum srxe_vendor_err verr)
{
	struct fab_qp *qp = qp_of(hs);

	qp->tx = NULL;
	qp->verr = verr;
	qp->lost++;
}

static void op_failed(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id)
{
	struct fab_qp *qp = qp_of(hs);

	qp->verr = verr;
	qp->failures++;
	memset(qp->failed_key, 0, sizeof(qp->failed_key));
	if (key_id)
		memcpy(qp->failed_key, key_id, sizeof(qp->failed_key));
}

static void op_peer_reset(struct srxe_hs *hs, struct srxe_sa *sa)
{
	qp_of(hs)->resets++;
}

static void op_count(struct srxe_hs *hs, enum srxe_hs_count what)
{
	qp_of(hs)->count[what]++;
}

static const struct srxe_hs_ops fab_ops = {
	.now		= op_now,
	.set_timer	= op_set_timer,
	.send		= op_send,
	.keys		= op_keys,
	.key_by_id	= op_key_by_id,
	.key_put	= op_key_put,
	.key_live	= op_key_live,
	.secrets	= op_secrets,
	.policy		= op_policy,
	.sa_new		= op_sa_new,
	.sa_key		= op_sa_key,
	.sa_end		= op_sa_end,
	.sa_linger	= op_sa_linger,
	.sa_heard	= op_sa_heard,
	.probe		= op_probe,
	.use		= op_use,
	.lost		= op_lost,
	.failed		= op_failed,
	.peer_reset	= op_peer_reset,
	.count		= op_count,
};

/* As if its key, its address or its link had gone. */
void fab_end_sa(struct srxe_sa *sa)
{
	struct fab_qp *qp = fsa(sa)->qp;

	sa->state = SRXE_SA_DEAD;
	if (qp->tx == sa)
		qp->tx = NULL;
	srxe_hs_run(&qp->hs);
}

/* Making and ending it */

/* Whatever a test did: nothing may be left when all queue pairs are gone. */
void fab_exit(struct kunit *test)
{
	struct fabric *fab = test->priv;
	struct fab_frame *f, *tmp;
	struct fab_qp *qp;
	unsigned int i;

	if (!fab)
		return;
	list_for_each_entry(qp, &fab->qps, entry)
		srxe_hs_reset(&qp->hs, 0);
	KUNIT_EXPECT_TRUE(fab->test, list_empty(&fab->sas));
	list_for_each_entry(qp, &fab->qps, entry) {
		for (i = 0; i < qp->host->nkeys; i++)
			KUNIT_EXPECT_EQ(fab->test, qp->host->keys[i]->refs, 0);
		for (i = 0; i < SRXE_HS_ROLES; i++)
			KUNIT_EXPECT_EQ(fab->test, qp->host->limit.out[i], 0);
		KUNIT_EXPECT_EQ(fab->test, qp->timer, 0);
	}
	list_splice_init(&fab->held, &fab->wire);
	list_for_each_entry_safe(f, tmp, &fab->wire, entry)
		kfree(f);
}

struct fabric *fab_new(struct kunit *test)
{
	struct fabric *fab = kunit_kzalloc(test, sizeof(*fab), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fab);
	fab->test = test;
	/* a machine that has been up for a while, in the middle of a period */
	fab->now = 10010ULL * NSEC_PER_SEC;
	fab->spi = 0x10000;
	INIT_LIST_HEAD(&fab->wire);
	INIT_LIST_HEAD(&fab->held);
	INIT_LIST_HEAD(&fab->qps);
	INIT_LIST_HEAD(&fab->sas);
	test->priv = fab;
	return fab;
}

static void destroy_limit(void *limit)
{
	srxe_hs_limit_destroy(limit);
}

struct fab_host *fab_host_new(struct fabric *fab, u8 last_byte)
{
	struct fab_host *host = kunit_kzalloc(fab->test, sizeof(*host), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(fab->test, host);
	host->fab = fab;
	ipv6_addr_set_v4mapped(htonl(0x0a000000 | last_byte), &host->addr);
	srxe_hs_limit_init(&host->limit, fab->now);
	KUNIT_ASSERT_EQ(fab->test, 0,
			kunit_add_action_or_reset(fab->test, destroy_limit, &host->limit));
	host->policy.min_mode = SRXE_MODE_ENCRYPT;
	host->policy.max_mode = SRXE_MODE_ENCRYPT;
	host->policy.suites = BIT(SRXE_SUITE_AES256_GCM);
	return host;
}

/* @peer: NULL for a key that is for everybody */
struct fab_key *fab_key_add(struct fab_host *host, u8 seed, const struct fab_host *peer)
{
	struct kunit *test = host->fab->test;
	struct fab_key *key = kunit_kzalloc(test, sizeof(*key), GFP_KERNEL);
	u8 psk[SRXE_PSK_LEN];

	KUNIT_ASSERT_NOT_NULL(test, key);
	KUNIT_ASSERT_LT(test, host->nkeys, FAB_MAX_KEYS);
	memset(psk, seed, sizeof(psk));
	KUNIT_ASSERT_EQ(test, 0, srxe_psk_derive(psk, &key->secrets));
	key->live = true;
	key->any = !peer;
	if (peer)
		key->peer = peer->addr;
	host->keys[host->nkeys++] = key;
	return key;
}

static struct fab_qp *machine_new(struct fab_host *host, u8 kind, u32 qpn, u64 id)
{
	struct fab_qp *qp = kunit_kzalloc(host->fab->test, sizeof(*qp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(host->fab->test, qp);
	qp->host = host;
	srxe_hs_setup(&qp->hs, &fab_ops, &host->limit, 1, kind, qpn, id);
	list_add_tail(&qp->entry, &host->fab->qps);
	return qp;
}

struct fab_qp *fab_qp_new(struct fab_host *host, u32 qpn)
{
	return machine_new(host, SRXE_KIND_RC, qpn, ++host->fab->conn_id);
}

/**
 * fab_dgram_new() - a datagram peer instead of a queue pair, one for each host
 * @host: where
 * @kind: SRXE_KIND_UD or SRXE_KIND_GSI
 *
 * Context: process; a test.
 * Return: the peer; it lives as long as the test.
 */
struct fab_qp *fab_dgram_new(struct fab_host *host, u8 kind)
{
	return machine_new(host, kind, 0, 0);
}

/**
 * fab_reset() - to RESET, from where it comes back as another incarnation
 * @qp: queue pair
 *
 * Context: process; a test.
 */
void fab_reset(struct fab_qp *qp)
{
	srxe_hs_reset(&qp->hs, ++qp->host->fab->conn_id);
}

void fab_rtr(struct fab_qp *qp, const struct fab_qp *peer)
{
	srxe_hs_bind(&qp->hs, &qp->host->addr, &peer->host->addr, peer->hs.ends.lqpn);
}

void fab_rts(struct fab_qp *qp)
{
	srxe_hs_start(&qp->hs, 0);
}

/**
 * fab_begin() - both are ready to receive, and one begins
 * @a: the one that goes to RTS
 * @b: its peer
 *
 * Context: process; a test.
 */
void fab_begin(struct fab_qp *a, struct fab_qp *b)
{
	fab_rtr(a, b);
	fab_rtr(b, a);
	fab_rts(a);
}

/* As programs do it that exchange their numbers first. */
void fab_connect(struct fab_qp *a, struct fab_qp *b)
{
	fab_begin(a, b);
	fab_rts(b);
}
