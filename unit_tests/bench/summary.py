# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What summary.py adds up, against figures known by themselves, and what report.py compares: summary.py FOLDER_OF_REPORT."""
import sys

sys.path.insert(0, sys.argv[1])
import results
import summary


def near(a, b):
    return abs(a - b) < 1e-12


rising, falling, other = [1, 2, 3, 4, 5], [9, 7, 5, 3, 1], [5, 6, 7, 8, 7]
assert summary.ranks([30, 10, 20, 10]) == [3, 0.5, 2, 0.5], "equal values share the mean of their ranks"
assert near(summary.rank_correlation(rising, rising), 1)
assert near(summary.rank_correlation(rising, falling), -1)
# Ranks 1 2 3.5 5 3.5 against 1 2 3 4 5: covariance 8, sums of squares 10 and 9.5.
assert near(summary.rank_correlation(rising, other), 8 / (10 * 9.5) ** 0.5)
assert near(summary.rank_correlation([x ** 3 for x in rising], other),
            summary.rank_correlation(rising, other)), "only the order counts"
assert near(summary.geometric_mean([2, 8]), 4)
assert summary.best({"a": 3, "b": 2, "c": 1}, ("a", "b", "d")) == 2
assert summary.best({}, ("a",)) is None

# Schemes of `convert` are compared with peers of the same form alone.
converted = {"contestants": [
    {"name": name, "kind": kind, "verdict": "ok", "time_seconds": {"median": seconds}} for name, kind, seconds in (
        ("csr/scalar", "scheme", 1), ("bcsr/2x2", "scheme", 5), ("bcsr/4x4", "scheme", 6), ("transpose", "scheme", 3),
        ("op-add", "scheme", 8), ("op-part-of", "scheme", 2), ("cusparse-bsr", "baseline", 7),
        ("mkl-bsr", "baseline", 4), ("cusparse-csc", "baseline", 9))]}
names = [(scheme["name"], peer["name"]) for scheme, peer in results.pairs_of_forms(converted, 2)]
assert names == [("bcsr/2x2", "mkl-bsr"), ("transpose", "cusparse-csc")], names
