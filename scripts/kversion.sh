#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Print the version X.Y.Z of the kernel with this build directory.
awk '$2 ~ /^LINUX_VERSION_(MAJOR|PATCHLEVEL|SUBLEVEL)$/ { v = v s $3; s = "." } END { print v }' \
	"$1/include/generated/uapi/linux/version.h"
