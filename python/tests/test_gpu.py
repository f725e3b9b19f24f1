# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A build for GPUs: products with CuPy's arrays, PyTorch's by DLPack, streams, and that nothing is copied. Skipped on CPUs."""
import gc

import heddle
import numpy as np
import pytest
from conftest import laplacian, random_matrix

if heddle.device == "cpu":
    pytest.skip("a build for CPUs", allow_module_level=True)

import cupy
import cupyx.scipy.sparse as csp
from gpu_arrays import SCALARS, close, on_gpu, vectors


@pytest.fixture
def used():
    """Bytes that are taken on the device, by whomever, and not kept for later by CuPy."""
    def count():
        gc.collect()
        cupy.cuda.Device().synchronize()
        cupy.get_default_memory_pool().free_all_blocks()
        free, total = cupy.cuda.runtime.memGetInfo()
        return total - free
    return count


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
@pytest.mark.parametrize("shape", [(300, 200), (1, 1), (0, 5), (5, 0)])
def test_products(dtype, shape):
    host = random_matrix(*shape)
    A = on_gpu(host, dtype) if 0 not in shape else csp.csr_matrix(shape, dtype=dtype)
    plan = heddle.SpmvPlan(A, transpose=True)
    x, X, z = vectors(shape[1], dtype), vectors((shape[1], 3), dtype), vectors(shape[0], dtype)
    dense = A.toarray()
    close(plan @ x, dense @ x)
    close(plan @ X, dense @ X)
    close(plan.matmat(cupy.asfortranarray(X)), dense @ X)
    close(plan.T @ z, dense.T @ z)
    close(plan.H @ z, dense.conj().T @ z)
    y = vectors(shape[0], dtype, 4)
    wanted = 2 * (dense @ x) - y
    plan.apply(2.0, x, -1.0, y)
    close(y, wanted.astype(dtype))


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_every_way_to_apply(dtype):
    A = on_gpu(random_matrix(300, 200), dtype)
    plan, dense = heddle.SpmvPlan(A), A.toarray()
    x, X, z, Z = (vectors(shape, dtype) for shape in (200, (200, 3), 300, (300, 3)))
    for apply, given, wanted in ((plan.matvec, x, dense @ x), (plan.matmat, X, dense @ X), (plan.dot, X, dense @ X),
                                 (plan.rmatvec, z, dense.conj().T @ z), (plan.rmatmat, Z, dense.conj().T @ Z),
                                 (plan.T.matvec, z, dense.T @ z), (plan.H.matmat, Z, dense.conj().T @ Z)):
        close(apply(given), wanted)
        for order in "CF":
            out = cupy.full(wanted.shape, np.nan, dtype, order=order)
            assert apply(given, out=out) is out
            close(out, wanted)
    close(plan(x), dense @ x)
    close(plan.matvec(x[:, None]), dense @ x[:, None])
    close(plan.matmat(cupy.empty((200, 0), dtype)), dense @ cupy.empty((200, 0), dtype))


def test_a_vector_from_the_left():
    A, z, Z = on_gpu(random_matrix(300, 200)), vectors(300), vectors((3, 300))
    plan = heddle.SpmvPlan(A)
    close(z @ plan, A.T @ z)
    close(Z @ plan, (A.T @ Z.T).T)


@pytest.mark.parametrize("form", ["csc", "coo"])
def test_other_forms_are_converted(form):
    A, x = on_gpu(laplacian(30)), vectors(900)
    with pytest.warns(heddle.ConversionWarning, match=f"converted, and so copied: A is in {form.upper()} form"):
        plan = heddle.SpmvPlan(A.asformat(form))
    assert plan.matrix.converted
    close(plan @ x, A @ x)


def test_refusals_and_errors_of_patterns():
    A = on_gpu(laplacian(30))
    with pytest.raises(heddle.Error, match="csr/nonsense"):
        heddle.SpmvPlan(A, scheme="csr/nonsense")
    with pytest.raises(heddle.Refusal):
        heddle.SpmvPlan(on_gpu(random_matrix(3000, 3000)), scheme="dia")
    A.indices[5] = 900
    with pytest.raises(heddle.Error, match="row 1"):
        heddle.SpmvPlan(A)


@pytest.mark.parametrize("scheme", ["csr/scalar", "csr/merge", "csr/adaptive", "blocked-ell", None])
def test_schemes_beside_cupy(scheme):
    A = on_gpu(laplacian(40))
    plan = heddle.SpmvPlan(A, scheme=scheme)
    x = vectors(1600)
    close(plan @ x, A @ x)
    A.data *= 3
    plan.update_values()
    close(plan @ x, A @ x)
    out = cupy.full(1600, np.nan)
    assert plan.matvec(x, out=out) is out
    close(out, A @ x)
    assert heddle.choose(A)[0].seconds > 0 and plan.scheme in plan.explain()


def test_nothing_is_copied(used):
    """A plan in place and products with it take no memory that grows with the matrix."""
    n = 1_000_000
    A = csp.eye(n, format="csr") * 2.0
    x, y = cupy.ones(n), cupy.empty(n)
    plan = heddle.SpmvPlan(heddle.Matrix(A), scheme="csr/scalar")
    plan.matvec(x, out=y)  # CUDA loads its kernels
    before = used()
    for _ in range(3):
        plan.matvec(x, out=y)
    assert used() - before < n  # bytes: a copy would have at least 4 n
    del plan
    before = used()
    matrix = heddle.Matrix(A)
    plan = heddle.SpmvPlan(matrix, scheme="csr/scalar")
    assert used() - before < 4 * n
    assert matrix.values.data.ptr == A.data.data.ptr and matrix.col_idx.data.ptr == A.indices.data.ptr
    A.data *= 2
    plan.matvec(x, out=y)
    assert float(y[0]) == 4.0  # the plan reads A's own values


def test_plans_give_their_memory_back(used):
    A = on_gpu(laplacian(300))
    plan = heddle.IluPlan(A)
    del plan
    before = used()
    for _ in range(3):
        plan = heddle.IluPlan(A)
        assert plan.bytes > 0
        del plan
    assert used() <= before + (1 << 20)


def test_a_matrix_freed_before_its_plan():
    A = on_gpu(laplacian(40))
    reference = A.copy()
    plan, factors = heddle.SpmvPlan(heddle.Matrix(A)), heddle.IcPlan(A)
    x = vectors(1600)
    wanted = factors @ x
    del A
    gc.collect()
    junk = [cupy.full(reference.nnz, np.nan) for _ in range(20)]  # overwrites freed memory
    close(plan @ x, reference @ x)
    close(factors @ x, wanted)
    del junk


def test_torch_by_dlpack():
    torch = pytest.importorskip("torch")
    A = on_gpu(laplacian(40))
    csr = torch.sparse_csr_tensor(*(torch.from_dlpack(part) for part in (A.indptr, A.indices, A.data)), A.shape)
    matrix = heddle.Matrix((csr.values(), csr.col_indices(), csr.crow_indices()), shape=A.shape)
    assert matrix.values.data.ptr == csr.values().data_ptr()
    plan = heddle.SpmvPlan(matrix)
    x = torch.rand(1600, dtype=torch.float64, device="cuda")
    y = plan @ x
    assert isinstance(y, cupy.ndarray)
    back = torch.from_dlpack(y)
    assert back.data_ptr() == y.data.ptr
    torch.testing.assert_close(back, (csr @ x))
    out = torch.empty_like(x)
    assert plan.matvec(x, out=out) is out
    cupy.cuda.Device().synchronize()
    torch.testing.assert_close(out, back)
    x, info = heddle.cg(plan, torch.ones_like(x), M=lambda r: torch.from_dlpack(r) / 4)
    assert info == 0


class Interface:
    """What tells of its memory by __cuda_array_interface__ alone."""

    def __init__(self, of):
        self.of, self.__cuda_array_interface__, self.shape, self.ndim = of, of.__cuda_array_interface__, of.shape, of.ndim


def test_cuda_array_interface():
    A, x, y = on_gpu(laplacian(40)), vectors(1600), cupy.empty(1600)
    matrix = heddle.Matrix(tuple(map(Interface, (A.data, A.indices, A.indptr))), shape=A.shape)
    assert matrix.values.data.ptr == A.data.data.ptr
    heddle.SpmvPlan(matrix).matvec(Interface(x), out=Interface(y))
    close(y, A @ x)


def handles_of(stream):
    yield stream
    yield stream.ptr
    yield type("Protocol", (), {"__cuda_stream__": lambda self: (0, stream.ptr)})()


def late(stream, x, value):
    """Sets x on the stream to a value, but only after some milliseconds of other work there."""
    with stream:
        work = cupy.ones((2000, 2000))
        for _ in range(10):
            work = work @ work / 2000
        x.fill(value)


def test_streams():
    """Products wait for what their stream holds, and leave the default stream alone."""
    A = csp.eye(1000, format="csr") * 2.0
    stream = cupy.cuda.Stream(non_blocking=True)
    for given in handles_of(stream):
        plan = heddle.SpmvPlan(A, stream=given)
        x, y = cupy.zeros(1000), cupy.zeros(1000)
        cupy.cuda.Device().synchronize()
        late(stream, x, 3.0)
        plan.matvec(x, out=y)
        assert not stream.done or float(y[0]) == 6.0  # queued without a wait, unless it is done already
        stream.synchronize()
        assert float(y[0]) == 6.0 and float(y[-1]) == 6.0
    current = cupy.cuda.Stream(non_blocking=True)
    plan = heddle.SpmvPlan(A)
    late(current, x, 5.0)
    with current:  # CuPy's current stream is used if none was given
        y = plan @ x
        current.synchronize()
    assert float(y[0]) == 10.0
    with pytest.raises(TypeError, match="stream is a str; give one of CuPy or PyTorch"):
        heddle.SpmvPlan(A, stream="main")


def test_many_streams():
    A, x = csp.eye(100, format="csr") * 2.0, cupy.ones(100)
    for _ in range(200):
        with cupy.cuda.Stream() as stream:
            y = heddle.SpmvPlan(A) @ x
            stream.synchronize()
        assert float(y[0]) == 2.0


def test_a_torch_stream():
    torch = pytest.importorskip("torch")
    A = csp.eye(1000, format="csr") * 2.0
    plan = heddle.SpmvPlan(A, stream=torch.cuda.Stream())
    y = plan @ cupy.ones(1000)
    cupy.cuda.Device().synchronize()
    assert float(y[0]) == 2.0


def test_what_lies_on_the_cpu_is_an_error_that_says_what_to_do():
    host = laplacian(30)
    A = on_gpu(host)
    plan, b, there = heddle.SpmvPlan(A), cupy.ones(900), np.ones(900)
    for work, name in ((lambda: plan @ there, "x"), (lambda: plan.matvec(b, out=there), "out"),
                       (lambda: plan.apply(1.0, b, 0.0, there), "y"), (lambda: heddle.cg(A, there), "b"),
                       (lambda: heddle.cg(A, b, there), "x0"), (lambda: plan @ memoryview(there), "x"),
                       (lambda: heddle.lobpcg(A, np.ones((900, 1))), "X"),
                       (lambda: heddle.Matrix((host.data, A.indices, A.indptr), shape=A.shape), "values")):
        with pytest.raises(heddle.Error, match=rf"{name} is in the CPU's memory, and this heddle works on a GPU; "
                                               rf"give cupy\.asarray\({name}\)"):
            work()
    for work in (lambda: heddle.Matrix(host), lambda: heddle.cg(host, b)):
        with pytest.raises(heddle.Error, match=r"A is in the CPU's memory.*; give cupyx\.scipy\.sparse\.csr_matrix\(A\)"):
            work()
    torch = pytest.importorskip("torch")
    with pytest.raises(heddle.Error, match=r"x is in the CPU's memory.*; give x\.cuda\(\)"):
        plan @ torch.ones(900, dtype=torch.float64)


def test_another_gpu():
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    A = on_gpu(laplacian(30))
    plan = heddle.SpmvPlan(A)
    with cupy.cuda.Device(1):
        far, x = on_gpu(laplacian(30)), cupy.ones(900)
        with pytest.raises(heddle.Error, match="x is on GPU 1, and heddle works on GPU 0 here"):
            plan @ x
        other = heddle.SpmvPlan(far)
        close(other @ x, far @ x)
    y = plan @ cupy.ones(900)
    assert y.device.id == 0


def test_dtypes_and_gaps():
    A = on_gpu(laplacian(30))
    plan = heddle.SpmvPlan(A)
    with pytest.raises(TypeError, match="x holds complex128, and the operator is real"):
        plan @ cupy.ones(900, complex)
    close(plan @ cupy.arange(900), A @ cupy.arange(900.0))
    wide = cupy.ones(1800)
    close(plan @ wide[::2], A @ cupy.ones(900))
    with pytest.warns(heddle.ConversionWarning, match="values is not contiguous"):
        heddle.Matrix((cupy.repeat(A.data, 2)[::2], A.indices, A.indptr), shape=A.shape)
    with pytest.warns(heddle.ConversionWarning, match="col_idx holds int64"):
        heddle.Matrix((A.data, A.indices.astype(np.int64), A.indptr), shape=A.shape)
    matrix = heddle.Matrix((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), shape=A.shape, copy=True)
    assert matrix.col_idx.dtype == np.int32


def test_shown():
    A = on_gpu(laplacian(30))
    assert "csr/" in str(heddle.choose(A, vectors=4))
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    assert "900 x 900" in heddle.spy(A).get_title()
    assert heddle.cg(A, cupy.ones(900), history=True, return_result=True).plot().lines
    pyplot.close("all")


def test_files(tmp_path):
    A = on_gpu(laplacian(30))
    heddle.write_matrix_market(tmp_path / "m.mtx", A)
    back = heddle.read_matrix_market(tmp_path / "m.mtx")
    close(back.values, A.data)
    assert isinstance(back.to_scipy(), csp.csr_matrix) and abs(back.to_scipy() - A).max() == 0
