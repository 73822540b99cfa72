// SPDX-License-Identifier: GPL-2.0
/*
 * Handshake of a connection: how it goes between friends, on a bad line.
 */
#include "srxe_hs_net.h"

/* The first contact of two hosts takes a RETRY, the next one does not. */
static void challenge_is_kept(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *c, *d;
	u64 began = p->fab->now;

	fab_begin(p->a, p->b);
	while (!p->b->tx && p->fab->now < began + 100 * FAB_MS)
		fab_run(p->fab, 1);
	/* INIT, RETRY, INIT, RESP, CONFIRM */
	KUNIT_EXPECT_EQ(test, p->fab->now - began, 5 * FAB_LATENCY);
	fab_come_up(p->a, p->b, 5000);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 2);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RETRY), 1);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 1);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_RETRY], 1);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_DONE], 1);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_DONE], 1);
	KUNIT_EXPECT_EQ(test, p->a->probes, 1);

	c = fab_qp_new(p->ha, 19);
	d = fab_qp_new(p->hb, 20);
	fab_rtr(c, d);
	fab_rtr(d, c);
	began = p->fab->now;
	fab_rts(c);
	while (!d->tx && p->fab->now < began + 100 * FAB_MS)
		fab_run(p->fab, 1);
	KUNIT_EXPECT_EQ(test, p->fab->now - began, 3 * FAB_LATENCY);
	fab_come_up(c, d, 5000);
	KUNIT_EXPECT_EQ(test, fab_sent(c, SRXE_OP_INIT), 1);
	KUNIT_EXPECT_EQ(test, fab_sent(d, SRXE_OP_RETRY), 0);
}

/* Either side may be the one that begins. */
static void either_begins(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_begin(p->b, p->a);
	fab_come_up(p->a, p->b, 5000);
	KUNIT_EXPECT_TRUE(test, p->b->tx->p.initiator);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);

	/* what is up stays so */
	fab_rts(p->a);
	fab_come_up(p->a, p->b, 20000);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);
}

/* H5: whatever is lost of one kind, it is one SA in the end. */
static void lost(struct kunit *test)
{
	static const u8 opcodes[] = { SRXE_OP_INIT, SRXE_OP_RESP, SRXE_OP_RETRY, 0 };
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		for (n = 1; n <= 5; n++) {
			struct fab_loss l = { .opcode = opcodes[i], .n = n };
			struct fab_pair *p = fab_pair_new(test);

			p->fab->fate = fab_lose;
			p->fab->fate_arg = &l;
			fab_begin(p->a, p->b);
			fab_run(p->fab, 7900);
			KUNIT_EXPECT_EQ(test, l.n, 0);
			fab_expect_up(p->a, p->b);
			KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_DONE], 1);
			KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_DONE], 1);
			KUNIT_EXPECT_EQ(test, p->a->failures + p->b->failures, 0);
			fab_exit(test);
		}
	}
	test->priv = NULL;
}

struct every {
	unsigned int	digits;	/* fate of each packet to come, base 3 */
	unsigned int	n;
};

static enum fab_fate by_digits(struct fabric *fab, struct fab_frame *f)
{
	struct every *e = fab->fate_arg;
	unsigned int digit;

	if (!e->n)
		return FAB_PASS;
	e->n--;
	digit = e->digits % 3;
	e->digits /= 3;
	if (digit == 2)
		f->due += 31 * FAB_MS;
	return digit == 1 ? FAB_DROP : FAB_PASS;
}

/* Both begin at once; each of the first packets arrives, is lost, or is late. */
static void both_begin(struct kunit *test)
{
	const unsigned int n = 5, all = 3 * 3 * 3 * 3 * 3;
	unsigned int i;

	for (i = 0; i < all; i++) {
		struct every e = { .digits = i, .n = n };
		struct fab_pair *p = fab_pair_new(test);

		p->fab->fate = by_digits;
		p->fab->fate_arg = &e;
		fab_connect(p->a, p->b);
		fab_come_up(p->a, p->b, 9000);
		KUNIT_EXPECT_EQ_MSG(test, p->a->failures + p->b->failures, 0, "case %u", i);
		fab_exit(test);
	}
	test->priv = NULL;
}

/* The preferred initiator's INIT is lost: the other's brings it out again at once. */
static void winner_lost(struct kunit *test)
{
	struct fab_loss l = { .opcode = SRXE_OP_INIT, .n = 1 };
	struct fab_pair *p = fab_pair_new(test);

	p->fab->fate = fab_lose;
	p->fab->fate_arg = &l;
	fab_begin(p->a, p->b);
	/* the next at 20 ms is lost as well, and one more would come at 60; b begins at 25 */
	l.n = 1;
	fab_run(p->fab, 25);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 2);
	fab_rts(p->b);
	fab_run(p->fab, 2);
	/* not yet: an INIT of a's went out 5 ms ago */
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 2);
	fab_run(p->fab, 20);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 3);
	KUNIT_EXPECT_EQ(test, p->a->hs.attempt->silent, 2);
	fab_come_up(p->a, p->b, 5000);
	KUNIT_EXPECT_TRUE(test, p->a->tx->p.initiator);
}

static enum fab_fate hold_resp_of_a(struct fabric *fab, struct fab_frame *f)
{
	struct fab_pair *p = fab->fate_arg;

	return fab_is(f, SRXE_OP_RESP, p->ha) ? FAB_HOLD : FAB_PASS;
}

/*
 * Both sides' handshakes come through: a answered b's INIT, waited in vain and
 * made an attempt of its own. What they sent under their SAs is held.
 */
static struct fab_pair *both_stand(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->fab->fate = hold_resp_of_a;
	p->fab->fate_arg = p;
	fab_begin(p->b, p->a);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_PENDING), 1);
	fab_rts(p->a);
	fab_run(p->fab, 900);
	/* who has answered begins nothing, for a while */
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);

	p->fab->fate = fab_hold_sealed;
	fab_run(p->fab, 99);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT), 0);
	fab_run(p->fab, 3);
	KUNIT_EXPECT_GT(test, fab_sent(p->a, SRXE_OP_INIT), 0);
	fab_release(p->fab);
	fab_run(p->fab, 30);
	KUNIT_ASSERT_NOT_NULL(test, p->a->tx);
	KUNIT_ASSERT_NOT_NULL(test, p->b->tx);
	KUNIT_EXPECT_TRUE(test, p->a->tx->p.initiator);
	KUNIT_EXPECT_TRUE(test, p->b->tx->p.initiator);
	p->fab->fate = NULL;
	return p;
}

/*
 * The preferred initiator's SA is kept at both ends, the other is received on
 * for two seconds more.
 */
static void two_stand(struct kunit *test)
{
	struct fab_pair *p = both_stand(test);
	struct srxe_sa *second = p->b->tx;

	fab_data(p->b);		/* b, under its own, before it knows better */
	fab_release(p->fab);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_TRUE(test, p->a->tx->p.initiator);
	KUNIT_EXPECT_FALSE(test, p->b->tx->p.initiator);
	KUNIT_EXPECT_PTR_NE(test, p->b->tx, second);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_LINGER), 1);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_LINGER), 1);
	fab_run(p->fab, 1980);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_LINGER), 1);
	fab_come_up(p->a, p->b, 30);
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_DONE], 1);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_DONE], 1);
}

/* The one that is kept is ended just when the other has made way for it. */
static void ended_replacing(struct kunit *test)
{
	struct fab_pair *p = both_stand(test);

	p->b->doomed = list_last_entry(&p->b->hs.answers, struct srxe_hs_answer, entry)->sa;
	fab_release(p->fab);
	fab_run(p->fab, 5);
	KUNIT_EXPECT_EQ(test, p->b->lost, 1);
	KUNIT_EXPECT_NULL(test, p->b->tx);
	KUNIT_EXPECT_NULL(test, p->b->hs.sa);
	fab_run(p->fab, 2000);
	fab_expect_quiet(p->b);
}

/* The loser's answer was confirmed before the winner's attempt got anywhere. */
static void loser_first(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	p->fab->fate = fab_hold_sealed;
	fab_begin(p->b, p->a);
	fab_run(p->fab, 10);
	fab_rts(p->a);
	fab_run(p->fab, 1100);
	/* b stands and listens to no INIT; a's attempt is out */
	KUNIT_EXPECT_GT(test, fab_sent(p->a, SRXE_OP_INIT), 1);
	KUNIT_EXPECT_NOT_NULL(test, p->b->tx);
	KUNIT_EXPECT_NULL(test, p->a->tx);
	p->fab->fate = NULL;
	fab_release(p->fab);
	fab_come_up(p->a, p->b, 3000);
	KUNIT_EXPECT_TRUE(test, p->b->tx->p.initiator);
}

/* A queue pair connected to itself needs a key and nothing else. */
static void oneself(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_rtr(p->a, p->a);
	fab_rts(p->a);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_NO_KEY);
	KUNIT_EXPECT_NULL(test, p->a->tx);

	fab_key_add(p->ha, 0x22, p->ha);
	fab_rts(p->a);
	KUNIT_ASSERT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, p->a->tx->p.mode, SRXE_MODE_ENCRYPT);
	KUNIT_EXPECT_EQ(test, p->a->tx->p.peer_spi, p->a->tx->spi);
	KUNIT_EXPECT_PTR_EQ(test, p->a->tx->key, &p->ha->keys[1]->rk);
	fab_data(p->a);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_TRUE(test, p->a->hs.ops->sa_heard(p->a->tx));
	fab_expect_quiet(p->a);
	KUNIT_EXPECT_EQ(test, fab_sent(p->a, SRXE_OP_INIT) + p->a->probes, 0);
}

/* It costs an SA like any other: a domain cannot make them without end. */
static void oneself_again(struct kunit *test)
{
	struct srxe_hs_wait wait;
	struct fab_pair *p = fab_pair_new(test);
	struct srxe_hs *hs = &p->a->hs;

	srxe_hs_wait_init(&wait);
	fab_key_add(p->ha, 0x22, p->ha);
	while (srxe_hs_limit_begin(hs->limit, p->fab->now, &p->hb->addr, hs->pd, NULL, &wait))
		srxe_hs_limit_leave(hs->limit, SRXE_HS_INITIATOR, &p->hb->addr, hs->pd, NULL);
	srxe_hs_limit_forgo(hs->limit, &wait);
	fab_rtr(p->a, p->a);
	fab_rts(p->a);
	KUNIT_EXPECT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, p->ha->limit.out[SRXE_HS_INITIATOR], 0);
	fab_expect_quiet(p->a);
}

static void oneself_fails(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_key_add(p->ha, 0x22, p->ha);
	fab_rtr(p->a, p->a);
	p->a->no_sa = true;
	fab_rts(p->a);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_UNSUPPORTED);
	p->a->no_sa = false;
	p->a->sa_key_err = -ENOMEM;
	p->a->verr = 0;
	fab_rts(p->a);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_UNSUPPORTED);
	KUNIT_EXPECT_MEMEQ(test, p->a->failed_key, p->ha->keys[1]->secrets.key_id,
			   SRXE_KEY_ID_LEN);
	p->ha->policy.suites = 0;
	p->a->verr = 0;
	fab_rts(p->a);
	KUNIT_EXPECT_EQ(test, p->a->verr, SRXE_VERR_UNSUPPORTED);
	fab_expect_quiet(p->a);
}

/* Two queue pairs of one device: the same address at both ends. */
static void one_device(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *c = fab_qp_new(p->ha, 30);

	fab_key_add(p->ha, 0x33, p->ha);
	fab_connect(p->a, c);
	fab_come_up(p->a, c, 5000);
	KUNIT_EXPECT_TRUE(test, p->a->tx->p.initiator);
}

/* a begins while b is not yet in RTR. */
static void park(struct kunit *test, struct fab_pair *p)
{
	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_NOT_NULL(test, p->b->hs.parked);
}

/* An INIT for a queue pair not yet in RTR waits there; the newest counts. */
static void parking(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	struct fab_qp *a2;

	fab_rtr(p->a, p->b);
	fab_rts(p->a);
	fab_run(p->fab, 500);
	KUNIT_EXPECT_NOT_NULL(test, p->b->hs.parked);
	KUNIT_EXPECT_GT(test, p->b->count[SRXE_HS_COUNT_PARKED], 1);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 0);

	/* a was reset meanwhile and begins anew */
	fab_reset(p->a);
	park(test, p);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)&p->b->hs.parked->msg.body,
			   (u8 *)&p->fab->seen[0].msg.body, sizeof(struct srxe_hs_body));
	fab_rtr(p->b, p->a);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 1);
	fab_run(p->fab, 5);
	KUNIT_ASSERT_NOT_NULL(test, p->b->tx);
	fab_come_up(p->a, p->b, 5000);

	/* another one's, which is not the peer it gets in RTR */
	a2 = fab_qp_new(p->ha, 21);
	fab_reset(p->b);
	fab_rtr(a2, p->b);
	fab_rts(a2);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_NOT_NULL(test, p->b->hs.parked);
	p->b->count[SRXE_HS_COUNT_STATE] = 0;
	fab_rtr(p->b, p->a);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_STATE], 1);
	KUNIT_EXPECT_NULL(test, p->b->hs.parked);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 0);
}

static void parking_ends(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	park(test, p);
	fab_reset(p->a);
	fab_run(p->fab, 3900);
	KUNIT_EXPECT_NOT_NULL(test, p->b->hs.parked);
	fab_run(p->fab, 200);
	KUNIT_EXPECT_NULL(test, p->b->hs.parked);
	fab_expect_quiet(p->b);

	/* what is checked again at RTR is the key as well */
	park(test, p);
	p->hb->keys[0]->live = false;
	fab_rtr(p->b, p->a);
	KUNIT_EXPECT_EQ(test, p->b->count[SRXE_HS_COUNT_NO_KEY], 1);
	KUNIT_EXPECT_EQ(test, fab_sas(p->b, SRXE_SA_PENDING), 0);
}

/* The timer is late; what is too old is so all the same. */
static void parked_too_long(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	park(test, p);
	fab_reset(p->a);
	p->b->timer = 0;
	fab_run(p->fab, 5000);
	KUNIT_EXPECT_NOT_NULL(test, p->b->hs.parked);
	fab_rtr(p->b, p->a);
	KUNIT_EXPECT_NULL(test, p->b->hs.parked);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 0);
}

static void reset_and_again(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		fab_connect(p->a, p->b);
		fab_come_up(p->a, p->b, 5000);
		fab_pair_reset(p);
		KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_STANDING), 0);
		KUNIT_EXPECT_NULL(test, p->a->tx);
		fab_expect_quiet(p->a);
		fab_expect_quiet(p->b);
	}
	KUNIT_EXPECT_EQ(test, p->a->count[SRXE_HS_COUNT_DONE], 3);
}

/* In the error state nothing begins, and what stands still receives. */
static void stopped(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_connect(p->a, p->b);
	fab_run(p->fab, 5000);
	srxe_hs_stop(&p->a->hs);
	fab_data(p->b);
	fab_run(p->fab, 10);
	KUNIT_EXPECT_NOT_NULL(test, p->a->tx);
	KUNIT_EXPECT_EQ(test, fab_sas(p->a, SRXE_SA_STANDING), 1);

	fab_pair_reset(p);
	fab_begin(p->a, p->b);
	srxe_hs_stop(&p->b->hs);
	fab_run(p->fab, 3);
	srxe_hs_stop(&p->a->hs);
	fab_run(p->fab, 100);
	KUNIT_EXPECT_NULL(test, p->a->hs.attempt);
	KUNIT_EXPECT_EQ(test, fab_sent(p->b, SRXE_OP_RESP), 1);
	fab_expect_quiet(p->a);
	fab_expect_quiet(p->b);
	KUNIT_EXPECT_EQ(test, p->a->failures, 0);
	fab_rts(p->a);
	KUNIT_EXPECT_NULL(test, p->a->hs.attempt);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(challenge_is_kept),
	KUNIT_CASE(either_begins),
	KUNIT_CASE(lost),
	KUNIT_CASE_SLOW(both_begin),
	KUNIT_CASE(winner_lost),
	KUNIT_CASE(two_stand),
	KUNIT_CASE(ended_replacing),
	KUNIT_CASE(loser_first),
	KUNIT_CASE(oneself),
	KUNIT_CASE(oneself_again),
	KUNIT_CASE(oneself_fails),
	KUNIT_CASE(one_device),
	KUNIT_CASE(parking),
	KUNIT_CASE(parking_ends),
	KUNIT_CASE(parked_too_long),
	KUNIT_CASE(reset_and_again),
	KUNIT_CASE(stopped),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_hs",
	.exit		= fab_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);
