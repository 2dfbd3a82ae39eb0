import os

import pytest

from omnihook.hooks import Layer
from omnihook.runners import environment


def base(environ: object = None) -> dict[str, str]:
    given = os.environ if environ is None else environ
    return environment.base(given, layer=Layer.USER, project="/p", clean=False)  # type: ignore[arg-type]


def test_a_variable_of_the_process_is_seen_as_soon_as_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("one", "two"):
        monkeypatch.setenv("BENCH_MOOD", value)
        assert base()["BENCH_MOOD"] == value
    monkeypatch.delenv("BENCH_MOOD")
    assert "BENCH_MOOD" not in base()


def test_environments_of_different_hosts_are_kept_apart() -> None:
    mine, other = {"PATH": "/usr/bin", "A": "1"}, {"PATH": "/usr/bin", "A": "2"}
    assert [base(mine)["A"], base(other)["A"], base(mine)["A"]] == ["1", "2", "1"]
    mine["A"] = "3"
    assert base(mine)["A"] == "3"


def test_what_a_hook_is_given_is_its_own() -> None:
    given = {"PATH": "/usr/bin"}
    base(given)["PATH"] = "/changed"
    assert base(given)["PATH"] == "/usr/bin"


@pytest.mark.parametrize("value", ["plain", "ümlaut", "a\0b", "x" * 200_000, "\udcff", "\ud800"])
def test_an_environment_that_needs_no_fitting_is_passed_as_it_is(value: str) -> None:
    fitted = environment.fit({"A": "1", "B": value})
    encoded = os.fsencode(fitted.env["B"])
    assert b"\0" not in encoded and len(encoded) < 131_072
    assert (fitted.env["B"] == value) is (value in ("plain", "ümlaut", "\udcff"))
