# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sparse products, preconditioners and solvers that look at a matrix once and run many times.

>>> x, report = heddle.solve(scipy_csr, b)  # by a method and a preconditioner that are chosen
>>> A = heddle.Matrix(scipy_csr)          # borrowed, not copied
>>> product = heddle.SpmvPlan(A)          # a LinearOperator of scipy's kind
>>> y = product @ x
>>> x, info = heddle.cg(product, b, M=heddle.IcPlan(A))

Kokkos begins with the first of these, and ends with the interpreter.
"""
from ._installed import check as _check
from ._core import Error, OutOfMemory, Refusal, __version__, device, set_threads, threads
from ._krylov import BicgstabSolver, CgSolver, GmresSolver, MinresSolver, Progress, Result, bicgstab, cg, gmres, minres
from ._lobpcg import EigenResult, lobpcg
from ._matrix import ConversionWarning, Matrix, read_matrix_market, write_matrix_market
from ._plans import GaussSeidelPlan, IcPlan, IluPlan, MultigridPlan, SptrsvPlan, rigid_body_motions
from ._show import choose, spy
from ._solve import SolveAttempt, SolvePair, SolveReport, Solver, solve
from ._spmv import Choice, SpmvPlan

_check()

__all__ = [
    "BicgstabSolver", "CgSolver", "Choice", "ConversionWarning", "EigenResult", "Error", "GaussSeidelPlan",
    "GmresSolver", "IcPlan", "IluPlan", "Matrix", "MinresSolver", "MultigridPlan", "OutOfMemory", "Progress", "Refusal",
    "Result", "SolveAttempt", "SolvePair", "SolveReport", "Solver", "SpmvPlan", "SptrsvPlan", "bicgstab", "cg", "choose",
    "device", "gmres", "lobpcg", "minres", "read_matrix_market", "rigid_body_motions", "set_threads", "solve", "spy",
    "threads", "write_matrix_market",
]
