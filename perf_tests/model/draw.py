#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a set of matrices that differ in what matters to a product: rows, entries a row, their
variation, the longest row, the band, neighbours, likeness of rows.

    perf_tests/model/draw.py 240 > perf_tests/sets/model.txt
    perf_tests/model/draw.py --triangles 160 > perf_tests/sets/model-triangles.txt

With --triangles, of triangles that differ in what matters to a solve: rows, levels, rows that a row needs, their distance,
how fast levels get narrow, hubs.

Each parameter is drawn from as many equal parts of its range as there are matrices, one each (a
Latin hypercube), so that few matrices cover all of it. The same count gives the same set."""
import argparse
import math
import random


def strata(count, draw):
    """A number from 0 to 1 out of each of `count` equal parts, in random order."""
    numbers = [(i + draw.random()) / count for i in range(count)]
    draw.shuffle(numbers)
    return numbers


def between(least, most, place):
    """By the logarithm."""
    return least * (most / least) ** place


def texts(count, most_entries):
    draw = random.Random(1)
    columns = [strata(count, draw) for _ in range(7)]
    for rows, mean, variation, longest, band, run, same in zip(*columns):
        mean = round(between(2, 100, mean))
        rows = round(between(2000, min(3e6, most_entries / mean), rows))
        variation = 0 if variation < 0.3 else round(between(5, 200, (variation - 0.3) / 0.7))
        longest = 1 if longest < 0.5 else round(between(2, min(1000, rows / mean), (longest - 0.5) * 2))
        band = 1000 if band > 0.8 else max(1, round(between(1, 1000, band / 0.8)))
        run = 1 if run < 0.5 else 1 + math.floor((run - 0.5) * 2 * 6)
        same = 0 if same < 0.4 else round(100 * (same - 0.4) / 0.6)
        yield f"irregular:{rows},{mean},{variation},{longest},{band},{run},{same}"


def triangles(count, most_entries):
    draw = random.Random(2)
    columns = [strata(count, draw) for _ in range(6)]
    for rows, levels, needed, distance, taper, hubs in zip(*columns):
        needed = round(between(1, 40, needed))
        rows = round(between(1000, min(1e6, most_entries / (needed + 1)), rows))
        levels = round(between(2, rows, levels))
        distance = round(between(1, max(1.01, rows / levels), distance))
        taper = 0 if taper < 0.3 else round(100 * (taper - 0.3) / 0.7)
        hubs = 0 if hubs < 0.6 else round(between(1, min(100, rows / 20), (hubs - 0.6) / 0.4))
        yield f"levels:{rows},{levels},{needed},{distance},{taper},{hubs}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", type=int)
    parser.add_argument("--most-entries", type=float, default=6e6)
    parser.add_argument("--triangles", action="store_true")
    options = parser.parse_args()
    words = "--triangles " if options.triangles else ""
    kind = "triangles" if options.triangles else "matrices"
    print(f"# {kind} for a model to learn from, by perf_tests/model/draw.py {words}{options.count}")
    for text in (triangles if options.triangles else texts)(options.count, options.most_entries):
        print(text)


if __name__ == "__main__":
    main()
