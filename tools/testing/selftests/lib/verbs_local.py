#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What a program of a local user tries at others' expense.

  verbs_local.py hoard DEV GID_INDEX PEER[,PEER ...] N
                                                N queue pairs for each peer, in as many
                                                domains as need be, that ask queue pairs
                                                that are not there for a connection, and
                                                are patient
  verbs_local.py take DEV GID_INDEX PEER QPN PSN [OWN]
                                                one that sends to that queue pair at that
                                                PSN; with OWN, the one that gets this number
  verbs_local.py sit DEV GID_INDEX PEER QPN OWN one of that number that is ready to receive
                                                from that queue pair, and sends nothing

PEER is an address, IPv4 as ::ffff:A.B.C.D.  A line of JSON says how it went; hoard and sit then keep what they
have until their input ends.
"""

import ipaddress
import json
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import GID, AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

PER_DOMAIN = 32
NOBODY = 0xFF000
SECONDS = 60


class Local:
    """A device, and queue pairs on it."""

    def __init__(self, device, gid_index, peer):
        self.gid_index = int(gid_index)
        self.peers = [GID(ipaddress.IPv6Address(one).exploded) for one in peer.split(",")]
        self.ctx = Context(name=device)
        self.cq = CQ(self.ctx, 64)
        self.kept = []

    def domain(self):
        """A new protection domain."""
        self.kept.append(PD(self.ctx))
        return self.kept[-1]

    def make(self, domain):
        """A new queue pair."""
        cap = QPCap(max_send_wr=4, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
        pair = QP(domain, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap))
        self.kept.append(pair)
        return pair

    def make_number(self, domain, number):
        """The queue pair that gets that number."""
        for _ in range(4096):
            pair = self.make(domain)
            if pair.qp_num == number:
                return pair
        sys.exit(f"no queue pair {number}: the last one is {pair.qp_num}")

    def attributes(self, qpn, psn=0, peer=0):
        """To connect to a queue pair of a peer, at its PSN."""
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = e.IBV_ACCESS_LOCAL_WRITE
        attr.path_mtu = e.IBV_MTU_1024
        attr.dest_qp_num = qpn
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        attr.rq_psn, attr.sq_psn = 0, psn
        attr.min_rnr_timer, attr.timeout = 12, 13
        attr.retry_cnt = attr.rnr_retry = 1
        route = GlobalRoute(dgid=self.peers[peer], sgid_index=self.gid_index)
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
        return attr

    def wait(self):
        """The next completion."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            count, completions = self.cq.poll()
            if count:
                return completions[0]
            time.sleep(0.01)
        return sys.exit("no completion")


def say(**what):
    """Tells how it went."""
    print(json.dumps(what), flush=True)


def hoard(local, count):
    """Asks for many connections that will not come."""
    domain, total = None, int(count) * len(local.peers)
    for n in range(total):
        if n % PER_DOMAIN == 0:
            domain = local.domain()
        attr = local.attributes(NOBODY + n, peer=n % len(local.peers))
        attr.timeout, attr.retry_cnt = 24, 7  # nine minutes
        local.make(domain).to_rts(attr)
    say(made=total)
    sys.stdin.read()


def take(local, qpn, psn, own=None):
    """Sends to somebody else's queue pair."""
    domain = local.domain()
    memory = MR(domain, 4096, e.IBV_ACCESS_LOCAL_WRITE)
    pair = local.make_number(domain, int(own)) if own else local.make(domain)
    pair.to_rts(local.attributes(int(qpn), int(psn)))
    pair.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1, send_flags=e.IBV_SEND_SIGNALED,
                          sg=[SGE(memory.buf, 64, memory.lkey)]))
    done = local.wait()
    say(qpn=pair.qp_num, status=done.status, vendor=done.vendor_err)


def sit(local, qpn, own):
    """Waits for somebody to connect."""
    pair = local.make_number(local.domain(), int(own))
    pair.to_rtr(local.attributes(int(qpn)))
    say(qpn=pair.qp_num)
    sys.stdin.read()


if __name__ == "__main__":
    {"hoard": hoard, "take": take, "sit": sit}[sys.argv[1]](Local(*sys.argv[2:5]), *sys.argv[5:])
