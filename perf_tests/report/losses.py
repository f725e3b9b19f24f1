# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a report that looks closer: matrices on which a peer is faster, and what setups pay."""
from html import escape

import matrix_plots

MARGIN = 1.05  # below that, two times are taken for the same


def lost(m):
    """Whether a peer is faster than what Heddle chose, or, where nothing was chosen, than its best."""
    ours = m.chosen or m.best
    return bool(m.peer and ours and ours.time > MARGIN * m.peer.time)


def payback(c, reference):
    """Applies after which `c` has made up for its setup against `reference`; None if never."""
    gain = reference.time - c.time
    return c.setup / gain if gain > 0 else None


def payback_cell(c, reference):
    if c is reference:
        return "<td class=n>reference</td>"
    after = payback(c, reference)
    return "<td class=n>%s</td>" % ("never" if after is None else "%.0f" % max(after, 0))


def contestants(run, m, duration):
    rows = []
    for c in sorted((c for c in m.all if c.right), key=lambda c: c.time):
        name = escape(c.name)
        if c.scheme and c.scheme != c.name:
            name += " <small>%s</small>" % escape(c.scheme)
        rows.append("<tr><td>%s</td><td class=n>%s</td><td class=n>%.2f</td><td class=n>%s</td>"
                    "<td class=n>%.1f</td>%s</tr>" %
                    (name, duration(c.time), c.time / m.peer.time, duration(c.setup),
                     c.setup / c.time, payback_cell(c, m.reference)))
    heads = ["contestant", "time", "of the best peer's", "setup", "in " + run.noun,
             "pays back after"]
    return ("<details><summary>%d contestants</summary><table><thead><tr>%s</tr></thead><tbody>%s"
            "</tbody></table></details>" %
            (len(rows), "".join("<th>%s</th>" % h for h in heads), "".join(rows)))


def matrix(run, m, duration):
    f = m.features
    ours = m.chosen or m.best
    facts = ("%s × %s, %s nonzeros, rows of %d to %d, mean %.1f, variation %.2f, %s empty. "
             "<code>%s</code> takes %s, %.2f times <code>%s</code>, the fastest peer" %
             ("{:,}".format(f["rows"]), "{:,}".format(f["columns"]), "{:,}".format(f["nonzeros"]),
              f["min_row"], f["max_row"], f["mean_row"], f["variation"],
              "{:,}".format(f["empty_rows"]), escape(ours.scheme or m.chosen_name or ours.name),
              duration(ours.time), ours.time / m.peer.time, escape(m.peer.name)))
    if m.best and m.best.time < ours.time / MARGIN:
        facts += "; <code>%s</code> would take %s" % (escape(m.best.name), duration(m.best.time))
    plots = [matrix_plots.pattern(m), matrix_plots.row_lengths(m),
             matrix_plots.setup_against_time(m)]
    shown = "".join("<div>%s</div>" % svg for svg in plots if svg)
    return ("<figure class=lost><h3>%s</h3><p>%s.</p><div class=plots>%s</div>%s</figure>" %
            (escape(m.name), facts, shown, contestants(run, m, duration)))


def section(run, duration):
    """Each matrix on which a peer is more than 5 % faster, worst first; empty where there is none."""
    found = sorted((m for m in run.matrices if lost(m)),
                   key=lambda m: m.peer.time / (m.chosen or m.best).time)
    if not any(m.peer for m in run.matrices):
        return ""
    if not found:
        return "<h3>Where a peer is faster</h3><p>Nowhere by more than 5 %.</p>"
    return ("<h3>Where a peer is faster</h3><p>%d of %d matrices on which a peer takes over 5 %% less "
            "time than what was chosen, the worst first. Cells of a pattern are the darker the more "
            "of their places are taken. A contestant repays its setup after this number of %s, against the reference: "
            "the fastest peer whose setup is under one of its own.</p>%s" %
            (len(found), len(run.matrices), run.noun,
             "".join(matrix(run, m, duration) for m in found)))


def formats(run):
    """Format by format, over all matrices: its best scheme's setup, gain and payback as medians."""
    found = {}
    for m in run.matrices:
        best = {}
        for c in m.all:
            if not (c.right and c.is_scheme and c.time > 0) or c.name == "auto":
                continue
            name = c.name.split("/")[0].split(",")[0]
            if name not in best or c.time < best[name].time:
                best[name] = c
        for name, c in best.items():
            found.setdefault(name, []).append((c, m.reference, m.best))
    if len(found) < 2:
        return ""
    rows = []
    for name, runs in sorted(found.items(), key=lambda one: -len(one[1])):
        after = [payback(c, reference) for c, reference, _ in runs]
        paid = sorted(a for a in after if a is not None)
        gains = sorted(reference.time / c.time for c, reference, _ in runs)
        setups = sorted(c.setup / reference.time for c, reference, _ in runs)
        rests = sorted(c.setup_rest / reference.time for c, reference, _ in runs
                       if c.setup_rest is not None)
        wins = sum(c is best for c, _, best in runs)
        rows.append("<tr><td><code>%s</code></td>%s</tr>" % (escape(name), "".join(
            "<td class=n>%s</td>" % text for text in (
                len(runs), wins, "%.2f" % gains[len(gains) // 2],
                "%.1f" % setups[len(setups) // 2],
                "%.1f" % rests[len(rests) // 2] if rests else "–", len(paid),
                "%.0f" % paid[len(paid) // 2] if paid else "–"))))
    heads = ["format", "matrices", "the best on", "times as fast as the reference, median",
             "setup in %s of the reference, median" % run.noun,
             "without allocations and readbacks", "pays back on",
             "after, median"]
    return ("<h3>Formats: setup against execution</h3><p>Of each format the best scheme of each "
            "matrix; the reference is as above. A format pays back on a matrix where it is faster than "
            "the reference, after its setup over what an apply gains.</p>"
            "<div class=wide><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>" %
            ("".join("<th>%s</th>" % h for h in heads), "".join(rows)))
