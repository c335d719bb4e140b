# What a trace of `heddle run --trace` must be, whatever ran: check_trace.py TRACE [REPORT]. Reads it back: every slice has a process and a
# thread with a name, none has a negative length, slices of a thread lie within each other or apart, a request consists of its stages. With
# the report of the same run (--json), and where the trace says that nothing was left out, counts are those of the report.
# Prints what is wrong; last line "N passed, N failed".
import json
import sys
from collections import Counter, defaultdict
from decimal import Decimal

passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAILED", name, str(detail)[:300])


def nested(slices):
    """Slices in any order: sorted by beginning, the longer first, each lies in what is open or after it."""
    open_slices = []
    for start, end, _ in sorted(slices, key=lambda s: (s[0], -s[1])):
        while open_slices and open_slices[-1][1] <= start:
            open_slices.pop()
        if open_slices and end > open_slices[-1][1]:
            return (start, end, open_slices[-1])
        open_slices.append((start, end))
    return None


STAGES = ["L1", "request network", "L2", "reply network"]
REQUESTS = ("load", "store", "atomic", "instructions", "constant", "texture")

with open(sys.argv[1]) as f:
    trace = json.load(f, parse_float=Decimal)
events, other = trace["traceEvents"], trace["otherData"]
processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
slices, counts = defaultdict(list), Counter()
for e in events:
    if e["ph"] == "X":
        slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e))
        kind = threads.get((e["pid"], e["tid"]), "?").split(" ")[0]
        counts["kernel" if "kernel" in e.get("args", {}) else "copy" if "bytes" in e.get("args", {}) else e["name"] if kind == "requests" else kind] += 1
check("events are slices, counters and names", all(e["ph"] in "XCM" for e in events), Counter(e["ph"] for e in events))
check("every thread has a name", all(key in threads for key in slices), [k for k in slices if k not in threads][:3])
check("every process has a name", all(pid in processes for pid, _ in slices))
check("no slice is of negative length", all(s[1] >= s[0] >= 0 for list_ in slices.values() for s in list_))
wrong = [(threads[key], nested(list_)) for key, list_ in slices.items() if nested(list_)]
check("slices are within each other or apart", not wrong, wrong[:2])
check("no warp is in two states", all(not any(b[0] < a[1] for a, b in zip(l, l[1:])) for l in
      (sorted(v, key=lambda s: s[0]) for k, v in slices.items() if threads[k].startswith("warp"))))

requests = 0
for key, list_ in slices.items():
    if not threads[key].startswith("requests"):
        continue
    whole = [s for s in list_ if s[2]["name"] in REQUESTS and "line" in s[2].get("args", {})]
    parts = defaultdict(list)
    for name in STAGES + ["DRAM"]:
        parts[name] = sorted((s for s in list_ if s[2]["name"] == name), key=lambda s: s[0])
    requests += len(whole)
    if any(len(parts[name]) != len(whole) for name in STAGES):
        check("a request has its stages", False, (threads[key], len(whole), [len(parts[n]) for n in STAGES]))
        continue
    for i, one in enumerate(sorted(whole, key=lambda s: s[0])):
        chain = [parts[name][i] for name in STAGES]
        if [one[0]] + [c[1] for c in chain] != [c[0] for c in chain] + [one[1]]:
            check("stages follow each other without a gap", False, (one[:2], [c[:2] for c in chain]))
            break
check("requests are as many as the trace says", requests == other["requests"], (requests, other))
check("CTAs too", counts["CTA"] == other["ctas"], counts)
if other["left_out"] == 0:
    check("and operations", counts["kernel"] + counts["copy"] == other["operations"], counts)

if len(sys.argv) > 2:
    with open(sys.argv[2]) as f:
        report = json.load(f)
    check("every launch", counts["kernel"] == len(report["kernels"]), (counts["kernel"], len(report["kernels"])))
    if other["one_cta_in"] == 1:
        check("every CTA", counts["CTA"] == report["sm"]["ctas"], (counts["CTA"], report["sm"]["ctas"]))
    if other["one_request_in"] == 1:
        want = report["l2"]["accesses"] + report["l2"].get("coalesced", 0)
        check("every request that looked up L2", requests == report["l2"]["accesses"], (requests, report["l2"]))
        check("as many went through the network", want == report["noc"]["request_packets"], (want, report["noc"]["request_packets"]))
        check("DRAM where L2 missed", counts["DRAM"] >= report["l2"]["read_misses"], (counts["DRAM"], report["l2"]))
    kernels = sum(s[1] - s[0] for list_ in slices.values() for s in list_ if "kernel" in s[2].get("args", {}))
    if not any(k["overlapped"] for k in report["kernels"]):
        cycles = Decimal(report["cycles"]) / Decimal(report["config"]["gpu.core_clock"])
        check("kernels take their cycles", abs(kernels / cycles - 1) < Decimal("0.001"), (kernels, cycles))
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
