"""The quickstart is run as it stands, in an empty home; with OMNIHOOK_WRITE_DOCS=1 its output is written anew."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOC = Path(__file__).resolve().parent.parent / "docs" / "quickstart.md"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
VARYING = (
    (re.compile(r"\b[0-9a-z]{13}\b"), "…"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?: ?[+-]\d{4}| UTC|Z)?"), "…"),
    (re.compile(r"\d\d-\d\d \d\d:\d\d:\d\d"), "…"),
    (re.compile(r"\b\d+(?:\.\d+)? m?s\b"), "… ms"),
    (re.compile(r"\bcli-[0-9a-f]{12}\b"), "cli-…"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "…"),
    (re.compile(r" {2,}$", re.MULTILINE), ""),
)


def normal(text: str, home: Path) -> str:
    made = text.replace(str(home / "project"), "~/project").replace(str(home), "~")
    for pattern, stand_in in VARYING:
        made = pattern.sub(stand_in, made)
    return made


@pytest.mark.timeout(120)
def test_the_quickstart_is_what_happens(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir(mode=0o755)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    environ = {"HOME": str(tmp_path), "PATH": path, "LANG": "C.UTF-8", "COLUMNS": "100"}
    text = DOC.read_text()
    for block in BLOCK.findall(text):
        made = []
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            found = subprocess.run(
                ["bash", "-c", command], cwd=project, env=environ, capture_output=True, text=True, timeout=60
            )
            assert found.returncode in (0, 1), found.stderr
            assert "Traceback" not in found.stderr
            made.append(f"$ {command}\n{normal(found.stdout + found.stderr, tmp_path)}")
        text = text.replace(f"```console\n{block}```", f"```console\n{''.join(made)}```")
    if os.environ.get("OMNIHOOK_WRITE_DOCS"):
        DOC.write_text(text)
    assert text == DOC.read_text()
