// SPDX-License-Identifier: GPL-2.0
/*
 * The units under test, built into the test module: so the suites run without
 * the driver, and the driver's objects belong to the driver alone.
 */
#include "srxe_kdf.c"
#include "srxe_suite.c"
#include "srxe_replay.c"
#include "srxe_frame.c"
#include "srxe_hs_msg.c"
#include "srxe_hs_body.c"
#include "srxe_spi.c"
#include "srxe_tally.c"
