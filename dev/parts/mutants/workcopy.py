# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy of the tree in which faults are put, and its build."""
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COPIED = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "backends", "cmake", "core",
          "formats", "matrices", "perf_tests", "solvers", "testing", "unit_tests", "packaging", "examples", "dev", "docs"]


class WorkCopy:
    def __init__(self, folder, options=(), jobs=len(os.sched_getaffinity(0))):
        self.jobs = jobs
        self.source, self.build_folder = folder / "source", folder / "build"
        self.seconds = {}
        self.source.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            command = ["cp", "-ru", "--preserve=timestamps", str(ROOT / name), str(self.source)]
            subprocess.run(command, check=True)
        for path in self.source.rglob("*"):
            if not path.is_file():
                continue
            original = ROOT / path.relative_to(self.source)
            if not original.exists():  # moved since a run before this one
                path.unlink()
            elif path.suffix == ".hpp" and original.read_bytes() != path.read_bytes():  # left changed
                shutil.copyfile(original, path)
        self.call(["cmake", "--preset", "openmp", "-S", ".", "-B", str(self.build_folder),
                   "-DCMAKE_CXX_FLAGS_RELEASE=-Og", "-DHEDDLE_BUILD_BENCHMARKS=OFF",
                   "-DHEDDLE_BUILD_EXAMPLES=OFF", "-DHEDDLE_INSTALL=OFF",
                   # They would keep the text that was there before a fault.
                   "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON", *options], check=True)

    def call(self, command, **more):
        environment = dict(os.environ)
        if shutil.which("ccache"):  # copies of the tree share what is compiled without a fault
            environment |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_SLOPPINESS": "time_macros"}
        return subprocess.run(command, cwd=self.source, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, **more)

    def build(self, *targets):
        return self.call(["cmake", "--build", str(self.build_folder), "--parallel", str(self.jobs),
                          "--target", *targets]).returncode == 0

    def run(self, program, seed, limit, arguments=()):
        """How a test fails, or an empty string; and its seconds."""
        folder = "unit_tests/emulated" if "_tests_emulated" in program else "unit_tests"
        command = [str(self.build_folder / folder / program), "--abort-after=1", *arguments]
        environment = {"OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive", **os.environ,
                       "HEDDLE_EMULATED_SEED": seed,
                       "OMP_NUM_THREADS": "1" if "_tests_emulated" in program else "2"}
        begin = time.monotonic()
        # A group of its own, so that a hang ends with all that it started.
        process = subprocess.Popen(command, cwd=self.source, env=environment, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            failed = process.wait(timeout=limit) != 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "takes too long", limit
        return "fails" if failed else "", time.monotonic() - begin

    def sound(self, program, seed, arguments=()):
        """Without a fault: how long a test takes that passes."""
        key = (program, *arguments)
        if key not in self.seconds:
            if not self.build(program):
                sys.exit(f"{program} does not build without a fault")
            problem, seconds = self.run(program, seed, 1800, arguments)
            if problem:
                sys.exit(f"{program} {problem} without a fault")
            self.seconds[key] = seconds
        return self.seconds[key]
