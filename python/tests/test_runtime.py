# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When Kokkos begins and ends, processes and threads."""
import copy
import os
import pickle
import subprocess
import sys
import threading
import time

import heddle
import numpy as np
import pytest
from conftest import laplacian

MAKE = """
import heddle, numpy as np, scipy.sparse as sp
A = sp.eye_array(1000, format="csr") * 2.0
"""


def test_begins_with_the_first_use(run_python):
    assert run_python("import heddle; heddle.set_threads(1); print(heddle.threads())", OMP_NUM_THREADS="2") == "1\n"
    assert run_python("import heddle; print(heddle.threads())", OMP_NUM_THREADS="2") == "2\n"
    assert run_python("""
import heddle
heddle.threads()
try: heddle.set_threads(1)
except heddle.Error as error: print(error)
""", OMP_NUM_THREADS="2") == "heddle: heddle works already, with 2 threads; call set_threads before anything else, or set " \
        "OMP_NUM_THREADS\n"
    with pytest.raises(heddle.Error, match="give 1 or more"):
        heddle.set_threads(0)


def test_ends_with_plans_that_are_still_there(run_python):
    assert run_python(MAKE + """
import atexit, sys
sys.kept = [heddle.SpmvPlan(A), heddle.IluPlan(A), heddle.MultigridPlan(A), heddle.GaussSeidelPlan(A)]
cycle = [heddle.SpmvPlan(A)]; cycle.append(cycle)
print((sys.kept[0] @ np.ones(1000)).sum())
""") == "2000.0\n"


def test_after_the_end(run_python):
    assert run_python("""
import atexit
def late():
    try: plan @ np.ones(1000)
    except heddle.Error as error: print(error)
atexit.register(late)  # before heddle's own, so it runs after it
""" + MAKE + "plan = heddle.SpmvPlan(A)") == \
        "heddle: heddle has ended with the interpreter; call it before atexit's functions run\n"


FORK = """
import os
def child(work):
    pid = os.fork()
    if pid == 0:
        try: work()
        except BaseException as error: print(error, flush=True)
        os._exit(0) if quick else sys.exit(0)
    os.waitpid(pid, 0)
import sys
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("quick", [True, False])
def test_a_forked_child_gets_an_error(run_python, quick):
    text = run_python(f"quick = {quick}\nimport warnings; warnings.simplefilter('ignore')" + MAKE + FORK + """
plan, factors = heddle.SpmvPlan(A), heddle.IcPlan(A)
plan @ np.ones(1000)
child(lambda: plan @ np.ones(1000))
child(lambda: heddle.cg(A, np.ones(1000), M=factors))
print((plan @ np.ones(1000)).sum())
""")
    lines = text.splitlines()
    assert len(lines) == 3 and lines[2] == "2000.0"
    for line in lines[:2]:
        assert "forked after heddle began" in line and "multiprocessing.set_start_method('spawn')" in line


def test_a_child_forked_before_works(run_python):
    assert run_python("quick = False\nimport warnings; warnings.simplefilter('ignore')" + MAKE + FORK + """
child(lambda: print((heddle.SpmvPlan(A) @ np.ones(1000)).sum(), flush=True))
print((heddle.SpmvPlan(A) @ np.ones(1000)).sum())
""") == "2000.0\n2000.0\n"


SPAWNED = """
import multiprocessing, sys
import heddle, numpy as np, scipy.sparse as sp

def solve(_):
    A = sp.eye_array(1000, format="csr") * 2.0
    x, info = heddle.cg(A, np.ones(1000))
    return info, float(x[0])

def attempt(_):
    try: return solve(_)
    except heddle.Error as error: return str(error)

if __name__ == "__main__":
    print(solve(0))
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool: print(pool.map(attempt, [0, 1])[1])
"""


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_pools_of_processes(tmp_path, method):
    (tmp_path / "program.py").write_text(SPAWNED)
    done = subprocess.run([sys.executable, "-W", "ignore", "program.py", method], cwd=tmp_path, env=os.environ,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first == "(0, 0.5)"
    assert second == "(0, 0.5)" if method == "spawn" else "set_start_method('spawn')" in second


def test_a_thread_that_works_at_the_end(run_python):
    """The end waits for the call that runs, and the next one is an error."""
    assert run_python(MAKE + """
import threading
plan, began = heddle.SpmvPlan(A), threading.Event()
def work():
    try:
        while True:
            heddle.cg(plan, np.ones(1000))
            began.set()
    except heddle.Error: pass
threading.Thread(target=work, daemon=True).start()
began.wait()
print("end")
""") == "end\n"


@pytest.mark.parametrize("solve", ["cg", "gmres", "bicgstab", "lobpcg"])
def test_keyboard_interrupt_within_a_function(run_python, solve):
    assert run_python(f"""
import os, signal
import heddle, numpy as np, scipy.sparse as sp
class Operator:
    shape, dtype, calls = (1000, 1000), np.dtype(float), 0
    def matvec(self, x):
        self.calls += 1
        if self.calls == 3: os.kill(os.getpid(), signal.SIGINT)
        return np.arange(1, 1001) * x
A = Operator()
try: heddle.{solve}(A, np.random.default_rng(1).random({(1000, 2) if solve == "lobpcg" else 1000}))
except KeyboardInterrupt: print("interrupted", A.calls)
x, info = heddle.cg(A, np.ones(1000), maxiter=2000)  # others go on
print(info)
""") == "interrupted 3\n0\n"


def test_keyboard_interrupt_ends_a_solve(run_python):
    assert run_python("""
import os, signal, threading, time
import heddle, numpy as np, scipy.sparse as sp
n = 400
line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
A = (sp.kron(sp.eye_array(n), line) + sp.kron(line, sp.eye_array(n))).tocsr()
plan = heddle.SpmvPlan(A)
b = np.random.default_rng(1).random(n * n)
def cost(run):  # in seconds of CPU, which others on the machine leave alone
    begin = time.process_time()
    run()
    return time.process_time() - begin
def solve(): heddle.cg(plan, b, rtol=1e-14, maxiter=800)
begin = time.monotonic()
whole = cost(solve)
wait = 0.1 * (time.monotonic() - begin)
def interrupted():
    threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT)).start()
    try: solve(); time.sleep(60)
    except KeyboardInterrupt: pass
print("ended" if any(cost(interrupted) < 0.8 * whole for _ in range(5)) else "too late")
print(np.allclose(plan @ b, A @ b))
""", OMP_NUM_THREADS="1") == "ended\nTrue\n"


def test_the_gil_is_released():
    A = laplacian(300)
    plan = heddle.SpmvPlan(A)
    x, y = np.ones(A.shape[0]), np.empty(A.shape[0])
    steps, ended = [0], threading.Event()

    def count():
        while not ended.is_set():
            steps[0] += 1
            time.sleep(0)  # lets go of the GIL

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        sys.setswitchinterval(1000)  # from here this thread lets go of the GIL in plan.matvec alone, or never
        before = steps[0]
        for _ in range(20000):  # the other one is woken in some call, sooner or later
            plan.matvec(x, out=y)
            if steps[0] != before:
                break
        progress = steps[0] - before
    finally:
        sys.setswitchinterval(interval)
        ended.set()
        thread.join()
    assert progress > 0


def test_threads_take_turns():
    A = laplacian(60)
    plan, factors = heddle.SpmvPlan(A), heddle.IcPlan(A)
    rng = np.random.default_rng(3)
    solutions = rng.random((4, A.shape[0]))
    failures = []

    def work(x):
        for _ in range(5):
            y, info = heddle.cg(plan, A @ x, M=factors, rtol=1e-10, callback=lambda xk: None)
            if info != 0 or not np.allclose(y, x):
                failures.append(info)
            if not np.allclose(plan @ x, A @ x):
                failures.append("product")

    threads = [threading.Thread(target=work, args=(x,)) for x in solutions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_callback_may_use_heddle():
    A = laplacian(20)
    plan = heddle.SpmvPlan(A)
    b = np.ones(A.shape[0])
    seen = []
    heddle.cg(plan, b, callback=lambda xk: seen.append(heddle.cg(plan, b)[1]), M=lambda r: heddle.IcPlan(A) @ r)
    assert seen and not any(seen)


def test_pickling_is_refused_with_words(A):
    plan = heddle.SpmvPlan(A)
    for one in (heddle.Matrix(A), plan, plan.T, heddle.IcPlan(A)):
        kind = type(one).__name__
        for refuse in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=f"a {kind} can be neither pickled nor copied.*send the matrix"):
                refuse(one)


@pytest.mark.parametrize("where", ["A", "M", "callback"])
def test_a_function_may_wait_for_a_thread_that_calls_heddle(run_python, where):
    assert run_python(f"""
import concurrent.futures, heddle, numpy as np, scipy.sparse as sp, scipy.sparse.linalg as sla
A = sp.diags_array(np.arange(1.0, 51)).tocsr()
plan, M, solver = heddle.SpmvPlan(A), heddle.IcPlan(A), heddle.CgSolver(check_every=1)
pool = concurrent.futures.ThreadPoolExecutor(1)
def elsewhere(work, *of): return pool.submit(work, *of).result(timeout=60)
b = np.ones(50)
options = dict(A=sla.LinearOperator(A.shape, lambda x: elsewhere(plan.matvec, x)) if {where == "A"} else plan,
               M=(lambda r: elsewhere(M.solve, r)) if {where == "M"} else M,
               callback=(lambda xk: elsewhere(heddle.cg, plan, xk)[1]) if {where == "callback"} else None)
x, info = heddle.cg(options["A"], b, M=options["M"], callback=options["callback"])
print(info, np.allclose(A @ x, b))
values, _ = heddle.lobpcg(options["A"], np.random.default_rng(1).random((50, 2)), M=options["M"], largest=False)
print(np.allclose(values, [1, 2]))
""") == "0 True\nTrue\n"


def test_a_solver_of_several_threads_with_callbacks(A):
    """While a callback has the GIL, another thread may have the turn, and yet no two solves share a solver's memory."""
    solver, plan, failures = heddle.CgSolver(rtol=1e-10), heddle.SpmvPlan(A), []

    def work(seed):
        x = np.random.default_rng(seed).random(900)
        for _ in range(5):
            if not np.allclose(solver.solve(plan, A @ x, callback=lambda xk: time.sleep(0)).x, x):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_plans_come_and_go_beside_solves_and_updates():
    A = laplacian(40)
    plan, M, b, failures, ended = heddle.SpmvPlan(A), heddle.IcPlan(A), np.ones(1600), [], threading.Event()

    def solve():
        for _ in range(6):
            x, info = heddle.cg(plan, b, M=M, rtol=1e-9, callback=lambda xk: None)
            if info or not np.allclose(A @ x, b, atol=1e-6):
                failures.append(info)

    def make():
        while not ended.is_set():
            heddle.SpmvPlan(A, transpose=True)
            heddle.IluPlan(A).scheme

    def update():
        while not ended.is_set():
            plan.update_values(A.copy())  # the same values in other arrays, which the next update releases
            plan.T
            str(plan)

    others = [threading.Thread(target=work) for work in (make, update)]
    for thread in others:
        thread.start()
    solvers = [threading.Thread(target=solve) for _ in range(2)]
    for thread in solvers:
        thread.start()
    for thread in solvers:
        thread.join()
    ended.set()
    for thread in others:
        thread.join()
    assert not failures


def test_small_systems_have_the_same_bits_with_any_number_of_threads(run_python):
    """No other thread works on them, and plans may be mixed with those of large matrices."""
    program = MAKE + """
import hashlib
def all_of(n, extra):
    A = (sp.diags_array([-np.ones(n - 1), 3 + np.arange(n) % 3, -np.ones(n - 1)], offsets=[-1, 0, 1])
         + extra * (sp.eye_array(n, k=n // 2) + sp.eye_array(n, k=-(n // 2)))).tocsr()
    b, text = np.sin(np.arange(n)), hashlib.sha256()
    for make in (heddle.SpmvPlan, heddle.IluPlan, heddle.IcPlan, heddle.GaussSeidelPlan, heddle.MultigridPlan):
        text.update(make(A) @ b)
    for solve in (heddle.gmres, heddle.bicgstab):
        text.update(solve(A, b, M=heddle.IluPlan(A), rtol=1e-9)[0])
    return text.hexdigest()
print(all_of(60, 0), all_of(900, 0.1))
"""
    assert run_python(program, OMP_NUM_THREADS="1") == run_python(program, OMP_NUM_THREADS="4")
    assert run_python("""
import heddle, numpy as np, scipy.sparse as sp
n = 4000  # a matrix that is small, and a preconditioner of one that is not
A = sp.diags_array(np.linspace(1, 2, n)).tocsr()
M = heddle.IluPlan((A + 0.01 * sp.random_array((n, n), density=2e-3, rng=1)).tocsr())
for first, then in ((A, M), (M.matrix, heddle.IcPlan(A))):
    x, info = heddle.gmres(first, np.ones(n), M=then, rtol=1e-9)
    print(info)
""", OMP_NUM_THREADS="3") == "0\n0\n"
