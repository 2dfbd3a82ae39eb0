"""`omnihook show ID`: the whole story of one event: its plan, what each hook said, and how that became the verdict."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

import click

from omnihook import dialects
from omnihook.cli.common import invoke, print_json, say
from omnihook.cli.journals import line, reader
from omnihook.errors import OmnihookError
from omnihook.events import Event
from omnihook.hooks import Hook, summary
from omnihook.journal.reading import Reader
from omnihook.journal.wanting import Record
from omnihook.jsontypes import Json, JsonObject, object_at
from omnihook.loading import with_line
from omnihook.plans import Skipped
from omnihook.recalling import MergeStep, event_of, hooks_of, merge_steps, planner_of, runs_of, skips_of
from omnihook.showing import one_line, shown
from omnihook.verdicts import Verdict
from omnihook.views import verdict_json

OUTPUT = 2000  # characters shown of an output


@click.command()
@click.argument("id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(id: str, as_json: bool) -> int:
    """Tell everything about the record ID; the beginning of an id is enough where it means only one."""
    with reader() as journal:
        story = Story(journal.find(id), journal)
    if as_json:
        print_json(story.json())
    else:
        story.tell()
    return 0


class Story:
    """A record with everything that can be found out about it."""

    def __init__(self, record: Record, journal: Reader) -> None:
        self.record = record
        self.id = str(record.get("id"))
        self.config = journal.config(str(record.get("config"))) or {}
        self.hooks = hooks_of(self.config)
        self.derived = journal.children(self.id)
        self.late = journal.late(self.id)
        self.event: Event | None = None
        self.steps: list[MergeStep] = []
        self.others: tuple[Skipped, ...] = ()
        self.trouble: str | None = None
        try:
            self.event = event_of(record, dialects.get)
            self.steps = merge_steps(record, self.event)
            self.others = planner_of(self.config, dialects.get).explain(self.event)
        except OmnihookError as error:
            self.trouble = str(error)

    def json(self) -> dict[str, Json]:
        """Everything as one object."""
        return {
            **self.record,
            "skipped": [{**item} for item in skips_of(self.record)],
            "not_run": [
                {"hook": item.hook.name, "why": item.detail or item.why, "source": self.source(item.hook)}
                for item in self.others
            ],
            "merge": [
                {
                    "hook": step.hook,
                    "pass": step.pass_,
                    "said": verdict_json(step.said),
                    "so_far": verdict_json(step.sofar),
                }
                for step in self.steps
            ],
            "derived": [*self.derived],
            "late": [*self.late],
            "files": [*object_at(self.config, "texts")],
            "trouble": self.trouble,
        }

    def tell(self) -> None:
        """Everything for people."""
        self._heading()
        self._plan()
        for run in runs_of(self.record):
            self._run(run)
        for run in self.late:
            self._run(run)
        self._not_run()
        self._merge()
        for title in ("lowered", "conflicts", "notices"):
            _section(title, self.record.get(title))
        if self.derived:
            say("followed by")
        for record in self.derived:
            say(f"  {line(record)}")
        if self.trouble is not None:
            say(f"note: {one_line(self.trouble)}")

    def source(self, hook: Hook | None) -> str:
        """A hook's file and line, as they were."""
        if hook is None:
            return ""
        texts = {path: text for path, text in object_at(self.config, "texts").items() if isinstance(text, str)}
        return str(with_line(hook, texts))

    def _heading(self) -> None:
        record = self.record
        at = record.get("at")
        when = datetime.fromtimestamp(at).isoformat(" ", "milliseconds") if isinstance(at, int | float) else "?"
        decision = record.get("decision") or "no opinion"
        reason = object_at(record, "verdict").get("reason")
        say(
            f"{self.id}  {one_line(str(record.get('event')))}: {decision}"
            + (f" ({one_line(str(reason))})" if reason else "")
        )
        say(f"  when      {when}, took {record.get('duration_ms')} ms")
        say(f"  agent     {one_line(str(record.get('agent')))}, session {one_line(str(record.get('session')))}")
        if record.get("parent"):
            say(f"  follows   {record.get('parent')}")
        say(f"  config    {record.get('config')}" + ("" if self.config else " (no longer kept)"))
        payload = object_at(record, "payload")
        known = payload.get("native") or payload.get("fields")
        say(f"  payload   {one_line(json.dumps(known, ensure_ascii=False), OUTPUT)}")

    def _plan(self) -> None:
        stages = self.record.get("plan")
        if not isinstance(stages, list) or not stages:
            say("plan: nothing ran")
            return
        say("plan")
        for number, stage in enumerate(stages, 1):
            lanes = [" then ".join(str(name) for name in lane) for lane in _lists(stage)]
            say(f"  stage {number}: {one_line(' | '.join(lanes), 400)}")

    def _run(self, run: JsonObject) -> None:
        number = run.get("n")
        hook = self.hooks[number] if isinstance(number, int) and number < len(self.hooks) else None
        name = one_line(str(run.get("hook")), 60)
        details = [f"{run.get('duration_ms')} ms"]
        details += [f"{label} {run[key]}" for key, label in (("exit_code", "exit"), ("signal", "signal")) if key in run]
        details += [f"pass {run['pass']}"] if "pass" in run else []
        say(f"hook {name}: {run.get('status')} ({', '.join(details)})")
        if hook is not None:
            say(f"  runs      {one_line(summary(hook), 200)}")
            say(f"  from      {one_line(self.source(hook), 200)}")
        for key in ("verdict", "said"):
            if key in run:
                say(f"  {key:<8}  {one_line(json.dumps(run[key], ensure_ascii=False), OUTPUT)}")
        for key in ("stdout", "stderr", "error"):
            if run.get(key):
                say(f"  {key:<8}  {_indented(str(run[key]))}")
        for note in (*_strings(run.get("lowered")), *_strings(run.get("notes"))):
            say(f"  note      {one_line(note)}")

    def _not_run(self) -> None:
        held = skips_of(self.record)
        if held or self.others:
            say("not run")
        for item in held:
            detail = f" ({one_line(str(item['detail']))})" if item.get("detail") else ""
            say(f"  {one_line(str(item.get('hook')), 60)}: {one_line(str(item.get('why')))}{detail}")
        for other in self.others:
            say(f"  {one_line(other.hook.name, 60)}: {one_line(other.detail or other.why)}")

    def _merge(self) -> None:
        if self.steps:
            say("merge")
        for step in self.steps:
            again = f" (pass {step.pass_})" if step.pass_ > 1 else ""
            say(f"  {one_line(step.hook, 60)}{again}: {said(step.said)} -> {said(step.sofar)}")
        if self.steps:
            say(f"  verdict: {self.record.get('decision') or 'no opinion'}")


def said(verdict: Verdict) -> str:
    """A verdict in a few words."""
    words = [verdict.decision.word or "no opinion"]
    words += ["stop"] if not verdict.continue_ else []
    words += ["new input"] if verdict.updated_input is not None else []
    words += ["new output"] if verdict.updated_output is not None else []
    words += ["context"] if verdict.additional_context else []
    words += ["message"] if verdict.system_message else []
    return ", ".join(words)


def _section(title: str, notes: Json) -> None:
    found = _strings(notes)
    if found:
        say(title)
    for note in found:
        say(f"  {one_line(note)}")


def _indented(text: str) -> str:
    return shown(text.rstrip("\n"), OUTPUT).replace("\n", "\n            ")


def _strings(value: Json) -> Sequence[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _lists(value: Json) -> Iterable[list[Json]]:
    return [item for item in value if isinstance(item, list)] if isinstance(value, list) else ()


def run(args: list[str]) -> int:
    """The verb."""
    return invoke(show, args, "show")
