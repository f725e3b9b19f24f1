#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the sources of this folder, and those that heddle_plans makes, as a build would, and prints the
CPU seconds of each.

usage: measure.py BUILD/compile_commands.json [--repeat N] [--only TEXT]

Seconds are user plus system time of the compiler and all it starts, so that other work on the machine
and the number of cores hardly matter; of N compilations, in turns, the median counts. The ratio is to
the source that only includes Kokkos_Core.hpp.
"""
import argparse
import json
import os
import resource
import shlex
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ALONE = "kokkos_core.cpp"
PLANS = "heddle_compile_time_part_plans"


def commands(path):
    """The compile command of each such source, without what it would write."""
    found = {}
    with open(path) as file:
        for entry in json.load(file):
            source = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
            folder = os.path.dirname(source)
            if folder != HERE and os.path.basename(folder) != PLANS:
                continue
            words = entry.get("arguments") or shlex.split(entry["command"])
            words[words.index("-o") + 1] = os.devnull
            found[os.path.basename(source)] = (words, entry["directory"])
    return found


def cpu_seconds(words, directory):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # ccache would compile twice, since /dev/null holds no object.
    done = subprocess.run(words, cwd=directory, env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode != 0:
        sys.exit("measure.py: this command failed: " + shlex.join(words))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", metavar="compile_commands.json")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    parser.add_argument("--only", default="", metavar="TEXT", help="sources whose name contains it")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat is at least 1")
    sources = commands(arguments.commands)
    if ALONE not in sources:
        sys.exit("measure.py: %s names no source of %s; configure with the benchmarks on"
                 % (arguments.commands, HERE))
    sources = {name: source for name, source in sources.items()
               if name == ALONE or arguments.only in name}
    seconds = {name: [] for name in sources}
    for _ in range(arguments.repeat):
        for name, (words, directory) in sources.items():
            seconds[name].append(cpu_seconds(words, directory))
    alone = statistics.median(seconds[ALONE])
    print(shlex.join(sources[ALONE][0]))
    print("%-28s %12s %12s %8s" % ("source", "CPU seconds", "over Kokkos", "ratio"))
    for name in sorted(seconds, key=lambda name: (name != ALONE, name)):
        median = statistics.median(seconds[name])
        print("%-28s %12.2f %12.2f %8.2f" % (name, median, median - alone, median / alone))


if __name__ == "__main__":
    main()
