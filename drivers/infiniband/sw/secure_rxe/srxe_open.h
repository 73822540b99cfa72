/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Opening: the way in. See also srxe_hooks.h. */
#ifndef SRXE_OPEN_H
#define SRXE_OPEN_H

struct srxe_req;

void srxe_open_serial(struct srxe_req *req);
void srxe_open_finish(struct srxe_req *req);

#endif /* SRXE_OPEN_H */
