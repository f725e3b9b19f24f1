# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every scalar that the module was built for, with offsets of 32 and of 64 bits."""
import heddle
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import flow, laplacian, random_matrix
from heddle._types import offsets as built_offsets
from heddle._types import scalars

ROUNDING = {"float32": 1e-4, "complex64": 1e-4, "float64": 1e-11, "complex128": 1e-11}


def typed(A, scalar, offsets, rng=None):
    """A with entries of this scalar, and heddle's Matrix of the same arrays."""
    values = A.data.astype(scalar)
    if scalar.kind == "c" and rng is not None:
        values = (values + 1j * rng.standard_normal(values.size)).astype(scalar)
    row_ptr, col_idx = A.indptr.astype(offsets), A.indices.astype(np.int32)
    matrix = heddle.Matrix((values, col_idx, row_ptr), shape=A.shape)
    assert matrix.values is values and matrix.row_ptr is row_ptr and matrix.col_idx is col_idx
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape), matrix


def vector(rng, n, scalar, *more):
    x = rng.standard_normal((n, *more))
    return (x + 1j * rng.standard_normal((n, *more))).astype(scalar) if scalar.kind == "c" else x.astype(scalar)


@pytest.fixture(params=scalars, ids=str)
def scalar(request):
    return request.param


@pytest.fixture(params=built_offsets, ids=str)
def offsets(request):
    return request.param


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_products(scalar, offsets, order, rng):
    theirs, matrix = typed(random_matrix(40, 30), scalar, offsets, rng)
    plan = heddle.SpmvPlan(matrix)
    assert plan.dtype == scalar
    close = dict(rtol=ROUNDING[str(scalar)], atol=ROUNDING[str(scalar)])
    X, Y = (vector(rng, n, scalar, 6) for n in (30, 40))
    X, Y = {"C": (X, Y), "F": (np.asfortranarray(X), np.asfortranarray(Y)), "strided": (X[:, ::2], Y[:, ::2])}[order]
    x, y = X[:, 0], Y[:, 0]
    for result, expected in ((plan @ x, theirs @ x), (plan @ X, theirs @ X), (plan.T @ y, theirs.T @ y),
                             (plan.H @ Y, theirs.conj().T @ Y), (plan.rmatvec(y), theirs.conj().T @ y),
                             (plan.T.rmatvec(x), theirs.conj() @ x), (plan.H.T @ x, theirs.conj() @ x),
                             (plan.H.H @ x, theirs @ x), (plan.rmatmat(Y), theirs.conj().T @ Y), (y @ plan, theirs.T @ y),
                             (Y.T @ plan, (theirs.T @ Y).T)):
        assert result.dtype == scalar
        np.testing.assert_allclose(result, expected, **close)
    z = y.copy()
    alpha = scalar.type(2 - 3j if scalar.kind == "c" else 2)
    plan.apply(alpha, x, 0.5, z)
    np.testing.assert_allclose(z, alpha * (theirs @ x) + 0.5 * y, **close)
    plan.apply(alpha, y, 0.0, out := np.empty(30, scalar), transposed=True)
    np.testing.assert_allclose(out, alpha * (theirs.T @ y), **close)


@pytest.mark.parametrize("kind", ["SptrsvPlan", "GaussSeidelPlan", "IluPlan", "IcPlan", "MultigridPlan"])
def test_plans_solve(kind, scalar, offsets, rng):
    A = laplacian(12)
    if kind == "SptrsvPlan":
        A = sp.tril(A, format="csr")
    theirs, matrix = typed(A, scalar, offsets)
    M = getattr(heddle, kind)(matrix)
    b = vector(rng, A.shape[0], scalar)
    x = M @ b
    assert x.dtype == scalar
    assert np.linalg.norm(b - theirs @ x) < 0.9 * np.linalg.norm(b)
    if kind == "SptrsvPlan":
        np.testing.assert_allclose(theirs.T @ (M.T @ b), b, rtol=ROUNDING[str(scalar)], atol=ROUNDING[str(scalar)])
        np.testing.assert_allclose(theirs.conj().T @ (M.H @ b), b, rtol=ROUNDING[str(scalar)],
                                   atol=ROUNDING[str(scalar)])
    before = x.copy()
    M.update_values(heddle.Matrix((2 * matrix.values, matrix.col_idx, matrix.row_ptr), shape=matrix.shape))
    np.testing.assert_allclose(2 * (M @ b), before, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("method", ["cg", "gmres", "bicgstab"])
def test_solvers(method, scalar, offsets, rng):
    A = laplacian(15) if method == "cg" else flow(15)
    theirs, matrix = typed(A, scalar, offsets)
    b = vector(rng, A.shape[0], scalar)
    rtol = 1e-4 if ROUNDING[str(scalar)] > 1e-6 else 1e-9
    for M in (None, heddle.GaussSeidelPlan(matrix), heddle.GaussSeidelPlan(typed(A, scalar, np.int32)[1]), lambda r: r / 4):
        x, info = getattr(heddle, method)(matrix, b, rtol=rtol, M=M)
        assert info == 0 and x.dtype == scalar
        assert np.linalg.norm(b - theirs @ x) <= 1.01 * rtol * np.linalg.norm(b)


def test_files(scalar, tmp_path, rng):
    theirs, matrix = typed(random_matrix(9, 7), scalar, np.int32, rng)
    heddle.write_matrix_market(tmp_path / "a.mtx", matrix)
    back = heddle.read_matrix_market(tmp_path / "a.mtx", dtype=scalar)
    assert back.dtype == scalar
    np.testing.assert_array_equal(back.to_scipy().toarray(), theirs.toarray())


def test_narrowed_by_copy_without_a_word():
    A = laplacian(5)
    wide = sp.csr_array((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), shape=A.shape)
    matrix = heddle.Matrix(wide, copy=True)
    assert matrix.col_idx.dtype == matrix.row_ptr.dtype == np.int32 and matrix.converted
    np.testing.assert_allclose(heddle.SpmvPlan(matrix) @ np.ones(25), A @ np.ones(25))
    wide.indices[0] = 2**40
    with pytest.raises(heddle.Error, match="holds numbers beyond int32"):
        heddle.Matrix(wide, copy=True)


@pytest.mark.skipif(len(built_offsets) < 2, reason="built for one type of row pointers")
def test_plans_say_whose_values_they_take(scalar):
    A = laplacian(5)
    plan = heddle.SpmvPlan(typed(A, scalar, np.int32)[1])
    with pytest.raises(TypeError, match=f"the plan is of {scalar}_int32, and the matrix of {scalar}_int64; give one of"):
        plan.update_values(typed(A, scalar, np.int64)[1])


def test_numbers_that_do_not_fit():
    plan = heddle.SpmvPlan(typed(laplacian(5), scalars[0], np.int32)[1])
    for dtype in (np.longdouble, np.clongdouble):
        with pytest.raises(TypeError, match=rf"x holds {np.dtype(dtype)}, and the operator"):
            plan @ np.ones(25, dtype)
    assert (plan @ np.ones(25, np.int8)).dtype == plan.dtype
    with pytest.raises(TypeError, match="holds object"):
        plan @ np.ones(25, object)


@pytest.mark.skipif(len(scalars) > 1, reason="built for all scalars")
def test_scalars_that_were_left_out():
    A = laplacian(5)
    with pytest.warns(heddle.ConversionWarning, match="A.data holds float32, and heddle needs float64"):
        assert heddle.Matrix(A.astype(np.float32)).dtype == np.float64
    with pytest.raises(TypeError, match=r"A.data holds .*, and heddle knows float64; give A.data.astype"):
        heddle.Matrix(A.astype(np.longdouble))
    assert heddle.Matrix(A.astype(np.float32), copy=True).dtype == np.float64
    with pytest.raises(TypeError, match="holds complex128; give float64 to this build"):
        heddle.Matrix(A.astype(complex), copy=True)
    with pytest.raises(TypeError, match="build it with HEDDLE_INSTANTIATE=float,double,cfloat,cdouble"):
        heddle.read_matrix_market("a.mtx", dtype=np.complex64)
