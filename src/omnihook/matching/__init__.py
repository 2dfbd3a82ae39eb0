"""Matchers, globs and `if` rules of many hooks, compiled into one index that answers in near-constant time."""

from omnihook.matching.index import Index

__all__ = ["Index"]
