#!/usr/bin/env python3
"""Run the load generator against several servers side by side, in one run.

Rounds are interleaved (A B C, B C A, ...) and every ratio is taken inside one round,
so that noise from a busy machine falls on all servers alike. Python standard library only.

  run_peers.py --load build/mcp_load --peers peers.json --set node=node --set bin=build \
               --rounds 5 --duration 2 --base floor,ts-v1,ts-v2 --out result.json
"""
import argparse
import json
import os
import shlex
import statistics as st
import subprocess
import sys


def expand(text, names):
    for k, v in names.items():
        text = text.replace("{" + k + "}", v)
    return text


def one(load, args, timeout):
    try:
        p = subprocess.run([load] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    except subprocess.TimeoutExpired:
        return {"correct": False, "error_kinds": {"generator timeout": 1}}
    try:
        return json.loads(p.stdout)
    except ValueError:
        return {"correct": False, "error_kinds": {"no result: " + p.stderr.decode("utf-8", "replace")[-200:]: 1}}


def pick(r, path):
    for k in path.split("."):
        if not isinstance(r, dict) or k not in r:
            return None
        r = r[k]
    return r


METRICS = {
    "startup": {"startup_ms.p50": "start ms", "mem_kb.rss_idle": "idle RSS KB", "mem_kb.pss_idle": "idle PSS KB"},
    "load": {"rps": "req/s", "latency_us.p50": "p50 us", "latency_us.p99": "p99 us",
             "server_cpu_us_per_req": "CPU us/req", "mem_kb.rss_peak": "peak RSS KB"},
}


def ratios(rows, table, bases, metric):
    """base name -> median over the rounds of (this peer / base), both measured in the same round."""
    found = {}
    for base in bases:
        others = dict(table.get(base, []))
        q = [pick(r, metric) / pick(others[i], metric) for i, r in rows if i in others and pick(others[i], metric)]
        if q:
            found[base] = round(st.median(q), 3)
    return found


def print_case(case, bases):
    print("\n## %s %s %s, %d at once" % (case["mode"], case["transport"], case["era"], case["concurrency"]))
    titles = METRICS[case["mode"]]
    judged, judged_title = ("server_cpu_us_per_req", "CPU") if case["mode"] == "load" else ("startup_ms.p50", "start")
    print("%-12s" % "" + "".join("%14s" % t for t in titles.values()) +
          "".join("%14s" % (judged_title + "/" + b) for b in bases))
    for name, e in case["peers"].items():
        print("%-12s" % name + "".join("%14s" % e[m]["median"] for m in titles) +
              "".join("%14s" % e[judged]["ratio_to"].get(b, "-") for b in bases))
    for name, why in case["failed"].items():
        print("%-12s FAILED %s" % (name, why))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--load", required=True)
    ap.add_argument("--peers", required=True)
    ap.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    ap.add_argument("--only", default="", help="comma separated peer names")
    ap.add_argument("--transports", default="stdio,http")
    ap.add_argument("--eras", default="legacy,modern")
    ap.add_argument("--conns", default="1,32")
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--duration", type=float, default=2.0)
    ap.add_argument("--starts", type=int, default=5, help="launches per round in the start-up measurement")
    ap.add_argument("--payload", type=int, default=16)
    ap.add_argument("--warmup", type=int, default=1500, help="unrecorded requests first (JIT servers need them)")
    ap.add_argument("--base", default="floor", help="comma separated peers that the ratios refer to")
    ap.add_argument("--no-startup", action="store_true")
    ap.add_argument("--out", default="")
    a = ap.parse_args()

    here = os.path.dirname(os.path.abspath(a.peers))
    names = {"here": here}
    names.update(x.split("=", 1) for x in a.set)
    peers = json.load(open(a.peers))
    if a.only:
        wanted = a.only.split(",")
        peers = [p for p in peers if p["name"] in wanted]
    cases = []
    for t in a.transports.split(","):
        for e in a.eras.split(","):
            if not a.no_startup:
                cases.append(("startup", t, e, 1))
            cases += [("load", t, e, int(c)) for c in a.conns.split(",")]

    results = []
    for mode, transport, era, conns in cases:
        able = [p for p in peers if era in p["eras"] and transport in p["cmd"]]
        table = {p["name"]: [] for p in able}
        bad = {}
        for rnd in range(a.rounds):
            for p in able[rnd % len(able):] + able[:rnd % len(able)] if able else []:
                if p["name"] in bad:
                    continue
                args = ["--mode", mode, "--transport", transport, "--era", era, "--label", p["name"],
                        "--cmd", expand(p["cmd"][transport], names), "--payload", str(a.payload), "--warmup", str(a.warmup)]
                args += shlex.split(expand(" ".join([p.get("args", ""), p.get("args_" + transport, "")]), names))
                args += ["--runs", str(a.starts)] if mode == "startup" else ["--conns", str(conns), "--duration", str(a.duration)]
                r = one(a.load, args, 120 + a.duration + 30 * a.starts)
                if r.get("correct"):
                    table[p["name"]].append((rnd, r))
                else:
                    bad[p["name"]] = r.get("error_kinds")
        case = {"mode": mode, "transport": transport, "era": era, "concurrency": conns, "peers": {}, "failed": bad}
        bases = [b for b in a.base.split(",") if b in table]
        for name, rows in table.items():
            if not rows or name in bad:
                continue
            entry = {"rounds": len(rows)}
            for m in METRICS[mode]:
                vals = [pick(r, m) for _, r in rows]
                entry[m] = {"median": round(st.median(vals), 2), "min": round(min(vals), 2), "max": round(max(vals), 2)}
                entry[m]["ratio_to"] = ratios(rows, table, bases, m)
            entry["responses"] = rows[-1][1].get("responses")
            entry["server"] = rows[-1][1].get("server")
            case["peers"][name] = entry
        results.append(case)
        print_case(case, bases)
    out = {"base": a.base, "rounds": a.rounds, "duration_s": a.duration, "payload": a.payload, "cases": results}
    if a.out:
        with open(a.out, "w") as f:
            f.write(json.dumps(out, indent=1) + "\n")
    return 1 if any(case["failed"] for case in results) else 0


if __name__ == "__main__":
    sys.exit(main())
