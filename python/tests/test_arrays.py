# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are not NumPy's: by DLPack and the buffer protocol, and those that lie on a GPU."""
import array

import heddle
import numpy as np
import pytest
from conftest import laplacian


class Lent:
    """What has DLPack and nothing else, as far as heddle sees."""

    def __init__(self, of):
        self.array, self.shape, self.ndim, self.exports = of, of.shape, of.ndim, 0

    def __dlpack__(self, **options):
        self.exports += 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnGpu:
    """As CuPy's arrays and PyTorch's tensors tell where they lie."""

    shape, ndim = (900,), 1

    def __dlpack_device__(self):
        return 2, 0


class OnGpuByInterface:
    shape, ndim, __cuda_array_interface__ = (900,), 1, {"version": 3}


@pytest.mark.parametrize("lend", [Lent, memoryview])
def test_a_matrix_of_lent_arrays(A, lend, rng):
    matrix = heddle.Matrix(tuple(map(lend, (A.data, A.indices, A.indptr))), shape=A.shape)
    assert np.shares_memory(matrix.values, A.data) and np.shares_memory(matrix.row_ptr, A.indptr)
    plan = heddle.SpmvPlan(matrix)
    x = rng.random(900)
    np.testing.assert_allclose(plan @ x, A @ x)
    A.data *= 3
    plan.update_values()
    np.testing.assert_allclose(plan @ x, A @ x)


@pytest.mark.parametrize("lend", [Lent, memoryview])
def test_vectors_that_are_lent(A, lend, rng):
    plan, x, y, Y = heddle.SpmvPlan(A), rng.random(900), np.empty(900), np.empty((900, 2))
    out = lend(y)
    assert plan.matvec(lend(x), out=out) is out
    np.testing.assert_allclose(y, A @ x)
    plan.matmat(lend(np.stack([x, x], 1)), out=lend(Y))
    np.testing.assert_allclose(Y, (A @ np.stack([x, x], 1)))
    plan.apply(2.0, lend(x), 1.0, lend(y))
    np.testing.assert_allclose(y, 3 * (A @ x))
    M = heddle.IcPlan(A)
    np.testing.assert_array_equal(M.solve(lend(x)), M @ x)
    for result in (heddle.cg(A, lend(x), M=M)[0], heddle.cg(A, x, lend(np.zeros(900)), M=M)[0]):
        np.testing.assert_allclose(A @ result, x, atol=1e-3)


def test_pythons_own_arrays(A):
    x = array.array("d", [1.0] * 900)
    np.testing.assert_allclose(heddle.SpmvPlan(A) @ x, A @ np.ones(900))
    parts = array.array("d", A.data.tolist()), array.array("i", A.indices.tolist()), array.array("i", A.indptr.tolist())
    matrix = heddle.Matrix(parts, shape=A.shape)
    parts[0][0] = 7.0
    assert matrix.values[0] == 7.0


def test_read_only_results(A):
    y = np.empty(900)
    with pytest.raises(heddle.Error, match="out is read-only"):
        heddle.SpmvPlan(A).matvec(np.ones(900), out=memoryview(y).toreadonly())
    with pytest.raises(TypeError, match="out is a list"):
        heddle.SpmvPlan(A).matvec(np.ones(900), out=[0.0] * 900)


@pytest.mark.parametrize("there", [OnGpu(), OnGpuByInterface()], ids=["dlpack", "interface"])
def test_what_lies_on_a_gpu_is_an_error_that_says_what_to_do(A, there):
    plan = heddle.SpmvPlan(A)
    b = np.ones(900)
    for work, name in ((lambda: plan @ there, "x"), (lambda: plan.matvec(b, out=there), "out"),
                       (lambda: plan.apply(1.0, b, 0.0, there), "y"), (lambda: heddle.cg(A, there), "b"),
                       (lambda: heddle.lobpcg(A, there), "X"),
                       (lambda: heddle.Matrix((there, A.indices, A.indptr), shape=A.shape), "values"),
                       (lambda: heddle.Matrix((A.data, there, A.indptr), shape=A.shape, copy=True), "col_idx")):
        with pytest.raises(heddle.Error, match=f"{name} is on a GPU, and this heddle works on the CPU; give a copy"):
            work()


@pytest.mark.parametrize("module, remedy", [("cupy._core.core", "get"), ("torch", "cpu")])
def test_whose_array_it_is_says_how_to_fetch_it(A, module, remedy):
    there = type("ndarray", (OnGpu,), {"__module__": module})()
    with pytest.raises(heddle.Error, match=rf"b is on a GPU, .*; give b\.{remedy}\(\)"):
        heddle.cg(A, there)
    matrix = type("csr_matrix", (), {"tocsr": None, "format": "csr", "shape": A.shape, "data": there})()
    with pytest.raises(heddle.Error, match=rf"A is on a GPU, .*; give A\.{remedy}\(\)"):
        heddle.Matrix(matrix)


def test_torch(rng):
    torch = pytest.importorskip("torch")
    A = laplacian(20)
    csr = torch.sparse_csr_tensor(torch.from_numpy(A.indptr), torch.from_numpy(A.indices), torch.from_numpy(A.data), A.shape)
    matrix = heddle.Matrix((csr.values(), csr.col_indices(), csr.crow_indices()), shape=A.shape)
    x = torch.from_numpy(rng.random(400))
    np.testing.assert_allclose(heddle.SpmvPlan(matrix) @ x, (csr @ x).numpy())
