// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Start and end of the protection layer, in order. Whatever a later line
 * brings up may use what an earlier one did, and the end runs backwards.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "srxe_dgram.h"
#include "srxe_genl.h"
#include "srxe_hooks.h"
#include "srxe_hs_io.h"
#include "srxe_pm.h"
#include "srxe_ring.h"
#include "srxe_sa.h"

/**
 * srxe_init() - bring up everything that links need
 *
 * Called before the link type is registered, so nothing is in use yet.
 *
 * Context: process, module load.
 * Return: 0, or the error of the first part that did not come up, with all
 * that did taken down again.
 */
int srxe_init(void)
{
	int err;

	err = srxe_sa_init();
	if (err)
		return err;
	err = srxe_psk_register();
	if (err)
		goto err_sa;
	err = srxe_hs_init();
	if (err)
		goto err_psk;
	err = srxe_dgram_init();
	if (err)
		goto err_hs;
	err = srxe_pm_init();
	if (err)
		goto err_dgram;
	err = srxe_genl_init();
	if (err)
		goto err_pm;
	return 0;

err_pm:
	srxe_pm_exit();
err_dgram:
	srxe_dgram_exit();
err_hs:
	srxe_hs_exit();
err_psk:
	srxe_psk_unregister();
err_sa:
	srxe_sa_exit();
	return err;
}

/**
 * srxe_exit() - take everything down
 *
 * Every link pins the module, so there is none left, hence no SA, no handshake
 * and no keyring; what can still be running is work and RCU callbacks of ours,
 * which each part waits for.
 *
 * Context: process, module unload, after the link type is unregistered.
 */
void srxe_exit(void)
{
	srxe_genl_exit();
	srxe_pm_exit();
	srxe_dgram_exit();
	srxe_hs_exit();
	srxe_psk_unregister();
	srxe_sa_exit();
}
