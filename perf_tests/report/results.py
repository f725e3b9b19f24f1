# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of heddle-bench: loading them, how steady they are, and how a plan's automatic choice compares with its peers.

A time is a contestant's median in seconds. A contestant that refused, failed or gave a wrong result
has none. Heddle is judged by `auto`, the scheme that a plan chooses, never by its best scheme.
"""
import math
import os
import statistics

from keep import largest_spread, read_run, spread

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results")
STEADY = 0.25  # limit of the interquartile range over the median
MARGIN = 1.05  # a peer wins if auto takes more than this many times its time
CUSPARSE_CSR = ("cusparse-alg1", "cusparse-alg2")
CUSPARSE_ANY = CUSPARSE_CSR + ("cusparse-sell",) + tuple("cusparse-bsr-%d" % b for b in (2, 3, 4, 6, 8))
KOKKOS_KERNELS = ("kk-native", "kk-merge")


def load(name):
    """The results of that file of perf_tests/results, its name without folder and extension."""
    return read_run(os.path.join(FOLDER, name + ".csv"))


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def contestants(matrix):
    """Those that ran and were right, by name."""
    return {c["name"]: c for c in matrix["contestants"]
            if c.get("time_seconds") and c["verdict"] in ("ok", "unverified")}


def time(contestant):
    return contestant["time_seconds"]["median"]


def setup(contestant):
    """0 where a peer has none."""
    return (contestant.get("setup_seconds") or {"median": 0.0})["median"]


def comparable(*both):
    """Whether all are there and their single times spread by no more than what heddle-bench calls steady."""
    return all(c and (spread(c["time_seconds"]) or 0) <= STEADY for c in both)


def fastest(found, names):
    """The fastest of those names, or None where none of them ran."""
    return min((found[n] for n in names if n in found), key=time, default=None)


class Comparison:
    """`auto`, or another contestant of ours, against the fastest of `names` on every matrix where both ran steadily.

    gains: (times as fast, matrix), the least first. applies: for every matrix on which auto is
    faster, how many applies its longer set-up takes to repay, 0 where its set-up is no longer.
    """

    def __init__(self, results, names, ours="auto"):
        self.gains, self.applies = [], []
        for matrix in results["matrices"]:
            found = contestants(matrix)
            mine, peer = found.get(ours), fastest(found, names)
            if not comparable(mine, peer):
                continue
            self.gains.append((time(peer) / time(mine), matrix["name"]))
            if time(mine) < time(peer):
                longer = max(0.0, setup(mine) - setup(peer))
                self.applies.append(longer / (time(peer) - time(mine)))
        self.gains.sort()

    @property
    def mean(self):
        return geometric_mean([gain for gain, _ in self.gains])

    @property
    def least(self):
        return self.gains[0]

    @property
    def lost(self):
        return [(gain, name) for gain, name in self.gains if gain < 1 / MARGIN]

    @property
    def repaid(self):
        """The median over all matrices, infinite where that one never is: auto is slower on it."""
        every = self.applies + [math.inf] * (len(self.gains) - len(self.applies))
        return statistics.median(every)


def form_of_peers(scheme, block):
    """The end of the names of peers that make the form of a scheme of `convert`, or "": peers_of() of convert/operation.cpp."""
    if scheme in ("bcsr/%dx%d" % (block, block), "op-to-blocks"):
        return "-bsr"
    if scheme in ("transpose", "op-transpose"):
        return "-csc"
    return "-sum" if scheme == "op-add" else ""


def pairs_of_forms(matrix, block):
    """(scheme, the fastest peer that makes the same form) for each scheme of a matrix of `convert` that has such a peer."""
    found = contestants(matrix)
    pairs = []
    for name, scheme in found.items():
        form = form_of_peers(name, block)
        same = [n for n, c in found.items() if form and c["kind"] == "baseline" and n.endswith(form)]
        if scheme["kind"] == "scheme" and same:
            pairs.append((scheme, fastest(found, same)))
    return pairs


def setup_in_applies(results):
    """auto's set-up in its own applies, (applies, matrix), the most last."""
    pairs = ((contestants(m).get("auto"), m["name"]) for m in results["matrices"])
    return sorted((setup(ours) / time(ours), name) for ours, name in pairs if ours)


def over_auto(results, names):
    """(time of the fastest of names over that of auto, matrix), the least first."""
    found = [(contestants(m), m["name"]) for m in results["matrices"]]
    pairs = [(fastest(f, names), f.get("auto"), name) for f, name in found]
    return sorted((time(one) / time(ours), name) for one, ours, name in pairs if comparable(one, ours))


def schemes(results):
    """Names of Heddle's contestants but auto."""
    return {c["name"] for m in results["matrices"] for c in m["contestants"]
            if c["kind"] == "scheme" and c["name"] != "auto"}


def command(results):
    """The command line, with the names of matrices left out."""
    words, skip = ["heddle-bench"], False
    for word in results["command_line"][1:]:
        if word.startswith("--"):
            again = skip and word == "--matrix"  # given once for each matrix
            skip = word == "--matrix"
            words += [] if again else [word] + (["..."] if skip else [])
        elif words[-1] == "--json":
            words.append("FILE")
        elif not skip:
            words.append(word)
    return " ".join(words)


def format_of(contestant):
    """The format of a scheme's name; a peer's own name."""
    name = contestant["name"]
    return name.split("/")[0].split(",")[0] if contestant["kind"] == "scheme" else name


def fastest_of_formats(matrix):
    """The fastest scheme of each format but auto, and each peer."""
    found = {}
    for c in contestants(matrix).values():
        name = format_of(c)
        if name != "auto" and (name not in found or time(c) < time(found[name])):
            found[name] = c
    return found


def unsteady_times(results):
    """One line on each matrix with times that should not be compared, as heddle-bench prints it below its table."""
    lines = []
    for matrix in results["matrices"]:
        told, steadiness = [], matrix.get("steadiness", {})
        if steadiness.get("unsteady_machine"):
            told.append(("the reference operation", spread(steadiness["reference_seconds"])))
        told += [(c["name"], largest_spread(c)) for c in matrix["contestants"]
                 if c["name"] in steadiness.get("unsteady_contestants", [])]
        if told:
            lines.append("%s: %s" % (matrix["name"], ", ".join("%s (%.0f %%)" % (n, 100 * s) for n, s in told)))
    return lines


def markdown(heads, rows):
    lines = ["| %s |" % " | ".join(heads), "|%s" % (" --- |" * len(heads))]
    return lines + ["| %s |" % " | ".join(map(str, row)) for row in rows]
