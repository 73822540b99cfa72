// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The end of datagram peers before that of their link.
 *
 * SAs keep their device registered, and nobody ends those of datagrams: they belong
 * to no queue pair. The core takes a device from its clients first, and then waits
 * for what keeps it. So we are one of them.
 */
#include <rdma/ib_verbs.h>

#include "rxe.h"
#include "srxe_dgram.h"
#include "srxe_policy.h"

static struct ib_client client;

/*
 * Devices of others are none of our business. One of ours may have been removed
 * before, if it moves to another namespace.
 */
static int add_device(struct ib_device *ibdev)
{
	struct rxe_dev *rxe;

	if (ibdev->ops.owner != THIS_MODULE)
		return -EOPNOTSUPP;
	rxe = to_rdev(ibdev);
	srxe_dgrams_open(rxe->sec.link);
	ib_set_client_data(ibdev, &client, rxe);
	return 0;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct rxe_dev *rxe = client_data;

	srxe_dgrams_close(rxe->sec.link);
}

static struct ib_client client = {
	.name	= KBUILD_MODNAME,
	.add	= add_device,
	.remove	= remove_device,
};

/**
 * srxe_dgram_init() - hear of links that go
 *
 * Context: process, module load.
 * Return: 0 or an error.
 */
int srxe_dgram_init(void)
{
	return ib_register_client(&client);
}

/**
 * srxe_dgram_exit() - undo srxe_dgram_init()
 *
 * Context: process, module unload; no link is left.
 */
void srxe_dgram_exit(void)
{
	ib_unregister_client(&client);
}
