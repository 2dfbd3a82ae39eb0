"""The table that `make bench` prints."""

from collections.abc import Sequence

from bench.measuring import Row

HEADINGS = ("case", "measured", "baseline", "ratio", "target", "met")


def lines(rows: Sequence[Row]) -> list[str]:
    """The rows as aligned lines below their headings."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEADINGS))]
    made = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    return [made[0], "-" * max(map(len, made)), *made[1:]]


def duration(seconds: float) -> str:
    """Seconds with three digits and a unit that suits them."""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def _cells(row: Row) -> tuple[str, ...]:
    baseline = row.baseline if row.against is None else f"{row.baseline} {duration(row.against)}"
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    target = "" if row.target is None else f"{row.target:.2f}" if row.ratio is not None else duration(row.target)
    met = {None: "", True: "yes", False: "NO"}[row.met]
    return (row.case, duration(row.measured), baseline, ratio, target, met)
