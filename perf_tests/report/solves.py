#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What heddle-bench solve measured, as tables in Markdown: by preconditioner, by matrix, by peer.

usage: solves.py FILE...     CSV or JSON of `heddle-bench solve`
"""
import sys

from kept import read_run
from results import contestants, geometric_mean, setup, time


def whole(contestant):
    """Set-up and one solve."""
    return setup(contestant) + time(contestant)


def ours(matrix):
    return {n: c for n, c in contestants(matrix).items() if c["kind"] == "scheme"}


def peers(matrix):
    return {n: c for n, c in contestants(matrix).items() if c["kind"] == "baseline"}


def kind(name):
    """As bench/solve/table.cpp compares: factors of one level are alike."""
    word = name.split("-")[0]
    return "ilu" + word[2:] if word.startswith("ic") else word


def least(found):
    return min(found.values(), key=whole, default=None)


def milliseconds(seconds):
    return "%.3g" % (1e3 * seconds) if seconds < 1 else "%.0f" % (1e3 * seconds)


def table(head, rows):
    lines = ["| %s |" % " | ".join(cells) for cells in [head, ["---"] * len(head)] + rows]
    return "\n".join(lines) + "\n"


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
    return table(["preconditioner", "solved", "fastest overall", "iterations", "time of one",
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
    return table(["matrix", "rows", "entries", "Heddle's fastest", "iterations", "with set-up, ms",
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
    return table(["peer", "matrices", "mean speed-up", "lowest", "Heddle slower by 5 %", "mean, solve alone"], rows)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        run = read_run(path)
        settings = run["settings"]
        print("\n%s to %g, %s, %d threads, commit %s, %s\n" % (
            settings["method"], settings["tolerance"], run["machine"]["cpu"],
            run["machine"]["concurrency"], run["commit"][:12], run["date"][:10]))
        for part in (by_preconditioner, by_matrix, by_peer):
            print(part(run["matrices"]))


if __name__ == "__main__":
    main()
