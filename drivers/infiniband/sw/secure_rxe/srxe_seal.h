/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Sealing: the way out. See also srxe_hooks.h and srxe_seal_ctrl() in srxe_sa.h. */
#ifndef SRXE_SEAL_H
#define SRXE_SEAL_H

struct rxe_dev;
struct rxe_pkt_info;
struct rxe_qp;
struct sk_buff;
struct srxe_req;
struct srxe_sa;

void srxe_seal_data(struct srxe_sa *sa, const struct rxe_pkt_info *pkt, struct sk_buff *skb);
int srxe_seal_plain(struct rxe_pkt_info *pkt, struct sk_buff *skb);
void srxe_seal_finish(struct srxe_req *req);

/* srxe_dgram_qp.c: queue pair 1 */
bool srxe_gsi(const struct rxe_qp *qp);
struct rxe_qp *srxe_gsi_get(struct rxe_dev *rxe);
void srxe_gsi_gone(const struct rxe_qp *qp);

#endif /* SRXE_SEAL_H */
