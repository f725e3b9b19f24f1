#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a results file of heddle-bench as a Markdown table, a matrix a row, and what it adds up to.

usage: summary.py RESULTS

Columns: the time of CSR's minimum of bytes at the device's copy bandwidth, the best scheme of Heddle,
the scheme that was chosen, and each peer, in microseconds; then how many times as fast the best
scheme is as the better CSR algorithm of each library, and as the best of all that cuSPARSE has; the
chosen scheme's time over the best; and its setup in its own applies.

Where times spread too far to be compared, a line says so of each matrix (docs/heddle-bench.md).

Below it, of each contestant that ran on at least a dozen matrices, two rank correlations (Spearman's)
over these: of its time with the nonzeros, 1 where a larger matrix always takes longer; and of its time
for a byte of CSR's minimum with the variation of the row lengths (standard deviation over mean), which
is 0 where irregular matrices run as well as regular ones, and the nearer to 1 the more it suffers.
"""
import math
import sys

import kept
import steadiness

LIBRARIES = {
    "cuSPARSE": ("cusparse-alg1", "cusparse-alg2"),
    "cuSPARSE, any format": ("cusparse-alg1", "cusparse-alg2", "cusparse-sell", "cusparse-bsr-2",
                             "cusparse-bsr-3", "cusparse-bsr-4", "cusparse-bsr-6", "cusparse-bsr-8"),
    "rocSPARSE": ("rocsparse-adaptive", "rocsparse-stream"),
    "MKL": ("mkl-plain",),
    "MKL optimized": ("mkl-optimized",),
    "Kokkos Kernels": ("kk-native", "kk-merge"),
}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def best(times, names):
    return min((times[n] for n in names if n in times), default=None)


def ranks(values):
    """From 0 on; equal values share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranked = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in order[first:last + 1]:
            ranked[i] = (first + last) / 2
        first = last + 1
    return ranked


def rank_correlation(xs, ys):
    """Spearman's; not a number where either does not vary."""
    a, b = ranks(xs), ranks(ys)
    mean = (len(a) - 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    squares = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return product / math.sqrt(squares) if squares else float("nan")


def print_correlations(matrices):
    fewest = 12
    seen = {}
    for matrix in matrices:
        shape = matrix["features"]
        for one in matrix["contestants"]:
            if one["time_seconds"] and one["verdict"] in ("ok", "unverified"):
                time = one["time_seconds"]["median"]
                seen.setdefault(one["name"], []).append(
                    (time, shape["nonzeros"], time / max(1, matrix["apply_bytes"]),
                     shape["variation"]))
    shown = {name: list(zip(*runs)) for name, runs in seen.items() if len(runs) >= fewest}
    if not shown:
        return
    print("\n| contestant | matrices | time with nonzeros | time a byte with variation |")
    print("| --- | --- | --- | --- |")
    for name, (times, nonzeros, rates, variations) in shown.items():
        print("| `%s` | %d | %.2f | %.2f |" % (name, len(times), rank_correlation(times, nonzeros),
                                              rank_correlation(rates, variations)))


def main():
    results = kept.read_run(sys.argv[1])
    if results["schema_version"] not in (1, 2) or results.get("operation", "spmv") != "spmv":
        sys.exit("summary.py: %s is no results file of heddle-bench spmv, version 1 or 2"
                 % sys.argv[1])
    bandwidth = results["figures"]["triad_gbytes_per_second"] * 1e9
    peers = []
    for matrix in results["matrices"]:
        for one in matrix["contestants"]:
            if one["kind"] == "baseline" and one["name"] not in peers:
                peers.append(one["name"])
    heads = ["matrix", "rows", "nonzeros", "floor", "best scheme", "best", "chosen", "time"]
    libraries = [name for name, algorithms in LIBRARIES.items() if set(algorithms) & set(peers)]
    heads += peers + [name + " / best" for name in libraries] + ["chosen / best", "setup"]
    print("| " + " | ".join(heads) + " |")
    print("|" + " --- |" * len(heads))
    gains = {name: [] for name in libraries}
    losses = []
    choices, setups, rests = [], [], []
    for matrix in results["matrices"]:
        times = {c["name"]: c["time_seconds"]["median"] for c in matrix["contestants"]
                 if c["time_seconds"]}
        schemes = [c["name"] for c in matrix["contestants"]  # those that refuse have no time
                   if c["kind"] == "scheme" and c["name"] != "auto" and c["time_seconds"]]
        schemes = schemes or ["auto"]
        auto = next(c for c in matrix["contestants"] if c["name"] == "auto")
        first = min(schemes, key=times.get)
        shape = matrix["features"]
        row = [matrix["name"], shape["rows"], shape["nonzeros"],
               "%.1f" % (1e6 * matrix["apply_bytes"] / bandwidth), "`%s`" % first,
               "%.1f" % (1e6 * times[first]), "`%s`" % matrix["chosen_scheme"],
               "%.1f" % (1e6 * times["auto"])]
        row += ["%.1f" % (1e6 * times[p]) if p in times else "" for p in peers]
        for name in libraries:
            peer = best(times, LIBRARIES[name])
            gain = peer / times[first] if peer else None
            row.append("%.2f" % gain if gain else "")
            if gain:
                gains[name].append(gain)
                if gain < 1:
                    losses.append("%s to %s (%.2f)" % (matrix["name"], name, gain))
        choices.append(times["auto"] / times[first])
        setups.append(auto["setup_seconds"]["median"] / times["auto"])
        if "setup_rest_seconds" in auto:
            rests.append(auto["setup_rest_seconds"] / times["auto"])
        row += ["%.2f" % choices[-1], "%.1f" % setups[-1]]
        print("| " + " | ".join(map(str, row)) + " |")
    print()
    for name, values in gains.items():
        if values:
            print("- Best scheme against %s: geometric mean %.2f times as fast, at least %.2f."
                  % (name, geometric_mean(values), min(values)))
    print("- Losses: %s." % (", ".join(losses) or "none"))
    print("- Chosen scheme within 5 %% of the best on %d of %d matrices, at most %.2f times it."
          % (sum(c <= 1.05 for c in choices), len(choices), max(choices)))
    print("- Setup under 5 own applies on %d of %d." % (sum(s < 5 for s in setups), len(setups)))
    if rests:
        print("- Setup under 20 own applies on %d of %d; without allocations and readbacks on %d."
              % (sum(s < 20 for s in setups), len(setups), sum(r < 20 for r in rests)))
    for line in steadiness.warnings(results):
        print("- Unsteady: %s." % line)
    print_correlations(results["matrices"])


if __name__ == "__main__":
    main()
