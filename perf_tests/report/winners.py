#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of docs/formats.md that says when which format wins, from kept results of all formats.

usage: winners.py [--check]

With --check nothing is written; it fails where the page differs from what would be.
"""
import os
import sys

from results import contestants, load, time

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "formats.md")
BEGIN, END = "<!-- winners: begin -->\n", "<!-- winners: end -->\n"
GONE = "dia/rest=coo"  # a scheme of former versions
RUNS = [("H200, one vector", "h200-spmv-double-all-formats"),
        ("8 side by side", "h200-spmv-double-all-formats-8-columns-right"),
        ("32 side by side", "h200-spmv-double-all-formats-32-columns-right"),
        ("8 apart", "h200-spmv-double-all-formats-8-columns-left"),
        ("32 apart", "h200-spmv-double-all-formats-32-columns-left"),
        ("16 threads", "xeon-16-threads-spmv-double-all-formats"),
        ("2 threads", "epyc-2-threads-spmv-double-all-formats")]
FORMATS = ["csr", "ell", "blocked-ell", "coo", "gcsr", "hyb", "dia", "bcsr", "tiled", "csb"]


def format_of(name):
    return name.split("/")[0].split(",")[0]


def times_of_formats(matrix):
    """The least of each format that holds the matrix."""
    least = {}
    for name, found in contestants(matrix).items():
        if name == "auto" or format_of(name) not in FORMATS or name.startswith(GONE):
            continue
        seconds = time(found)
        if seconds:
            least[format_of(name)] = min(seconds, least.get(format_of(name), seconds))
    return least


def wins(results):
    """Of each format the matrices on which it is the fastest, with the next one's time over its own."""
    won = {name: [] for name in FORMATS}
    for matrix in results["matrices"]:
        ranked = sorted((s, name) for name, s in times_of_formats(matrix).items())
        if ranked:
            gain = ranked[1][0] / ranked[0][0] if len(ranked) > 1 else 1
            won[ranked[0][1]].append((gain, matrix["name"]))
    return won


def cell(won):
    if not won:
        return "0"
    gain, matrix = max(won)
    return "%d: %.2f (%s)" % (len(won), gain, matrix)


def table():
    runs = [(title, wins(load(name))) for title, name in RUNS]
    lines = ["| format | %s |" % " | ".join(title for title, _ in runs), "|%s" % (" --- |" * (1 + len(runs)))]
    for name in FORMATS:
        lines.append("| `%s` | %s |" % (name, " | ".join(cell(won[name]) for _, won in runs)))
    return "\n".join(lines) + "\n"


def main():
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    new = before + BEGIN + table() + END + after
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if new == text else "docs/formats.md: its table of winners is not that of winners.py")
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write(new)


if __name__ == "__main__":
    main()
