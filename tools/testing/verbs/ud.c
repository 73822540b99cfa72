// SPDX-License-Identifier: GPL-2.0
/* Datagrams: where they go, and the header in front of what came. */
#include <errno.h>
#include <string.h>
#include <netinet/in.h>
#include "traffic.h"

/* Where an IPv4 header stands in the 40 bytes of a RoCE v2 receive. */
#define GRH_IPV4	20

bool is_ud(const struct endpoint *ep)
{
	return ep->o->qp_type == IBV_QPT_UD;
}

/* Bytes in front of a received message. */
uint32_t ud_grh_len(const struct endpoint *ep)
{
	return is_ud(ep) ? GRH_LEN : 0;
}

/* Datagrams posted from now on go there. */
int ud_aim(struct endpoint *ep, const struct ud_target *to)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = to->gid, .sgid_index = ep->gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *ah = ibv_create_ah(ep->pd, &attr);

	if (!ah)
		return errno;
	if (ep->ah)
		ibv_destroy_ah(ep->ah);
	ep->ah = ah;
	ep->to = *to;
	return 0;
}

void ud_lower(struct endpoint *ep)
{
	if (ep->ah)
		ibv_destroy_ah(ep->ah);
	ep->ah = NULL;
}

/* Our end and the peer's, as the header's addresses must say. */
static bool grh_fits(const struct endpoint *ep, const uint8_t *grh)
{
	const uint8_t *from = ep->remote.gid.raw, *to = ep->gid.raw;

	if (IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)from))
		return grh[GRH_IPV4] == 0x45 && grh[GRH_IPV4 + 9] == IPPROTO_UDP &&
		       !memcmp(grh + GRH_IPV4 + 12, from + 12, 4) &&
		       !memcmp(grh + GRH_IPV4 + 16, to + 12, 4);
	return grh[0] >> 4 == 6 && grh[6] == IPPROTO_UDP && !memcmp(grh + 8, from, 16) &&
	       !memcmp(grh + 24, to, 16);
}

/*
 * What a receive says beside its message: who sent it, and from where. @grh is what
 * stands in front of the message. The completion's length becomes the message's.
 */
int ud_check(const struct endpoint *ep, struct ibv_wc *wc, const uint8_t *grh, char *reason)
{
	if (wc->byte_len < GRH_LEN || !(wc->wc_flags & IBV_WC_GRH))
		snprintf(reason, REASON_LEN, "datagram of %u bytes, wc_flags 0x%x", wc->byte_len,
			 wc->wc_flags);
	else if (wc->src_qp != ep->remote.qpn)
		snprintf(reason, REASON_LEN, "datagram from QP %u, not %u", wc->src_qp,
			 ep->remote.qpn);
	else if (!grh_fits(ep, grh))
		snprintf(reason, REASON_LEN, "GRH of other addresses");
	else
		goto ok;
	return -EBADMSG;
ok:
	wc->byte_len -= GRH_LEN;
	return 0;
}
