# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solvers with the signatures of scipy.sparse.linalg's."""
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._matrix import Matrix
from ._operator import readable
from ._plans import Preconditioner
from ._spmv import SpmvPlan

_outcomes = ("running", "converged", "iteration_limit", "attainable_accuracy", "breakdown", "not_a_number", "indefinite",
             "stagnated", "diverged", "out_of_time", "stopped_by_user")
_broken = ("breakdown", "not_a_number", "indefinite", "diverged")


@dataclass(frozen=True)
class Progress:
    """What a callback is given: products with A so far, and the norm of the residual, relative to b's."""

    iterations: int
    residual: float


@dataclass(frozen=True)
class Result:
    """How a solve ended."""

    x: np.ndarray = field(repr=False)
    outcome: str  #: 'converged', or why not: docs/krylov.md
    message: str  #: the same in words
    iterations: int  #: products with A
    residual: float  #: the norm of b - A x, computed from x
    first_residual: float  #: the same of the guess
    reference: float  #: the norm of b, which rtol is relative to
    history: np.ndarray = field(repr=False)  #: norms of all residuals, where history=True asked for them
    scheme: str  #: what heddle.cg ran by

    @property
    def converged(self):
        return self.outcome == "converged"

    @property
    def relative_residual(self):
        return self.residual / self.reference if self.reference > 0 else self.residual

    @property
    def info(self):
        """scipy's: 0 if converged, iterations where they ended too early, below 0 where they broke down."""
        if self.converged:
            return 0
        return -_outcomes.index(self.outcome) if self.outcome in _broken else max(1, self.iterations)


def _function(name, part):
    """f(x, y), which writes to y, of an operator of Python's."""
    apply = getattr(part, "matvec", None) or getattr(part, "__matmul__", None)
    if apply is None:
        if not callable(part):
            raise TypeError(f"{name} is a {type(part).__name__}; give a matrix, a plan, or what has matvec(x)")
        apply = part

    def function(x, y):
        result = np.asarray(apply(x))
        if result.dtype.kind not in "biuf":
            raise TypeError(f"{name} gives {result.dtype}; heddle's Python package solves real systems")
        if result.size != y.size:
            raise _core.Error(f"{name} gives the shape {result.shape}; it is to give ({y.size},)")
        y[:] = result.reshape(-1)

    return function


def _operator(A):
    """What _core solves with, its shape, and what must live as long."""
    if isinstance(A, Matrix) or hasattr(A, "tocsr"):
        A = SpmvPlan(A)
    if isinstance(A, SpmvPlan):
        return A._core, A.shape, A
    function = _function("A", A)
    shape = getattr(A, "shape", None)
    if shape is None:
        raise TypeError("A has no shape; give it one, as scipy.sparse.linalg.LinearOperator does")
    return function, tuple(shape), A


def _preconditioner(M, n):
    if M is None:
        return None
    shape = getattr(M, "shape", (n, n))
    if tuple(shape) != (n, n):
        raise _core.Error(f"M has the shape {tuple(shape)}, and A {(n, n)}; give an M of the same shape")
    return M._core if isinstance(M, Preconditioner) else _function("M", M)


def _solve(method, A, b, x0, rtol, atol, max_iterations, M, callback, return_result, check_every, history,
           restart=None):
    operator, shape, alive = _operator(A)
    n = shape[0]
    if shape != (n, n):
        raise _core.Error(f"A has the shape {shape}; give a square one")
    b = readable("b", b)
    if b.shape not in ((n,), (n, 1)):
        raise _core.Error(f"b has the shape {b.shape}; give ({n},) or ({n}, 1), and solve one system after the other")
    b = np.ascontiguousarray(b.reshape(-1))
    if x0 is None:
        x = np.zeros(n)
    else:
        x = np.array(readable("x0", x0), order="C").reshape(-1)
        if x.shape != (n,):
            raise _core.Error(f"x0 has the shape {np.shape(x0)}; give ({n},)")
    if check_every < 1:
        raise _core.Error(f"check_every is {check_every}; give the iterations from one check to the next, 1 or more")
    most = min(max_iterations(n), 1 << 30)
    outcome, message, *numbers, norms, scheme = method(
        operator, b, x, _preconditioner(M, n), float(rtol), float(atol), most, check_every, x0 is None, history, callback,
        restart)
    del alive
    result = Result(x, _outcomes[outcome], message, *numbers, np.array(norms), scheme)
    return result if return_result else (x, result.info)


def _called(callback):
    return callback and (lambda iterations, residual: callback(Progress(iterations, residual)))


_parameters = """

    Parameters
    ----------
    A : Matrix, SpmvPlan, scipy.sparse matrix, or what has shape and matvec(x) or `@`
        Give a plan where several systems are solved with one A.
    b : array of (n,) or (n, 1)
    x0 : array of (n,), optional
        The guess; zero by default.
    rtol, atol : float
        The solve has converged when the norm of b - A x is at most max(rtol * norm(b), atol).
    maxiter : int, optional
        {maxiter}
    M : plan, scipy.sparse matrix, or what has matvec(x) or `@`, optional
        The preconditioner, near the inverse of A.
    callback : function, optional
        Called with a Progress when the host checks, at the start and at the end; ends the solve by returning False.{more}
    return_result : bool
        Return a Result in place of (x, info).
    check_every : int
        Iterations from one check of the host to the next.
    history : bool
        Keep the norms of all residuals for the Result.

    Returns
    -------
    (x, info)
        info is 0 if the solve has converged, the iterations where they ended before, and below 0 where the
        method broke down. x is then the best that was seen.
    """


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, return_result=False, check_every=10,
       history=False):
    """Conjugate gradients, for symmetric positive definite A and M."""
    return _solve(_core.cg, A, b, x0, rtol, atol, lambda n: 10 * n if maxiter is None else maxiter, M,
                  _called(callback), return_result, check_every, history)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None,
          return_result=False, check_every=10, history=False):
    """GMRES, restarted after `restart` iterations (20), for any A, preconditioned on the right."""
    if callback_type not in (None, "pr_norm"):
        raise _core.Error(f"callback_type is {callback_type!r}; give 'pr_norm', or None for a Progress")
    if callback and callback_type == "pr_norm":
        function = lambda iterations, residual: callback(residual)  # noqa: E731
    else:
        function = _called(callback)
    restart = 20 if restart is None else restart

    def products(n):
        return 10 * n if maxiter is None else maxiter * min(restart, max(n, 1))

    return _solve(_core.gmres, A, b, x0, rtol, atol, products, M, function, return_result, check_every, history, restart)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, return_result=False,
             check_every=10, history=False):
    """BiCGStab, for any A in little memory, preconditioned on the right."""
    return _solve(_core.bicgstab, A, b, x0, rtol, atol, lambda n: 2 * (10 * n if maxiter is None else maxiter), M,
                  _called(callback), return_result, check_every, history)


cg.__doc__ += _parameters.format(maxiter="Iterations; 10 n by default.", more="")
gmres.__doc__ += _parameters.format(maxiter="Cycles of `restart` iterations; by default 10 n iterations.", more="""
    callback_type : 'pr_norm', optional
        The callback is given the relative residual alone.""")
bicgstab.__doc__ += _parameters.format(maxiter="Steps, of two products each; 10 n by default.", more="")
