#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Prove that a hook which does not apply stops the composition.

    test-compose.py X.Y.Z=RXE_DIR ...

For each kernel given, on the files that a semantic patch changes: each rule
dropped, each function, structure and variable that a rule names renamed, new
code of the kinds that a hook must cover added. All of these must stop, with a
message that names the semantic patch and the rule. Prints KTAP.
"""
import concurrent.futures
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compose  # pylint: disable=wrong-import-position

# New code that a later rxe might have, by the section that must notice it:
# (section, rule, file, code)
NEW_CODE = [
    ("receive", "open", "rxe_recv.c", "void late(struct sk_buff *skb) { rxe_rcv(skb); }"),
    ("receive", "open", "rxe_net.c", "void late(struct sk_buff *skb) { rxe_rcv(skb); }"),
    ("receive", "open", "rxe_resp.c", "void late(void) { run(rxe_rcv(first())); }"),
    ("receive", "last_check", "rxe_recv.c",
     "int late(struct sk_buff *skb) { return rxe_icrc_check(skb, SKB_TO_PKT(skb)); }"),
    ("receive", "private", "rxe_recv.c", "int late(struct sk_buff *skb) { return skb_linearize(skb); }"),
    ("receive", "next_request", "rxe_resp.c",
     "void *late(struct rxe_qp *qp) { return skb_peek(&qp->req_pkts); }"),
    ("receive", "next_response", "rxe_comp.c",
     "void *late(struct rxe_qp *qp) { return skb_dequeue(&qp->resp_pkts); }"),
    ("transmit", "seal", "rxe_resp.c",
     "void late(struct sk_buff *skb) { rxe_icrc_generate(skb, SKB_TO_PKT(skb)); }"),
    ("transmit", "seal", "rxe_net.c",
     "int late(struct sk_buff *skb) { return ip_local_out(net, skb->sk, skb); }"),
    ("transmit", "tail", "rxe_net.c",
     "void late(struct sk_buff *skb, struct rxe_pkt_info *pkt) { rxe_send(skb, pkt); }"),
    ("transmit", "room", "rxe_resp.c", "void *late(void) { return alloc_skb(1, GFP_ATOMIC); }"),
    ("transmit", "room", "rxe_req.c", "void *late(void) { return netdev_alloc_skb(0, 1); }"),
    ("netns", "route4", "rxe_verbs.c", "struct net *late(void) { return &init_net; }"),
    ("netns", "route4", "rxe_net.c", "void *late(void *fl) { return ip_route_output_flow(0, fl, 0); }"),
    ("netns", "qp_socket", "rxe_qp.c", "int late(void) { return sock_create(1, 2, 3, 0); }"),
    ("identity", "own_dev", "rxe_net.c",
     "void *late(void *ndev) { return ib_device_get_by_netdev(ndev, RDMA_DRIVER_RXE); }"),
    ("link", "attach", "rxe.c", "int late(void *dev) { return ib_register_device(dev, 0, 0); }"),
    ("mmap", "vma_new", "rxe_queue.c", "void late(void *vma) { vma->vm_ops = &late_ops; }"),
    ("qp", "destroy", "rxe_qp.c", "int late(struct rxe_qp *qp) { return rxe_cleanup(qp); }"),
    ("requester", "pause", "rxe_req.c",
     "void late(void) { int opcode; opcode = next_opcode(qp, wqe, 0); }"),
    ("mtu", "overhead", "rxe.c", "int late(int mtu) { return mtu - RXE_MAX_HDR_LENGTH; }"),
    ("fix_mw_bounds", "mw_range", "rxe_resp.c",
     "void late(void) { struct rxe_mw *mw = rxe_lookup_mw(qp, 0, 0); }"),
    ("fix_user_payload", "copy_send", "rxe_resp.c",
     "int late(void) { return copy_data(pd, 0, dma, addr, 1, RXE_FROM_MR_OBJ); }"),
    ("fix_user_payload", "inline_data", "rxe_req.c",
     "void *late(struct rxe_send_wqe *wqe) { return wqe->dma.inline_data; }"),
    ("fix_user_payload", "atomic_write", "rxe_req.c",
     "void *late(struct rxe_send_wqe *wqe) { return wqe->dma.atomic_wr; }"),
    ("fix_user_payload", "skip_send", "rxe_req.c",
     "int late(void) { return advance_dma_data(dma, 1); }"),
    ("fix_user_payload", "recv_num_sge", "rxe_resp.c",
     "void late(struct rxe_qp *qp) { memcpy(&qp->resp.srq_wqe, wqe, sizeof(*wqe)); }"),
    ("fix_user_index", "producer", "rxe_comp.c",
     "u32 late(struct rxe_queue *q) { return q->buf->producer_index; }"),
    ("fix_user_index", "emptied", "rxe_comp.c",
     "void late(void) { while (queue_head(q, q->type)) queue_advance_consumer(q, q->type); }"),
    ("fix_retry", "again", "rxe_req.c",
     "void late(struct rxe_send_wqe *wqe) { wqe->state = wqe_state_posted; }"),
    ("fix_path_mtu", "path_mtu", "rxe_qp.c",
     "int late(struct rxe_port *port) { return port->attr.max_mtu; }"),
    ("fix_user_wqe", "opcode_bound", "rxe_comp.c",
     "void *late(int op) { return &rxe_wr_opcode_info[op]; }"),
    ("fix_user_wqe", "reg_mr", "rxe_req.c",
     "int late(void) { return rxe_reg_fast_mr(qp, wqe); }"),
]


def read(path):
    """A file's text."""
    with open(path, encoding="utf-8") as f:
        return f.read()


def split_rules(text):
    """A semantic patch as [(rule name or None for the head, text)]."""
    parts, name, lines = [], None, []
    inside = False
    for line in text.splitlines(keepends=True):
        m = re.match(r"@\s*(\w+)[^@\n]*@", line)
        if m and not inside:
            parts.append((name, "".join(lines)))
            name, lines = m.group(1), []
        inside = bool(m) and not inside if m else inside and not line.startswith("@@")
        lines.append(line)
    parts.append((name, "".join(lines)))
    return parts


class Kernel:
    """One kernel's rxe: its files, and what each semantic patch changes there."""

    def __init__(self, version, folder, manifest, scratch):
        self.series = manifest.series(version)
        self.scratch = scratch
        files = {n: read(os.path.join(folder, n))
                 for n in os.listdir(folder) if n.endswith((".c", ".h"))}
        self.before, self.after, self.changed = {}, {}, {}
        work = self.write(files)
        for s in manifest.sections:
            self.before[s.name] = files
            compose.spatch(s.path, work)
            files = {n: read(os.path.join(work, n)) for n in files}
            self.after[s.name] = files
            self.changed[s.name] = {n for n in files if files[n] != self.before[s.name][n]}
        self.final = files
        shutil.rmtree(work)

    def write(self, files):
        """Files into a new directory."""
        folder = tempfile.mkdtemp(dir=self.scratch)
        for n, text in files.items():
            with open(os.path.join(folder, n), "w", encoding="utf-8") as f:
                f.write(text)
        return folder

    def apply(self, section, cocci, changes):
        """The section applied to what was there before it, as texts by name.

        cocci is the semantic patch's text, changes are texts to use instead of
        files. Only files that can change are given to spatch.
        """
        files = {**self.before[section.name], **changes}
        some = self.changed[section.name] | set(changes)
        if not re.search("^@", cocci, re.MULTILINE):
            return files
        folder = self.write({n: files[n] for n in some})
        try:
            path = os.path.join(folder, "rules")
            os.mkdir(path)
            path = os.path.join(path, section.name + ".cocci")
            with open(path, "w", encoding="utf-8") as f:
                f.write(cocci)
            compose.spatch(path, folder)
            files.update({n: read(os.path.join(folder, n)) for n in some})
        finally:
            shutil.rmtree(folder)
        return files

    def wrong(self, section, files):
        """What the manifest says to it."""
        texts = {n: compose.strip_comments(t) for n, t in files.items()}
        return compose.check([section], self.series, texts)


def names_rule(messages, section, rule):
    """One of the messages names the semantic patch and the rule."""
    return any(m.startswith(f"{section.name}.cocci, rule {rule}:") for m in messages)


def drop_rule(kernel, section, rule):
    """Without the rule the manifest must say so, unless it is for other kernels."""
    text = "".join(t for n, t in split_rules(read(section.path)) if n != rule)
    files = kernel.apply(section, text, {})
    others = [r for r in section.rows if r.rule == rule and r.counts[kernel.series] == "-"]
    if files == kernel.after[section.name]:
        return None if others else "the rule does nothing here, and no row says so"
    messages = kernel.wrong(section, files)
    return None if names_rule(messages, section, rule) else "no message names the rule"


def hooked_names(kernel, section):
    """What the rules name that rxe defines: functions, structures, variables."""
    names = set()
    sources = "\n".join(kernel.before[section.name][n]
                        for n in kernel.changed[section.name])
    defined = set(re.findall(r"^(?!\s)[^\n;=#]*?\b(\w+)\([^;{]*?\)\s*\{", sources, re.MULTILINE))
    defined |= set(re.findall(r"^(?:struct|enum) (\w+) \{", sources, re.MULTILINE))
    defined |= set(re.findall(r"^static (?:const )?struct \w+ (\w+)(?:\[\])?(?: =|;)",
                              sources, re.MULTILINE))
    defined |= set(re.findall(r"^struct \w+ (\w+)\[\] =", sources, re.MULTILINE))
    for rule, text in split_rules(read(section.path)):
        if rule is None:
            continue
        rows = [r for r in section.rows if r.rule == rule]
        if not any(r.expected(kernel.series) for r in rows):
            continue
        body = text.split("@@", 1)[1]
        kept = "\n".join(line for line in body.splitlines() if not line.startswith(("+", "//")))
        names |= set(re.findall(r"\w+", kept)) & defined
    return sorted(names)


def rename(kernel, section, name):
    """With the name another one, the manifest must say so."""
    pattern = re.compile(rf"\b{name}\b")
    before = kernel.before[section.name]
    changes = {n: pattern.sub(name + "_renamed", before[n])
               for n in kernel.changed[section.name] if pattern.search(before[n])}
    messages = kernel.wrong(section, kernel.apply(section, read(section.path), changes))
    return None if messages else "renamed, and nothing was said"


def add_code(kernel, section, rule, name, code):
    """With new code that the hook must cover, the manifest must say so."""
    changes = {name: kernel.before[section.name][name] + "\n" + code + "\n"}
    messages = kernel.wrong(section, kernel.apply(section, read(section.path), changes))
    return None if names_rule(messages, section, rule) else "no message names the rule"


def whole(kernel, manifest):
    """All semantic patches, in order: every row must hold."""
    texts = {n: compose.strip_comments(t) for n, t in kernel.final.items()}
    wrong = compose.check(manifest.sections, kernel.series, texts)
    return "; ".join(wrong) or None


def says(what, function, *args):
    """The call stops, and says so."""
    try:
        function(*args)
    except compose.ComposeError as e:
        return None if what in str(e) else f"says: {e}"
    return "did not stop"


def broken_manifests(manifest, scratch):
    """Cases of a manifest and semantic patches that do not go together."""
    text = read(manifest.path)
    row = next(line for line in text.splitlines() if line.startswith("route6\t"))

    def with_text(changed):
        path = os.path.join(tempfile.mkdtemp(dir=scratch), "manifest.txt")
        with open(path, "w", encoding="utf-8") as f:
            f.write(changed)
        return compose.Manifest(path).self_check()

    no_rows = "\n".join(line for line in text.splitlines() if not line.startswith("route6\t"))
    no_section = text.replace("[mtu: secure]", "[other: secure]")
    bad = os.path.join(scratch, "bad.cocci")
    with open(bad, "w", encoding="utf-8") as f:
        f.write("@x@\n@@\n- nonsense((\n")
    return [
        ("a rule without a row", says, "rule route6: no row", with_text, no_rows),
        ("a row without its rule", says, "rule gone is in", with_text,
         text.replace(row, "gone" + row[len("route6"):] + "\n" + row)),
        ("a semantic patch that is not listed", says, "", with_text, no_section),
        ("a line that is no row", says, "not a row", with_text, text + "\nroute6 rxe_net.c 1 x\n"),
        ("a kernel without a column", says, "5.10", manifest.series, "5.10.1"),
        ("a semantic patch with an error", says, "spatch says", compose.spatch, bad, bad),
    ]


def message_helps(manifest):
    """The text of a stop: semantic patch, rule, file, what to do."""
    section = manifest.sections[0]
    row = next(r for r in section.rows if r.name != "*")
    text = compose.failure(compose.check([section], manifest.kernels[0], {}), "9.9", "RXE")
    for part in (section.name + ".cocci", "rule " + row.rule, row.name, "What to do", "manifest.txt"):
        if part not in text:
            return f"no '{part}' in the message"
    return None


def cases(kernels, manifest, scratch):
    """All cases: (name, function, arguments)."""
    sections = {s.name: s for s in manifest.sections}
    yield ("the message of a stop says what to do", message_helps, manifest)
    yield from broken_manifests(manifest, scratch)
    for k in kernels:
        yield (f"{k.series}: unchanged source composes", whole, k, manifest)
        for s in manifest.sections:
            for rule in s.rules():
                yield (f"{k.series}: {s.name}: rule {rule} dropped", drop_rule, k, s, rule)
            for name in hooked_names(k, s):
                yield (f"{k.series}: {s.name}: {name} renamed", rename, k, s, name)
        for section, rule, name, code in NEW_CODE:
            what = re.search(r"{ (.*) }", code).group(1)
            yield (f"{k.series}: {section}: new in {name}: {what}", add_code, k,
                   sections[section], rule, name, code)


def run(function, *args):
    """A case's failure as text, or None."""
    try:
        return function(*args)
    except (compose.ComposeError, OSError) as e:
        return f"{type(e).__name__}: {e}"


def main():
    manifest = compose.Manifest()
    manifest.self_check()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        kernels = [Kernel(*arg.split("=", 1), manifest, scratch) for arg in sys.argv[1:]]
        todo = list(cases(kernels, manifest, scratch))
        print(f"KTAP version 1\n1..{len(todo)}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda case: run(*case[1:]), todo)
            for number, (case, reason) in enumerate(zip(todo, results), 1):
                if reason:
                    failed += 1
                    print(f"# {reason}")
                print(f"{'not ok' if reason else 'ok'} {number} {case[0].replace('#', '')}",
                      flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
