# SPDX-License-Identifier: GPL-2.0
"""srxe-attack: forged, changed, replayed and malformed RoCEv2 packets.

Run it where the packets are to leave: in a third namespace on the same L2, or on
the path. It knows what is on the wire and no key. Prints one JSON object that
says what was sent. The same seed sends the same bytes.
"""

import argparse
import json
import random
import signal
import sys
import time

from . import check, forge, fuzz, mutate
from . import packet as pk
from . import wire


def _mac(text):
    return bytes.fromhex(text.replace(":", ""))


def _own_mac(iface):
    with open(f"/sys/class/net/{iface}/address", encoding="ascii") as stream:
        return _mac(stream.read().strip())


def _number(text):
    return int(text, 0)


def target_of(args):
    """The target from --target, single options over it."""
    if args.target:
        with open(args.target, encoding="utf-8") as stream:
            info = json.load(stream)
        target = forge.Target.from_info(info, args.src_mac or b"", args.dst_mac)
    else:
        path = pk.Path(args.src_mac or b"", args.dst_mac, pk.gid_to_ip(args.src),
                       pk.gid_to_ip(args.dst))
        target = forge.Target(path, args.qpn)
    if not args.src_mac:
        target.path.src_mac = _own_mac(args.iface)
    for name in ("qpn", "psn", "va", "rkey"):
        value = getattr(args, name)
        if value is not None:
            setattr(target, name, value)
    if args.qp:
        target.service = pk.UC if args.qp == "uc" else pk.RC
    target.psn = target.psn + args.psn_add & 0xFFFFFF
    return target


def data_of(args):
    """--data, or --len pseudo-random bytes of the seed."""
    if args.data is not None:
        return bytes.fromhex(args.data)
    return random.Random(args.seed).randbytes(args.len)


def captured_of(args):
    """Sealed packets of --pcap that match --opcode, --dst and --skip/--count."""
    found = [p for p in wire.read_packets(args.pcap) if not args.to or str(p.path.dst) == args.to]
    if args.opcode:
        found = [p for p in found if pk.opcode_name(p.bth.opcode) in args.opcode.split(",")]
    return found[args.skip :][: args.count]


def plain_frames(args):
    """(name, frame) of the attacks with plain packets."""
    target, data, name = target_of(args), data_of(args), args.attack
    if name in ("order", "length"):
        cases = forge.illegal_order if name == "order" else forge.wrong_length
        for case, frames in cases(target, data):
            if not args.case or case == args.case:
                yield from ((case, frame) for frame in frames)
        return
    for n in range(args.count):
        one = target.at(target.psn + n * args.psn_step)
        if name == "write":
            yield name, forge.write(one, data, args.offset)
        elif name == "rkey":
            yield name, forge.write(one, data, args.offset, rkey=target.rkey ^ args.rkey_xor)
        elif name == "send":
            yield name, forge.send(one, data, bytes.fromhex(args.imm) if args.imm else None)
        elif name == "read":
            yield name, forge.read_request(one, args.len, args.offset)
        elif name == "nak":
            yield f"nak-{args.kind}", forge.nak(one, args.kind)
        elif name == "ack":
            yield name, forge.ack(one)
        elif name == "read-response":
            for frame in forge.read_response(one, data, args.mtu):
                yield name, frame


def sealed_frames(args):
    """(name, frame) of the attacks with captured packets."""
    for packet in captured_of(args):
        if args.attack == "replay":
            yield "replay", packet.frame
        elif args.attack == "strip" and packet.sealed and not packet.bare:
            yield "strip", mutate.strip(packet)
        elif args.attack == "flip" and packet.sealed and not packet.bare:
            yield from mutate.flips(packet, args.groups.split(","))


def fuzz_frames(args):
    """(name, frame) of M1."""
    captured = captured_of(args) if args.pcap else []
    captured = [p for p in captured if p.sealed]
    kinds = args.kinds.split(",") if args.kinds else tuple(fuzz.KINDS)
    yield from fuzz.generate(target_of(args), captured, kinds, args.seed, args.count)


def do_send(args, frames):
    """Sends and reports."""
    out, counts = wire.Wire(args.iface), {}
    for name, data in frames:
        out.send([data], args.gap)
        key = name if len(counts) < 200 else "more"
        counts[key] = counts.get(key, 0) + 1
    return {"attack": args.attack, "sent": out.sent, "what": counts}


def do_capture(args):
    """Until --seconds are over or SIGTERM."""
    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    tap = wire.Tap(args.iface, not args.both)
    print(json.dumps({"capturing": args.iface}), flush=True)
    try:
        tap.wait(args.seconds, (lambda p: len(p) >= args.count) if args.count else None)
    except KeyboardInterrupt:
        tap.wait(0)
    wire.write_pcap(args.out, tap.frames)
    return {"attack": "capture", **check.summary(tap.packets())}


def do_check(args):
    """check-capture: non-zero exit if payload or a repeated nonce is found."""
    packets = wire.read_packets(args.pcap)
    result = {"attack": "check-capture", **check.summary(packets)}
    payload = bytes.fromhex(args.hex) if args.hex else b""
    if args.payload:
        with open(args.payload, "rb") as stream:
            payload = stream.read()
    result["payload_in"] = check.find_payload(packets, payload) if payload else []
    result["nonces_repeated"] = check.repeated_nonces(packets)
    result["ok"] = not result["payload_in"] and not result["nonces_repeated"] and packets != []
    return result


def do_icrc(args):
    """check-icrc: are the ICRCs of a capture of plain packets what we compute?"""
    packets = [p for p in wire.read_packets(args.pcap) if p.bth.tver == 0]
    wrong = [n for n, p in enumerate(packets) if not pk.check_icrc(p)]
    return {"attack": "check-icrc", "packets": len(packets), "wrong": wrong,
            "ok": bool(packets) and not wrong}


def _add_target(parser):
    add = parser.add_argument
    add("--iface", required=True)
    add("--target", help="JSON of the --hold end under attack")
    add("--src-mac", type=_mac, help="default: the interface's")
    add("--dst-mac", type=_mac, required=True)
    add("--src", help="address pretended")
    add("--dst")
    for name in ("--qpn", "--psn", "--va", "--rkey"):
        add(name, type=_number)
    add("--qp", choices=("rc", "uc"))
    add("--psn-add", type=_number, default=0)
    add("--psn-step", type=_number, default=1)
    add("--gap", type=float, default=0.0, help="seconds between packets")


def _add_captured(parser, required=True):
    add = parser.add_argument
    add("--pcap", required=required)
    add("--to", help="only packets to this address")
    add("--opcode", help="only these opcodes, as in rc-write-only")
    add("--skip", type=int, default=0)


def parser_of():
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="srxe-attack", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    sub = parser.add_subparsers(dest="attack", required=True)
    for name in ("write", "rkey", "send", "read", "nak", "ack", "read-response", "order",
                 "length"):
        one = sub.add_parser(name)
        _add_target(one)
        one.add_argument("--count", type=int, default=1)
        one.add_argument("--data", help="hex")
        one.add_argument("--len", type=int, default=64)
        one.add_argument("--offset", type=_number, default=0)
        one.add_argument("--imm", help="hex, 4 bytes")
        one.add_argument("--kind", choices=sorted(forge.NAKS), default="sequence")
        one.add_argument("--rkey-xor", type=_number, default=0x7700)
        one.add_argument("--mtu", type=int, default=1024)
        one.add_argument("--case", help="only that case")
    for name in ("replay", "strip", "flip"):
        one = sub.add_parser(name)
        one.add_argument("--iface", required=True)
        one.add_argument("--gap", type=float, default=0.0)
        one.add_argument("--count", type=int, default=1000)
        _add_captured(one)
        if name == "flip":
            one.add_argument("--groups", default=",".join(mutate.GROUPS))
    one = sub.add_parser("fuzz")
    _add_target(one)
    _add_captured(one, False)
    one.add_argument("--count", type=int, default=2000, help="of random ones")
    one.add_argument("--kinds", help=",".join(fuzz.KINDS))
    one = sub.add_parser("capture")
    one.add_argument("--iface", required=True)
    one.add_argument("--out", required=True)
    one.add_argument("--seconds", type=float, default=60)
    one.add_argument("--count", type=int, default=0)
    one.add_argument("--both", action="store_true", help="packets that leave here too")
    one = sub.add_parser("check-capture")
    one.add_argument("--pcap", required=True)
    one.add_argument("--payload", metavar="FILE")
    one.add_argument("--hex")
    one = sub.add_parser("check-icrc")
    one.add_argument("--pcap", required=True)
    return parser


def main():
    """Exit status 0, 1 when a check failed, 2 for a wrong command line."""
    args = parser_of().parse_args()
    start = time.monotonic()
    if args.attack in ("capture", "check-capture", "check-icrc"):
        result = {"capture": do_capture, "check-capture": do_check, "check-icrc": do_icrc}[
            args.attack](args)
    elif args.attack in ("replay", "strip", "flip"):
        result = do_send(args, sealed_frames(args))
    elif args.attack == "fuzz":
        result = do_send(args, fuzz_frames(args))
    else:
        result = do_send(args, plain_frames(args))
    result["seconds"] = round(time.monotonic() - start, 3)
    print(json.dumps(result))
    return 0 if result.get("ok", True) else 1


if __name__ == "__main__":
    sys.exit(main())
