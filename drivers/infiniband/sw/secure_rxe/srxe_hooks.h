/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the composed driver calls. Every function here stands for one hook that
 * a semantic patch in hooks/ places; nothing else of ours is called from rxe's
 * files. Each says where it is called and in which context.
 */
#ifndef SRXE_HOOKS_H
#define SRXE_HOOKS_H

#include <linux/types.h>

/*
 * The plain variant has the namespace, identity and link hooks and nothing
 * else: the reference for controls and figures.
 */
#ifdef SRXE_PLAIN
#define SRXE_LINK_TYPE	"rxe-plain"
#else
#define SRXE_LINK_TYPE	"secure-rxe"
#endif

struct ib_device;
struct ib_qp_attr;
struct net;
struct net_device;
struct rxe_cqe;
struct rxe_dev;
struct rxe_mw;
struct rxe_pkt_info;
struct rxe_qp;
struct rxe_send_wqe;
struct sk_buff;
struct socket;

/* Module: rxe_module_init() before the link type is registered, rxe_module_exit() after. */
int srxe_init(void);
void srxe_exit(void);

/* Namespaces: rxe_net_init(), rxe_net_exit(), every place that used init_net. */
int srxe_pernet_init(void);
void srxe_pernet_exit(void);
struct net *srxe_net(const struct rxe_dev *rxe);

/* No longer static in rxe_net.c: called per namespace instead of once (process). */
struct socket *rxe_setup_udp_tunnel(struct net *net, __be16 port, bool ipv6);
void rxe_release_udp_tunnel(struct socket *sk);

/* Links (process, RTNL not held). */
int srxe_link_add(const char *name, struct net_device *ndev);	/* rxe_newlink() */
void srxe_set_ops(struct ib_device *dev);	/* rxe_register_device(), rxe's are set */
int srxe_link_attach(struct rxe_dev *rxe);	/* there, before ib_register_device() */
void srxe_link_release(struct rxe_dev *rxe);	/* end of rxe_dealloc(), last reference */
struct ib_device *srxe_ours(struct ib_device *ibdev);	/* every look-up by netdev; any context */

/* Mappings of rings: rxe_mmap(), rxe_vma_open(), rxe_vma_close() (process). */
void srxe_mapping_get(void);
void srxe_mapping_put(void);

/* Queue pairs (process context). */
void srxe_qp_init(struct rxe_qp *qp);		/* rxe_qp_init_misc(), locks are set up */
int srxe_qp_chk_attr(struct rxe_qp *qp, const struct ib_qp_attr *attr, int mask);
						/* rxe_qp_chk_attr(), before anything changes */
void srxe_qp_modified(struct rxe_qp *qp, const struct ib_qp_attr *attr, int mask);
						/* end of rxe_qp_from_attr(), all is written */
void srxe_qp_reset(struct rxe_qp *qp);		/* rxe_qp_reset(), tasks are disabled */
void srxe_qp_destroy(struct rxe_qp *qp);	/* rxe_destroy_qp(), before the last reference */
void srxe_qp_fini(struct rxe_qp *qp);		/* rxe_qp_do_cleanup(), no reference is left */

/* What rxe_requester() has to do before it builds the next packet of a work request. */
enum srxe_tx_state {
	SRXE_TX_READY,	/* go on */
	SRXE_TX_WAIT,	/* stop the send task; it is scheduled again when things change */
	SRXE_TX_FAILED,	/* wqe->status is set; the queue pair goes to the error state */
};

enum srxe_tx_state srxe_tx_ready(struct rxe_qp *qp, struct rxe_send_wqe *wqe);
void srxe_set_vendor_err(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe,
			 struct rxe_cqe *cqe);	/* make_send_cqe(), status is in the wqe */

/*
 * Transmit: rxe_xmit_packet() hands the finished plain packet over (skb->data
 * at the IP header, ICRC not yet computed); srxe_xmit_tail() is rxe's own tail,
 * moved as it stands, and sends or loops back whatever it gets.
 */
int srxe_seal(struct rxe_qp *qp, struct rxe_pkt_info *pkt, struct sk_buff *skb);
int srxe_xmit_tail(struct sk_buff *skb, struct rxe_pkt_info *pkt);
struct sk_buff *srxe_alloc_skb(unsigned int size);	/* rxe_init_packet(), softirq or process */

/* Head room that sealing takes: rxe_init_packet() reserves it on top of its own. */
#define SRXE_HEADROOM	16	/* SETH */

/*
 * Receive: srxe_pkt_init() zeroes the packet info, first thing of all in
 * rxe_udp_encap_recv(), and keeps the one fact of the IP layer's that is
 * needed, whether the datagram was reassembled. rxe_udp_encap_recv() (softirq)
 * and rxe_loopback() (the sender's context) then hand every packet over,
 * skb->data at the BTH; what may go on is given to rxe_rcv(). srxe_rcv_check()
 * stands where rxe checked the ICRC, with pkt->qp found: last check that the
 * packet is for that very queue pair.
 */
void srxe_pkt_init(struct sk_buff *skb);
void srxe_rcv(struct sk_buff *skb);
int srxe_rcv_check(struct sk_buff *skb, struct rxe_pkt_info *pkt);

#endif /* SRXE_HOOKS_H */
