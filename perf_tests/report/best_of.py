#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins several runs of heddle-bench into one results file: of each contestant the run with the least median.

usage: best_of.py RUN.json... -o RESULTS.json

For machines that others slow down, where a single run compares a contestant's bad minute with
another's good one. The runs are of one commit on one machine over the same matrices; whatever is not
a contestant comes from the first, the steadiness of the machine among it.
"""
import argparse
import json
import sys

import steadiness


def load(path):
    with open(path) as file:
        return json.load(file)


def demand_alike(first, other, path):
    for what in ("schema_version", "operation", "commit", "compiler", "machine"):
        if first.get(what) != other.get(what):
            sys.exit("best_of.py: %s has another %s than the first run" % (path, what))
    names = [[matrix["name"] for matrix in run["matrices"]] for run in (first, other)]
    if names[0] != names[1]:
        sys.exit("best_of.py: %s has other matrices than the first run" % path)


def median(contestant):
    time = contestant.get("time_seconds")
    return time["median"] if time else float("inf")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", metavar="RUN.json")
    parser.add_argument("-o", "--output", required=True, metavar="RESULTS.json")
    arguments = parser.parse_args()
    runs = [load(path) for path in arguments.runs]
    best = runs[0]
    for path, run in zip(arguments.runs[1:], runs[1:]):
        demand_alike(best, run, path)
        for matrix, other in zip(best["matrices"], run["matrices"]):
            rivals = {contestant["name"]: contestant for contestant in other["contestants"]}
            matrix["contestants"] = [min(mine, rivals.get(mine["name"], mine), key=median)
                                     for mine in matrix["contestants"]]
            steadiness.find_again(matrix)
    with open(arguments.output, "w") as file:
        json.dump(best, file, separators=(",", ":"))


if __name__ == "__main__":
    main()
