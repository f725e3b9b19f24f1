# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SpmvPlan beside scipy's products and its LinearOperator."""
import heddle
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import random_matrix

SHAPES = [(0, 0), (0, 5), (5, 0), (1, 1), (7, 7), (50, 200), (200, 50), (1000, 1000)]


@pytest.mark.parametrize("shape", SHAPES)
def test_products(shape, rng):
    A = random_matrix(*shape)
    plan = heddle.SpmvPlan(A)
    assert plan.shape == shape and plan.dtype == np.float64
    x, y = rng.random(shape[1]), rng.random(shape[0])
    X, Y = rng.random((shape[1], 5)), rng.random((shape[0], 5))
    for mine, theirs in [(plan @ x, A @ x), (plan.matvec(x), A @ x), (plan.rmatvec(y), A.T @ y), (plan.T @ y, A.T @ y),
                         (plan.H @ y, A.T @ y), (y @ plan, y @ A), (plan @ X, A @ X), (plan.matmat(X), A @ X),
                         (plan.rmatmat(Y), A.T @ Y), (plan.T @ Y, A.T @ Y), (Y.T @ plan, Y.T @ A), (plan.T.T @ x, A @ x),
                         (plan(x), A @ x), (plan.dot(X), A @ X)]:
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    if shape[1]:
        assert plan.matvec(x[:, None]).shape == (shape[0], 1)


def test_layouts(rng):
    A = random_matrix(60, 40)
    plan = heddle.SpmvPlan(A)
    wide = rng.random((80, 12))
    for X in (wide[:40, :6], wide[::2, ::2], wide[:40, 5::-1], np.asfortranarray(wide[:40]), wide[39::-1], wide[:40, :1]):
        np.testing.assert_allclose(plan @ X, A @ X, rtol=1e-12)
        np.testing.assert_allclose(plan @ X[:, 0], A @ X[:, 0], rtol=1e-12)
    np.testing.assert_allclose(plan @ np.broadcast_to(2.0, 40), A @ np.full(40, 2.0), rtol=1e-12)
    out = np.zeros((120, 8))
    plan.matmat(wide[:40, :4], out=out[::2, ::2])
    np.testing.assert_allclose(out[::2, ::2], A @ wide[:40, :4], rtol=1e-12)
    assert not out[1::2].any() and not out[:, 1::2].any()


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.bool_, np.float16, ">f8"])
def test_vectors_of_other_dtypes_are_converted(dtype):
    A = random_matrix(30, 30)
    x = np.arange(30).astype(dtype)
    result = heddle.SpmvPlan(A) @ x
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, A @ x.astype(float), rtol=1e-12)
    np.testing.assert_allclose(heddle.SpmvPlan(A).matvec(list(range(30))), A @ np.arange(30.0), rtol=1e-12)


def test_out_and_apply(rng):
    A = random_matrix(30, 20)
    plan = heddle.SpmvPlan(A)
    x, y = rng.random(20), np.full(30, np.nan)
    assert plan.matvec(x, out=y) is y
    np.testing.assert_allclose(y, A @ x, rtol=1e-12)
    before = y.copy()
    plan.apply(2, x, -1, y)
    np.testing.assert_allclose(y, 2 * (A @ x) - before, rtol=1e-12)
    plan.apply(1, y, 0, x, transposed=True)
    np.testing.assert_allclose(x, A.T @ y, rtol=1e-12)


def test_errors_of_vectors_say_what_to_do(rng):
    A = random_matrix(30, 30)
    plan = heddle.SpmvPlan(A)
    x = rng.random(30)
    frozen = np.empty(30)
    frozen.flags.writeable = False
    for error, words, call in [
            (heddle.Error, r"x has the shape \(29,\); give \(30,\)", lambda: plan @ x[1:]),
            (heddle.Error, r"X has the shape \(29, 2\); give \(30, number of vectors\)", lambda: plan @ np.ones((29, 2))),
            (TypeError, "x holds complex128, and the operator is real", lambda: plan @ (x * 1j)),
            (TypeError, "out holds float32; give an array of float64", lambda: plan.matvec(x, out=np.empty(30, "f"))),
            (TypeError, "out is a list; give an array, as np.empty", lambda: plan.matvec(x, out=[0] * 30)),
            (heddle.Error, r"out has the shape \(31,\)", lambda: plan.matvec(x, out=np.empty(31))),
            (heddle.Error, "out is read-only; give an array that may be written to", lambda: plan.matvec(x, out=frozen)),
            (heddle.Error, "out has strides of", lambda: plan.matvec(x, out=np.empty(30)[::-1])),
            (heddle.Error, "x and y", lambda: plan.matvec(x, out=x))]:
        with pytest.raises(error, match=words):
            call()
    assert issubclass(heddle.Error, ValueError)


def test_schemes(A):
    plan = heddle.SpmvPlan(A, scheme="csr/merge", transpose=True)
    assert plan.scheme.startswith("csr/merge")
    again = heddle.SpmvPlan(A, scheme=plan.scheme)
    assert again.scheme == plan.scheme
    x = np.linspace(0, 1, A.shape[1])
    np.testing.assert_array_equal(plan @ x, again @ x)
    assert "csr/scalar" in heddle.SpmvPlan(A).explain()
    assert "transposed: " in plan.explain()
    assert plan.setup_seconds > 0 and plan.bytes >= 0
    assert repr(plan) == f"<heddle.SpmvPlan of 900 x 900 by {plan.scheme}>"
    with pytest.raises(heddle.Error, match="csr/nonsense|nonsense"):
        heddle.SpmvPlan(A, scheme="csr/nonsense")
    with pytest.raises(heddle.Refusal):
        heddle.SpmvPlan(random_matrix(2000, 2000), scheme="dia")


def test_new_values(A, rng):
    x = rng.random(A.shape[1])
    for scheme in ("csr/scalar", "ell", "dia", "bcsr/2x2"):
        plan = heddle.SpmvPlan(A, scheme=scheme, transpose=True)
        other = sp.csr_array((rng.random(A.nnz), A.indices, A.indptr), shape=A.shape)
        plan.update_values(other)
        np.testing.assert_allclose(plan @ x, other @ x, rtol=1e-12)
        np.testing.assert_allclose(plan.T @ x, other.T @ x, rtol=1e-12)
    with pytest.raises(heddle.Error):
        plan.update_values(random_matrix(10, 10))


def test_scipy_takes_a_plan(A, rng):
    plan = heddle.SpmvPlan(A)
    operator = sla.aslinearoperator(plan)
    assert operator.shape == A.shape and operator.dtype == np.float64
    x, X = rng.random(A.shape[1]), rng.random((A.shape[1], 3))
    for mine, theirs in [(operator @ x, A @ x), (operator @ X, A @ X), (operator.T @ x, A.T @ x), (operator.H @ X, A.T @ X),
                         ((2 * operator + operator) @ x, 3 * (A @ x))]:
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    values = sla.eigsh(plan, k=2, return_eigenvectors=False)
    np.testing.assert_allclose(values, sla.eigsh(A, k=2, return_eigenvectors=False))
    solution, info = sla.cg(plan, A @ x, rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(solution, x, rtol=1e-7)
    np.testing.assert_allclose(sla.lsqr(plan, A @ x, atol=1e-12, btol=1e-12)[0], x, rtol=1e-5)
