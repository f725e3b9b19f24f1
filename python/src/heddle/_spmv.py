# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products."""
from . import _core
from ._matrix import as_matrix
from ._operator import Plan, readable, writable


class SpmvPlan(Plan):
    """A matrix, inspected once, to be applied many times: y = A x.

    It has what scipy.sparse.linalg.LinearOperator has: shape, dtype, `@`, matvec, matmat, rmatvec, rmatmat, T
    and H; and `out=`.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
        Borrowed, and kept.
    scheme : str, optional
        Pins the format and kernel, as 'csr/merge'; by default one is chosen.
    expected_applies : int
        How often the plan will be applied: what its inspection may cost.
    vectors : int
        Columns that X will have.
    transpose : bool
        Prepare A^T x with the plan; else its first use does, which takes time and memory.
    values_in_place : bool
        Only schemes that read `A.values` in place.
    max_bytes : int, optional
        Memory that the plan may keep beyond the matrix.
    measure_seconds : float
        Seconds for measuring schemes in place of predicting them.

    Raises
    ------
    heddle.Error
        With the row, where the matrix is not one, and where the scheme does not exist.
    heddle.Refusal
        Where a pinned scheme does not take the matrix.
    """

    __slots__ = ("_core", "_prepared", "matrix", "shape", "__weakref__")

    def __init__(self, A, *, scheme=None, expected_applies=1000, vectors=1, transpose=False, values_in_place=False,
                 max_bytes=None, measure_seconds=0.0):
        self.matrix = as_matrix(A)
        self.shape = self.matrix.shape
        self._prepared = transpose
        self._core = _core.spmv_plan(self.matrix._core, scheme, expected_applies, vectors, transpose,
                                     values_in_place, max_bytes, measure_seconds)

    def _prepare(self, transposed):
        if transposed and not self._prepared:
            self._core.prepare_transpose()
            self._prepared = True

    def _apply(self, transposed, x, y):
        self._prepare(transposed)
        self._core.apply(transposed, 1.0, x, 0.0, y)

    def apply(self, alpha, x, beta, y, *, transposed=False):
        """y = alpha * A x + beta * y, in place, of one vector or several; with beta = 0 y is not read."""
        self._prepare(transposed)
        self._core.apply(transposed, alpha, readable("x", x), beta, writable("y", y, y.shape))

    def update_values(self, A=None):
        """Takes the values of A, which has the pattern that was inspected, or those that `matrix` has now."""
        matrix = self.matrix if A is None else as_matrix(A)
        self._core.update_values(matrix._core)
        self.matrix = matrix

    @property
    def scheme(self):
        """What runs, as a text that pins it."""
        return self._core.scheme(False)

    def explain(self):
        """Why that scheme, and what it was compared with, the best first."""
        lines = [f"{self.scheme}: {self._core.reason(False)}", *(f"  {line}" for line in self._core.ranking(False))]
        if self._prepared:
            lines.append(f"transposed: {self._core.scheme(True)}: {self._core.reason(True)}")
        return "\n".join(lines)

    def __repr__(self):
        return f"<heddle.SpmvPlan of {self.shape[0]} x {self.shape[1]} by {self.scheme}>"
