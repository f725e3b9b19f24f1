# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triangular solves, sweeps, factors and multigrid beside scipy and dense definitions, and as M in scipy's solvers."""
import heddle
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import flow, laplacian, random_matrix


def triangle(n, lower):
    A = random_matrix(n, n)
    part = sp.tril(A, -1) if lower else sp.triu(A, 1)
    return (0.1 * part + sp.diags_array(np.linspace(1, 2, n))).tocsr()


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_solves(lower, unit, rng):
    T = triangle(300, lower)
    plan = heddle.SptrsvPlan(T, triangle="lower" if lower else "upper", diagonal="unit" if unit else "stored")
    b, B = rng.random(300), rng.random((300, 4))
    solved = sla.spsolve_triangular(T, b, lower=lower, unit_diagonal=unit)
    np.testing.assert_allclose(plan @ b, solved, rtol=1e-9)
    np.testing.assert_allclose(plan.solve(B), sla.spsolve_triangular(T, B, lower=lower, unit_diagonal=unit), rtol=1e-9)
    transposed = sla.spsolve_triangular(T.T.tocsr(), b, lower=not lower, unit_diagonal=unit)
    np.testing.assert_allclose(plan.T @ b, transposed, rtol=1e-9)
    plan.solve(b, out=b)  # in place
    np.testing.assert_allclose(b, solved, rtol=1e-9)


def test_triangles_of_a_whole_matrix(A, rng):
    b = rng.random(A.shape[0])
    with pytest.raises(heddle.Error, match="row 0"):
        heddle.SptrsvPlan(A)
    plan = heddle.SptrsvPlan(A, ignore_outside=True)
    np.testing.assert_allclose(plan @ b, sla.spsolve_triangular(sp.tril(A).tocsr(), b), rtol=1e-10)


def test_gauss_seidel(A, rng):
    b = rng.random(A.shape[0])
    lower, upper, diagonal = sp.tril(A).tocsr(), sp.triu(A).tocsr(), A.diagonal()
    forward = sla.spsolve_triangular(lower, b)
    np.testing.assert_allclose(heddle.GaussSeidelPlan(A, sweep="forward") @ b, forward, rtol=1e-10)
    np.testing.assert_allclose(heddle.GaussSeidelPlan(A) @ b,
                               sla.spsolve_triangular(upper, diagonal * forward, lower=False), rtol=1e-10)
    assert heddle.GaussSeidelPlan(A, order="multicolor").solve(b).shape == b.shape
    with pytest.raises(heddle.Error, match="sweep is 'sideways'; give 'forward', 'backward' or 'symmetric'"):
        heddle.GaussSeidelPlan(A, sweep="sideways")
    with pytest.raises(heddle.Error, match="order is 'none'"):
        heddle.GaussSeidelPlan(A, order="none")
    with pytest.raises(heddle.Error, match="has no transpose"):
        heddle.GaussSeidelPlan(A).rmatvec(b)


def test_factors_of_a_band_are_exact(rng):
    line = sp.diags_array([rng.random(99), 4 + rng.random(100), rng.random(99)], offsets=[-1, 0, 1]).tocsr()
    b = rng.random(100)
    plan = heddle.IluPlan(line, transpose=True)
    np.testing.assert_allclose(plan @ b, sla.spsolve(line.tocsc(), b), rtol=1e-10)
    np.testing.assert_allclose(plan.T @ b, sla.spsolve(line.T.tocsc(), b), rtol=1e-10)
    symmetric = (line + line.T).tocsr()
    np.testing.assert_allclose(heddle.IcPlan(symmetric) @ b, sla.spsolve(symmetric.tocsc(), b), rtol=1e-10)
    np.testing.assert_allclose(heddle.IcPlan(symmetric).T @ b, sla.spsolve(symmetric.tocsc(), b), rtol=1e-10)
    single = heddle.IluPlan(line, factor_values="single-precision") @ b
    np.testing.assert_allclose(single, sla.spsolve(line.tocsc(), b), rtol=1e-5)


def test_new_values(A, rng):
    b = rng.random(A.shape[0])
    other = (2 * A).tocsr()
    for make in (heddle.GaussSeidelPlan, heddle.IluPlan, heddle.IcPlan, heddle.MultigridPlan):
        plan = make(A)
        before = plan @ b
        plan.update_values(other)
        np.testing.assert_allclose(plan @ b, before / 2, rtol=1e-10)
    bad = A.copy()
    bad.setdiag(np.where(np.arange(A.shape[0]) == 7, 0, A.diagonal()))
    for make in (heddle.GaussSeidelPlan,):
        plan = make(A)
        with pytest.raises(heddle.Error, match="row 7"):
            plan.update_values(bad)


PLANS = {
    "gauss_seidel": heddle.GaussSeidelPlan,
    "multicolor": lambda A: heddle.GaussSeidelPlan(A, order="multicolor"),
    "ic": heddle.IcPlan,
    "ic1": lambda A: heddle.IcPlan(A, fill_level=1),
    "ilu": heddle.IluPlan,
    "multigrid": heddle.MultigridPlan,
    "l1_jacobi": lambda A: heddle.MultigridPlan(A, np.ones(A.shape[0]), smoother="l1-jacobi"),
    "block_chebyshev": lambda A: heddle.MultigridPlan(A, block_size=2, smoother="block-chebyshev"),
}


def count(solver, A, b, M):
    steps = []
    x, info = solver(A, b, M=M, rtol=1e-8, callback=lambda _: steps.append(1))
    assert info == 0
    np.testing.assert_allclose(A @ x, b, atol=1e-7 * np.linalg.norm(b))
    return len(steps)


@pytest.mark.parametrize("name", PLANS)
def test_as_M_of_scipys_cg(name, rng):
    A = laplacian(40)
    b = rng.random(A.shape[0])
    assert count(sla.cg, A, b, PLANS[name](A)) < 0.6 * count(sla.cg, A, b, None)


@pytest.mark.parametrize("solver", [sla.gmres, sla.bicgstab, sla.lgmres])
def test_as_M_of_scipys_other_solvers(solver, rng):
    A = flow(40)
    b = rng.random(A.shape[0])
    for M in (heddle.IluPlan(A), heddle.GaussSeidelPlan(A, sweep="forward"),
              heddle.SptrsvPlan(A, ignore_outside=True)):
        x, info = solver(A, b, M=M, rtol=1e-8)
        assert info == 0
        np.testing.assert_allclose(A @ x, b, atol=1e-6 * np.linalg.norm(b))


def test_with_a_transpose_in_scipys_bicg(rng):
    A = flow(30)
    b = rng.random(A.shape[0])
    x, info = sla.bicg(heddle.SpmvPlan(A), b, M=heddle.IluPlan(A, transpose=True), rtol=1e-8)
    assert info == 0
    np.testing.assert_allclose(A @ x, b, atol=1e-6 * np.linalg.norm(b))


def test_unknowns_of_different_units(A, rng):
    D = sp.diags_array(10 ** rng.uniform(-3, 3, A.shape[0]))
    scaled = sp.csr_array(D @ A @ D)
    b = scaled @ rng.random(A.shape[0])
    chosen, none = (heddle.MultigridPlan(scaled, coarsest_rows=10, **options) for options in ({}, {"improve_candidates": 0}))
    assert "relaxed by 4 sweeps" in chosen.scheme and "relaxed" not in none.scheme
    steps = [heddle.cg(scaled, b, M=M, return_result=True).iterations for M in (chosen, none)]
    assert steps[0] < 20 and 2 * steps[0] < steps[1]


def test_what_bounds_multigrid(A):
    usual, bounded = (heddle.MultigridPlan(A, coarsest_rows=10, max_operator_complexity=most) for most in (5, 1))
    assert len(usual.scheme.splitlines()) > len(bounded.scheme.splitlines())
    nearly = A.copy()
    nearly.data[1] *= 1 + 1e-9
    b = np.ones(A.shape[0])
    assert heddle.cg(A, b, M=heddle.MultigridPlan(nearly))[1] == 0
    with pytest.raises(heddle.Error, match="symmetric"):
        heddle.cg(A, b, M=heddle.MultigridPlan(nearly, symmetry_tolerance=1e-14))


def test_kinds_and_cycles_of_multigrid(A):
    b = np.ones(A.shape[0])
    for kind in ("smoothed-aggregation", "plain-aggregation"):
        for cycle in ("v", "w", "k"):
            M = heddle.MultigridPlan(A, kind=kind, cycle=cycle, coarsest_rows=10)
            assert f"{kind}, {cycle} cycle" in M.scheme
            x, info = heddle.cg(A, b, M=M)
            assert info == 0
            assert np.linalg.norm(b - A @ x) <= 1.01e-5 * np.linalg.norm(b)
    with pytest.raises(heddle.Error, match="differs from one apply to the next"):
        heddle.minres(A, b, M=heddle.MultigridPlan(A, kind="plain-aggregation", cycle="k", coarsest_rows=10))
    assert "plain-aggregation" in heddle.MultigridPlan(A, expected_solves=1, block_size=2, coarsest_rows=10).scheme
    with pytest.raises(heddle.Error, match="cycle is 'x'"):
        heddle.MultigridPlan(A, cycle="x")
    with pytest.raises(heddle.Error, match="kind is 'x'"):
        heddle.MultigridPlan(A, kind="x")


def test_what_plans_say(A):
    for make in (heddle.GaussSeidelPlan, heddle.IluPlan, heddle.IcPlan, heddle.MultigridPlan):
        plan = make(A)
        assert plan.scheme and plan.setup_seconds > 0 and plan.bytes > 0
        assert plan.shape == A.shape
        assert repr(plan).startswith(f"<heddle.{make.__name__} of 900 x 900, {A.nnz} entries of float64: ")
        assert plan.scheme.splitlines()[0] in repr(plan)
    assert "fill_level=1, pivot_floor=0.5: " in repr(heddle.IluPlan(A, fill_level=1, pivot_floor=0.5))
    assert "level 0: 900 rows" in heddle.MultigridPlan(A).scheme
    with pytest.raises(heddle.Error, match="smoother is 'sandpaper'"):
        heddle.MultigridPlan(A, smoother="sandpaper")
