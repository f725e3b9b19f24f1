#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots the times of dense matrices of one size from one row to one column: every scheme and peer.

usage: dense.py RESULTS -o DENSE.svg               (Debian: python3-matplotlib)

RESULTS is a run of `heddle-bench spmv --set dense`, or of any dense matrices of R x C entries. Where
a line stays flat, a scheme does not care how long rows are.
"""
import argparse
import sys

import kept
from plots import INK, PEERS, QUIET, FuncFormatter, Figure, NullFormatter, plain

FORMATS = ["#0b7a75", "#e07a1f", "#c62828", "#3f7d20", "#1f6fb2", "#a0522d", "#7a3fa0", "#c2a000",
           "#2aa198", "#888888", "#d05090"]
MARKS = "os^vDP"


def power_of_two(value, _=None):
    exponent = round(value).bit_length() - 1
    return "1" if exponent == 0 else "$2^{%d}$" % exponent


def load(path):
    results = kept.read_run(path)
    if results.get("operation", "spmv") != "spmv":
        sys.exit("dense.py: %s is no results file of heddle-bench spmv" % path)
    shown = []
    for matrix in results["matrices"]:
        shape = matrix["features"]
        if shape["nonzeros"] == shape["rows"] * shape["columns"]:
            shown.append(matrix)
    if not shown:
        sys.exit("dense.py: %s has no dense matrix; run heddle-bench spmv --set dense" % path)
    return results, sorted(shown, key=lambda matrix: matrix["features"]["rows"])


def lines(matrices):
    """Of each contestant that ran: whether it is a scheme, and (rows, microseconds) of its matrices."""
    found = {}
    for matrix in matrices:
        for one in matrix["contestants"]:
            if one["time_seconds"] and one["verdict"] in ("ok", "unverified"):
                found.setdefault((one["kind"] == "scheme", one["name"]), []).append(
                    (matrix["features"]["rows"], 1e6 * one["time_seconds"]["median"]))
    return found


def plot(results, matrices):
    picture = Figure(9.6, 5.6)
    axes = picture.axes
    families, peers, legend = [], [], []
    rows = [matrix["features"]["rows"] for matrix in matrices]
    bandwidth = results["figures"]["triad_gbytes_per_second"] * 1e9
    floor = [1e6 * matrix["apply_bytes"] / bandwidth for matrix in matrices]
    axes.plot(rows, floor, color=INK, lw=1.2, linestyle=(0, (4, 3)))
    for (is_scheme, name), points in sorted(lines(matrices).items()):
        tip = name + "\n" + "\n".join("%d rows: %.1f µs" % point for point in points)
        if name == "auto":
            style = {"color": INK, "lw": 2.2, "zorder": 5}
            legend.append(("chosen", {"color": INK, "marker": "_"}))
        elif is_scheme:
            family = name.split("/")[0].split(",")[0]
            if family not in families:
                families.append(family)
                legend.append((family, {"color": FORMATS[(len(families) - 1) % len(FORMATS)],
                                        "marker": "_"}))
            style = {"color": FORMATS[families.index(family) % len(FORMATS)], "lw": 1, "alpha": 0.8,
                     "zorder": 3}
        else:
            peers.append(name)
            mark = {"color": PEERS[(len(peers) - 1) % len(PEERS)],
                    "marker": MARKS[(len(peers) - 1) % len(MARKS)], "markersize": 4}
            legend.append((name, mark))
            style = {**mark, "lw": 1.2, "zorder": 4}
        tip_name = "tip-%d" % len(picture.tips)
        picture.tips[tip_name] = tip
        axes.plot(*zip(*points), gid=tip_name, **style)
    axes.text(rows[0], floor[0] * 0.9, "CSR's minimum of bytes at triad", color=QUIET, va="top",
              fontsize=8.5)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(power_of_two))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("rows, of %s entries in all" % "{:,}".format(matrices[0]["features"]["nonzeros"]))
    axes.set_ylabel("µs")
    picture.legend(legend, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=6, columnspacing=1.2,
                   handletextpad=0.3)
    return picture.svg("dense matrices from one row to one column")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", metavar="RESULTS")
    parser.add_argument("-o", "--output", required=True, metavar="DENSE.svg")
    arguments = parser.parse_args()
    results, matrices = load(arguments.results)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(plot(results, matrices) + "\n")


if __name__ == "__main__":
    main()
