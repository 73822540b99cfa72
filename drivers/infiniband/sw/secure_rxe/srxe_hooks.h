/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the composed driver calls. Every function here stands for one hook that
 * a semantic patch in hooks/ places; nothing else of ours is called from rxe's
 * files. Each says where it is called and in which context.
 */
#ifndef SRXE_HOOKS_H
#define SRXE_HOOKS_H

#include <linux/bits.h>
#include <linux/nospec.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

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
union ib_gid;
struct net;
struct net_device;
struct rxe_cqe;
struct rxe_dev;
struct rxe_dma_info;
struct rxe_mr;
struct rxe_mw;
struct rxe_pkt_info;
struct rxe_pool;
struct rxe_port;
struct rxe_qp;
struct rxe_queue;
struct rxe_send_wqe;
struct sk_buff;
struct socket;

/*
 * Packet info of ours: bits in rxe_pkt_info.srxe_flags, which like
 * rxe_pkt_info.srxe_conn_id has a meaning on receive only.
 */
#define SRXE_PKT_REASSEMBLED	BIT(0)	/* came in IP fragments */
#define SRXE_PKT_OPENED		BIT(1)	/* its tag verified; srxe_conn_id is set */
#define SRXE_PKT_NO_ICRC	BIT(2)	/* there is no ICRC in it */
#define SRXE_PKT_UD		BIT(3)	/* opened, its SA is of that kind, ... */
#define SRXE_PKT_GSI		BIT(4)	/* ... or of this one */

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
int srxe_link_attach(struct rxe_dev *rxe, const char *name);
					/* there, before ib_register_device() */
void srxe_link_release(struct rxe_dev *rxe);	/* end of rxe_dealloc(), last reference */
struct ib_device *srxe_ours(struct ib_device *ibdev);	/* every look-up by netdev; any context */

/* Mappings of rings: rxe_mmap(), rxe_vma_open(), rxe_vma_close() (process). */
void srxe_mapping_get(void);
void srxe_mapping_put(void);

/* Queue pairs (process context). */
void srxe_qp_init(struct rxe_qp *qp);		/* rxe_qp_init_misc(), locks are set up */
int srxe_qp_chk_attr(struct rxe_qp *qp, const struct ib_qp_attr *attr, int mask);
						/* rxe_qp_chk_attr(), before anything changes */
enum ib_mtu srxe_max_path_mtu(struct rxe_port *port);	/* rxe_qp_chk_attr() */
enum ib_mtu srxe_path_mtu(struct rxe_qp *qp, enum ib_mtu mtu);	/* rxe_qp_from_attr() */
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
int srxe_xmit_code(int code);	/* rxe_send(), what ip_local_out() returned */
struct sk_buff *srxe_alloc_skb(unsigned int size);
				/* rxe_init_packet(), softirq or process; our room reserved */

/*
 * Receive: srxe_pkt_init() zeroes the packet info, first thing of all in
 * rxe_udp_encap_recv(), and keeps the one fact of the IP layer's that is
 * needed, whether the datagram was reassembled; srxe_pkt_loopback() does in
 * rxe_loopback() what rxe_udp_encap_recv() does for the wire. Either way rxe
 * (with a reference to the device), port_num, mask, hdr and paylen are then
 * set, and all else is zero.
 *
 * rxe_udp_encap_recv() (softirq) and rxe_loopback() (the sender's context) then
 * hand every packet over, skb->data at the BTH; what may go on is given to
 * rxe_rcv(). srxe_rcv_check() stands where rxe checked the ICRC, with pkt->qp
 * found: last check that the packet is for that very queue pair. It is made
 * again when a task of the queue pair takes the packet from its queue.
 */
void srxe_pkt_init(struct sk_buff *skb);
void srxe_pkt_loopback(struct sk_buff *skb, const struct rxe_pkt_info *sent);
void srxe_rcv(struct sk_buff *skb);
int srxe_rcv_check(struct sk_buff *skb, struct rxe_pkt_info *pkt);
struct sk_buff *srxe_next_request(struct rxe_qp *qp);	/* get_req(), still queued */
struct sk_buff *srxe_next_response(struct rxe_qp *qp);	/* rxe_completer(), taken out */

/* Responder: check_rkey(), the window is held (softirq in 6.1, else process). */
int srxe_check_mw(const struct rxe_qp *qp, const struct rxe_pkt_info *pkt,
		  struct rxe_mw *mw, const struct rxe_mr *mr);

/* Windows of a queue pair: rxe_do_local_ops(), rxe_destroy_qp() (process). */
int srxe_bind_mw(struct rxe_qp *qp, struct rxe_send_wqe *wqe);
void srxe_unbind_windows(struct rxe_qp *qp);
#ifndef SRXE_PLAIN
void rxe_do_invalidate_mw(struct rxe_mw *mw);	/* rxe_mw.c, no longer static; mw->lock held */
#endif

/*
 * Datagrams: init_req_packet(), which Q_Key is sent (the send task);
 * rxe_attach_mcast(), before anything is done (process).
 */
u32 srxe_wr_qkey(const struct rxe_qp *qp, u32 qkey);
int srxe_attach_mcast(const struct rxe_qp *qp, const union ib_gid *mgid);

/* Objects: __rxe_cleanup(), the object cannot be found any more (process, may sleep). */
void srxe_pool_erased(const struct rxe_pool *pool);

/* Work requests: rxe_do_local_ops(), and every use of an opcode as an index. */
int srxe_reg_fast_mr(struct rxe_qp *qp, struct rxe_send_wqe *wqe);

extern const unsigned int srxe_wr_opcode_count;	/* rxe_opcode.c, size of its table */

static inline bool srxe_wr_opcode_ok(int *opcode)
{
	if ((unsigned int)*opcode >= srxe_wr_opcode_count)
		return false;
	*opcode = array_index_nospec(*opcode, srxe_wr_opcode_count);
	return true;
}

/*
 * Rings of work requests: wherever payload is copied by what a request says
 * (send task, receive task), where a request fails, and where a ring is emptied.
 */
int srxe_copy_send(struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		   unsigned int length);
int srxe_copy_response(struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		       unsigned int length);
int srxe_copy_recv(struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		   unsigned int length);
int srxe_skip_send(const struct rxe_qp *qp, struct rxe_dma_info *dma, unsigned int length);
int srxe_copy_inline(const struct rxe_qp *qp, struct rxe_dma_info *dma, void *addr,
		     unsigned int length);
int srxe_copy_atomic_write(struct rxe_dma_info *dma, void *addr, unsigned int length);
void srxe_fail_wqe(struct rxe_send_wqe *wqe);
bool srxe_settled(const struct rxe_qp *qp, struct rxe_send_wqe *wqe);	/* req_retry() */
bool srxe_skip_settled(struct rxe_qp *qp, struct rxe_send_wqe *wqe);	/* rxe_requester() */
void srxe_send_again(const struct rxe_qp *qp, struct rxe_send_wqe *wqe);	/* req_retry() */
bool srxe_ring_round(const struct rxe_queue *q, unsigned int *taken);
void *srxe_ring_next(struct rxe_queue *q, unsigned int *taken);

#endif /* SRXE_HOOKS_H */
