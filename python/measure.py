# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of python/README.md: what a call costs, what the import takes, and heddle.cg beside scipy's, or CuPy's on a GPU.

    OMP_NUM_THREADS=2 python3 python/measure.py [SIDE OF THE SQUARE, SIDE OF THE CUBE]
    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive python3 python/measure.py small
"""
import importlib.util
import inspect
import os
import subprocess
import sys
import time
import timeit

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import heddle

if heddle.device == "cpu":
    theirs, xp, cg = "scipy", np, sla.cg

    def there(A):
        return A

    def wait():
        pass
    where, sides, series = f"{heddle.threads()} threads, of {os.cpu_count()} processors", (500, 50), 2000
else:
    import cupy as xp
    from cupyx.scipy.sparse import csr_matrix as there
    from cupyx.scipy.sparse.linalg import cg
    theirs, wait = "cupyx", xp.cuda.Device().synchronize
    where = f"{xp.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CuPy {xp.__version__}"
    sides, series = (1000, 100), 200
tolerance = {"rtol" if "rtol" in inspect.signature(cg).parameters else "tol": 1e-8}


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
            wait()
            seconds[name].append(time.perf_counter() - begin)
    return {name: (min(seconds[name]), results[name]) for name in methods}


def a_call():
    """A product with a matrix of one entry: what lies around the kernel, and its launch. Series so short fit between other work."""
    A = there(sp.csr_array(np.ones((1, 1))))
    plan, x, y = heddle.SpmvPlan(A, scheme="csr/scalar"), xp.ones(1), xp.ones(1)
    calls = {"plan.matvec(x, out=y)": lambda: plan.matvec(x, out=y), "plan @ x": lambda: plan @ x,
             "plan.apply(1.0, x, 0.0, y)": lambda: plan.apply(1.0, x, 0.0, y), f"{theirs}: A @ x": lambda: A @ x}
    if heddle.device != "cpu":  # the calls above return before the GPU is done
        calls |= {f"{name}, and wait for it": lambda call=call: (call(), wait()) for name, call in list(calls.items())}
    for name, call in calls.items():
        wait()
        print(f"| `{name}` | {min(timeit.repeat(call, number=50, repeat=series)) / 50 * 1e6:.2f} us |", flush=True)


def small_systems():
    """A tridiagonal system of 10 rows, by the processor's time, in which other work does not count."""
    n = 10
    A = there(sp.diags_array([-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1]).tocsr())
    b, plan, solver, matrix = xp.ones(n), heddle.SpmvPlan(A), heddle.CgSolver(), heddle.Matrix(A)
    calls = {f"{theirs} `cg(A, b)`": lambda: cg(A, b), "`heddle.cg(A, b)`": lambda: heddle.cg(A, b),
             "`heddle.cg(plan, b)`": lambda: heddle.cg(plan, b), "`CgSolver.solve(plan, b)`": lambda: solver.solve(plan, b),
             "`Matrix(A)`": lambda: heddle.Matrix(A), "`SpmvPlan(matrix)`": lambda: heddle.SpmvPlan(matrix),
             "`IcPlan(matrix)`": lambda: heddle.IcPlan(matrix), f"{theirs} `A @ b`": lambda: A @ b}
    seconds = dict.fromkeys(calls, np.inf)
    for _ in range(100):
        for name, call in calls.items():
            seconds[name] = min(seconds[name], timeit.timeit(call, number=40, timer=time.process_time) / 40)
    for name, least in seconds.items():
        print(f"| {name} | {least * 1e6:.1f} us |", flush=True)


def the_import():
    beside = xp.__name__
    program = f"import time, {beside}; begin = time.perf_counter(); import heddle; print(time.perf_counter() - begin)"
    seconds = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
               for _ in range(7)]
    print(f"| `import heddle` beside {beside} | {min(seconds) * 1e3:.0f} ms |", flush=True)


def solvers(name, A):
    host, A, b = A, there(A), xp.asarray(np.random.default_rng(1).random(A.shape[0]))
    rows = {
        f"{theirs} cg": lambda: cg(A, b, **tolerance),
        "heddle.cg": lambda: heddle.cg(A, b, rtol=1e-8),
        "heddle.cg, IcPlan": lambda: heddle.cg(A, b, rtol=1e-8, M=heddle.IcPlan(A)),
        "heddle.cg, MultigridPlan": lambda: heddle.cg(A, b, rtol=1e-8, M=heddle.MultigridPlan(A)),
    }
    if heddle.device == "cpu" and importlib.util.find_spec("pyamg"):
        import pyamg
        rows["scipy cg, pyamg"] = lambda: cg(A, b, rtol=1e-8,
                                             M=pyamg.smoothed_aggregation_solver(sp.csr_matrix(host)).aspreconditioner())
    for method, (seconds, (x, info)) in in_turns(rows).items():
        residual = float(xp.linalg.norm(b - A @ x) / xp.linalg.norm(b))
        print(f"| {name} | {method} | {seconds:.4f} s | {residual:.1e}{'' if info == 0 else ', not converged'} |", flush=True)


print(f"{where}; load {os.getloadavg()[0]:.1f}")
if sys.argv[1:] == ["small"]:
    sys.exit(small_systems())
a_call()
the_import()
square, cube = map(int, sys.argv[1:3] or sides)
solvers(f"{square} x {square}", poisson(square, square))
solvers(f"{cube} x {cube} x {cube}", poisson(cube, cube, cube))
