// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Copies of this machine, and times when it stands still.
 *
 * A machine restored from a snapshot goes on with the packet numbers of the
 * time it was taken, and so does the next one restored from it, or the one that
 * never stopped: under the same key that gives two packets with one nonce. So
 * every SA ends, and every handshake, whose random values are no longer only
 * ours. A hypervisor tells by vmgenid; without it a copy cannot be known.
 *
 * Before the machine itself is suspended or hibernated all ends as well, and
 * nothing is made anew until it runs again: an image has no SA in it.
 */
#include <linux/notifier.h>
#include <linux/random.h>
#include <linux/suspend.h>

#include "srxe_conn.h"
#include "srxe_hs_io.h"
#include "srxe_pm.h"

static bool stopping;

static void end_link(struct srxe_link *link)
{
	srxe_conn_end_link(link, SRXE_VERR_SA_LOST);
}

static int vm_forked(struct notifier_block *nb, unsigned long action, void *data)
{
	srxe_hs_each_link(end_link);
	return NOTIFY_OK;
}

static int pm_event(struct notifier_block *nb, unsigned long action, void *data)
{
	switch (action) {
	case PM_HIBERNATION_PREPARE:
	case PM_SUSPEND_PREPARE:
	case PM_RESTORE_PREPARE:
		WRITE_ONCE(stopping, true);
		srxe_hs_each_link(end_link);
		break;
	case PM_POST_HIBERNATION:
	case PM_POST_SUSPEND:
	case PM_POST_RESTORE:
		WRITE_ONCE(stopping, false);
		break;
	default:
		return NOTIFY_DONE;
	}
	return NOTIFY_OK;
}

static struct notifier_block vmfork_nb = { .notifier_call = vm_forked };
static struct notifier_block pm_nb = { .notifier_call = pm_event };

/**
 * srxe_pm_stopping() - is the machine about to stand still?
 *
 * Who has made an SA after a false here, while the answer changed, has it
 * ended: srxe_conn_end_link() waits for his handshake to be unlocked.
 *
 * Context: process, the handshake that wants the SA locked.
 * Return: true if no SA may be made.
 */
bool srxe_pm_stopping(void)
{
	return READ_ONCE(stopping);
}

/**
 * srxe_pm_init() - hear of copies and of standing still
 *
 * Context: process, module load.
 * Return: 0 or an error.
 */
int srxe_pm_init(void)
{
	int err;

	err = register_pm_notifier(&pm_nb);
	if (err)
		return err;
	err = register_random_vmfork_notifier(&vmfork_nb);
	if (err)
		unregister_pm_notifier(&pm_nb);
	return err;
}

/**
 * srxe_pm_exit() - undo srxe_pm_init()
 *
 * Context: process, module unload.
 */
void srxe_pm_exit(void)
{
	unregister_random_vmfork_notifier(&vmfork_nb);
	unregister_pm_notifier(&pm_nb);
}
