# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plots of one matrix, each as the text of an SVG element; None where a results file lacks them."""
from plots import INK, OURS, PEERS, QUIET, Figure, FuncFormatter, NullFormatter, plain


def pattern(m):
    """Where the entries lie, as heddle-bench shaded them."""
    if not m.pattern:
        return None
    shades = [[0 if cell == " " else int(cell) / 9 for cell in line] for line in m.pattern]
    lines, width = len(shades), len(shades[0])
    rows, columns = m.features["rows"], m.features["columns"]
    tall = min(max(rows / columns, 0.25), 4)  # a matrix of one row is to be seen, too
    plot = Figure(3.1 * min(1, 1 / tall), 3.1 * min(1, tall))
    plot.axes.imshow(shades, cmap="Greys", vmin=0, vmax=1, aspect="auto", interpolation="none",
                     extent=(0, columns, rows, 0))
    plot.axes.grid(False)
    for side in ("top", "right"):
        plot.axes.spines[side].set_visible(True)
    plot.axes.set_xticks([0, columns])
    plot.axes.set_yticks([0, rows])
    return plot.svg("pattern of %s, %d x %d cells" % (m.name, lines, width))


def row_lengths(m):
    """A bar a bin of lengths that doubles."""
    if not m.row_lengths:
        return None
    names = ["0", "1"] + ["%d–%d" % (1 << i, (2 << i) - 1) for i in range(1, 63)]
    shown = max(2, len(m.row_lengths))
    counts = m.row_lengths + [0] * (shown - len(m.row_lengths))
    plot = Figure(3.6, 3.1)
    plot.axes.bar(range(shown), counts, color=OURS, width=0.85)
    plot.axes.set_yscale("log")
    plot.axes.set_ylim(0.7, 1.5 * max(counts))
    plot.axes.yaxis.set_major_formatter(FuncFormatter(plain))
    plot.axes.yaxis.set_minor_formatter(NullFormatter())
    plot.axes.set_xticks(range(shown), names[:shown], rotation=60, ha="right", fontsize=8)
    plot.axes.grid(axis="x", visible=False)
    plot.axes.set_xlabel("entries of a row")
    plot.axes.set_ylabel("rows")
    return plot.svg("row lengths of %s" % m.name)


def setup_against_time(m):
    """A point a contestant: what it takes to set up, and what to run."""
    shown = [c for c in m.all if c.right and c.time > 0 and c.setup]
    if not shown:
        return None
    plot = Figure(5.2, 3.1)
    axes = plot.axes
    fastest = min(c.time for c in shown)
    near = [c for c in shown if c.time <= 3 * fastest]
    for c in near:
        style = {"color": OURS} if c.is_scheme else {"color": PEERS[0], "marker": "s"}
        plot.point(c.time * 1e6, c.setup * 1e6, m.tip(c), markersize=5, markeredgewidth=0, **style)
    named = {min((c for c in near if c.is_scheme), key=lambda c: c.time, default=None),
             min((c for c in near if not c.is_scheme), key=lambda c: c.time, default=None), m.chosen}
    for c in near:
        if c in named:
            axes.annotate(c.name, (c.time * 1e6, c.setup * 1e6), xytext=(5, 4), color=INK,
                          textcoords="offset points", fontsize=8)
    axes.set_yscale("log")
    axes.set_xlim(fastest * 0.9e6, max(c.time for c in near) * 1.25e6)
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("time, µs")
    axes.set_ylabel("setup, µs")
    axes.axvline(fastest * 1e6, color=QUIET, lw=1, linestyle=":")
    plot.legend([("Heddle", {"marker": "o", "color": OURS}),
                 ("peers", {"marker": "s", "color": PEERS[0]})],
                loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2)
    return plot.svg("setup against time on %s" % m.name)
