# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README's bars of speed-ups, and every matrix's time over its bytes beside the peers. Plain SVG."""
import math
from html import escape

WIDTH, HEIGHT = 760, 430
LEFT, RIGHT, TOP, BOTTOM = 66, 26, 18, 52
INK, QUIET, FAINT = "#1f2933", "#6b7785", "#dfe4ea"


class Axis:
    """A logarithmic axis over whole decades."""

    def __init__(self, values, low, high):
        self.first, self.last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
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


def legend(series):
    parts = []
    for i, (name, colour, _) in enumerate(series):
        at = TOP + 18 + 20 * i
        parts.append('<circle cx="%d" cy="%d" r="4.5" fill="%s"/>' % (LEFT + 18, at - 4, colour))
        parts.append(text(LEFT + 30, at, name, "start", INK))
    return parts


def picture(series, bytes_per_second, title):
    """series: (name, colour, [(megabytes, microseconds, matrix)]); a line at `bytes_per_second`."""
    points = [point for _, _, found in series for point in found]
    x = Axis([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y = Axis([p[1] for p in points], HEIGHT - BOTTOM, TOP)
    parts = grid(x, y)
    ends = [10.0**x.first, 10.0**x.last]
    times = [max(10.0**y.first, 1e12 * end / bytes_per_second) for end in ends]
    start = times[0] * bytes_per_second / 1e12
    parts.append('<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-dasharray="5 4" fill="none"/>' %
                 (x.place(start), y.place(times[0]), x.place(ends[1]), y.place(times[1]), QUIET))
    parts.append(text(x.place(3 * start) + 14, y.place(3 * times[0]) + 10, "at triad's bandwidth", "start"))
    for name, colour, found in reversed(series):
        for megabytes, microseconds, matrix in found:
            parts.append('<circle cx="%.1f" cy="%.1f" r="3.6" fill="%s" fill-opacity=".75"><title>%s'
                         "</title></circle>" % (x.place(megabytes), y.place(microseconds), colour,
                                                escape("%s, %s: %.1f us" % (matrix, name, microseconds))))
    parts += legend(series)
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12,
                      "MB that y = Ax moves at least in CSR (matrix, x and y)"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(text(16, middle, "microseconds", more=' transform="rotate(-90 16 %.1f)"' % middle))
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
            'font-size="13" role="img"><title>%s</title><rect width="%d" height="%d" fill="#fff"/>\n%s\n'
            "</svg>\n" % (WIDTH, HEIGHT, escape(title), WIDTH, HEIGHT, "\n".join(parts)))


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
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
            'font-size="12" role="img"><title>%s</title><rect width="%d" height="%d" fill="#fff"/>\n%s\n'
            "</svg>\n" % (WIDTH, height, escape(title), WIDTH, height, "\n".join(parts)))
