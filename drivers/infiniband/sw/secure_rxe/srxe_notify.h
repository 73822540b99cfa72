/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Events for administrators, by netlink, to those of the link's network namespace
 * who have joined the group. While nobody has, a call costs a look at a bit.
 *
 * SAs and keys are told of as it happens. Failures, which somebody else may cause
 * as often as he likes, are counted (srxe_tally.h) and told by a work.
 *
 * No event has anything secret in it. Those that get lost for want of memory are
 * counted (events_lost), and every reader is told by ENOBUFS.
 */
#ifndef SRXE_NOTIFY_H
#define SRXE_NOTIFY_H

#include <linux/types.h>
#include <rdma/srxe_netlink.h>
#include <rdma/srxe_wire.h>

struct srxe_link;
struct srxe_ring_key;
struct srxe_sa;
struct srxe_sa_ends;

/* Beginning and end of a link's, before and after all that may have something to tell. */
int srxe_notify_attach(struct srxe_link *link);
void srxe_notify_detach(struct srxe_link *link);

void srxe_notify_sa_up(const struct srxe_sa *sa);
void srxe_notify_sa_down(const struct srxe_sa *sa);
void srxe_notify_key_gone(struct srxe_link *link, const struct srxe_ring_key *key);
void srxe_notify_hs_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			   enum srxe_vendor_err why, const u8 *key_id);
void srxe_notify_auth_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			     enum srxe_auth_cause cause);

#endif /* SRXE_NOTIFY_H */
