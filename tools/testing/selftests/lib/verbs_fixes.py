#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What applications must not be able to do, whatever the link protects.

  verbs_fixes.py windows A A_GID B B_GID     bounds of memory windows
  verbs_fixes.py window-states A A_GID B B_GID   windows unbound, and without a queue pair
  verbs_fixes.py path-mtu A A_GID B B_GID BYTES yes|no
  verbs_fixes.py reset A A_GID B B_GID       writes under way when their target is reset
  verbs_fixes.py plaintext A A_GID B B_GID   writes that a packet tap looks for
  verbs_fixes.py tap                         the tap: reads what it got at end of input

A and B are devices, each with the index of its GID. RDMA devices are seen in
every network namespace, so one program can be both ends.  (What applications
write into their rings: verbs_rings.py.)
"""

import errno
import socket
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBind, MWBindInfo
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

MARK = b"srxe plaintext! "
REMOTE = e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC
LOCAL = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_MW_BIND
SIZE = 16384
SECONDS = 90
LONG = 40  # seconds; what takes them does not end
ZERO_BASED = 1 << 5
MTU = {256: e.IBV_MTU_256, 512: e.IBV_MTU_512, 1024: e.IBV_MTU_1024,
       2048: e.IBV_MTU_2048, 4096: e.IBV_MTU_4096}


class Failure(Exception):
    """Something was possible that must not be, or the reverse."""


class End:
    """One end: a device with memory and a queue pair."""

    def __init__(self, device, gid_index):
        self.gid_index = int(gid_index)
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.mr = MR(self.pd, SIZE, LOCAL | REMOTE)
        self.cq = self.qp = None
        self.timeout = 19  # the handshake may take 17 seconds, and not 8

    def make_qp(self):
        """A queue pair; one that failed before is gone."""
        if self.qp:
            self.qp.close()
            self.cq.close()
        self.cq = CQ(self.ctx, 100)
        cap = QPCap(max_send_wr=60, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap)
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = e.IBV_ACCESS_LOCAL_WRITE | REMOTE
        self.qp = QP(self.pd, init, attr)

    def connect(self, peer, mtu=1024):
        """Brings the queue pair to RTS."""
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = e.IBV_ACCESS_LOCAL_WRITE | REMOTE
        attr.path_mtu = MTU[mtu]
        attr.dest_qp_num = peer.qp.qp_num
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        attr.rq_psn = attr.sq_psn = 100
        attr.min_rnr_timer = 12
        attr.timeout = self.timeout
        attr.retry_cnt = attr.rnr_retry = 7
        route = GlobalRoute(dgid=peer.ctx.query_gid(1, peer.gid_index), sgid_index=self.gid_index)
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
        self.qp.to_rts(attr)

    def wait(self):
        """Status of the next completion."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            count, completions = self.cq.poll()
            if count:
                return completions[0].status
            time.sleep(0.005)
        raise Failure("no completion")

    def work(self, opcode, rkey=0, addr=0, length=64):
        """Posts a request on our memory and waits; gives its status."""
        request = SendWR(opcode=opcode, num_sge=1, sg=[SGE(self.mr.buf, length, self.mr.lkey)],
                         send_flags=e.IBV_SEND_SIGNALED)
        if opcode in (e.IBV_WR_ATOMIC_FETCH_AND_ADD, e.IBV_WR_ATOMIC_CMP_AND_SWP):
            request.set_wr_atomic(rkey, addr, 1, 1)
        elif rkey:
            request.set_wr_rdma(rkey, addr)
        self.qp.post_send(request)
        return self.wait()


def connect(a, b):
    """New queue pairs on both ends, connected."""
    a.make_qp()
    b.make_qp()
    a.connect(b)
    b.connect(a)


def expect(status, wanted, what):
    """A completion's status."""
    if status != wanted:
        raise Failure(f"{what}: status {status}, not {wanted}")


def bind(end, window, kind, addr, length, flags):
    """Binds a window to part of the memory; gives its rkey."""
    info = MWBindInfo(end.mr, addr, length, REMOTE | flags)
    if kind == e.IBV_MW_TYPE_1:
        end.qp.bind_mw(window, MWBind(info, e.IBV_SEND_SIGNALED))
        expect(end.wait(), e.IBV_WC_SUCCESS, "bind")
        return window.rkey
    request = SendWR(opcode=e.IBV_WR_BIND_MW, send_flags=e.IBV_SEND_SIGNALED)
    request.set_bind_wr(window, info)
    end.qp.post_send(request)
    expect(end.wait(), e.IBV_WC_SUCCESS, "bind")
    return request.rkey


def window_access(a, b, kind, flags, case):
    """One access through a window of 512 bytes at 4096 in b's memory."""
    opcode, offset, length, allowed = case
    connect(a, b)
    window = MW(b.pd, kind)
    start = b.mr.buf + 4096
    rkey = bind(b, window, kind, start, 512, flags)
    b.mr.write(b"." * SIZE, SIZE)
    a.mr.write(b"!" * 4096, 4096)
    base = 0 if flags & ZERO_BASED else start
    status = a.work(opcode, rkey, (base + offset) % 2 ** 64, length)
    what = f"opcode {opcode}, offset {offset}, {length} bytes, window type {kind}, flags {flags}"
    expect(status, e.IBV_WC_SUCCESS if allowed else e.IBV_WC_REM_ACCESS_ERR, what)
    memory = b.mr.read(SIZE, 0)
    if not allowed and memory != b"." * SIZE:
        raise Failure(f"{what}: refused, but the memory changed")
    if not allowed and opcode == e.IBV_WR_RDMA_READ and a.mr.read(length, 0) != b"!" * length:
        raise Failure(f"{what}: refused, but memory was read")
    if allowed and opcode == e.IBV_WR_RDMA_WRITE:
        wanted = b"." * (4096 + offset) + b"!" * length
        if memory != wanted.ljust(SIZE, b"."):
            raise Failure(f"{what}: the memory is not what was written")
    b.qp.close()  # a window of type 2 belongs to it
    b.qp = None
    window.close()


def windows(a, b):
    """Accesses at, over and beyond the bounds of windows of all kinds."""
    write, read, add = e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ, e.IBV_WR_ATOMIC_FETCH_AND_ADD
    cases = [
        (write, 0, 512, True), (write, 511, 1, True), (read, 0, 512, True),
        (add, 504, 8, True),
        (write, 0, 513, False), (write, 511, 2, False), (write, 512, 1, False),
        (write, -1, 2, False), (write, -1, 1, False), (write, 4096, 64, False),
        (write, 0, 4096, False),  # four packets, the first within
        (read, 1, 512, False), (read, -4096, 64, False), (add, 512, 8, False),
    ]
    for kind, flags in ((e.IBV_MW_TYPE_1, 0), (e.IBV_MW_TYPE_2, 0),
                        (e.IBV_MW_TYPE_2, ZERO_BASED)):
        for case in cases:
            window_access(a, b, kind, flags, case)


def bound_window(a, b):
    """A window of type 2, bound to b's queue pair, and its rkey."""
    connect(a, b)
    window = MW(b.pd, e.IBV_MW_TYPE_2)
    return window, bind(b, window, e.IBV_MW_TYPE_2, b.mr.buf, 512, 0)


def invalidate(end, rkey):
    """A local invalidate; gives its status."""
    request = SendWR(opcode=e.IBV_WR_LOCAL_INV, send_flags=e.IBV_SEND_SIGNALED)
    request.imm_data = rkey
    end.qp.post_send(request)
    return end.wait()


def window_states(a, b):
    """Invalidated twice; its queue pair gone before it."""
    window, rkey = bound_window(a, b)
    expect(invalidate(b, rkey), e.IBV_WC_SUCCESS, "invalidate")
    expect(invalidate(b, rkey), e.IBV_WC_LOC_QP_OP_ERR, "invalidate again")
    window.close()
    window, rkey = bound_window(a, b)
    start = time.monotonic()
    b.qp.close()
    if time.monotonic() - start > LONG:
        raise Failure("a queue pair with a window bound to it takes long to go")
    b.qp = None
    a.qp.close()
    a.qp = None
    b.make_qp()
    a.make_qp()
    a.connect(b)
    b.connect(a)
    expect(a.work(e.IBV_WR_RDMA_WRITE, rkey, b.mr.buf), e.IBV_WC_REM_ACCESS_ERR,
           "write through a window of a queue pair that is gone")
    window.close()


def path_mtu(a, b, size, allowed):
    """A path MTU, on a link whose netdev has a certain MTU."""
    a.make_qp()
    b.make_qp()
    try:
        a.connect(b, int(size))
    except PyverbsRDMAError as error:
        if allowed == "no" and error.error_code == errno.EINVAL:
            return
        raise
    if allowed != "yes":
        raise Failure(f"path MTU {size} was accepted")


def reset(a, b):
    """A queue pair is reset in the middle of writes; the next peer's are all that arrives."""
    for number in range(60):
        connect(a, b)
        old = a.qp, a.cq
        a.mr.write(b"!" * 4096, 4096)
        for _ in range(50):
            request = SendWR(opcode=e.IBV_WR_RDMA_WRITE, num_sge=1,
                             sg=[SGE(a.mr.buf, 4096, a.mr.lkey)], send_flags=0)
            request.set_wr_rdma(b.mr.rkey, b.mr.buf + 4096)
            a.qp.post_send(request)
        time.sleep(number % 10 / 1000)
        b.qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
        b.mr.write(b"." * SIZE, SIZE)
        a.qp = a.cq = None
        a.make_qp()
        a.connect(b)
        b.connect(a)
        expect(a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf), e.IBV_WC_SUCCESS, "write")
        if b.mr.read(SIZE, 0) != b"!" * 64 + b"." * (SIZE - 64):
            raise Failure("a write that came before the reset was done after it")
        for thing in old:
            thing.close()


def plaintext(a, b):
    """Writes what a tap would recognise."""
    connect(a, b)
    a.mr.write(MARK * 256, 4096)
    for _ in range(20):
        expect(a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf, 4096), e.IBV_WC_SUCCESS, "write")
    if b.mr.read(4096, 0) != MARK * 256:
        raise Failure("what was written did not arrive")


def tap():
    """Keeps what arrives unread, as any capture may, until it has been handled."""
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUFFORCE if hasattr(
        socket, "SO_RCVBUFFORCE") else 33, 1 << 24)
    sock.bind(("net0", 3))
    print("ready", flush=True)
    sys.stdin.read()
    sock.setblocking(False)
    sealed = 0
    while True:
        try:
            frame = sock.recv(65535)
        except BlockingIOError:
            break
        if MARK * 2 in frame:
            raise Failure("plaintext in a captured packet")
        # Ethernet, IPv4 without options, UDP, BTH
        if frame[23] == 17 and frame[36:38] == (4791).to_bytes(2, "big"):
            if frame[43] & 15 != 1:
                raise Failure("a captured packet was opened in place")
            sealed += 1
    if sealed < 20:
        raise Failure(f"only {sealed} packets were captured")


def main():
    """Runs one of them."""
    command = sys.argv[1]
    try:
        if command == "tap":
            tap()
            return
        a, b = End(*sys.argv[2:4]), End(*sys.argv[4:6])
        {"windows": windows, "window-states": window_states, "path-mtu": path_mtu,
         "reset": reset, "plaintext": plaintext}[command](a, b, *sys.argv[6:])
    except Failure as failure:
        sys.exit(f"{command}: {failure}")


if __name__ == "__main__":
    main()
