#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What applications must not be able to do by writing into their own rings.

  verbs_rings.py opcode A A_GID B B_GID      opcodes out of bounds
  verbs_rings.py reg-mr A A_GID B B_GID      memory registration
  verbs_rings.py payload A A_GID B B_GID     payload that is not in the request
  verbs_rings.py receive A A_GID B B_GID     buffers that the request has not
  verbs_rings.py late A A_GID B B_GID        requests changed while a response is
                                             under way; it must take some time
  verbs_rings.py bind A A_GID B B_GID        requests changed while they are read
  verbs_rings.py index A A_GID B B_GID       rings that never end

A and B are devices, each with the index of its GID.
"""

import ctypes
import os
import random
import signal
import sys
import time

from pyverbs import enums as e
from pyverbs.mr import MW, MWBind, MWBindInfo
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QPAttr
from pyverbs.wr import SGE, RecvWR, SendWR

from verbs_fixes import LONG, REMOTE, SECONDS, SIZE, End, Failure, expect

WR_SEND, WR_WRITE, WR_ATOMIC_WRITE, WR_REG_MR = 2, 0, 15, 0x20
SIGNALED, INLINE = 2, 8
PENDING, DONE, ERROR = 2, 3, 4
INLINE_DATA = 208
# struct rxe_send_wqe: offset, type
SEND = {
    "wr_id": (0, ctypes.c_uint64), "opcode": (12, ctypes.c_uint32),
    "flags": (16, ctypes.c_uint32), "addr": (24, ctypes.c_uint64),
    "rkey": (32, ctypes.c_uint32), "mw_length": (32, ctypes.c_uint64),
    "status": (144, ctypes.c_uint32), "state": (148, ctypes.c_uint32),
    "iova": (152, ctypes.c_uint64), "mask": (160, ctypes.c_uint32),
    "first_psn": (164, ctypes.c_uint32),
    "last_psn": (168, ctypes.c_uint32), "has_rd_atomic": (180, ctypes.c_uint32),
    "length": (184, ctypes.c_uint32), "resid": (188, ctypes.c_uint32),
    "cur_sge": (192, ctypes.c_uint32), "num_sge": (196, ctypes.c_uint32),
    "sge_offset": (200, ctypes.c_uint32), "sge_addr": (208, ctypes.c_uint64),
    "sge_length": (216, ctypes.c_uint32), "lkey": (220, ctypes.c_uint32),
}
# struct rxe_recv_wqe
RECV = {
    "cur_sge": (24, ctypes.c_uint32), "num_sge": (28, ctypes.c_uint32),
    "sge_offset": (32, ctypes.c_uint32),
}
PR_SET_PDEATHSIG = 1
BEYOND = (1, 2, 255, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff)

libc = ctypes.CDLL(None)


class Ring:
    """A ring of a queue pair, as the kernel and the library share it."""

    HEADER = 3 * 128

    def __init__(self, found, fields):
        self.base, self.size, self.mask = found
        self.fields = fields

    def slot(self, index):
        """Address of a request."""
        return self.base + self.HEADER + (index & self.mask) * self.size

    def field(self, index, name):
        """A field of a request."""
        offset, kind = self.fields[name]
        return kind.from_address(self.slot(index) + offset)

    @property
    def producer(self):
        """How far it is filled."""
        return ctypes.c_uint32.from_address(self.base + 128)

    def put(self, data=b"", **fields):
        """Adds a request that the library would never write."""
        index = self.producer.value
        ctypes.memset(self.slot(index), 0, self.size)
        for name, value in {"wr_id": 4711, "iova": fields.get("addr", 0), **fields}.items():
            self.field(index, name).value = value
        ctypes.memmove(self.slot(index) + INLINE_DATA, data, len(data))
        self.producer.value = (index + 1) & self.mask


def mappings():
    """Where rings are mapped."""
    with open("/proc/self/maps", encoding="ascii") as maps:
        return {int(line.split("-")[0], 16) for line in maps if "/uverbs" in line}


def header(start):
    """Address, element size and index mask of a ring."""
    word = ctypes.c_uint32.from_address
    return start, 1 << word(start).value, word(start + 4).value


def make_rings(end):
    """A new queue pair; gives its send ring and its receive ring."""
    if end.qp:  # or the new rings are mapped where its were
        end.qp.close()
        end.cq.close()
        end.qp = None
    before = mappings()
    end.make_qp()
    rings = [header(start) for start in mappings() - before]
    # send requests are the largest; one receive request is the shortest ring
    return (Ring(max(rings, key=lambda ring: ring[1]), SEND),
            Ring(min(rings, key=lambda ring: ring[2]), RECV))


def connected(a, b):
    """New queue pairs on both ends, connected; gives a's send and b's receive ring."""
    send, _ = make_rings(a)
    _, receive = make_rings(b)
    a.connect(b)
    b.connect(a)
    b.mr.write(b"." * SIZE, SIZE)
    return send, receive


def receive_one(end):
    """Posts a buffer of all the memory."""
    end.qp.post_recv(RecvWR(num_sge=1, sg=[SGE(end.mr.buf, SIZE, end.mr.lkey)]))


def nothing_arrived(end, what):
    """No message, and no byte of the memory changed."""
    count, completions = end.cq.poll()
    if count and completions[0].status == e.IBV_WC_SUCCESS:
        raise Failure(f"{what}: a message arrived")
    if end.mr.read(SIZE, 0) != b"." * SIZE:
        raise Failure(f"{what}: the peer's memory changed")


def refused(a, b, ring, wanted, **fields):
    """Such a request fails, what follows is flushed, and the peer sees nothing of it."""
    what = ", ".join(f"{name} {value:#x}" for name, value in fields.items())
    receive_one(b)
    ring.put(**fields)
    # a proper one rings the bell
    expect(a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf), wanted, what)
    expect(a.wait(), e.IBV_WC_WR_FLUSH_ERR, f"{what}: the request after it")
    nothing_arrived(b, what)


def opcodes(a, b):
    """Opcodes that are no index into anything."""
    for opcode in (0x21, 0x40, 0xff, 0x1000, 0x7fffffff, 0x80000000, 0xffffffff):
        refused(a, b, connected(a, b)[0], e.IBV_WC_LOC_QP_OP_ERR, opcode=opcode)


def reg_mr(a, b):
    """A memory region at an address of the user's choice."""
    for pointer in (0, 0x1000, a.mr.buf, 0xffff888000001000, 0xdead000000000000):
        refused(a, b, connected(a, b)[0], e.IBV_WC_LOC_QP_OP_ERR, opcode=WR_REG_MR, addr=pointer)


def accepted(a, b):
    """What the cases below are made of works within bounds."""
    ring, _ = connected(a, b)
    receive_one(b)
    ring.put(b"0123456789abcdef", opcode=WR_SEND, flags=SIGNALED | INLINE, length=8, resid=8,
             sge_offset=8)
    ring.put(b"atomic.8", opcode=WR_ATOMIC_WRITE, flags=SIGNALED, length=8, resid=8,
             addr=b.mr.buf + 4096, rkey=b.mr.rkey)
    expect(a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf + 8192), e.IBV_WC_SUCCESS, "inline")
    expect(a.wait(), e.IBV_WC_SUCCESS, "atomic write")
    expect(a.wait(), e.IBV_WC_SUCCESS, "write")
    expect(b.wait(), e.IBV_WC_SUCCESS, "receive")
    memory = b.mr.read(SIZE, 0)
    if memory[:9] != b"89abcdef." or memory[4096:4105] != b"atomic.8.":
        raise Failure("within bounds: the memory is not what was sent")


def payload(a, b):
    """Payload that is somewhere else than in the request or in its buffers."""
    accepted(a, b)
    prot, oper = e.IBV_WC_LOC_PROT_ERR, e.IBV_WC_LOC_QP_OP_ERR
    inline = {"flags": SIGNALED | INLINE}
    sge = {"sge_addr": a.mr.buf, "sge_length": 64, "lkey": a.mr.lkey, "num_sge": 1}
    cases = []
    for opcode in (WR_SEND, WR_WRITE):
        # one byte too far, the next request, the page behind the ring, anywhere
        for offset in (9, 16, 48, 4096, 16384, 0x10000, 0x7ffffff0, 0x80000000, 0xfffffff8):
            cases.append((prot, {"opcode": opcode, **inline, "length": 8, "resid": 8,
                                 "sge_offset": offset}))
        for length in (17, 1024, 4096, 0xffffffff):
            cases.append((prot, {"opcode": opcode, **inline, "length": length,
                                 "resid": length}))
        cases.append((prot, {"opcode": opcode, **inline, "length": 4096, "resid": 4096,
                             "sge_offset": 0x12345000}))
    for length in (9, 64, 1024, 0xffffffff):
        cases.append((prot, {"opcode": WR_ATOMIC_WRITE, "length": length, "resid": length}))
    for wrong in [{"num_sge": 0}, {"sge_offset": 64}] + [{"cur_sge": n} for n in BEYOND] + \
                 [{"num_sge": n} for n in BEYOND[1:]]:
        cases.append((oper, {"opcode": WR_SEND, "length": 64, "resid": 64, **sge, **wrong}))
    for wanted, fields in cases:
        ring, _ = connected(a, b)
        refused(a, b, ring, wanted, **{"addr": b.mr.buf, "rkey": b.mr.rkey, **fields})
    # from the last request there is nothing but the end of the ring to read
    for fields in ({"opcode": WR_ATOMIC_WRITE, "length": 1024, "resid": 1024},
                   {"opcode": WR_SEND, **inline, "length": 1024, "resid": 1024}):
        ring, _ = connected(a, b)
        while ring.producer.value != ring.mask:
            expect(a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf), e.IBV_WC_SUCCESS, "write")
        b.mr.write(b"." * SIZE, SIZE)
        refused(a, b, ring, prot, **{"addr": b.mr.buf, "rkey": b.mr.rkey, **fields})


def receive(a, b):
    """A buffer to receive into that the request has not."""
    for wrong in [{"sge_offset": SIZE}] + [{"cur_sge": n} for n in BEYOND]:
        _, ring = connected(a, b)
        receive_one(b)
        for name, value in wrong.items():
            ring.field(0, name).value = value
        expect(a.work(e.IBV_WR_SEND), e.IBV_WC_REM_INV_REQ_ERR, f"received with {wrong}")
        nothing_arrived(b, f"received with {wrong}")


def changed_late(a, b, opcode, wanted, **fields):
    """A request is changed that waits for its response, which is 150 ms away."""
    for _ in range(20):
        took, status = changed_once(a, b, opcode, **fields)
        if took < 0.1:
            break
    else:
        raise Failure("the response may have come before the change, each time")
    what = f"opcode {opcode}, {fields}"
    expect(status, wanted, what)
    if a.mr.read(4096, 0) != b"!" * 4096:
        raise Failure(f"{what}: memory changed")


def changed_once(a, b, opcode, **fields):
    """Changes a request that waits for its response; how long that took, how it ends."""
    ring, _ = connected(a, b)
    a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf)  # the connection stands
    request = SendWR(opcode=opcode, num_sge=1, sg=[SGE(a.mr.buf, 8, a.mr.lkey)],
                     send_flags=e.IBV_SEND_SIGNALED)
    if opcode == e.IBV_WR_RDMA_READ:
        request.set_wr_rdma(b.mr.rkey, b.mr.buf)
    else:
        request.set_wr_atomic(b.mr.rkey, b.mr.buf, 1, 1)
    a.mr.write(b"!" * 4096, 4096)
    index = ring.producer.value
    start = time.monotonic()
    end = start + SECONDS
    a.qp.post_send(request)
    while ring.field(index, "state").value != PENDING:
        if time.monotonic() > end:
            raise Failure("the request was not sent")
    for name, value in fields.items():
        ring.field(index, name).value = value
    took = time.monotonic() - start
    return took, a.wait()


def late(a, b):
    """The response finds another request than the one it is the response to."""
    a.timeout = b.timeout = 20  # four seconds or more; sent again, a request is as it was
    for opcode in (e.IBV_WR_RDMA_READ, e.IBV_WR_ATOMIC_FETCH_AND_ADD):
        for number in BEYOND:
            changed_late(a, b, opcode, e.IBV_WC_LOC_PROT_ERR, num_sge=0xffffffff, cur_sge=number)
            changed_late(a, b, opcode, e.IBV_WC_LOC_PROT_ERR, sge_offset=max(number, 7))
        changed_late(a, b, opcode, e.IBV_WC_LOC_PROT_ERR, resid=4)
        changed_late(a, b, opcode, e.IBV_WC_FATAL_ERR, status=0, state=ERROR)


class Scribbler:
    """A process that writes into the rings it shares, as fast as it can."""

    def __init__(self, scribble):
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            try:
                if os.getppid() != parent:
                    return
                while True:
                    scribble()
            finally:
                os._exit(1)

    def stop(self):
        """Ends it; it must not have ended before."""
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        if os.WTERMSIG(status) != signal.SIGKILL:
            raise Failure(f"the scribbler ended: {status:#x}")


def rounds(seconds):
    """Numbers, for so long."""
    end, number = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        yield number
        number += 1


def bind_some(a, windows, kind):
    """Binds windows until one fails."""
    for _ in range(50):
        window = MW(a.pd, kind)
        windows.append(window)
        info = MWBindInfo(a.mr, a.mr.buf, 512, REMOTE)
        if kind == e.IBV_MW_TYPE_1:
            a.qp.bind_mw(window, MWBind(info, e.IBV_SEND_SIGNALED))
        else:
            request = SendWR(opcode=e.IBV_WR_BIND_MW, send_flags=e.IBV_SEND_SIGNALED)
            request.set_bind_wr(window, info)
            a.qp.post_send(request)
        status = a.wait()
        if status == e.IBV_WC_MW_BIND_ERR:
            return 1
        expect(status, e.IBV_WC_SUCCESS, "bind")
    return 0


def bind(a, b):
    """A window's length changes from nothing to something and back while it is bound."""
    for kind, seconds in ((e.IBV_MW_TYPE_2, 8), (e.IBV_MW_TYPE_1, 4)):
        bound = failed = 0
        for _ in rounds(seconds):
            ring, _ = connected(a, b)
            lengths = [ring.field(number, "mw_length") for number in range(ring.mask + 1)]

            def flip(ring=ring, lengths=lengths):
                length = lengths[ring.producer.value - 1]  # of the last one posted
                for value in (0, 512) * 20:
                    length.value = value

            windows, scribbler = [], Scribbler(flip)
            failed += bind_some(a, windows, kind)
            scribbler.stop()
            bound += len(windows)
            a.qp.close()  # while windows are bound to it
            a.qp = None
            for window in windows:
                window.close()
        print(f"type {kind}: {bound} binds, {failed} failed")


def traffic(a, b):
    """Requests of all kinds, whatever becomes of them."""
    for _ in range(100):
        opcode = random.choice((e.IBV_WR_SEND, e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ,
                                e.IBV_WR_ATOMIC_FETCH_AND_ADD))
        request = SendWR(opcode=opcode, num_sge=1, sg=[SGE(a.mr.buf, 8, a.mr.lkey)],
                         send_flags=random.choice((0, e.IBV_SEND_SIGNALED)))
        if opcode == e.IBV_WR_ATOMIC_FETCH_AND_ADD:
            request.set_wr_atomic(b.mr.rkey, b.mr.buf, 1, 1)
        elif opcode != e.IBV_WR_SEND:
            request.set_wr_rdma(b.mr.rkey, b.mr.buf)
        try:
            receive_one(b)
        except PyverbsRDMAError:
            pass  # one is enough
        try:
            a.qp.post_send(request)
        except PyverbsRDMAError:
            pass  # the ring is full, or says so
        for end in (a, b):
            end.cq.poll()


def index_round(number, a, b):
    """One round, by a process that may crash: the library trusts its rings."""
    a, b = End(*a), End(*b)
    rings = connected(a, b)
    names = (("state", "state", "state", "status", "first_psn", "last_psn", "mask", "resid",
              "cur_sge", "num_sge", "sge_offset", "flags", "has_rd_atomic"),
             ("cur_sge", "num_sge", "sge_offset"))
    fields = [ring.field(slot, name) for ring, some in zip(rings, names)
              for slot in range(ring.mask + 1) for name in some]
    values = [0, 1, PENDING, DONE, ERROR, 8, 64, 100, 128, 0x10000, 0x7fffffff, 0xffffffff]

    def scribble():
        for _ in range(1000):
            for ring in rings:  # indices that only grow, within bounds or not, and any
                index = ring.producer.value + 1
                ring.producer.value = (index & ring.mask, index, random.getrandbits(32))[number % 3]
            if number % 2:
                random.choice(fields).value = random.choice(values)
            else:
                rings[0].field(random.getrandbits(16), "state").value = DONE

    scribbler = Scribbler(scribble)
    try:
        traffic(a, b)
        start = time.monotonic()
        for end in (a, b):
            end.qp.modify(QPAttr(qp_state=e.IBV_QPS_ERR), e.IBV_QP_STATE)
            end.qp.close()
        if time.monotonic() - start > LONG:
            raise Failure("a queue pair takes long to go")
    finally:
        scribbler.stop()


def in_child(function, *args):
    """Has a process of its own do it; gives how it ended."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            function(*args)
            status = 0
        except Failure as failure:
            print(failure, flush=True)
            status = 2
        finally:
            os._exit(status)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.05)
    raise Failure("a process with a queue pair does not go")


def index(*args):
    """How far a ring is filled, and how far its requests are, changes all the time."""
    ended = [in_child(index_round, number, args[:2], args[2:]) for number in rounds(15)]
    if any(os.WIFEXITED(status) and os.WEXITSTATUS(status) == 2 for status in ended):
        raise Failure("see above")
    print(f"{len(ended)} rounds, ended with {sorted(set(ended))}")
    a, b = End(*args[:2]), End(*args[2:])
    connected(a, b)
    expect(a.work(e.IBV_WR_RDMA_WRITE, b.mr.rkey, b.mr.buf), e.IBV_WC_SUCCESS, "a write after it")


def main():
    """Runs one of them."""
    command = sys.argv[1]
    try:
        if command == "index":
            index(*sys.argv[2:6])
            return
        a, b = End(*sys.argv[2:4]), End(*sys.argv[4:6])
        {"opcode": opcodes, "reg-mr": reg_mr, "payload": payload, "receive": receive,
         "late": late, "bind": bind}[command](a, b)
    except Failure as failure:
        sys.exit(f"{command}: {failure}")


if __name__ == "__main__":
    main()
