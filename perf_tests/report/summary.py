#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints results of heddle-bench spmv or solve as tables in Markdown.

usage: summary.py RESULTS...

Of solve: tables by preconditioner, by matrix and by peer. Of spmv a matrix a row, and what it adds up to. Columns: the time of CSR's minimum of bytes at the device's copy bandwidth, the best scheme of Heddle,
the scheme that was chosen, and each peer, in microseconds; then how many times as fast the best
scheme is as the better CSR algorithm of each library, and as the best of all that cuSPARSE has; the
chosen scheme's time over the best; and its setup in its own applies.

Where times spread too far to be compared, a line says so of each matrix (perf_tests/bench/README.md).

Below it, of each contestant that ran on at least a dozen matrices, two rank correlations (Spearman's)
over these: of its time with the nonzeros, 1 where a larger matrix always takes longer; and of its time
for a byte of CSR's minimum with the variation of the row lengths (standard deviation over mean), which
is 0 where irregular matrices run as well as regular ones, and the nearer to 1 the more it suffers.
"""
import math
import sys

from keep import read_run
from results import (CUSPARSE_ANY, CUSPARSE_CSR, KOKKOS_KERNELS, contestants, geometric_mean, markdown, setup, time,
                     unsteady_times)

LIBRARIES = {
    "cuSPARSE": CUSPARSE_CSR,
    "cuSPARSE, any format": CUSPARSE_ANY,
    "rocSPARSE": ("rocsparse-adaptive", "rocsparse-stream"),
    "MKL": ("mkl-plain",),
    "MKL optimized": ("mkl-optimized",),
    "Kokkos Kernels": KOKKOS_KERNELS,
}


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
        for name, one in contestants(matrix).items():
            seen.setdefault(name, []).append((time(one), shape["nonzeros"], time(one) / max(1, matrix["apply_bytes"]),
                                              shape["variation"]))
    shown = {name: list(zip(*runs)) for name, runs in seen.items() if len(runs) >= fewest}
    if shown:
        print()
        show(["contestant", "matrices", "time with nonzeros", "time a byte with variation"],
             [["`%s`" % name, len(times), "%.2f" % rank_correlation(times, nonzeros),
               "%.2f" % rank_correlation(rates, variations)]
              for name, (times, nonzeros, rates, variations) in shown.items()])


def show(heads, rows):
    print("\n".join(markdown(heads, rows)))


def print_products(results):
    bandwidth = results["figures"]["triad_gbytes_per_second"] * 1e9
    peers = []
    for matrix in results["matrices"]:
        for one in matrix["contestants"]:
            if one["kind"] == "baseline" and one["name"] not in peers:
                peers.append(one["name"])
    heads = ["matrix", "rows", "nonzeros", "floor", "best scheme", "best", "chosen", "time"]
    libraries = [name for name, algorithms in LIBRARIES.items() if set(algorithms) & set(peers)]
    heads += peers + [name + " / best" for name in libraries] + ["chosen / best", "setup"]
    rows = []
    gains = {name: [] for name in libraries}
    losses = []
    choices, setups, rests = [], [], []
    for matrix in results["matrices"]:
        times = {c["name"]: c["time_seconds"]["median"] for c in matrix["contestants"]
                 if c["time_seconds"]}
        schemes = [c["name"] for c in matrix["contestants"]  # refused schemes have no time
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
        rows.append(row)
    show(heads, rows)
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
    for line in unsteady_times(results):
        print("- Unsteady: %s." % line)
    print_correlations(results["matrices"])


def whole(contestant):
    """Set-up and one solve."""
    return setup(contestant) + time(contestant)


def ours(matrix):
    return {n: c for n, c in contestants(matrix).items() if c["kind"] == "scheme"}


def peers(matrix):
    return {n: c for n, c in contestants(matrix).items() if c["kind"] == "baseline"}


def kind(name):
    """As bench/solve/operation.cpp compares: factors of one level are alike."""
    word = name.removeprefix("graph-").split("-")[0]
    return "ilu" + word[2:] if word.startswith("ic") else word


def least(found):
    return min(found.values(), key=whole, default=None)


def milliseconds(seconds):
    return "%.3g" % (1e3 * seconds) if seconds < 1 else "%.0f" % (1e3 * seconds)


def by_preconditioner(matrices):
    """Over those that both solved: iterations and time in all over those of jacobi."""
    names = list(dict.fromkeys(c["name"] for m in matrices for c in m["contestants"]
                               if c["kind"] == "scheme"))
    rows = []
    for name in names:
        solved = [m for m in matrices if name in ours(m)]
        both = [(ours(m)[name], ours(m)["jacobi"]) for m in solved if "jacobi" in ours(m)]
        won = sum(least(ours(m))["name"] == name for m in solved)

        def mean(of):
            return "%.2f" % geometric_mean([of(c) / of(j) for c, j in both if of(j)]) if both else "-"
        rows.append(["`%s`" % name, "%d of %d" % (len(solved), len(matrices)), str(won),
                     mean(lambda c: c["iterations"]), mean(lambda c: time(c) / max(1, c["iterations"])),
                     mean(time), mean(whole)])
    return markdown(["preconditioner", "solved", "fastest overall", "iterations", "time of one",
                  "solve", "with set-up"], rows)


def by_matrix(matrices):
    def cells(found):
        if not found:
            return ["-", "-", "-"]
        return ["`%s`" % found["name"], str(found["iterations"]), milliseconds(whole(found))]
    rows = []
    for m in matrices:
        mine, peer = least(ours(m)), least(peers(m))
        ratio = "%.2f" % (whole(peer) / whole(mine)) if mine and peer else "-"
        rows.append([m["name"], str(m["features"]["rows"]), str(m["features"]["nonzeros"])] +
                    cells(mine) + cells(peer) + [ratio])
    return markdown(["matrix", "rows", "entries", "Heddle's fastest", "iterations", "with set-up, ms",
                  "peers' fastest", "iterations", "with set-up, ms", "speed-up"], rows)


def by_peer(matrices):
    """The fastest of ours of a kind against each peer of that kind."""
    found = {}
    for m in matrices:
        for name, peer in peers(m).items():
            alike = {n: c for n, c in ours(m).items() if kind(n) == kind(name.split("-", 1)[1])}
            if alike:
                found.setdefault(name, []).append((peer, least(alike)))
    rows = []
    for name, pairs in found.items():
        gains = [whole(peer) / whole(mine) for peer, mine in pairs]
        solves = [time(peer) / time(mine) for peer, mine in pairs]
        rows.append(["`%s`" % name, str(len(pairs)), "%.2f" % geometric_mean(gains),
                     "%.2f" % min(gains), str(sum(gain < 1 / 1.05 for gain in gains)),
                     "%.2f" % geometric_mean(solves)])
    return markdown(["peer", "matrices", "mean speed-up", "lowest", "Heddle slower by 5 %", "mean, solve alone"], rows)


def print_solves(run):
    settings = run["settings"]
    print("\n%s to %g, %s, %d threads, commit %s, %s\n" % (
        settings["method"], settings["tolerance"], run["machine"]["cpu"],
        run["machine"]["concurrency"], run["commit"][:12], run["date"][:10]))
    for part in (by_preconditioner, by_matrix, by_peer):
        print("\n".join(part(run["matrices"])) + "\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        run = read_run(path)
        known = {"spmv": print_products, "solve": print_solves}
        if run["operation"] not in known:
            sys.exit("summary.py: %s has results of %s, and this reads those of spmv and solve" % (path, run["operation"]))
        known[run["operation"]](run)


if __name__ == "__main__":
    main()
