#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs a command in a guest, or gives a shell in one.

  vm.py [OPTIONS] COMMAND [ARGUMENT ...]
  vm.py [OPTIONS] --shell [RCFILE]

Exit status: the command's own; 125 when the guest failed: it died, hung, took
too long, or its kernel complained (then the console's lines are on stderr).
"""

import argparse
import os
import shlex
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
import guest
import initramfs
import kernels

GUEST_FAILED = 125


def parse(arguments):
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    build = os.environ.get("SRXE_BUILD", os.path.join(guest.TOP, "build"))
    add = parser.add_argument
    add("--kernel", default="debian", help="debian (newest 6.12), debug, or a Debian release")
    add("--debug-kernel", default=os.path.join(build, "debug-kernel"), help="its directory")
    add("--guests", type=int, choices=(1, 2), default=1)
    add("--cpus", type=int, default=1)
    add("--memory", type=int, default=0, metavar="MIB")
    add("--timeout", type=float, default=600, metavar="S", help="for the command")
    add("--silence", type=float, default=90, metavar="S", help="without a sign of life")
    add("--panic-on-warn", action="store_true")
    add("--env", action="append", default=[], metavar="NAME=VALUE", help="for the command")
    add("--qemu", action="append", default=[], metavar="ARGUMENTS", help="more for QEMU")
    add("--append", action="append", default=[], metavar="ARGUMENTS", help="more for the kernel")
    add("--log", metavar="DIR", help="keep console.log and the like of each guest there")
    add("--shell", nargs="?", const="", metavar="RCFILE", help="interactive; bash reads RCFILE")
    add("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if (options.shell is None) == (not options.command):
        parser.error("a command or --shell, one of them")
    return options


def find_kernel(options):
    """The kernel the options name."""
    if options.kernel == "debug":
        return kernels.find_debug(options.debug_kernel)
    release = None if options.kernel == "debian" else options.kernel
    return kernels.find_debian(release)


def guest_options(options):
    """The options for the guests."""
    environment = dict(pair.split("=", 1) for pair in options.env)
    for name in ("SRXE_BUILD", "KVER"):
        if name in os.environ:
            environment.setdefault(name, os.environ[name])
    return guest.Options(
        kernel=find_kernel(options),
        guests=options.guests,
        cpus=options.cpus,
        memory=options.memory,
        timeout=options.timeout,
        silence=options.silence,
        panic_on_warn=options.panic_on_warn,
        environment=environment,
        qemu=[word for words in options.qemu for word in shlex.split(words)],
        append=options.append,
    )


def run_command(options, directory):
    """Runs the command; returns the exit status."""
    script = f"cd {shlex.quote(os.getcwd())} && {shlex.join(options.command)}\n"
    session = guest.Session(guest_options(options), directory)
    result = session.run(script, lambda line: print(line, flush=True))
    if result.reason:
        print(f"vm.py: {result.reason}", *result.excerpt, sep="\n", file=sys.stderr)
        return GUEST_FAILED
    return result.status


def run_shell(options, directory):
    """Gives a shell on the terminal."""
    if not sys.stdin.isatty():
        print("vm.py: --shell needs a terminal; give a command instead", file=sys.stderr)
        return 2
    size = shutil.get_terminal_size()
    environment = {"SRXE_VM_INTERACTIVE": 1, "SRXE_VM_TERM": os.environ.get("TERM", "vt100")}
    settings = guest_options(options)
    settings.environment.update(environment)
    settings.append = settings.append + ["quiet"]
    machine = guest.Guest(settings, 0, directory)
    script = f"stty rows {size.lines} cols {size.columns}\ncd {shlex.quote(os.getcwd())}\n"
    if options.shell:
        script += f". {shlex.quote(os.path.abspath(options.shell))}\n"
    machine.write_files(script, settings.environment)
    print("Booting. 'exit' ends the guest; Ctrl-A X ends QEMU at once.", flush=True)
    return machine.interact()


def main():
    """Entry point."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(GUEST_FAILED))
    options = parse(sys.argv[1:])
    work = tempfile.mkdtemp(prefix="srxe-vm.")
    directory = options.log or work
    os.makedirs(directory, exist_ok=True)
    try:
        if options.shell is not None:
            return run_shell(options, directory)
        return run_command(options, directory)
    except (guest.GuestError, initramfs.InitramfsError, kernels.NoKernel) as error:
        print(f"vm.py: {error}", file=sys.stderr)
        return GUEST_FAILED
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
