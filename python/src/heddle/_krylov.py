# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solvers with the signatures of scipy.sparse.linalg's."""
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._arrays import asarray, handed, place, xp
from ._matrix import Matrix
from ._operator import readable
from ._plans import Preconditioner
from ._spmv import SpmvPlan
from ._types import scalars, types
from ._unpicklable import Unpicklable

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

    x: xp.ndarray = field(repr=False)  #: where b lies
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

    def plot(self, axes=None):
        """Draws the history, relative to the norm of b, by matplotlib, and returns its axes."""
        if self.history.size == 0:
            raise _core.Error("the result has no history; solve with history=True")
        from ._show import axes_of
        axes = axes_of(axes)
        axes.semilogy(self.history / (self.reference or 1), label=self.scheme or None)
        axes.set_xlabel("iterations")
        axes.set_ylabel("norm of the residual, relative to b")
        return axes

    @property
    def info(self):
        """scipy's: 0 if converged, iterations where they ended too early, below 0 where they broke down."""
        if self.converged:
            return 0
        return -_outcomes.index(self.outcome) if self.outcome in _broken else max(1, self.iterations)


def function_of(name, part):
    """f(x, y), which writes to y, of an operator of Python's."""
    apply = getattr(part, "matvec", None) or getattr(part, "__matmul__", None)
    if apply is None:
        if not callable(part):
            raise TypeError(f"{name} is a {type(part).__name__}; give a matrix, a plan, or what has matvec(x)")
        apply = part

    def function(x, y):
        result = asarray(f"what {name} gives", apply(x))
        if result.dtype.kind not in "biufc" or (result.dtype.kind == "c" and y.dtype.kind != "c"):
            raise TypeError(f"{name} gives {result.dtype}, and the system is of {y.dtype}")
        if result.size != y.size:
            raise _core.Error(f"{name} gives the shape {result.shape}; it is to give ({y.size},)")
        y[:] = result.reshape(-1)

    return function


def operator_of(A, stream=None):
    """What _core works with, the shape, the part of _core, and what must live as long."""
    if isinstance(A, Matrix) or hasattr(A, "tocsr"):
        A = SpmvPlan(A, stream=stream)
    if isinstance(A, SpmvPlan):
        return A._core, A.shape, A._types, A
    function = function_of("A", A)
    shape = getattr(A, "shape", None)
    if shape is None:
        raise TypeError("A has no shape; give it one, as scipy.sparse.linalg.LinearOperator does")
    dtype = np.dtype(getattr(A, "dtype", None) or np.float64)
    return function, tuple(shape), types(dtype if dtype in scalars or dtype.kind == "c" else np.float64), A


def place_of(A, stream):
    """Where a solve with A is made: on the stream if one is given, else where A's plan works."""
    if not isinstance(A, SpmvPlan):
        return place(stream)
    return A._place if stream is None else place(stream, A.matrix.values)


def preconditioner_of(M, n, part):
    if M is None:
        return None
    shape = getattr(M, "shape", (n, n))
    if tuple(shape) != (n, n):
        raise _core.Error(f"M has the shape {tuple(shape)}, and A {(n, n)}; give an M of the same shape")
    return M._core if isinstance(M, Preconditioner) and M._types is part else function_of("M", M)


def _times(M, b):
    if M is None:
        return b
    x = xp.empty_like(b)
    function_of("M", M)(b, x)
    return x


def square(shape):
    if shape[0] != shape[1]:
        raise _core.Error(f"A has the shape {shape}; give a square one")
    return shape[0]


def scalar_of(part):
    return np.dtype(part.__name__.rpartition(".")[2].partition("_")[0])


class Solver(Unpicklable):
    """A method with its options, and its memory, which is kept from one solve to the next of the same size."""

    __slots__ = ("_cores", "_for", "_options", "_products", "_stream", "__weakref__")

    def _set(self, rtol, atol, products, check_every, history, stream, restart=None):
        if check_every is not None and check_every < 1:
            raise _core.Error(f"check_every is {check_every}; give the iterations from one check to the next, 1 or more")
        for name, value in (("rtol", rtol), ("atol", atol)):
            if not isinstance(value, (int, float, np.number)) or not value >= 0:
                raise _core.Error(f"{name} is {value!r}; give a number, 0 or more")
        self._options = float(rtol), float(atol), check_every, bool(history), restart
        self._products, self._for, self._cores, self._stream = products, None, {}, stream

    def _made(self, part, n, zero_guess, of_python):
        rtol, atol, check_every, history, restart = self._options
        if check_every is None:
            check_every = 1 if of_python else 10
        if self._for != (part, n):
            self._for, self._cores = (part, n), {}
        key = zero_guess, check_every
        if key not in self._cores:
            make = getattr(part, type(self).__name__)
            self._cores[key] = make(n, rtol, atol, min(self._products(n), 1 << 30), check_every, zero_guess, history, restart)
        return self._cores[key]

    @property
    def bytes(self):
        """Memory that is kept, once it has solved."""
        return sum(core.bytes() for core in self._cores.values())

    def solve(self, A, b, x0=None, *, M=None, callback=None):
        """Solves A x = b, from the guess x0 or from zero, and returns a Result. See heddle.cg."""
        return self._solve(A, b, x0, M, called(callback))

    def _solve(self, A, b, x0, M, callback):
        operator, shape, part, alive = operator_of(A, self._stream)
        with place_of(alive, self._stream):
            return self._solved(operator, square(shape), part, b, x0, M, callback)

    def _solved(self, operator, n, part, b, x0, M, callback):
        dtype = scalar_of(part)
        b = readable("b", b, dtype)
        if b.shape not in ((n,), (n, 1)):
            raise _core.Error(f"b has the shape {b.shape}; give ({n},) or ({n}, 1), and solve one system after the other")
        b = xp.ascontiguousarray(b.reshape(-1))
        if isinstance(x0, str):
            if x0 != "Mb":
                raise _core.Error(f"x0 is {x0!r}; give an array, or 'Mb' for M times b")
            x0 = _times(M, b)
        if x0 is None:
            x = xp.zeros(n, dtype)
        else:
            x0 = readable("x0", x0, dtype)
            x = xp.array(x0, order="C").reshape(-1)
            if x.shape != (n,):
                raise _core.Error(f"x0 has the shape {x0.shape}; give ({n},)")
        preconditioner = preconditioner_of(M, n, part)
        core = self._made(part, n, x0 is None, callable(operator) or callable(preconditioner))
        outcome, message, *numbers, norms, scheme = core.solve(operator, handed(b), handed(x), preconditioner, callback)
        return Result(x, _outcomes[outcome], message, *numbers, np.array(norms), scheme)


class CgSolver(Solver):
    """heddle.cg for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()

    def __init__(self, *, rtol=1e-5, atol=0.0, maxiter=None, check_every=None, history=False, stream=None):
        self._set(rtol, atol, lambda n: 10 * n if maxiter is None else maxiter, check_every, history, stream)


class GmresSolver(Solver):
    """heddle.gmres for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()

    def __init__(self, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, check_every=None, history=False, stream=None):
        restart = 20 if restart is None else restart

        def products(n):
            return 10 * n if maxiter is None else maxiter * min(restart, max(n, 1))

        self._set(rtol, atol, products, check_every, history, stream, restart)


class BicgstabSolver(Solver):
    """heddle.bicgstab for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()

    def __init__(self, *, rtol=1e-5, atol=0.0, maxiter=None, check_every=None, history=False, stream=None):
        self._set(rtol, atol, lambda n: 2 * (10 * n if maxiter is None else maxiter), check_every, history, stream)


def _given(result, return_result):
    return result if return_result else (result.x, result.info)


def called(callback):
    return callback and (lambda iterations, residual: callback(Progress(iterations, residual)))


_parameters = """

    Parameters
    ----------
    A : Matrix, SpmvPlan, scipy.sparse matrix, or what has shape and matvec(x) or `@`
        Give a plan where several systems are solved with one A.
    b : array of (n,) or (n, 1)
    x0 : array of (n,) or 'Mb', optional
        The guess; zero by default. 'Mb' is M times b.
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
    check_every : int, optional
        Iterations from one check of the host to the next, which are computed whole: 10, or 1 where A or M is a
        function of Python.
    history : bool
        Keep the norms of all residuals for the Result.
    stream : optional
        As of SpmvPlan; by default that of the plan A, or CuPy's current one.

    Returns
    -------
    (x, info)
        info is 0 if the solve has converged, the iterations where they ended before, and below 0 where the
        method broke down. x is then the best that was seen.
    """


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, return_result=False, check_every=None,
       history=False, stream=None):
    """Conjugate gradients, for symmetric positive definite A and M."""
    solver = CgSolver(rtol=rtol, atol=atol, maxiter=maxiter, check_every=check_every, history=history, stream=stream)
    return _given(solver.solve(A, b, x0, M=M, callback=callback), return_result)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None, callback_type=None,
          return_result=False, check_every=None, history=False, stream=None):
    """GMRES, restarted after `restart` iterations (20), for any A, preconditioned on the right."""
    if callback_type not in (None, "pr_norm"):
        raise _core.Error(f"callback_type is {callback_type!r}; give 'pr_norm', or None for a Progress")
    if callback and callback_type == "pr_norm":
        function = lambda iterations, residual: callback(residual)  # noqa: E731
    else:
        function = called(callback)
    solver = GmresSolver(rtol=rtol, atol=atol, restart=restart, maxiter=maxiter, check_every=check_every,
                         history=history, stream=stream)
    return _given(solver._solve(A, b, x0, M, function), return_result)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, return_result=False,
             check_every=None, history=False, stream=None):
    """BiCGStab, for any A in little memory, preconditioned on the right."""
    solver = BicgstabSolver(rtol=rtol, atol=atol, maxiter=maxiter, check_every=check_every, history=history,
                            stream=stream)
    return _given(solver.solve(A, b, x0, M=M, callback=callback), return_result)


cg.__doc__ = str(cg.__doc__) + _parameters.format(maxiter="Iterations; 10 n by default.", more="")
gmres.__doc__ = str(gmres.__doc__) + _parameters.format(maxiter="Cycles of `restart` iterations; by default 10 n iterations.", more="""
    callback_type : 'pr_norm', optional
        The callback is given the relative residual alone.""")
bicgstab.__doc__ = str(bicgstab.__doc__) + _parameters.format(maxiter="Steps, of two products each; 10 n by default.", more="")
