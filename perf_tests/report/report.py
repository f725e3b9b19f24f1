#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns results of heddle-bench, JSON or CSV, into one HTML page that needs nothing else.

usage: report.py RESULTS... -o REPORT.html
       report.py RESULTS -o DENSE.svg      of dense matrices of one size: every contestant from one row to one column
"""
import argparse
import sys
from html import escape

from keep import read_run, spread
from picture import cells, picture, ratios
from results import (MARGIN, contestants, fastest_of_formats, form_of_peers, format_of, geometric_mean, pairs_of_forms,
                     setup, time, unsteady_times)

OPERATIONS = {  # title, formula, what is timed
    "spmv": ("Sparse matrix times vector", "y = A x", "applies"),
    "sptrsv": ("Sparse triangular solve", "op(T) x = b", "solves"),
    "convert": ("Conversion", "From CSR", "conversions"),
    "ilu": ("Incomplete factors", "New factors of the same pattern", "factorizations"),
    "gs": ("Gauss-Seidel", "Sweeps, and a product", "sweeps"),
    "solve": ("Whole solves", "A x = b from zero, by a Krylov method", "solves"),
    "multiply": ("Products of matrices", "Values of a known pattern", "products"),
    "multigrid": ("Multigrid", "A V cycle", "cycles"),
}
STEPS = {"memory": "through memory", "cluster": "in a cluster", "cluster_barrier": "by a barrier of a cluster",
         "team": "in a team", "warp": "in a warp", "barrier": "by a barrier of all threads"}
OURS, CHOSEN, PEER = "#0b7a75", "#e07a1f", "#7a6fb5"
COLOURS = [OURS, "#c2601a", PEER, "#1f6fb2", "#3f7d20", "#c62828", "#a0522d", "#c2a000", "#2aa198", "#888888", "#d05090"]


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return "%.2f %s" % (seconds / size, unit)
    return "%.1f µs" % (seconds * 1e6)


class Matrix:
    """One matrix with its fastest scheme, what was chosen, and the fastest peer; each may be None.

    pairs: (contestant of ours, peer) that are compared. They are what was chosen and the fastest peer, but in `convert`
    each scheme and the fastest peer that makes the same form. `convert` has no fastest scheme or peer of all.
    """

    def __init__(self, json, run):
        self.json, self.name, self.features = json, json["name"], json["features"]
        self.found = {n: c for n, c in contestants(json).items() if time(c) > 0}
        right = list(self.found.values())
        schemes = [c for c in right if c["kind"] == "scheme"]
        named = [c for c in schemes if c["name"] != "auto"] or schemes
        self.peers = [c for c in right if c["kind"] == "baseline"]
        self.best, self.peer = (min(some, key=time, default=None) for some in (named, self.peers))
        self.chosen = self.found.get("auto") or next((c for c in named if c["chosen"]), None)
        ours = self.chosen or self.best
        self.pairs = [(ours, self.peer)] if ours and self.peer else []
        self.block = run["settings"]["block"] if run["operation"] == "convert" else 0
        if self.block:
            self.best = self.peer = None
            self.pairs = [(c, peer) for c, peer in pairs_of_forms(json, self.block) if time(c) > 0 and time(peer) > 0]
        # The reference without inspection: the fastest peer whose set-up takes less than one apply.
        ready = [c for c in self.peers if setup(c) < time(c)] or self.peers or schemes
        self.reference = min(ready, key=time, default=None)
        self.wrong = [c["name"] for c in json["contestants"] if c["verdict"] == "wrong"]
        self.levels = json.get("triangle", {}).get("levels", 0)

    def lost(self):
        return [(ours, peer) for ours, peer in self.pairs if time(ours) > MARGIN * time(peer)]

    def rivals(self, ours):
        """The contestants to show beside one of ours, the fastest first: all, but in `convert` those of the same form."""
        def same(c):
            form = form_of_peers(ours["name"], self.block)
            return c["name"].endswith(form) if c["kind"] == "baseline" else form_of_peers(c["name"], self.block) == form
        return sorted((c for c in self.found.values() if not self.block or same(c)), key=time)

    def tip(self, c):
        text = "%s\n%s: %s, set-up %s" % (self.name, c["name"], duration(time(c)), duration(setup(c)))
        if (c.get("scheme") or c["name"]) != c["name"]:
            text += "\n" + c["scheme"]
        if c.get("moved_bytes"):
            text += "\nmoves %.1f MB, %.0f GB/s" % (c["moved_bytes"] / 1e6, c["moved_bytes"] / time(c) / 1e9)
        steady = spread(c["time_seconds"])
        return text + ("" if steady is None else "\nspread of the times %.0f %%" % (100 * steady))

    def payback(self, c):
        """Applies after which the set-up of `c` is repaid against the reference; None if never."""
        gain = time(self.reference) - time(c)
        return setup(c) / gain if gain > 0 else None


def table(heads, rows):
    return "<div class=wide><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>" % (
        "".join("<th>%s</th>" % escape(h) for h in heads),
        "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % cell for cell in row) for row in rows))


def title(run):
    s = run["settings"]
    text = "%s, %s" % (run["machine"]["device"], s["scalar"])
    if run["operation"] == "sptrsv":
        text += ", %s%s triangle" % ("unit " if s["diagonal"] == "unit" else "", s["triangle"])
        text += "" if s["op"] == "none" else ", " + s["op"]
    if s["columns"] > 1:
        text += ", %d columns, layout %s" % (s["columns"], s.get("layout", "left"))
    return text + ("" if s["offset_bits"] == 32 else ", %d-bit offsets" % s["offset_bits"]) + (
        ", caches flushed" if s["flush"] else "")


def steps_of(run):
    steps = run["figures"].get("step_seconds", {})
    return [(1e9 * seconds, "a step %s, %.0f ns" % (STEPS[name], 1e9 * seconds))
            for name, seconds in steps.items() if seconds] if run["operation"] == "sptrsv" else []


def facts(run, matrices, noun):
    figures, s = run["figures"], run["settings"]
    lines = ["Measured: triad %.0f GB/s, copy %.0f GB/s, launch to fence %s, queued launch %s." % (
        figures["triad_gbytes_per_second"], figures["copy_gbytes_per_second"], duration(figures["launch_seconds"]),
        duration(figures["queued_launch_seconds"])),
        "Machine: %s, host %s. Heddle %s (%s), Kokkos %s, %s." % (
            run["machine"]["backend"], run["machine"]["cpu"], run["heddle_version"], run["commit"],
            run["kokkos_version"], run["compiler"]),
        "%s, median of at most %d repetitions by %s; results were %sverified." % (
            run["date"], s["repetitions"], s["stopwatch"], "" if s["verify"] else "not ")]
    compared = [time(peer) / time(ours) for m in matrices for ours, peer in m.pairs]
    if compared:
        of_forms = run["operation"] == "convert"
        lines.append("<b>%.2f times</b> as fast as the fastest peer%s, geometric mean over %d %s; slower by over 5 %% "
                     "on %d." % (geometric_mean(compared), " that makes the same form" if of_forms else "", len(compared),
                                 noun if of_forms else "matrices", sum(len(m.lost()) for m in matrices)))
    chosen = [m for m in matrices if m.chosen and m.best]
    if chosen:
        setups = sorted(setup(m.chosen) / time(m.chosen) for m in chosen)
        lines.append("The choice is within 5 %% of the best scheme on %d of %d; its set-up takes %.1f %s, median." % (
            sum(time(m.chosen) <= MARGIN * time(m.best) for m in chosen), len(chosen), setups[len(setups) // 2], noun))
    wrong = ["%s: %s" % (m.name, ", ".join(m.wrong)) for m in matrices if m.wrong]
    if wrong:
        lines.append("<b class=wrong>WRONG</b> " + escape("; ".join(wrong)))
    unsteady = unsteady_times(run)
    if unsteady:
        lines.append("<b>Unsteady times</b>, not to be compared: " + escape("; ".join(unsteady)))
    return "<ul>%s</ul>" % "".join("<li>%s</li>" % line for line in lines)


def points(matrices, place):
    """place(matrix, contestant): (x, y); of the best scheme, the choice and the best peer."""
    series = [(name, colour, [place(m, c) + (m.tip(c),) for m in matrices for c in [getattr(m, key)] if c])
              for name, colour, key in (("best scheme", OURS, "best"), ("chosen scheme", CHOSEN, "chosen"),
                                        ("best peer", PEER, "peer"))]
    return [one for one in series if one[2]]


def pictures(run, matrices):
    if run["operation"] == "sptrsv":
        shown = points([m for m in matrices if m.levels], lambda m, c: (m.features["rows"] / m.levels, 1e9 * time(c) / m.levels))
        if shown:
            yield "A level against its rows", picture(shown, "ns a level over its rows", ("rows a level", "ns a level"),
                                                      levels=steps_of(run))
    else:
        shown = points([m for m in matrices if m.json["apply_bytes"]],
                       lambda m, c: (m.json["apply_bytes"] / 1e6, 1e6 * time(c)))
        if shown:
            yield "Time against bytes", picture(
                shown, "time over CSR's minimum of bytes", ("MB at least", "microseconds"),
                1e9 * run["figures"]["triad_gbytes_per_second"])
    rows = [(m.name, [(time(m.peer) / time(c), colour, m.tip(c)) for c, colour in
                      [(c, PEER) for c in m.peers] + [(m.best, OURS), (m.chosen, CHOSEN)] if c])
            for m in sorted((m for m in matrices if m.peer and m.best), key=lambda m: time(m.best) / time(m.peer))]
    if rows:
        yield "Times as fast as the best peer", ratios(rows, "times as fast as the best peer, a row a matrix")


def times(matrices, noun):
    """A row a matrix; columns are the fastest of each format, and the peers."""
    by_format = {m.name: fastest_of_formats(m.json) for m in matrices}
    names = list(dict.fromkeys(n for found in by_format.values() for n in found))

    def cell(m, c):
        if not c:
            return "–"
        text = "<b>%s</b>" if c is m.best or c is m.peer else "%s"
        rest = c.get("allocation_seconds")
        more = "<br><small>%s without allocations</small>" % duration(
            max(0, time(c) - rest["median"])) if rest and noun == "conversions" else ""
        return '<span title="%s">%s</span>%s' % (escape(m.tip(c)), text % duration(time(c)), more)

    return table(["matrix", "rows", "nonzeros", "row mean / max", "chosen", "time", "set-up in " + noun] + names,
                 [[escape(m.name), "{:,}".format(m.features["rows"]), "{:,}".format(m.features["nonzeros"]),
                   "%.1f / %d" % (m.features["mean_row"], m.features["max_row"]),
                   "<code>%s</code>" % escape(m.json["chosen_scheme"]), cell(m, m.chosen),
                   "%.1f" % (setup(m.chosen) / time(m.chosen)) if m.chosen else "–"] +
                  [cell(m, by_format[m.name].get(n)) for n in names]
                  for m in sorted(matrices, key=lambda m: m.name.lower())])


def formats(matrices, noun):
    """Of each format, by its best scheme of a matrix: gain, set-up, and after how many applies it is repaid, as medians."""
    found = {}
    for m in matrices:
        for name, c in fastest_of_formats(m.json).items():
            if c["kind"] == "scheme" and time(c) > 0:
                found.setdefault(name, []).append((m, c))

    def median(values):
        return "%.2f" % sorted(values)[len(values) // 2] if values else "–"

    rows = []
    for name, runs in sorted(found.items(), key=lambda one: -len(one[1])):
        paid = [after for after in (m.payback(c) for m, c in runs) if after is not None]
        rows.append(["<code>%s</code>" % escape(name), len(runs), sum(c is m.best for m, c in runs),
                     median([time(m.reference) / time(c) for m, c in runs]),
                     median([setup(c) / time(m.reference) for m, c in runs]), len(paid), median(paid)])
    return "" if len(rows) < 2 else (
        "<h3>Formats: set-up against gain</h3><p>The reference of a matrix is the fastest peer whose set-up is under one of "
        "its own %s, or else the fastest peer.</p>" % noun) + table(
            ["format", "matrices", "fastest on", "times as fast as the reference", "set-up in its " + noun,
             "repaid on", "after"], rows)


def losses(matrices, noun):
    """Each pair of a matrix whose peer is more than 5 % faster, worst first."""
    parts = []
    lost = [(m, ours, peer) for m in matrices for ours, peer in m.lost()]
    for m, ours, peer in sorted(lost, key=lambda one: time(one[2]) / time(one[1])):
        rows = []
        for c in m.rivals(ours):
            after = m.payback(c)
            rows.append([escape(c["name"]), duration(time(c)), "%.2f" % (time(c) / time(peer)), duration(setup(c)),
                         "reference" if c is m.reference else "never" if after is None else "%.0f" % after])
        heads = ["contestant", "time", "of the best peer's", "set-up", "repaid after " + noun]
        if m.block:  # a conversion is its own set-up
            heads, rows = heads[:3], [row[:3] for row in rows]
        counts = m.json.get("row_lengths")
        parts.append("<details><summary>%s: <code>%s</code> takes %s, %.2f times <code>%s</code></summary>%s%s%s</details>" % (
            escape(m.name), escape(ours.get("scheme") or ours["name"]), duration(time(ours)),
            time(ours) / time(peer), escape(peer["name"]),
            "<div class=pattern>%s</div>" % cells(m.json["pattern"]) if m.json.get("pattern") else "",
            "<p>Rows of 0, 1, 2 to 3, 4 to 7, ... entries: %s.</p>" % ", ".join(map(str, counts)) if counts else "",
            table(heads, rows)))
    return "<h3>Where a peer is faster by over 5 %</h3>" + ("".join(parts) or "<p>Nowhere.</p>")


def section(run):
    noun = OPERATIONS[run["operation"]][2]
    matrices = [Matrix(m, run) for m in run["matrices"]]
    parts = ["<h2>%s</h2>" % escape(title(run)), facts(run, matrices, noun)]
    if run["operation"] != "convert":
        parts += ["<figure><h3>%s</h3>%s</figure>" % (name, one.svg()) for name, one in pictures(run, matrices)]
        parts.append(formats(matrices, noun))
    parts.append("<h3>Times</h3>" + times(matrices, noun))
    if any(m.pairs for m in matrices):
        parts.append(losses(matrices, noun))
    return "<section>%s</section>" % "".join(parts)


STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1f2933;max-width:1230px;margin:0 auto;padding:20px}
table{border-collapse:collapse;font-size:12px}th,td{padding:4px 7px;border-bottom:1px solid #dfe4ea;text-align:right;
white-space:nowrap}th:first-child,td:first-child{text-align:left}th{white-space:normal;color:#6b7785;vertical-align:bottom}
td b{color:#0b7a75}.wide{overflow-x:auto}figure{margin:0 0 20px;max-width:900px}svg{width:100%;height:auto}
.pattern{width:260px;border:1px solid #dfe4ea}.wrong{color:#c62828}small{color:#6b7785}
"""


def dense(run):
    """Times of dense matrices of equal entries over their rows: the fastest of each format, the choice, and each peer."""
    found = {}
    for m in sorted(run["matrices"], key=lambda m: m["features"]["rows"]):
        shape = m["features"]
        if shape["nonzeros"] == shape["rows"] * shape["columns"]:
            for name, c in contestants(m).items():
                found.setdefault((c["kind"] != "scheme", format_of(c), name), []).append(
                    (shape["rows"], 1e6 * time(c), "%s, %d rows: %.1f µs" % (name, shape["rows"], 1e6 * time(c))))
    if not found:
        sys.exit("report.py: there is no dense matrix; run heddle-bench spmv --set dense")
    colours, series = {}, []
    for (_, name, _), line in sorted(found.items()):  # a format has one colour, and one entry of the legend
        series.append(("" if name in colours else name, colours.setdefault(name, COLOURS[len(colours) % len(COLOURS)]), line))
    return picture(series, "dense matrices from one row to one column", ("rows", "microseconds"), joined=True).svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", metavar="RESULTS")
    parser.add_argument("-o", "--output", required=True, metavar="REPORT.html")
    arguments = parser.parse_args()
    runs = [read_run(path) for path in arguments.results]
    for path, run in zip(arguments.results, runs):
        if run.get("operation") not in OPERATIONS:
            sys.exit("%s: results of %s, and this reads those of %s" % (path, run.get("operation"), ", ".join(OPERATIONS)))
    text = ""
    for name, (heading, formula, _) in OPERATIONS.items():
        mine = [section(run) for run in runs if run["operation"] == name]
        if mine:
            text += "<h1>%s</h1><p>%s by every scheme of Heddle and its peers. Hover over a point or a time for more.</p>%s" % (
                heading, formula, "".join(mine))
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(dense(runs[0]) if arguments.output.endswith(".svg") else (
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            "<title>heddle-bench</title><style>%s</style>%s</html>\n" % (STYLE, text)))


if __name__ == "__main__":
    main()
