# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scipy's own tests of cg, gmres, bicgstab and lobpcg, with heddle's in their place: python3 scipys_own.py [PAGE]

What does not pass is named below, with the reason. A run prints that as the list of docs/python.md, and fails where a test
differs from it, or PAGE does not hold the list."""
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

# Tests, by name and parameters, and why they do not pass.
EXPECTED = [
]


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
        params = getattr(item, "callspec", None) and item.callspec.params or {}
        types = [getattr(getattr(one, "A", one), "dtype", one) for one in params.values()]
        types = [np.dtype(one) for one in types if isinstance(one, (np.dtype, type)) and issubclass(
            one.type if isinstance(one, np.dtype) else one, np.number)]
        return all(one.kind in "iu" or str(one) in KNOWN or (one.kind == "f" and one.itemsize < 8) for one in types)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.skipped:
            self.seen[report.nodeid.rpartition("/")[2]] = report

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
        failures += [f"{name} does not pass, and is not expected" for name in failed if run.expected(name) is None]
        failures += [f"{name} passes, and is not expected to" for name in passed if run.expected(name) is not None]
        found |= {run.expected(name) for name in failed}
    lines = [f"- {reason}" for at, (_, reason) in enumerate(EXPECTED) if at in found]
    print("\n".join(lines))
    if page:
        text = Path(page).read_text()
        failures += [f"{page} does not hold: {line}" for line in lines if line not in text]
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
