"""Reading: filters, ids and prefixes, what comes in, and a journal that is not there."""

import json
import time
from pathlib import Path

import pytest

from journal.kit import record
from omnihook.errors import JournalError
from omnihook.journal import Journal
from omnihook.journal.ids import Ids
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Wanted, fits

NOW = 1_800_000_000.0


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    journal = Journal(str(tmp_path), resident=False)
    ids = Ids()
    plain = {"agent": "omnihook", "session": "s-1", "event": "PreToolUse", "decision": None, "runs": []}
    given: list[dict[str, object]] = [
        {"event": "SessionStart"},
        {"decision": "deny", "runs": [{"hook": "guard", "status": "blocked"}]},
        {"decision": "allow", "agent": "claude-code", "session": "s-2"},
        {"event": "Stop", "skipped": [{"hook": "tests", "why": "disabled"}]},
        {"decision": "ask", "runs": [{"hook": "guard", "status": "ok"}, {"hook": "guard2", "status": "ok"}]},
    ]
    for number, more in enumerate(given):
        at = NOW + number * 60
        journal.append({"id": ids.new(at), "at": at, **plain, "number": number, **more})
    journal.close()
    return Reader(str(tmp_path))


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Wanted(), [0, 1, 2, 3, 4]),
        (Wanted(limit=2), [3, 4]),
        (Wanted(event="pretooluse"), [1, 2, 4]),
        (Wanted(event="PreToolUse", limit=1), [4]),
        (Wanted(hook="guard"), [1, 4]),
        (Wanted(hook="guard", limit=1), [4]),
        (Wanted(hook="tests"), [3]),
        (Wanted(hook="guar"), []),
        (Wanted(decision="deny"), [1]),
        (Wanted(decision="none"), [0, 3]),
        (Wanted(agent="claude-code"), [2]),
        (Wanted(session="s-2"), [2]),
        (Wanted(session="s-"), [0, 1, 2, 3, 4]),
        (Wanted(session="%"), []),
        (Wanted(since=NOW + 60), [1, 2, 3, 4]),
        (Wanted(until=NOW + 60), [0, 1]),
        (Wanted(since=NOW + 61, until=NOW + 179), [2]),
        (Wanted(event="PreToolUse", decision="ask", hook="guard2"), [4]),
    ],
)
def test_filters(reader: Reader, wanted: Wanted, numbers: list[int]) -> None:
    with reader:
        found = reader.records(wanted)
        everything = reader.records(Wanted())
    assert [item["number"] for item in found] == numbers
    if wanted.limit is None:
        assert [item["number"] for item in everything if fits(item, wanted)] == numbers


def test_a_record_is_found_by_the_beginning_of_its_id(reader: Reader) -> None:
    with reader:
        ids = [str(item["id"]) for item in reader.records(Wanted())]
        assert ids == sorted(ids)
        assert reader.find(ids[2])["number"] == 2
        assert reader.find(ids[2].upper())["number"] == 2
        shortest = next(ids[2][:n] for n in range(1, 14) if sum(one.startswith(ids[2][:n]) for one in ids) == 1)
        assert reader.find(shortest)["number"] == 2
        with pytest.raises(JournalError, match=r"several records: .*, .*, .*, \.\.\."):
            reader.find(ids[2][0])
        for unknown in ("zzzz", "", "%", "'; DROP TABLE records; --", ids[0] + "0"):
            with pytest.raises(JournalError):
                reader.find(unknown)


def test_records_are_followed_by_their_number(reader: Reader) -> None:
    with reader:
        assert [item["number"] for item in reader.after(3)] == [3, 4]
        assert reader.last() == 5
        assert reader.after(5) == []


def test_without_a_journal_there_is_nothing(tmp_path: Path) -> None:
    with Reader(str(tmp_path / "nowhere")) as reader:
        assert (reader.records(Wanted()), reader.last(), reader.after(0), reader.lost()) == ([], 0, [], 0)
        assert reader.config("x") is None
        with pytest.raises(JournalError, match="no record"):
            reader.find("0abc")


def test_a_journal_that_begins_later_is_seen(tmp_path: Path) -> None:
    with Reader(str(tmp_path)) as reader:
        assert reader.after(0) == []
        assert reader.replaced()
        journal = Journal(str(tmp_path))
        journal.append(record(journal, 1), urgent=True)
        assert [item["number"] for item in reader.after(0)] == [1]
        assert not reader.replaced()
        journal.append(record(journal, 2), urgent=True)
        assert [item["number"] for item in reader.after(1)] == [2]
        journal.close()


def test_odd_folder_names_are_paths_not_addresses(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%41 d"
    journal = Journal(str(folder))
    journal.append(record(journal, 1), urgent=True)
    journal.close()
    with Reader(str(folder)) as reader:
        assert [item["number"] for item in reader.records(Wanted())] == [1]


def test_a_thousand_records_are_listed_quickly(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), resident=False)
    for number in range(5000):
        journal.append(record(journal, number, text=json.dumps({"n": number})))
    journal.close()
    with Reader(str(tmp_path)) as reader:
        begun = time.thread_time()
        assert len(reader.records(Wanted(limit=50))) == 50
        assert time.thread_time() - begun < 0.05
