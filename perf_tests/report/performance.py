#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/performance.md, perf_tests/results/runs.md, docs/solutions.svg, docs/products.svg, docs/speedups.svg,
README's count of losses and the table of docs/formats.md that says when which format wins, from kept results.

usage: performance.py [--check]

With --check nothing is written; it fails where a file differs from what would be.
"""
import math
import os
import sys

import choice
import peers
from picture import Picture, bars, picture
from results import (CUSPARSE_ANY, CUSPARSE_CSR, KOKKOS_KERNELS, Comparison, command, contestants, fastest,
                     fastest_of_formats, geometric_mean, load, markdown, over_auto, schemes, setup, setup_in_applies, time)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
KOKKOS_SOLVES = ("kk-ranges", "kk-teams")
JACOBI_LOOPS = ("cusparse-jacobi", "cusparse-graph-jacobi")
CONVERTED = "h200-convert-double-0.3"
# README's picture alone has these: operation and machine, peer, results, its contestants, ours.
PICTURED = [
    ("CG with Jacobi, H200", "a loop over cuSPARSE", "h200-solve-double-cg-0.3", JACOBI_LOOPS, "jacobi"),
    ("GMRES with Jacobi, H200", "a loop over cuSPARSE", "h200-solve-double-gmres-0.3", JACOBI_LOOPS, "jacobi"),
    ("ILU(0), a solve with both factors, H200", "cuSPARSE", "h200-ilu-double-0.3", ("cusparse-apply",), "apply"),
    ("A A, new values, H200", "cuSPARSE", "h200-multiply-double-aa-0.3", ("cusparse",), "auto")]
COMPARED = ["mean speed-up", "lowest", "slower by more than 5 %", "set-up pays off after"]

# The comparisons: operation, machine, results, and the peers' names with their contestants.
CUSPARSE = [("cuSPARSE, the better CSR", CUSPARSE_CSR), ("cuSPARSE, any format", CUSPARSE_ANY)]
MKL = [("MKL, optimized", ("mkl-optimized",)), ("MKL as created", ("mkl-plain",))]
ALL_FORMATS, ALL_FORMATS_ON_CPU = "h200-spmv-double-all-formats-0.3", "xeon-16-threads-spmv-double-all-formats"
KEPT_OF_FORMATS = [
    ("H200, one vector", ALL_FORMATS),
    ("8 side by side", "h200-spmv-double-all-formats-8-columns-right"),
    ("32 side by side", "h200-spmv-double-all-formats-32-columns-right"),
    ("8 apart", "h200-spmv-double-all-formats-8-columns-left"),
    ("32 apart", "h200-spmv-double-all-formats-32-columns-left"),
    ("16 threads", ALL_FORMATS_ON_CPU),
    ("2 threads", "epyc-2-threads-spmv-double-all-formats")]
SOLVED, SOLVED_ON_GPU = "epyc-2-threads-solve-double-auto", "h200-solve-double-auto-0.3"
SOLVERS = [("heddle::solve", "#0b7a75", "auto"), ("PETSc: GMRES, ILU(0)", "#c2601a", "petsc"),
           ("scipy: spsolve", "#7a6fb5", "scipy")]
PRODUCTS = [("y = Ax", "H200", "h200-spmv-double-0.3", CUSPARSE),
            ("y = Ax", "H200", ALL_FORMATS, [("Kokkos Kernels", KOKKOS_KERNELS)])]
OTHERS = [("y = Ax, 17 generated of other %s" % what, "H200", "h200-spmv-double-seed-%d-0.3" % s,
           CUSPARSE + [("Kokkos Kernels", KOKKOS_KERNELS)])
          for s, what in ((2, "seeds, half the size"), (3, "seeds, 1.4 times the size"))]
COLUMNS = [("%d vectors, %s" % (n, "by rows" if side == "right" else "by columns"), "H200",
            "h200-spmv-double-%d-columns-%s-0.3" % (n, side), [("cuSPARSE", CUSPARSE_ANY)])
           for n, side in ((8, "right"), (8, "left"), (2, "right"), (32, "left"))]
SOLVES = [(what, "H200", "h200-sptrsv-double-%s-0.3" % name, [("cuSPARSE", ("cusparse",))])
          for what, name in (("lower triangle", "lower"), ("upper triangle", "upper"),
                             ("lower triangle, 8 vectors", "8-columns"))]
XEON = "Xeon, 16 threads"
CPU = [("y = Ax", XEON, "xeon-16-threads-spmv-double-0.3",
        MKL + [("Kokkos Kernels", KOKKOS_KERNELS)]),
       ("y = Ax", "EPYC, 2 threads", "epyc-2-threads-spmv-double-all-formats",
        MKL + [("Kokkos Kernels", KOKKOS_KERNELS)])]
CPU_COLUMNS = [("8 vectors, " + where, "EPYC, 2 threads", "epyc-2-threads-spmv-double-8-columns-" + side,
                MKL[:1] + [("Kokkos Kernels", KOKKOS_KERNELS)])
               for side, where in (("right", "by rows"), ("left", "by columns"))]
CPU_SOLVES = [("lower triangle", machine, name, MKL + [("Kokkos Kernels", KOKKOS_SOLVES)])
              for machine, name in ((XEON, "xeon-16-threads-sptrsv-double"),
                                    ("Xeon, 2 threads", "xeon-2-threads-sptrsv-double"))]
FORMATS = [("CSR", "csr"), ("ELL", "ell"), ("blocked ELL", "blocked-ell"), ("COO", "coo"),
           ("GCSR", "gcsr"), ("HYB", "hyb"), ("DIA", "dia"),
           ("BCSR", "bcsr"), ("tiled", "tiled"),
           ("CSB", "csb")]
GLOSSARY = [
    ("share", "the equal part of rows plus nonzeros that a team of threads, or a CPU's thread, works on"),
    ("carry-out", "the sum of a row's part that one share hands on to the share where the row ends"),
    ("slot", "a place for an entry in a padded format (ELL, blocked ELL)"),
    ("hole", "a slot, or a place on a diagonal, that holds no entry of the matrix"),
    ("group", "rows of a triangle that are merged and solved together"),
    ("piece", "the part of a group's, or of a tile row's, entries that is worked on at a time"),
    ("task", "the rows or groups that a warp or a thread of a triangular solve takes at a time"),
    ("by rows, by columns", "several vectors in `LayoutRight`, entries of a row side by side, and in `LayoutLeft`"),
]


def matrix_of(pair):
    return "%.2f (%s)" % pair


def compared(results, names, name_lost):
    c = Comparison(results, names)
    repaid = c.repaid
    lost = "%d of %d" % (len(c.lost), len(c.gains))
    if name_lost and c.lost:
        lost += ": " + ", ".join("%s %.2f" % (name, gain) for gain, name in c.lost)
    return ["%.2f" % c.mean, matrix_of(c.least), lost,
            "never" if math.isinf(repaid) else "at once" if repaid == 0 else "%.0f" % math.ceil(repaid)]


def comparison(runs, name_lost=True):
    return markdown(["operation", "machine", "peer"] + COMPARED,
                 [[what, machine, peer] + compared(load(name), names, name_lost)
                  for what, machine, name, peers in runs for peer, names in peers])


def sources(names):
    """File, machine, date, commit and command of each."""
    rows = []
    for name in names:
        r = load(name)
        device = r["machine"]["device"]
        if r["machine"]["backend"] == "OpenMP":
            device += ", %d threads" % r["machine"]["concurrency"]
        rows.append(["[%s](%s.csv)" % (name, name), device, r["date"][:10],
                     r["commit"], "yes" if r["settings"]["verify"] else "no", "`%s`" % command(r)])
    return markdown(["results", "machine", "date", "commit", "verified", "command"], rows)


def names_of(runs):
    return list(dict.fromkeys(name for _, _, name, _ in runs))


SECTIONS = (("Products with one vector on a GPU", PRODUCTS + OTHERS),
            ("Products with several vectors on a GPU", COLUMNS),
            ("Triangular solves on a GPU", SOLVES),
            ("Products on a CPU", CPU + CPU_COLUMNS),
            ("Triangular solves on a CPU", CPU_SOLVES))


def from_runs(names):
    return ["From " + ", ".join("[%s](../perf_tests/results/%s.csv)" % (name, name) for name in names) + "."]


def runs_page():
    lines = ["# Runs that docs/performance.md is made of", "",
             "Written by `perf_tests/report/performance.py` from the files beside it. [The page](../../docs/performance.md) has what they say."]
    for title, runs in SECTIONS:
        lines += section(title, sources(names_of(runs)))
    lines += section("Conversions", sources([CONVERTED]))
    lines += section("Whole solves", sources([SOLVED, SOLVED_ON_GPU]), ["What PETSc and scipy ran with: "
                     "[NOTES-solve.md](NOTES-solve.md#heddlesolve-beside-petscs-and-scipys-defaults)."])
    lines += section("In README's picture alone", sources([name for _, _, name, _, _ in PICTURED]))
    return "\n".join(lines) + "\n"


def section(title, *parts):
    lines = ["", "## " + title]
    for part in parts:
        lines += [""] + part
    return lines


def summary():
    return comparison(PRODUCTS + [r for r in COLUMNS if r[0].startswith("8 ")] + SOLVES[:1] + CPU[:1] +
                      CPU_SOLVES[:1], name_lost=False)


def of_format(names, wanted):
    """Schemes of a format; those of dia/rest=coo are another's than dia's."""
    alike = [n for n in names if n == wanted or n.startswith((wanted + "/", wanted + ","))]
    return [n for n in alike if wanted != "dia" or "rest=" not in n]


def formats_table():
    runs = [load(ALL_FORMATS), load(ALL_FORMATS_ON_CPU)]
    rows = []
    for title, name in FORMATS:
        row = [title]
        for results in runs:
            ours = of_format(schemes(results), name)
            found = over_auto(results, ours)
            ratios = [ratio for ratio, _ in found]
            row += [len(found), "%.2f" % geometric_mean(ratios), matrix_of(found[0]),
                    sum(r < 1 / 1.05 for r in ratios)] if found else ["", "", "", ""]
        rows.append(row)
    return markdown(["format", "H200: matrices", "mean", "lowest", "below 0.95",
                  "16 threads: matrices", "mean", "lowest", "below 0.95"], rows)


def setups():
    rows = []
    for what, machine, name, _ in PRODUCTS[:1] + COLUMNS[:2] + SOLVES + CPU + CPU_SOLVES:
        found = setup_in_applies(load(name))
        count = [applies for applies, _ in found]
        rows.append([what, machine, "%.1f" % count[len(count) // 2], "%d of %d" %
                     (sum(c < 20 for c in count), len(count)), "%.0f (%s)" % found[-1]])
    return markdown(["operation", "machine", "median, in applies", "below 20", "most"], rows)


def conversions():
    results = load(CONVERTED)
    names = ["csr/adaptive", "ell", "blocked-ell", "coo", "gcsr", "hyb", "dia",
             "bcsr/2x2", "tiled/16", "csb", "transpose", "cusparse-bsr", "cusparse-csc"]
    rows = []
    for m in results["matrices"]:
        found = contestants(m)
        best = [fastest(found, of_format(found, n)) for n in names]
        rows.append((m["name"], best))
    return markdown(["matrix"] + ["`%s`" % n for n in names],
                 [[name] + ["%.2f" % (1e3 * time(b)) if b else "-" for b in best] for name, best in rows])


def short(number):
    return "%.0f" % number if number >= 99.5 else "%.1f" % number


def microseconds(contestant):
    return short(1e6 * time(contestant)) if contestant else "-"


def solutions(name):
    """Of every system whole times of heddle::solve and its peers; who solved it and who was the fastest."""
    run = load(name)
    there = {c["name"] for m in run["matrices"] for c in m["contestants"]}
    names = [peer for _, _, peer in SOLVERS[1:] if peer in there]
    rows = [{"matrix": m["name"]} | c for m in run["matrices"] for c in m["contestants"] if c["name"] in names]
    systems = choice.systems_of(choice.rows_of_run(run))
    return ["- " + line for line in peers.conclusions(systems, names, rows)], list(peers.table(systems, names, rows))


def solutions_picture():
    matrices, series = load(SOLVED)["matrices"], []
    for title, colour, name in SOLVERS:
        found = [(m, contestants(m).get(name)) for m in matrices]
        whole = [(m, setup(c) + time(c)) for m, c in found if c]
        series.append((title, colour, [
            (m["features"]["nonzeros"], 1e3 * seconds, "%s, %s: %s ms" % (m["name"], title, choice.milliseconds(seconds)))
            for m, seconds in whole]))
    return picture(series, "Time to solution of A x = b, set-up counted, of %d systems on a CPU" % len(matrices),
                   ("entries of A", "milliseconds until x"))


def every_matrix():
    product, solve, cpu = load(ALL_FORMATS), load(SOLVES[0][2]), load(CPU[0][2])
    triangles = {m["name"]: contestants(m) for m in solve["matrices"]}
    threads = {m["name"]: contestants(m) for m in cpu["matrices"]}
    bandwidth = product["figures"]["triad_gbytes_per_second"] * 1e9
    rows = []
    for m in sorted(product["matrices"], key=lambda m: m["name"].lower()):
        f, t = contestants(m), triangles.get(m["name"], {})
        c = threads.get(m["name"], {})
        rows.append([m["name"], "{:,}".format(m["features"]["rows"]),
                     "{:,}".format(m["features"]["nonzeros"]), "`%s`" % m["chosen_scheme"],
                     short(1e6 * m["apply_bytes"] / bandwidth)] +
                    [microseconds(fastest(f, n)) for n in (("auto",), CUSPARSE_CSR, CUSPARSE_ANY,
                                                            KOKKOS_KERNELS)] +
                    [microseconds(t.get(n)) for n in ("auto", "cusparse")] +
                    [microseconds(c.get(n)) for n in ("auto", "mkl-optimized")])
    return markdown(["matrix", "rows", "nonzeros", "scheme taken", "at triad's speed", "`auto`",
                  "cuSPARSE CSR", "cuSPARSE any", "Kokkos Kernels", "solve: `auto`", "cuSPARSE",
                  "16 threads: `auto`", "MKL optimized"], rows)


def read(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name)) as file:
        return file.read().rstrip().split("\n")


def page():
    lines = read("performance.head.txt")
    lines += section("How much faster, and at what price?", summary())
    lines += section("Time to solution", read("performance.solve.txt"), *solutions(SOLVED), from_runs([SOLVED]))
    lines += section("Time to solution on a GPU", read("performance.solve-gpu.txt"), *solutions(SOLVED_ON_GPU),
                     from_runs([SOLVED_ON_GPU]))
    for title, runs in SECTIONS:
        lines += section(title, comparison(runs), from_runs(names_of(runs)))
    lines += section("Is another format faster than what a plan takes?",
                     ["Time of each format's best scheme over that of `auto`, where the format holds the "
                      "matrix; from the", "results of products above."], formats_table())
    lines += section("What does set-up cost?", ["Of `auto`, in its own applies."], setups())
    lines += section("How long does a conversion take?",
                     ["Milliseconds from CSR into a plan, allocations included, on an H200."],
                     conversions(), from_runs([CONVERTED]))
    lines += section("Every matrix", ["![Time of y = A x over the bytes that it moves, of each matrix on an H200](products.svg)"], [
        "Microseconds of a product and of a lower triangular solve on an H200, and of a product with 16 threads on",
        "a Xeon; `-` where there is none. *At triad's speed* is CSR's minimum of bytes (12 a nonzero, 4 a row pointer, x and y",
        "once) over the bandwidth measured in the same run."], every_matrix())
    lines += section("Glossary", ["Words of measurements; the others are in the [index](overview.md#glossary)."],
                     markdown(["word", "meaning"], [("*%s*" % a, b) for a, b in GLOSSARY]))
    return "\n".join(lines) + "\n"


def speedups():
    """Of README's picture: (operation and machine, [(peer, results, its contestants, ours)])."""
    for what, machine, name, peers in (PRODUCTS + [r for r in COLUMNS if r[0].startswith("8 ")] + SOLVES[:1] + CPU[:1] +
                                       CPU_SOLVES[:1]):
        yield "%s, %s" % (what, machine), [(peer, name, names, "auto") for peer, names in peers]
    for what, peer, name, names, ours in PICTURED:
        yield what, [(peer, name, names, ours)]


def speedups_picture():
    return bars([(what, [(peer, c.mean, "%d of %d" % (len(c.lost), len(c.gains)),
                          "#0b7a75" if "H" in what.split(", ")[-1] else "#c2601a")
                         for peer, name, names, ours in peers
                         for c in [Comparison(load(name), names, ours)]])
                 for what, peers in speedups()], "Speed-up of Heddle's automatic choice over each library")


def losses():
    """README's sentence beneath the picture."""
    compared_with = [Comparison(load(name), names, ours) for _, peers in speedups() for _, name, names, ours in peers]
    lowest = min(c.least for c in compared_with)
    return ["Losses: of %d comparisons in the picture Heddle is more than 5 %% slower in %d. The worst speed-up is %.2f "
            "(`%s`)." % (sum(len(c.gains) for c in compared_with), sum(len(c.lost) for c in compared_with), *lowest)]


def winners():
    """Of each format the matrices on which it is the fastest, and its largest lead over the next format."""
    names = [name for _, name in FORMATS]
    columns = []
    for _, run in KEPT_OF_FORMATS:
        won = {name: [] for name in names}
        for matrix in load(run)["matrices"]:
            found = fastest_of_formats(dict(matrix, contestants=[
                c for c in matrix["contestants"] if not c["name"].startswith("dia/rest=coo")]))
            ranked = sorted((time(found[name]), name) for name in names if name in found)
            if ranked:
                won[ranked[0][1]].append((ranked[1][0] / ranked[0][0] if len(ranked) > 1 else 1, matrix["name"]))
        columns.append(won)
    rows = [["`%s`" % name] + ["%d: %s" % (len(won[name]), matrix_of(max(won[name]))) if won[name] else "0"
                               for won in columns] for name in names]
    return markdown(["format"] + [title for title, _ in KEPT_OF_FORMATS], rows)


def between(page, mark, lines):
    """The page with these lines between its marks."""
    begin, end = "<!-- %s: begin -->\n" % mark, "<!-- %s: end -->" % mark
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    if begin not in text or end not in text:
        sys.exit("performance.py: %s has not both of %s and %s" % (page, begin.strip(), end))
    before, rest = text.split(begin)
    return before + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def products_picture():
    results = load(ALL_FORMATS)
    peers = [("a plan's automatic choice", "#0b7a75", ("auto",)), ("cuSPARSE, any format", "#c2601a", CUSPARSE_ANY),
             ("Kokkos Kernels", "#7a6fb5", KOKKOS_KERNELS)]
    series = []
    for name, colour, names in peers:
        found = [(m, fastest(contestants(m), names)) for m in results["matrices"]]
        series.append((name, colour, [
            (m["apply_bytes"] / 1e6, 1e6 * time(c), "%s, %s: %.1f us" % (m["name"], name, 1e6 * time(c)))
            for m, c in found if c]))
    return picture(series, "Time of y = Ax over its bytes, of %d matrices on an H200" % len(results["matrices"]),
                   ("MB that y = Ax moves at least in CSR (matrix, x and y)", "microseconds"),
                   1e9 * results["figures"]["triad_gbytes_per_second"])


def is_kept(path, made):
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        return made.is_in(file.read()) if isinstance(made, Picture) else file.read() == made


def main():
    wanted = {os.path.join(ROOT, "docs", "solutions.svg"): solutions_picture(),
              os.path.join(ROOT, "docs", "products.svg"): products_picture(),
              os.path.join(ROOT, "docs", "speedups.svg"): speedups_picture(),
              os.path.join(ROOT, "docs", "performance.md"): page(),
              os.path.join(ROOT, "perf_tests", "results", "runs.md"): runs_page(),
              os.path.join(ROOT, "docs", "formats.md"): between("docs/formats.md", "winners", winners()),
              os.path.join(ROOT, "README.md"): between("README.md", "figures", losses())}
    stale = [path for path, made in wanted.items() if not is_kept(path, made)]
    if "--check" in sys.argv[1:]:
        if stale:
            sys.exit("performance.py: run it without --check; out of date: %s" % ", ".join(map(os.path.normpath, stale)))
        return
    for path in stale:
        with open(path, "w") as file:
            file.write(wanted[path].svg() if isinstance(wanted[path], Picture) else wanted[path])


if __name__ == "__main__":
    main()
