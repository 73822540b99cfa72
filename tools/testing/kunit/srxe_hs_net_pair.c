// SPDX-License-Identifier: GPL-2.0
/*
 * What the handshake's suites do with their network: two hosts that connect,
 * what the wire does to their packets, and what is to come of it.
 */
#include <net/ipv6.h>

#include "srxe_hs_net.h"

/* Two hosts */

static struct fab_pair *two_hosts(struct kunit *test)
{
	struct fab_pair *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->fab = fab_new(test);
	p->ha = fab_host_new(p->fab, 1);
	p->hb = fab_host_new(p->fab, 2);
	fab_key_add(p->ha, 0x11, p->hb);
	fab_key_add(p->hb, 0x11, p->ha);
	return p;
}

/**
 * fab_pair_new() - two hosts with a key for each other, and a queue pair on each
 * @test: the test; the network is in its priv
 *
 * Context: process; a test.
 * Return: the pair; it lives as long as @test.
 */
struct fab_pair *fab_pair_new(struct kunit *test)
{
	struct fab_pair *p = two_hosts(test);

	p->a = fab_qp_new(p->ha, 17);
	p->b = fab_qp_new(p->hb, 18);
	return p;
}

/**
 * fab_dgram_pair() - two hosts with a key for each other, which know each other's
 *	addresses and have sent no datagram yet
 * @test: the test; the network is in its priv
 * @kind: SRXE_KIND_UD or SRXE_KIND_GSI
 *
 * Context: process; a test.
 * Return: the pair; it lives as long as @test.
 */
struct fab_pair *fab_dgram_pair(struct kunit *test, u8 kind)
{
	struct fab_pair *p = two_hosts(test);

	p->a = fab_dgram_new(p->ha, kind);
	p->b = fab_dgram_new(p->hb, kind);
	fab_rtr(p->a, p->b);
	fab_rtr(p->b, p->a);
	return p;
}

/**
 * fab_pair_up() - a pair that has connected, at the instance of its first
 * @test: the test, as for fab_pair_new()
 *
 * Context: process; a test.
 * Return: the pair; it lives as long as @test.
 */
struct fab_pair *fab_pair_up(struct kunit *test)
{
	struct fab_pair *p = fab_pair_new(test);

	fab_begin(p->a, p->b);
	fab_come_up(p->a, p->b, 5000);
	return p;
}

/**
 * fab_pair_reset() - both to RESET
 * @p: the pair
 *
 * Context: process; a test.
 */
void fab_pair_reset(struct fab_pair *p)
{
	fab_reset(p->a);
	fab_reset(p->b);
}

/* What becomes of packets */

/**
 * fab_is_bare() - is this a handshake message of that kind?
 * @frame: packet
 * @opcode: kind, SRXE_OP_...
 *
 * Context: any.
 * Return: true or false.
 */
bool fab_is_bare(const struct fab_frame *frame, u8 opcode)
{
	return !frame->sealed && frame->msg.bth.opcode == opcode;
}

/**
 * fab_is() - is this a handshake message of that kind from that host?
 * @frame: packet
 * @opcode: kind, SRXE_OP_...
 * @from: the host
 *
 * Context: any.
 * Return: true or false.
 */
bool fab_is(const struct fab_frame *frame, u8 opcode, const struct fab_host *from)
{
	return fab_is_bare(frame, opcode) && ipv6_addr_equal(&frame->src, &from->addr);
}

/**
 * fab_drop_init() - a fate: every INIT is lost
 * @fab: the network
 * @f: packet
 *
 * Context: fab_put().
 * Return: its fate.
 */
enum fab_fate fab_drop_init(struct fabric *fab, struct fab_frame *f)
{
	return fab_is_bare(f, SRXE_OP_INIT) ? FAB_DROP : FAB_PASS;
}

/**
 * fab_drop_resp() - a fate: every RESP is lost
 * @fab: the network
 * @f: packet
 *
 * Context: fab_put().
 * Return: its fate.
 */
enum fab_fate fab_drop_resp(struct fabric *fab, struct fab_frame *f)
{
	return fab_is_bare(f, SRXE_OP_RESP) ? FAB_DROP : FAB_PASS;
}

/**
 * fab_drop_sealed() - a fate: every sealed packet is lost
 * @fab: the network
 * @f: packet
 *
 * Context: fab_put().
 * Return: its fate.
 */
enum fab_fate fab_drop_sealed(struct fabric *fab, struct fab_frame *f)
{
	return f->sealed ? FAB_DROP : FAB_PASS;
}

/**
 * fab_hold_sealed() - a fate: sealed packets are held until fab_release()
 * @fab: the network
 * @f: packet
 *
 * Context: fab_put().
 * Return: its fate.
 */
enum fab_fate fab_hold_sealed(struct fabric *fab, struct fab_frame *f)
{
	return f->sealed ? FAB_HOLD : FAB_PASS;
}

/**
 * fab_lose() - a fate: so many of a kind are lost, as a struct fab_loss says
 * @fab: the network; its fate_arg is the struct fab_loss
 * @f: packet
 *
 * Context: fab_put().
 * Return: its fate.
 */
enum fab_fate fab_lose(struct fabric *fab, struct fab_frame *f)
{
	struct fab_loss *l = fab->fate_arg;

	if (!l->n || !(l->opcode ? fab_is_bare(f, l->opcode) : f->sealed))
		return FAB_PASS;
	l->n--;
	return FAB_DROP;
}

/* What is to be */

/**
 * fab_sas() - how many SAs are there in a state?
 * @qp: whose
 * @state: the state
 *
 * Context: process; a test.
 * Return: their number.
 */
unsigned int fab_sas(const struct fab_qp *qp, enum srxe_sa_state state)
{
	const struct fab_sa *s;
	unsigned int n = 0;

	list_for_each_entry(s, &qp->host->fab->sas, entry)
		n += s->qp == qp && s->sa.state == state;
	return n;
}

/**
 * fab_sent() - how many handshake messages of a kind went out?
 * @qp: whose
 * @opcode: kind, SRXE_OP_...
 *
 * Context: process; a test.
 * Return: their number since @qp was made.
 */
unsigned int fab_sent(const struct fab_qp *qp, u8 opcode)
{
	return qp->sent[opcode - SRXE_OP_INIT];
}

/**
 * fab_expect_up() - expects one SA, the same at both ends, and nothing under way
 * @a: one queue pair
 * @b: its peer
 *
 * Context: process; a test, which ends if there is no SA.
 */
void fab_expect_up(struct fab_qp *a, struct fab_qp *b)
{
	struct kunit *test = a->host->fab->test;
	const struct srxe_sa *sa = a->tx, *sb = b->tx;

	KUNIT_ASSERT_NOT_NULL(test, sa);
	KUNIT_ASSERT_NOT_NULL(test, sb);
	KUNIT_EXPECT_MEMEQ(test, sa->p.sa_id, sb->p.sa_id, SRXE_SA_ID_LEN);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)sa->p.chain, (u8 *)sb->p.chain, sizeof(sa->p.chain));
	KUNIT_EXPECT_NE(test, sa->p.initiator, sb->p.initiator);
	KUNIT_EXPECT_EQ(test, sa->p.peer_spi, sb->spi);
	KUNIT_EXPECT_EQ(test, sb->p.peer_spi, sa->spi);
	KUNIT_EXPECT_EQ(test, sa->p.mode, sb->p.mode);
	KUNIT_EXPECT_EQ(test, sa->p.suite, sb->p.suite);
	fab_expect_quiet(a);
	fab_expect_quiet(b);
}

/**
 * fab_come_up() - lets time pass, then expects the two to be connected
 * @a: one queue pair
 * @b: its peer
 * @ms: the time, in ms
 *
 * Context: process; a test, which ends if they are not.
 */
void fab_come_up(struct fab_qp *a, struct fab_qp *b, u64 ms)
{
	fab_run(a->host->fab, ms);
	fab_expect_up(a, b);
}

/**
 * fab_expect_quiet() - expects nothing under way or left over: at most the SA in use
 * @qp: whose
 *
 * Context: process; a test.
 */
void fab_expect_quiet(struct fab_qp *qp)
{
	struct kunit *test = qp->host->fab->test;

	KUNIT_EXPECT_EQ(test, fab_sas(qp, SRXE_SA_STANDING), qp->tx ? 1 : 0);
	KUNIT_EXPECT_EQ(test, fab_sas(qp, SRXE_SA_PENDING), 0);
	KUNIT_EXPECT_EQ(test, fab_sas(qp, SRXE_SA_EMBRYO), 0);
	KUNIT_EXPECT_EQ(test, fab_sas(qp, SRXE_SA_LINGER), 0);
	KUNIT_EXPECT_EQ(test, qp->timer, 0);
	KUNIT_EXPECT_PTR_EQ(test, qp->hs.parked, NULL);
}
