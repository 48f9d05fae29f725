# Draws what measure.py wrote: effective bandwidth over the batch, a panel for each pass.
# SPDX-License-Identifier: Apache-2.0
#
# The passes are fprop (forward), dgrad (the gradient of the input) and wgrad (that of the filter).
"""draw.py RESULTS.json --out FILE.svg --layer "c=64 h=64 w=64"

Effective bandwidth is the bytes of each tensor once, over the time with a cold cache.
"""
import argparse
import json
import pathlib

WIDTH, HEIGHT, LEFT, TOP, GAP = 240, 200, 56, 48, 34
SERIES = (("copy", "a copy", "#8a8f98"), ("ours", "Spio", "#1a6fb0"), ("pytorch", "PyTorch, cuDNN", "#c8553d"))


def series_of(layers):
    """For each series a list of (batch, GB/s)."""
    points = {name: [] for name, _, _ in SERIES}
    for layer in sorted(layers, key=lambda layer: layer["n"]):
        times = {"copy": layer["copy"], "pytorch": layer["pytorch"],
                 "ours": min(each["cold"] for each in layer["kernels"] if each["chosen"])}
        for name, time in times.items():
            points[name].append((layer["n"], layer["bytes"] / time / 1000))
    return points


def panel(left, title, points, batches, most):
    """A diagram as SVG: x is the batch, y the rate in GB/s, up to `most`; its left edge is at `left`."""
    column = lambda n: left + (n - batches[0]) / max(batches[-1] - batches[0], 1) * WIDTH
    row = lambda rate: TOP + HEIGHT * (1 - rate / most)
    parts = [f'<text x="{left}" y="{TOP - 12}" class="title">{title}</text>']
    for rate in range(0, most + 1, 1000):
        parts.append(f'<path d="M{left} {row(rate):.1f}h{WIDTH}" class="grid"/>'
                     f'<text x="{left - 6}" y="{row(rate) + 4:.1f}" class="left">{rate}</text>')
    for n in batches:
        parts.append(f'<text x="{column(n):.1f}" y="{TOP + HEIGHT + 16}" class="below">{n}</text>')
    for name, _, color in SERIES:
        line = " ".join(f"{column(n):.1f},{row(rate):.1f}" for n, rate in points[name])
        dots = "".join(f'<circle cx="{column(n):.1f}" cy="{row(rate):.1f}" r="2.5" fill="{color}"/>'
                       for n, rate in points[name])
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>{dots}')
    return "".join(parts)


def drawing(title, panels):
    """The SVG file: panels side by side, each a (name, points) pair, over the names of the series."""
    batches = sorted({n for _, points in panels for n, _ in points["copy"]})
    most = 1000 * -(-int(max(rate for _, points in panels for line in points.values() for _, rate in line)) // 1000)
    width = LEFT + len(panels) * (WIDTH + GAP + LEFT)
    height = TOP + HEIGHT + 64
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
             "<style>text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.left{text-anchor:end}"
             ".below{text-anchor:middle}.grid{stroke:#ddd}</style>",
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="18">{title}</text>']
    for place, (name, points) in enumerate(panels):
        parts.append(panel(LEFT + place * (WIDTH + GAP + LEFT), name, points, batches, most))
    for place, (_, label, color) in enumerate(SERIES):
        x, y = LEFT + place * 130, height - 14
        parts.append(f'<path d="M{x} {y - 4}h22" stroke="{color}" stroke-width="2"/><text x="{x + 28}" y="{y}">{label}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--layer", required=True)
    options = parser.parse_args()
    report = json.loads(options.results.read_text())
    layers = [each for each in report["layers"] if f" {options.layer} " in f" {each['problem']} "]
    panels = [(name, series_of([each for each in layers if each["pass"] == name]))
              for name in ("fprop", "dgrad", "wgrad") if any(each["pass"] == name for each in layers)]
    title = f"{options.layer}, GB/s over the batch, {report['gpu']}"
    options.out.write_text(drawing(title, panels))


if __name__ == "__main__":
    main()
