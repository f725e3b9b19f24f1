# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that are drawn from a seed, all over the library, and the tests that should see them."""
import random
import shutil
from collections import Counter

import operators
from nearest import Tests
from workcopy import ROOT, WorkCopy

LIBRARY = ["core", "backends", "formats", "matrices", "solvers"]
# What no test of this machine compiles.
ELSEWHERE = ("backends/cuda/", "backends/hip/", "backends/gpu/", "solvers/tpetra/", "solvers/petsc/", "solvers/kokkos_kernels/")


def draw(source, number, seed, folders):
    """(file, index of the line, name, the line with the fault) from files that are drawn first, so that a
    long one is not drawn more often."""
    generator = random.Random(seed)
    files = []
    for folder in folders or LIBRARY:
        under = source / folder
        files += [under] if under.is_file() else sorted(under.rglob("*.hpp"))
    faults = {}
    for path in files:
        if not str(path.relative_to(source)).startswith(ELSEWHERE):
            of_file = list(operators.faults(path.read_text()))
            if of_file:
                faults[path] = of_file
    drawn = []
    for _ in range(min(number, sum(map(len, faults.values())))):
        path = generator.choice(sorted(faults))
        at = generator.randrange(len(faults[path]))
        drawn.append((path, *faults[path].pop(at)))
        if not faults[path]:
            del faults[path]
    return drawn


class Drawn:
    def __init__(self, number, seed, folders, most_tests):
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        # Nothing compiled in advance, which each fault would compile again.
        self.copy = WorkCopy(ROOT / "build" / "mutants-drawn",
                             ["-DHEDDLE_INSTANTIATE=", "-DHEDDLE_FULL_TESTS=OFF", *launcher])
        self.source, self.seed, self.most_tests = self.copy.source.resolve(), str(seed), most_tests
        self.tests = Tests(self.source, self.copy.build_folder / "include")
        self.faults = draw(self.source, number, seed, folders)

    def seen(self, path, index, changed):
        """How a test sees the fault and which does; neither where none does, and how many tried."""
        programs = self.tests.nearest(path, self.most_tests)
        limits = {p: 30 + 10 * self.copy.sound(p, self.seed) for p in programs}
        text = path.read_text()
        lines = text.split("\n")
        lines[index] = changed
        path.write_text("\n".join(lines))
        try:
            for program in programs:
                if not self.copy.build(program):
                    return "does not build", program, len(programs)
                problem, _ = self.copy.run(program, self.seed, limits[program])
                if problem:
                    return problem, program, len(programs)
            return "", "", len(programs)
        finally:
            path.write_text(text)

    def run(self):
        survivors = []
        for path, index, name, changed in self.faults:
            place = f"{path.relative_to(self.source)}:{index + 1}"
            before = path.read_text().split("\n")[index].strip()
            how, program, tried = self.seen(path, index, changed)
            said = how or ("SURVIVES" if tried else "no test reads it")
            print(f"{said:16} {place}: {name}" + (f" ({program})" if program else ""), flush=True)
            if not how:
                survivors.append((str(path.relative_to(self.source).parent), place, name, before,
                                  changed.strip(), tried))
        print(f"{len(self.faults)} faults, {len(survivors)} of them survive")
        for folder, count in sorted(Counter(s[0] for s in survivors).items()):
            print(f"{folder}: {count}")
            for _, place, name, before, after, tried in filter(lambda s: s[0] == folder, survivors):
                print(f"  {place}: {name}, {tried} tests\n    - {before}\n    + {after}")
        return 1 if survivors else 0
