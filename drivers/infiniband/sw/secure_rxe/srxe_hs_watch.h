/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What handshakes do, for whoever watches: events and tracepoints, of connections
 * and of any other kind of SA.
 */
#ifndef SRXE_HS_WATCH_H
#define SRXE_HS_WATCH_H

#include "rxe_hw_counters.h"
#include "srxe_hs.h"

struct srxe_link;

void srxe_hs_watch_msg(const struct srxe_link *link, bool sent, const struct in6_addr *local,
		       const struct in6_addr *peer, const struct srxe_hs_msg *msg);
void srxe_hs_watch_count(struct srxe_link *link, const struct srxe_sa_ends *ends,
			 enum srxe_hs_count what, enum rxe_counters counter);

#endif /* SRXE_HS_WATCH_H */
