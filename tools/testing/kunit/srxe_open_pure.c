// SPDX-License-Identifier: GPL-2.0
/*
 * The pure parts once more: the way in has a module of its own.
 */
#include "srxe_units.c"
