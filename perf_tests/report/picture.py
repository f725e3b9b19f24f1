# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of results, drawn by matplotlib: points on two logarithmic axes, ratios by matrix, bars of speed-ups.

A picture says in its <desc> what it shows, so that whether a kept one is out of date is seen without matplotlib.
"""
import io
import re
import sys
from html import escape

INK, QUIET, FAINT = "#1f2933", "#6b7785", "#dfe4ea"


def pyplot():
    try:
        import matplotlib
    except ModuleNotFoundError:
        sys.exit("this needs matplotlib: put dev/sandbox --with report before the command, or install Debian's "
                 "python3-matplotlib")
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({
        "svg.fonttype": "none", "svg.hashsalt": "heddle", "font.family": "sans-serif", "font.size": 9.5,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": QUIET, "xtick.color": QUIET, "ytick.color": QUIET,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": FAINT,
        "grid.linewidth": 0.7, "axes.axisbelow": True, "legend.frameon": False})
    return plt


def plain(value, _=None):
    return "%g" % value


class Picture:
    """A title, the lines that say what is drawn, and draw(axes, point), where point(x, y, colour, tip) is one with a tip."""

    pictures = 0  # number of pictures, so that ids differ within a page

    def __init__(self, title, lines, size, draw):
        self.title, self.lines, self.size, self.draw = title, lines, size, draw

    def words(self):
        return escape("\n".join(self.lines))

    def is_in(self, text):
        return "<desc>%s</desc>" % self.words() in text

    def svg(self):
        plt = pyplot()
        figure, axes = plt.subplots(figsize=self.size)
        tips = []

        def point(x, y, colour, tip):
            axes.plot([x], [y], "o", color=colour, alpha=0.75, markersize=5, markeredgewidth=0, gid="tip-%d-" % len(tips))
            tips.append(tip)

        self.draw(axes, point)
        text = io.StringIO()
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
        plt.close(figure)
        svg = text.getvalue()
        box = re.search(r'viewBox="([^"]*)"', svg).group(1)
        body = svg[svg.index(">", svg.index("<svg")) + 1:]
        for i, tip in enumerate(tips):
            body = body.replace('<g id="tip-%d-">' % i, "<g><title>%s</title>" % escape(tip), 1)
        Picture.pictures += 1
        body = re.sub(r'\bid="', 'id="p%d-' % Picture.pictures, body)
        body = re.sub(r'(xlink:href="#|url\(#)', r"\g<1>p%d-" % Picture.pictures, body)
        return ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="%s" role="img">'
                "<title>%s</title><desc>%s</desc>%s" % (box, escape(self.title), self.words(), body))


def logarithmic(axis):
    from matplotlib.ticker import FuncFormatter, NullFormatter
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def picture(series, title, words, bytes_per_second=None, levels=(), joined=False):
    """series: (name, colour, [(x, y, tip)]), joined by lines or not; words of both axes.

    Of megabytes and microseconds a line at `bytes_per_second`; levels: (y, words), a line each.
    """
    def draw(axes, point):
        for name, colour, found in reversed(series):
            if joined:
                axes.plot([x for x, _, _ in found], [y for _, y, _ in found], color=colour, lw=1)
            for one in found:
                point(*one[:2], colour, one[2])
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends, low = axes.get_xlim(), axes.get_ylim()[0]
        if bytes_per_second:
            start = max(ends[0], low * bytes_per_second / 1e12)
            axes.plot([start, ends[1]], [1e12 * x / bytes_per_second for x in (start, ends[1])], color=QUIET, ls="--",
                      lw=1, label="at triad's bandwidth")
        for value, what in levels:
            axes.axhline(value, color=QUIET, ls="--", lw=1)
            axes.text(ends[1], value, what, color=QUIET, ha="right", va="bottom")
        axes.set_xlim(ends)
        for name, colour, _ in series:
            if name:
                axes.plot([], [], "o", color=colour, label=name)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=4)
        axes.set_xlabel(words[0])
        axes.set_ylabel(words[1])
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
    return Picture(title, [tip for _, _, found in series for _, _, tip in found], (9.6, 4.8), draw)


def ratios(rows, title):
    """rows: (matrix, [(times as fast, colour, tip)]); a line at 1, and what is beyond a sixteenth or 16 at the edge."""
    def draw(axes, point):
        for k, (_, found) in enumerate(rows):
            for ratio, colour, tip in found:
                point(min(max(ratio, 1 / 16), 16), k, colour, tip)
        axes.set_xscale("log")
        axes.set_xticks([1 / 16, 1 / 4, 1, 4, 16], ["1/16", "1/4", "1", "4", "16"])
        axes.minorticks_off()
        axes.axvline(1, color=QUIET, lw=1)
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlabel("times as fast")
    return Picture(title, [tip for _, found in rows for _, _, tip in found], (9.6, 0.7 + 0.2 * len(rows)), draw)


def cells(lines):
    """A pattern as heddle-bench shades it: a digit is how full a cell is."""
    parts = ['<path d="M%d %dh1v1h-1z" fill-opacity="%.2f"/>' % (j, i, int(cell) / 9)
             for i, line in enumerate(lines) for j, cell in enumerate(line) if cell.isdigit()]
    return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">%s</svg>' % (len(lines[0]), len(lines), "".join(parts))


def bars(groups, title):
    """groups: (name, [(peer, speed-up, losses, colour)]); a bar each, and a line at 1."""
    rows = []  # name, speed-up, losses, colour
    for name, found in groups:
        rows.append((name, None, "", ""))
        rows += found

    def draw(axes, _):
        for k, (_, gain, losses, colour) in enumerate(rows):
            if gain is None:
                continue
            axes.barh(k, gain - 1, left=1, height=0.7, color=colour)
            axes.text(max(gain, 1), k, "  %.2f, slower on %s" % (gain, losses), va="center")
        axes.set_xscale("log")
        axes.set_xlim(0.5, 8)
        axes.set_xticks([0.5, 1, 2, 4, 8], ["%g times" % value for value in (0.5, 1, 2, 4, 8)])
        axes.minorticks_off()
        axes.axvline(1, color=QUIET, lw=1)
        axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
        for label, (_, gain, _, _) in zip(axes.get_yticklabels(), rows):
            label.set(fontweight="normal" if gain else "bold", color=QUIET if gain else INK)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="y", visible=False)
        axes.set_ylim(len(rows) - 0.4, -0.6)
    return Picture(title, ["%s: %.2f, slower on %s" % (name, gain, losses) if gain else name + ":"
                           for name, gain, losses, _ in rows], (9.6, 0.7 + 0.22 * len(rows)), draw)
