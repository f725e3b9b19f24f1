# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What users type: taken, or refused in one line that names it."""
import inspect
import warnings

import heddle
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla
from conftest import laplacian


def test_numbers_that_are_whole(A):
    b = np.ones(900)
    for thousand in (1000, 1e3, np.float64(1e3), np.int64(1000), np.float32(1000)):
        assert heddle.cg(A, b, maxiter=thousand)[1] == 0
        assert heddle.gmres(A, b, restart=20.0, maxiter=thousand)[1] == 0
        assert "expected_applies=1000" not in repr(heddle.SpmvPlan(A, expected_applies=thousand, vectors=2.0, max_bytes=1e9))
        heddle.lobpcg(A, np.ones((900, 1)) + np.arange(900)[:, None], maxiter=thousand)
    assert heddle.bicgstab(A, b, maxiter=10**12)[1] == 0
    assert heddle.lobpcg(A, np.eye(900, 2), maxiter=10**12, largest=False, return_result=True).converged
    plan = heddle.IluPlan(A, fill_level=1.0, retries=np.int8(1), transpose=np.bool_(True))
    assert "fill_level=1, retries=1, transpose=True" in repr(plan)
    heddle.SptrsvPlan(A, ignore_outside=1)
    assert heddle.cg(A, b, history=np.True_, return_result=True).history.size


@pytest.mark.parametrize("name, call", [
    ("maxiter is 2.5; give a whole number", lambda A, b: heddle.cg(A, b, maxiter=2.5)),
    ("maxiter is 'all'; give a whole number", lambda A, b: heddle.lobpcg(A, np.eye(900, 2), maxiter="all")),
    ("maxiter is inf; give a whole number", lambda A, b: heddle.cg(A, b, maxiter=np.inf)),
    ("maxiter is -1; give a number from 0", lambda A, b: heddle.gmres(A, b, maxiter=-1)),
    ("restart is 2.5; give a whole number", lambda A, b: heddle.gmres(A, b, restart=2.5)),
    ("restart is 0", lambda A, b: heddle.gmres(A, b, restart=0)),
    ("restart is 2147483648; give a number", lambda A, b: heddle.gmres(A, b, restart=2**31)),
    ("check_every is 0", lambda A, b: heddle.cg(A, b, check_every=0)),
    ("fill_level is 2147483648; give a number", lambda A, b: heddle.IluPlan(A, fill_level=2**31)),
    ("fill_level is None; give a whole number", lambda A, b: heddle.IluPlan(A, fill_level=None)),
    ("expected_applies is 0.5; give a whole", lambda A, b: heddle.SpmvPlan(A, expected_applies=0.5)),
    ("vectors is -2; give a number from 1", lambda A, b: heddle.SpmvPlan(A, vectors=-2)),
    ("vectors is 0;", lambda A, b: heddle.SpmvPlan(A, vectors=0)),
    ("max_bytes is -1; give a number", lambda A, b: heddle.SpmvPlan(A, max_bytes=-1)),
    ("measure_seconds is 'x'; give a number", lambda A, b: heddle.SpmvPlan(A, measure_seconds="x")),
    ("scheme is 5; give a str", lambda A, b: heddle.SpmvPlan(A, scheme=5)),
    ("relative_to is 'size'; give 'norm' or 'value'", lambda A, b: heddle.lobpcg(A, np.eye(900, 2), relative_to="size")),
    ("max_operator_complexity is 0", lambda A, b: heddle.MultigridPlan(A, max_operator_complexity=0)),
    ("symmetry_tolerance is -1", lambda A, b: heddle.MultigridPlan(A, symmetry_tolerance=-1)),
    ("strength_measure is 'size'; give 'automatic'", lambda A, b: heddle.MultigridPlan(A, strength_measure="size")),
    ("improve_candidates is -2; give a number from -1 to 100", lambda A, b: heddle.MultigridPlan(A, improve_candidates=-2)),
    ("smoothers is 3; give a list of str", lambda A, b: heddle.MultigridPlan(A, smoothers=3)),
    ("smoothers has 'jacobi'; give some of 'chebyshev', ", lambda A, b: heddle.MultigridPlan(A, smoothers=["jacobi"])),
    ("max_bytes is 'x'; give a whole", lambda A, b: heddle.MultigridPlan(A, max_bytes="x")),
    ("max_bytes is 10", lambda A, b: heddle.MultigridPlan(A, max_bytes=10)),
    ("smoother is None; give a str", lambda A, b: heddle.MultigridPlan(A, smoother=None)),
    ("omega is 3", lambda A, b: heddle.GaussSeidelPlan(A, omega=3)),
    ("omega is 1j; give a number", lambda A, b: heddle.GaussSeidelPlan(A, omega=1j)),
    ("ignore_outside is 'yes'; give True or False", lambda A, b: heddle.SptrsvPlan(A, ignore_outside="yes")),
    ("triangle is 'left'; give 'lower' or 'upper'", lambda A, b: heddle.SptrsvPlan(A, triangle="left")),
    ("there is no option 'vector'; did you mean 'vectors'. give one of: scheme, ", lambda A, b: heddle.SpmvPlan(A, vector=2)),
    ("there is no option 'callback'; give one of: ", lambda A, b: heddle.GaussSeidelPlan(A, callback=print)),
    ("unexpected keyword argument 'restart'; give one of: rel", lambda A, b: heddle.minres(A, b, restart=3)),
    ("unexpected keyword argument 'count'; give one of: rel", lambda A, b: heddle.lobpcg(A, np.eye(900, 2), count=3)),
    ("promises has 'sort'; give some of 'in_range', 'sorted'", lambda A, b: heddle.SpmvPlan(A, promises="sort")),
    ("partition holds float64 in 1 dimensions; give a whole", lambda A, b: heddle.IluPlan(A, partition=b)),
    ("partition has 3 entries", lambda A, b: heddle.IluPlan(A, partition=[0, 1, 1])),
    ("measure_seconds is -1.*give a finite number, 0 or more", lambda A, b: heddle.SpmvPlan(A, measure_seconds=-1)),
    ("threads is -1", lambda A, b: heddle.IluPlan(A, threads=-1)),
    ("one_launch_entries is -2", lambda A, b: heddle.MultigridPlan(A, one_launch_entries=-2)),
    ("divergence_factor is 1", lambda A, b: heddle.cg(A, b, divergence_factor=1)),
    ("transpose is None; give True or False", lambda A, b: heddle.SpmvPlan(A, transpose=None)),
    ("largest is 2; give True or False", lambda A, b: heddle.lobpcg(A, np.eye(900, 2), largest=2)),
    ("pivot_floor is nan", lambda A, b: heddle.IluPlan(A, pivot_floor=np.nan)),
    ("block_size is 9", lambda A, b: heddle.GaussSeidelPlan(A, block_size=9)),
    ("M is the class IcPlan; give a matrix, a plan", lambda A, b: heddle.cg(A, b, M=heddle.IcPlan)),
    ("A is the class SpmvPlan; give a matrix", lambda A, b: heddle.cg(heddle.SpmvPlan, b)),
    ("b is a sparse matrix; give b.toarray", lambda A, b: heddle.cg(A, sp.csr_array(b[:, None]))),
    ("X is a sparse matrix; give X.toarray", lambda A, b: heddle.lobpcg(A, sp.csr_array(np.eye(900, 2)))),
    ("raise max_bytes=", lambda A, b: heddle.SpmvPlan(A, scheme="ell", max_bytes=1)),
    ("make the plan with transpose=True", lambda A, b: heddle.IluPlan(A).T @ b),
])
def test_refused_in_one_line_that_names_it(A, name, call):
    with pytest.raises((heddle.Error, TypeError), match=name) as told:
        call(A, np.ones(900))
    text = str(told.value)
    assert "\n" not in text and "options." not in text and "::" not in text and "incompatible function" not in text


def test_every_option_of_the_library(A, tmp_path):
    b, cache = np.ones(900), str(tmp_path / "cache")
    symmetric = sp.csr_array(sp.tril(A))
    whole = A @ b
    for options in (dict(transposed_scheme="csr/merge", transpose=True), dict(cache=cache, measure_seconds=1e-4),
                    dict(promises=("in_range", "sorted"), check_promises=True), dict(check=False, check_overlap=True),
                    dict(check_pattern=True), dict(bytes_per_second=1e10)):
        np.testing.assert_allclose(heddle.SpmvPlan(A, **options) @ b, whole)
    np.testing.assert_allclose(heddle.SpmvPlan(symmetric, symmetry="symmetric") @ b, whole, atol=1e-12)
    lower = sp.csr_array(sp.tril(A))
    solved = heddle.SptrsvPlan(lower) @ b
    for options in (dict(threads=1), dict(cache=cache, measure_seconds=1e-4), dict(check_pattern=False, check_overlap=True)):
        np.testing.assert_allclose(heddle.SptrsvPlan(lower, **options) @ b, solved)
    parts = np.repeat([0, 1, 2], 300)
    np.testing.assert_allclose(heddle.IluPlan(A, partition=parts) @ b, heddle.IluPlan(A, subdomains=3) @ b)
    assert ", partition=[900 numbers]:" in repr(heddle.IluPlan(A, partition=list(parts)))
    split = heddle.GaussSeidelPlan(A, scheme="gauss-seidel/split", spmv_scheme="csr/merge")
    np.testing.assert_allclose(split @ b, heddle.GaussSeidelPlan(A, threads=1) @ b)
    hierarchies = [heddle.MultigridPlan(A, coarsest_rows=50, **options) for options in (
        dict(smoother="gauss-seidel", degree=2), dict(values="single-precision"), dict(one_launch_entries=0),
        dict(borrow_values=True), dict(smoothers=["l1-jacobi"]))]
    assert "gauss-seidel times 2" in hierarchies[0].scheme and "chebyshev of degree 2" in hierarchies[1].scheme
    assert "l1-jacobi times 2" in hierarchies[-1].scheme and "smoothers=('l1-jacobi',)" in repr(hierarchies[-1])
    for plan in hierarchies:
        assert heddle.cg(A, b, M=plan, rtol=1e-8)[1] == 0
    for solve in (heddle.cg, heddle.bicgstab, heddle.minres):
        assert solve(A, b, recompute_every=5, rtol=1e-8)[1] == 0
    assert heddle.cg(A, b, max_seconds=0.0, rtol=1e-12, return_result=True).outcome == "out_of_time"
    assert heddle.cg(A, b, scheme="cg/launches", return_result=True).scheme.startswith("cg/launches")
    assert heddle.cg(A, b, x0=b / 7, relative_to="first-residual", rtol=1e-8)[1] == 0
    assert heddle.gmres(A, b, stagnation_window=900, rtol=1e-8)[1] == 0
    assert "divergence_factor=100.0" in repr(heddle.CgSolver(divergence_factor=100))
    assert heddle.lobpcg(A, np.eye(900, 2), stagnation_window=7, return_result=True).converged


def test_defaults_are_the_librarys(A):
    assert heddle.MultigridPlan.__init__.__signature__.parameters["degree"].default == 0
    assert repr(heddle.MultigridPlan(A, degree=0, smoother="chebyshev")) == repr(heddle.MultigridPlan(A))
    for one, words in ((heddle.IluPlan, "fill_level : int, default 0\n    k of ILU(k)"),
                       (heddle.SptrsvPlan, "triangle : {'lower', 'upper'}, default 'lower'\n"),
                       (heddle.SpmvPlan, "max_bytes : int | None, default None"), (heddle.minres, "recompute_every : int, default 0"),
                       (heddle.lobpcg, "stagnation_window : int, default 200")):
        assert words in inspect.getdoc(one) and "{options}" not in one.__doc__


def test_words_of_python_in_messages_of_the_library(A):
    bad = sp.csr_array(np.array([[0.0, 1], [1, 0]]))
    for call, words in ((lambda: heddle.IluPlan(bad), "let pivot_floor= lift|give pivot_floor="),
                        (lambda: heddle.SptrsvPlan(A), "give ignore_outside=True"),
                        (lambda: heddle.SptrsvPlan(sp.csr_array(np.array([[1.0, 0], [1, 0]]))), "give diagonal='unit'"),
                        (lambda: heddle.SpmvPlan(A, scheme="fast"), "fast")):
        with pytest.raises(heddle.Error, match=words) as told:
            call()
        assert "options" not in str(told.value) and "::" not in str(told.value) and ".hpp" not in str(told.value)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_np_matrix(A):
    sums = sp.csr_matrix(A).sum(axis=1)  # an np.matrix of one column
    for solve in (heddle.cg, heddle.gmres, heddle.bicgstab):
        x, info = solve(A, sums, np.matrix(np.zeros((900, 1))), M=heddle.IcPlan(A), rtol=1e-9)
        assert info == 0 and type(x) is np.ndarray and x.shape == (900,)
        np.testing.assert_allclose(x, 1, rtol=1e-6)
    assert heddle.cg(np.matrix(A.toarray()), sums)[1] == 0
    np.testing.assert_allclose(heddle.SpmvPlan(A) @ sums, A @ np.asarray(sums))
    assert heddle.lobpcg(A, np.matrix(np.eye(900, 2)), return_result=True).converged
    np.testing.assert_allclose(heddle.MultigridPlan(A, np.matrix(np.ones((900, 1)))) @ np.ones(900),
                               heddle.MultigridPlan(A, np.ones(900)) @ np.ones(900))


def test_a_matrix_as_M(A):
    inverse = sp.diags_array(1 / A.diagonal()).tocsr()
    x, info = heddle.cg(A, np.ones(900), M=heddle.Matrix(inverse), rtol=1e-9)
    assert info == 0
    np.testing.assert_allclose(A @ x, 1)


def test_factors_of_scipys_as_M(A):
    result = heddle.cg(A, np.ones(900), M=sla.splu(A.tocsc()), return_result=True)
    assert result.converged and result.iterations <= 2


def test_what_objects_say_of_themselves(A):
    solver = heddle.GmresSolver(rtol=1e-8, maxiter=100, history=True)
    assert repr(solver) == "<heddle.GmresSolver, rtol=1e-08, maxiter=100, history=True, restart=20>"
    solver.solve(A, np.ones(900))
    assert repr(solver).startswith("<heddle.GmresSolver for 900 unknowns of float64, ")
    assert repr(heddle.CgSolver()) == "<heddle.CgSolver>"
    for one in (heddle.Error, heddle.Refusal, heddle.OutOfMemory, heddle.threads, heddle.set_threads, heddle.IcPlan,
                heddle.Matrix, heddle.cg, heddle.lobpcg):
        assert one.__doc__ and "IluPlan" not in one.__doc__.splitlines()[0]


def test_conversion_is_told_at_the_callers_line():
    A = laplacian(4).tocoo()
    calls = (lambda: heddle.SpmvPlan(A), lambda: heddle.IcPlan(A), lambda: heddle.MultigridPlan(A), lambda: heddle.choose(A),
             lambda: heddle.cg(A, np.ones(16)), lambda: heddle.CgSolver().solve(A, np.ones(16)),
             lambda: heddle.lobpcg(A, np.eye(16, 2)), lambda: heddle.Matrix(A), lambda: heddle.spy)
    for call in calls[:-1]:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
        assert told and all(one.filename == __file__ for one in told), call


def test_both_packages_in_one_folder(tmp_path, run_python):
    """heddle and heddle-cuda own the same folder: the second one replaces the first in silence, unless we say so."""
    import os
    import shutil
    shutil.copytree(os.path.dirname(heddle.__file__), tmp_path / "heddle")
    for name in ("heddle-0.1.dist-info", "heddle_cuda-0.1.dist-info"):
        (tmp_path / name).mkdir()
    text = run_python("""
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import heddle
print(told[0].message if told else "nothing")
""", PYTHONPATH=str(tmp_path))
    assert "heddle and heddle-cuda are both installed" in text
    (tmp_path / "heddle_cuda-0.1.dist-info").rmdir()
    assert run_python("import heddle; print('quiet')", PYTHONPATH=str(tmp_path)) == "quiet\n"
