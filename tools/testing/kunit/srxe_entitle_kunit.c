// SPDX-License-Identifier: GPL-2.0
/*
 * N3: what a tag entitles to. The attacker is the peer itself: every packet here is
 * sealed under an SA that stands, with its keys and a number of its own. What goes
 * where the SA does not entitle it to is dropped before its tag is looked at, so
 * that the number stays free: a packet to the right place then uses it.
 */
#include <rdma/ib_pack.h>

#include "srxe_open_world.h"

static void denied(struct open_peer *peer, u8 opcode, u32 qpn, u32 from, int why)
{
	const struct open_aim aim = { .opcode = opcode, .qpn = qpn, .from = from };
	u64 pn = ++peer->pn;

	open_expect_drop(peer, &aim, pn, why);
	open_expect_pass(peer, &peer->right, pn, peer->to);
	open_expect_drop(peer, &peer->right, pn, SRXE_CNT_RX_REPLAY);
}

/* Every queue pair but its own, and numbers that nobody has. */
static void other_qp(struct kunit *test)
{
	static const enum open_qp ends[] = { OPEN_RC, OPEN_RC_OTHER, OPEN_UC };
	struct open_world *w = test->priv;
	struct open_peer *peer;
	unsigned int i, to;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		peer = open_peer_new(test, ends[i] == OPEN_UC ? SRXE_KIND_UC : SRXE_KIND_RC,
				     ends[i], 0);
		for (to = 0; to <= OPEN_QPS; to++) {
			if (to == ends[i])
				continue;
			denied(peer, peer->right.opcode, open_qpn(to), 0, SRXE_CNT_RX_QPN);
		}
		denied(peer, peer->right.opcode, 0, 0, SRXE_CNT_RX_QPN);
		denied(peer, peer->right.opcode, w->qps[OPEN_GSI].elem.index, 0,
		       SRXE_CNT_RX_QPN);
	}
}

/* To the SA's own queue pair and to one of the opcode's service. */
static void other_service(struct kunit *test)
{
	static const struct {
		u8 kind;
		enum open_qp to;
	} sas[] = {
		{ SRXE_KIND_RC,		OPEN_RC },
		{ SRXE_KIND_UC,		OPEN_UC },
		{ SRXE_KIND_UD,		OPEN_UD },
		{ SRXE_KIND_GSI,	OPEN_GSI },
	};
	static const struct {
		u8 opcode;
		enum open_qp of;
	} services[] = {
		{ IB_OPCODE_RC_SEND_ONLY,		OPEN_RC },
		{ IB_OPCODE_RC_RDMA_READ_REQUEST,	OPEN_RC },
		{ IB_OPCODE_RC_ACKNOWLEDGE,		OPEN_RC },
		{ IB_OPCODE_UC_SEND_ONLY,		OPEN_UC },
		{ IB_OPCODE_UC_RDMA_WRITE_ONLY,		OPEN_UC },
		{ IB_OPCODE_UD_SEND_ONLY,		OPEN_UD },
	};
	struct open_peer *peer;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(sas); i++) {
		peer = open_peer_new(test, sas[i].kind, sas[i].to, 0);
		for (j = 0; j < ARRAY_SIZE(services); j++) {
			if (services[j].opcode >> 5 == peer->right.opcode >> 5)
				continue;
			denied(peer, services[j].opcode, peer->right.qpn, peer->right.from,
			       SRXE_CNT_RX_KIND);
			denied(peer, services[j].opcode, open_qpn(services[j].of),
			       open_qpn(services[j].of), SRXE_CNT_RX_KIND);
		}
	}
}

/* Of CTRL only the number of a connection's queue pair counts. */
static void ctrl(struct kunit *test)
{
	struct open_aim right = { .opcode = SRXE_OP_CTRL, .qpn = open_qpn(OPEN_RC) };
	struct open_aim wrong = { .opcode = SRXE_OP_CTRL, .qpn = open_qpn(OPEN_RC_OTHER) };
	struct open_peer *peer = open_peer_new(test, SRXE_KIND_RC, OPEN_RC, 0);

	open_expect_drop(peer, &wrong, 1, SRXE_CNT_RX_QPN);
	open_expect_pass(peer, &right, 1, OPEN_QPS);
	open_expect_drop(peer, &right, 1, SRXE_CNT_RX_REPLAY);

	right.qpn = 0;
	open_expect_pass(open_peer_new(test, SRXE_KIND_UD, OPEN_UD, 0), &right, 1, OPEN_QPS);
	open_expect_pass(open_peer_new(test, SRXE_KIND_GSI, OPEN_GSI, 0), &right, 1, OPEN_QPS);
}

/* Never to queue pair 1, by its number or its object's; nor to one of another type. */
static void ud(struct kunit *test)
{
	struct open_peer *peer = open_peer_new(test, SRXE_KIND_UD, OPEN_UD, 0);
	struct open_world *w = test->priv;
	unsigned int to;

	for (to = 0; to <= OPEN_QPS; to++) {
		if (to == OPEN_UD || to == OPEN_UD_OTHER)
			continue;
		denied(peer, IB_OPCODE_UD_SEND_ONLY, open_qpn(to), open_qpn(OPEN_UD),
		       SRXE_CNT_RX_QPN);
	}
	denied(peer, IB_OPCODE_UD_SEND_ONLY, OPEN_GSI_QPN, OPEN_GSI_QPN, SRXE_CNT_RX_QPN);
	denied(peer, IB_OPCODE_UD_SEND_ONLY, w->qps[OPEN_GSI].elem.index, OPEN_GSI_QPN,
	       SRXE_CNT_RX_QPN);
	/* all queue pairs of a domain with the key share the SA */
	peer->right.qpn = open_qpn(OPEN_UD_OTHER);
	open_expect_pass(peer, &peer->right, ++peer->pn, OPEN_UD_OTHER);
}

/* To queue pair 1 alone, and from queue pair 1. */
static void gsi(struct kunit *test)
{
	struct open_peer *peer = open_peer_new(test, SRXE_KIND_GSI, OPEN_GSI, 0);
	struct open_world *w = test->priv;
	unsigned int to;

	for (to = 0; to <= OPEN_QPS; to++) {
		if (to == OPEN_GSI)
			continue;
		denied(peer, IB_OPCODE_UD_SEND_ONLY, open_qpn(to), OPEN_GSI_QPN, SRXE_CNT_RX_QPN);
	}
	denied(peer, IB_OPCODE_UD_SEND_ONLY, w->qps[OPEN_GSI].elem.index, OPEN_GSI_QPN,
	       SRXE_CNT_RX_QPN);
	denied(peer, IB_OPCODE_UD_SEND_ONLY, OPEN_GSI_QPN, open_qpn(OPEN_UD), SRXE_CNT_RX_SOURCE);
	denied(peer, IB_OPCODE_UD_SEND_ONLY, OPEN_GSI_QPN, 0, SRXE_CNT_RX_SOURCE);
	/* what stands beside the number does not count */
	denied(peer, IB_OPCODE_UD_SEND_ONLY, OPEN_GSI_QPN, 0x01000002, SRXE_CNT_RX_SOURCE);
}

/* A tenant's key is good for his own domain, and the link's for those that have none. */
static void tenants(struct kunit *test)
{
	struct open_world *w = test->priv;
	struct open_peer *one = open_peer_new(test, SRXE_KIND_UD, OPEN_UD, 1);
	struct open_peer *two = open_peer_new(test, SRXE_KIND_UD, OPEN_UD_OTHER, 2);
	struct open_peer *host = open_peer_new(test, SRXE_KIND_UD, OPEN_UD, 0);

	w->qps[OPEN_UD].pd = &w->pds[1].pd;
	w->qps[OPEN_UD_OTHER].pd = &w->pds[2].pd;
	denied(one, IB_OPCODE_UD_SEND_ONLY, open_qpn(OPEN_UD_OTHER), open_qpn(OPEN_UD),
	       SRXE_CNT_RX_QPN);
	denied(two, IB_OPCODE_UD_SEND_ONLY, open_qpn(OPEN_UD), open_qpn(OPEN_UD_OTHER),
	       SRXE_CNT_RX_QPN);
	open_expect_drop(host, &host->right, 1, SRXE_CNT_RX_QPN);
	w->qps[OPEN_UD].pd = &w->pds[0].pd;
	open_expect_pass(host, &host->right, 1, OPEN_UD);
	open_expect_drop(one, &one->right, ++one->pn, SRXE_CNT_RX_QPN);
}

/*
 * The number is the SA's, and the queue pair behind it is not, any more: that is seen
 * at the object, when the tag has verified and the number is used up.
 */
static void successor(struct kunit *test)
{
	struct open_peer *peer = open_peer_new(test, SRXE_KIND_RC, OPEN_RC, 0);
	struct open_world *w = test->priv;

	open_expect_pass(peer, &peer->right, 1, OPEN_RC);
	w->conns[OPEN_RC].id++;
	open_expect_late(peer, &peer->right, 2, SRXE_CNT_RX_QPN);
	open_expect_drop(peer, &peer->right, 2, SRXE_CNT_RX_REPLAY);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(other_qp),
	KUNIT_CASE(other_service),
	KUNIT_CASE(ctrl),
	KUNIT_CASE(ud),
	KUNIT_CASE(gsi),
	KUNIT_CASE(tenants),
	KUNIT_CASE(successor),
	{}
};

static struct kunit_suite suite = {
	.name		= "srxe_entitle",
	.init		= open_init,
	.exit		= open_exit,
	.test_cases	= cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit suites of secure-rxe's way in");
MODULE_LICENSE("GPL");
