"""How tables of names are written: as one string, which reads better than a column of quotes."""


def names(*texts: str) -> frozenset[str]:
    """The words of the texts."""
    return frozenset(" ".join(texts).split())
