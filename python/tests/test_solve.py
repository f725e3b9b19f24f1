# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solves whose method is chosen, judged by scipy's products."""
import heddle
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import flow, laplacian, without_boundary_values


def residual(A, b, x):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


def indefinite(n):
    return (laplacian(n) - sp.eye_array(n * n)).tocsr()


def check(A, b, x, report, rtol=1e-8):
    found = residual(A, b, x)
    assert report.converged and report.outcome == report.message == "converged", str(report)
    assert found <= 1.0001 * rtol
    assert abs(report.relative_residual - found) <= 1e-3 * found + 1e-14
    assert report.iterations == sum(one.iterations for one in report.attempts)


@pytest.mark.parametrize("make", [laplacian, flow, indefinite])
@pytest.mark.parametrize("n", [4, 30])
def test_solves(make, n, rng):
    A = make(n)
    b = rng.random(A.shape[0])
    x, report = heddle.solve(A, b)
    check(A, b, x, report)
    np.testing.assert_allclose(x, sla.spsolve(A.tocsc(), b), rtol=1e-4, atol=1e-6 * abs(x).max())
    pairs = [one.name for one in report.considered]
    assert report.attempts[-1].pair in pairs and len(set(pairs)) == len(pairs) > 1
    assert (report.attempts[-1].pair.startswith("cg/")) == (make is laplacian)
    assert f"{A.shape[0]} rows" in report.matrix and report.attempts[-1].pair in str(report)
    x, report = heddle.solve(heddle.Matrix(A), b[:, None], rtol=1e-4, expected_solves=3)
    check(A, b, x, report, 1e-4)


def test_a_solver(rng):
    A = laplacian(40)
    solver = heddle.Solver(A, rtol=1e-10, expected_solves=5)
    assert "Solver of 1600 unknowns" in repr(solver) and "expected_solves=5" in repr(solver)
    assert solver.report.outcome == "running" and len(solver.report.considered) > 1 and not solver.report.attempts
    for _ in range(2):
        b = rng.random(1600)
        x, report = solver.solve(b)
        check(A, b, x, report, 1e-10)
    again, report = solver.solve(b, x0=x)
    assert report.iterations == 0 and residual(A, b, again) <= 1e-10
    assert solver.bytes > 0
    A.data *= 3
    solver.update_values()
    x, report = solver.solve(b)
    check(A, b, x, report, 1e-10)
    with pytest.raises(heddle.Error, match="another pattern"):
        solver.update_values(laplacian(39))


def test_a_preconditioner_is_kept(A, rng):
    solver = heddle.Solver(A, pair="cg/incomplete")
    for kept in False, True:
        b = rng.random(900)
        x, report = solver.solve(b)
        check(A, b, x, report)
        assert [(one.name, one.setup_seconds == 0) for one in report.considered] == [("cg/incomplete", kept)]


def test_options(A, rng):
    b = rng.random(900)
    x, report = heddle.solve(A, b, pair="gmres/incomplete")
    check(A, b, x, report)
    assert [one.pair for one in report.attempts] == ["gmres/incomplete"]
    x, report = heddle.solve(A, b, maxiter=3)
    assert report.outcome == "iteration_limit" and not report.converged and 0 < report.iterations <= 3
    assert any("maxiter" in line for line in report.advice), report.advice
    assert "options." not in str(report)
    singular = without_boundary_values(20)
    ones = np.ones(400)
    b = rng.random(400)
    b -= b.mean()
    for nullspace in (None, "constant", ones):
        x, report = heddle.solve(singular, b, nullspace=nullspace)
        check(singular, b, x, report)
    x, report = heddle.solve(singular, ones)
    assert report.outcome == "inconsistent"


@pytest.mark.parametrize("error, name, call", [
    (heddle.Error, "pair is 'qmr/none'|method of pair", lambda A, b: heddle.solve(A, b, pair="qmr/none")),
    (heddle.Error, "pair is 'gmres/direct'; give another", lambda A, b: heddle.solve(A, b, pair="gmres/direct")),
    (TypeError, "unexpected keyword argument 'M'; give one of: max_seconds", lambda A, b: heddle.solve(A, b, M=A)),
    (heddle.Error, "rtol is -1", lambda A, b: heddle.solve(A, b, rtol=-1)),
    (heddle.Error, "b has the shape", lambda A, b: heddle.solve(A, b[1:])),
    (heddle.Error, "x0 has the shape", lambda A, b: heddle.solve(A, b, b[1:])),
    (heddle.Error, "A has the shape", lambda A, b: heddle.solve(A[1:], b)),
    (heddle.Error, "near_nullspace has the shape", lambda A, b: heddle.solve(A, b, near_nullspace=b[1:])),
    (heddle.Error, "expected_solves is 0", lambda A, b: heddle.solve(A, b, expected_solves=0)),
    (TypeError, "positive_definite is 'yes'", lambda A, b: heddle.solve(A, b, positive_definite="yes")),
    (TypeError, "no sparse matrix", lambda A, b: heddle.solve(heddle.SpmvPlan(A), b)),
])
def test_what_is_wrong(A, error, name, call):
    with pytest.raises(error, match=name):
        call(A, np.ones(900))


def test_callbacks(A):
    b, seen = np.ones(900), []
    _, report = heddle.solve(A, b, pair="cg/jacobi", callback=seen.append)
    assert [one.iterations for one in seen] == sorted({one.iterations for one in seen}) and seen[-1].residual < 1e-7
    x, report = heddle.solve(A, b, pair="cg/jacobi", callback=lambda progress: False)
    assert report.outcome == "stopped_by_user"

    def throws(progress):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        heddle.solve(A, b, callback=throws)
    solver = heddle.Solver(A, pair="cg/jacobi")
    with pytest.raises(heddle.Error, match="another solve"):
        solver.solve(b, callback=lambda progress: solver.solve(b))
    check(A, b, *solver.solve(b))


def test_rigid_body_motions(rng):
    for d, count in (2, 3), (3, 6):
        nodes = rng.random((20, d))
        motions = heddle.rigid_body_motions(nodes)
        assert motions.shape == (20 * d, count) and np.linalg.matrix_rank(motions) == count
        # No distance between two nodes changes to first order.
        moved = motions.reshape(20, d, count)
        between, apart = nodes[:, None] - nodes[None], moved[:, None] - moved[None]
        np.testing.assert_allclose(np.einsum("ijk,ijkc->ijc", between, apart), 0, atol=1e-12)
    with pytest.raises(heddle.Error, match="coordinates has the shape"):
        heddle.rigid_body_motions(np.ones((3, 4)))


def test_a_picture(A):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    _, report = heddle.solve(A, np.ones(900))
    axes = report.plot()
    lines = [line for line in axes.lines if line.get_label() in {one.pair for one in report.attempts}]
    assert len(lines) == len(report.attempts)
    drawn = np.concatenate([np.column_stack(line.get_data()) for line in lines])
    np.testing.assert_allclose(drawn, report.history)
    pyplot.close(axes.figure)
