#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns results of heddle-bench, JSON or CSV, into one HTML page that needs nothing else.

usage: report.py RESULTS... -o REPORT.html        (Debian: python3-matplotlib; or dev/sandbox --with report)

Two results of one operation with the same settings are put beside each other: before and after.
"""
import argparse
import math
import sys
from html import escape

import beside
import conversions
import kept
import losses
import plots
import steadiness

OPERATIONS = {
    "spmv": ("Sparse matrix times vector", "y = A x"),
    "sptrsv": ("Sparse triangular solve", "op(T) x = b"),
    "convert": ("Conversion", "From CSR"),
    "ilu": ("Incomplete factors", "New factors of the same pattern"),
    "gs": ("Gauss-Seidel", "Sweeps, and a product"),
    "solve": ("Whole solves", "A x = b from zero, by a Krylov method"),
}
STEPS = {
    "memory": "through memory",
    "cluster": "in a cluster",
    "cluster_barrier": "by a barrier of a cluster",
    "team": "in a team",
    "warp": "in a warp",
    "barrier": "by a barrier of all threads",
}
SCHEMA_VERSIONS = (1, 2)  # the first lacks operation, scheme and moved_bytes


def duration(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return "%.2f %s" % (seconds / size, unit)
    return "%.1f µs" % (seconds * 1e6)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


class Contestant:
    def __init__(self, json):
        self.name, self.verdict, self.note = json["name"], json["verdict"], json["note"]
        self.is_scheme, self.is_chosen = json["kind"] == "scheme", json["chosen"]
        self.time = json["time_seconds"]["median"] if json["time_seconds"] else None
        self.spread = steadiness.spread(json["time_seconds"])
        self.setup = json["setup_seconds"]["median"] if json["setup_seconds"] else None
        allocation = json.get("allocation_seconds")
        self.allocation = allocation["median"] if allocation else None
        self.setup_rest = json.get("setup_rest_seconds")  # without allocations and readbacks
        self.scheme, self.moved_bytes = json.get("scheme"), json.get("moved_bytes")
        self.right = self.time is not None and self.verdict in ("ok", "unverified")


class Matrix:
    def __init__(self, json):
        self.name, self.features, self.bytes = json["name"], json["features"], json["apply_bytes"]
        self.reason, self.chosen_name = json["choice_reason"], json["chosen_scheme"]
        self.all = [Contestant(c) for c in json["contestants"]]
        right = [c for c in self.all if c.right and c.time > 0]
        schemes = [c for c in right if c.is_scheme]
        schemes = [c for c in schemes if c.name != "auto"] or schemes
        self.peers = [c for c in right if not c.is_scheme]
        self.best = min(schemes, key=lambda c: c.time, default=None)
        self.peer = min(self.peers, key=lambda c: c.time, default=None)
        # "auto" is the chosen scheme with the choosing in its setup.
        chosen = [c for c in right if c.name == "auto"] or [c for c in schemes if c.is_chosen]
        self.chosen = chosen[0] if chosen else None
        # What one gets without inspection: the fastest peer whose setup is under one apply.
        ready = [c for c in self.peers if c.setup < c.time] or self.peers or schemes
        self.reference = min(ready, key=lambda c: c.time, default=None)
        self.wrong = [c for c in self.all if c.verdict == "wrong"]
        self.pattern, self.row_lengths = json.get("pattern"), json.get("row_lengths")
        triangle = json.get("triangle")
        self.levels = triangle["levels"] if triangle else 0
        self.noun = "solves" if triangle else "applies"

    @property
    def rows_per_level(self):
        return self.features["rows"] / self.levels

    def level_time(self, contestant):
        return contestant.time / self.levels

    def rate(self, contestant):
        return self.bytes / contestant.time / 1e9

    def ratio(self, contestant):
        return self.peer.time / contestant.time

    def tip(self, c):
        ran = c.scheme or (self.chosen_name if c.name == "auto" else c.name)
        name = c.name if ran == c.name or not c.is_scheme else "%s (%s)" % (c.name, ran)
        text = "%s\n%s: %s, %.0f GB/s" % (self.name, name, duration(c.time), self.rate(c))
        if c.moved_bytes:
            text += "\nmoves %.1f MB, %.0f GB/s" % (c.moved_bytes / 1e6,
                                                    c.moved_bytes / c.time / 1e9)
        if self.levels:
            text += "\n%d levels of %.1f rows, %.0f ns a level" % (
                self.levels, self.rows_per_level, 1e9 * self.level_time(c))
        if c.spread is not None:
            text += "\nspread of the times %.0f %%" % (100 * c.spread)
        text += "\nsetup %s, %.1f %s" % (duration(c.setup), c.setup / c.time, self.noun)
        if c.setup_rest is not None:
            text += ", %s without allocations and readbacks" % duration(c.setup_rest)
        return text


class Run:
    def __init__(self, path):
        self.json = kept.read_run(path)
        if self.json.get("schema_version") not in SCHEMA_VERSIONS:
            sys.exit("%s: schema version %s, and this reads %s" %
                     (path, self.json.get("schema_version"),
                      ", ".join(map(str, SCHEMA_VERSIONS))))
        self.operation = self.json.get("operation", "spmv")
        if self.operation not in OPERATIONS:
            sys.exit("%s: results of %s, and this reads those of %s" %
                     (path, self.operation, ", ".join(OPERATIONS)))
        self.noun = {"sptrsv": "solves", "convert": "conversions", "ilu": "factorizations",
                     "gs": "sweeps", "solve": "solves"}.get(self.operation, "applies")
        self.machine, self.settings = self.json["machine"], self.json["settings"]
        self.triad = self.json["figures"]["triad_gbytes_per_second"] * 1e9
        self.launch = self.json["figures"]["queued_launch_seconds"]
        self.cache = self.machine["cache_bytes"]
        steps = self.json["figures"].get("step_seconds", {})  # early files of sptrsv lack them
        self.steps = [(STEPS[name], seconds) for name, seconds in steps.items() if seconds]
        self.matrices = [Matrix(m) for m in self.json["matrices"]]
        self.peers = []
        for m in self.matrices:
            self.peers += [c.name for c in m.peers if c.name not in self.peers]

    def title(self):
        s = self.settings
        text = "%s, %s" % (self.machine["device"], s["scalar"])
        if self.operation == "sptrsv":
            unit = "unit " if s["diagonal"] == "unit" else ""
            text += ", %s%s triangle" % (unit, s["triangle"])
            text += "" if s["op"] == "none" else ", " + s["op"]
        if s["columns"] > 1:
            text += ", %d columns, layout %s" % (s["columns"], s.get("layout", "left"))
        if s["offset_bits"] != 32:
            text += ", %d-bit offsets" % s["offset_bits"]
        return text + (", caches flushed" if s["flush"] else "")

    def facts(self):
        j = self.json
        figures = j["figures"]
        steps = ", ".join("%.0f ns %s" % (1e9 * seconds, where) for where, seconds in self.steps)
        return ([("a dependent step", steps)] if steps and self.operation == "sptrsv" else []) + [
            ("measured", "triad %.0f GB/s, copy %.0f GB/s, launch to fence %s, queued launch %s" % (
                figures["triad_gbytes_per_second"], figures["copy_gbytes_per_second"],
                duration(figures["launch_seconds"]), duration(self.launch))),
            ("machine", "%s, host %s" % (self.machine["backend"], self.machine["cpu"])),
            ("built", "Heddle %s (%s), Kokkos %s, %s" % (
                j["heddle_version"], j["commit"], j["kokkos_version"], j["compiler"])),
            ("run", "%s, median of at most %d repetitions by %s" % (
                j["date"], self.settings["repetitions"], self.settings["stopwatch"])),
        ]

    def tiles(self):
        compared = [m for m in self.matrices if m.peer and m.best]
        chosen = [m for m in self.matrices if m.chosen and m.best]
        tiles = [("%d" % len(self.matrices), "matrices")]
        if compared:
            ratios = [m.ratio(m.best) for m in compared]
            tiles.append(("%.2f×" % geometric_mean(ratios),
                          "as fast as the best peer, geometric mean of the best schemes"))
            tiles.append(("%d of %d" % (sum(r >= 1 for r in ratios), len(ratios)),
                          "matrices where the best scheme is no slower than any peer"))
        if chosen:
            near = sum(m.chosen.time <= 1.05 * m.best.time for m in chosen)
            tiles.append(("%d of %d" % (near, len(chosen)),
                          "choices within 5 % of the best scheme"))
            setups = sorted(m.chosen.setup / m.chosen.time for m in chosen)
            tiles.append(("%.1f" % setups[len(setups) // 2],
                          self.noun + " of setup for the chosen scheme, median"))
        wrong = sum(len(m.wrong) for m in self.matrices)
        verified = "wrong results" if self.settings["verify"] else "results were not verified"
        tiles.append(("%d" % wrong if self.settings["verify"] else "–", verified))
        return tiles


def cell(text, kind=""):
    return "<td%s>%s</td>" % (' class="%s"' % kind if kind else "", text)


def table(run):
    heads = ["matrix", "rows", "nonzeros", "row mean / max", "best scheme", "time", "chosen",
             "time"]
    levels = ["levels", "ns a level"] if run.operation == "sptrsv" else []
    rests = any(c.setup_rest is not None for m in run.matrices for c in m.all)
    setups = ["setup of what was chosen", "without allocations and readbacks"] if rests else []
    rows = []
    for m in sorted(run.matrices, key=lambda m: m.name.lower()):
        f = m.features
        fastest = min((c.time for c in m.all if c.right), default=None)

        def timed(c):
            if c is None or c.time is None:
                return cell("–", "n")
            if not c.right:
                return cell("WRONG", "n wrong")
            return cell(duration(c.time), "n fast" if c.time == fastest else "n")

        row = [cell(escape(m.name)), cell("{:,}".format(f["rows"]), "n"),
               cell("{:,}".format(f["nonzeros"]), "n"),
               cell("%.1f / %d" % (f["mean_row"], f["max_row"]), "n"),
               cell("<code>%s</code>" % escape(m.best.name) if m.best else "–"), timed(m.best),
               '<td title="%s"><code>%s</code></td>' % (escape(m.reason), escape(m.chosen_name)),
               timed(m.chosen)]
        if setups:
            ours = m.chosen
            row += [cell(duration(t) if t is not None else "–", "n")
                    for t in (ours and ours.setup, ours and ours.setup_rest)]
        if levels:
            known = m.best and m.levels
            row += [cell("{:,}".format(m.levels), "n"),
                    cell("%.0f" % (1e9 * m.level_time(m.best)) if known else "–", "n")]
        by_name = {c.name: c for c in m.all}
        row += [timed(by_name.get(name)) for name in run.peers]
        if m.wrong:
            row[0] = cell("%s <b class=wrong>WRONG: %s</b>" % (
                escape(m.name), escape(", ".join(c.name for c in m.wrong))))
        rows.append("<tr>%s</tr>" % "".join(row))
    head = "".join("<th>%s</th>" % escape(h) for h in heads + setups + levels + run.peers)
    return ("<div class=wide><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>" %
            (head, "".join(rows)))


def figure(svg, title, caption):
    if svg is None:
        return ""
    return "<figure><h3>%s</h3><p>%s</p>%s</figure>" % (title, caption, svg)


def roofline_figure(run):
    return figure(
        plots.roofline(run), "Roofline",
        "Each matrix, by the bytes that CSR must move at least. The line is this machine's "
        "triad; the dashed curve adds one queued launch. What lies in cache can be above "
        "both.")


def level_figure(run):
    return figure(
        plots.levels(run), "A level against its rows",
        "Each matrix, by the rows of a level on average: the time of a solve over the levels, which "
        "follow each other. The lines are what one dependent step was measured to take in the same "
        "run; a scheme that solves several levels in one place can be below the highest of them.")


def unsteady(run):
    """A warning above all figures, where some of them are not to be compared."""
    lines = "".join("<li>%s</li>" % escape(line) for line in steadiness.warnings(run.json))
    if not lines:
        return ""
    return ("<div class=unsteady><b>Unsteady times.</b> The middle half of these spread too far over "
            "their median to be compared: other programs may have used the machine.<ul>%s</ul></div>"
            % lines)


def section(run):
    facts = "".join("<dt>%s</dt><dd>%s</dd>" % (a, escape(b)) for a, b in run.facts())
    if run.operation == "convert":
        return "<section><h2>%s</h2><dl>%s</dl>%s%s</section>" % (
            escape(run.title()), facts, unsteady(run), conversions.section(run, duration))
    tiles = "".join("<div><b>%s</b><span>%s</span></div>" % t for t in run.tiles())
    parts = ["<section><h2>%s</h2><dl>%s</dl>%s<div class=tiles>%s</div>" %
             (escape(run.title()), facts, unsteady(run), tiles)]
    if run.matrices:
        parts.append(level_figure(run) if run.operation == "sptrsv" else roofline_figure(run))
        parts.append(figure(
            plots.against_peers(run), "Time against the best peer",
            "A row a matrix. 1 is the fastest peer on that matrix; triangles at the left edge are "
            "further away. Where the diamond leaves the dot, the choice missed the best."))
        parts.append(figure(
            plots.setup_against_gain(run), "Setup against gain",
            "The reference is the fastest peer whose setup is under one of its own %s, or, where "
            "there is none, the fastest peer, whose setup is not counted then. A point above a "
            "dashed line has paid back its setup after that many %s. Contestants below a fifth of "
            "the reference are left out." %
            (run.noun, run.noun)))
        parts.append(losses.formats(run))
        parts.append("<h3>Times</h3>" + table(run))
        parts.append(losses.section(run, duration))
    return "".join(parts) + "</section>"


STYLE = """
:root{color-scheme:light}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;
color:#1f2933;background:#f6f7f9;margin:0}
main{max-width:1230px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:21px;margin:36px 0 8px}
h3{font-size:17px;margin:0 0 2px}
p{margin:0 0 10px;color:#52606d;max-width:76ch}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:0 0 18px;font-size:14px}
dt{color:#6b7785}dd{margin:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;
margin-bottom:20px}
.unsteady{background:#fff4e5;border:1px solid #e0a458;border-radius:10px;padding:12px 14px;
margin-bottom:20px;font-size:14px}.unsteady ul{margin:4px 0 0;padding-left:20px}
.tiles div,figure,.wide{background:#fff;border:1px solid #dfe4ea;border-radius:10px}
.tiles div{padding:12px 14px}.tiles b{display:block;font-size:23px;color:#0b7a75}
.tiles span{font-size:13px;color:#52606d;line-height:1.35;display:block}
figure{margin:0 0 20px;padding:18px 20px}figure svg{width:100%;height:auto;display:block}
svg text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",
sans-serif!important}
section>h3{margin:26px 0 8px}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:12px;width:100%}
th{text-align:right;vertical-align:bottom;
color:#6b7785;font-weight:600;position:sticky;top:0;background:#fff}
th:nth-child(1),th:nth-child(5),th:nth-child(7){text-align:left}
th,td{padding:4px 7px;border-bottom:1px solid #eef1f4;white-space:nowrap}th{white-space:normal}
.n{text-align:right;font-variant-numeric:tabular-nums}.fast{font-weight:700;color:#0b7a75}
.plots{display:flex;flex-wrap:wrap;gap:18px;align-items:flex-start}
.plots>div{flex:1 1 260px;max-width:430px}.lost{padding-bottom:10px}
details{margin-top:8px;font-size:13px;color:#52606d}small{color:#6b7785}
.lost th:nth-child(n+2){text-align:right}
.wrong{color:#c62828;font-weight:700}code{font-size:11.5px}
"""


def main():
    parser = argparse.ArgumentParser(description="One HTML page of heddle-bench's result files.")
    parser.add_argument("results", nargs="+", metavar="RESULTS")
    parser.add_argument("-o", "--output", required=True, metavar="REPORT.html")
    arguments = parser.parse_args()
    runs = [Run(path) for path in arguments.results]
    body = ""
    for name, (title, formula) in OPERATIONS.items():
        mine = [run for run in runs if run.operation == name]
        if mine:
            body += "<h1>%s</h1><p>%s</p>" % (
                title, formula + " by every scheme of Heddle and by its peers, in one run and by one "
                "stopwatch. Hover over a point for its figures.")
            if len(mine) == 2 and beside.same_work(*mine):
                body += beside.section(*mine, duration)
            body += "".join(section(run) for run in mine)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write("<!doctype html><html lang=en><meta charset=utf-8>"
                   "<meta name=viewport content='width=device-width'><title>heddle-bench</title>"
                   "<style>%s</style><main>%s</main></html>\n" % (STYLE, body))


if __name__ == "__main__":
    main()
