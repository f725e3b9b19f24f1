# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a report that puts two runs of the same work beside each other."""
import math
from html import escape

LEAST = 0.02  # a share of the time below which no difference counts, as in heddle-bench compare


def same_work(a, b):
    """Whether both ran one operation with the same settings, on one matrix at least."""
    keys = ("scalar", "offset_bits", "columns", "layout", "triangle", "diagonal", "op", "flush")
    names = {m.name for m in a.matrices}
    return (a.operation == b.operation and any(m.name in names for m in b.matrices) and
            all(a.settings.get(key) == b.settings.get(key) for key in keys))


def margin(a, b):
    return max([LEAST] + [c.spread for c in (a, b) if c.spread is not None])


def pairs(before, after):
    """(matrix, contestant before, contestant after) of all that both ran."""
    others = {m.name: {c.name: c for c in m.all if c.right} for m in after.matrices}
    return [(m, c, others[m.name][c.name]) for m in before.matrices if m.name in others
            for c in m.all if c.right and c.name in others[m.name]]


def verdict(a, b):
    ratio, most = b.time / a.time, 1 + margin(a, b)
    return "slower" if ratio > most else "faster" if ratio < 1 / most else ""


def sums(found):
    """A row a contestant: how many matrices, slower, faster, and the geometric mean of the ratios."""
    by_name = {}
    for _, a, b in found:
        by_name.setdefault(a.name, []).append((a, b))
    rows = []
    for name, both in sorted(by_name.items(), key=lambda one: (one[0] != "auto", one[0])):
        words = [verdict(a, b) for a, b in both]
        mean = math.exp(sum(math.log(b.time / a.time) for a, b in both) / len(both))
        rows.append("<tr><td><code>%s</code></td>%s</tr>" % (escape(name), "".join(
            "<td class=n>%s</td>" % text for text in (
                len(both), words.count("slower"), words.count("faster"), "%.3f" % mean))))
    return rows


def table(heads, rows):
    return ("<div class=wide><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>" %
            ("".join("<th>%s</th>" % h for h in heads), "".join(rows)))


def section(before, after, duration):
    found = pairs(before, after)
    by_matrix = []
    for m, a, b in sorted(found, key=lambda one: -one[2].time / one[1].time):
        if a.name == "auto" or verdict(a, b):
            by_matrix.append(
                "<tr><td>%s</td><td><code>%s</code></td><td class=n>%s</td><td class=n>%s</td>"
                "<td class=n>%.3f</td><td class=n>%.0f %%</td><td>%s</td></tr>" %
                (escape(m.name), escape(a.name), duration(a.time), duration(b.time),
                 b.time / a.time, 100 * margin(a, b), verdict(a, b)))
    heads = ["matrix", "contestant", "before", "after", "after / before", "margin", ""]
    return ("<section><h2>Before and after</h2><p>%s, commit %s, and %s, commit %s. A time counts as "
            "slower or faster where it differs by more than the larger spread of both, and %.0f %%. Of "
            "each matrix stand here <code>auto</code> and what differs.</p>%s<h3>By contestant</h3>%s"
            "</section>" %
            (escape(before.title()), escape(before.json["commit"]), escape(after.title()),
             escape(after.json["commit"]), 100 * LEAST, table(heads, by_matrix),
             table(["contestant", "matrices", "slower", "faster", "after / before, geometric mean"],
                   sums(found))))
