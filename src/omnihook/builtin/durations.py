"""Durations as people read them."""


def human(seconds: float) -> str:
    """`1m 5s` over a minute, `12s` over a second, else `300ms`."""
    milliseconds = round(seconds * 1000)
    if milliseconds > 60_000:
        return f"{milliseconds // 60_000}m {milliseconds % 60_000 // 1000}s"
    return f"{milliseconds // 1000}s" if milliseconds > 1000 else f"{milliseconds}ms"
