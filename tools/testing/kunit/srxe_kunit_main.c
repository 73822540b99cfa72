// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit module of secure-rxe's pure parts; each suite is in a file of its own.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of secure-rxe");
MODULE_LICENSE("GPL");
