"""Database clients: statements that drop or empty, and the files their text reads and writes."""

import re
from collections.abc import Iterator

from omnihook.builtin.guard.commands.reading import used
from omnihook.builtin.guard.commands.table import Handler
from omnihook.builtin.guard.effects import Act, Do, Effect, Note
from omnihook.shell.saving import contents
from omnihook.shell.tables import names
from omnihook.shell.values import Command, Text

_CLIENTS = names(
    "psql mysql mariadb sqlite3 sqlite mongosh mongo redis-cli cqlsh clickhouse clickhouse-client duckdb bq",
    "influx cockroach sqlcmd snowsql usql pgcli mycli litecli trino presto hive beeline isql turso d1",
)
_DESTRUCTIVE = re.compile(
    r"\b(drop\s+(database|schema|table|user|role|view|index|keyspace|collection|type|function|materialized)"
    r"|truncate\s+(table\s+)?\w|delete\s+from\s+[\w.\"`]+\s*(;|$)|alter\s+table\s+\S+\s+drop|flushall|flushdb"
    r"|dropdatabase\s*\(|\.drop\s*\(|deletemany\s*\(\s*\{\s*\})",
    re.I,
)
_QUOTED = re.compile(r"'(?:[^']|'')*+'|\"[^\"]*+\"|--[ \t][^\n]*+|/\*(?!!)(?:[^*]|\*(?!/))*+(?:\*/)?")
_RUNS_TEXT = re.compile(r"\b(?:execute|exec|prepare|eval|sp_executesql|query_to_xml|dblink\w*)\b", re.I)
"""Statements whose strings are statements themselves."""
_NAME = r"""(?:\(\s*+)?+(?:\[\s*+)?+(?:'((?:[^'\n]|'')+)'|"([^"\n]+)")"""
_READS = re.compile(
    r"\b(?:readfile|read_\w+|pg_read_(?:binary_)?file|lo_import|load_file|file|cat|readFileSync|load|glob)\s*+(?=\()"
    rf"{_NAME}|\b(?:infile|attach(?:\s+database)?|copy\b[^;]{{1,300}}?\bfrom|from|source)\s{{0,9}}+{_NAME}",
    re.I,
)
_WRITES = re.compile(
    rf"\b(?:writefile|lo_export\s*\(\s*\w+\s*,|writeFileSync)\s*+{_NAME}"
    rf"|\b(?:outfile|dumpfile|vacuum\s+into|copy\b[^;]{{1,300}}?\bto)\s{{0,9}}+{_NAME}",
    re.I,
)
_WORD = r"""(?:[ \t]+-{1,2}\w+(?:[ \t]+\d+)?)*[ \t]+(?:'([^'\n]+)'|"([^"\n]+)"|([^\s'"|;]+))"""
_READING_LINE = re.compile(
    r"^[ \t]*(?:\.(?:read|import|restore|load|open)|\\(?:i|ir|include|include_relative|\.)|source"
    rf"|\\copy\b.*?\bfrom){_WORD}",
    re.I | re.M,
)
_WRITING_LINE = re.compile(
    rf"^[ \t]*(?:\.(?:output|once|save|backup|clone|log|trace)|\\(?:o|out|w|write|T|tee)|\\copy\b.*?\bto){_WORD}",
    re.I | re.M,
)
_OPTION = re.compile(r"^(?:--[\w-]+=|-[ec](?=[^=]))")
"""What stands before a statement in the same word."""
_STREAMS = names("stdin stdout pstdin pstdout program stderr off")


def database(command: Command) -> Iterator[Act]:
    """A client's statements: in its arguments, on standard input, or in a file that was just written."""
    words = (Text(_OPTION.sub("", word.text), word.origins) for word in command.argv[1:])
    texts = [*words, *(text for _, text in contents(command))]
    if command.stdin is not None:
        texts.append(command.stdin.text)
    plain = any(_RUNS_TEXT.search(text.text) for text in texts)
    if any(_destroys(text.text if plain else _QUOTED.sub(_emptied, text.text)) for text in texts):
        yield Note("infrastructure", " ".join(command.words)[:200])
    for text in texts:
        yield from _named(Do.READ, text, _READS, _READING_LINE)
        yield from _named(Do.WRITE, text, _WRITES, _WRITING_LINE)
    yield from used(command)


def _emptied(found: re.Match[str]) -> str:
    """A string or quoted name without what it says; a comment leaves a blank."""
    mark = found[0][0]
    return mark * 2 if mark in "'\"" else " "


def _destroys(text: str) -> bool:
    return _DESTRUCTIVE.search(text) is not None or _updates_all(text)


def _updates_all(text: str) -> bool:
    """`UPDATE t SET ...` without a WHERE."""
    statements = (statement.strip().lower() for statement in text.split(";"))
    return any(re.match(r"update\s+\S+\s+set\s", one) and " where " not in one.replace("\n", " ") for one in statements)


def _named(do: Do, text: Text, *patterns: re.Pattern[str]) -> Iterator[Act]:
    """The files that a client's text names in places where they are opened."""
    for pattern in patterns:
        for found in pattern.finditer(text.text):
            path = next(group for group in found.groups() if group is not None)
            if path.lower() not in _STREAMS:
                yield Effect(do, Text(path, text.origins, path if "*" in path or "?" in path else None))


DATABASES: dict[str, Handler] = dict.fromkeys(_CLIENTS, database)
