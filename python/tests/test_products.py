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
    assert repr(plan) == f"<heddle.SpmvPlan of 900 x 900, {A.nnz} entries of float64, transpose=True: {plan.scheme}>"
    assert repr(plan.T) == f"<the transpose of {plan!r}>"
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


def test_real_plans_take_no_complex_factors(A):
    plan, x, y = heddle.SpmvPlan(A), np.ones(900), np.zeros(900)
    for alpha, beta, name in ((1j, 0, "alpha"), (np.complex128(2 + 3j), 0, "alpha"), (1, 2j, "beta")):
        with pytest.raises(TypeError, match=f"{name} is .*, and the operator is real"):
            plan.apply(alpha, x, beta, y)
    for alpha in ("2", None, [1.0, 2.0]):
        with pytest.raises(TypeError, match="alpha is .*; give a number"):
            plan.apply(alpha, x, 0, y)
    assert not y.any()
    for two in (2, np.float32(2), np.int64(2), np.array(2.0), True + True):
        plan.apply(two, x, 0, y)
        np.testing.assert_allclose(y, 2 * (A @ x))


def test_arrays_of_other_dimensions(A):
    plan = heddle.SpmvPlan(A)
    for shape in ((), (900, 2, 3), (900, 1, 1)):
        x, y = np.ones(shape), np.full(shape, 7.0)
        for work in (lambda: plan.apply(1, x, 0, y), lambda: plan.matvec(x), lambda: plan @ x, lambda: heddle.cg(A, x),
                     lambda: heddle.IcPlan(A).solve(x), lambda: heddle.MultigridPlan(A, x),
                     lambda: heddle.cg(A, np.ones(900), x)):
            with pytest.raises(heddle.Error, match="has the shape"):
                work()
        assert np.all(y == 7)
    for x, y in ((np.ones(899), np.ones(900)), (np.ones(900), np.ones(899)), (np.ones((900, 2)), np.ones((900, 3))),
                 (np.ones((900, 2)), np.ones(900))):
        with pytest.raises(heddle.Error, match="has the shape"):
            plan.apply(1, x, 0, y)
    for wrong in (1.0, np.ones(899)):
        with pytest.raises(heddle.Error, match="near_nullspace has the shape"):
            heddle.MultigridPlan(A, wrong)


def test_operators_add_up(A, rng):
    B = (A @ A).tocsr()
    a, b, x, X = heddle.SpmvPlan(A), heddle.SpmvPlan(B), rng.random(900), rng.random((900, 2))
    for mine, theirs in ((2 * a, 2 * A), (a * 2, 2 * A), (np.float64(2) * a, 2 * A), (a / 2, A / 2), (-a, -A), (a + b, A + B),
                         (a - b, A - B), (a @ b, A @ B), (a.T + b, A.T + B), (sla.aslinearoperator(A) + b, A + B),
                         (a @ sla.aslinearoperator(B), A @ B),
                         (a.adjoint(), A.T), (a.transpose(), A.T), (a.conj(), A), (2 * a.H - b, 2 * A.T - B)):
        np.testing.assert_allclose(mine @ x, theirs @ x, rtol=1e-10)
        np.testing.assert_allclose(mine @ X, theirs @ X, rtol=1e-10)
    np.testing.assert_allclose(a * x, A @ x)
    np.testing.assert_allclose(x * a, A.T @ x)
    y, info = heddle.cg(2 * a, A @ x, M=heddle.IcPlan(A) / 2, rtol=1e-9)
    assert info == 0
    np.testing.assert_allclose(2 * y, x, rtol=1e-6)


@pytest.mark.parametrize("make", [heddle.SpmvPlan, lambda A: heddle.SpmvPlan(A, scheme="ell"), heddle.IluPlan, heddle.IcPlan,
                                  heddle.GaussSeidelPlan, heddle.MultigridPlan,
                                  lambda A: heddle.SptrsvPlan(A, ignore_outside=True)])
def test_update_values_follows_scipys_matrix(make, A, rng):
    x = rng.random(900)

    def same_as_new(plan, of):
        np.testing.assert_allclose(plan @ x, make(of) @ x, rtol=1e-10)

    plan = make(A)
    A.data = 2 * A.data  # arrays that the plan has not borrowed
    plan.update_values()
    same_as_new(plan, A)
    A.data *= 2
    plan.update_values()
    same_as_new(plan, A)
    A.data[:] = 3 * A.data
    plan.update_values(A)
    same_as_new(plan, A)
    with pytest.warns(sp.SparseEfficiencyWarning):
        A[0, 899] = 1e-3  # changes the pattern
    with pytest.raises(heddle.Error, match="made for another pattern"):
        plan.update_values()


def test_patterns_with_as_many_entries(A, rng):
    x = rng.random(900)
    reversed_rows = A.copy()
    for i in range(900):
        row = slice(A.indptr[i], A.indptr[i + 1])
        reversed_rows.indices[row], reversed_rows.data[row] = A.indices[row][::-1], A.data[row][::-1]
    moved = A.copy()
    moved.indices[0] = 7
    for plan in (heddle.SpmvPlan(A), heddle.SpmvPlan(A, scheme="ell"), heddle.SpmvPlan(A, scheme="dia"), heddle.IluPlan(A)):
        before = plan @ x
        for other in (reversed_rows, moved, heddle.Matrix((A.data, moved.indices, A.indptr), shape=A.shape)):
            with pytest.raises(heddle.Error, match="made for another pattern"):
                plan.update_values(other)
        np.testing.assert_array_equal(plan @ x, before)
        plan.update_values(sp.csr_array((A.data, A.indices.copy(), A.indptr.copy()), shape=A.shape))
        np.testing.assert_array_equal(plan @ x, before)


@pytest.mark.filterwarnings("ignore::heddle.ConversionWarning")
def test_new_values_of_a_converted_matrix(A, rng):
    x = rng.random(900)
    for other in (A.tocsc(), A.tocoo(), sp.csr_array((A.data, A.indices.astype(np.int64), A.indptr), shape=A.shape)):
        plan = heddle.SpmvPlan(other)
        other.data *= 2
        with pytest.raises(heddle.Error, match=r"a converted copy of A; give update_values\(A\)"):
            plan.update_values()
        plan.update_values(other)
        np.testing.assert_allclose(plan @ x, other @ x)
        other.data /= 2
    matrix = heddle.Matrix(A, copy=True)
    plan = heddle.SpmvPlan(matrix)
    matrix.values[:] *= 3
    with pytest.raises(heddle.Error, match=r"update_values\(plan.matrix\)"):
        plan.update_values()
    plan.update_values(plan.matrix)
    np.testing.assert_allclose(plan @ x, 3 * (A @ x))
