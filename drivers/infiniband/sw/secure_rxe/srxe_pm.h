/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Copies of this machine, and times when it stands still. */
#ifndef SRXE_PM_H
#define SRXE_PM_H

#include <linux/types.h>

int srxe_pm_init(void);
void srxe_pm_exit(void);
bool srxe_pm_stopping(void);

#endif /* SRXE_PM_H */
