# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plots of report.py, each as the text of an SVG element with tooltips."""
import io
import re
import sys
from html import escape

try:
    import matplotlib
except ModuleNotFoundError:
    sys.exit("this needs matplotlib: put dev/sandbox --with report before the command, or install "
             "Debian's python3-matplotlib")

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

INK, QUIET, FAINT = "#1f2933", "#6b7785", "#dfe4ea"
OURS, CHOSEN, WRONG = "#0b7a75", "#e07a1f", "#c62828"
PEERS = ["#5b6fb5", "#9a5fb0", "#b5698a", "#7d8a2e", "#4d8fac", "#8c6d4f"]

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "heddle", "font.family": "sans-serif",
    "font.size": 9.5, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": QUIET,
    "xtick.color": QUIET, "ytick.color": QUIET, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": FAINT, "grid.linewidth": 0.7,
    "axes.axisbelow": True, "legend.frameon": False, "figure.facecolor": "none",
    "axes.facecolor": "none",
})


def plain(value, _=None):
    return "%g" % float("%.3g" % value)


def byte_tick(value, _=None):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if value >= size:
            return "%g %s" % (value / size, unit)
    return "%g B" % value


def fraction(value, _=None):
    return "1/%.0f" % (1 / value) if value < 1 else plain(value)


class Figure:
    def __init__(self, width, height):
        self.figure, self.axes = plt.subplots(figsize=(width, height))
        self.tips = {}

    def point(self, x, y, tip, **style):
        name = "tip-%d" % len(self.tips)
        self.tips[name] = tip
        style = {"linestyle": "none", "marker": "o", "markersize": 6, **style}
        self.axes.plot([x], [y], gid=name, **style)

    def legend(self, entries, **place):
        handles = [plt.Line2D([], [], linestyle="none", **style) for _, style in entries]
        self.axes.legend(handles, [label for label, _ in entries], **place)

    def svg(self, label):
        text = io.StringIO()
        self.figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
        plt.close(self.figure)
        svg = text.getvalue()
        svg = svg[svg.index("<svg"):]
        for name, tip in self.tips.items():
            svg = svg.replace('<g id="%s">' % name, "<g><title>%s</title>" % escape(tip), 1)
        svg = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
                     r'<svg xmlns="http://www.w3.org/2000/svg" '
                     r'xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="\1" role="img" '
                     'aria-label="%s">' % escape(label), svg, count=1)
        return unique_ids(svg)


counter = 0


def unique_ids(svg):
    """Several figures share a page: their ids must differ."""
    global counter
    counter += 1
    svg = re.sub(r'\bid="', 'id="f%d-' % counter, svg)
    svg = re.sub(r'(xlink:href="#|url\(#)', r"\g<1>f%d-" % counter, svg)
    return svg


def roofline(run):
    """GB/s over the bytes of an apply, under what triad and the latency of a launch allow."""
    plot = Figure(9.6, 4.6)
    axes = plot.axes
    triad = run.triad
    sizes = [m.bytes for m in run.matrices]
    low, high = min(sizes) / 1.6, max(sizes) * 1.6
    launch = run.launch
    curve = [low * (high / low) ** (i / 200) for i in range(201)]
    axes.plot(curve, [size / (launch + size / triad) / 1e9 for size in curve], color=QUIET, lw=1.2,
              linestyle=(0, (4, 3)))
    axes.axhline(triad / 1e9, color=INK, lw=1.2)
    axes.text(low, triad / 1e9 * 1.06, "triad, %.0f GB/s" % (triad / 1e9), color=INK, va="bottom")
    has_cache_line = run.cache and low < run.cache < high
    if has_cache_line:
        axes.axvline(run.cache, color=QUIET, lw=1, linestyle=":")
    for m in run.matrices:
        if m.best and m.peer:
            axes.plot([m.bytes] * 2, [m.rate(m.peer), m.rate(m.best)], color=FAINT, lw=1.4,
                      zorder=1)
        if m.peer:
            plot.point(m.bytes, m.rate(m.peer), m.tip(m.peer), color="white",
                       markeredgecolor=PEERS[0], markeredgewidth=1.5, zorder=3)
        if m.best:
            plot.point(m.bytes, m.rate(m.best), m.tip(m.best), color=OURS, markeredgecolor="white",
                       markeredgewidth=0.6, zorder=4)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    if has_cache_line:
        axes.text(run.cache * 1.05, axes.get_ylim()[0] * 1.15, "cache", color=QUIET)
    axes.xaxis.set_major_formatter(FuncFormatter(byte_tick))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel("bytes of an apply (CSR's minimum)")
    axes.set_ylabel("GB/s")
    plot.legend([("best scheme of Heddle", {"marker": "o", "color": OURS}),
                 ("best peer", {"marker": "o", "color": "white", "markeredgecolor": PEERS[0],
                                "markeredgewidth": 1.5}),
                 ("triad behind a queued launch", {"marker": "_", "color": QUIET})],
                loc="lower center", bbox_to_anchor=(0.5, 1.04), ncol=3)
    return plot.svg("roofline")


def levels(run):
    """ns a level over the rows of a level, above what dependent steps take."""
    shown = [m for m in run.matrices if m.levels and m.best]
    if not shown:
        return None
    plot = Figure(9.6, 4.6)
    axes = plot.axes
    for m in shown:
        x = m.rows_per_level
        if m.peer:
            axes.plot([x] * 2, [1e9 * m.level_time(c) for c in (m.peer, m.best)], color=FAINT,
                      lw=1.4, zorder=1)
            plot.point(x, 1e9 * m.level_time(m.peer), m.tip(m.peer), color="white",
                       markeredgecolor=PEERS[0], markeredgewidth=1.5, zorder=3)
        plot.point(x, 1e9 * m.level_time(m.best), m.tip(m.best), color=OURS,
                   markeredgecolor="white", markeredgewidth=0.6, zorder=4)
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends = axes.get_xlim()
    for i, (where, seconds) in enumerate(run.steps):  # in turns, where two lines are close
        axes.axhline(1e9 * seconds, color=QUIET, lw=1, linestyle=(0, (4, 3)))
        axes.text(ends[i % 2], 1.03e9 * seconds, "a step %s, %.0f ns" % (where, 1e9 * seconds),
                  color=QUIET, va="bottom", ha="right" if i % 2 else "left", fontsize=8.5)
    axes.set_xlim(ends)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel("rows a level")
    axes.set_ylabel("ns a level")
    plot.legend([("best scheme of Heddle", {"marker": "o", "color": OURS}),
                 ("best peer", {"marker": "o", "color": "white", "markeredgecolor": PEERS[0],
                                "markeredgewidth": 1.5})],
                loc="lower center", bbox_to_anchor=(0.5, 1.04), ncol=2)
    return plot.svg("time of a level against its rows")


def against_peers(run):
    """A row a matrix: how many times as fast as the best peer, for schemes and for each peer."""
    matrices = sorted((m for m in run.matrices if m.peer and m.best),
                      key=lambda m: m.ratio(m.best))
    if not matrices:
        return None
    plot = Figure(9.6, 0.9 + 0.235 * len(matrices))
    axes = plot.axes
    floor = 1 / 32
    axes.axvline(1, color=INK, lw=1.2)
    colour = {name: PEERS[i % len(PEERS)] for i, name in enumerate(run.peers)}
    for y, m in enumerate(matrices):
        axes.plot([1, m.ratio(m.best)], [y, y], color=OURS if m.ratio(m.best) >= 1 else WRONG,
                  lw=2.2, alpha=0.35, solid_capstyle="round", zorder=2)
        for c in m.peers:
            beyond = m.ratio(c) < floor
            plot.point(max(m.ratio(c), floor), y, m.tip(c), marker="<" if beyond else "|",
                       color=colour[c.name], markersize=5 if beyond else 8, markeredgewidth=1.8,
                       zorder=3)
        if m.chosen:
            plot.point(m.ratio(m.chosen), y, "chosen: " + m.tip(m.chosen), marker="D",
                       color="white", markeredgecolor=CHOSEN, markeredgewidth=1.6, markersize=6.5,
                       zorder=4)
        plot.point(m.ratio(m.best), y, "best: " + m.tip(m.best), color=OURS, markersize=5, zorder=5)
    axes.set_xscale("log")
    axes.set_yticks(range(len(matrices)), [m.name for m in matrices], color=INK, fontsize=8.5)
    axes.set_ylim(-0.7, len(matrices) - 0.3)
    ticks = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8]
    axes.set_xlim(floor / 1.15, max(2.2, 1.15 * max(m.ratio(m.best) for m in matrices)))
    axes.set_xticks([t for t in ticks if t <= axes.get_xlim()[1]])
    axes.xaxis.set_major_formatter(FuncFormatter(fraction))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", which="minor", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("times as fast as the best peer (right is faster)")
    entries = [("best scheme", {"marker": "o", "color": OURS, "markersize": 5}),
               ("chosen scheme", {"marker": "D", "color": "white", "markeredgecolor": CHOSEN,
                                  "markeredgewidth": 1.6})]
    entries += [(name, {"marker": "|", "color": colour[name], "markersize": 8,
                        "markeredgewidth": 1.8}) for name in run.peers]
    plot.legend(entries, loc="lower center", bbox_to_anchor=(0.45, 1.0), ncol=4,
                columnspacing=1.4, handletextpad=0.3)
    return plot.svg("time against the best peer")


def setup_against_gain(run):
    """Setup in applies of the reference, and the gain of an apply over it, for choice and peers."""
    plot = Figure(9.6, 4.8)
    axes = plot.axes
    colour = {name: PEERS[i % len(PEERS)] for i, name in enumerate(run.peers)}
    least = 0.01
    shown = []
    for m in run.matrices:
        reference = m.reference
        if not reference:
            continue
        for c in m.peers + ([m.chosen] if m.chosen else []):
            if c is reference:
                continue
            x = max(c.setup / reference.time, least)
            y = reference.time / c.time
            if y < 0.2:
                continue
            shown.append((x, y))
            if c is m.chosen:
                plot.point(x, y, m.tip(c), marker="D", color=CHOSEN, markeredgecolor="white",
                           markeredgewidth=0.6, zorder=4)
            else:
                plot.point(x, y, m.tip(c), color=colour[c.name], markersize=4.5, alpha=0.75,
                           markeredgewidth=0, zorder=3)
    if not shown:
        plt.close(plot.figure)
        return None
    low, high = min(x for x, _ in shown) / 1.4, max(x for x, _ in shown) * 1.4
    top = 1.15 * max(y for _, y in shown)
    # Along a line the setup is paid back after n applies: x + n / y = n.
    for n in (10, 100, 1000):
        xs = [low * (high / low) ** (i / 300) for i in range(301)]
        line = [(x, 1 / (1 - x / n)) for x in xs if x < n and 1 / (1 - x / n) <= top]
        if len(line) > 1 and (n == 10 or line[-1][1] > 1.05):  # else it hides behind the line at 1
            axes.plot(*zip(*line), color=QUIET, lw=1, linestyle=(0, (4, 3)), zorder=2)
            axes.text(line[-1][0], line[-1][1], "%d %s" % (n, run.noun), color=QUIET, ha="right",
                      va="center", fontsize=8.5, zorder=6,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.axhline(1, color=INK, lw=1.2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    axes.set_ylim(min(0.9, min(y for _, y in shown) / 1.1), top)
    axes.set_yticks([t for t in (0.25, 0.5, 1, 2, 4, 8, 16) if t <= top])
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.yaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_xlabel("setup, in %s of the reference" % run.noun)
    axes.set_ylabel("times as fast as the reference")
    plot.legend([("scheme that choose took", {"marker": "D", "color": CHOSEN})] +
                [(name, {"marker": "o", "color": colour[name], "markersize": 4.5})
                 for name in run.peers], loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=4,
                columnspacing=1.4, handletextpad=0.3)
    return plot.svg("setup against gain")
