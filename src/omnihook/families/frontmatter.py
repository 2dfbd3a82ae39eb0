"""YAML frontmatter of Markdown files: skills, subagents and commands carry hooks there."""

import yaml

from omnihook.jsontypes import Json, JsonObject

MAX_TEXT = 64 * 1024


def parse(text: str) -> JsonObject | str:
    """The frontmatter as an object, empty where it holds no hooks, or a sentence saying why it cannot be read."""
    block = _block(text)
    if block is None or "hook" not in block.lower():  # most have none, and YAML is read slowly
        return {}
    if len(block) > MAX_TEXT:
        return "it is too large"
    if "&" in block and "*" in block and _has_alias(block):
        return "anchors and aliases are not supported"
    try:
        value = yaml.safe_load(block)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _told(error)
    return _object(value)


def _block(text: str) -> str | None:
    if not text.startswith("---"):
        return None
    head, _, rest = text.partition("\n")
    if head.strip() != "---":
        return None
    end = ("\n" + rest).find("\n---")
    return None if end < 0 else rest[:end]


def _told(error: Exception) -> str:
    """What the parser says, with the line and column of the file: the frontmatter begins in its second line."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return " ".join(str(error).split())
    mark = error.problem_mark
    parts = (error.context, error.problem)
    return f"{', '.join(part for part in parts if part)}: line {mark.line + 2} column {mark.column + 1}"


def _has_alias(block: str) -> bool:
    """Whether any alias is used: nested aliases multiply, and nobody writes hooks with them."""
    try:
        return any(isinstance(token, yaml.AliasToken) for token in yaml.scan(block))
    except yaml.YAMLError:
        return False


def _object(value: object) -> JsonObject | str:
    if value is None:
        return {}
    if not isinstance(value, dict):
        return "it is not a mapping"
    return {str(key): _json(item) for key, item in value.items()}


def _json(value: object) -> Json:
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
