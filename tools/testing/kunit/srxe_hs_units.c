// SPDX-License-Identifier: GPL-2.0
/*
 * The handshake's state machine, built into the test module.
 */
#include "srxe_hs.c"
#include "srxe_hs_try.c"
#include "srxe_hs_resp.c"
#include "srxe_hs_limit.c"
#include "srxe_hs_party.c"
#include "srxe_hs_past.c"
