#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how well heddle::solve chose, as a table in Markdown, from results of heddle-bench solve --auto.

usage: choice.py RESULTS...      JSON or CSV of heddle-bench; of several files the rows of a matrix are put together

A matrix has one row: the pair that `auto` ended with and its whole time, the best pair in hindsight and its time without
choosing, the former over the latter, the share of the whole time that inspection and choice took, and the fastest peer.
Below: who is solved, the mean and the worst of the ratio, the shares of choosing, and how often `auto` was ahead of all peers.
"""
import csv
import json
import sys

LONG = 0.05  # seconds of a solve from which on the share of choosing counts
MOST_SHARE = 0.05


def rows_of_csv(path):
    with open(path, newline="") as file:
        file.readline()
        for row in csv.DictReader(file):
            if row["kind"] != "matrix":
                times = [float(row[key]) / 1e6 if row[key] else None for key in ("setup_us", "time_us")]
                yield row["matrix"], row["name"], row["kind"], row["verdict"], row["scheme"], *times


def rows_of_json(path):
    with open(path) as file:
        yield from rows_of_run(json.load(file))


def rows_of_run(run):
    for matrix in run["matrices"]:
        for one in matrix["contestants"]:
            times = [one[key]["median"] if one[key] else None for key in ("setup_seconds", "time_seconds")]
            yield matrix["name"], one["name"], one["kind"], one["verdict"], one.get("scheme", ""), *times


class System:
    """The contestants of one matrix that solved it, with whole times in seconds."""

    def __init__(self, name):
        self.name = name
        self.auto = self.pair = self.choosing = None
        self.pairs, self.peers = {}, {}

    def add(self, name, kind, scheme, setup, time):
        if name == "auto":
            self.auto, self.pair, self.choosing = setup + time, scheme, setup
        elif kind == "baseline":
            self.peers[name] = setup + time
        elif "/" in name:
            self.pairs[name] = time  # the set-up of a pair is an inspection that it does not need

    @property
    def best(self):
        return min(self.pairs, key=self.pairs.get, default=None)

    @property
    def ratio(self):
        return self.auto / self.pairs[self.best] if self.auto and self.pairs else None

    @property
    def share(self):
        return self.choosing / self.auto if self.auto else None


def read(paths):
    return systems_of(row for path in paths for row in (rows_of_csv if path.endswith(".csv") else rows_of_json)(path))


def systems_of(rows):
    systems = {}
    for name, contestant, *rest in rows:
        system = systems.setdefault(name, System(name))
        kind, verdict, scheme, setup, time = rest
        if verdict in ("ok", "unverified") and time is not None:
            system.add(contestant, kind, scheme, setup or 0.0, time)
    return list(systems.values())


def milliseconds(seconds):
    return "-" if seconds is None else "%.3g" % (1e3 * seconds) if seconds < 1 else "%.0f" % (1e3 * seconds)


def table(systems):
    yield "| system | auto took | ms | best pair | ms | time / best | choosing | fastest peer | ms |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for one in systems:
        peer = min(one.peers, key=one.peers.get, default=None)
        yield "| %s |" % " | ".join(
            [one.name, one.pair or "not solved", milliseconds(one.auto), one.best or "none",
             milliseconds(one.pairs.get(one.best)), "%.2f" % one.ratio if one.ratio else "-",
             "%.1f %%" % (100 * one.share) if one.auto else "-", peer or "-", milliseconds(one.peers.get(peer))])


def conclusions(systems):
    solved = [one for one in systems if one.auto]
    missed = [one.name for one in systems if not one.auto and one.pairs]
    nobody = [one.name for one in systems if not one.auto and not one.pairs]
    yield "solved by auto: %d of %d; by a pair alone: %s; by neither: %s" % (
        len(solved), len(systems), ", ".join(missed) or "none", ", ".join(nobody) or "none")
    ratios = sorted((one.ratio, one.name) for one in solved if one.ratio)
    if ratios:
        yield "time over that of the best pair in hindsight: mean %.3f, worst %.2f (%s)" % (
            sum(ratio for ratio, _ in ratios) / len(ratios), *ratios[-1])
    shares = sorted((one.share, one.name) for one in solved if one.auto >= LONG)
    if shares:
        yield "share of choosing, of %d from %d ms on: mean %.1f %%, most %.1f %% (%s), above %d %%: %d" % (
            len(shares), 1e3 * LONG, 100 * sum(share for share, _ in shares) / len(shares), 100 * shares[-1][0],
            shares[-1][1], 100 * MOST_SHARE, sum(share > MOST_SHARE for share, _ in shares))
    against = [one for one in systems if one.peers]
    if against:
        ahead = sum(bool(one.auto) and one.auto < min(one.peers.values()) for one in against)
        yield "ahead of all peers: %d of %d that a peer solved" % (ahead, len(against))


def main():
    if len(sys.argv) < 2 or "--help" in sys.argv:
        sys.exit(__doc__)
    systems = read(sys.argv[1:])
    print("\n".join(table(systems)) + "\n")
    print("\n".join("- " + line for line in conclusions(systems)))


if __name__ == "__main__":
    main()
