# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solvers with the signatures of scipy.sparse.linalg's."""
from dataclasses import dataclass, field, replace
from inspect import signature

import numpy as np

from . import _core
from ._arguments import count, described, flag, large_count
from ._arrays import asarray, device_of, handed, place, xp
from ._matrix import Matrix
from ._operator import readable
from ._options import takes
from ._spmv import SpmvPlan
from ._systems import operator_of, place_of, preconditioner_of, scalar_of, square, times
from ._unpicklable import Unpicklable

_outcomes = ("running", "converged", "iteration_limit", "attainable_accuracy", "breakdown", "not_a_number", "indefinite",
             "stagnated", "diverged", "out_of_time", "stopped_by_user", "inconsistent")
_broken = ("breakdown", "not_a_number", "indefinite", "diverged")


@dataclass(frozen=True)
class Progress:
    """What a callback is given whose argument is named `progress`: products with A so far, and the norm of the residual,
    relative to b's."""

    iterations: int
    residual: float


class Judged:
    """What follows from an outcome, a residual and a reference."""

    @property
    def converged(self):
        return self.outcome == "converged"

    @property
    def relative_residual(self):
        return self.residual / self.reference if self.reference > 0 else self.residual


@dataclass(frozen=True)
class Result(Judged):
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
    products: int = 1  #: with A, in one of what maxiter counts
    recording_failed: bool = False  #: on a GPU, whether iterations could not be recorded as a graph, and so took longer

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
        """scipy's: 0 if converged, what maxiter counts where it ended too early, below 0 where it broke down."""
        if self.converged:
            return 0
        return -_outcomes.index(self.outcome) if self.outcome in _broken else max(1, -(-self.iterations // self.products))


class Solver(Unpicklable):
    """A method with its options, and its memory, which is kept from one solve to the next of the same size."""

    __slots__ = ("_checked", "_cores", "_for", "_more", "_options", "_stream", "__weakref__")
    _gives_x = True  # whether scipy's callbacks get x

    def _set(self, *, rtol=1e-5, atol=0.0, maxiter=None, check_every=None, history=False, nullspace=None, stream=None,
             **options):
        for name, value in ("rtol", rtol), ("atol", atol):
            if not isinstance(value, (int, float, np.number)) or not value >= 0:
                raise _core.Error(f"{name} is {value!r}; give a number, 0 or more")
        for name in options:
            if name not in self._parameters:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument '{name}'; give one of: {', '.join(self._parameters)}")
        self._options = {
            "rtol": float(rtol), "atol": float(atol), "maxiter": None if maxiter is None else large_count("maxiter", maxiter),
            "check_every": None if check_every is None else count("check_every", check_every, 1),
            "history": flag("history", history), "nullspace": _nullspace_of(nullspace, stream)}
        self._more, self._checked = options, _core.KrylovOptions(**options)
        self._for, self._cores, self._stream = None, {}, stream

    def _products(self, n):
        """With A, in one of what maxiter counts."""
        return 1

    def _most(self, n):
        """Products with A."""
        maxiter = self._options["maxiter"]
        return min(self._products(n) * (10 * n if maxiter is None else maxiter), 1 << 30)

    def _made(self, part, n, zero_guess, every):
        options, here = self._options, (part, n, device_of())
        check_every = options["check_every"] or every
        if self._for != here:
            self._for, self._cores = here, {}
        key = zero_guess, check_every
        if key not in self._cores:
            make, nullspace = getattr(part, type(self).__name__), options["nullspace"]
            constant = isinstance(nullspace, str)
            vectors = None if constant or nullspace is None else readable("nullspace", nullspace, scalar_of(part))
            if vectors is not None and vectors.shape[0] != n:
                raise _core.Error(f"nullspace has the shape {vectors.shape}; give ({n}, number of vectors)")
            self._cores[key] = make(n, _core.KrylovOptions(
                relative_tolerance=options["rtol"], absolute_tolerance=options["atol"], max_iterations=self._most(n),
                check_every=check_every, zero_guess=zero_guess, history=options["history"], **self._more),
                constant, None if vectors is None else handed(vectors))
        return self._cores[key]

    def __repr__(self):
        options = {**self._options, "nullspace": getattr(self._options["nullspace"], "shape", self._options["nullspace"])}
        changed = [(name, value) for name, value in options.items() if value != self._parameters[name]]
        size = f" for {self._for[1]} unknowns of {scalar_of(self._for[0])}, {self.bytes} bytes" if self._for else ""
        return f"<heddle.{type(self).__name__}{size}{described(changed + self._checked.changed)}>"

    @property
    def bytes(self):
        """Memory that is kept, once it has solved."""
        return sum(core.bytes() for core in self._cores.values())

    def solve(self, A, b, x0=None, *, M=None, callback=None):
        """Solves A x = b, from the guess x0 or from zero, and returns a Result. See heddle.cg."""
        b = asarray("b", b)
        operator, shape, part, alive = operator_of(A, self._stream, (b,))
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
            x0 = times(M, b)
        if x0 is None:
            x = xp.zeros(n, dtype)
        else:
            x0 = readable("x0", x0, dtype)
            x = xp.array(x0, order="C").reshape(-1)
            if x.shape != (n,):
                raise _core.Error(f"x0 has the shape {x0.shape}; give ({n},)")
        preconditioner = preconditioner_of(M, n, part)
        as_scipy = callback is not None and not _wants_progress(callback)
        core = self._made(part, n, x0 is None, 1 if callable(operator) or callable(preconditioner) or as_scipy else 10)
        if as_scipy:
            function = _called_after((lambda residual: callback(x.copy())) if self._gives_x else
                                     (lambda residual: callback(np.float64(residual))))
        else:
            function = called(callback)
        outcome, message, *numbers, norms, scheme, recording_failed = core.solve(
            operator, handed(b), handed(x), preconditioner, function, as_scipy and self._gives_x)
        return Result(x, _outcomes[outcome], message, *numbers, np.array(norms), scheme, self._products(n), recording_failed)


_of_all = ("relative_to", "stagnation_window", "divergence_factor", "max_seconds")
_of_cg = (*_of_all, "recompute_every", "scheme", "flexible")
_of_gmres = (*_of_all, "restart", "basis", "flexible")
_of_others = (*_of_all, "recompute_every")


@takes(_core.KrylovOptions, *_of_cg, like=Solver._set)
class CgSolver(Solver):
    """heddle.cg for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()

    def __init__(self, **options):
        self._set(**options)


@takes(_core.KrylovOptions, *_of_gmres, like=Solver._set)
class GmresSolver(Solver):
    """heddle.gmres for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()
    _gives_x = False  # x is not known within a cycle: scipy's callbacks get the relative residual

    def __init__(self, *, restart=None, **options):
        self._set(restart=20 if restart is None else count("restart", restart, 1), **options)

    def _products(self, n):
        return min(self._more["restart"], max(n, 1))

    def _most(self, n):
        return super()._most(n) if self._options["maxiter"] is not None else min(10 * n, 1 << 30)


@takes(_core.KrylovOptions, *_of_others, like=Solver._set)
class BicgstabSolver(Solver):
    """heddle.bicgstab for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()

    def __init__(self, **options):
        self._set(**options)

    def _products(self, n):
        return 2


@takes(_core.KrylovOptions, *_of_others, like=Solver._set)
class MinresSolver(Solver):
    """heddle.minres for repeated solves: its options once, then `solve(A, b, x0, M=, callback=)`."""

    __slots__ = ()

    def __init__(self, **options):
        self._set(**options)


def _nullspace_of(vectors, stream):
    """'constant', None, or a copy of the vectors, which no later change reaches."""
    if vectors is None or (isinstance(vectors, str) and vectors == "constant"):
        return vectors
    if isinstance(vectors, str):
        raise _core.Error(f"nullspace is {vectors!r}; give 'constant', or an array of vectors")
    with place(stream):
        return xp.array(asarray("nullspace", vectors))


def _given(result, return_result):
    return result if return_result else (result.x, result.info)


def _wants_progress(callback):
    """Whether it has an argument named `progress`, and is not scipy's callback(xk)."""
    try:
        return "progress" in signature(callback).parameters
    except (TypeError, ValueError):  # compiled functions may have no signature
        return False


def _goes_on(answer):
    return not (isinstance(answer, (bool, np.bool_)) and not answer)


def called(callback):
    return None if callback is None else lambda iterations, residual: _goes_on(callback(Progress(iterations, residual)))


def _called_after(function):
    """function(residual) after each of what maxiter counts, as scipy does: neither before the first nor twice for the last."""
    last = 0

    def call(iterations, residual):
        nonlocal last
        if iterations <= last:
            return True
        last = iterations
        return _goes_on(function(residual))
    return call


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
    M : plan, scipy.sparse matrix, or what has matvec(x), `@` or solve(b), optional
        The preconditioner, near the inverse of A.
    callback : function, optional
        {callback} An argument named `progress` is given a Progress in place of that, whenever the host checks, at the start
        and at the end. Returning False ends the solve.{more}
    return_result : bool
        Return a Result in place of (x, info).
    check_every : int, optional
        Iterations from one check of the host to the next, which are computed whole: 10, or 1 where A or M is a
        function of Python or the callback is given xk.
    history : bool
        Keep the norms of all residuals for the Result.
    nullspace : 'constant', or array of (n,) or (n, k), optional
        Vectors that a singular A and its conjugate transpose take to zero, independent of each other: the one of ones, or
        yours. They are left out of b and of what is added to x. A b with more of them than rtol and atol allow ends as
        'inconsistent', with a least-squares solution.
    {{options}}
    stream : optional
        As of SpmvPlan; by default that of the plan A, or CuPy's current one.

    Returns
    -------
    (x, info)
        info is 0 if the solve has converged, what maxiter counts where it ended before, and below 0 where the
        method broke down.
    """


def _function_of(solver, names, **words):
    """Decorates a function with the options of a solver: its signature and its docstring."""
    def decorate(function):
        parameters = list(signature(function).parameters.values())
        named = {*names, *(one.name for one in parameters)}
        own = [one for one in signature(solver).parameters.values() if one.name not in named]
        function.__signature__ = signature(function).replace(parameters=[*parameters[:-1], *own, parameters[-1]])
        if function.__doc__ is not None:  # python -OO
            function.__doc__ += _parameters.format(**words)
        return takes(_core.KrylovOptions, *names)(function)
    return decorate


_after = "As in scipy: called with xk, a copy of the solution so far, after each"


@_function_of(CgSolver, _of_cg, maxiter="Iterations; 10 n by default.", callback=f"{_after} iteration.", more="")
def cg(A, b, x0=None, *, M=None, callback=None, return_result=False, **options):
    """Conjugate gradients, for symmetric positive definite A and M; with flexible=True M need not be symmetric."""
    return _given(CgSolver(**options).solve(A, b, x0, M=M, callback=callback), return_result)


@_function_of(GmresSolver, _of_gmres, maxiter="Cycles of `restart` iterations; by default 10 n iterations.",
              callback="As in scipy: called with the relative residual after each iteration.", more="""
    callback_type : 'pr_norm' or 'x', optional
        With 'x' the callback is called with xk after each cycle, which max_seconds then bounds.""")
def gmres(A, b, x0=None, *, M=None, callback=None, callback_type=None, return_result=False, maxiter=None, **options):
    """GMRES, restarted after `restart` iterations (20), for any A, preconditioned on the right."""
    if callback_type not in (None, "pr_norm", "x"):
        raise _core.Error(f"callback_type is {callback_type!r}; give 'pr_norm', or 'x'")
    if callback is not None and callback_type == "x":
        result = _cycles(GmresSolver(maxiter=1, **options), A, b, x0, M, callback, maxiter)
    else:
        result = GmresSolver(maxiter=maxiter, **options).solve(A, b, x0, M=M, callback=callback)
    return _given(result, return_result)


def _cycles(solver, A, b, x0, M, callback, maxiter):
    """GMRES with callback(xk) after each cycle, which is a solve of its own."""
    if isinstance(A, Matrix) or hasattr(A, "tocsr"):
        A = SpmvPlan(A, stream=solver._stream)
    iterations, history, first = 0, [], None
    most = -(-10 * A.shape[0] // solver._products(A.shape[0])) if maxiter is None else large_count("maxiter", maxiter)
    for cycle in range(max(most, 1)):
        result = solver.solve(A, b, x0, M=M)
        iterations, x0 = iterations + result.iterations, result.x
        first = result.first_residual if first is None else first
        history.extend(result.history[1 if history else 0:])
        if (result.iterations and not _goes_on(callback(result.x.copy()))) or result.outcome != "iteration_limit":
            break
    return replace(result, iterations=iterations, first_residual=first, history=np.array(history))


@_function_of(BicgstabSolver, _of_others, maxiter="Steps, of two products each; 10 n by default.", callback=f"{_after} step.",
              more="")
def bicgstab(A, b, x0=None, *, M=None, callback=None, return_result=False, **options):
    """BiCGStab, for any A in little memory, preconditioned on the right."""
    return _given(BicgstabSolver(**options).solve(A, b, x0, M=M, callback=callback), return_result)


@_function_of(MinresSolver, _of_others, maxiter="Iterations; 10 n by default.", callback=f"{_after} iteration.", more="")
def minres(A, b, x0=None, *, M=None, callback=None, return_result=False, **options):
    """MINRES, for a symmetric A that may be indefinite or singular, and a symmetric positive definite M.

    A b out of the range of a singular A ends as 'inconsistent', with a least-squares solution."""
    return _given(MinresSolver(**options).solve(A, b, x0, M=M, callback=callback), return_result)
