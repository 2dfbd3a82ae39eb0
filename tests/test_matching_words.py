import re

from hypothesis import given
from hypothesis import strategies as st

from omnihook import shell
from omnihook.matching.rules import RuleSet, command_pattern, longest_word, parse

RULES = ("git push *", "git * --force", "rm -rf*", "*sudo*", "npm run test:*", "*", "push")
WORDS = ("git", "push", "--force", "rm", "-rf", "sudo", "npm", "run", "test", "x=1", "2>&1", "a.txt", "env", "time")
GLUE = (" ", "  ", " && ", " | ", "; ", "\n", " # ", " & ")
plain_text = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GLUE)), max_size=8).map(
    lambda pairs: "".join(word + glue for word, glue in pairs)
)


def held(text: str) -> set[int]:
    rules = [(number, parse(f"Bash({rule})")) for number, rule in enumerate(RULES)]
    found = RuleSet((number, rule) for number, rule in rules if rule is not None)
    return found.match(("Bash",), "Bash", {"command": text}, "/p")


@given(plain_text)
def test_a_rule_skipped_for_its_words_would_not_have_held(text: str) -> None:
    lines = shell.command_lines(text)
    if lines is None:
        return
    patterns = [".*" if rule == "*" else command_pattern(rule) for rule in RULES]
    expected = {n for n, p in enumerate(patterns) if any(re.search(p, line) for line in (text.strip(), *lines))}
    assert held(text) == expected


def test_words_that_quoting_or_expansion_could_make_are_looked_for_in_the_commands() -> None:
    for text in ("g'it' pu\\sh", "git p''ush", "$(echo git) x; git pus''h origin"):
        assert RULES.index("git push *") in held(text)


def test_the_longest_word_of_a_pattern() -> None:
    assert [longest_word(rule) for rule in RULES] == ["push", "--force", "-rf", "sudo", "test", "", "push"]
