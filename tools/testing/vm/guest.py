# SPDX-License-Identifier: GPL-2.0
"""Boots guests in QEMU, runs a script in the first and says how it ended.

A guest reports over virtio-serial ports, apart from its console (see the
file "agent").  Whatever is not a report of success is a failure: a splat on a
console, a guest that stops, one that gives no sign of life, one that takes too
long.
"""

import os
import selectors
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field

import console
import initramfs

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))

# Address prefixes by which init.c tells the links apart.
MAC_DATA = "52:54:00:da:00"
MAC_CONTROL = "52:54:00:c7:00"

DEFAULT_MEMORY = {"debian": 1024, "debug": 1536}

KERNEL_ARGUMENTS = [
    "console=ttyS0",
    "panic=-1",
    "oops=panic",
    "loglevel=7",
    "nokaslr",
    "mitigations=off",
    "net.ifnames=0",
    "random.trust_cpu=on",
    # Time on an emulated processor is no measure of a locked-up one.
    "watchdog_thresh=60",
    "workqueue.watchdog_thresh=120",
    "rcupdate.rcu_cpu_stall_timeout=60",
]
DEBUG_ARGUMENTS = [
    "kasan_multi_shot",
    "kmemleak=on",
    # Without ACPI the TSC is measured against the PIT alone, and on a busy host
    # that may find a fiftieth of its rate: a clock that runs fifty times too fast.
    "tsc=unstable",
]

BOOT_SECONDS = 240
DUMP_SECONDS = 5
# A guest's clock may be late, as the host is; it runs ahead only if it is wrong.
CLOCK_RATIO = 1.2
CLOCK_SECONDS = 60  # the runner may have been late, too
EXIT_SECONDS = 10


class GuestError(Exception):
    """The guest cannot be started; the text says why."""


@dataclass
class Options:
    """How to run guests."""

    kernel: object
    guests: int = 1
    cpus: int = 1
    memory: int = 0  # MiB, 0: what the kernel needs
    timeout: float = 600  # seconds from "ready" to "exit"
    silence: float = 90  # seconds without a sign of life
    panic_on_warn: bool = False
    environment: dict = field(default_factory=dict)
    qemu: list = field(default_factory=list)
    append: list = field(default_factory=list)

    def megabytes(self):
        """Memory of each guest."""
        return self.memory or DEFAULT_MEMORY[self.kernel.kind]


@dataclass
class Result:
    """How a session ended: all is well only if reason is empty and status 0."""

    status: int = 0
    reason: str = ""
    excerpt: list = field(default_factory=list)

    def ok(self):
        """True if the script ended with status 0 and no kernel complained."""
        return not self.reason and self.status == 0


def qemu_binary():
    """Path of the emulator."""
    path = shutil.which("qemu-system-x86_64")
    if not path:
        raise GuestError("no qemu-system-x86_64 (package qemu-system-x86): run 'make setup'")
    return path


def accelerator():
    """KVM only when asked for: results are to be the same everywhere."""
    return os.environ.get("SRXE_VM_ACCEL", "tcg,thread=multi")


class Clock:
    """A guest's clock against the host's: limits in seconds mean nothing if it runs ahead."""

    def __init__(self):
        self.fast = False
        self._start = None

    def report(self, host, guest):
        """Takes seconds since some start, of both at the same time.

        :param host: by the host's clock
        :param guest: by the guest's, reported by itself
        """
        if self._start is None:
            self._start = (host, guest)
        passed = host - self._start[0]
        if guest - self._start[1] > passed * CLOCK_RATIO + CLOCK_SECONDS:
            self.fast = True


class Guest:
    """One virtual machine and the sockets it reports on."""

    def __init__(self, options, index, directory):
        self.index = index
        self.directory = directory
        self.ready = False
        self.exited = None
        self.last_sign = time.monotonic()
        self.clock = Clock()
        self._options = options
        self._log = open(os.path.join(directory, "console.log"), "wb")
        self.console = console.Console(self._log)
        self._process = None
        self._sockets = {}
        self._foreign = []
        self._lines = {"out": console.LineReader(), "ctl": console.LineReader()}

    def write_files(self, script, environment):
        """Puts what the agent needs into the directory shared with the guest."""
        variables = dict(environment, SRXE_VM_INDEX=self.index, SRXE_TOP=TOP)
        variables["SRXE_VM_GUESTS"] = self._options.guests
        variables["SRXE_VM_KERNEL"] = self._options.kernel.kind
        with open(os.path.join(self.directory, "modules"), "w", encoding="utf-8") as stream:
            stream.write(self._options.kernel.modules)
        with open(os.path.join(self.directory, "env"), "w", encoding="utf-8") as stream:
            for name, value in variables.items():
                quoted = str(value).replace("'", "'\\''")
                stream.write(f"{name}='{quoted}'\n")
        with open(os.path.join(self.directory, "script"), "w", encoding="utf-8") as stream:
            stream.write(script)
        shutil.copy(os.path.join(HERE, "agent"), self.directory)

    def arguments(self, links):
        """QEMU's command line but for the channels.

        :param links: (name, MAC, socket) of each network link to another guest
        """
        options = self._options
        append = KERNEL_ARGUMENTS + options.append
        if options.kernel.kind == "debug":
            append = append + DEBUG_ARGUMENTS
        if options.panic_on_warn:
            append = append + ["panic_on_warn=1"]
        arguments = [
            *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
            *("-machine", "q35", "-accel", accelerator(), "-cpu", "max"),
            *("-smp", str(options.cpus), "-m", str(options.megabytes())),
            *("-kernel", options.kernel.image, "-append", " ".join(append)),
            *("-initrd", os.path.join(self.directory, "initramfs")),
            *("-device", "virtio-rng-pci", "-device", "virtio-serial-pci"),
        ]
        for tag, path, mode in (("root", "/", ",readonly=on"), ("run", self.directory, "")):
            backend = f"local,id={tag},path={path},security_model=none,multidevs=remap{mode}"
            arguments += ["-fsdev", backend]
            arguments += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        for name, mac, link in links:
            arguments += ["-netdev", f"socket,id={name},fd={link.fileno()}"]
            device = f"virtio-net-pci,netdev={name},mac={mac}:{self.index:02x},host_mtu=9000,romfile="
            arguments += ["-device", device]
        return arguments + options.qemu

    def start(self, links):
        """Makes the initramfs and starts QEMU with its channels."""
        initramfs.build(self._options.kernel, os.path.join(self.directory, "initramfs"))
        # A guest must not outlive a runner that was killed.
        arguments = ["setpriv", "--pdeathsig", "KILL", qemu_binary(), *self.arguments(links)]
        for name in ("console", "out", "ctl"):
            ours, theirs = socket.socketpair()
            self._sockets[name] = ours
            self._foreign.append(theirs)
            arguments += ["-chardev", f"socket,id={name},fd={theirs.fileno()}"]
        arguments += ["-serial", "chardev:console"]
        for name in ("out", "ctl"):
            arguments += ["-device", f"virtserialport,chardev={name},name=srxe.{name}"]
        foreign = self._foreign + [link for _, _, link in links]
        errors = open(os.path.join(self.directory, "qemu.log"), "wb")
        with errors:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                pass_fds=[entry.fileno() for entry in foreign],
                start_new_session=True,
            )
        for entry in foreign:
            entry.close()

    def interact(self):
        """Runs QEMU on the terminal until the guest powers off."""
        initramfs.build(self._options.kernel, os.path.join(self.directory, "initramfs"))
        arguments = self.arguments([])
        arguments += ["-serial", "mon:stdio"]
        return subprocess.call([qemu_binary(), *arguments])

    def register(self, selector):
        """Has the selector watch the guest's channels."""
        for name, entry in self._sockets.items():
            entry.setblocking(False)
            selector.register(entry, selectors.EVENT_READ, (self, name))

    def receive(self, name):
        """Takes what came on a channel; returns lines of output, None at its end."""
        try:
            data = self._sockets[name].recv(65536)
        except (BlockingIOError, ConnectionResetError):
            return []
        if not data:
            return None
        if name == "console":
            self.console.feed(data)
            return []
        self.last_sign = time.monotonic()
        lines = list(self._lines[name].feed(data))
        if name == "out":
            return lines
        for line in lines:
            self._take_report(line)
        return []

    def socket(self, name):
        """The host's end of a channel."""
        return self._sockets[name]

    def running(self):
        """True while QEMU runs."""
        return self._process.poll() is None

    def processor_seconds(self):
        """Processor time that the guest has used, boot included."""
        try:
            with open(f"/proc/{self._process.pid}/stat", encoding="ascii") as stream:
                fields = stream.read().rpartition(")")[2].split()
        except (OSError, AttributeError):
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask_dump(self):
        """Has the kernel show blocked tasks on the console."""
        try:
            self._sockets["ctl"].send(b"dump\n")
        except OSError:
            pass

    def qemu_errors(self):
        """What QEMU itself complained about."""
        with open(os.path.join(self.directory, "qemu.log"), errors="replace") as stream:
            return [line.rstrip("\n") for line in stream][-10:]

    def stop(self):
        """Ends QEMU and closes what belongs to it."""
        if self._process and self.running():
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for entry in self._sockets.values():
            entry.close()
        self._log.close()

    def _take_report(self, line):
        word, _, rest = line.partition(" ")
        if word in ("ready", "alive"):
            self.ready = True
            self.clock.report(self.last_sign, float(rest))
        elif word == "exit":
            self.exited = int(rest)


class Session:
    """One boot of one or two guests, and one script in the first."""

    def __init__(self, options, directory):
        self._options = options
        self._directory = directory
        self._guests = []
        self._deadline = 0
        self._limit = ("", 0)
        self._on_line = print

    def limit(self, what, seconds):
        """Sets a limit on what runs in the guest now, inside that of the session.

        :param what: name for the report; empty: no limit
        :param seconds: from now
        """
        self._limit = (what, time.monotonic() + seconds)

    def processor_seconds(self):
        """Processor time that the guests have used so far."""
        return sum(guest.processor_seconds() for guest in self._guests)

    def run(self, script, on_line=print):
        """Boots, runs the script, ends the guests.

        :param script: text for bash
        :param on_line: called with each line the script prints
        :return: a Result
        """
        self._on_line = on_line
        try:
            self._start(script)
            result = self._watch()
        finally:
            for guest in self._guests:
                guest.stop()
        return self._judge(result)

    def _start(self, script):
        links = self._links()
        for index in range(self._options.guests):
            directory = os.path.join(self._directory, f"guest{index}")
            os.makedirs(directory, exist_ok=True)
            guest = Guest(self._options, index, directory)
            self._guests.append(guest)
            peer = f"exec python3 {HERE}/peer-server\n"
            guest.write_files(peer if index else script, self._options.environment)
            guest.start(links[index])

    def _links(self):
        if self._options.guests == 1:
            return [[]]
        links = [[], []]
        for name, mac in (("data", MAC_DATA), ("control", MAC_CONTROL)):
            for index, entry in enumerate(socket.socketpair()):
                links[index].append((name, mac, entry))
        return links

    def _watch(self):
        first = self._guests[0]
        self._deadline = time.monotonic() + BOOT_SECONDS
        was_ready = False
        with selectors.DefaultSelector() as selector:
            for guest in self._guests:
                guest.register(selector)
            while first.exited is None:
                self._read(selector, 1)
                if first.ready and not was_ready:
                    was_ready = True
                    self._deadline = time.monotonic() + self._options.timeout
                problem = self._problem()
                if problem:
                    self._gather(selector, problem)
                    return problem
            self._drain(selector)
        return Result(status=first.exited)

    def _read(self, selector, seconds):
        events = selector.select(seconds)
        for key, _ in events:
            guest, name = key.data
            lines = guest.receive(name)
            if lines is None:
                selector.unregister(key.fileobj)
                continue
            if guest.index == 0:
                for line in lines:
                    self._on_line(line)
        return bool(events)

    def _problem(self):
        now = time.monotonic()
        for guest in self._guests:
            name = f"guest {guest.index}"
            if not guest.running():
                return self._failed(f"{name} died before it reported")
            if guest.clock.fast:
                return self._failed(f"the clock of {name} runs ahead: its time-outs mean nothing")
            if guest.ready and now - guest.last_sign > self._options.silence:
                return self._failed(f"{name} gave no sign of life for {self._options.silence:.0f} s")
        what, limit = self._limit
        if what and now > limit:
            return self._failed(f"{what} took too long")
        if now > self._deadline:
            what = "the script" if self._guests[0].ready else "booting"
            return self._failed(f"{what} took too long")
        return None

    @staticmethod
    def _failed(reason):
        return Result(status=1, reason=reason)

    def _gather(self, selector, problem):
        """Collects what explains the problem: blocked tasks, the consoles' ends."""
        for guest in self._guests:
            guest.ask_dump()
        until = time.monotonic() + DUMP_SECONDS
        while selector.get_map() and time.monotonic() < until:
            self._read(selector, 1)
        for guest in self._guests:
            problem.excerpt.append(f"guest {guest.index}, end of its console:")
            problem.excerpt += guest.console.tail() + guest.qemu_errors()

    def _drain(self, selector):
        """Reads what is on the way: the ports do not keep order between them."""
        until = time.monotonic() + 3
        while time.monotonic() < until and self._read(selector, 0.3):
            pass

    def _judge(self, result):
        """A splat fails the session, whatever the script says."""
        for guest in self._guests:
            for splat in guest.console.splats:
                if not result.reason:
                    result.reason = f"the kernel of guest {guest.index} complained"
                result.excerpt += [f"guest {guest.index}, console:"] + splat
        return result
