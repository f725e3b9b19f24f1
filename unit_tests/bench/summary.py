# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What summary.py adds up, against figures known by themselves: summary.py FOLDER_OF_REPORT."""
import sys

sys.path.insert(0, sys.argv[1])
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
