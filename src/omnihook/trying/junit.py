"""Results of cases as JUnit XML, which build servers read."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from omnihook.trying.cases import Result

# What XML 1.0 has no way to say, escaped or not.
_UNSAYABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Sequence[Result]) -> str:
    """One suite with a test case per case."""
    failed = sum(result.failure is not None for result in results)
    broken = sum(result.error is not None for result in results)
    figures = {"tests": str(len(results)), "failures": str(failed), "errors": str(broken)}
    taken = f"{sum(result.duration for result in results):.3f}"
    suites = ElementTree.Element("testsuites", {"name": "omnihook", "time": taken, **figures})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "hooks", "time": taken, **figures})
    for result in results:
        _case(suite, result)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, result: Result) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_clean(result.hook.name),
        name=_clean(result.name),
        time=f"{result.duration:.3f}",
    )
    for tag, text in (("failure", result.failure), ("error", result.error)):
        if text is not None:
            ElementTree.SubElement(case, tag, message=_clean(text)).text = _clean(text)
    for tag, text in (("system-out", result.stdout), ("system-err", result.stderr)):
        if text:
            ElementTree.SubElement(case, tag).text = _clean(text)


def _clean(text: str) -> str:
    return _UNSAYABLE.sub("�", text)
