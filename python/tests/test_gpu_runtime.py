# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A build for GPUs in processes and threads: forks, interrupts, and ends beside CuPy and PyTorch. Skipped on CPUs."""
import copy
import pickle
import threading

import heddle
import numpy as np
import pytest
from conftest import laplacian

if heddle.device == "cpu":
    pytest.skip("a build for CPUs", allow_module_level=True)

import cupy
from gpu_arrays import close, on_gpu, relative_residual, vectors

MAKE = """
import cupy, heddle, sys
import cupyx.scipy.sparse as csp
A = csp.eye(1000, format="csr") * 2.0
"""
TORCH = """
try:
    import torch
    kept_tensor = torch.ones(3, device="cuda")
except ImportError: pass
"""


@pytest.fixture
def program(run_python):
    """Runs a program whose libraries may warn."""
    return lambda text: run_python(text, PYTHONWARNINGS="ignore")


@pytest.mark.parametrize("first", [MAKE + TORCH, TORCH + MAKE], ids=["heddle", "torch"])
def test_ends_beside_cupy_and_torch(program, first):
    """With plans, streams, arrays and tensors that are still there, whoever began first."""
    assert program(first + """
sys.kept = [heddle.SpmvPlan(A), heddle.IluPlan(A), heddle.MultigridPlan(A), cupy.cuda.Stream(), heddle.CgSolver()]
with sys.kept[3] as stream: print(float((sys.kept[0] @ cupy.ones(1000)).sum()))
sys.kept.append(sys.kept[4].solve(sys.kept[0], cupy.ones(1000), M=sys.kept[1]))
cycle = [heddle.SpmvPlan(A, stream=stream)]; cycle.append(cycle)
if "torch" in sys.modules: sys.kept.append(torch.from_dlpack(sys.kept[0] @ kept_tensor.new_ones(1000, dtype=torch.float64)))
""") == "2000.0\n"


def test_after_the_end(program):
    assert program("""
import atexit
def late():
    try: plan.matvec(x, out=y)
    except heddle.Error as error: print(error)
atexit.register(late)  # before heddle's own, so it runs after it
""" + MAKE + "plan, x, y = heddle.SpmvPlan(A), cupy.ones(1000), cupy.ones(1000)") == \
        "heddle: heddle has ended with the interpreter; call it before atexit's functions run\n"


def test_a_thread_that_works_at_the_end(program):
    assert program(MAKE + """
import threading
plan, began, b = heddle.SpmvPlan(A), threading.Event(), cupy.ones(1000)
def work():
    try:
        while True:
            heddle.cg(plan, b)
            began.set()
    except heddle.Error: pass
threading.Thread(target=work, daemon=True).start()
began.wait()
print("end")
""") == "end\n"


def test_a_forked_child_gets_an_error(program):
    text = program(MAKE + """
import os
plan, x = heddle.SpmvPlan(A), cupy.ones(1000)
plan @ x
pid = os.fork()
if pid == 0:
    try: heddle.threads()
    except heddle.Error as error: print(error, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print(float((plan @ x).sum()))
""")
    first, second = text.splitlines()
    assert "forked after heddle began" in first and "multiprocessing.set_start_method('spawn')" in first
    assert second == "2000.0"


def test_keyboard_interrupt_within_a_function(program):
    assert program(MAKE + """
import os, signal
class Operator:
    shape, dtype, calls = (1000, 1000), A.dtype, 0
    def matvec(self, x):
        self.calls += 1
        if self.calls == 3: os.kill(os.getpid(), signal.SIGINT)
        return cupy.arange(1, 1001) * x
operator = Operator()
try: heddle.cg(operator, cupy.sin(cupy.arange(1000.0)))
except KeyboardInterrupt: print("interrupted", operator.calls)
print(heddle.cg(operator, cupy.ones(1000), maxiter=2000)[1])  # others go on
""") == "interrupted 3\n0\n"


def test_threads_with_streams_of_their_own():
    A = on_gpu(laplacian(60))
    M, failures = heddle.IcPlan(A), []
    cupy.cuda.Device().synchronize()

    def work(seed):
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            plan, b = heddle.SpmvPlan(A), vectors(3600, seed=seed)
            for _ in range(5):
                x, info = heddle.cg(plan, b, rtol=1e-9, M=heddle.IcPlan(A))
                if info != 0 or relative_residual(A, x, b) > 1.1e-9:
                    failures.append((seed, info))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert heddle.cg(A, vectors(3600), M=M)[1] == 0


def test_a_callback_may_use_heddle():
    A = on_gpu(laplacian(20))
    plan, b, seen = heddle.SpmvPlan(A), cupy.ones(400), []
    heddle.cg(plan, b, callback=lambda xk: seen.append(heddle.cg(plan, b)[1]), M=lambda r: heddle.IcPlan(A) @ r)
    assert seen and not any(seen)
    close(plan @ b, A @ b)


def test_plans_are_not_pickled():
    A = on_gpu(laplacian(10))
    for one in (heddle.Matrix(A), heddle.SpmvPlan(A), heddle.SpmvPlan(A).T, heddle.IcPlan(A)):
        for refuse in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="can be neither pickled nor copied"):
                refuse(one)


def test_threads_of_the_processor():
    assert heddle.device == "cuda" and heddle.threads() >= 1
    with pytest.raises(heddle.Error, match="heddle works already"):
        heddle.set_threads(1)
    with pytest.raises(heddle.Error, match="give 1 or more"):
        heddle.set_threads(np.int64(0))


def test_plans_come_and_go_beside_solves():
    """A plan that goes waits for its stream, which takes no wait while another thread's solve is recorded on it."""
    A = on_gpu(laplacian(60))
    plan, b, failures, ended = heddle.SpmvPlan(A), vectors(3600), [], threading.Event()
    cupy.cuda.Device().synchronize()

    def make():
        with cupy.cuda.Stream(non_blocking=True):
            while not ended.is_set():
                heddle.SpmvPlan(A, stream=stream)
                heddle.IluPlan(A)

    stream = cupy.cuda.Stream(non_blocking=True)
    thread = threading.Thread(target=make)
    thread.start()
    with stream:
        for _ in range(50):
            x, info = heddle.cg(plan, b, rtol=1e-9)
            if info != 0 or relative_residual(A, x, b) > 1.1e-9:
                failures.append(info)
    ended.set()
    thread.join()
    assert not failures


def test_a_plan_outlives_the_stream_that_it_was_made_on():
    A, x = on_gpu(laplacian(20)), vectors(400)
    plans = []
    for _ in range(70):  # more than are kept from call to call
        with cupy.cuda.Stream(non_blocking=True) as stream:
            plans.append(heddle.SpmvPlan(A))
            stream.synchronize()
        del stream
    close(plans[0] @ x, A @ x)
    plans.clear()
    close(heddle.SpmvPlan(A) @ x, A @ x)


def test_managed_memory():
    pool = cupy.cuda.MemoryPool(cupy.cuda.malloc_managed)
    with cupy.cuda.using_allocator(pool.malloc):
        A, x, X = on_gpu(laplacian(20)), vectors(400), vectors((400, 3))
        plan = heddle.SpmvPlan(A)
        close(plan @ x, A @ x)
        close(plan @ X, A @ X)
        b = A @ x
        close(heddle.cg(A, b, M=heddle.MultigridPlan(A), rtol=1e-10)[0], x, 1e-6)


def test_a_solver_object_on_two_gpus():
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    solver = heddle.CgSolver(rtol=1e-9)
    for device in (0, 1, 0):
        with cupy.cuda.Device(device):
            A, b = on_gpu(laplacian(30)), cupy.ones(900)
            result = solver.solve(A, b)
            assert result.converged and result.x.device.id == device
            assert relative_residual(A, result.x, b) < 1.1e-9
