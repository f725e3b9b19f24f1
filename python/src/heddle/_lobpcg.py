# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eigenpairs, with the signature of scipy.sparse.linalg.lobpcg."""
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._krylov import operator_of, preconditioner_of, scalar_of, square
from ._operator import loses


@dataclass(frozen=True)
class EigenResult:
    """How a search for eigenpairs ended."""

    values: np.ndarray  #: the outermost first
    vectors: np.ndarray = field(repr=False)  #: orthonormal, a column each
    converged: bool  #: whether the true residuals of all pairs meet the tolerance
    message: str  #: how it ended, in words
    iterations: int
    residuals: np.ndarray  #: norms of A x - lambda x, of the vectors that are returned
    scale: float  #: what `tol` is multiplied by: the largest Ritz value in magnitude that was seen
    history: np.ndarray = field(repr=False)  #: the largest residual of each iteration


def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0,
           retLambdaHistory=False, retResidualNormsHistory=False, restartControl=None, *, return_result=False):
    """The smallest or largest eigenvalues of a symmetric (Hermitian) A, and eigenvectors, by products alone.

    Parameters
    ----------
    A : Matrix, SpmvPlan, scipy.sparse matrix, or what has shape and matvec(x) or `@`
    X : array of (n, k)
        The guess, with a column for each pair; it is not written to. What it lacks of independent columns is
        filled up by a fixed sequence of random numbers.
    M : plan, scipy.sparse matrix, or what has matvec(x) or `@`, optional
        A symmetric positive definite preconditioner, near the inverse of A; for the smallest ones.
    tol : float, optional
        A pair has converged when the norm of A x - lambda x is at most so many times the largest Ritz value in
        magnitude: 1e-8 by default, 1e-5 for float32 and complex64. (scipy's is absolute.)
    maxiter : int, optional
        500 by default. (scipy's is 20.)
    largest : bool
        Which end of the spectrum.
    retResidualNormsHistory : bool
        Return the largest residual of each iteration too.
    return_result : bool
        Return an EigenResult in place of (values, vectors).
    B, Y, retLambdaHistory
        Are not there, and an error.
    verbosityLevel, restartControl
        Have no effect.

    Returns
    -------
    (values, vectors), or (values, vectors, history)
        Values descend where the largest are wanted, and ascend otherwise.
    """
    for name, given in (("B", B is not None), ("Y", Y is not None), ("retLambdaHistory", retLambdaHistory)):
        if given:
            raise _core.Error(f"{name} is not there yet; use scipy.sparse.linalg.lobpcg, with plans as A and M")
    operator, shape, part, alive = operator_of(A)
    n = square(shape)
    dtype = scalar_of(part)
    guess = np.asarray(X)
    if guess.ndim != 2 or guess.shape[0] != n:
        raise _core.Error(f"X has the shape {guess.shape}; give ({n}, number of pairs)")
    if loses(guess.dtype, dtype):
        raise TypeError(f"X holds {guess.dtype}, and A {dtype}; give X.astype(np.{dtype})")
    x = np.array(guess, dtype=dtype, order="F")
    converged, message, iterations, values, residuals, scale, history = part.lobpcg(
        operator, x, preconditioner_of(M, n, part), largest, None if tol is None else float(tol),
        500 if maxiter is None else maxiter)
    del alive
    result = EigenResult(np.array(values), x, converged, message, iterations, np.array(residuals), scale,
                         np.array(history))
    if return_result:
        return result
    return (result.values, x, result.history) if retResidualNormsHistory else (result.values, x)
