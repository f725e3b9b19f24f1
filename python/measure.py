# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/python.md: what a call costs, what the import takes, and heddle.cg beside scipy's.

    OMP_NUM_THREADS=2 python3 python/measure.py
"""
import importlib.util
import os
import subprocess
import sys
import time
import timeit

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import heddle


def poisson(*sides):
    lines = [sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]) for n in sides]
    total = sp.csr_array((1, 1))
    for line in lines:
        total = sp.kron(total, sp.eye_array(line.shape[0])) + sp.kron(sp.eye_array(total.shape[0]), line)
    return sp.csr_array(total)


def in_turns(methods, rounds=3):
    """Of each the least seconds of its runs, and what the last one gave; a machine's other work meets all alike."""
    seconds, results = {name: [] for name in methods}, {}
    for _ in range(rounds):
        for name, run in methods.items():
            begin = time.perf_counter()
            results[name] = run()
            seconds[name].append(time.perf_counter() - begin)
    return {name: (min(seconds[name]), results[name]) for name in methods}


def a_call():
    """Seconds of a product with a matrix of one entry: what lies around the kernel, and the kernel's own launch."""
    A = sp.csr_array(np.ones((1, 1)))
    plan, x, y = heddle.SpmvPlan(A, scheme="csr/scalar"), np.ones(1), np.ones(1)
    calls = {"plan.matvec(x, out=y)": lambda: plan.matvec(x, out=y), "plan @ x": lambda: plan @ x,
             "plan.apply(1.0, x, 0.0, y)": lambda: plan.apply(1.0, x, 0.0, y), "scipy: A @ x": lambda: A @ x}
    for name, call in calls.items():
        print(f"| `{name}` | {min(timeit.repeat(call, number=2000, repeat=15)) / 2000 * 1e6:.2f} us |")


def the_import():
    program = "import time, numpy; begin = time.perf_counter(); import heddle; print(time.perf_counter() - begin)"
    seconds = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
               for _ in range(7)]
    print(f"| `import heddle` beside NumPy | {min(seconds) * 1e3:.0f} ms |")


def solvers(name, A):
    b = np.random.default_rng(1).random(A.shape[0])
    rows = {
        "scipy cg": lambda: sla.cg(A, b, rtol=1e-8),
        "heddle.cg": lambda: heddle.cg(A, b, rtol=1e-8),
        "heddle.cg, IcPlan": lambda: heddle.cg(A, b, rtol=1e-8, M=heddle.IcPlan(A)),
        "heddle.cg, MultigridPlan": lambda: heddle.cg(A, b, rtol=1e-8, M=heddle.MultigridPlan(A)),
    }
    if importlib.util.find_spec("pyamg"):
        import pyamg
        rows["scipy cg, pyamg"] = lambda: sla.cg(A, b, rtol=1e-8,
                                                 M=pyamg.smoothed_aggregation_solver(sp.csr_matrix(A)).aspreconditioner())
    for method, (seconds, (x, info)) in in_turns(rows).items():
        residual = np.linalg.norm(b - A @ x) / np.linalg.norm(b)
        print(f"| {name} | {method} | {seconds:.3f} s | {residual:.1e}{'' if info == 0 else ', not converged'} |", flush=True)


print(f"{heddle.threads()} threads, of {os.cpu_count()} processors; load {os.getloadavg()[0]:.1f}")
a_call()
the_import()
solvers("500 x 500", poisson(500, 500))
solvers("50 x 50 x 50", poisson(50, 50, 50))
