"""Commands that keep a script for later: traps, callbacks, keys, completions, jobs."""

import shlex
from itertools import pairwise

from omnihook.shell.hosts import Host, Inner, known_words, stream_or_unknown, value_of_option, with_options
from omnihook.shell.options import given, places
from omnihook.shell.values import Command, Text, joined, unknown

_FEW_LINES = 4


def trapped(command: Command) -> list[Inner]:
    """`trap script SIGNAL`, which runs later."""
    operands = [word for word in command.argv[1:] if word.text not in ("--", "-p", "-l")]
    return [Inner(script=operands[0], via="trap")] if len(operands) > 1 and operands[0].text not in ("", "-") else []


def called_back(command: Command) -> list[Inner]:
    """`mapfile -C script`: the text with the index and the line behind it."""
    options, _ = given(known_words(command), "dnOsuCc")
    text = stream_or_unknown(command.stdin).text
    lines = [Text(shlex.quote(line), text.origins) for line in text.text.split("\n")[:_FEW_LINES]] if text.known else []
    return [
        Inner(script=joined((value_of_option(command, option), Text("0"), line), " "), via="eval")
        for option in places(options, ("-C",))
        for line in lines or [unknown("input")]
    ]


def bound(command: Command) -> list[Inner]:
    """`bind -x '"key": script'`."""
    words = command.argv[1:]
    found = [word for option, word in pairwise(words) if option.text == "-x"]
    return [Inner(script=Text(word.text.partition(":")[2], word.origins)) for word in found]


def scheduled(command: Command) -> list[Inner]:
    """`at` and `batch`: their input is a script, or the file that `-f` names."""
    files = [value_of_option(command, one) for one in places(given(known_words(command), "qftmM")[0], ("-f",))]
    if files:
        return [Inner(file=file) for file in files]
    return [] if command.stdin is None else [Inner(script=command.stdin.text, via="pipe")]


LATER: dict[str, Host] = {
    "trap": trapped,
    **dict.fromkeys(("mapfile", "readarray"), called_back),
    **dict.fromkeys(("complete", "compgen"), with_options("-C")),
    "bind": bound,
    **dict.fromkeys(("at", "batch"), scheduled),
}
