/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Sealing: the way out. See also srxe_hooks.h and srxe_seal_ctrl() in srxe_sa.h. */
#ifndef SRXE_SEAL_H
#define SRXE_SEAL_H

struct srxe_req;

void srxe_seal_finish(struct srxe_req *req);

#endif /* SRXE_SEAL_H */
