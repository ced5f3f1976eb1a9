# SPDX-License-Identifier: GPL-3.0-or-later
"""picture.py - a picture of each suite in the JSON that the bench leaves.

picture.py FILE.json PREFIX: PREFIX-SUITE.svg for each.  A mark is a ratio to cuBLASLt's (or cuDNN's) fastest in the same
rounds, its line the 95% interval; of `grid`, a table of TFLOP/s, depth by products in flight.
"""
import json
import re
import sys

LEFT, WIDTH, ROW, TOP = 330, 460, 20, 54
COLOURS = ["#1f5fa8", "#c2571a", "#3a7d44", "#7a4ea0", "#888888", "#b8860b", "#006d77"]


def text(x, y, words, anchor="start", extra=""):
    words = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{words}</text>'


def page(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      'font-family="sans-serif" font-size="12">',
                      f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>", ""])


def ratios(suite, rows, device):
    """One line for each piece of work and candidate that is no peer, on an axis of ratios."""
    lines = [r for r in rows if r["ratio"] and not r["candidate"].startswith(("cuBLASLt", "cuDNN", "copy", "torch"))]
    if not lines:
        return None
    low = min(0.9, min(r["low"] for r in lines))
    high = max(1.1, max(r["high"] for r in lines))
    place = lambda x: LEFT + (x - low) / (high - low) * WIDTH
    bottom = TOP + ROW * len(lines)
    names = sorted({r["candidate"] for r in lines}, key=[r["candidate"] for r in lines].index)
    parts = [text(10, 20, f"{suite}: speed as a ratio to the peer's fastest, {device}", extra='font-size="14"')]
    step = 0.05 if high - low < 0.6 else 0.1 if high - low < 1.5 else 0.5
    tick = int(low / step) * step + step
    while tick < high:
        x, bold = place(tick), abs(tick - 1) < 1e-9
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{"#000" if bold else "#ddd"}"/>')
        parts.append(text(x, TOP - 12, f"{tick:.2f}", "middle"))
        tick += step
    for i, r in enumerate(lines):
        y = TOP + ROW * i + ROW / 2
        colour = COLOURS[names.index(r["candidate"]) % len(COLOURS)]
        label = f'{r["type"]} {r["row"]}' if len(names) == 1 or suite == "gemm" else f'{r["row"]} {r["candidate"]}'
        parts.append(text(LEFT - 10, y + 4, f'{label} {r["form"]}'.strip(), "end"))
        parts.append(f'<line x1="{place(r["low"]):.1f}" y1="{y}" x2="{place(r["high"]):.1f}" y2="{y}" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<circle cx="{place(r["ratio"]):.1f}" cy="{y}" r="4" fill="{colour}"/>')
        parts.append(text(LEFT + WIDTH + 12, y + 4, f'{r["tbs"]:.2f}' if "tbs" in r else f'{r["tflops"]:.0f}'))
    parts.append(text(LEFT + WIDTH + 12, TOP - 12, "TB/s" if "tbs" in lines[0] else "TFLOP/s"))
    return page(LEFT + WIDTH + 80, bottom + 16, parts)


def cells(suite, rows, device):
    """TFLOP/s by depth (down) and products in flight (across), a block for each piece of work."""
    parts = [text(10, 20, f"{suite}: TFLOP/s by depth D and iterations of products in flight P, {device}", extra='font-size="14"')]
    works = sorted({r["row"] for r in rows}, key=[r["row"] for r in rows].index)
    found = {}
    for r in rows:
        where = re.fullmatch(r"D=(\d+) P=(\d+)", r["candidate"])
        if where:
            found[r["row"], int(where[1]), int(where[2])] = r["tflops"]
    deepest = max(d for _, d, _ in found)
    for i, work in enumerate(works):
        left, best = 40 + i * (deepest * 56 + 60), max(v for (w, _, _), v in found.items() if w == work)
        least = min(v for (w, _, _), v in found.items() if w == work)
        parts.append(text(left, 46, work))
        for (w, d, p), value in found.items():
            if w != work:
                continue
            shade = (value - least) / (best - least or 1)
            x, y = left + (p - 1) * 56, 62 + (d - 1) * 30
            parts.append(f'<rect x="{x}" y="{y}" width="54" height="28" fill="rgb({int(235 - 160 * shade)},{int(240 - 90 * shade)},250)"/>')
            parts.append(text(x + 27, y + 18, f"{value:.0f}", "middle"))
        for d in range(1, deepest + 1):
            parts.append(text(left - 8, 62 + (d - 1) * 30 + 18, f"D{d}", "end"))
            parts.append(text(left + (d - 1) * 56 + 27, 62 + deepest * 30 + 14, f"P{d}", "middle"))
    return page(40 + len(works) * (deepest * 56 + 60), 62 + deepest * 30 + 30, parts)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        rows = [json.loads(line) for line in file]
    device = next((r["device"] for r in rows if "device" in r), "")
    rows = [r for r in rows if "suite" in r]
    for suite in sorted({r["suite"] for r in rows}):
        drawn = (cells if suite == "grid" else ratios)(suite, [r for r in rows if r["suite"] == suite], device)
        if drawn:
            with open(f"{sys.argv[2]}-{suite}.svg", "w", encoding="ascii") as file:
                file.write(drawn)


if __name__ == "__main__":
    main()
