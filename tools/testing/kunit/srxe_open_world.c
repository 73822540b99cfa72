// SPDX-License-Identifier: GPL-2.0
#include <linux/ip.h>
#include <linux/udp.h>

#include "rxe.h"
#include "rxe_loc.h"
#include "srxe_hooks.h"
#include "srxe_open_world.h"
#include "srxe_pkt.h"

/* Number of queue pair 1 as an object. */
#define GSI_INDEX	16

#define HERE		0x0a000001
#define THERE		0x0a000002
#define QKEY		0x11111111
#define MODE		SRXE_MODE_ENCRYPT
#define SUITE		SRXE_SUITE_AES256_GCM
#define PAYLOAD		16
#define OUTER		(sizeof(struct iphdr) + sizeof(struct udphdr))

/**
 * open_qpn() - number of a queue pair on the wire
 * @qp: which
 *
 * Context: any.
 * Return: the number; for OPEN_QPS one that nobody has.
 */
u32 open_qpn(enum open_qp qp)
{
	return qp == OPEN_GSI ? OPEN_GSI_QPN : OPEN_QPN + qp;
}

static void make_qp(struct open_world *w, enum open_qp which, enum ib_qp_type type)
{
	struct rxe_qp *qp = &w->qps[which];
	struct srxe_conn *conn = &w->conns[which];

	kref_init(&qp->elem.ref_cnt);
	qp->elem.index = which == OPEN_GSI ? GSI_INDEX : open_qpn(which);
	qp->ibqp.device = &w->rxe.ib_dev;
	qp->ibqp.qp_type = type;
	qp->ibqp.qp_num = open_qpn(which);
	qp->valid = 1;
	qp->attr.qp_state = IB_QPS_RTS;
	qp->attr.port_num = 1;
	qp->attr.qkey = QKEY;
	qp->pri_av.sgid_addr._sockaddr_in.sin_addr.s_addr = htonl(HERE);
	qp->pri_av.dgid_addr._sockaddr_in.sin_addr.s_addr = htonl(THERE);
	qp->pd = &w->pds[0].pd;
	spin_lock_init(&qp->state_lock);
	skb_queue_head_init(&qp->req_pkts);
	skb_queue_head_init(&qp->resp_pkts);
	if (type != IB_QPT_RC && type != IB_QPT_UC)
		return;
	kref_init(&conn->ref);
	conn->qp = qp;
	conn->id = 1000 + which;
	INIT_LIST_HEAD(&conn->sas);
	qp->sec.conn = conn;
}

static void make_link(struct open_world *w)
{
	struct srxe_link *link = &w->link;

	refcount_set(&w->rxe.ib_dev.refcount, 1);
	init_completion(&w->rxe.ib_dev.unreg_completion);
	w->rxe.port.qp_gsi_index = GSI_INDEX;
	w->rxe.sec.net = &init_net;
	w->rxe.sec.link = link;
	link->rxe = &w->rxe;
	link->net = &init_net;
	link->settings.mode = MODE;
	spin_lock_init(&link->sa_lock);
	INIT_LIST_HEAD(&link->sas);
}

/**
 * open_init() - a world for a test, in its priv
 * @test: test
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int open_init(struct kunit *test)
{
	static const enum ib_qp_type types[] = {
		[OPEN_RC]	= IB_QPT_RC,
		[OPEN_RC_OTHER]	= IB_QPT_RC,
		[OPEN_UC]	= IB_QPT_UC,
		[OPEN_UD]	= IB_QPT_UD,
		[OPEN_UD_OTHER]	= IB_QPT_UD,
		[OPEN_GSI]	= IB_QPT_GSI,
	};
	struct open_world *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned int i;
	int err;

	if (!w)
		return -ENOMEM;
	w->test = test;
	w->key.expiry = TIME64_MAX;
	make_link(w);
	for (i = 0; i < OPEN_PDS; i++) {
		refcount_set(&w->keys[i].ref, 1);
		w->keys[i].key = &w->key;
		w->pds[i].key = &w->keys[i];
	}
	for (i = 0; i < OPEN_QPS; i++)
		make_qp(w, i, types[i]);
	w->link.spis = srxe_spi_share_new(SRXE_SPI_SHARE);
	if (!w->link.spis)
		return -ENOMEM;
	err = srxe_sa_init();
	if (err) {
		srxe_spi_share_put(w->link.spis);
		return err;
	}
	test->priv = w;
	return 0;
}

/**
 * open_exit() - the end of a world; whatever took a reference has given it back
 * @test: test
 *
 * Context: process.
 */
void open_exit(struct kunit *test)
{
	struct open_world *w = test->priv;
	struct srxe_sa *sa, *next;
	unsigned int i;

	if (!w)
		return;
	list_for_each_entry_safe(sa, next, &w->link.sas, entry) {
		srxe_sa_end(sa);
		srxe_sa_put(sa);
	}
	srxe_sa_exit();
	srxe_spi_share_put(w->link.spis);
	for (i = 0; i < OPEN_QPS; i++) {
		KUNIT_EXPECT_EQ(test, kref_read(&w->qps[i].elem.ref_cnt), 1);
		if (w->qps[i].sec.conn)
			KUNIT_EXPECT_EQ(test, kref_read(&w->conns[i].ref), 1);
	}
	for (i = 0; i < OPEN_PDS; i++)
		KUNIT_EXPECT_EQ(test, refcount_read(&w->keys[i].ref), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&w->rxe.ib_dev.refcount), 1);
}

static u8 opcode_of(u8 kind)
{
	switch (kind) {
	case SRXE_KIND_RC:
		return IB_OPCODE_RC_SEND_ONLY;
	case SRXE_KIND_UC:
		return IB_OPCODE_UC_SEND_ONLY;
	default:
		return IB_OPCODE_UD_SEND_ONLY;
	}
}

/**
 * open_peer_new() - another SA, made with a peer
 * @test: test with a world
 * @kind: enum srxe_kind
 * @to: queue pair it is entitled to, for UD one of those
 * @key: number of the key it is made under
 *
 * Context: process.
 * Return: the peer, with the SA's keys.
 */
struct open_peer *open_peer_new(struct kunit *test, u8 kind, enum open_qp to,
				unsigned int key)
{
	struct open_peer *peer = kunit_kzalloc(test, sizeof(*peer), GFP_KERNEL);
	struct srxe_sa_params p = { .mode = MODE, .suite = SUITE, .peer_spi = SRXE_SPI_MIN };
	struct open_world *w = test->priv;
	struct srxe_conn *conn = w->qps[to].sec.conn;
	struct srxe_sa_ends ends = { .kind = kind };
	u8 keymat[SRXE_KEYMAT_MAX];

	KUNIT_ASSERT_NOT_NULL(test, peer);
	ipv6_addr_set_v4mapped(htonl(HERE), &ends.lgid);
	ipv6_addr_set_v4mapped(htonl(THERE), &ends.rgid);
	if (!srxe_kind_is_dgram(kind)) {
		ends.lqpn = open_qpn(to);
		ends.rqpn = ends.lqpn;
		ends.conn_id = conn->id;
	}
	peer->w = w;
	peer->to = to;
	peer->right.opcode = opcode_of(kind);
	peer->right.qpn = open_qpn(to);
	peer->right.from = open_qpn(to);

	/* it was the peer's handshake, so the first chain is what it sends under */
	fill(p.chain[0], kind, SRXE_SECRET_LEN);
	fill(p.chain[1], kind + 100, SRXE_SECRET_LEN);
	KUNIT_ASSERT_EQ(test, 0, srxe_epoch_keymat(p.chain[0], srxe_suite_by_id(SUITE), MODE,
						   keymat));
	peer->key = packet_key_new(test, SUITE, NULL, keymat);
	peer->sa = srxe_sa_alloc(&w->link, &ends, &w->keys[key], conn, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(peer->sa));
	KUNIT_ASSERT_EQ(test, 0, srxe_sa_key(peer->sa, &p, SRXE_SA_STANDING));
	return peer;
}

/* What the peer makes of it, from the BTH on, sealed: the tag is good. */
static void write_packet(struct open_peer *peer, const struct open_aim *aim, u64 pn,
			 u8 *hdr, unsigned int len, unsigned int ext_len)
{
	struct kunit *test = peer->w->test;
	struct srxe_seth_fields seth = {
		.pn = pn, .spi = peer->sa->spi, .mode = MODE, .rx_epoch = SRXE_EPOCH_FIRST_READY,
	};
	struct srxe_bth *bth = (struct srxe_bth *)hdr;
	__be32 *deth = (__be32 *)(hdr + SRXE_BASE_LEN);
	struct srxe_frame f;

	bth->opcode = aim->opcode;
	bth->pkey = cpu_to_be16(SRXE_BTH_PKEY);
	bth->qpn = cpu_to_be32(aim->qpn);
	srxe_bth_seal(bth);
	srxe_seth_build((struct srxe_seth *)(bth + 1), &seth);
	if (aim->opcode == IB_OPCODE_UD_SEND_ONLY) {
		deth[0] = cpu_to_be32(aim->qpn == OPEN_GSI_QPN ? GSI_QKEY : QKEY);
		deth[1] = cpu_to_be32(aim->from);
	}
	KUNIT_ASSERT_EQ(test, 0, srxe_frame_layout(&f, hdr, len, ext_len, false));
	KUNIT_ASSERT_EQ(test, 0, packet_crypt(peer->key, &f, hdr, true));
	KUNIT_ASSERT_EQ(test, 0, packet_open(peer->key, exact_copy(test, hdr, len), len,
					     ext_len, false));
}

static struct sk_buff *make_packet(struct open_peer *peer, const struct open_aim *aim, u64 pn)
{
	bool ctrl = aim->opcode == SRXE_OP_CTRL;
	unsigned int ext_len = ctrl ? 0 : rxe_opcode[aim->opcode].length - sizeof(struct srxe_bth);
	unsigned int payload = ctrl ? sizeof(struct srxe_ctrl) : PAYLOAD;
	unsigned int len = srxe_frame_sealed_len(sizeof(struct srxe_bth) + ext_len + payload, 0,
						 MODE, ctrl);
	struct sk_buff *skb = alloc_skb(OUTER + len, GFP_KERNEL);
	struct iphdr *iph;

	KUNIT_ASSERT_NOT_NULL(peer->w->test, skb);
	skb->protocol = htons(ETH_P_IP);
	iph = skb_put_zero(skb, OUTER);
	iph->version = 4;
	iph->ihl = 5;
	iph->saddr = htonl(THERE);
	iph->daddr = htonl(HERE);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(*iph));
	skb_pull(skb, OUTER);
	srxe_set_lengths(skb, len);
	write_packet(peer, aim, pn, skb_put_zero(skb, len), len, ext_len);
	return skb;
}

static void receive(struct open_world *w, struct sk_buff *skb)
{
	struct rxe_pkt_info *pkt = SKB_TO_PKT(skb);

	KUNIT_ASSERT_TRUE(w->test, ib_device_try_get(&w->rxe.ib_dev));
	memset(pkt, 0, sizeof(*pkt));
	pkt->rxe = &w->rxe;
	pkt->hdr = skb->data;
	pkt->paylen = skb->len;
	pkt->port_num = 1;
	pkt->mask = RXE_LOOPBACK_MASK;	/* no table of addresses is asked */
	srxe_rcv(skb);
}

/* Takes what a queue pair got; returns how much that was. */
static unsigned int take(struct rxe_qp *qp, struct sk_buff_head *queue)
{
	unsigned int n = 0;
	struct sk_buff *skb;

	while ((skb = skb_dequeue(queue))) {
		kfree_skb(skb);
		ib_device_put(qp->ibqp.device);
		rxe_put(qp);
		n++;
	}
	return n;
}

/**
 * struct outcome - what becomes of a packet
 * @why: counter of the drop, 0 if it is not dropped
 * @opened: its tag has been looked at, and its number is used up
 * @to: who gets it, OPEN_QPS for nobody
 */
struct outcome {
	int		why;
	bool		opened;
	enum open_qp	to;
};

static void expect_counts(struct open_world *w, const u64 *before, const struct outcome *want)
{
	unsigned int i, n;

	for (i = 0; i < RXE_NUM_OF_COUNTERS; i++) {
		n = (want->why && i == want->why) ||
		    (want->opened && i == SRXE_CNT_RX_OPENED) ||
		    (want->to != OPEN_QPS && i == RXE_CNT_RCVD_PKTS);
		KUNIT_EXPECT_EQ_MSG(w->test, atomic64_read(&w->rxe.stats_counters[i]) - before[i],
				    n, "counter %u", i);
	}
}

static void expect_window(struct open_peer *peer, u64 pn, const struct srxe_replay *before,
			  bool opened)
{
	const struct srxe_replay *now = &peer->sa->rx.window;
	struct kunit *test = peer->w->test;

	KUNIT_EXPECT_EQ(test, peer->sa->rx.fifo.inflight, 0);
	KUNIT_EXPECT_EQ(test, peer->sa->state, SRXE_SA_STANDING);
	if (opened) {
		KUNIT_EXPECT_EQ(test, srxe_replay_check(before, pn), SRXE_REPLAY_OK);
		KUNIT_EXPECT_EQ(test, srxe_replay_check(now, pn), SRXE_REPLAY_SEEN);
		return;
	}
	KUNIT_EXPECT_EQ(test, now->top, before->top);
	KUNIT_EXPECT_MEMEQ(test, now->map, before->map, (now->mask + 1) / BITS_PER_BYTE);
}

static void expect(struct open_peer *peer, const struct open_aim *aim, u64 pn,
		   const struct outcome *want)
{
	struct sk_buff *skb = make_packet(peer, aim, pn);
	struct srxe_replay window = peer->sa->rx.window;
	u64 counts[RXE_NUM_OF_COUNTERS];
	struct open_world *w = peer->w;
	unsigned int i;

	window.map = exact_copy(w->test, window.map, (window.mask + 1) / BITS_PER_BYTE);
	for (i = 0; i < RXE_NUM_OF_COUNTERS; i++)
		counts[i] = atomic64_read(&w->rxe.stats_counters[i]);
	receive(w, skb);
	expect_counts(w, counts, want);
	expect_window(peer, pn, &window, want->opened);
	for (i = 0; i < OPEN_QPS; i++) {
		KUNIT_EXPECT_EQ_MSG(w->test, take(&w->qps[i], &w->qps[i].req_pkts),
				    i == want->to, "queue pair %u", i);
		KUNIT_EXPECT_EQ(w->test, take(&w->qps[i], &w->qps[i].resp_pkts), 0);
	}
}

/**
 * open_expect_drop() - a packet is dropped, and nothing but a counter has changed
 * @peer: who sends it
 * @aim: the packet
 * @pn: its number
 * @why: the counter
 *
 * Context: process.
 */
void open_expect_drop(struct open_peer *peer, const struct open_aim *aim, u64 pn, int why)
{
	const struct outcome want = { .why = why, .to = OPEN_QPS };

	expect(peer, aim, pn, &want);
}

/**
 * open_expect_late() - a packet is opened, and dropped then
 * @peer: who sends it
 * @aim: the packet
 * @pn: its number
 * @why: the counter
 *
 * Context: process.
 */
void open_expect_late(struct open_peer *peer, const struct open_aim *aim, u64 pn, int why)
{
	const struct outcome want = { .why = why, .opened = true, .to = OPEN_QPS };

	expect(peer, aim, pn, &want);
}

/**
 * open_expect_pass() - a packet gets where it should
 * @peer: who sends it
 * @aim: the packet
 * @pn: its number
 * @to: the queue pair, OPEN_QPS if it ends with us
 *
 * Context: process.
 */
void open_expect_pass(struct open_peer *peer, const struct open_aim *aim, u64 pn,
		      enum open_qp to)
{
	const struct outcome want = { .opened = true, .to = to };

	expect(peer, aim, pn, &want);
}
