# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tests read a file, by what they include: those that are named like it first, then those that read the
least."""
import re
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(heddle/[^>]+)>)', re.MULTILINE)
# Of paths, that tell nothing of what a file is about.
PLAIN_WORDS = {"core", "backends", "formats", "matrices", "solvers", "common", "plan", "of", "and", "in", "on", "by", "with"}


class Tests:
    def __init__(self, source, include_tree):
        self.source, self.include_tree = source, include_tree
        self.direct, self.read = {}, {}
        self.programs = {}  # a program and its source
        emulated = (source / "unit_tests/emulated/CMakeLists.txt").read_text()
        for path in sorted((source / "unit_tests").rglob("test_*.cpp")):
            name = str(path.relative_to(source / "unit_tests"))
            if name.startswith(("tpetra/", "petsc/")) or "kokkos_kernels" in path.name:
                continue
            word = re.sub(r"(^|/)test_", "_", name.removesuffix(".cpp")).replace("/", "_").lstrip("_")
            if name.startswith("emulated/"):
                self.programs["heddle_tests_emulated32_" + word.removeprefix("emulated_")] = path
                continue
            self.programs["heddle_tests_" + word] = path
            if name in emulated:
                self.programs["heddle_tests_emulated32_" + word] = path

    def includes(self, path):
        """The files that one includes itself."""
        if path not in self.direct:
            found = []
            for quoted, angled in INCLUDE.findall(path.read_text()):
                target = path.parent / quoted if quoted else self.include_tree / angled
                if target.exists():
                    found.append(target.resolve())
            self.direct[path] = found
        return self.direct[path]

    def closure(self, path):
        """All that a source reads of this project."""
        if path not in self.read:
            seen, left = set(), [path.resolve()]
            while left:
                file = left.pop()
                if file not in seen:
                    seen.add(file)
                    left.extend(self.includes(file))
            self.read[path] = seen
        return self.read[path]

    def nearest(self, file, most):
        """Programs that read `file`: at most so many of the host's and one of the emulated device's."""
        words = set(re.split(r"[/_]", str(file.relative_to(self.source).with_suffix("")))) - PLAIN_WORDS
        found = sorted((-len(words & set(program.split("_"))), len(self.closure(source)), program)
                       for program, source in self.programs.items()
                       if file.resolve() in self.closure(source))
        emulated = [p for *_, p in found if "_emulated32_" in p]
        return [p for *_, p in found if p not in emulated][:most] + emulated[:1]
