#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Finds the kernels a guest can run: Debian's own and the debug kernel.

As a program, prints the release of Debian's kernel for the guests.
"""

import glob
import os
import re
import sys
from dataclasses import dataclass


class NoKernel(Exception):
    """No kernel of the wanted kind; the text says what to do."""


@dataclass(frozen=True)
class Kernel:
    """A bootable kernel with its modules."""

    kind: str  # "debian" or "debug"
    release: str  # what uname -r prints
    image: str  # file for qemu -kernel
    modules: str  # directory as /lib/modules/<release>, for the guest


def version_key(release):
    """Sorts releases by their numbers: 6.12.9 before 6.12.117."""
    return [int(number) for number in re.findall(r"\d+", release)]


def find_debian(release=None):
    """The installed Debian kernel of that release, or the newest 6.12 with headers."""
    found = []
    for image in glob.glob(f"/boot/vmlinuz-{release or '6.12.*'}"):
        name = os.path.basename(image)[len("vmlinuz-"):]
        if os.path.exists(f"/lib/modules/{name}/build/Makefile"):
            found.append(name)
    if not found:
        raise NoKernel(f"no kernel {release or '6.12'} with headers for the guest: run 'make setup'")
    best = max(found, key=version_key)
    return Kernel("debian", best, f"/boot/vmlinuz-{best}", f"/lib/modules/{best}")


def find_debug(output):
    """The debug kernel that debug-kernel.sh built in that directory."""
    image = os.path.join(output, "vmlinux")
    modules = glob.glob(os.path.join(output, "install", "lib", "modules", "*"))
    if not os.path.exists(image) or len(modules) != 1:
        raise NoKernel(f"no debug kernel in {output}: run 'make debug-kernel'")
    return Kernel("debug", os.path.basename(modules[0]), image, modules[0])


if __name__ == "__main__":
    try:
        print(find_debian().release)
    except NoKernel as problem:
        sys.exit(f"kernels.py: {problem}")
