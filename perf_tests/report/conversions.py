# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of a report that tells what conversions from CSR take."""
from html import escape


def rest(c):
    """The time of a conversion without what its allocations take alone; None where nobody knows."""
    return None if c.allocation is None else max(0.0, c.time - c.allocation)


def forms(run):
    """The names of contestants: formats by their first word, the fastest of a matrix for each."""
    names = []
    for m in run.matrices:
        for c in m.all:
            name = form(c)
            if name not in names:
                names.append(name)
    return names


def form(c):
    return c.name.split("/")[0].split(",")[0] if c.is_scheme else c.name


def section(run, duration):
    """A table of times, and of times without allocation, by matrix and form."""
    columns = forms(run)
    rows = []
    for m in sorted(run.matrices, key=lambda m: -m.features["nonzeros"]):
        fastest = {}
        for c in m.all:
            if c.right and (form(c) not in fastest or c.time < fastest[form(c)].time):
                fastest[form(c)] = c

        def cell(name):
            if name not in fastest:
                return "<td class=n>–</td>"
            c = fastest[name]
            without = rest(c)
            more = "" if without is None else "<br><small>%s</small>" % duration(without)
            return '<td class=n title="%s">%s%s</td>' % (escape(c.name), duration(c.time), more)

        rows.append("<tr><td>%s</td><td class=n>%s</td>%s</tr>" %
                    (escape(m.name), "{:,}".format(m.features["nonzeros"]),
                     "".join(map(cell, columns))))
    heads = ["matrix", "nonzeros"] + columns
    return ("<p>From CSR on the device to what can be applied, the fastest scheme of each format; below "
            "it in small the time without what its allocations take alone.</p>"
            "<div class=wide><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>" %
            ("".join("<th>%s</th>" % escape(h) for h in heads), "".join(rows)))
