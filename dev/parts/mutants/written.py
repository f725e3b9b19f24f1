# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The faults of dev/mutants.toml, each with the test on an emulated device that should see it."""
import itertools
import os
import re
import sys
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor

from workcopy import ROOT, WorkCopy

SEEDS = ["1", "2", "3"]
AT_ONCE = 3  # faults of one program: who takes them links it without a fault first


def faults():
    return tomllib.loads((ROOT / "dev" / "mutants.toml").read_text())["mutant"]


def emulated_programs():
    """A pattern of the names of programs that unit_tests/emulated builds."""
    listed = (ROOT / "unit_tests" / "emulated" / "CMakeLists.txt").read_text()
    names = [rf"{folder}_(\w+_)?{stem}" for folder, stem in re.findall(r"^ +(\w+)/(?:\w+/)*test_(\w+)\.cpp", listed, re.M)]
    names += [path.stem.removeprefix("test_") for path in (ROOT / "unit_tests" / "emulated").glob("test_*.cpp")]
    return "|".join(["spmv", *names])


def stale(mutants):
    """Faults whose text does not stand once in their file, or whose test no emulated device runs, in words."""
    programs = emulated_programs()
    for m in mutants:
        if not re.fullmatch(programs, m["test"].split()[0]):
            yield f"{m['name']}: unit_tests/emulated has no test {m['test']}"
        path = ROOT / m["file"]
        count = path.read_text().count(m["old"]) if path.exists() else 0
        if count != 1:
            yield f"{m['name']}: its text stands {count} times in {m['file']}"
        if m["old"] == m["new"]:
            yield f"{m['name']}: changes nothing"


class EmulatedCopy(WorkCopy):
    def __init__(self, folder, width, jobs):
        super().__init__(folder, jobs=jobs)
        self.width = width

    def program(self, test):
        return f"heddle_tests_emulated{self.width}_{test.split()[0]}"

    def objects(self, test):
        """The objects that hold the kernels which the test is about: a format's instances, or its own."""
        programs = self.build_folder / "unit_tests" / "emulated" / "CMakeFiles"
        if "--format=" not in test:
            return (programs / f"{self.program(test)}.dir").rglob("*.o")
        words = test.split("--format=")[1].split("_")
        instances = programs / f"heddle_emulated{self.width}_instances_double.dir"
        return [o for o in instances.rglob("*Format.cpp.o")
                if o.name.lower() == "".join(words) + "format.cpp.o"]

    def remove_objects(self, test):
        for path in self.objects(test):
            path.unlink()

    def runs(self, test, limit):
        """How the test fails, or an empty string."""
        if not self.build(self.program(test)):
            return "does not build"
        for seed in SEEDS:
            problem, _ = self.run(self.program(test), seed, limit, test.split()[1:])
            if problem:
                return f"{problem} with seed {seed}"
        return ""

    def seen(self, m):
        """How the test sees a fault, or an empty string."""
        test = m["test"]
        limit = 60 + 10 * self.sound(self.program(test), SEEDS[0], test.split()[1:])
        path = self.source / m["file"]
        text, before, touched = path.read_text(), path.stat(), False
        path.write_text(text.replace(m["old"], m["new"]))
        try:
            # The file is as old as it was, so that only what is removed is compiled.
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            self.remove_objects(test)
            how = self.runs(test, limit)
            if not how and "unseen" not in m:  # another object may have the kernel too, and the linker took that one
                touched = True
                path.touch()
                how = self.runs(test, limit)
            return how
        finally:
            path.write_text(text)
            if not touched:
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            self.remove_objects(test)


def by_program(mutants):
    of = {}
    for m in mutants:
        of.setdefault(m["test"].split()[0], []).append(m)
    return [faults[k:k + AT_ONCE] for faults in of.values() for k in range(0, len(faults), AT_ONCE)]


def run(words, width, part):
    wanted = [m for m in faults() if not words or any(
        word in m[key] for word in words for key in ("name", "file", "test"))]
    groups = by_program(wanted)[part[0]::part[1]]
    processors = len(os.sched_getaffinity(0))
    workers = max(1, min(processors, len(groups)))
    own, numbers, unseen = threading.local(), itertools.count(), []
    folder, jobs = ROOT / "build" / "mutants", max(1, processors // workers)

    # What has no fault is compiled once, by all processors; the other copies take it from ccache.
    first = EmulatedCopy(folder / "0", width, jobs=processors)
    if not first.build(*{first.program(group[0]["test"]) for group in groups}):
        sys.exit("the tests do not build without a fault")
    first.jobs = jobs

    def judge(group):
        if not hasattr(own, "copy"):
            number = next(numbers)
            own.copy = EmulatedCopy(folder / str(number), width, jobs) if number else first
        for m in group:
            how = own.copy.seen(m)
            said = how or ("not seen, as expected" if "unseen" in m else "NOT SEEN")
            print(f"{said:24} {m['test']:28} {m['name']}", flush=True)
            if not how and "unseen" not in m:
                unseen.append(m)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(judge, groups))
    print(f"{sum(map(len, groups))} faults, {len(unseen)} of them not seen and not explained")
    for m in unseen:
        print(f"  {m['file']}: {m['name']}")
    return 1 if unseen else 0
