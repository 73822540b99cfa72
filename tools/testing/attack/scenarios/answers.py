# SPDX-License-Identifier: GPL-2.0
"""D1 to D3: answers forged in b's name against a's requester.

The way is cut while a waits, so that the honest answer does not come first.
"""

from srxe_attack import forge

from .pair import Watch, need, until

FORGED = bytes(range(0x80, 0xC0))
# long enough to attack in, short enough to wait for the retransmission
PATIENT = ("--qp-timeout", "18")


def _watch(lab):
    """Over a, which may repeat its request when its timer runs out."""
    if not lab.secured:
        return None
    return Watch(lab, lab.a, may_send=lambda packet: bool(lab.requests([packet])))


def _stays(lab, watch, sent, command):
    """Nothing completed; with the way whole, the request ends well."""
    found = watch.verdict(sent)
    early = lab.a.ask("wait 1 300")
    need(early["done"] == 0, f"{command} completed: {early['last']}")
    lab.join()
    late = lab.a.ask("wait 1 20000", 40)
    need(late["done"] == 1 and late["last"]["status"] == "success",
         f"{command} after the attack: {late['last']}")
    return found


def _pending(lab, command):
    """a's request on the way to nowhere; the answers' target."""
    before = lab.a.state()["sq_psn"]
    lab.captured_request(command)
    return lab.replies_to_a(before)


def d1(lab):
    """A NAK: remote access, invalid request, RNR, sequence."""
    plans = {"access": 1, "invalid": 1, "operational": 1, "rnr": 12, "sequence": 12}
    found = {}
    # enough retries to live through the attack, fewer than the NAKs of a kind
    limits = ("--qp-timeout", "20", "--retry", "6") if lab.secured else PATIENT + ("--retry", "2")
    for kind, count in plans.items():
        lab.connect(more=limits + ("--rnr", "2"))
        target = _pending(lab, "send 64")
        watch = _watch(lab)
        lab.to_a.send([forge.nak(target, kind)] * count, gap=0.05 if count > 1 else 0)
        if lab.secured:
            found[kind] = _stays(lab, watch, count, "send")
            lab.honest()
            continue
        answer = lab.a.ask("wait 1 3000")
        found[kind] = {"last": answer["last"], "state": lab.a.state()["state"]}
    if not lab.secured:
        dead = [kind for kind, what in found.items()
                if what["last"] and what["last"]["status"] != "success"]
        need("access" in dead and "rnr" in dead, f"a survived: {found}")
    return found


def d2(lab):
    """An ACK for a SEND that b never saw, and one ahead of it."""
    found = {}
    for name, ahead in (("ack", 0), ("ack-ahead", 5)):
        lab.connect(more=PATIENT)
        seen = lab.b.recvs()
        target = _pending(lab, "send 64")
        watch = _watch(lab)
        lab.to_a.send([forge.ack(target.at(target.psn + ahead), msn=3)])
        if lab.secured:
            found[name] = _stays(lab, watch, 1, "send")
            need(until(lambda seen=seen: lab.b.recvs() == seen + 1), "b did not receive it")
            lab.honest()
            continue
        answer = lab.a.ask("wait 1 2000")
        found[name] = {"last": answer["last"], "b_received": lab.b.recvs() - seen}
    if not lab.secured:
        need(any(what["last"] and what["last"]["status"] == "success" and not what["b_received"]
                 for what in found.values()), f"no false completion: {found}")
    return found


def d3(lab):
    """READ response data that b never sent."""
    lab.connect(more=PATIENT)
    target = _pending(lab, "read 64 0")
    watch = _watch(lab)
    lab.to_a.send(forge.read_response(target, FORGED))
    if lab.secured:
        found = _stays(lab, watch, 1, "read")
        need(lab.a.dump("tx", 0, 64) == lab.b.dump("rx", 0, 64), "a read other data")
        lab.honest()
        return found
    answer = lab.a.ask("wait 1 2000")
    need(answer["last"] and answer["last"]["status"] == "success"
         and lab.a.dump("tx", 0, 64) == FORGED, f"a's READ: {answer['last']}")
    return {"last": answer["last"], "data": lab.a.dump("tx", 0, 64).hex()}
