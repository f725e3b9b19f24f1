# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of networkx and scikit-learn that call lobpcg, with heddle's in scipy's place and MultigridPlan in pyamg's:
python3 users_own.py"""
import importlib
import sys
import types
import warnings
from pathlib import Path

import heddle
import pytest
import scipy.sparse.linalg

TESTS = {"networkx": ("linalg/tests/test_algebraic_connectivity.py", ""),
         "sklearn": ("manifold/tests/test_spectral_embedding.py", "not deprecat")}
# Tests that do not pass, and the reasons.
EXPECTED = {}
if not any(str(one) == "float32" for one in heddle._types.scalars):
    EXPECTED["test_spectral_embedding.py::test_spectral_embedding_preserves_dtype[float32-lobpcg]"] = "float32 is not built"


class Multigrid:
    """pyamg's smoothed_aggregation_solver(A), as scikit-learn calls it."""

    def __init__(self, A, **options):
        self.plan = heddle.MultigridPlan(A)

    def aspreconditioner(self):
        return self.plan


class Run:
    def __init__(self):
        self.passed, self.failed, self.skipped = [], [], []

    @pytest.fixture
    def global_random_seed(self):
        """scikit-learn's conftest.py has it, which Debian leaves out."""
        return 0

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.skipped:
            (self.passed if report.passed else self.failed if report.failed else self.skipped).append(
                report.nodeid.rpartition("/")[2])


def main():
    warnings.filterwarnings("ignore", category=heddle.ConversionWarning)
    scipy.sparse.linalg.lobpcg = heddle.lobpcg
    pyamg = sys.modules["pyamg"] = types.ModuleType("pyamg")
    pyamg.__version__, pyamg.__spec__ = "5.0", importlib.machinery.ModuleSpec("pyamg", None)
    pyamg.smoothed_aggregation_solver = Multigrid
    pyamg.aggregation = types.SimpleNamespace(aggregation=types.SimpleNamespace(csr_array=True))  # sklearn checks it
    failures, failed = [], []
    for name, (file, words) in TESTS.items():
        run = Run()
        path = Path(importlib.import_module(name).__file__).parent / file
        code = pytest.main([str(path), "-q", "-p", "no:cacheprovider", "--tb=short", "-W", "ignore", "-k", words], plugins=[run])
        print(f"{name}: {len(run.passed)} pass, {len(run.skipped)} are skipped, {len(run.failed)} do not pass")
        failures += [one for one in run.failed if one not in EXPECTED] or ([f"{path}: {code}"] if not run.passed else [])
        failed += run.failed
    failures += [f"passes, and is expected not to: {one}" for one in EXPECTED if one not in failed]
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
