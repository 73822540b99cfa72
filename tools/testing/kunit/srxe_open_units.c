// SPDX-License-Identifier: GPL-2.0
/*
 * The way in, SAs and their epochs, and rxe's own receive path behind them, built
 * into a test module apart: other suites have stand-ins for some of it.
 */
#include "srxe_trace.h"

/* The tracepoint is the driver's, and nobody traces here. */
static inline void no_trace(const struct srxe_req *req, const struct rxe_pkt_info *pkt)
{
}

#define trace_srxe_open		no_trace

/* A stand-in takes its place. */
#pragma weak srxe_dgram_entitles

#include "rxe_opcode.c"
#include "rxe_recv.c"
#include "srxe_dgram_qp.c"
#include "srxe_epoch.c"
#include "srxe_open.c"
#include "srxe_req.c"
#include "srxe_sa.c"
