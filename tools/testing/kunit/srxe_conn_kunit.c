// SPDX-License-Identifier: GPL-2.0
/*
 * Connections whose SA is ended, at whatever moment: the queue pair hears of it,
 * and nothing waits for ever. Connection and handshake are the real ones; an SA
 * is its state and no more, and of rxe there is one queue pair whose send queue
 * is empty.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/slab.h>

#include "srxe_conn.c"
#include "srxe_conn_fail.c"

#define QPN	17
#define PD	3

/* enum moment - when the SA is ended */
enum moment {
	AT_NO_TIME,
	KEYED,		/* it has its keys, and is not in use yet */
	UNDER_WAY,	/* decided while it was not in use, done when it was */
};

/**
 * struct world - what there is
 * @test: the test
 * @moment: when the SA is ended
 * @key_live: its key is good
 * @plain_ok: the peer may be talked to without an SA
 * @end: ends it, beside the handshake
 * @decided: @end knows what to do
 * @go_on: @end may do it
 * @found: called when the queue pair is looked up
 * @made: SAs made
 * @sent: handshake messages sent
 * @errors: times the queue pair went to the error state
 */
struct world {
	struct kunit		*test;
	struct rxe_dev		rxe;
	struct srxe_link	link;
	struct srxe_hs_link	hl;
	struct rxe_pd		pd;
	struct rxe_queue	sq;
	struct rxe_qp		qp;
	struct srxe_ring_key	key;
	struct srxe_psk_keys	secrets;
	struct srxe_sa		sa;
	enum moment		moment;
	bool			key_live;
	bool			plain_ok;
	struct work_struct	end;
	struct completion	decided;
	struct completion	go_on;
	void			(*found)(void);
	unsigned int		made;
	unsigned int		sent;
	unsigned int		errors;
};

static struct world *w;

static struct srxe_conn *conn_of_qp(void)
{
	return w->qp.sec.conn;
}

static void wait_for(struct completion *c)
{
	KUNIT_EXPECT_NE(w->test, wait_for_completion_timeout(c, 10 * HZ), 0);
}

/* What connections ask of rxe */

struct workqueue_struct *srxe_hs_wq;

int __rxe_get(struct rxe_pool_elem *elem)
{
	return 1;
}

int __rxe_put(struct rxe_pool_elem *elem)
{
	return 0;
}

void *rxe_pool_get_index(struct rxe_pool *pool, u32 index)
{
	if (w->found)
		w->found();
	return &w->qp;
}

void srxe_notify_hs_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			   enum srxe_vendor_err why, const u8 *key_id)
{
}

void rxe_sched_task(struct rxe_task *task)
{
}

void rxe_qp_error(struct rxe_qp *qp)
{
	w->errors++;
	WRITE_ONCE(qp->attr.qp_state, IB_QPS_ERR);
}

/* ... of policy, of users, and of SAs */

void srxe_user_of_qp(const struct rxe_qp *qp, struct srxe_user *user)
{
	user->uid = GLOBAL_ROOT_UID;
	user->bound = false;
}

bool srxe_policy_plain_ok(struct srxe_link *link, const struct in6_addr *peer)
{
	return w->plain_ok;
}

void srxe_sa_end(struct srxe_sa *sa)
{
	if (w->moment == UNDER_WAY && !completion_done(&w->decided)) {
		complete_all(&w->decided);
		wait_for(&w->go_on);
	}
	WRITE_ONCE(sa->state, SRXE_SA_DEAD);
}

void srxe_sa_end_link(struct srxe_link *link)
{
	if (w->made && w->sa.state != SRXE_SA_DEAD)
		srxe_conn_fail(conn_of_qp(), &w->sa, SRXE_VERR_SA_LOST);
}

bool srxe_sa_advance(struct srxe_sa *sa, enum srxe_sa_state state)
{
	if (sa->state != SRXE_SA_PENDING)
		return false;
	sa->established = 1;
	WRITE_ONCE(sa->state, state);
	return true;
}

void srxe_sa_put_many(struct srxe_sa *sa, unsigned int n)
{
}

/* Of datagrams there are none. */
void srxe_dgrams_end_all(struct srxe_link *link)
{
}

void srxe_dgram_forget_qp(struct rxe_qp *qp)
{
}

/* ... and the handshake of the world */

static u64 op_now(struct srxe_hs *hs)
{
	return ktime_get_boottime_ns();
}

static void op_set_timer(struct srxe_hs *hs, u64 when)
{
}

static void op_send(struct srxe_hs *hs, const struct in6_addr *local,
		    const struct in6_addr *remote, const struct srxe_hs_msg *msg)
{
	w->sent++;
}

static int op_keys(struct srxe_hs *hs, const struct in6_addr *peer,
		   struct srxe_ring_key **keys, unsigned int max)
{
	keys[0] = &w->key;
	return 1;
}

static void op_key_put(struct srxe_ring_key *key)
{
}

static bool op_key_live(const struct srxe_ring_key *key)
{
	return w->key_live;
}

static const struct srxe_psk_keys *op_secrets(const struct srxe_ring_key *key)
{
	return &w->secrets;
}

static void op_policy(struct srxe_hs *hs, struct srxe_hs_policy *policy)
{
	policy->min_mode = SRXE_MODE_ENCRYPT;
	policy->max_mode = SRXE_MODE_ENCRYPT;
	policy->suites = BIT(SRXE_SUITE_AES256_GCM);
}

static struct srxe_sa *op_sa_new(struct srxe_hs *hs, const struct srxe_sa_ends *ends,
				 struct srxe_ring_key *key)
{
	struct srxe_sa *sa = &w->sa;

	w->made++;
	sa->state = SRXE_SA_EMBRYO;
	sa->ends = *ends;
	sa->key = key;
	sa->conn = conn_of_qp();
	spin_lock_bh(&sa->conn->lock);
	list_add_tail(&sa->conn_entry, &sa->conn->sas);
	spin_unlock_bh(&sa->conn->lock);
	return sa;
}

static void revoke(struct work_struct *work)
{
	WRITE_ONCE(w->key_live, false);
	srxe_conn_fail(conn_of_qp(), &w->sa, SRXE_VERR_KEY_REVOKED);
}

static int op_sa_key(struct srxe_hs *hs, struct srxe_sa *sa, struct srxe_sa_params *p,
		     enum srxe_sa_state state)
{
	sa->p = *p;
	WRITE_ONCE(sa->state, state);
	if (w->moment == KEYED) {
		revoke(&w->end);
	} else if (w->moment == UNDER_WAY) {
		schedule_work(&w->end);
		wait_for(&w->decided);
	}
	return 0;
}

static void op_sa_end(struct srxe_hs *hs, struct srxe_sa *sa)
{
	srxe_conn_drop(conn_of_qp(), sa);
}

static bool op_sa_heard(const struct srxe_sa *sa)
{
	return true;
}

static void op_use(struct srxe_hs *hs, struct srxe_sa *sa)
{
	srxe_conn_use(conn_of_qp(), sa);
}

static void op_lost(struct srxe_hs *hs, enum srxe_vendor_err verr)
{
	srxe_conn_lost(conn_of_qp(), verr);
}

static void op_failed(struct srxe_hs *hs, enum srxe_vendor_err verr, const u8 *key_id)
{
	srxe_conn_hs_failed(conn_of_qp(), verr, key_id);
}

static void op_count(struct srxe_hs *hs, enum srxe_hs_count what)
{
}

const struct srxe_hs_ops srxe_hs_world = {
	.now		= op_now,
	.set_timer	= op_set_timer,
	.send		= op_send,
	.keys		= op_keys,
	.key_put	= op_key_put,
	.key_live	= op_key_live,
	.secrets	= op_secrets,
	.policy		= op_policy,
	.sa_new		= op_sa_new,
	.sa_key		= op_sa_key,
	.sa_end		= op_sa_end,
	.sa_heard	= op_sa_heard,
	.use		= op_use,
	.lost		= op_lost,
	.failed		= op_failed,
	.count		= op_count,
};

/* What the queue pair does */

static void to_state(enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	WRITE_ONCE(w->qp.attr.qp_state, state);
	srxe_qp_modified(&w->qp, &attr, IB_QP_STATE);
	flush_workqueue(srxe_hs_wq);
}

static void set_peer(u32 last_byte, u32 qpn)
{
	struct rxe_av *av = &w->qp.pri_av;

	av->network_type = RXE_NETWORK_TYPE_IPV4;
	av->sgid_addr._sockaddr_in.sin_addr.s_addr = htonl(0x0a000001);
	av->dgid_addr._sockaddr_in.sin_addr.s_addr = htonl(0x0a000000 | last_byte);
	w->qp.attr.dest_qp_num = qpn;
}

/* An INIT of the peer's is being answered, or was. */
static void answer(void)
{
	struct srxe_hs *hs = &conn_of_qp()->hs;
	struct srxe_hs_answer *ans = kzalloc(sizeof(*ans), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(w->test, ans);
	KUNIT_ASSERT_TRUE(w->test, srxe_hs_limit_enter(hs->limit, SRXE_HS_RESPONDER,
						       &hs->ends.rgid, PD, NULL));
	ans->sa = op_sa_new(hs, &hs->ends, &w->key);
	ans->sa->state = SRXE_SA_PENDING;
	ans->born = op_now(hs);
	list_add_tail(&ans->entry, &hs->answers);
}

static void expect_broken(enum srxe_vendor_err verr)
{
	struct rxe_send_wqe wqe = { };

	KUNIT_EXPECT_EQ(w->test, w->sa.state, SRXE_SA_DEAD);
	KUNIT_EXPECT_EQ(w->test, srxe_tx_ready(&w->qp, &wqe), SRXE_TX_FAILED);
	KUNIT_EXPECT_EQ(w->test, wqe.status, IB_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(w->test, conn_of_qp()->verr, verr);
	KUNIT_EXPECT_EQ(w->test, w->errors, 1);
	KUNIT_EXPECT_NULL(w->test, conn_of_qp()->hs.sa);
	KUNIT_EXPECT_NULL(w->test, conn_of_qp()->hs.attempt);
	KUNIT_EXPECT_EQ(w->test, w->sent, 0);
}

/* The SA was ended when it had its keys and was not yet in use. */
static void before_use(struct kunit *test)
{
	w->moment = KEYED;
	to_state(IB_QPS_RTR);
	to_state(IB_QPS_RTS);
	expect_broken(SRXE_VERR_KEY_REVOKED);
}

/* Whoever ends it did not find it in use, and by the time it ends it is. */
static void during_use(struct kunit *test)
{
	w->moment = UNDER_WAY;
	to_state(IB_QPS_RTR);
	to_state(IB_QPS_RTS);
	KUNIT_EXPECT_EQ(test, conn_of_qp()->tx_state, SRXE_TX_READY);
	complete(&w->go_on);
	flush_work(&w->end);
	flush_workqueue(srxe_hs_wq);
	expect_broken(SRXE_VERR_KEY_REVOKED);
}

/* We answered, and wait for the peer. */
static void answered(void)
{
	set_peer(2, QPN + 1);
	to_state(IB_QPS_RTR);
	answer();
	to_state(IB_QPS_RTS);
}

/* Confirmed and in use; the handshake hears of that when it is being ended. */
static void noticed_late(struct kunit *test)
{
	struct srxe_conn *conn = conn_of_qp();

	answered();
	w->moment = UNDER_WAY;
	mutex_lock(&conn->hs_lock);
	srxe_conn_confirmed(conn, &w->sa);
	KUNIT_EXPECT_EQ(test, conn->tx_state, SRXE_TX_READY);
	schedule_work(&w->end);
	wait_for(&w->decided);
	mutex_unlock(&conn->hs_lock);
	flush_workqueue(srxe_hs_wq);
	KUNIT_EXPECT_PTR_EQ(test, conn->hs.sa, &w->sa);
	complete(&w->go_on);
	flush_work(&w->end);
	flush_workqueue(srxe_hs_wq);
	expect_broken(SRXE_VERR_KEY_REVOKED);
}

/*
 * Ended before the handshake knows that it was in use, and not for its key: no
 * other one follows.
 */
static void never_noticed(struct kunit *test)
{
	struct srxe_conn *conn = conn_of_qp();

	answered();
	mutex_lock(&conn->hs_lock);
	srxe_conn_confirmed(conn, &w->sa);
	srxe_conn_fail(conn, &w->sa, SRXE_VERR_SA_LOST);
	mutex_unlock(&conn->hs_lock);
	flush_workqueue(srxe_hs_wq);
	expect_broken(SRXE_VERR_SA_LOST);
	KUNIT_EXPECT_EQ(test, w->made, 1);
}

/* What is left of an SA of an incarnation before does nothing to the next. */
static void left_over(struct kunit *test)
{
	struct srxe_conn *conn = conn_of_qp();

	answered();
	mutex_lock(&conn->hs_lock);
	srxe_conn_confirmed(conn, &w->sa);
	revoke(&w->end);
	renew(conn, new_id());
	mutex_unlock(&conn->hs_lock);
	flush_workqueue(srxe_hs_wq);
	KUNIT_EXPECT_FALSE(test, conn->hs.over);
	KUNIT_EXPECT_EQ(test, conn->tx_state, SRXE_TX_WAIT);
	KUNIT_EXPECT_EQ(test, w->errors, 0);
}

/* V1: one that talks unprotected gets a key while the machine is copied. */
static void copied_while_answering(struct kunit *test)
{
	struct srxe_conn *conn = conn_of_qp();

	w->plain_ok = true;
	set_peer(2, QPN + 1);
	to_state(IB_QPS_RTR);
	to_state(IB_QPS_RTS);
	KUNIT_ASSERT_TRUE(test, conn->plain);
	/* the answer is ready when the link's SAs have just been ended */
	w->found = answer;
	srxe_conn_end_link(&w->link, SRXE_VERR_SA_LOST);
	flush_workqueue(srxe_hs_wq);
	KUNIT_EXPECT_EQ(test, w->made, 1);
	KUNIT_EXPECT_EQ(test, w->sa.state, SRXE_SA_DEAD);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->hs.answers));
	/* nothing was lost that was in use */
	KUNIT_EXPECT_TRUE(test, conn->plain);
	KUNIT_EXPECT_EQ(test, w->errors, 0);
}

/* Which SAs are in the way of a stronger mode: those that have traffic. */
static void weaker(struct kunit *test)
{
	static const bool in_the_way[] = {
		[SRXE_SA_EMBRYO]	= false,
		[SRXE_SA_PENDING]	= true,
		[SRXE_SA_STANDING]	= true,
		[SRXE_SA_LINGER]	= true,
		[SRXE_SA_DEAD]		= false,
	};
	int state;

	for (state = 0; state < ARRAY_SIZE(in_the_way); state++) {
		w->sa.state = state;
		w->sa.p.mode = SRXE_MODE_PACKET;
		KUNIT_EXPECT_EQ(test, srxe_sa_weaker(&w->sa, SRXE_MODE_ENCRYPT),
				in_the_way[state]);
		KUNIT_EXPECT_FALSE(test, srxe_sa_weaker(&w->sa, SRXE_MODE_PACKET));
	}
	/* one that ended as an embryo, and is still in the list */
	w->sa.p.mode = 0;
	KUNIT_EXPECT_FALSE(test, srxe_sa_weaker(&w->sa, SRXE_MODE_HEADER));
}

static void make_link(struct kunit *test)
{
	w->rxe.ib_dev.dev.init_name = "srxe_test";
	w->rxe.sec.link = &w->link;
	xa_init(&w->rxe.qp_pool.xa);
	w->link.rxe = &w->rxe;
	w->link.hs = &w->hl;
	srxe_hs_limit_init(&w->hl.limit, ktime_get_boottime_ns());
}

static void make_qp(struct kunit *test)
{
	w->sq.buf = kunit_kzalloc(test, sizeof(*w->sq.buf), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->sq.buf);
	w->pd.elem.index = PD;
	w->qp.ibqp.device = &w->rxe.ib_dev;
	w->qp.ibqp.qp_type = IB_QPT_RC;
	w->qp.ibqp.qp_num = QPN;
	w->qp.pd = &w->pd;
	w->qp.sq.queue = &w->sq;
	set_peer(1, QPN);
	KUNIT_ASSERT_EQ(test, 0, xa_err(xa_store(&w->rxe.qp_pool.xa, QPN, &w->qp.elem,
						 GFP_KERNEL)));
	srxe_qp_init(&w->qp);
	KUNIT_ASSERT_NOT_NULL(test, conn_of_qp());
}

static int init(struct kunit *test)
{
	w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	srxe_hs_wq = alloc_workqueue("srxe_conn_test", WQ_UNBOUND, 0);
	if (!w || !srxe_hs_wq)
		return -ENOMEM;
	w->test = test;
	w->key_live = true;
	INIT_WORK(&w->end, revoke);
	init_completion(&w->decided);
	init_completion(&w->go_on);
	make_link(test);
	make_qp(test);
	return 0;
}

static void finish(struct kunit *test)
{
	if (!w || !srxe_hs_wq)
		return;
	complete_all(&w->go_on);
	flush_work(&w->end);
	if (conn_of_qp()) {
		srxe_qp_destroy(&w->qp);
		flush_workqueue(srxe_hs_wq);
		srxe_qp_fini(&w->qp);
	}
	destroy_workqueue(srxe_hs_wq);
	KUNIT_EXPECT_EQ(test, w->hl.limit.out[SRXE_HS_RESPONDER], 0);
	srxe_hs_limit_destroy(&w->hl.limit);
	xa_destroy(&w->rxe.qp_pool.xa);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(before_use),
	KUNIT_CASE(during_use),
	KUNIT_CASE(noticed_late),
	KUNIT_CASE(never_noticed),
	KUNIT_CASE(left_over),
	KUNIT_CASE(copied_while_answering),
	KUNIT_CASE(weaker),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_conn",
	.init		= init,
	.exit		= finish,
	.test_cases	= cases,
};

kunit_test_suite(suite);
