# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eigenpairs beside scipy's."""
import heddle
import numpy as np
import pytest
import scipy.sparse.linalg as sla
from conftest import laplacian


def exact(n, count, largest):
    """Eigenvalues of laplacian(n)."""
    line = 2.01 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    values = np.sort((line[:, None] + line).ravel())
    return values[::-1][:count] if largest else values[:count]


@pytest.mark.parametrize("largest", [True, False])
def test_values_and_vectors(A, rng, largest):
    X = rng.standard_normal((A.shape[0], 4))
    guess = X.copy()
    for one in (A, heddle.SpmvPlan(A), sla.aslinearoperator(A)):
        values, vectors = heddle.lobpcg(one, X, largest=largest)
        np.testing.assert_allclose(values, exact(30, 4, largest), rtol=1e-10)
        assert np.linalg.norm(A @ vectors - vectors * values, axis=0).max() < 1e-7
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)
    np.testing.assert_array_equal(X, guess)


def test_preconditioned(A, rng):
    X = rng.standard_normal((A.shape[0], 3))
    plain = heddle.lobpcg(A, X, largest=False, return_result=True)
    with_plan = heddle.lobpcg(A, X, M=heddle.MultigridPlan(A), largest=False, return_result=True)
    with_scipy = heddle.lobpcg(A, X, M=sla.aslinearoperator(heddle.IcPlan(A)), largest=False, return_result=True)
    for result in (plain, with_plan, with_scipy):
        assert result.converged and result.message == "converged"
        np.testing.assert_allclose(result.values, exact(30, 3, False), rtol=1e-10)
        assert result.residuals.max() <= 1e-8 * result.scale
    assert with_plan.iterations < plain.iterations and with_scipy.iterations < plain.iterations


def test_as_scipys(A, rng):
    X = rng.standard_normal((A.shape[0], 3))
    theirs, _ = sla.lobpcg(A, X.copy(), largest=True, tol=1e-7, maxiter=300)
    mine, vectors, history = heddle.lobpcg(A, X, retResidualNormsHistory=True)
    np.testing.assert_allclose(mine, theirs, rtol=1e-8)
    assert vectors.shape == X.shape and len(history) > 1
    values, _ = sla.lobpcg(heddle.SpmvPlan(A), X.copy(), M=heddle.IcPlan(A), largest=False, tol=1e-7, maxiter=300)
    np.testing.assert_allclose(np.sort(values), exact(30, 3, False), rtol=1e-8)


def test_what_is_not_there(A, rng):
    X = rng.standard_normal((A.shape[0], 2))
    for name in ("B", "Y"):
        with pytest.raises(heddle.Error, match=f"{name} is not there yet; use scipy.sparse.linalg.lobpcg"):
            heddle.lobpcg(A, X, **{name: A})
    with pytest.raises(heddle.Error, match="X has the shape"):
        heddle.lobpcg(A, X[1:])
    with pytest.raises(heddle.Error, match="not symmetric"):
        heddle.lobpcg(A, X, M=heddle.GaussSeidelPlan(A, sweep="forward"))
    with pytest.raises(heddle.Error, match="give a square one"):
        heddle.lobpcg(A[1:], X)
    with pytest.raises(TypeError, match="X holds complex128"):
        heddle.lobpcg(A, X * 1j)
    assert not heddle.lobpcg(A, X, maxiter=1, return_result=True).converged
