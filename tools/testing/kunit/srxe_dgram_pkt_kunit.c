// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams that wait for an SA, and which queue pair may send what to which. Of
 * rxe there are two queue pairs and a table to find them in; what is sealed is
 * noted down, and so is what a peer's work is asked to do.
 */
/* What the code asks of others; some of it has other stand-ins in this module. */
#define rxe_pool_get_index	find_qp
#define srxe_dgram_forget_qp	dgram_forget_qp
#define srxe_sa_get		note_sa_get
#define srxe_seal_data		note_seal
#define srxe_dgram_sent		note_sent
#define srxe_dgram_post		note_post
#define srxe_dgrams_each	each_of_one
#define srxe_count_drop		just_count

#include <kunit/test.h>
#include <linux/skbuff.h>

#include <srxe_dgram.h>
#include <srxe_policy.h>
#include <srxe_sa.h>
#include <srxe_seal.h>

#include "srxe_dgram_qp.c"
#include "srxe_dgram_wait.c"

#define QPN	0x31

/**
 * struct world - what there is
 * @d: the peer
 * @qp: queue pairs
 * @pd: their protection domains
 * @found: what is found under any number but 1's
 * @sealed: PSNs of packets that were sealed, in order
 * @nsealed: their number
 * @stale: one of them had something left in its control block, which is IP's next
 * @posts: times a handshake was asked for
 */
struct world {
	struct rxe_dev		rxe;
	struct srxe_link	link;
	struct srxe_dgrams	dgrams;
	struct srxe_sa		sa;
	struct srxe_dgram	d;
	struct rxe_qp		qp[2];
	struct rxe_pd		pd[2];
	struct rxe_qp		*found;
	u32			sealed[2 * SRXE_MAX_QUEUED];
	unsigned int		nsealed;
	bool			stale;
	unsigned int		posts;
};

static struct world *w;

void *find_qp(struct rxe_pool *pool, u32 index)
{
	return w->found;
}

struct srxe_sa *note_sa_get(struct srxe_sa *sa)
{
	return sa;
}

void note_seal(struct srxe_sa *sa, const struct rxe_pkt_info *pkt, struct sk_buff *skb)
{
	w->stale |= !!memchr_inv(skb->cb, 0, sizeof(skb->cb));
	w->sealed[w->nsealed++] = pkt->psn;
	kfree_skb(skb);
}

void just_count(struct rxe_dev *rxe, const struct sk_buff *skb, int reason)
{
	rxe_counter_inc(rxe, reason);
}

void note_sent(struct srxe_dgram *d, bool data)
{
}

void note_post(struct srxe_dgram *d, enum srxe_dgram_event event)
{
	w->posts += event == SRXE_DGRAM_START;
}

void each_of_one(struct srxe_link *link, void (*fn)(struct srxe_dgram *d, void *arg), void *arg)
{
	fn(&w->d, arg);
}

static int init(struct kunit *test)
{
	unsigned int i;

	w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	w->link.rxe = &w->rxe;
	w->link.dgrams = &w->dgrams;
	w->rxe.sec.link = &w->link;
	w->d.link = &w->link;
	spin_lock_init(&w->d.lock);
	mutex_init(&w->d.hs_lock);
	__skb_queue_head_init(&w->d.waiting);
	w->d.life.used = ktime_get_boottime_ns();
	for (i = 0; i < ARRAY_SIZE(w->qp); i++) {
		w->qp[i].ibqp.device = &w->rxe.ib_dev;
		w->qp[i].ibqp.qp_type = IB_QPT_UD;
		w->qp[i].ibqp.qp_num = QPN + i;
		w->pd[i].elem.index = 5 + i;
		w->qp[i].ibqp.pd = &w->pd[i].ibpd;
		w->qp[i].pd = &w->pd[i];
	}
	w->found = &w->qp[0];
	return 0;
}

static u64 counted(enum rxe_counters what)
{
	return atomic64_read(&w->rxe.stats_counters[what]);
}

/* Returns what srxe_dgram_wait() says; the packet is gone whatever that is. */
static int wait_one(struct kunit *test, unsigned int qp, u32 psn)
{
	struct rxe_pkt_info pkt = { .rxe = &w->rxe, .qp = &w->qp[qp], .psn = psn };
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	err = srxe_dgram_wait(&w->d, &w->qp[qp], &pkt, skb);
	if (err)
		kfree_skb(skb);
	return err;
}

static void flush(void)
{
	w->sa.state = SRXE_SA_STANDING;
	mutex_lock(&w->d.hs_lock);
	srxe_dgram_flush(&w->d, &w->sa);
	mutex_unlock(&w->d.hs_lock);
}

static void queue_bound(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < SRXE_MAX_QUEUED; i++)
		KUNIT_EXPECT_EQ(test, wait_one(test, i % 2, i), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 0);
	/* one more is dropped, and all of them asked once */
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, i), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 1);
	KUNIT_EXPECT_EQ(test, w->posts, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->qp[0].sec.waiting), SRXE_MAX_QUEUED / 2);

	flush();
	KUNIT_EXPECT_FALSE(test, w->stale);
	KUNIT_EXPECT_EQ(test, w->nsealed, SRXE_MAX_QUEUED);
	for (i = 0; i < w->nsealed; i++)
		KUNIT_EXPECT_EQ(test, w->sealed[i], i);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->qp[0].sec.waiting), 0);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(w->d.tx_sa), &w->sa);
	/* nobody waits where there is an SA */
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 99), -EAGAIN);
}

/* An SA the peer may have ended for not being used is none. */
static void unused_sa(struct kunit *test)
{
	flush();
	w->d.life.used = ktime_get_boottime_ns() - SRXE_DGRAM_IDLE_NS;
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, w->posts, 1);
	flush();
	KUNIT_EXPECT_EQ(test, w->nsealed, 1);
}

static void dead_sa(struct kunit *test)
{
	flush();
	w->sa.state = SRXE_SA_DEAD;
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, w->posts, 1);
	srxe_dgram_purge(&w->d, NULL, SRXE_CNT_TX_HANDSHAKE);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_HANDSHAKE), 1);
}

static void ended_peer(struct kunit *test)
{
	w->d.ended = true;
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->posts, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->qp[0].sec.waiting), 0);
}

/* A handshake has failed: not at once again. */
static void hold_off(struct kunit *test)
{
	w->d.hold_off = ktime_get_boottime_ns() + 60 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_HANDSHAKE), 1);
	KUNIT_EXPECT_EQ(test, w->posts, 0);
	w->d.hold_off = 1;
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 2), 0);
	KUNIT_EXPECT_EQ(test, w->posts, 1);
	srxe_dgram_purge(&w->d, NULL, SRXE_CNT_TX_NO_SA);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_NO_SA), 1);
}

/* A queue pair takes along what it let wait, and nothing of another's. */
static void destroyed_qp(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, wait_one(test, i % 2, i), 0);
	dgram_forget_qp(&w->qp[0]);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QP_GONE), 5);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->qp[0].sec.waiting), 0);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&w->d.waiting), 5);
	/* its send task may still be at it */
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 10), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QP_GONE), 6);
	flush();
	KUNIT_EXPECT_EQ(test, w->nsealed, 5);
	for (i = 0; i < w->nsealed; i++)
		KUNIT_EXPECT_EQ(test, w->sealed[i], 2 * i + 1);
}

/* However many peers a queue pair sends to: what waits for all of them is bounded. */
static void wait_bounds(struct kunit *test)
{
	atomic_set(&w->qp[0].sec.waiting, SRXE_MAX_DGRAM_WAIT_QP);
	KUNIT_EXPECT_EQ(test, wait_one(test, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 1);
	KUNIT_EXPECT_EQ(test, wait_one(test, 1, 2), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->dgrams.waiting), 1);
	atomic_set(&w->dgrams.waiting, SRXE_MAX_DGRAM_WAIT_LINK);
	KUNIT_EXPECT_EQ(test, wait_one(test, 1, 3), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 2);
	/* the last of the link's places are not for just anybody */
	atomic_set(&w->dgrams.waiting, SRXE_MAX_DGRAM_WAIT_LINK - 1);
	w->qp[1].sec.user.bound = true;
	KUNIT_EXPECT_EQ(test, wait_one(test, 1, 4), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 3);
	w->qp[1].sec.user.bound = false;
	KUNIT_EXPECT_EQ(test, wait_one(test, 1, 5), 0);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), 3);
	flush();
	KUNIT_EXPECT_EQ(test, atomic_read(&w->dgrams.waiting), SRXE_MAX_DGRAM_WAIT_LINK - 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->qp[0].sec.waiting), SRXE_MAX_DGRAM_WAIT_QP);
	KUNIT_EXPECT_EQ(test, atomic_read(&w->qp[1].sec.waiting), 0);
}

/* One user's datagrams leave room for the next one's, and he is heard of. */
static void wait_shares(struct kunit *test)
{
	const unsigned int n = srxe_user_room(SRXE_MAX_QUEUED, 0, 0);
	struct srxe_dgram_user user;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(w->qp); i++)
		w->qp[i].sec.user = (struct srxe_user){
			.uid	= KUIDT_INIT(1000 + i),
			.bound	= true,
		};
	for (i = 0; i < SRXE_MAX_QUEUED; i++)
		KUNIT_EXPECT_EQ(test, wait_one(test, 0, i), 0);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&w->d.waiting), n);
	KUNIT_EXPECT_EQ(test, counted(SRXE_CNT_TX_QUEUE), SRXE_MAX_QUEUED - n);
	KUNIT_EXPECT_EQ(test, w->posts, 1);
	KUNIT_EXPECT_EQ(test, wait_one(test, 1, i), 0);
	KUNIT_EXPECT_EQ(test, skb_queue_len(&w->d.waiting), n + 1);
	KUNIT_EXPECT_EQ(test, w->posts, 2);
	KUNIT_EXPECT_EQ(test, wait_one(test, 1, i + 1), 0);
	KUNIT_EXPECT_EQ(test, w->posts, 2);

	for (i = 0; i < n + 2; i++) {
		KUNIT_ASSERT_TRUE(test, srxe_dgram_waiting(&w->d, i, &user));
		KUNIT_EXPECT_TRUE(test, user.local);
		KUNIT_EXPECT_EQ(test, user.pd, i < n ? 5 : 6);
		KUNIT_EXPECT_TRUE(test, srxe_same_user(&user.who, &w->qp[i >= n].sec.user));
	}
	KUNIT_EXPECT_FALSE(test, srxe_dgram_waiting(&w->d, i, &user));
	flush();
	KUNIT_EXPECT_EQ(test, w->nsealed, n + 2);
}

/* Queue pair 1 */

static void senders(struct kunit *test)
{
	static const struct {
		enum ib_qp_type type;
		u32 from, to;
		int why;
	} rows[] = {
		{ IB_QPT_GSI,	1,	1,	0 },
		{ IB_QPT_GSI,	1,	QPN,	SRXE_CNT_TX_QP1 },
		{ IB_QPT_UD,	QPN,	QPN,	0 },
		{ IB_QPT_UD,	QPN,	1,	SRXE_CNT_TX_QP1 },
		/* what is in clear beside the number does not hide it */
		{ IB_QPT_UD,	QPN,	0xc0000001, SRXE_CNT_TX_QP1 },
		{ IB_QPT_UD,	QPN,	0,	0 },
	};
	struct srxe_bth bth = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		w->qp[0].ibqp.qp_type = rows[i].type;
		w->qp[0].ibqp.qp_num = rows[i].from;
		bth.qpn = cpu_to_be32(rows[i].to);
		KUNIT_EXPECT_EQ_MSG(test, srxe_dgram_may_send(&w->qp[0], &bth), rows[i].why,
				    "row %u", i);
	}
}

static void receivers(struct kunit *test)
{
	static const struct {
		u8 kind;
		u32 to, from;
		enum ib_qp_type found;	/* 0: none */
		int why;
	} rows[] = {
		{ SRXE_KIND_GSI, 1,	1,	IB_QPT_GSI,	0 },
		{ SRXE_KIND_GSI, 1,	QPN,	IB_QPT_GSI,	SRXE_CNT_RX_SOURCE },
		{ SRXE_KIND_GSI, QPN,	1,	IB_QPT_UD,	SRXE_CNT_RX_QPN },
		{ SRXE_KIND_UD,	QPN,	QPN,	IB_QPT_UD,	0 },
		{ SRXE_KIND_UD,	QPN,	QPN,	0,		SRXE_CNT_RX_QPN },
		{ SRXE_KIND_UD,	1,	1,	IB_QPT_GSI,	SRXE_CNT_RX_QPN },
		/* queue pair 1 by the number of its object */
		{ SRXE_KIND_UD,	16,	QPN,	IB_QPT_GSI,	SRXE_CNT_RX_QPN },
		{ SRXE_KIND_UD,	QPN,	QPN,	IB_QPT_RC,	SRXE_CNT_RX_QPN },
	};
	u8 packet[SRXE_MIN_LEN] = { };
	struct rxe_pkt_info pkt = { .rxe = &w->rxe, .hdr = packet };
	struct srxe_bth *bth = (struct srxe_bth *)packet;
	__be32 *deth = (__be32 *)(packet + sizeof(struct srxe_bth) + sizeof(struct srxe_seth));
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		w->sa.ends.kind = rows[i].kind;
		w->qp[0].ibqp.qp_type = rows[i].found;
		w->found = rows[i].found ? &w->qp[0] : NULL;
		bth->qpn = cpu_to_be32(rows[i].to);
		deth[1] = cpu_to_be32(rows[i].from);
		KUNIT_EXPECT_EQ_MSG(test, srxe_dgram_may_receive(&w->sa, &pkt), rows[i].why,
				    "row %u", i);
	}
}

static void own_qkey(struct kunit *test)
{
	w->qp[0].attr.qkey = 0x11111111;
	KUNIT_EXPECT_EQ(test, srxe_wr_qkey(&w->qp[0], 0x22222222), 0x22222222);
	KUNIT_EXPECT_EQ(test, srxe_wr_qkey(&w->qp[0], 0x7fffffff), 0x7fffffff);
	KUNIT_EXPECT_EQ(test, srxe_wr_qkey(&w->qp[0], 0x80000000), 0x11111111);
	KUNIT_EXPECT_EQ(test, srxe_wr_qkey(&w->qp[0], 0x80010000), 0x11111111);
}

static void multicast(struct kunit *test)
{
	union ib_gid mgid = { .raw = { 0xff, 0x0e } };

	KUNIT_EXPECT_EQ(test, srxe_attach_mcast(&w->qp[0], &mgid), -EPERM);
	w->link.settings.unkeyed_allow = true;
	KUNIT_EXPECT_EQ(test, srxe_attach_mcast(&w->qp[0], &mgid), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(queue_bound),
	KUNIT_CASE(unused_sa),
	KUNIT_CASE(dead_sa),
	KUNIT_CASE(ended_peer),
	KUNIT_CASE(hold_off),
	KUNIT_CASE(destroyed_qp),
	KUNIT_CASE(wait_bounds),
	KUNIT_CASE(wait_shares),
	KUNIT_CASE(senders),
	KUNIT_CASE(receivers),
	KUNIT_CASE(own_qkey),
	KUNIT_CASE(multicast),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_dgram_pkt",
	.init		= init,
	.test_cases	= cases,
};

kunit_test_suite(suite);
