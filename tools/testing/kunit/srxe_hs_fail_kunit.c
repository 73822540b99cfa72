// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake of a connection: its bounds, and what is said when it fails.
 */
#include "srxe_hs_net.h"

/* It turned out which key the peer has: the others' turn does not come again. */
static void key_stays(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	/* an older one that b does not have */
	p->ha->nkeys = 0;
	fab_key_add(p->ha, 0x22, p->hb);
	fab_key_add(p->ha, 0x11, p->hb);
	p->fab->fate = fab_drop_resp;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 3000);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_EMBRYO), 1);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_NO_KEY], 0);
	p->fab->fate = NULL;
	fab_come_up(p->a, p->b, 4000);
}

/* Four pending SAs, and none is driven out before the peer could ask again. */
static void four_pending(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	unsigned int i;

	p->fab->fate = fab_drop_resp;
	fab_rtr(p->b, p->a);
	for (i = 0; i < SRXE_MAX_PENDING; i++) {
		fab_reset(p->a);
		fab_rtr(p->a, p->b);
		fab_rts(p->a);
		fab_run(p->fab, 10);
	}
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), SRXE_MAX_PENDING);
	fab_reset(p->a);
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), SRXE_MAX_PENDING);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_REFUSE], 1);
	/* busy is no verdict: a goes on asking */
	KUNIT_EXPECT_NOT_NULL(test, p->a->hs.attempt);
	KUNIT_EXPECT_TRUE(test, p->a->hs.attempt->busy);

	p->fab->fate = NULL;
	fab_come_up(p->a, p->b, 4500);
}

/* All that @host may have under way with @peer it has: queue pairs of another domain. */
static void fill_up(struct fab_host *host, enum srxe_hs_role role, const struct fab_host *peer)
{
	unsigned int i;

	for (i = 0; i < SRXE_MAX_HS_PEER; i++)
		KUNIT_ASSERT_TRUE(host->fab->test,
				  srxe_hs_limit_enter(&host->limit, role, &peer->addr, 9, NULL));
}

static void empty(struct fab_host *host, enum srxe_hs_role role, const struct fab_host *peer)
{
	unsigned int i;

	for (i = 0; i < SRXE_MAX_HS_PEER; i++)
		srxe_hs_limit_leave(&host->limit, role, &peer->addr, 9, NULL);
}

/* Busy to the end is what is said in the end. */
static void busy(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fill_up(p->hb, SRXE_HS_RESPONDER, p->ha);
	fab_begin(p->a, p->b);
	fab_run(p->fab, 9000);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_REFUSED_BUSY);
	KUNIT_EXPECT_EQ(test, p->a->failures, 1);
	empty(p->hb, SRXE_HS_RESPONDER, p->ha);
	fab_rts(p->a);
	fab_come_up(p->a, p->b, 5000);
}

/* The bucket is empty: silence, and the next try comes through. */
static void out_of_tokens(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);

	fab_pair_reset(p);
	while (srxe_hs_limit_charge(&p->hb->limit, p->fab->now + FAB_LATENCY, &p->ha->addr))
		;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 3);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_LIMIT], 1);
	KUNIT_EXPECT_EQ(test, p->hb->limit.out[SRXE_HS_RESPONDER], 0);
	fab_come_up(p->a, p->b, 5000);
}

/* Our own link has no room: the attempt waits its turn, and not without end. */
static void queued(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fill_up(p->ha, SRXE_HS_INITIATOR, p->hb);
	fab_begin(p->a, p->b);
	fab_run(p->fab, 20000);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	srxe_hs_limit_leave(&p->ha->limit, SRXE_HS_INITIATOR, &p->hb->addr, 9, NULL);
	fab_run(p->fab, 3000);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);

	fab_pair_reset(p);
	KUNIT_ASSERT_TRUE(test, srxe_hs_limit_enter(&p->ha->limit, SRXE_HS_INITIATOR,
						    &p->hb->addr, 9, NULL));
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 63000);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_ANSWER);
	empty(p->ha, SRXE_HS_INITIATOR, p->hb);
}

#define LONG_MS	100000ULL

/* A queue pair of @host's, in another domain, that waits for ever for one that is not there. */
static void wait_in_vain(struct fab_qp *qp, const struct fab_qp *peer)
{
	fab_rtr(qp, peer);
	srxe_hs_start(&qp->hs, LONG_MS * FAB_MS);
}

static struct fab_qp *last_place(struct fab_pair *p, const struct fab_qp *peer)
{
	struct fab_qp *qp = fab_qp_new(p->ha, 40);

	qp->hs.pd = 5;
	fill_up(p->ha, SRXE_HS_INITIATOR, p->hb);
	srxe_hs_limit_leave(&p->ha->limit, SRXE_HS_INITIATOR, &p->hb->addr, 9, NULL);
	wait_in_vain(qp, peer);
	KUNIT_EXPECT_NOT_NULL(p->fab->test, qp->hs.attempt);
	return qp;
}

static void all_but_one_leave(struct fab_pair *p)
{
	KUNIT_EXPECT_TRUE(p->fab->test,
			  srxe_hs_limit_enter(&p->ha->limit, SRXE_HS_INITIATOR, &p->hb->addr,
					      9, NULL));
	empty(p->ha, SRXE_HS_INITIATOR, p->hb);
}

/* Patience that keeps others waiting has its turns. */
static void in_turns(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *d = fab_qp_new(p->hb, 41), *c = last_place(p, d);

	fab_begin(p->a, p->b);
	fab_run(p->fab, 7900);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);
	fab_run(p->fab, 2200);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	fab_run(p->fab, 2000);
	KUNIT_EXPECT_NOT_NULL(test, c->hs.attempt);
	/* its time comes, and what is said then is what its attempts met with */
	fab_run(p->fab, LONG_MS - 12100);
	KUNIT_EXPECT_EQ(test, c->failures, 1);
	KUNIT_EXPECT_EQ(test, c->verr, SRXE_VERR_NO_ANSWER);
	KUNIT_EXPECT_MEMEQ(test, c->failed_key, p->ha->keys[0]->secrets.key_id,
			   SRXE_KEY_ID_LEN);
	all_but_one_leave(p);
}

/* Whoever gives his place back and begins anew does not get it before the others. */
static void no_overtaking(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *d = fab_qp_new(p->hb, 41), *c = last_place(p, d);
	unsigned int i;

	fab_begin(p->a, p->b);
	for (i = 0; i < 30; i++) {
		fab_reset(c);
		wait_in_vain(c, d);
		fab_run(p->fab, 100);
	}
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_NOT_NULL(test, c->hs.attempt);
	fab_reset(c);
	all_but_one_leave(p);
}

/* A4: one user's queue pairs wait for nobody; another's is served at once. */
static void shared_out(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *qp[SRXE_MAX_HS_PEER], *nobody = fab_qp_new(p->hb, 99);
	unsigned int i, out;

	nobody->hs.ends.lqpn = 98;
	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		qp[i] = fab_qp_new(p->ha, 100 + i);
		qp[i]->hs.pd = 2 + i % 2;
		qp[i]->hs.user.uid = KUIDT_INIT(1000);
		qp[i]->hs.user.bound = true;
		wait_in_vain(qp[i], nobody);
	}
	fab_run(p->fab, 100);
	out = p->ha->limit.out[SRXE_HS_INITIATOR];
	KUNIT_EXPECT_EQ(test, out, srxe_user_room(SRXE_MAX_HS_PEER, 0, 0));
	p->a->hs.user.uid = KUIDT_INIT(1001);
	p->a->hs.user.bound = true;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, p->ha->limit.out[SRXE_HS_INITIATOR], out);
	/* places come back, to the user's others and in the end to all */
	fab_run(p->fab, 3 * (SRXE_HS_TURN_MS + SRXE_RETRY_MAX_MS));
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		KUNIT_EXPECT_GT(test, fab_sent(qp[i], SRXE_OP_INIT), 0);
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		fab_reset(qp[i]);
	KUNIT_EXPECT_EQ(test, p->ha->limit.out[SRXE_HS_INITIATOR], 0);
}

/*
 * All that the connection manager may have under way are calls to who is silent; another
 * of its own does not wait for long. In any other domain it would.
 */
static void short_turns(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *qp[SRXE_MAX_HS_PEER], *nobody = fab_qp_new(p->hb, 99);
	unsigned int i, sent[ARRAY_SIZE(qp)];
	struct in6_addr other = { .s6_addr32[3] = htonl(1) };

	nobody->hs.ends.lqpn = 98;
	for (i = 0; i < SRXE_HS_MAX_CM - ARRAY_SIZE(qp); i++) {
		other.s6_addr32[0] = htonl(i / SRXE_MAX_HS_PEER + 1);
		KUNIT_ASSERT_TRUE(test, srxe_hs_limit_enter(&p->ha->limit, SRXE_HS_INITIATOR,
							    &other, SRXE_HS_PD_CM, NULL));
	}
	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		qp[i] = fab_qp_new(p->ha, 100 + i);
		qp[i]->hs.pd = SRXE_HS_PD_CM;
		wait_in_vain(qp[i], nobody);
	}
	fab_run(p->fab, 2 * SRXE_HS_SHORT_TURN_MS);
	/* as long as nobody waits, they go on */
	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		sent[i] = fab_sent(qp[i], SRXE_OP_INIT);
		KUNIT_EXPECT_LE(test, sent[i], 8);
	}
	KUNIT_EXPECT_EQ(test, p->ha->limit.out[SRXE_HS_INITIATOR], SRXE_HS_MAX_CM);
	p->a->hs.pd = SRXE_HS_PD_CM;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_NULL(test, p->a->tx);
	/* one turn ends when it would send again; who waits looks as often as that */
	fab_run(p->fab, 2 * SRXE_RETRY_MAX_MS);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	fab_run(p->fab, 3 * (SRXE_HS_TURN_MS + SRXE_RETRY_MAX_MS));
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		KUNIT_EXPECT_GT(test, fab_sent(qp[i], SRXE_OP_INIT), sent[i]);
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		fab_reset(qp[i]);
	for (i = 0; i < SRXE_HS_MAX_CM - ARRAY_SIZE(qp); i++) {
		other.s6_addr32[0] = htonl(i / SRXE_MAX_HS_PEER + 1);
		srxe_hs_limit_leave(&p->ha->limit, SRXE_HS_INITIATOR, &other, SRXE_HS_PD_CM, NULL);
	}
	KUNIT_EXPECT_EQ(test, p->ha->limit.out[SRXE_HS_INITIATOR], 0);
}

/* A4: an answer that nobody confirms makes room, however patient we are. */
static void answers_make_room(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->fab->fate = fab_drop_sealed;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 100);
	srxe_hs_start(&p->b->hs, LONG_MS * FAB_MS);
	fab_run(p->fab, 7800);
	KUNIT_EXPECT_EQ(test, p->hb->limit.out[SRXE_HS_RESPONDER], 1);
	fab_run(p->fab, 200);
	KUNIT_EXPECT_EQ(test, p->hb->limit.out[SRXE_HS_RESPONDER], 0);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 0);
}

static void no_key(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->ha->nkeys = 0;
	fab_begin(p->a, p->b);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_KEY);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_FAILED], 1);
	fab_expect_quiet(p->a);

	/* one is added, and somebody wants to send */
	p->ha->nkeys = 1;
	fab_rts(p->a);
	fab_come_up(p->a, p->b, 5000);
}

/* Silence for who does not know the key; when it ends, and what is said then. */
static void unknown_key(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->hb->nkeys = 0;
	fab_key_add(p->hb, 0x99, p->ha);
	fab_begin(p->a, p->b);
	fab_run(p->fab, 7999);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	/* at 0, 20, 60, 140, 300, 620, 1260, 2540, 4540, 6540 ms */
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 10);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_NO_KEY], 10);
	fab_run(p->fab, 2);
	KUNIT_EXPECT_EQ(test, p->a->failures, 1);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_ANSWER);
	KUNIT_EXPECT_MEMEQ(test, p->a->failed_key, p->ha->keys[0]->secrets.key_id,
			   SRXE_KEY_ID_LEN);
	fab_expect_quiet(p->a);
	fab_expect_quiet(p->b);
}

/* Patience is the queue pair's own, if that is longer. */
static void patience(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->hb->nkeys = 0;
	fab_rtr(p->a, p->b);
	fab_rtr(p->b, p->a);
	srxe_hs_start(&p->a->hs, 20000 * FAB_MS);
	fab_run(p->fab, 19999);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	fab_run(p->fab, 2);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_ANSWER);
}

static void refused(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->hb->policy.suites = BIT(SRXE_SUITE_AEGIS128);
	fab_begin(p->a, p->b);
	/* INIT, RETRY, INIT, REFUSE: only what is fresh is refused */
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_REFUSED_SUITE);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RETRY), 1);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_REFUSE), 1);
	KUNIT_EXPECT_MEMEQ(test, p->a->failed_key, p->ha->keys[0]->secrets.key_id,
			   SRXE_KEY_ID_LEN);

	p->hb->policy.suites = BIT(SRXE_SUITE_AES256_GCM);
	p->ha->policy.min_mode = SRXE_MODE_CONCEAL;
	p->ha->policy.max_mode = SRXE_MODE_CONCEAL;
	fab_rts(p->a);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_REFUSED_MODE);
	KUNIT_EXPECT_EQ(test, p->hb->limit.out[SRXE_HS_RESPONDER], 0);
	fab_expect_quiet(p->a);
	fab_expect_quiet(p->b);
}

/* The peer wants more than we can do. */
static void mode_too_strong(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->hb->policy.min_mode = SRXE_MODE_CONCEAL;
	p->hb->policy.max_mode = SRXE_MODE_CONCEAL;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_UNSUPPORTED);
	KUNIT_EXPECT_NULL(test, p->a->tx);
}

/* No memory, no SPI, no transform: nothing is left behind, and it is said. */
static void no_resources(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_rtr(p->a, p->b);
	fab_rtr(p->b, p->a);
	p->a->no_sa = true;
	fab_rts(p->a);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);
	p->a->no_sa = false;
	p->b->no_sa = true;
	fab_run(p->fab, 100);
	KUNIT_EXPECT_GT(test, p->b->count[SRXE_HS_COUNT_LIMIT], 0);
	KUNIT_EXPECT_EQ(test, p->hb->limit.out[SRXE_HS_RESPONDER], 0);
	p->b->no_sa = false;
	p->b->sa_key_err = -ENOMEM;
	fab_come_up(p->a, p->b, 3000);

	fab_pair_reset(p);
	p->a->sa_key_err = -ENOENT;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_UNSUPPORTED);
	fab_run(p->fab, 20000);
	fab_expect_quiet(p->a);
	fab_expect_quiet(p->b);
}

static void key_revoked(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	/* before: there is one, and it denies */
	p->ha->keys[0]->live = false;
	fab_begin(p->a, p->b);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_KEY_REVOKED);
	p->ha->keys[0]->live = true;

	/* while the RESP is on its way */
	p->a->verr = 0;
	fab_rts(p->a);
	fab_run(p->fab, 3);
	p->ha->keys[0]->live = false;
	fab_run(p->fab, 2);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_NO_KEY], 1);
	KUNIT_EXPECT_NULL(test, p->a->tx);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_KEY_REVOKED);
	KUNIT_EXPECT_MEMEQ(test, p->a->failed_key, p->ha->keys[0]->secrets.key_id,
			   SRXE_KEY_ID_LEN);
	fab_expect_quiet(p->a);
	/* b's answer is never confirmed and goes */
	fab_run(p->fab, 9000);
	fab_expect_quiet(p->b);
}

/* The first alternative dies: the attempt goes on with the second. */
static void alternative_revoked(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_key_add(p->ha, 0x22, p->hb);
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	p->ha->keys[1]->live = false;
	fab_end_sa(p->a->hs.attempt->tries[0]->sa);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_DEAD), 0);
	fab_come_up(p->a, p->b, 100);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
}

/* An SA that stands is ended from outside: this incarnation gets no other. */
static void ended(struct kunit *test)
{
	struct fab_pair *p = fab_pair_up(test);

	fab_end_sa(p->a->tx);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_DEAD), 0);
	KUNIT_EXPECT_NULL(test, p->a->hs.sa);
	KUNIT_EXPECT_EQ(test, p->a->lost, 1);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_SA_LOST);
	fab_rts(p->a);
	fab_replay(p->fab, SRXE_OP_INIT);
	fab_run(p->fab, 9000);
	KUNIT_EXPECT_NULL(test, p->a->hs.attempt);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_PENDING), 0);
	fab_expect_quiet(p->a);
}

/* It is ended when it has got its keys, and is not in use yet. */
static void ended_unused(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->a->sa_dies = true;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_EQ(test, p->a->lost, 1);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_SA_LOST);
	KUNIT_EXPECT_NULL(test, p->a->hs.sa);
	fab_rts(p->a);
	fab_run(p->fab, 9000);
	KUNIT_EXPECT_NULL(test, p->a->hs.attempt);
	fab_expect_quiet(p->a);
}

/* Nobody confirms: the initiator gives up at its time, the responder at its own. */
static void never_confirmed(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->fab->fate = fab_drop_sealed;
	fab_begin(p->a, p->b);
	fab_run(p->fab, 7900);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 1);
	KUNIT_EXPECT_EQ(test, p->a->probes, 10);
	fab_run(p->fab, 200);
	KUNIT_EXPECT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_PEER_RESET);
	fab_expect_quiet(p->a);
	fab_expect_quiet(p->b);
	fab_rts(p->a);
	KUNIT_EXPECT_NULL(test, p->a->hs.attempt);
}

/* What failed while an answer was pending is told when that is gone as well. */
static void late_verdict(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->fab->fate = fab_drop_sealed;
	fab_begin(p->b, p->a);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_PENDING), 1);
	/* a's turn comes while b's is not confirmed; b does not listen any more */
	fab_rts(p->a);
	fab_run(p->fab, 2000);
	KUNIT_EXPECT_NOT_NULL(test, p->a->hs.attempt);
	/* its only key is taken away, and its attempt ends */
	p->ha->keys[0]->live = false;
	fab_run(p->fab, 2100);
	KUNIT_EXPECT_NULL(test, p->a->hs.attempt);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	fab_run(p->fab, 5000);
	KUNIT_EXPECT_EQ(test, p->a->failures, 1);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_KEY_REVOKED);
	KUNIT_EXPECT_MEMEQ(test, p->a->failed_key, p->ha->keys[0]->secrets.key_id,
			   SRXE_KEY_ID_LEN);
	fab_expect_quiet(p->a);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(four_pending),
	KUNIT_CASE(busy),
	KUNIT_CASE(out_of_tokens),
	KUNIT_CASE(queued),
	KUNIT_CASE(in_turns),
	KUNIT_CASE(no_overtaking),
	KUNIT_CASE(shared_out),
	KUNIT_CASE(short_turns),
	KUNIT_CASE(answers_make_room),
	KUNIT_CASE(key_stays),
	KUNIT_CASE(no_key),
	KUNIT_CASE(unknown_key),
	KUNIT_CASE(patience),
	KUNIT_CASE(refused),
	KUNIT_CASE(mode_too_strong),
	KUNIT_CASE(no_resources),
	KUNIT_CASE(key_revoked),
	KUNIT_CASE(alternative_revoked),
	KUNIT_CASE(ended),
	KUNIT_CASE(ended_unused),
	KUNIT_CASE(never_confirmed),
	KUNIT_CASE(late_verdict),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs_fail",
	.exit		= fab_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
