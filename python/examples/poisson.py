# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Poisson problem solved by scipy and by Heddle, and a picture of both histories: poisson.py [N [PICTURE]]"""
import sys
import time

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import heddle

n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
A = (sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n))).tocsr()
b = np.random.default_rng(1).random(n * n)

begin = time.perf_counter()
x, info = sla.cg(A, b, rtol=1e-8)
print(f"scipy cg: {time.perf_counter() - begin:.2f} s, residual {np.linalg.norm(b - A @ x) / np.linalg.norm(b):.1e}")

figure, axes = plt.subplots()
for name, make in (("no preconditioner", None), ("IcPlan", heddle.IcPlan), ("MultigridPlan", heddle.MultigridPlan)):
    begin = time.perf_counter()
    result = heddle.cg(A, b, rtol=1e-8, M=make and make(A), history=True, return_result=True)
    print(f"heddle.cg, {name}: {time.perf_counter() - begin:.2f} s with set-up, {result.iterations} iterations, "
          f"residual {result.relative_residual:.1e}")
    result.plot(axes)
    axes.lines[-1].set_label(name)
axes.legend()
axes.set_title(f"conjugate gradients, Poisson on {n} x {n} points")
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else "poisson.png")
