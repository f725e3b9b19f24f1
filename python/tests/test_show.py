# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and pictures."""
import heddle
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import random_matrix
from heddle._show import _counts


def test_choose(A):
    table = heddle.choose(A, vectors=4)
    assert table[0].scheme and table[0].seconds > 0 and not table[0].refusal
    possible = [one for one in table if not one.refusal]
    assert len(possible) > 3 and table[:len(possible)] == possible
    lines = str(table).splitlines()
    assert len(lines) == len(table) + 1 and lines[0].startswith("scheme") and table[0].reason in lines[1]
    plan = heddle.SpmvPlan(A, scheme=possible[-1].scheme)
    np.testing.assert_allclose(plan @ np.ones(900), A @ np.ones(900))


@pytest.mark.parametrize("cells", [1, 3, 5, 1000])
def test_counts_of_entries(cells):
    A = random_matrix(40, 30)
    counts = _counts(heddle.Matrix(A), cells)
    side = -(-40 // cells)
    row, col = A.nonzero()
    expected = np.zeros_like(counts)
    np.add.at(expected, (row // side, col // side), 1)
    np.testing.assert_array_equal(counts, expected)
    assert _counts(heddle.Matrix(sp.csr_array((0, 0))), cells).sum() == 0


def test_pictures(A, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    axes = heddle.spy(A)
    result = heddle.cg(A, np.ones(900), history=True, return_result=True)
    line = result.plot()
    np.testing.assert_allclose(line.lines[0].get_ydata(), result.history / result.reference)
    for one in (axes, line):
        one.figure.savefig(tmp_path / "picture.png")
        pyplot.close(one.figure)
    with pytest.raises(heddle.Error, match="history=True"):
        heddle.cg(A, np.ones(900), return_result=True).plot()


def test_without_matplotlib(run_python):
    assert run_python("""
import sys
sys.modules["matplotlib"] = None
import heddle, scipy.sparse as sp
try: heddle.spy(sp.eye_array(5, format="csr"))
except heddle.Error as error: print(error)
""") == "matplotlib is missing; install it, or give axes= of your own\n"
