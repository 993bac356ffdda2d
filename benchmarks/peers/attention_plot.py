# SPDX-License-Identifier: Apache-2.0
"""Time and extra memory of attention against length, as an SVG picture with two panels."""
import math

WIDTH, HEIGHT = 300, 260  # of a panel, in pixels
TOP = 56
LEFTS = (70, 460)
COLOURS = {"Heed": "#08519c", "ONNX Runtime": "#d95f0e", "PyTorch": "#6a9955"}


def text(x, y, words, anchor="middle"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>\n'


def line(x1, y1, x2, y2):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#eeeeee"/>\n'


def panel(left, heading, curves):
    """curves: {name: [(length, value)]}; both axes are logarithmic."""
    lengths = sorted({x for points in curves.values() for x, _ in points})
    values = [y for points in curves.values() for _, y in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    first, last = math.log2(lengths[0]), math.log2(lengths[-1])

    def x_of(length):
        return left + WIDTH * (math.log2(length) - first) / (last - first)

    def y_of(value):
        return TOP + HEIGHT * (high - math.log10(value)) / (high - low)

    svg = text(left + WIDTH / 2, TOP - 12, heading)
    for length in lengths:
        svg += line(x_of(length), TOP, x_of(length), TOP + HEIGHT)
        svg += text(x_of(length), TOP + HEIGHT + 18, length)
    for power in range(low, high + 1):
        svg += line(left, y_of(10.0**power), left + WIDTH, y_of(10.0**power))
        svg += text(left - 8, y_of(10.0**power) + 4, f"{10.0**power:g}", "end")
    for name, points in curves.items():
        places = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in points)
        svg += f'<polyline fill="none" stroke="{COLOURS[name]}" stroke-width="2" points="{places}"/>\n'
        for x, y in points:
            svg += f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="2.5" fill="{COLOURS[name]}"/>\n'
    return svg


def legend(names):
    svg = ""
    x = LEFTS[0]
    for name in names:
        svg += f'<rect x="{x}" y="{TOP + HEIGHT + 34}" width="12" height="12" fill="{COLOURS[name]}"/>\n'
        svg += text(x + 18, TOP + HEIGHT + 45, name, "start")
        x += 130
    return svg


def lengths_svg(series):
    """series: {contender: [(length, ms, extra bytes)]}."""
    times = {name: [(n, ms) for n, ms, _ in points] for name, points in series.items()}
    least = 2.0**-10  # MiB: below a page or two the system cannot tell
    memory = {name: [(n, max(extra / 2**20, least)) for n, _, extra in points] for name, points in series.items()}
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="376" viewBox="0 0 800 376" '
        'font-family="sans-serif" font-size="12">\n'
        "<title>Attention against length: time and extra memory</title>\n"
        '<rect width="800" height="376" fill="white"/>\n'
        '<text x="400" y="22" text-anchor="middle" font-size="15">Forward, B1 H8 D64, one thread, '
        "against the length N</text>\n"
        + panel(LEFTS[0], "time, ms", times)
        + panel(LEFTS[1], "extra memory, MiB", memory)
        + legend(series)
        + "</svg>\n"
    )
