/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What connections and datagram peers have in common of the world around their
 * handshakes; see struct srxe_hs_ops.
 */
#ifndef SRXE_HS_OPS_H
#define SRXE_HS_OPS_H

#include "srxe_hs.h"

struct srxe_link;

u64 srxe_world_now(struct srxe_hs *hs);
int srxe_world_keys(struct srxe_link *link, const struct in6_addr *peer,
		    struct srxe_ring_key **found, unsigned int max);
const struct srxe_psk_keys *srxe_world_secrets(const struct srxe_ring_key *key);
void srxe_world_policy(const struct srxe_link *link, struct srxe_hs_policy *p);
int srxe_world_sa_key(struct srxe_hs *hs, struct srxe_sa *sa, struct srxe_sa_params *params,
		      enum srxe_sa_state state);
void srxe_world_sa_linger(struct srxe_hs *hs, struct srxe_sa *sa);
bool srxe_world_sa_heard(const struct srxe_sa *sa);
void srxe_world_probe(struct srxe_hs *hs, struct srxe_sa *sa);
void srxe_world_count(struct srxe_link *link, const struct srxe_sa_ends *ends,
		      enum srxe_hs_count what);
void srxe_world_count_msg(struct srxe_link *link, const struct srxe_hs_rx *rx,
			  enum srxe_hs_count what);

#endif /* SRXE_HS_OPS_H */
