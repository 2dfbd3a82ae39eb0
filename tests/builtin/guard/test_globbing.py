"""Names that a glob matches: quicker than `fnmatch` and never different."""

import fnmatch

from hypothesis import example, given
from hypothesis import strategies as st

from omnihook.builtin.guard.globbing import matching

LETTERS = st.text(st.sampled_from("ab.*?[]!-/\n"), max_size=8)


@given(st.lists(LETTERS, max_size=6), LETTERS)
@example(["a", "aa", "aba", "ab"], "a*a")
@example(["", "x", "[", "[a", "a]"], "[")
@example([".env", "a.env", ".env.local"], "*.env")
def test_a_glob_matches_what_fnmatch_says(names: list[str], glob: str) -> None:
    assert matching(names, glob) == [name for name in names if fnmatch.fnmatchcase(name, glob)]
