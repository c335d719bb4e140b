"""A sweep into a database, and its speed-ups as a picture (speedup.svg); no library but this one is needed.

    PYTHONPATH=python python3 examples/sweep_and_plot.py
"""

import pathlib

import heddle

PLAN = """workloads = ["spmv", "bfs", "kmeans"]
gpu = ["gtx480"]
[vary]
"l1.ways" = [2, 4, 8]
"""
BAR, GAP, HEIGHT = 28, 40, 200


def picture(bars: list[tuple[str, str, float]]) -> str:
    """Bars in groups: (group, label, value)."""
    top = max(value for _, _, value in bars)
    out, x, last = [], 20, None
    for group, label, value in bars:
        if group != last:
            x += GAP if last else 0
            out.append(f'<text x="{x}" y="{HEIGHT + 40}">{group}</text>')
            last = group
        h = HEIGHT * value / top
        out.append(f'<rect x="{x}" y="{HEIGHT - h:.1f}" width="{BAR - 6}" height="{h:.1f}" fill="#4477aa"/>')
        out.append(f'<text x="{x}" y="{HEIGHT + 18}">{label}</text><text x="{x}" y="{HEIGHT - h - 4:.1f}">{value:.2f}</text>')
        x += BAR
    return (f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" viewBox="0 -20 {x + 20} {HEIGHT + 70}">'
            + "".join(out) + "</svg>")


def main() -> None:
    pathlib.Path("plan.toml").write_text(PLAN, encoding="utf-8")
    heddle.sweep("plan.toml", "results.db")
    with heddle.Database("results.db") as results:
        rows = results.speedups("l1.ways=2")
    bars = [(r["workload"], r["settings"].split("=")[1], r["speedup"]) for r in rows]
    pathlib.Path("speedup.svg").write_text(picture(bars), encoding="utf-8")
    for row in rows:
        print(f"{row['workload']:8} {row['settings']:12} {row['speedup']:.2f}")


if __name__ == "__main__":
    main()
