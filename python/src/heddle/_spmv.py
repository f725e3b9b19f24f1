# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products."""
from dataclasses import dataclass

from . import _core
from ._arguments import coefficient
from ._arrays import handed
from ._operator import TRANSPOSE, Plan, readable, writable
from ._options import takes


@dataclass(frozen=True)
class Choice:
    """A format and kernel, and what is predicted of it on this machine."""

    scheme: str  #: as `SpmvPlan(A, scheme=...)` takes it
    seconds: float  #: of a product
    setup_seconds: float  #: of the inspection
    kept_bytes: float  #: beyond the matrix
    measured_seconds: float  #: of a product, where measure_seconds asked for it
    reason: str  #: why it takes that long
    refusal: str  #: why it does not hold this matrix; empty where it does


class Choices(list):
    """A list of Choice, which prints as a table."""

    def __str__(self):
        lines = [f"{'scheme':<28} {'a product':>10} {'set-up':>10} {'kept':>10}  why"]
        for one in self:
            if one.refusal:
                lines.append(f"{one.scheme:<28} {'-':>10} {'-':>10} {'-':>10}  refuses: {one.refusal}")
            else:
                seconds = one.measured_seconds or one.seconds
                lines.append(f"{one.scheme:<28} {seconds * 1e6:>7.1f} us {one.setup_seconds * 1e6:>7.0f} us "
                             f"{one.kept_bytes / 1e6:>7.2f} MB  {one.reason}")
        return "\n".join(lines)


@takes(_core.SpmvOptions)
class SpmvPlan(Plan):
    """A matrix, inspected once, to be applied many times: y = A x.

    It has what scipy.sparse.linalg.LinearOperator has: shape, dtype, `@`, matvec, matmat, rmatvec, rmatmat, T
    and H; and `out=`.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
        Borrowed, and kept.
    {options}
    stream : optional
        On a GPU, what all work of the plan is queued on: a stream of CuPy or PyTorch, or its handle. By default the
        stream that is CuPy's current one at each call. A plan is used on one stream at a time.

    Raises
    ------
    heddle.Error
        With the row, where the matrix is not one, and where the scheme does not exist.
    heddle.Refusal
        Where a pinned scheme does not take the matrix.
    """

    __slots__ = ()

    def __init__(self, A, *, stream=None, **options):
        self._set(A, "spmv_plan", _core.SpmvOptions, options, stream)

    def _apply(self, op, x, y):
        self._prepare(op)
        self._core.apply(op, 1.0, handed(x), 0.0, handed(y))

    def apply(self, alpha, x, beta, y, *, transposed=False):
        """y = alpha * A x + beta * y, in place, of one vector or several; with beta = 0 y is not read."""
        op = TRANSPOSE if transposed else 0
        rows, columns = self.shape[::-1] if transposed else self.shape
        alpha, beta = coefficient("alpha", alpha, self.dtype), coefficient("beta", beta, self.dtype)
        with self._place:
            self._prepare(op)
            x = readable("x", x, self.dtype)
            if x.shape[0] != columns:
                raise _core.Error(f"x has the shape {x.shape}; give ({columns},) or ({columns}, number of vectors)")
            y = writable("y", y, (rows, *x.shape[1:]), self.dtype)
            self._core.apply(op, alpha, handed(x), beta, handed(y))

    @property
    def scheme(self):
        """What runs, as a text that pins it."""
        return self._core.scheme(0)

    @property
    def choices(self):
        """What was compared, the best first, then what refuses: a list of Choice."""
        return Choices(Choice(*fields[1:]) for fields in self._core.ranking(0))

    def explain(self):
        """Why that scheme, and what it was compared with, the best first."""
        lines = [f"{self.scheme}: {self._core.reason(0)}", *(f"  {fields[0]}" for fields in self._core.ranking(0))]
        if TRANSPOSE in self._ready:
            lines.append(f"transposed: {self._core.scheme(TRANSPOSE)}: {self._core.reason(TRANSPOSE)}")
        return "\n".join(lines)
