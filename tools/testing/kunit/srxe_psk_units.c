// SPDX-License-Identifier: GPL-2.0
/*
 * Keys and rings, built into the test module. What a ring says to the rest of
 * the driver, that a key is gone, the fixture hears.
 */
#include "srxe_psk.c"
#include "srxe_psk_match.c"
#include "srxe_tomb.c"
#include "srxe_ring.c"
#include "srxe_ring_index.c"
#include "srxe_ring_refresh.c"
#include "srxe_ring_lookup.c"
#include "srxe_ring_admin.c"
