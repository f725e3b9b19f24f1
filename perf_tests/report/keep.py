#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps runs of heddle-bench as CSV, the features of their matrices in matrices.csv beside them.

usage: keep.py RUN.json... [-o FOLDER]      writes FOLDER/RUN.csv; by default perf_tests/results
       keep.py --check [-o FOLDER]          fails unless every CSV there is as it would be written
"""
import argparse
import csv
import os
import sys

import kept


def check(folder):
    """Reads what is kept and writes it again, in memory."""
    matrices, used, wrong = kept.Matrices(folder), set(), []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".csv") or name == kept.TABLE:
            continue
        path = os.path.join(folder, name)
        with open(path) as file:
            text = file.read()
        before = len(matrices.rows)
        written = kept.run_text(kept.read_csv(path), matrices)
        used.update(row["matrix"] for row in csv.DictReader(text.split("\n")[1:]))
        if written != text or len(matrices.rows) != before:
            wrong.append("%s is not what keep.py writes" % name)
    wrong += ["%s: no run has the matrix %s" % (kept.TABLE, key)
              for key in matrices.rows if key not in used]
    with open(matrices.path) as file:
        if file.read() != matrices.text():
            wrong.append("%s is not what keep.py writes" % kept.TABLE)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="*", metavar="RUN.json")
    parser.add_argument("-o", "--output", metavar="FOLDER", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "results"))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.check:
        wrong = check(arguments.output)
        sys.exit("\n".join("keep.py: " + line for line in wrong) or None)
    matrices = kept.Matrices(arguments.output)
    for path in arguments.runs:
        name = os.path.splitext(os.path.basename(path))[0] + ".csv"
        text = kept.run_text(kept.read_run(path), matrices)
        with open(os.path.join(arguments.output, name), "w") as file:
            file.write(text)
    with open(matrices.path, "w") as file:
        file.write(matrices.text())


if __name__ == "__main__":
    main()
