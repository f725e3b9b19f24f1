# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solves whose method and preconditioner are chosen for the matrix."""
import re
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._arguments import described, large_count, number
from ._arrays import asarray, handed, place, xp
from ._krylov import Judged, _nullspace_of, _outcomes, called
from ._matrix import as_matrix
from ._operator import matrix_of_pattern, readable
from ._options import takes
from ._systems import matrix_for, square
from ._unpicklable import Unpicklable


@dataclass(frozen=True)
class SolvePair:
    """A method and a preconditioner that may serve, with their price before the solve."""

    name: str  #: as `pair=` takes it
    iterations: float  #: predicted
    seconds_of_iteration: float  #: predicted
    setup_seconds: float  #: predicted; 0 once it is set up
    bytes: int  #: predicted memory
    last_resort: bool  #: whether it is kept for when all others have failed
    refused: str  #: why it does not run, or no more; empty: it may


@dataclass(frozen=True)
class SolveAttempt:
    """A pair that ran."""

    pair: str
    iterations: int
    relative_residual: float  #: of b - A x after it
    setup_seconds: float
    seconds: float
    ended: str  #: how and why, in words


@dataclass(frozen=True)
class SolveReport(Judged):
    """How a solve ended, what ran and what was considered: `print(report)` has all of it in words."""

    outcome: str  #: 'converged', or why not: docs/krylov.md
    message: str  #: the same in words
    residual: float  #: the norm of b - A x, computed from x
    reference: float  #: the norm of b
    iterations: int  #: products with A, of all pairs
    matrix: str  #: what A is
    considered: list[SolvePair] = field(repr=False)  #: the cheapest first
    attempts: list[SolveAttempt]
    history: np.ndarray = field(repr=False)  #: a row for each check of the host: iterations, relative residual
    plan_seconds: float  #: of the product's plan
    inspect_seconds: float  #: of A, and the choice
    setup_seconds: float  #: of preconditioners, in this solve
    solve_seconds: float  #: of this solve without set-ups
    advice: list[str]  #: what would make the next solve faster
    text: str = field(repr=False)

    def __str__(self):
        return self.text

    def plot(self, axes=None):
        """Draws the residuals of each pair that ran over the iterations, by matplotlib, and returns the axes."""
        from ._show import axes_of
        axes = axes_of(axes)
        first = 0
        for ran in self.attempts:
            last = first + ran.iterations
            checks = self.history[:, 0]
            mine = (checks > first if first else checks >= 0) & (checks <= last)
            axes.semilogy(*self.history[mine].T, label=ran.pair)
            if first:
                axes.axvline(first, color="gray", linewidth=0.5)
            first = last
        if self.attempts:
            axes.legend()
        axes.set_xlabel("iterations")
        axes.set_ylabel("norm of the residual, relative to b")
        return axes


def _report(outcome, message, residual, reference, iterations, matrix, considered, attempts, checks, residuals, *times,
            advice, text):
    return SolveReport(_outcomes[outcome], message, residual, reference, iterations, matrix,
                       [SolvePair(*one) for one in considered], [SolveAttempt(*one) for one in attempts],
                       np.column_stack((np.array(checks, dtype=float), np.array(residuals, dtype=float))), *times,
                       [_in_python(line) for line in advice], _in_python(text))


def _in_python(text):
    """A report in the terms of the Python interface."""
    text = text.replace("rigid_body_motions(exec, coordinates)", "heddle.rigid_body_motions(coordinates)")
    text = re.sub(r"\b(options\.)?relative_tolerance\b", "rtol", text)
    text = re.sub(r"\boptions\.max_iterations\b", "maxiter", text)
    return re.sub(r"\boptions\.(\w+)( = )?", r"\1=", text)


_names = ("max_seconds", "max_bytes", "positive_definite", "expected_solves", "block_size", "pair", "cache")


@takes(_core.SolveOptions, *_names)
class Solver(Unpicklable):
    """Solves A x = b by a method and a preconditioner that are chosen for A, for one right-hand side after another.

    A is inspected once. Each solve runs the pair of the lowest predicted time, changes to another one if that fails or is
    slow, and keeps what it set up and learned.

    Parameters
    ----------
    A : Matrix, or scipy.sparse CSR
        Square. Borrowed, and kept.
    rtol, atol : float
        The solve has converged when the norm of b - A x is at most max(rtol * norm(b), atol). rtol is 1e-8 by default, and
        1e-5 for float32 and complex64.
    maxiter : int, optional
        The limit of products with A, those of all pairs together; 10000 by default.
    nullspace : 'constant', or array of (n,) or (n, k), optional
        Vectors that a singular A and its conjugate transpose take to zero. By default the constant one if A is symmetric
        and all of its rows sum to zero.
    near_nullspace : array of (n,) or (n, k), optional
        Vectors that A nearly takes to zero, for multigrid: heddle.rigid_body_motions(coordinates) of an elastic body.
    {options}
    stream : optional
        As of SpmvPlan.
    """

    __slots__ = ("_core", "_kept", "_options", "_place", "matrix", "__weakref__")

    def __init__(self, A, *, rtol=None, atol=0.0, maxiter=None, nullspace=None, near_nullspace=None, stream=None, **options):
        self._make(A, rtol, atol, maxiter, nullspace, near_nullspace, stream, options)

    def _make(self, A, rtol, atol, maxiter, nullspace, near_nullspace, stream, options, **more):
        for name in options:
            if name not in _names:
                raise TypeError(f"Solver() got an unexpected keyword argument '{name}'; give one of: {', '.join(self._parameters)}")
        if str(options.get("pair", "")).endswith("/direct"):
            raise _core.Error(f"pair is {options['pair']!r}, and complete factors are C++'s alone; give another pair")
        for name, value in ("rtol", 0 if rtol is None else rtol), ("atol", atol):
            if not number(name, value) >= 0:
                raise _core.Error(f"{name} is {value!r}; give a number, 0 or more")
        with place(stream):
            self.matrix = as_matrix(A)
        square(self.matrix.shape)
        nullspace = _nullspace_of(nullspace, stream)
        self._options = _core.SolveOptions(
            relative_tolerance=rtol, absolute_tolerance=atol,
            max_iterations=10000 if maxiter is None else min(large_count("maxiter", maxiter), 1 << 30), **options, **more)
        self._place = place(stream, self.matrix.values)
        with self._place:
            constant = isinstance(nullspace, str)
            self._kept = [self._vectors(name, vectors) for name, vectors in (
                ("nullspace", None if constant else nullspace), ("near_nullspace", near_nullspace))]
            self._core = self.matrix._types.Solver(
                self.matrix._core, self._options, constant, *(None if one is None else handed(one) for one in self._kept))

    def _vectors(self, name, vectors):
        """A copy of the vectors, which the compiled part reads until it is destroyed."""
        if vectors is None:
            return None
        vectors = readable(name, vectors, self.matrix.dtype)
        if vectors.shape[0] != self.matrix.shape[0]:
            raise _core.Error(f"{name} has the shape {vectors.shape}; give ({self.matrix.shape[0]}, number of vectors)")
        return xp.array(vectors)

    def solve(self, b, x0=None, *, callback=None):
        """Solves A x = b, from the guess x0 or from zero, and returns (x, SolveReport). The callback is given a Progress
        whenever the host checks; returning False ends the solve."""
        n, dtype = self.matrix.shape[0], self.matrix.dtype
        with self._place:
            b = readable("b", b, dtype)
            if b.shape not in ((n,), (n, 1)):
                raise _core.Error(f"b has the shape {b.shape}; give ({n},) or ({n}, 1), and solve one system after the other")
            if x0 is None:
                x = xp.zeros(n, dtype)
            else:
                x0 = readable("x0", x0, dtype)
                x = xp.array(x0, order="C").reshape(-1)
                if x.shape != (n,):
                    raise _core.Error(f"x0 has the shape {x0.shape}; give ({n},)")
            *told, advice, text = self._core.solve(handed(xp.ascontiguousarray(b.reshape(-1))), handed(x), called(callback))
        return x, _report(*told, advice=advice, text=text)

    def update_values(self, A=None):
        """Takes the values of A, which has the pattern that was inspected; left out, those that the matrix has now, as of a
        plan's update_values. They are inspected, and preconditioners that exist take them."""
        with self._place:
            self.matrix = matrix_of_pattern(self.matrix, A)
            self._core.update_values(self.matrix._core)

    @property
    def report(self):
        """The SolveReport of the last solve; before one, what A is and what was considered."""
        *told, advice, text = self._core.report()
        return _report(*told, advice=advice, text=text)

    @property
    def bytes(self):
        """Memory that is held beyond the matrix: it grows in the solves that set something up."""
        return self._core.bytes()

    def __repr__(self):
        changed = [(name, value) for name, value in self._options.changed if name != "max_iterations" or value != 10000]
        return (f"<heddle.Solver of {self.matrix.shape[0]} unknowns, {self.matrix.nnz} entries of {self.matrix.dtype}"
                f"{described(changed)}>")


@takes(_core.SolveOptions, *_names)
def solve(A, b, x0=None, *, rtol=None, atol=0.0, maxiter=None, nullspace=None, near_nullspace=None, callback=None, stream=None,
          **options):
    """Solves A x = b by a method and a preconditioner that are chosen for A: x, report = heddle.solve(A, b).

    Parameters
    ----------
    A : Matrix, or scipy.sparse matrix
        Square. For several b with one A make a Solver.
    b : array of (n,) or (n, 1)
    x0 : array of (n,), optional
        The guess; zero by default.
    rtol, atol, maxiter, nullspace, near_nullspace, stream
        As of Solver.
    {options}
    callback : function, optional
        Called with a Progress whenever the host checks; returning False ends the solve.

    Returns
    -------
    (x, SolveReport)
        report.converged says whether b - A x, computed from x, meets the tolerance, and print(report) what ran and why.
    """
    with place(stream):
        b = asarray("b", b)
        A = matrix_for(A, (b,))
    solver = Solver.__new__(Solver)
    solver._make(A, rtol, atol, maxiter, nullspace, near_nullspace, stream, options, zero_guess=x0 is None)
    return solver.solve(b, x0, callback=callback)
