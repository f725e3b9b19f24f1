# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of results: README's bars of speed-ups, points by matrix on two logarithmic axes, a pattern. Plain SVG."""
import math
from html import escape

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 66, 26, 18, 52
INK, QUIET, FAINT = "#1f2933", "#6b7785", "#dfe4ea"


class Axis:
    """A logarithmic axis over whole decades."""

    def __init__(self, values, low, high):
        self.first, self.last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.last = max(self.last, self.first + 1)
        self.low, self.high = low, high

    def place(self, value):
        share = (math.log10(value) - self.first) / (self.last - self.first)
        return self.low + share * (self.high - self.low)

    def decades(self):
        return [10.0**i for i in range(self.first, self.last + 1)]


def plain(value):
    return "%g" % value


def text(x, y, words, anchor="middle", colour=QUIET, more=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s"%s>%s</text>' % (
        x, y, anchor, colour, more, escape(words))


def grid(x, y):
    parts = []
    for value in x.decades():
        at = x.place(value)
        parts.append('<path d="M%.1f %dV%d" stroke="%s"/>' % (at, TOP, HEIGHT - BOTTOM, FAINT))
        parts.append(text(at, HEIGHT - BOTTOM + 18, plain(value)))
    for value in y.decades():
        at = y.place(value)
        parts.append('<path d="M%d %.1fH%d" stroke="%s"/>' % (LEFT, at, WIDTH - RIGHT, FAINT))
        parts.append(text(LEFT - 8, at + 4, plain(value), "end"))
    return parts


def legend(series, left):
    parts = []
    for i, (name, colour, _) in enumerate(one for one in series if one[0]):
        at = TOP + 18 + 20 * i
        parts.append('<circle cx="%d" cy="%d" r="4.5" fill="%s"/>' % (left + 18, at - 4, colour))
        parts.append(text(left + 30, at, name, "start", INK))
    return parts


def circle(x, y, colour, tip):
    return '<circle cx="%.1f" cy="%.1f" r="3.6" fill="%s" fill-opacity=".75"><title>%s</title></circle>' % (
        x, y, colour, escape(tip))


def dashed(x, y, ends):
    return '<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-dasharray="5 4" fill="none"/>' % (
        x.place(ends[0][0]), y.place(ends[0][1]), x.place(ends[1][0]), y.place(ends[1][1]), QUIET)


def svg(width, height, title, parts, font=13):
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
            'font-size="%d" role="img"><title>%s</title><rect width="%d" height="%d" fill="#fff"/>\n%s\n'
            "</svg>\n" % (width, height, font, escape(title), width, height, "\n".join(parts)))


def picture(series, title, words, bytes_per_second=None, levels=(), joined=False):
    """series: (name, colour, [(x, y, tip)]), joined by lines or not; words of both axes.

    Of megabytes and microseconds a line at `bytes_per_second`; levels: (y, words), a line each.
    """
    points = [point for _, _, found in series for point in found]
    x = Axis([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y = Axis([p[1] for p in points] + [value for value, _ in levels], HEIGHT - BOTTOM, TOP)
    parts = grid(x, y)
    ends = [10.0**x.first, 10.0**x.last]
    if bytes_per_second:
        times = [max(10.0**y.first, 1e12 * end / bytes_per_second) for end in ends]
        start = times[0] * bytes_per_second / 1e12
        parts.append(dashed(x, y, [(start, times[0]), (ends[1], times[1])]))
        parts.append(text(x.place(3 * start) + 14, y.place(3 * times[0]) + 10, "at triad's bandwidth", "start"))
    for value, what in levels:
        parts.append(dashed(x, y, [(end, value) for end in ends]))
        parts.append(text(WIDTH - RIGHT, y.place(value) - 4, what, "end"))
    for _, colour, found in reversed(series):
        if joined:
            parts.append('<polyline fill="none" stroke="%s" points="%s"/>' % (colour, " ".join(
                "%.1f,%.1f" % (x.place(a), y.place(b)) for a, b, _ in found)))
        parts += [circle(x.place(a), y.place(b), colour, tip) for a, b, tip in found]
    parts += legend(series, WIDTH - 190 if joined else LEFT)
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, words[0]))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(text(16, middle, words[1], more=' transform="rotate(-90 16 %.1f)"' % middle))
    return svg(WIDTH, HEIGHT, title, parts)


def ratios(rows, title):
    """rows: (matrix, [(times as fast, colour, tip)]); a line at 1, and what is beyond a sixteenth or 16 at the edge."""
    line, left = 17, 220
    height = line * len(rows) + 44
    axis = Axis([1 / 16, 16], left, WIDTH - RIGHT)
    axis.first, axis.last = math.log10(1 / 16), math.log10(16)
    parts = []
    for value, name in ((1 / 16, "1/16"), (1 / 4, "1/4"), (1, "1"), (4, "4"), (16, "16")):
        at = axis.place(value)
        parts.append('<path d="M%.1f 4V%d" stroke="%s"/>' % (at, height - 34, QUIET if value == 1 else FAINT))
        parts.append(text(at, height - 18, name + " times"))
    for k, (name, found) in enumerate(rows):
        parts.append(text(left - 10, line * k + 16, name, "end", INK))
        parts += [circle(axis.place(min(max(ratio, 1 / 16), 16)), line * k + 12, colour, tip) for ratio, colour, tip in found]
    return svg(WIDTH, height, title, parts, 12)


def cells(lines):
    """A pattern as heddle-bench shades it: a digit is how full a cell is."""
    parts = ['<path d="M%d %dh1v1h-1z" fill-opacity="%.2f"/>' % (j, i, int(cell) / 9)
             for i, line in enumerate(lines) for j, cell in enumerate(line) if cell.isdigit()]
    return svg(len(lines[0]), len(lines), "pattern", parts)


def bars(groups, title):
    """groups: (name, [(peer, speed-up, losses, colour)]); a bar each, in decades, and a line at 1."""
    line, left, right = 19, 250, 110
    height = sum(line * (len(found) + 1) for _, found in groups) + 46
    axis = Axis([0.5] + [gain for _, found in groups for _, gain, _, _ in found], left, WIDTH - right)
    axis.first, axis.last = math.log10(0.5), math.log10(8)
    parts, y = [], 12
    for value in (0.5, 1, 2, 4, 8):
        at = axis.place(value)
        parts.append('<path d="M%.1f 8V%d" stroke="%s"/>' % (at, height - 34, QUIET if value == 1 else FAINT))
        parts.append(text(at, height - 18, plain(value) + " times"))
    for name, found in groups:
        parts.append(text(8, y + 13, name, "start", INK, ' font-weight="bold"'))
        y += line
        for peer, gain, losses, colour in found:
            start, end = sorted((axis.place(1), axis.place(gain)))
            parts.append(text(left - 10, y + 12, peer, "end"))
            parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="13" fill="%s"/>' % (
                start, y + 1, end - start, colour))
            parts.append(text(end + 6, y + 12, "%.2f, slower on %s" % (gain, losses), "start", INK))
            y += line
    return svg(WIDTH, height, title, parts, 12)
