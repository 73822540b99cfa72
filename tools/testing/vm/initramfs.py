# SPDX-License-Identifier: GPL-2.0
"""Makes the guest's initramfs: init and the modules it needs.

The archive is written here, not by cpio(1): device nodes need root there.
"""

import lzma
import os
import stat
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))

# What init needs before modprobe works in the guest.
MODULES = ["virtio_pci", "virtio_console", "virtio_net", "9pnet_virtio", "9p", "overlay"]
DIRECTORIES = ["dev", "modules"]
COMPILER = ["gcc", "-O2", "-Wall", "-Wextra", "-static"]


class InitramfsError(Exception):
    """The initramfs cannot be made; the text says why."""


class Archive:
    """A cpio archive in the newc format, as the kernel unpacks it."""

    def __init__(self, stream):
        self._stream = stream
        self._inode = 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        """Appends one file, directory, link (data: its target) or device node."""
        self._inode += 1
        encoded = name.encode() + b"\0"
        fields = [self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(encoded), 0]
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        self._write(header + encoded)
        self._write(data)

    def close(self):
        """Ends the archive."""
        self.add("TRAILER!!!", 0)

    def _write(self, data):
        self._stream.write(data + b"\0" * (-len(data) % 4))


def module_files(kernel, names):
    """Files of the named modules and what they depend on, in loading order."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(kernel.modules)))
    files = []
    for name in names:
        command = ["modprobe", "--show-depends", "-d", root, "-S", kernel.release, name]
        environment = dict(os.environ, PATH=os.environ["PATH"] + ":/sbin:/usr/sbin")
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise InitramfsError(f"{kernel.release} has no module {name}: {done.stderr.strip()}")
        for line in done.stdout.splitlines():
            words = line.split()
            if words[0] == "insmod" and words[1] not in files:
                files.append(words[1])
    return files


def read_module(path):
    """A module's contents, unpacked: busybox may not know the compression."""
    if path.endswith(".xz"):
        with lzma.open(path) as stream:
            return stream.read()
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout
    with open(path, "rb") as stream:
        return stream.read()


def compile_init(destination):
    """Compiles init.c, static: the initramfs has no libraries."""
    source = os.path.join(HERE, "init.c")
    try:
        done = subprocess.run([*COMPILER, "-o", destination, source], capture_output=True, text=True)
    except FileNotFoundError as error:
        raise InitramfsError("no gcc: run 'make setup'") from error
    if done.returncode:
        raise InitramfsError(f"init.c does not compile:\n{done.stderr}")


def build(kernel, destination):
    """Writes the initramfs for a kernel.

    :param kernel: the kernels.Kernel to boot
    :param destination: file to write
    """
    init = destination + ".init"
    compile_init(init)
    with open(destination, "wb") as stream:
        archive = Archive(stream)
        for directory in DIRECTORIES:
            archive.add(directory, stat.S_IFDIR | 0o755)
        archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
        with open(init, "rb") as program:
            archive.add("init", stat.S_IFREG | 0o755, program.read())
        names = []
        for path in module_files(kernel, MODULES):
            name = os.path.basename(path).split(".ko")[0] + ".ko"
            archive.add(f"modules/{name}", stat.S_IFREG | 0o644, read_module(path))
            names.append(name)
        listing = "".join(f"{name}\n" for name in names)
        archive.add("modules.load", stat.S_IFREG | 0o644, listing.encode())
        archive.close()
