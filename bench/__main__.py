"""`python -m bench [CASE]...`: measure, and print the table; without names every case."""

import importlib
import os
import platform
import sys
import time

from bench import peer, printing
from bench.measuring import Row

CASES = ("commands", "matching", "functions", "loading", "journal", "guarding", "starting", "parents")


def main(names: list[str]) -> int:
    """0 whatever the figures are; 2 for a case that does not exist."""
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"unknown case {unknown[0]!r}; there are {', '.join(CASES)}", file=sys.stderr)
        return 2
    begun = time.monotonic()
    rows: list[Row] = []
    for name in names or CASES:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += importlib.import_module(f"bench.{name}").rows()
    print(f"Python {platform.python_version()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")
    if peer.runner(1, "/") is None:
        print("without the rows of the peer: openhands-sdk needs Python 3.12 or newer")
    print("\n".join(printing.lines(rows)))
    judged = [row.met for row in rows if row.met is not None]
    print(f"{sum(judged)} of {len(judged)} targets met in {time.monotonic() - begun:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
