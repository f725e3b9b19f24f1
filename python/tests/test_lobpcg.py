# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eigenpairs beside scipy's."""
import heddle
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import laplacian


def mass_matrix(n):
    """Of linear elements on a line, with a density that varies."""
    density = 1 + 0.5 * np.sin(np.arange(n))
    return sp.diags_array([np.ones(n - 1) / 6, density, np.ones(n - 1) / 6], offsets=[-1, 0, 1]).tocsr()


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


@pytest.mark.parametrize("largest", [True, False])
def test_generalized(rng, largest):
    A, B = laplacian(9), mass_matrix(81)
    values = scipy.linalg.eigh(A.toarray(), B.toarray(), eigvals_only=True)
    expected = values[::-1][:3] if largest else values[:3]
    X = rng.standard_normal((81, 3))
    plan = heddle.SpmvPlan(B)
    wide = heddle.Matrix((B.data, B.indices, B.indptr.astype(np.int64)), shape=B.shape)
    for mass in (B, plan, wide, sla.aslinearoperator(B), lambda x: B @ x):
        if not hasattr(mass, "shape"):
            mass = sla.LinearOperator((81, 81), matvec=mass, dtype=float)
        mine, vectors = heddle.lobpcg(A, X, mass, largest=largest)
        np.testing.assert_allclose(mine, expected, rtol=1e-9)
        np.testing.assert_allclose(vectors.T @ (B @ vectors), np.eye(3), atol=1e-11)
        assert np.linalg.norm(A @ vectors - (B @ vectors) * mine, axis=0).max() < 1e-6
    theirs, _ = sla.lobpcg(A, X.copy(), B, largest=largest, tol=1e-9, maxiter=500)
    np.testing.assert_allclose(np.sort(mine), np.sort(theirs), rtol=1e-8)


def test_relative_to_the_value(A, rng):
    X = rng.standard_normal((900, 3))
    loose, strict = (heddle.lobpcg(A, X, M=heddle.IcPlan(A), largest=False, tol=1e-4, relative_to=word, return_result=True)
                     for word in ("norm", "value"))
    assert loose.converged and strict.converged and loose.iterations < strict.iterations
    assert (strict.residuals <= 1e-4 * strict.values).all() and (loose.residuals > 1e-4 * loose.values).any()
    np.testing.assert_allclose(strict.scale, strict.values.max(), rtol=1e-6)
    assert loose.scale > 10 * strict.scale


def test_bounds_of_the_error(A, rng):
    B, X = mass_matrix(81), rng.standard_normal((81, 3))
    small = laplacian(9)
    for mass, expected in ((None, exact(9, 3, True)),
                           (B, scipy.linalg.eigh(small.toarray(), B.toarray(), eigvals_only=True)[:-4:-1])):
        result = heddle.lobpcg(small, X, mass, tol=1e-3, return_result=True)
        error = abs(result.values - expected)
        assert result.errors.shape == (3,) and (error <= result.errors + 1e-12).all() and error.max() > 1e-12
        if mass is None:
            np.testing.assert_array_equal(result.errors, result.residuals)


@pytest.mark.parametrize("generalized", [True, False])
def test_constraints(A, rng, generalized):
    B = mass_matrix(900) if generalized else None
    X = rng.standard_normal((900, 4))
    options = dict(M=heddle.IcPlan(A), largest=False)
    all_values, modes = heddle.lobpcg(A, X, B, **options)
    for Y in (modes[:, :2], np.ascontiguousarray(modes[:, :2]) * [3, -2], modes[:, [0, 1, 0]]):
        rest, others = heddle.lobpcg(A, X[:, :2], B, Y=Y, **options)
        np.testing.assert_allclose(rest, all_values[2:], rtol=1e-8)
        assert abs(modes[:, :2].T @ (others if B is None else B @ others)).max() < 1e-10
    theirs, _ = sla.lobpcg(A, X[:, :2].copy(), B, Y=modes[:, :2].copy(), largest=False, tol=1e-9, maxiter=900)
    np.testing.assert_allclose(np.sort(theirs), rest, rtol=1e-7)
    assert heddle.lobpcg(A, X, B, Y=np.empty((900, 0)), **options)[0].shape == (4,)


def test_a_callback_sees_and_ends_a_search(A, rng):
    seen = []
    result = heddle.lobpcg(A, rng.standard_normal((900, 2)), callback=seen.append, return_result=True)
    assert result.converged and len(seen) >= 3
    assert [p.residual for p in seen] == result.history[-len(seen):].tolist()
    ended = heddle.lobpcg(A, rng.standard_normal((900, 2)), callback=lambda p: p.iterations < 2, return_result=True)
    assert not ended.converged and ended.message == "stopped by the callback"
    late = heddle.lobpcg(A, rng.standard_normal((900, 2)), max_seconds=0, return_result=True)
    assert late.iterations == 1 and late.message == "the time allowed is over"


def test_what_is_not_there(A, rng):
    X = rng.standard_normal((A.shape[0], 2))
    with pytest.raises(heddle.Error, match="there is no retLambdaHistory"):
        heddle.lobpcg(A, X, retLambdaHistory=True)
    with pytest.raises(heddle.Error, match="B has the shape"):
        heddle.lobpcg(A, X, A[1:, 1:])
    with pytest.raises(heddle.Error, match="Y has the shape"):
        heddle.lobpcg(A, X, Y=X[1:])
    indefinite = heddle.lobpcg(A, X, -A, return_result=True)
    assert not indefinite.converged and indefinite.message == "B is not positive definite"
    with pytest.raises(heddle.Error, match="X has the shape"):
        heddle.lobpcg(A, X[1:])
    with pytest.raises(heddle.Error, match="not symmetric"):
        heddle.lobpcg(A, X, M=heddle.GaussSeidelPlan(A, sweep="forward"))
    with pytest.raises(heddle.Error, match="give a square one"):
        heddle.lobpcg(A[1:], X)
    with pytest.raises(TypeError, match="X holds complex128"):
        heddle.lobpcg(A, X * 1j)
    assert not heddle.lobpcg(A, X, maxiter=1, return_result=True).converged


def test_it_warns_where_it_has_not_converged(A, rng):
    """The values alone would look right."""
    X = rng.standard_normal((900, 2))
    upper = sp.triu(A).tocsr()
    for call in (lambda **more: heddle.lobpcg(A, X, largest=False, maxiter=2, **more),
                 lambda **more: heddle.lobpcg(upper, X, maxiter=50, **more)):
        for more in ({}, {"retResidualNormsHistory": True}):
            with pytest.warns(UserWarning, match="lobpcg has not converged after .* iterations: .*The largest residual") as told:
                call(**more)
            assert told[0].filename == __file__
        assert not call(return_result=True).converged


def test_it_says_nothing_where_it_has(A, rng, recwarn):
    heddle.lobpcg(A, rng.standard_normal((900, 2)))
    assert not recwarn.list
