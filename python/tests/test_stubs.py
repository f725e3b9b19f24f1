# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the package says of its types, by mypy."""
import os
import subprocess
import sys
from pathlib import Path

import heddle
import pytest

pytest.importorskip("mypy")

SETTINGS = "[mypy]\nignore_missing_imports = True\n"
# Modules with an underscore have no stubs, and signatures of options that mypy cannot read; what they hold for users is checked
# as heddle's. mypy sees no signatures of compiled functions.
NOT_SEEN = r"""
heddle\._[a-z].*
heddle\.set_threads
heddle\.threads
"""
PROGRAM = """
import heddle
import numpy as np
from scipy.sparse import csr_array

A = csr_array(np.eye(3))
plan = heddle.SpmvPlan(A, vectors=2)
y = plan @ np.ones(3)
x, info = heddle.cg(plan, y, M=heddle.IcPlan(A), callback=lambda progress: print(progress.residual))
reveal_type(info)
result = heddle.gmres(A, [1.0, 2.0, 3.0], return_result=True)
reveal_type(result)
which: bool = bool(A.nnz)
either = heddle.cg(A, x, return_result=which)
if heddle.cg(A, x, nullspace="constant", return_result=True).recording_failed:
    print(heddle.CgSolver(nullspace=np.ones((3, 1))))
values, vectors = heddle.lobpcg(A, np.eye(3, 1))
print(heddle.lobpcg(A, np.eye(3, 1), relative_to="value", return_result=True).errors.max())
reveal_type(values)
_, _, residuals = heddle.lobpcg(A, np.eye(3, 1), retResidualNormsHistory=True)
2 * plan + plan.T @ x
solved = heddle.BicgstabSolver(rtol=1e-9).solve(A, x)
print(solved.residual + 1, solved.x[0], heddle.choose(A)[0].scheme.upper())
heddle.GaussSeidelPlan(A, sweep="sideways")  # type: ignore[arg-type]
heddle.MultigridPlan(A, smoother="gauss-seidel", smoothers=["l1-jacobi"], vectors=1e1, max_bytes=None)
heddle.IluPlan(A, partition=[0, 1, 1], cache="times", threads=2)
heddle.SpmvPlan(A, promises=["sorted"], symmetry="none")
heddle.minres(A, x, max_seconds=1.0, recompute_every=50)
x, report = heddle.solve(A, [1.0, 2.0, 3.0], nullspace="constant", callback=lambda progress: print(progress.residual))
print(report.advice, report.considered[0].name.upper(), report.plot(), x[0])
y, again = heddle.Solver(A, rtol=1e-9, pair="cg/jacobi", expected_solves=1e1).solve(x)
heddle.solve(A, x, M=A)  # type: ignore[call-arg]
heddle.bicgstab(A, x, restart=2)  # type: ignore[call-overload]
heddle.SpmvPlan(A, vector=2)  # type: ignore[call-arg]
heddle.cg(A, x, rtol="small")  # type: ignore[call-overload]
"""


def mypy(tmp_path, *arguments):
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    (tmp_path / "not_seen").write_text(NOT_SEEN)
    package = str(Path(heddle.__file__).resolve().parents[1])
    environment = {**os.environ, "MYPYPATH": package, "PYTHONPATH": package}
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=tmp_path, env=environment, text=True, capture_output=True)
    return done.returncode, done.stdout + done.stderr


def test_the_stubs_are_the_packages(tmp_path):
    code, text = mypy(tmp_path, "mypy.stubtest", "heddle", "--ignore-missing-stub", "--mypy-config-file", "mypy.ini",
                      "--allowlist", "not_seen", "--ignore-unused-allowlist")
    assert code == 0, text


def test_a_program_is_checked(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    code, text = mypy(tmp_path, "mypy", "--strict", "--config-file", "mypy.ini", "program.py")
    assert code == 0, text
    assert 'Revealed type is "int"' in text.replace("builtins.int", "int") and "heddle.Result" in text
