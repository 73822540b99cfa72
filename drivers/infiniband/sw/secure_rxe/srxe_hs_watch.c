// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What handshakes do, for whoever watches.
 */
#include "rxe.h"
#include "srxe_hs_watch.h"
#include "srxe_notify.h"
#include "srxe_policy.h"

/**
 * srxe_hs_watch_count() - something was counted
 * @link: link
 * @ends: what is known of the handshake's ends; the rest is 0
 * @what: what
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_hs_watch_count(struct srxe_link *link, const struct srxe_sa_ends *ends,
			 enum srxe_hs_count what)
{
	switch (what) {
	case SRXE_HS_COUNT_NO_KEY:
		srxe_notify_auth_failed(link, ends, SRXE_AUTH_CAUSE_UNKNOWN_KEY);
		break;
	case SRXE_HS_COUNT_MAC:
		srxe_notify_auth_failed(link, ends, SRXE_AUTH_CAUSE_BAD_MAC);
		break;
	default:
		break;
	}
}

/**
 * srxe_hs_watch_failed() - a handshake that we had begun came to nothing
 * @link: link
 * @ends: between whom
 * @why: reason
 * @key_id: id of the key it was made under, or NULL
 *
 * Context: any but hard interrupts; the device is registered.
 */
void srxe_hs_watch_failed(struct srxe_link *link, const struct srxe_sa_ends *ends,
			  enum srxe_vendor_err why, const u8 *key_id)
{
	srxe_notify_hs_failed(link, ends, why, key_id);
}
