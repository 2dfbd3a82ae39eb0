"""`omnihook guard` on the command line."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from omnihook.cli.guard import run

PAIRS = Path(__file__).parent / "pairs.jsonl"


def test_a_blocked_command_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rm -rf /"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "block  delete-critical"
    assert "instead:" in out


def test_an_allowed_command_exits_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ls -la"]) == 0
    assert capsys.readouterr().out.startswith("allow")


def test_json_holds_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--json", "sudo rm x"]) == 1
    given = json.loads(capsys.readouterr().out)
    assert set(given) == {"verdict", "rule", "reason", "fix", "trace"}
    assert given["rule"] == "delete-elevated"


def test_explain_shows_inner_commands(capsys: pytest.CaptureFixture[str]) -> None:
    run(["--explain", "bash -c 'cd /tmp && rm -rf x'"])
    assert "    rm -rf x" in capsys.readouterr().out.splitlines()


def test_options_set_the_scene() -> None:
    assert run(["rm -rf dist", "--cwd", "/srv/a", "--project", "/srv/a", "--home", "/home/x"]) == 0
    assert run(["rm -rf /home/dev/project", "--cwd", "/home/dev/project"]) == 1
    assert run(["dd if=a of=b", "--mode", "strict"]) == 1


def test_lines_in_and_out_keep_their_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": "a", "command": "rm -rf /home/dev/project"},
        {"id": 2, "command": "ls"},
        {"id": "c", "command": "rm -rf build", "cwd": "/opt/x", "project": "/srv"},
        {"id": "d", "command": 5},
    ]
    text = "\n".join(map(json.dumps, rows)) + "\nnot json\n\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO((text).encode())))
    assert run(["--jsonl"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["verdict"] for answer in answers] == ["block", "allow", "ask", "ask", "ask"]
    assert [answer["id"] for answer in answers] == ["a", 2, "c", "d", None]
    assert all(set(answer) == {"id", "verdict", "rule", "reason"} for answer in answers)


def test_lines_that_are_no_json_or_no_text_are_answered_with_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = b'{"id": NaN, "command": "ls"}\n{"id": 1e999, "command": "ls"}\n'
    lines += b'{"id": "\xc3\xa9", "command": "rm -rf / \xff"}\n\xff\n{"command": "ls"}'
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(lines), encoding="ascii", errors="surrogateescape"))
    assert run(["--jsonl"]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["id"], row["verdict"]) for row in answers] == [
        (None, "ask"),
        (None, "ask"),
        ("é", "block"),
        (None, "ask"),
        (None, "allow"),
    ]


def test_scoring_a_labelled_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "labelled.jsonl"
    rows = [
        {"id": "t-rm-block-1", "command": "rm -rf /", "verdict": "block"},
        {"id": "t-rm-block-2", "command": "ls", "verdict": "block"},
        {"id": "t-safe-allow-1", "command": "ls", "verdict": "allow"},
        {"id": "t-safe-allow-2", "command": "git push -f", "verdict": "allow"},
        {"id": "t-git-ask-1", "command": "git push -f", "verdict": "ask"},
    ]
    corpus.write_text("\n".join(map(json.dumps, rows)))
    assert run(["--score", str(corpus), "--json"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert given["total"] == {
        "block_recall": 0.5,
        "stopped_recall": 0.5,
        "hard_false_positives": 0.0,
        "soft_false_positives": 0.5,
        "ask_agreement": 1.0,
    }
    assert set(given["categories"]) == {"rm", "safe", "git"}
    assert [row["id"] for row in given["wrong"]] == ["t-rm-block-2", "t-safe-allow-2"]


def test_the_score_of_our_own_corpus_is_perfect(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--score", str(PAIRS)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2].split() == ["all", "100.0%", "100.0%", "0.0%", "0.0%", "100.0%"]


def test_a_bad_corpus_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "bad.jsonl"
    corpus.write_text('{"command": "ls", "verdict": "allow"}\n{"command": "ls"}\n')
    assert run(["--score", str(corpus)]) == 1
    assert ":2:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b'{"command": "\xff", "verdict": "allow"}', "it is not UTF-8"),
        (b"[" * 20_000, "it is not JSON"),
        (b"{", "it is not JSON"),
        (b"5", "it is not an object"),
        (b'{"command": "ls", "verdict": "maybe"}', "one of allow, ask, block"),
        (b'{"command": "ls", "verdict": ["allow"]}', "one of allow, ask, block"),
        (b'{"command": ["ls"], "verdict": "allow"}', "'command' is missing or is not text"),
        (b'{"verdict": "allow"}', "'command' is missing or is not text"),
    ],
)
def test_an_odd_row_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: bytes, said: str
) -> None:
    corpus = tmp_path / "odd.jsonl"
    corpus.write_bytes(b'{"command": "ls", "verdict": "allow"}\n\n' + row + b"\n")
    assert run(["--score", str(corpus)]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert ":3: " in told.err
    assert said in told.err


def test_a_mark_at_the_beginning_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '\ufeff{"id": "1", "command": "ls", "verdict": "allow"}\n'
    corpus = tmp_path / "marked.jsonl"
    corpus.write_text(text, encoding="utf-8")
    assert run(["--score", str(corpus)]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["category", "all", "p50"]
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO((text).encode())))
    assert run(["--jsonl"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "allow"


def test_nothing_to_judge_is_a_usage_error() -> None:
    assert run([]) == 2
    assert run(["--no-such-option"]) == 2
    assert run(["ls", "--jsonl"]) == 2


def test_a_rule_can_be_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["git push --force"]) == 1
    assert run(["--off", "git-history", "git push --force"]) == 0
    assert run(["--off", "git-history", "--off", "mode-777", "chmod 777 x && git push --force"]) == 0
    capsys.readouterr()
    assert run(["--off", "delete-critical", "ls"]) == 2
    assert "delete-critical" in capsys.readouterr().err
