# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solvers, preconditioners and eigenpairs in a build for GPUs, judged by b - A x as CuPy computes it. Skipped on CPUs."""
import inspect

import heddle
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import flow, laplacian, random_matrix, without_boundary_values

if heddle.device == "cpu":
    pytest.skip("a build for CPUs", allow_module_level=True)

import cupy
import cupyx.scipy.sparse as csp
import cupyx.scipy.sparse.linalg as csl
from gpu_arrays import SCALARS, close, on_gpu, relative_residual, vectors

SOLVERS = {"cg": (heddle.cg, heddle.CgSolver, laplacian), "gmres": (heddle.gmres, heddle.GmresSolver, flow),
           "bicgstab": (heddle.bicgstab, heddle.BicgstabSolver, flow)}


@pytest.fixture(params=SOLVERS)
def system(request):
    """solve, its class, a matrix on the GPU and b."""
    solve, make, matrix = SOLVERS[request.param]
    return solve, make, on_gpu(matrix(40)), vectors(1600)


@pytest.mark.parametrize("M", ["none", "ic", "ilu", "gauss_seidel", "multigrid", "function"])
def test_solvers(M):
    A = on_gpu(laplacian(40))
    b = vectors(1600)
    matrix = heddle.Matrix(A)
    plan = heddle.SpmvPlan(matrix)
    diagonal = A.diagonal()
    M = {"none": lambda: None, "ic": lambda: heddle.IcPlan(matrix), "ilu": lambda: heddle.IluPlan(matrix),
         "gauss_seidel": lambda: heddle.GaussSeidelPlan(matrix), "multigrid": lambda: heddle.MultigridPlan(matrix),
         "function": lambda: lambda r: r / diagonal}[M]()
    for solve in (heddle.gmres, heddle.bicgstab, *((heddle.cg,) if not isinstance(M, heddle.IluPlan) else ())):
        result = solve(plan, b, M=M, rtol=1e-9, return_result=True)
        assert result.converged and isinstance(result.x, cupy.ndarray)
        residual = relative_residual(A, result.x, b)
        assert residual <= 1.1e-9
        assert result.relative_residual == pytest.approx(residual, rel=1e-3, abs=1e-13)


def test_singular_systems():
    A = on_gpu(without_boundary_values(30))
    b = A @ vectors(900)
    for solve in (heddle.cg, heddle.gmres, heddle.bicgstab):
        for nullspace in ("constant", cupy.ones(900)):
            result = solve(A, b, rtol=1e-9, nullspace=nullspace, return_result=True)
            assert result.converged and relative_residual(A, result.x, b) <= 1.1e-9
            assert solve(A, b + 1, nullspace=nullspace, return_result=True).outcome == "inconsistent"


def test_solvers_of_others():
    """CuPy's cg with our plans, and ours with CuPy's matrices and with a function."""
    A = on_gpu(laplacian(40))
    b = vectors(1600)
    tolerance = "rtol" if "rtol" in inspect.signature(csl.cg).parameters else "tol"
    x, info = csl.cg(heddle.SpmvPlan(A), b, M=heddle.IcPlan(A), **{tolerance: 1e-9})
    assert info == 0
    close(A @ x, b, 1e-6)
    for operator in (A, csl.aslinearoperator(A)):
        x, info = heddle.cg(operator, b, rtol=1e-9)
        assert info == 0
        close(A @ x, b, 1e-6)


def test_flow_by_gmres_and_callback():
    A, b, seen = on_gpu(flow(40)), vectors(1600), []
    x, info = heddle.gmres(A, b, rtol=1e-9, M=heddle.IluPlan(A), callback=lambda progress: seen.append(progress), check_every=1)
    assert info == 0 and seen[-1].residual <= 1e-9
    close(A @ x, b, 1e-6)
    seen.clear()
    x, info = heddle.gmres(A, b, rtol=1e-9, callback=lambda progress: progress.iterations < 5, check_every=1)
    assert info > 0


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_every_scalar(dtype):
    A, b = on_gpu(laplacian(40), dtype), vectors(1600, dtype)
    rtol = 1e-4 if np.finfo(dtype).bits == 32 else 1e-10
    for solve, *_ in SOLVERS.values():
        for M in (None, heddle.IcPlan(A), heddle.MultigridPlan(A)):
            x, info = solve(A, b, M=M, rtol=rtol)
            assert info == 0 and x.dtype == dtype and relative_residual(A, x, b) <= 1.1 * rtol


def test_a_result(system):
    solve, _, A, b = system
    result = solve(A, b, rtol=1e-9, return_result=True, history=True, check_every=1)
    assert result.outcome == "converged" and result.info == 0 and isinstance(result.history, np.ndarray)
    np.testing.assert_allclose(result.history[[0, -1]], [result.first_residual, result.residual])
    np.testing.assert_allclose([result.reference, result.first_residual], float(cupy.linalg.norm(b)))
    few = solve(A, b, rtol=1e-12, maxiter=2, return_result=True)
    assert few.outcome == "iteration_limit" and few.info > 0
    assert few.relative_residual == pytest.approx(relative_residual(A, few.x, b), rel=1e-6)


def test_guesses(system):
    solve, _, A, b = system
    known = vectors(1600, seed=8)
    guess = known.copy()
    assert solve(A, A @ known, guess, rtol=1e-8, return_result=True).iterations == 0
    close(guess, known, 1e-300)  # the guess is not written
    M = heddle.GaussSeidelPlan(A)
    first = solve(A, b, "Mb", M=M, return_result=True).first_residual
    assert first == pytest.approx(float(cupy.linalg.norm(b - A @ (M @ b))), rel=1e-9)
    x, info = solve(A, b[:, None], M=M, rtol=1e-9)
    assert info == 0 and x.shape == (1600,)


def test_solver_objects(system):
    solve, make, A, b = system
    solver, plan, M = make(rtol=1e-9), heddle.SpmvPlan(A), heddle.IluPlan(A)
    if make is heddle.CgSolver:
        M = heddle.IcPlan(A)
    first = solver.solve(plan, b, M=M)
    kept = solver.bytes
    assert kept > 0 and first.converged and relative_residual(A, first.x, b) <= 1.1e-9
    again = solver.solve(plan, b, M=M)
    assert solver.bytes == kept and bool((first.x == again.x).all())  # the same bits
    close(first.x, solve(plan, b, M=M, rtol=1e-9)[0], 1e-300)


def test_functions_of_python(system):
    """They are given CuPy's arrays, on the stream of the solve; errors come through."""
    solve, _, A, b = system
    stream, seen = cupy.cuda.Stream(non_blocking=True), []

    class Operator:
        shape, dtype = A.shape, A.dtype

        def matvec(self, x):
            seen.append((type(x), cupy.cuda.get_current_stream().ptr))
            return A @ x

    cupy.cuda.Device().synchronize()
    x, info = solve(Operator(), b, M=lambda r: r / 4, rtol=1e-9, stream=stream)
    stream.synchronize()
    assert info == 0 and relative_residual(A, x, b) <= 1.1e-9
    assert set(seen) == {(cupy.ndarray, stream.ptr)}
    for M, error, words in ((lambda r: 1 / 0, ZeroDivisionError, "division by zero"), (lambda r: r[:1], heddle.Error, "M gives the shape"),
                            (lambda r: r.get(), heddle.Error, "what M gives is in the CPU's memory"),
                            (lambda r: r * 1j, TypeError, "M gives complex128")):
        with pytest.raises(error, match=words):
            solve(A, b, M=M)
    with pytest.raises(ZeroDivisionError):
        solve(A, b, callback=lambda progress: 1 / 0)
    assert solve(A, b)[1] == 0  # and no lock is held


def test_triangles():
    T = (0.1 * sp.tril(random_matrix(300, 300), -1) + sp.diags_array(np.linspace(1, 2, 300))).tocsr()
    plan, b, B = heddle.SptrsvPlan(on_gpu(T), transpose=True), vectors(300), vectors((300, 4))
    solved = sla.spsolve_triangular(T, b.get())
    close(plan @ b, solved)
    close(plan.solve(B), sla.spsolve_triangular(T, B.get()))
    close(plan.T @ b, sla.spsolve_triangular(T.T.tocsr(), b.get(), lower=False))
    assert plan.solve(b, out=b) is b  # in place
    close(b, solved)
    with pytest.raises(heddle.Error, match="row 0"):
        heddle.SptrsvPlan(on_gpu(laplacian(30)))


def test_sweeps():
    host = laplacian(30)
    A, b = on_gpu(host), vectors(900)
    forward = sla.spsolve_triangular(sp.tril(host).tocsr(), b.get())
    both = sla.spsolve_triangular(sp.triu(host).tocsr(), host.diagonal() * forward, lower=False)
    close(heddle.GaussSeidelPlan(A, sweep="forward") @ b, forward)
    close(heddle.GaussSeidelPlan(A) @ b, both)
    with pytest.raises(heddle.Error, match="has no transpose"):
        heddle.GaussSeidelPlan(A).rmatvec(b)


def test_factors_of_a_band_are_exact():
    rng = np.random.default_rng(7)
    line = sp.diags_array([rng.random(99), 4 + rng.random(100), rng.random(99)], offsets=[-1, 0, 1]).tocsr()
    symmetric, b = (line + line.T).tocsr(), vectors(100)
    plan = heddle.IluPlan(on_gpu(line), transpose=True)
    close(plan @ b, sla.spsolve(line.tocsc(), b.get()))
    close(plan.T @ b, sla.spsolve(line.T.tocsc(), b.get()))
    for solve in (heddle.IcPlan(on_gpu(symmetric)), heddle.IcPlan(on_gpu(symmetric)).T):
        close(solve @ b, sla.spsolve(symmetric.tocsc(), b.get()))
    close(heddle.IluPlan(on_gpu(line), factor_values="single-precision") @ b, sla.spsolve(line.tocsc(), b.get()), 1e-5)


PLANS = {
    "gauss_seidel": heddle.GaussSeidelPlan,
    "multicolor": lambda A: heddle.GaussSeidelPlan(A, order="multicolor"),
    "ic": heddle.IcPlan,
    "ilu": heddle.IluPlan,
    "multigrid": heddle.MultigridPlan,
    "l1_jacobi": lambda A: heddle.MultigridPlan(A, cupy.ones(A.shape[0]), smoother="l1-jacobi"),
}


@pytest.mark.parametrize("name", PLANS)
def test_new_values(name):
    A, b = on_gpu(laplacian(40)), vectors(1600)
    plan = PLANS[name](A)
    before = plan @ b
    plan.update_values(2 * A)
    close(plan @ b, before / 2)
    assert plan.scheme and plan.setup_seconds > 0 and plan.bytes > 0
    x, info = heddle.cg(2 * A, b, M=plan if name != "ilu" else None, rtol=1e-9)
    assert info == 0 and relative_residual(2 * A, x, b) <= 1.1e-9


def test_a_bad_diagonal_is_an_error_with_its_row():
    A = on_gpu(laplacian(30))
    plan, bad = heddle.GaussSeidelPlan(A), A.get()
    bad.setdiag(np.where(np.arange(900) == 7, 0, bad.diagonal()))
    with pytest.raises(heddle.Error, match="row 7"):
        plan.update_values(csp.csr_matrix(bad))


def exact(n, count):
    """The smallest eigenvalues of laplacian(n)."""
    line = 2.01 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    return np.sort(np.add.outer(line, line).ravel())[:count]


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_lobpcg(dtype):
    A, X = on_gpu(laplacian(40), dtype), vectors((1600, 4), dtype)
    guess = X.copy()
    digits = 1e-4 if np.finfo(dtype).bits == 32 else 1e-9
    for operator in (A, heddle.SpmvPlan(A), csl.aslinearoperator(A)):
        for M in (heddle.MultigridPlan(A), None):
            result = heddle.lobpcg(operator, X, M=M, largest=False, return_result=True)
            assert result.converged and isinstance(result.values, cupy.ndarray)
            np.testing.assert_allclose(result.values.get(), exact(40, 4), rtol=digits)
            gaps = cupy.linalg.norm(A @ result.vectors - result.vectors * result.values, axis=0)
            assert float(gaps.max()) <= 1.2 * (1e-5 if np.finfo(dtype).bits == 32 else 1e-8) * result.scale
            close(result.vectors.conj().T @ result.vectors, cupy.eye(4, dtype=dtype), 10 * digits)
    assert bool((X == guess).all())


def test_lobpcg_with_a_mass_matrix_and_constraints():
    n = 900
    density = 1 + 0.5 * np.sin(np.arange(n))
    B = on_gpu(sp.diags_array([np.ones(n - 1) / 6, density, np.ones(n - 1) / 6], offsets=[-1, 0, 1]).tocsr())
    A, X, seen = on_gpu(laplacian(30)), vectors((n, 4)), []
    M = heddle.IcPlan(A)
    values, modes = heddle.lobpcg(A, X, B, M=M, largest=False)
    close(modes.T @ (B @ modes), cupy.eye(4))
    close(A @ modes, (B @ modes) * values, 1e-5)
    for Y in (modes[:, :2], cupy.ascontiguousarray(modes[:, :2])):
        rest, others = heddle.lobpcg(A, X[:, :2], heddle.SpmvPlan(B), M=M, Y=Y, largest=False, callback=seen.append)
        close(rest, values[2:], 1e-7)
        assert float(abs(modes[:, :2].T @ (B @ others)).max()) < 1e-9
    assert seen and seen[-1].residual < seen[0].residual


def test_solves_on_streams():
    A, b = on_gpu(laplacian(40)), vectors(1600)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    for M in (None, heddle.IcPlan(A, stream=stream), lambda r: r / 4):
        x, info = heddle.cg(A, b, M=M, rtol=1e-9, stream=stream)
        assert info == 0
        stream.synchronize()
        close(A @ x, b, 1e-6)
    solver = heddle.CgSolver(rtol=1e-9, stream=stream)
    plan = heddle.SpmvPlan(A)
    for _ in range(3):
        assert solver.solve(plan, b).converged
