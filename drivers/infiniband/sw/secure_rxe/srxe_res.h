/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Queue pairs as "rdma resource show qp -dd" shows them. */
#ifndef SRXE_RES_H
#define SRXE_RES_H

struct ib_qp;
struct sk_buff;

int srxe_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);

#endif /* SRXE_RES_H */
