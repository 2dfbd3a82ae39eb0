"""The guard's verdict on shell text: walk it, weigh every effect, answer with the most severe rule."""

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Literal

from omnihook.builtin.guard.acting import acts
from omnihook.builtin.guard.commands import HANDLERS
from omnihook.builtin.guard.commands.variables import prints_variables, traces
from omnihook.builtin.guard.effects import Effect, Note, Shell
from omnihook.builtin.guard.modes import Mode
from omnihook.builtin.guard.places import Scene
from omnihook.builtin.guard.rules import RULES, Finding, Severity
from omnihook.builtin.guard.weighing import weigh
from omnihook.shell.evaluating import Evaluator
from omnihook.shell.limiting import limited
from omnihook.shell.parsing import ShellTextError
from omnihook.shell.state import Surroundings
from omnihook.shell.values import HOLE, Command, Text
from omnihook.shell.watching import Written
from omnihook.slotted import dataclass

Verdict = Literal["allow", "ask", "block"]
_DESTRUCTIVE = re.compile(
    r"\b(rm|unlink|shred|mkfs|dd|wipefs|fdisk|sgdisk|chmod|chown|rmtree|rmSync|rimraf|killall|shutdown|eval|base64)\b|"
    r"\|\s*+(sudo |env )?(ba|z|da|k)?sh\b|/dev/(sd|nvme|tcp)|\.env\b|id_rsa|-delete\b|:\(\) ?\{",
)
_NAMES = frozenset({*(name for name in HANDLERS if name.isalpha() and len(name) < 12), "sh", "bash", "python", "sudo"})
_MAX_REMEMBERED = 8 * 1024
_MAX_TRACE = 200
_MAX_NOTES = 50


@dataclass(frozen=True, slots=True)
class Judgement:
    """The answer: a verdict, the rule that gave it, why, what to do instead, and how it was reached."""

    verdict: Verdict
    rule: str
    reason: str
    fix: str = ""
    trace: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """How strict to be. `off` names rules to ignore; catastrophic ones stay on."""

    mode: Mode = Mode.STANDARD
    off: frozenset[str] = frozenset()
    explain: bool = False

    def severity(self, rule: str) -> Severity:
        """What a rule answers under these settings."""
        found = RULES[rule]
        if rule in self.off and not found.catastrophic:
            return Severity.ALLOW
        return found.severity


def judge(
    command: str,
    *,
    cwd: str,
    home: str,
    project: str,
    mode: Mode = Mode.STANDARD,
    rules: Mapping[str, bool] | None = None,
    explain: bool = False,
) -> Judgement:
    """Judge shell text without running it; nothing is read from disk.

    `rules` switches single rules off (False). The trace holds the commands walked when the verdict is not
    allow, and always with `explain`.
    """
    return judge_in(command, Scene(cwd, home, project), Settings(mode, switched_off(rules), explain))


def switched_off(rules: Mapping[str, bool] | None) -> frozenset[str]:
    """The names of the rules that are off."""
    return frozenset([name for name, wanted in (rules or {}).items() if not wanted])


def judge_in(command: str, scene: Scene, settings: Settings) -> Judgement:
    """The same, with folders and settings as values; short commands are remembered."""
    return (
        _remembered(command, scene, settings) if len(command) <= _MAX_REMEMBERED else _judge(command, scene, settings)
    )


class _Decided(Exception):
    """Raised to leave the walk once it has found a reason to block."""


def _judge(command: str, scene: Scene, settings: Settings) -> Judgement:
    judging = _Judging(scene, settings)
    try:
        with limited():
            Evaluator(judging, Surroundings(scene.cwd, scene.home, scene.project), _NAMES).run(command)
    except ShellTextError as error:
        judging.limit(command, str(error))
    except _Decided:
        pass
    return judging.judgement()


_remembered = lru_cache(maxsize=1024)(_judge)


def answer(found: list[Finding], settings: Settings, trace: list[str]) -> Judgement:
    """The judgement for the most severe finding, the first of equals."""
    ranked = [(settings.severity(finding.rule), finding) for finding in found]
    worst = max((severity for severity, _ in ranked), default=Severity.ALLOW)
    if worst is Severity.ALLOW:
        return Judgement("allow", "", "nothing in it is known to be dangerous", trace=tuple(trace))
    finding = next(finding for severity, finding in ranked if severity is worst)
    rule = RULES[finding.rule]
    detail = finding.detail.replace(HOLE, "…")
    reason = f"{rule.reason}: {detail}" if detail else rule.reason
    notes = tuple(f"-> {item.rule}: {item.detail}".replace(HOLE, "…") for item in found[:_MAX_NOTES])
    return Judgement("block" if worst is Severity.BLOCK else "ask", rule.id, reason, rule.fix, (*trace, *notes))


@dataclass(slots=True)
class _Judging:
    """Watches a walk and keeps what it finds."""

    scene: Scene
    settings: Settings
    found: list[Finding] = field(default_factory=list)
    walked: list[Command] = field(default_factory=list)
    uncalled: list[Finding] = field(default_factory=list)
    harmless: set[Command] = field(default_factory=set)
    """Commands that did nothing: one that is shown again is in the same circumstances."""
    sourced: str = ""
    """The protected file whose variables the shell has taken over."""
    contained: str = ""
    """The protected file whose variables a container is given."""
    traced: bool = False
    """Whether the shell repeats what it reads or runs."""

    def command(self, command: Command) -> list[Text | Written]:
        """Weigh one command; gives back shell text inside it, and what code in it writes."""
        if len(self.walked) < _MAX_TRACE:
            self.walked.append(command)
        inside: list[Text | Written] = []
        found = len(self.found) + len(self.uncalled)
        if self.sourced and prints_variables(command.words):
            self._add(Finding("protected-file", f"{command.name} shows what {self.sourced} holds"), command)
        if self.contained and "container" in command.context and prints_variables(command.words):
            self._keep(Finding("protected-file", f"{command.name} shows what {self.contained} holds"))
        if command.name == "set" and (told := traces(command.words)) is not None:
            self.traced = told
        if command in self.harmless:
            return inside
        for row in acts(command, self.scene, self.settings.mode):
            for act in row:
                match act:
                    case Effect():
                        finding = weigh(act, command, self.scene, self.settings.off)
                        if finding is not None:
                            self._add(finding, command)
                            if finding.rule == "use-protected" and command.name in ("source", "."):
                                self._loaded(finding, command)
                            elif finding.rule == "use-protected" and " --env-file" in " ".join(command.words):
                                self.contained = finding.detail
                    case Note():
                        self._add(Finding(act.rule, act.detail), command)
                    case Shell():
                        inside.append(act.text)
                    case Written():
                        inside.append(act)
        if not inside and found == len(self.found) + len(self.uncalled):
            self.harmless.add(command)
        return inside

    def _loaded(self, finding: Finding, command: Command) -> None:
        """A protected file's variables are taken over, and shown at once where the shell repeats what it runs."""
        self.sourced = finding.detail
        if self.traced:
            self._add(Finding("protected-file", f"the shell repeats what {finding.detail} holds"), command)

    def script(self, text: Text, via: str, command: Command) -> None:
        """Shell text nobody can see is about to run."""
        rule = _unseen(text, via)
        if rule is not None:
            what = "decoded text" if via == "decoded" else "text that is not known"
            self._add(Finding(rule, f"{command.name} runs {what}"), command)

    def bomb(self, name: str) -> None:
        """Processes without end."""
        self._keep(Finding("fork-bomb", name))

    def broken(self, text: str) -> None:
        """Text that does not parse: what could be read of it has been weighed as well."""
        self._keep(Finding("unparsed-destructive" if _DESTRUCTIVE.search(text) else "unparsed", "syntax error"))

    def limit(self, text: str, reason: str) -> None:
        """A cap was reached: never an allow."""
        deep = "wrappers" in reason or "inside one another" in reason
        rule = "too-deep" if deep else "unparsed-destructive" if _DESTRUCTIVE.search(text) else "too-complex"
        self.found.append(Finding(rule, reason))

    def judgement(self) -> Judgement:
        """The answer to all that was found; what only an uncalled function does is asked about."""
        calm = all(self.settings.severity(item.rule) is Severity.ALLOW for item in self.found)
        if calm and any(RULES[item.rule].severity is Severity.BLOCK for item in self.uncalled):
            self.found.append(Finding("run-unseen", "a function that is defined here and could be called later"))
        wanted = self.found or self.settings.explain
        return answer(self.found, self.settings, list(map(_shown, self.walked)) if wanted else [])

    def _add(self, finding: Finding, command: Command) -> None:
        if "uncalled" in command.context:
            self.uncalled.append(finding)
        elif "fresh" in command.context and finding.rule not in ("fork-bomb", "write-device") and not command.mounts:
            if finding.rule in ("run-remote", "run-unseen", "reverse-shell"):
                self.found.append(Finding("run-unseen", "inside a fresh container"))
        else:
            self._keep(finding)

    def _keep(self, finding: Finding) -> None:
        self.found.append(finding)
        if self.settings.severity(finding.rule) is Severity.BLOCK:
            raise _Decided


def _unseen(text: Text, via: str) -> str | None:
    if via == "decoded":
        return "run-hidden"
    if text.origins & {"network"}:
        return "run-download" if via == "saved" else "run-remote"
    if via in ("eval", "source") and text.origins and text.origins <= {"generator"}:
        return None
    return "run-unseen"


def _shown(command: Command) -> str:
    line = " ".join(command.words)[:160]
    if command.redirects:
        line += "".join([f" {item.op}{item.target.text[:60]}" for item in command.redirects])
    if command.context:
        line += f"  [{', '.join(sorted(command.context))}]"
    return line.replace(HOLE, "…").replace("\n", "⏎")
