# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scipy's own tests of cg, gmres, bicgstab and lobpcg, with heddle's in their place: python3 scipys_own.py [PAGE]

What does not pass is named below, with the reason. A run prints that as the list of python/README.md, and fails where a test
does not pass for no reason, a reason has no test any more, or PAGE does not hold the list."""
import importlib
import re
import sys
import warnings
from pathlib import Path

import heddle
import numpy as np
import pytest

warnings.filterwarnings("ignore", category=heddle.ConversionWarning)
KNOWN = {str(one) for one in heddle._types.scalars}
FILES = {"scipy.sparse.linalg._isolve": ("test_iterative.py", ("cg", "gmres", "bicgstab")),
         "scipy.sparse.linalg._eigen.lobpcg": ("test_lobpcg.py", ("lobpcg",))}

# Tests that do not pass, by name and parameters, and the reasons.
EXPECTED = [
    (r"test_maxiter\[.*gmres|TestGMRES::test_callback_type", "`gmres` with a callback and no `callback_type`: scipy warns, and `maxiter` "
     "then counts iterations; here it counts cycles, as it does with `callback_type`."),
    (r"TestGMRES::test_callback$", "`gmres` gives its callback the residual of the system, where scipy's is that of M A x = M b; and "
     "`maxiter=1` is a cycle."),
    (r"test_precond_inverse", "With an exact M the function A is called four times, where scipy allows three: b - A x is computed at the end."),
    (r"test_ElasticRod|test_MikotaPair|test_diagonal_data_types", "`tol` of `lobpcg` is relative, so a search ends earlier than by scipy's absolute one."),
    (r"test_nonhermitian_warning|test_failure_to_run_iterations_nonsymmetric|test_verbosity|test_inplace_warning",
     "`lobpcg` warns in other words, and `verbosityLevel` prints nothing."),
    (r"test_fiedler_small_8", "`lobpcg` has no dense solver for small matrices, of which scipy warns."),
    (r"test_maxit$", "`retLambdaHistory` is not there."),
]
COMPLEX = ("test_abi", "test_hermitian")


class Run:
    """Keeps the tests that call heddle, of numbers that this build knows, and what became of each."""

    def __init__(self, names):
        self.names, self.others, self.seen, self.not_built = names, 0, {}, 0

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.calls_heddle(item)]
        for item in items:
            if not self.is_built(item):
                self.not_built += 1
                item.add_marker(pytest.mark.skip(reason="other numbers"))

    def calls_heddle(self, item):
        if not hasattr(item, "callspec"):
            return "qmr" not in item.nodeid.lower() and "b_orthonormalize" not in item.name
        solver = item.callspec.params.get("solver") or getattr(item.callspec.params.get("case"), "solver", None)
        return "b_orthonormalize" not in item.name and "test_show" not in item.name and (
            solver is None or solver.__module__.startswith("heddle"))

    def is_built(self, item):
        if item.name in COMPLEX and "complex128" not in KNOWN:
            return False
        for one in item.callspec.params.values() if hasattr(item, "callspec") else ():
            A = getattr(one, "A", None)
            if A is None and not (isinstance(one, type) and issubclass(one, np.number)):
                continue
            dtype = np.dtype(one) if A is None else A.dtype
            if str(dtype) not in KNOWN and (dtype.kind == "c" or dtype.itemsize > 8):
                return False
        return True

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.skipped:
            self.seen[report.nodeid.rpartition("/")[2]] = report

    def why(self, name):
        crash = getattr(self.seen[name].longrepr, "reprcrash", None)
        return crash.message.splitlines()[0] if crash else ""

    def expected(self, name):
        return next((at for at, (pattern, _) in enumerate(EXPECTED) if re.search(pattern, name)), None)


def main(page=None):
    failures, found = [], set()
    for module, (file, names) in FILES.items():
        there = importlib.import_module(module)
        for name in names:
            setattr(there, name, getattr(heddle, name))
        run = Run(names)
        pytest.main([str(Path(there.__file__).parent / "tests" / file), "-q", "-p", "no:cacheprovider", "--tb=line", "-W",
                     "ignore::heddle.ConversionWarning", "--no-header", "-rN"], plugins=[run])
        passed = [name for name, report in run.seen.items() if report.passed]
        failed = [name for name, report in run.seen.items() if report.failed]
        print(f"{file}: {len(passed)} pass, {len(run.seen) - len(passed) - len(failed)} are skipped, {run.not_built} of them of "
              f"numbers that were not built, {len(failed)} do not pass")
        failures += [f"{name} does not pass, and is not expected: {run.why(name)}" for name in failed if run.expected(name) is None]
        found |= {run.expected(name) for name in failed}
    lines = [f"- {reason}" for _, reason in EXPECTED]
    print("\n".join(lines))
    failures += [f"no test fails any more for: {EXPECTED[at][1]}" for at in range(len(EXPECTED)) if at not in found]
    if page:
        text = " ".join(Path(page).read_text().split())
        failures += [f"{page} does not hold: {line}" for line in lines if line not in text]
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
