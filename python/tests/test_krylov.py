# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cg, gmres, bicgstab and minres beside scipy's."""
import heddle
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import flow, laplacian, without_boundary_values
from heddle._types import scalars

SOLVERS = {"cg": (heddle.cg, sla.cg, laplacian), "gmres": (heddle.gmres, sla.gmres, flow),
           "bicgstab": (heddle.bicgstab, sla.bicgstab, flow), "minres": (heddle.minres, sla.minres, laplacian)}


@pytest.fixture(params=SOLVERS)
def system(request, rng):
    mine, theirs, make = SOLVERS[request.param]
    A = make(30)
    return mine, theirs, A, rng.random(A.shape[0])


def check(A, b, x, rtol):
    assert x.shape == (A.shape[0],)
    assert np.linalg.norm(b - A @ x) <= 1.001 * rtol * np.linalg.norm(b)


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-10])
def test_solves_as_scipy_does(system, rtol):
    mine, theirs, A, b = system
    x, info = mine(A, b, rtol=rtol)
    assert info == 0
    check(A, b, x, rtol)
    if rtol == 1e-10:
        np.testing.assert_allclose(x, theirs(A, b, rtol=rtol)[0], rtol=1e-6)


def test_forms_of_A_M_and_b(system):
    mine, _, A, b = system
    inverse = sp.diags_array(1 / A.diagonal())
    for one in (heddle.Matrix(A), heddle.SpmvPlan(A), heddle.SpmvPlan(A.T.tocsr()).T, sla.aslinearoperator(A), A.toarray()):
        for M in (None, inverse.tocsr(), sla.aslinearoperator(inverse), heddle.GaussSeidelPlan(A), lambda r: r / 4):
            x, info = mine(one, b, M=M, rtol=1e-8)
            assert info == 0
            check(A, b, x, 1e-8)
    check(A, b, mine(A, b[:, None], rtol=1e-8)[0], 1e-8)
    check(A, b, mine(A, list(b), rtol=1e-8)[0], 1e-8)
    check(A, b, mine(A, np.repeat(b, 2)[::2], rtol=1e-8)[0], 1e-8)


def test_guess(system):
    mine, _, A, b = system
    solution = sla.spsolve(A.tocsc(), b)
    guess = solution.copy()
    result = mine(A, b, guess, rtol=1e-8, return_result=True)
    assert result.iterations == 0 and result.converged
    np.testing.assert_array_equal(guess, solution)  # the guess is not written
    x, info = mine(A, b, np.ones(A.shape[0]), rtol=1e-8)
    assert info == 0
    check(A, b, x, 1e-8)


def test_absolute_tolerance(system):
    mine, _, A, b = system
    x, info = mine(A, b, rtol=0, atol=0.1)
    assert info == 0 and np.linalg.norm(b - A @ x) <= 0.1


def test_zero_right_hand_side(system):
    mine, _, A, b = system
    x, info = mine(A, 0 * b, x0=b)
    assert info == 0 and not x.any()


def test_result(system):
    mine, _, A, b = system
    result = mine(A, b, rtol=1e-9, return_result=True, history=True, check_every=1)
    assert result.outcome == "converged" and result.message == "converged" and result.converged and result.info == 0
    np.testing.assert_allclose(result.residual, np.linalg.norm(b - A @ result.x), rtol=1e-3)
    np.testing.assert_allclose([result.reference, result.first_residual], np.linalg.norm(b))
    assert result.relative_residual <= 1e-9 and result.recording_failed is False
    assert len(result.history) >= 5
    np.testing.assert_allclose([result.history[0], result.history[-1]], [result.first_residual, result.residual])


def test_too_few_iterations(system):
    mine, _, A, b = system
    x, info = mine(A, b, rtol=1e-12, maxiter=2)
    assert info > 0 and np.isfinite(x).all()
    result = mine(A, b, rtol=1e-12, maxiter=2, return_result=True)
    assert result.outcome == "iteration_limit" and result.message == "reached the iteration limit" and not result.converged


def test_units_of_maxiter(rng):
    A = flow(30)
    b = rng.random(A.shape[0])
    assert heddle.bicgstab(A, b, rtol=1e-14, maxiter=3, return_result=True).iterations == 6
    assert heddle.gmres(A, b, rtol=1e-14, maxiter=3, restart=4, return_result=True).iterations == 12
    assert heddle.bicgstab(A, b, rtol=1e-14, maxiter=3)[1] == 3  # info, as in scipy
    assert heddle.gmres(A, b, rtol=1e-14, maxiter=3, restart=4)[1] == 3


def test_gmres_restarts_where_scipy_does(rng):
    A = flow(30)
    b = rng.random(A.shape[0])
    for restart in (None, 5, 50):
        norms = []
        sla.gmres(A, b, rtol=1e-6, restart=restart, callback=norms.append, callback_type="pr_norm")
        assert abs(heddle.gmres(A, b, rtol=1e-6, restart=restart, return_result=True).iterations - len(norms)) <= 1


def test_cg_takes_as_many_iterations_as_scipys(rng):
    A = laplacian(40)
    b = rng.random(A.shape[0])
    for M in (None, heddle.IcPlan(A)):
        steps = []
        sla.cg(A, b, rtol=1e-8, M=M, callback=steps.append)
        result = heddle.cg(A, b, rtol=1e-8, M=M, return_result=True)
        assert abs(result.iterations - len(steps)) <= 1
        assert result.scheme.startswith("cg/")


def test_callback(system):
    mine, _, A, b = system
    seen = []
    mine(A, b, rtol=1e-8, callback=lambda progress: seen.append(progress), check_every=1)
    assert all(isinstance(one, heddle.Progress) for one in seen) and len(seen) > 5
    assert seen[0].iterations == 0 and seen[-1].residual <= 1e-8
    for no in (False, np.False_):
        result = mine(A, b, rtol=1e-8, callback=lambda progress: no if progress.iterations >= 4 else None, check_every=2,
                      return_result=True)
        assert result.outcome == "stopped_by_user" and result.info > 0 and result.iterations < 10
    with pytest.raises(ZeroDivisionError):
        mine(A, b, callback=lambda progress: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mine(A, b, callback=lambda xk: 1 / 0)
    check(A, b, mine(A, b, rtol=1e-8)[0], 1e-8)  # and no lock is held


@pytest.mark.parametrize("name", ["cg", "bicgstab"])
@pytest.mark.parametrize("check_every", [None, 1, 7])
def test_scipys_callback(name, check_every, rng):
    """xk, after each iteration: as often as scipy calls it, and each time the solution so far."""
    mine, theirs, make = SOLVERS[name]
    A = make(12)
    b, x0 = rng.random(144), rng.random(144)
    mine_seen, their_seen = [], []
    options = dict(rtol=1e-9, x0=x0)
    x, info = mine(A, b, callback=mine_seen.append, check_every=check_every, **options)
    theirs(A, b, callback=lambda xk: their_seen.append(xk.copy()), **options)
    np.testing.assert_array_equal(mine_seen[-1], x)
    if check_every != 7:
        assert abs(len(mine_seen) - len(their_seen)) <= 1
        for one, other in list(zip(mine_seen, their_seen))[:5]:
            np.testing.assert_allclose(one, other, rtol=1e-6)
    assert mine_seen[0] is not mine_seen[1] and len(mine_seen) > 2


def test_gmres_callback_type(rng):
    A, b = flow(20), rng.random(400)
    for kind in (None, "pr_norm"):
        mine, theirs = [], []
        result = heddle.gmres(A, b, rtol=1e-8, callback=mine.append, callback_type=kind, return_result=True)
        sla.gmres(A, b, rtol=1e-8, callback=theirs.append, callback_type="pr_norm")
        assert len(mine) == result.iterations and all(isinstance(one, np.float64) for one in mine)
        np.testing.assert_allclose(mine[:9], theirs[:9], rtol=1e-6)
    mine, theirs = [], []
    x, info = heddle.gmres(A, b, rtol=1e-8, restart=8, callback=mine.append, callback_type="x")
    sla.gmres(A, b, rtol=1e-8, restart=8, callback=lambda xk: theirs.append(xk.copy()), callback_type="x")
    assert info == 0 and abs(len(mine) - len(theirs)) <= 1
    np.testing.assert_allclose(mine[:2], theirs[:2], rtol=1e-6)
    np.testing.assert_array_equal(mine[-1], x)
    check(A, b, x, 1e-8)
    assert heddle.gmres(A, b, rtol=1e-12, restart=8, maxiter=3, callback=mine.append, callback_type="x")[1] == 3
    with pytest.raises(heddle.Error, match="callback_type is 'y'; give 'pr_norm'"):
        heddle.gmres(A, b, callback=mine.append, callback_type="y")


def test_errors_of_operators_come_through(system):
    mine, _, A, b = system

    class Broken:
        shape = A.shape

        def matvec(self, x):
            raise RuntimeError("no product today")

    with pytest.raises(RuntimeError, match="no product today"):
        mine(Broken(), b)
    with pytest.raises(RuntimeError, match="no product today"):
        mine(A, b, M=Broken())
    with pytest.raises(TypeError, match="M gives complex128"):
        mine(A, b, M=lambda r: r * 1j)
    with pytest.raises(heddle.Error, match=r"M gives the shape \(1,\)"):
        mine(A, b, M=lambda r: r[:1])


def test_functions_may_keep_and_change_what_they_are_given(system):
    mine, _, A, b = system
    kept = []

    def M(r):
        kept.append(r)
        copy = r.copy()
        r *= 0  # a copy of the solver's vector
        return copy / 4

    x, info = mine(A, b, M=M, rtol=1e-8)
    assert info == 0 and kept
    check(A, b, x, 1e-8)


def test_wrong_arguments(system):
    mine, _, A, b = system
    for error, words, call in [
            (heddle.Error, r"b has the shape \(899,\); give \(900,\)", lambda: mine(A, b[1:])),
            (heddle.Error, "solve one system after the other", lambda: mine(A, np.ones((900, 2)))),
            (TypeError, "b holds complex128", lambda: mine(A, b * 1j)),
            (heddle.Error, "x0 has the shape", lambda: mine(A, b, x0=b[1:])),
            (heddle.Error, r"M has the shape \(3, 3\)", lambda: mine(A, b, M=sp.eye_array(3))),
            (heddle.Error, r"A has the shape \(900, 899\); give a square one", lambda: mine(A[:, 1:], b)),
            (TypeError, "M is a int; give a matrix, a plan", lambda: mine(A, b, M=3)),
            (TypeError, "A has no shape", lambda: mine(lambda x: x, b)),
            (heddle.Error, "check_every is 0", lambda: mine(A, b, check_every=0)),
            (heddle.Error, "nullspace is 'ones'; give 'constant'", lambda: mine(A, b, nullspace="ones")),
            (heddle.Error, r"nullspace has the shape \(3, 1\); give \(900,", lambda: mine(A, b, nullspace=np.ones((3, 1)))),
            (TypeError, "nullspace holds complex128", lambda: mine(A, b, nullspace=1j * b)),
            (TypeError, "unexpected keyword argument 'tol'; give one of: ", lambda: mine(A, b, tol=1e-5))]:
        with pytest.raises(error, match=words):
            call()


def test_cg_refuses_what_is_not_symmetric(A):
    b = np.ones(A.shape[0])
    with pytest.raises(heddle.Error, match="conjugate gradients need"):
        heddle.cg(A, b, M=heddle.GaussSeidelPlan(A, sweep="forward"))
    result = heddle.cg((-1 * A).tocsr(), b, return_result=True)
    assert result.outcome == "indefinite" and result.info < 0


@pytest.mark.parametrize("method", SOLVERS)
def test_singular_systems(method, rng):
    """Of one part, and of two that know nothing of each other, with a constant each."""
    solve, A = SOLVERS[method][0], without_boundary_values(12)
    two = sp.block_diag((A, 2 * A), format="csr")
    each = np.repeat(np.eye(2), 144, axis=0)
    for matrix, nullspace, vectors in ((A, "constant", np.ones((144, 1))), (A, np.ones(144), np.ones((144, 1))),
                                       (two, each, each), (two, each[:, ::-1], each)):
        b = matrix @ rng.random(matrix.shape[0])
        for M in (None, heddle.GaussSeidelPlan(matrix), lambda r: r / 4):
            x, info = solve(matrix, b, M=M, rtol=1e-9, nullspace=nullspace)
            assert info == 0
            check(matrix, b, x, 1e-9)
            np.testing.assert_allclose(vectors.T @ x, 0, atol=1e-9)
        result = solve(matrix, b + vectors[:, 0], rtol=1e-9, nullspace=nullspace, return_result=True)
        assert result.outcome == "inconsistent" and result.info > 0 and "least-squares" in result.message
        np.testing.assert_allclose(matrix @ result.x, b, atol=1e-8)


def test_a_solver_keeps_its_nullspace(rng):
    A, ones = without_boundary_values(12), np.ones(144)
    solver = heddle.CgSolver(rtol=1e-9, nullspace=ones)
    ones[:] = rng.random(144)
    b = A @ rng.random(144)
    check(A, b, solver.solve(A, b).x, 1e-9)
    check(A, b, solver.solve(A, b, np.ones(144)).x, 1e-9)
    assert "nullspace=(144,)" in repr(solver) and "nullspace='constant'" in repr(heddle.CgSolver(nullspace="constant"))
    assert "nullspace" not in repr(heddle.CgSolver())


def test_small_systems(rng):
    for n in (0, 1, 2):
        A = laplacian(n) if n else sp.csr_array((0, 0))
        b = rng.random(n * n)
        for solver, _, _ in SOLVERS.values():
            x, info = solver(A, b, rtol=1e-10)
            assert info == 0
            np.testing.assert_allclose(A @ x, b, atol=1e-9)


def test_solver_objects_keep_their_memory():
    A, small = laplacian(30), laplacian(10)
    plan, M = heddle.SpmvPlan(A), heddle.IcPlan(A)
    b = np.random.default_rng(5).random(A.shape[0])
    for make, function in ((heddle.CgSolver, heddle.cg), (heddle.GmresSolver, heddle.gmres),
                           (heddle.BicgstabSolver, heddle.bicgstab), (heddle.MinresSolver, heddle.minres)):
        solver = make(rtol=1e-9, history=True)
        assert solver.bytes == 0
        first = solver.solve(plan, b, M=M)
        kept = solver.bytes
        assert kept > 0 and first.converged and len(first.history) > 1
        np.testing.assert_array_equal(first.x, function(plan, b, M=M, rtol=1e-9)[0])
        seen = []
        again = solver.solve(plan, b, M=M, callback=lambda progress: seen.append(progress))
        np.testing.assert_array_equal(first.x, again.x)
        assert solver.bytes == kept and seen[-1].iterations == again.iterations
        assert solver.solve(plan, b, again.x).iterations == 0
        assert solver.solve(small, np.ones(100)).converged and solver.bytes < kept


def test_a_solver_in_the_midst_of_a_solve():
    A = laplacian(10)
    solver = heddle.CgSolver(check_every=1)
    with pytest.raises(heddle.Error, match="runs another solve; make another"):
        solver.solve(A, np.ones(100), callback=lambda xk: solver.solve(A, np.ones(100)))
    assert solver.solve(A, np.ones(100)).converged


def test_the_guess_that_M_gives(system):
    mine, _, A, b = system
    M = heddle.GaussSeidelPlan(A)
    for one in (M, sla.aslinearoperator(M), M.matvec):
        result = mine(A, b, "Mb", M=one, return_result=True)
        np.testing.assert_array_equal(result.x, mine(A, b, M @ b, M=M)[0])
        np.testing.assert_allclose(result.first_residual, np.linalg.norm(b - A @ (M @ b)))
    np.testing.assert_array_equal(mine(A, b, "Mb")[0], mine(A, b, b)[0])
    with pytest.raises(heddle.Error, match="or 'Mb' for M times b"):
        mine(A, b, "Nb")


@pytest.mark.parametrize("name", ["rtol", "atol"])
@pytest.mark.parametrize("value", [None, "legacy", -1.0, float("nan"), [1e-5]])
def test_tolerances_that_are_none(system, name, value):
    mine, _, A, b = system
    with pytest.raises(heddle.Error, match=f"{name} is .*; give a number, 0 or more"):
        mine(A, b, **{name: value})


def test_functions_are_called_no_oftener_than_needed(system):
    mine, _, A, b = system
    calls = []
    inverse = sla.splu(A.tocsc())

    def M(r):
        calls.append(1)
        return inverse.solve(r)

    result = mine(A, b, M=M, return_result=True)
    assert result.converged and len(calls) <= result.iterations + 1


def test_minres_of_indefinite_and_singular_systems(rng):
    A = laplacian(12)
    A = (A - 0.3 * A.diagonal().mean() * sp.eye_array(A.shape[0])).tocsr()
    b = rng.random(A.shape[0])
    x, info = heddle.minres(A, b, rtol=1e-8)
    assert info == 0
    check(A, b, x, 1e-8)
    singular = sp.diags_array([0.0, 1.0, -2.0]).tocsr()
    result = heddle.minres(singular, [1.0, 1.0, 1.0], return_result=True)
    assert result.outcome == "inconsistent" and result.info > 0
    np.testing.assert_allclose(result.x[1:], [1, -0.5])
    assert "'inconsistent'" in heddle.minres.__doc__.partition("Parameters")[0]  # not in the text on `callback`


def test_gmres_with_a_basis_in_float(rng):
    A = laplacian(60)
    b = rng.random(A.shape[0])
    solvers = [heddle.GmresSolver(rtol=1e-12, restart=50, basis=basis) for basis in ("in-scalar", "in-float")]
    for solver in solvers:
        result = solver.solve(A, b)
        assert result.converged
        check(A, b, result.x, 1e-12)
    assert solvers[1].bytes < 0.7 * solvers[0].bytes
    with pytest.raises(heddle.Error, match="basis is 'float'; give 'in-scalar' or 'in-float'"):
        heddle.gmres(A, b, basis="float")
    if np.dtype(np.float32) not in scalars:
        return
    with pytest.raises(heddle.Error, match="basis has no effect on a GmresSolver of float"):
        heddle.gmres(A.astype(np.float32), b.astype(np.float32), basis="in-float")


@pytest.mark.parametrize("solve", [heddle.cg, heddle.gmres])
def test_flexible_methods_take_an_inner_iteration(solve, rng):
    A = laplacian(30)
    b = rng.random(A.shape[0])
    steps = iter([2, 3, 4] * 1000)
    x, info = solve(A, b, rtol=1e-8, M=lambda r: heddle.cg(A, r, rtol=0, maxiter=next(steps))[0], flexible=True)
    assert info == 0
    check(A, b, x, 1e-8)
