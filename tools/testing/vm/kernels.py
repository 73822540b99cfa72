# SPDX-License-Identifier: GPL-2.0
"""Finds the kernels a guest can run: Debian's own and the debug kernel."""

import glob
import os
import re
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


def debian_candidates(cache):
    """Debian kernels at hand: (release, image, modules), unpacked ones first."""
    roots = sorted(glob.glob(os.path.join(cache, "image-*", "")))
    for root in roots + ["/"]:
        for image in glob.glob(os.path.join(root, "boot", "vmlinuz-*")):
            release = os.path.basename(image)[len("vmlinuz-"):]
            modules = os.path.join(root, "lib", "modules", release)
            if os.path.exists(os.path.join(modules, "modules.dep")):
                yield release, image, modules


def find_debian(cache, release=None):
    """The Debian kernel of that release, or the newest 6.12."""
    found = [
        candidate
        for candidate in debian_candidates(cache)
        if candidate[0] == release or (release is None and candidate[0].startswith("6.12."))
    ]
    if not found:
        wanted = release or "6.12"
        raise NoKernel(f"no kernel image {wanted} for the guest: run 'make setup'")
    best = max(found, key=lambda candidate: version_key(candidate[0]))
    return Kernel("debian", *best)


def find_debug(output):
    """The debug kernel that debug-kernel.sh built in that directory."""
    image = os.path.join(output, "vmlinux")
    modules = glob.glob(os.path.join(output, "install", "lib", "modules", "*"))
    if not os.path.exists(image) or len(modules) != 1:
        raise NoKernel(f"no debug kernel in {output}: run 'make debug-kernel'")
    return Kernel("debug", os.path.basename(modules[0]), image, modules[0])
