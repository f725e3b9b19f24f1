# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Solves the system whose arrays are in a folder by scipy's conjugate gradients with the diagonal:
writes x there, and prints seconds and iterations."""

import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import cg

folder = Path(sys.argv[1])
row_ptr, col_idx = (np.fromfile(folder / name, np.int32) for name in ("row_ptr", "col_idx"))
values, b = (np.fromfile(folder / name, np.float64) for name in ("values", "b"))
A = sp.csr_array((values, col_idx, row_ptr))
iterations = 0


def count(_: np.ndarray) -> None:
    global iterations
    iterations += 1


begin = time.perf_counter()
M = sp.diags_array(1 / A.diagonal())
x, _ = cg(A, b, rtol=float(sys.argv[2]), M=M, callback=count)
seconds = time.perf_counter() - begin
x.tofile(folder / "x")
print(seconds, iterations)
