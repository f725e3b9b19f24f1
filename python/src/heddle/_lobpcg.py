# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eigenpairs, with the signature of scipy.sparse.linalg.lobpcg."""
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._arguments import flag, large_count, number, warn
from ._arrays import asarray, handed, xp
from ._krylov import called
from ._operator import readable
from ._options import takes
from ._systems import function_of, operator_of, place_of, preconditioner_of, scalar_of, square
from ._types import loses


@dataclass(frozen=True)
class EigenResult:
    """How a search for eigenpairs ended."""

    values: xp.ndarray  #: the outermost first
    vectors: xp.ndarray = field(repr=False)  #: a column each, X^H B X = I
    converged: bool  #: whether the true residuals of all pairs meet the tolerance
    message: str  #: how it ended, in words
    iterations: int
    residuals: np.ndarray  #: norms of A x - lambda B x over those of x, of the vectors that are returned
    errors: np.ndarray  #: how far from each value the nearest eigenvalue can be; with B as far as its smallest was met
    scale: float  #: what `tol` is multiplied by, as `relative_to` says: of the pair where it is largest
    history: np.ndarray = field(repr=False)  #: the largest residual of each iteration


@takes(_core.LobpcgOptions, "relative_to", "stagnation_window", "max_seconds")
def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0,
           retLambdaHistory=False, retResidualNormsHistory=False, restartControl=None, *, callback=None,
           return_result=False, stream=None, **options):
    """The smallest or largest eigenvalues of a symmetric (Hermitian) A, and eigenvectors, by products alone.

    Those of A x = lambda x, or of A x = lambda B x.

    Parameters
    ----------
    A : Matrix, SpmvPlan, scipy.sparse matrix, what has shape and matvec(x) or `@`, or a function of a vector of (n, 1)
    X : array of (n, k)
        The guess, with a column for each pair; it is not written to. What it lacks of independent columns is
        filled up by a fixed sequence of random numbers.
    B : as A, optional
        Symmetric (Hermitian) positive definite, of A's dtype.
    M : plan, scipy.sparse matrix, what has matvec(x) or `@`, or a function of a vector of (n, 1), optional
        A symmetric positive definite preconditioner, near the inverse of A; for the smallest ones.
    Y : array of (n, constraints), optional
        All x are orthogonal to its columns, y^H B x = 0, such as eigenvectors that are known. They need not be
        orthonormal or independent.
    tol : float, optional
        A pair has converged when the norm of A x - lambda B x, x of norm one, is at most so many times a scale, which
        `relative_to` names. 1e-8 by default, 1e-5 for float32 and complex64. (scipy's is absolute.)
    maxiter : int, optional
        500 by default. (scipy's is 20.)
    largest : bool
        Which end of the spectrum.
    retResidualNormsHistory : bool
        Return the largest residual of each iteration too.
    {options}
    callback : function, optional
        Called with a Progress after each iteration, of the largest residual; ends the search by returning False.
    return_result : bool
        Return an EigenResult in place of (values, vectors).
    stream : optional
        As of SpmvPlan; by default that of the plan A, or CuPy's current one.
    retLambdaHistory
        Is not there, and an error.
    verbosityLevel, restartControl
        Have no effect.

    Returns
    -------
    (values, vectors), or (values, vectors, history)
        Values descend where the largest are wanted, and ascend otherwise.
    """
    if retLambdaHistory:
        raise _core.Error("there is no retLambdaHistory; use callback= or retResidualNormsHistory")
    X = asarray("X", X)
    operator, shape, part, alive = operator_of(_of_columns(A), stream, (X, B) if hasattr(B, "dtype") else (X,), _square_of(X))
    for name in options:
        if name not in lobpcg._parameters:
            raise TypeError(f"lobpcg() got an unexpected keyword argument '{name}'; give one of: {', '.join(lobpcg._parameters)}")
    if tol is not None:
        options["relative_tolerance"] = number("tol", tol)
    if maxiter is not None:
        options["max_iterations"] = min(large_count("maxiter", maxiter), 2**31 - 1)
    options["wanted"] = "largest" if flag("largest", largest) else "smallest"
    with place_of(alive, stream):
        result = _found(operator, square(shape), part, X, B, M, Y, _core.LobpcgOptions(**options), callback, stream)
    if return_result:
        return result
    if not result.converged:
        warn(f"lobpcg has not converged after {result.iterations} iterations: {result.message}. The largest residual is "
             f"{max(result.residuals, default=0):.1e}; return_result=True says more")
    return (result.values, result.vectors, result.history) if retResidualNormsHistory else (result.values, result.vectors)


def _of_columns(function):
    """What scipy gives a function of the user's: vectors as the columns of two dimensions."""
    if isinstance(function, type) or not callable(function) or hasattr(function, "matvec") or hasattr(function, "tocsr"):
        return function
    return lambda x: function(x[:, None])


def _square_of(X):
    return (X.shape[0], X.shape[0]) if X.ndim else None


def _found(operator, n, part, X, B, M, Y, options, callback, stream):
    dtype = scalar_of(part)
    mass, kept = _mass_of(B, n, part, stream)
    if Y is not None:
        Y = readable("Y", Y, dtype)
        if Y.ndim != 2 or Y.shape[0] != n:
            raise _core.Error(f"Y has the shape {Y.shape}; give ({n}, number of constraints)")
        Y = Y if Y.shape[1] else None
    guess = X
    if guess.ndim != 2 or guess.shape[0] != n:
        raise _core.Error(f"X has the shape {guess.shape}; give ({n}, number of pairs)")
    if loses(guess.dtype, dtype):
        raise TypeError(f"X holds {guess.dtype}, and A {dtype}; give X.astype(np.{dtype})")
    x = xp.array(guess, dtype=dtype, order="F")
    converged, message, iterations, values, residuals, errors, scale, history = part.lobpcg(
        operator, handed(x), preconditioner_of(_of_columns(M), n, part), mass, None if Y is None else handed(Y),
        options, called(callback))
    del kept
    return EigenResult(xp.array(values), x, converged, message, iterations, np.array(residuals), np.array(errors), scale,
                       np.array(history))


def _mass_of(B, n, part, stream):
    """What _core works with, and what must live as long."""
    if B is None:
        return None, None
    mass, shape, of, alive = operator_of(_of_columns(B), stream, (np.empty(0, scalar_of(part)),), (n, n))
    if tuple(shape) != (n, n):
        raise _core.Error(f"B has the shape {tuple(shape)}, and A {(n, n)}; give a B of the same shape")
    if scalar_of(of) != scalar_of(part):
        raise TypeError(f"B holds {scalar_of(of)}, and A {scalar_of(part)}; give both of one dtype")
    return (mass if of is part or callable(mass) else function_of("B", alive)), alive
