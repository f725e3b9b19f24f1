#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what PETSc and scipy do by default on the systems of heddle-bench solve --auto, and prints it beside heddle::solve.

petsc is KSP with the relative tolerance of AUTO and all else as PETSc has it: GMRES(30), ILU(0) from the left. scipy is
scipy.sparse.linalg.spsolve: SuperLU. `dev/sandbox --with peers` has both. Tolerance, --max-seconds, --repeat and --budget are
those of AUTO. A system is solved in a process of its own, which is ended when the first solve exceeds --max-seconds; solves are
repeated as heddle-bench does, and the median counts. A time is that from A and b in the solver's own form (Mat and Vec; CSR) to
x, set-up included. A system is solved if the norm of b - A x, computed apart in long double, is at most ten times the
tolerance times that of b, as heddle-bench judges.

What the table does not say: PETSc and SuperLU run on one thread each (BLAS, which SuperLU calls, on OMP_NUM_THREADS), Heddle on
those of AUTO. No solver is told that A is symmetric, definite or singular. Heddle alone is given the coordinates of `elasticity`.
PETSc stops by the preconditioned residual, which may be too early or too late for b - A x. It ends after 10000 iterations,
whatever --max-iterations was. The limit of time ends a set-up of PETSc and scipy, and not one of Heddle; that of memory holds
for PETSc and scipy alone. Both have other solvers that serve many of these systems better than their defaults do.
"""
import argparse
import csv
import glob
import json
import os
import re
import select
import statistics
import subprocess
import sys

import choice

SLACK = 10  # of the residual, as in heddle-bench
COLUMNS = ("matrix", "kind", "name", "verdict", "scheme", "note", "setup_us", "time_us")


def read_petsc(path):
    """A matrix of real numbers in PETSc's binary form, with 32-bit integers."""
    import numpy as np
    import scipy.sparse as sp
    if not os.path.exists(path):
        sys.exit(f"there is no {path}: heddle-bench solve --write writes it")
    with open(path, "rb") as file:
        kind, rows, columns, nonzeros = (int(word) for word in np.fromfile(file, ">i4", 4))
        lengths, col_idx = (np.fromfile(file, ">i4", count).astype(np.int32) for count in (rows, nonzeros))
        values = np.fromfile(file, ">f8", nonzeros).astype(float)
        if kind != 1211216 or len(values) < nonzeros or file.read(1):
            sys.exit(f"{path} is no matrix of float64 in PETSc's binary form: write it by heddle-bench with --scalar double")
    row_ptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return sp.csr_array((values, col_idx, row_ptr), shape=(rows, columns))


def scipy_solver(A, b, settings):
    import warnings

    from scipy.sparse import linalg
    warnings.filterwarnings("error", category=linalg.MatrixRankWarning)
    return lambda: (linalg.spsolve(A, b), "spsolve", "")


def petsc_solver(A, b, settings):
    import petsc4py
    petsc4py.init(["peers"] + settings["petsc"].split())
    from petsc4py import PETSc
    alone = PETSc.COMM_SELF
    matrix = PETSc.Mat().createAIJ(A.shape, csr=(A.indptr, A.indices, A.data), comm=alone)
    right, x = (PETSc.Vec().createWithArray(array, comm=alone) for array in (b, 0 * b))
    reasons = {value: word for word, value in vars(PETSc.KSP.ConvergedReason).items() if isinstance(value, int)}

    def solve():
        ksp = PETSc.KSP().create(alone)
        ksp.setOperators(matrix)
        ksp.setTolerances(rtol=settings["tolerance"])
        ksp.setFromOptions()
        ksp.solve(right, x)
        reason = ksp.getConvergedReason()
        ended = (ksp.getType() + "/" + ksp.getPC().getType(),
                 f"{reasons.get(reason, reason).lower()} after {ksp.getIterationNumber()}")
        ksp.destroy()
        return x.getArray(), *ended
    return solve


def solve(name, path, settings):
    """In a process of its own: prints "ready", the seconds of the first solve, and at last what came of it."""
    import resource
    import time

    import numpy as np
    A, b = read_petsc(path + ".petsc"), read_petsc(path + ".b.petsc").data
    solver = {"petsc": petsc_solver, "scipy": scipy_solver}[name](A, b, settings)
    resource.setrlimit(resource.RLIMIT_AS, (int(settings["gigabytes"] * 2**30),) * 2)
    print(json.dumps("ready"), flush=True)
    seconds, ended = [], {}
    while not seconds or goes_on(seconds, settings):
        begin = time.perf_counter()
        try:
            x, scheme, note = solver()
        except Exception as failure:  # of any kind: that a default does not serve is a result
            words = " ".join(str(failure).split()) or type(failure).__name__
            memory = isinstance(failure, MemoryError) or re.search("malloc|out of memory", words, re.IGNORECASE)
            ended = {"note": "more than %g GB" % settings["gigabytes"] if memory else words}
            break
        seconds.append(time.perf_counter() - begin)
        if len(seconds) == 1:
            print(json.dumps(seconds[0]), flush=True)
            wide = np.longdouble
            residual = np.linalg.norm(b - A.astype(wide) @ x.astype(wide)) / np.linalg.norm(b)
            ended = {"scheme": scheme, "note": note, "residual": float(residual)}
    print(json.dumps({"seconds": seconds} | ended), flush=True)


def goes_on(seconds, settings):
    most = settings["budget_seconds"] * (10 if len(seconds) == 1 else 1)
    return sum(seconds) <= most and len(seconds) <= settings["repetitions"]


def measure(name, path, settings):
    """The columns of a result of solve() in a process, which is ended when its first solve takes too long."""
    words = [sys.executable, os.path.abspath(__file__), "--solve", name, path, json.dumps(settings)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, bufsize=0, env=environment()) as process:
        if not process.stdout.readline():
            sys.exit(f"{name} did not begin: see the error above; `dev/sandbox --with peers` has petsc4py and scipy")
        if not select.select([process.stdout], [], [], settings["max_seconds"])[0]:
            process.kill()
            return {"verdict": "unsupported", "note": "out of time"}
        lines = [json.loads(line) for line in process.stdout]
    ended = lines[-1] if lines and isinstance(lines[-1], dict) else {"note": "the process broke off"}
    return columns_of(ended, settings)


def columns_of(ended, settings):
    if "residual" not in ended:
        return {"verdict": "unsupported", "note": ended["note"]}
    seconds, solved = ended["seconds"], ended["residual"] <= SLACK * settings["tolerance"]
    return {"verdict": "ok" if solved else "wrong", "scheme": ended["scheme"],
            "note": "; ".join(filter(None, ["residual %.2e" % ended["residual"], ended["note"]])),
            "time_us": "%.6g" % (1e6 * statistics.median(seconds[1:] or seconds))}


def environment():
    """With what scripts of Debian's packages would link, and a disposable root has not: petsc4py, and OpenBLAS for BLAS."""
    def found(name, pattern):
        return {name: ":".join(glob.glob(pattern) + list(filter(None, [os.environ.get(name)])))}
    return (os.environ | found("PYTHONPATH", "/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages")
            | found("LD_LIBRARY_PATH", "/usr/lib/*/openblas-pthread"))


def settings_of(path):
    with open(path) as file:
        return json.loads(file.readline()[2:] if path.endswith(".csv") else file.read())["settings"]


def rows_in(path, settings):
    if not os.path.exists(path):
        return []
    if settings_of(path) != settings:
        sys.exit(f"{path} was measured with other settings: give another file")
    with open(path, newline="") as file:
        file.readline()
        return list(csv.DictReader(file))


def write(path, settings, rows):
    with open(path + ".new", "w", newline="") as file:
        file.write("# " + json.dumps({"settings": settings}) + "\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".new", path)


def table(systems, names, rows):
    """A time, or why there is none. The fastest of those that solved it, or nobody."""
    notes = {(row["matrix"], row["name"]): row["note"] for row in rows}
    yield "| system | Heddle took | ms | " + " | ".join(name + ", ms" for name in names) + " | fastest |"
    yield "| --- | --- | --- |" + " --- |" * (len(names) + 1)
    for one in systems:
        cells = [choice.milliseconds(one.peers[name]) if name in one.peers else
                 notes.get((one.name, name), "not measured").split(";")[0][:40] for name in names]
        yield "| %s |" % " | ".join([one.name, one.pair or "not solved", choice.milliseconds(one.auto), *cells, fastest(one, names)])


def fastest(one, names):
    times = {name: one.peers[name] for name in names if name in one.peers} | ({"Heddle": one.auto} if one.auto else {})
    return min(times, key=times.get, default="nobody")


def conclusions(systems, names, rows):
    solved = {"Heddle": sum(bool(one.auto) for one in systems)}
    solved |= {name: sum(name in one.peers for one in systems) for name in names}
    won = [fastest(one, names) for one in systems]
    for title, counts in (("solved", solved), ("fastest", {name: won.count(name) for name in [*solved, "nobody"]})):
        yield "%s, of %d: %s" % (title, len(systems), ", ".join("%s %d" % one for one in counts.items()))
    early = [row["matrix"] for row in rows if row["verdict"] == "wrong" and "; converged" in row["note"]]
    yield "converged as PETSc says, but not by b - A x: %s" % (", ".join(early) or "none")


def main():
    if sys.argv[1:2] == ["--solve"]:
        return solve(*sys.argv[2:4], json.loads(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("auto", metavar="AUTO", help="JSON or CSV of heddle-bench solve --auto --write SYSTEMS")
    parser.add_argument("systems", metavar="SYSTEMS", help="its folder")
    parser.add_argument("peers", metavar="PEERS.csv",
                        help="written after each solve; what it has is not measured again; choice.py reads it beside AUTO")
    parser.add_argument("--solver", nargs="+", choices=("petsc", "scipy"), default=["petsc", "scipy"])
    parser.add_argument("--petsc", metavar="OPTIONS", default="", help='such as "-ksp_norm_type unpreconditioned"')
    parser.add_argument("--max-gigabytes", type=float, default=8, help="address space of a solver (8)")
    arguments = parser.parse_args()
    settings = {key: value for key, value in settings_of(arguments.auto).items()
                if key in ("tolerance", "max_seconds", "repetitions", "budget_seconds")}
    settings |= {"petsc": arguments.petsc, "gigabytes": arguments.max_gigabytes,
                 "blas_threads": os.environ.get("OMP_NUM_THREADS", "all")}
    rows = rows_in(arguments.peers, settings)
    known = {(row["matrix"], row["name"]) for row in rows}
    wanted = [system.name for system in choice.read([arguments.auto])]
    for system in wanted:
        for name in arguments.solver:
            if (system, name) in known:
                continue
            print(f"{system}: {name}", file=sys.stderr, flush=True)
            row = measure(name, os.path.join(arguments.systems, system), settings)
            rows.append({"matrix": system, "kind": "baseline", "name": name} | row)
            write(arguments.peers, settings, rows)
    systems = [system for system in choice.read([arguments.auto, arguments.peers]) if system.name in wanted]
    print("\n".join(table(systems, arguments.solver, rows)) + "\n")
    print("\n".join("- " + line for line in conclusions(systems, arguments.solver, rows)))


if __name__ == "__main__":
    main()
