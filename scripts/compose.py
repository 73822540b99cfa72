#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compose the driver: rxe's source, our semantic patches, our own files.

    compose.py --rxe DIR --kernel X.Y.Z --variant secure|plain --out DIR

Whatever does not come out as hooks/manifest.txt says stops the composition
with a message that names the semantic patch, the hook and what to do. Files
in the output that did not change are left alone, so that a build after it
builds only what must be.
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = os.path.join(TOP, "drivers/infiniband/sw/secure_rxe")
HOOKS = os.path.join(OURS, "hooks")
VARIANTS = ("plain", "secure")


class ComposeError(Exception):
    """Something that must stop the build; the text says what and what to do."""


class Row:
    """One line of the manifest: how often a regex must match in a file."""

    def __init__(self, section, rule, name, counts, regex):
        self.section, self.rule, self.name = section, rule, name
        self.counts, self.pattern = counts, regex
        self.regex = re.compile(regex, re.MULTILINE)

    def expected(self, kernel):
        count = self.counts[kernel]
        return 0 if count == "-" else int(count)

    def found(self, texts):
        names = texts if self.name == "*" else [self.name]
        return sum(len(self.regex.findall(texts.get(n, ""))) for n in names)


class Section:
    """One semantic patch, the variants that have it, and its rows."""

    def __init__(self, name, variants):
        self.name, self.variants, self.rows = name, variants, []
        self.path = os.path.join(HOOKS, name + ".cocci")

    def rules(self):
        with open(self.path, encoding="utf-8") as f:
            return re.findall(r"^@\s*(\w+)[^@\n]*@", f.read(), re.MULTILINE)


class Manifest:
    """hooks/manifest.txt, checked against the semantic patches beside it."""

    def __init__(self, path=os.path.join(HOOKS, "manifest.txt")):
        self.path, self.kernels, self.sections = path, [], []
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip("\n")
                if line.strip() and not line.startswith("#"):
                    self._line(number, line)

    def _line(self, number, line):
        head = re.fullmatch(r"\[(\w+):((?: \w+)+)\]", line)
        if head:
            variants = head.group(2).split()
            if not set(variants) <= set(VARIANTS):
                raise ComposeError(f"{self.path}:{number}: unknown variant")
            self.sections.append(Section(head.group(1), variants))
            return
        if line.startswith("kernels "):
            self.kernels = line.split()[1:]
            return
        n = len(self.kernels)
        field = line.split(None, 2 + n)
        if not self.sections or len(field) != 3 + n or not all(
                re.fullmatch(r"\d+|-", c) for c in field[2:2 + n]):
            raise ComposeError(f"{self.path}:{number}: not a row: {line}")
        section = self.sections[-1]
        section.rows.append(Row(section, field[0], field[1],
                                dict(zip(self.kernels, field[2:2 + n])), field[2 + n]))

    def series(self, version):
        """The column for a kernel version."""
        series = ".".join(version.split(".")[:2])
        if series not in self.kernels:
            raise ComposeError(
                f"kernel {series} is not among those the hooks were checked for "
                f"({', '.join(self.kernels)}).\nAdd a column for it to {self.path}, "
                "rule by rule, with rxe's source of that kernel at hand.")
        return series

    def self_check(self):
        """Every semantic patch has a section, every rule a row, every row a rule."""
        listed = {s.name + ".cocci" for s in self.sections}
        present = {f for f in os.listdir(HOOKS) if f.endswith(".cocci")}
        if listed != present:
            raise ComposeError(f"semantic patches and sections of {self.path} differ: "
                               + ", ".join(sorted(listed ^ present)))
        for s in self.sections:
            rules = s.rules()
            for rule in rules:
                if rules.count(rule) > 1:
                    raise ComposeError(f"{s.name}.cocci: two rules named {rule}")
                if not any(r.rule == rule for r in s.rows):
                    raise ComposeError(
                        f"{s.name}.cocci, rule {rule}: no row in {self.path}.\n"
                        "Add one that counts what the rule places.")
            for r in s.rows:
                if r.rule not in rules:
                    raise ComposeError(
                        f"{s.name}.cocci: rule {r.rule} is in {self.path}, but not in "
                        "the semantic patch.\nA hook was dropped: put the rule back, or "
                        "take its rows out if it is really no longer needed.")

    def for_variant(self, variant):
        return [s for s in self.sections if variant in s.variants]


def strip_comments(text):
    """C without comments; strings stay, and so do line ends."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*',
                       re.DOTALL)

    def keep(m):
        s = m.group()
        return "\n" * s.count("\n") if s.startswith("/") else s
    return token.sub(keep, text)


def read_texts(folder):
    texts = {}
    for name in os.listdir(folder):
        if name.endswith((".c", ".h")):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                texts[name] = strip_comments(f.read())
    return texts


def spatch(cocci, target):
    """Apply one semantic patch in place to a directory or a file."""
    where = ["--dir", target] if os.path.isdir(target) else [target]
    try:
        run = subprocess.run(
            ["spatch", "--very-quiet", "--include-headers", "--in-place",
             "--no-show-diff", "--sp-file", cocci, *where],
            capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ComposeError("spatch is not there: apt install coccinelle "
                           "(or: make setup)") from None
    said = [line for line in (run.stdout + run.stderr).splitlines()
            if line.strip() and not line.startswith("warning: line")]
    if run.returncode or said:
        raise ComposeError(f"{cocci}: spatch says ({run.returncode}):\n" + "\n".join(said[:8]))


def check(sections, kernel, texts, name=None):
    """Compare counts; return one message for each row that is not as it must be.

    With a name, only rows of that file are looked at.
    """
    wrong = []
    for s in sections:
        for row in s.rows:
            if name and row.name not in ("*", name):
                continue
            want, got = row.expected(kernel), row.found(texts)
            if want == got:
                continue
            what = ("hook missing" if got < want else
                    "code that the hook does not cover" if not want else "hook placed too often")
            wrong.append(f"{s.name}.cocci, rule {row.rule}: {what}: {row.name} has {got}, "
                         f"not {want}, of /{row.pattern}/")
    return wrong


def failure(wrong, version, rxe):
    return "\n".join([
        f"rxe of kernel {version} is not what the semantic patches expect:", *wrong,
        "What to do: compare each rule named with the function it hooks",
        f"(rules: {HOOKS}",
        f" rxe:   {rxe}), adapt the rule, make sure that it is still safe there,",
        "then change its rows in hooks/manifest.txt. Do not ship a driver without the hook."])


def rxe_objects(folder):
    """rxe's own objects, from its own Makefile, so that a new file is not missed."""
    with open(os.path.join(folder, "Makefile"), encoding="utf-8") as f:
        text = f.read().replace("\\\n", " ")
    objs = []
    for m in re.finditer(r"^rdma_rxe-(?:y|objs)\s*[:+]?=(.*)$", text, re.MULTILINE):
        objs += m.group(1).split()
    sources = {n[:-2] + ".o" for n in os.listdir(folder) if n.endswith(".c")}
    if set(objs) != sources:
        raise ComposeError("rxe's Makefile and its source files differ: "
                           + ", ".join(sorted(set(objs) ^ sources)))
    return objs


def own_files():
    """Our files as {name in the output: path}."""
    files = {n: os.path.join(OURS, n) for n in os.listdir(OURS)
             if n.endswith((".c", ".h")) or n.startswith(("Kbuild", "Kconfig"))}
    return {n: p for n, p in files.items() if os.path.isfile(p)}


def sync(src, dst):
    """Make dst what src is; touch nothing that is the same or that kbuild made."""
    os.makedirs(dst, exist_ok=True)
    for folder, _, names in os.walk(src):
        sub = os.path.relpath(folder, src)
        os.makedirs(os.path.join(dst, sub), exist_ok=True)
        for n in names:
            a, b = os.path.join(folder, n), os.path.join(dst, sub, n)
            if not os.path.exists(b) or not filecmp.cmp(a, b, shallow=False):
                shutil.copyfile(a, b)
    for folder, _, names in os.walk(dst):
        sub = os.path.relpath(folder, dst)
        for n in names:
            if (n.endswith((".c", ".h")) or n.startswith(("Kbuild", "Kconfig"))) and \
               not n.endswith(".mod.c") and not os.path.exists(os.path.join(src, sub, n)):
                os.remove(os.path.join(folder, n))


def compose(rxe, version, variant, out, extra=()):
    """Do it all; extra is a list of (name in the output, path) to add."""
    manifest = Manifest()
    manifest.self_check()
    series = manifest.series(version)
    sections = manifest.for_variant(variant)
    with tempfile.TemporaryDirectory() as work:
        for n in os.listdir(rxe):
            if n.endswith((".c", ".h")):
                shutil.copyfile(os.path.join(rxe, n), os.path.join(work, n))
        objs = rxe_objects(rxe)
        for s in sections:
            spatch(s.path, work)
        wrong = check(sections, series, read_texts(work))
        if wrong:
            raise ComposeError(failure(wrong, version, rxe))
        with open(os.path.join(work, "Kbuild.rxe"), "w", encoding="utf-8") as f:
            f.write("# made by compose.py\n"
                    f"srxe-variant := {variant}\n"
                    f"rxe-y := {' '.join(objs)}\n")
        for n, p in [*own_files().items(), *extra]:
            if os.path.exists(os.path.join(work, n)):
                raise ComposeError(f"{n} is both rxe's and ours")
            os.makedirs(os.path.dirname(os.path.join(work, n)), exist_ok=True)
            shutil.copyfile(p, os.path.join(work, n))
        sync(work, out)


def tree_files(folder, prefix):
    """All files under a folder of ours as (name in the output, path)."""
    return [(os.path.join(prefix, os.path.relpath(os.path.join(d, n), folder)),
             os.path.join(d, n)) for d, _, names in os.walk(folder) for n in names]


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--rxe", required=True, help="drivers/infiniband/sw/rxe of the kernel")
    ap.add_argument("--kernel", required=True, help="version of that kernel, X.Y or X.Y.Z")
    ap.add_argument("--variant", choices=VARIANTS, required=True)
    ap.add_argument("--out", required=True, help="where the composed driver goes")
    ap.add_argument("--headers", action="store_true",
                    help="add our uapi headers (a build outside of a kernel tree)")
    ap.add_argument("--kunit", action="store_true", help="add the KUnit tests")
    ap.add_argument("--file", action="append", default=[], metavar="NAME=PATH",
                    help="add a file, made by other means")
    args = ap.parse_args()

    extra = [tuple(f.split("=", 1)) for f in args.file]
    if args.headers:
        extra += tree_files(os.path.join(TOP, "include"), "include")
    if args.kunit:
        extra += tree_files(os.path.join(TOP, "tools/testing/kunit"), "tests")
    try:
        compose(args.rxe, args.kernel, args.variant, args.out, extra)
    except ComposeError as e:
        sys.exit(f"compose: STOP\n{e}")


if __name__ == "__main__":
    main()
