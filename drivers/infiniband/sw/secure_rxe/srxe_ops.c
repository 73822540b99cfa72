// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Device operations that rxe lacks.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "rxe.h"
#include "srxe_hooks.h"
#include "srxe_res.h"

/*
 * With this operation the core takes a device away from running programs, else
 * removal of the netdev or its namespace hangs until the last of them ends.
 * There is nothing to do in it: no page of the device is mapped, and rings are
 * ordinary memory that lives as long as its mapping.
 */
static void disassociate_ucontext(struct ib_ucontext *context)
{
}

static const struct ib_device_ops more_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = RXE_UVERBS_ABI_VERSION,

	.disassociate_ucontext = disassociate_ucontext,
#ifndef SRXE_PLAIN
	.fill_res_qp_entry = srxe_fill_res_qp_entry,
#endif
};

/**
 * srxe_set_ops() - add our operations to rxe's
 * @dev: device whose operations are rxe's by now
 *
 * Context: process, before the device is registered.
 */
void srxe_set_ops(struct ib_device *dev)
{
	ib_set_device_ops(dev, &more_ops);
}

/**
 * srxe_mapping_get() - pin the module for a mapping of a ring
 *
 * Where a device can be disassociated, the core does not pin the module for
 * open contexts; a mapping's open and close operations are our code.
 *
 * Context: process; the device or another mapping pins the module.
 */
void srxe_mapping_get(void)
{
	__module_get(THIS_MODULE);
}

/**
 * srxe_mapping_put() - undo srxe_mapping_get()
 *
 * Context: process.
 */
void srxe_mapping_put(void)
{
	/* srxe_pernet_exit() waits until the caller is out of our code */
	module_put(THIS_MODULE);
}
