"""Calls that are worth strings made from strings: joined, replaced, filled in, decoded, reversed."""

from omnihook.builtin.guard.languages import strings, surroundings
from omnihook.builtin.guard.languages.asking import GONE, Asked, Values, first, line
from omnihook.builtin.guard.languages.nodes import Items, Node
from omnihook.shell.tables import names
from omnihook.shell.values import Text

_CONCATENATES = names("paste paste0 concat string-append str strcat append")
_JAVASCRIPT = frozenset({"node", "deno", "bun"})


def spelt(asked: Asked, values: Values) -> list[Text] | None:
    """What a call on strings gives, None when it is not one that is known."""
    found = _decoded(asked, values)
    if found is not None:
        return found
    last, given, mine = asked.last, asked.given, asked.mine
    if last in strings.JOIN:
        return _joined(asked, values)
    if last in strings.REPLACE and ((mine and given) or len(asked.positional) == 3):
        return _replaced(asked, values)
    if last in strings.FORMAT:
        return _filled(asked, values)
    if last in strings.LOWER:
        return [Text(text.text.lower(), text.origins) for text in mine or given]
    if last in strings.UPPER:
        return [Text(text.text.upper(), text.origins) for text in mine or given]
    if last in strings.SPLIT or last in strings.MAPS:
        return values.sequence(asked.node)
    if last == "parse" and not asked.positional:
        return [text for value in asked.named() for text in values.texts(value)]
    if last in surroundings.WRAPPERS:
        return given if not mine or asked.owner in ("io", "os") or asked.owner[:1].isupper() else mine
    return None


def _replaced(asked: Asked, values: Values) -> list[Text]:
    """`text.replace(old, new)`, or `str_replace(old, new, text)`."""
    subject = asked.mine if asked.mine and asked.given else values.texts(asked.positional[2])
    rest = [text.text for arg in asked.positional[:2] for text in values.texts(arg)[:1]]
    changed = [(strings.replaced(asked.last, text.text, rest), text.origins) for text in subject]
    return [Text(new, origins) for new, origins in changed if new is not None]


def _filled(asked: Asked, values: Values) -> list[Text]:
    own = bool(asked.mine) and asked.owner != "string"
    form = asked.mine if own else asked.given
    rest = asked.positional if own else asked.positional[1:]
    given = [first(values.texts(arg)).text for arg in (*rest, *asked.named())]
    return [Text(strings.filled(text.text, given), text.origins) for text in form]


def _decoded(asked: Asked, values: Values) -> list[Text] | None:
    """Text behind an encoding."""
    last, given, mine = asked.last, asked.given, asked.mine
    if last in strings.REVERSE and (mine or given):
        texts = mine or given
        items = values.sequence(asked.node) if len(texts) > 1 else []
        return items or [Text(text.text[::-1], text.origins) for text in texts]
    if last in strings.CHARACTERS:
        codes = [text.text for arg in asked.positional for text in values.sequence(arg)] or [text.text for text in mine]
        made = strings.characters(codes)
        if made is not None:
            return list(map(Text, made)) if last == "chr" else [Text(made)]
    if last in ("pack", "unpack", "unpack1", "decode", "from", "toString"):
        return _packed(asked, values)
    return _undone(last, given or mine) if strings.decoder(last) else None


def _undone(encoding: str, texts: list[Text]) -> list[Text]:
    decode = strings.decoder(encoding)
    plain = [decode(text.text) for text in texts] if decode is not None else []
    return [Text(text) for text in plain if text is not None]


def _packed(asked: Asked, values: Values) -> list[Text] | None:
    """`pack("H*", x)`, `[x].pack("m")`, `x.unpack1("m")`, `Buffer.from(x, "base64")`, `codecs.decode(x, "hex")`."""
    last, given = asked.last, asked.given
    second = first(values.texts(asked.positional[1])).text if len(asked.positional) > 1 else ""
    if strings.decoder(second):
        return _undone(second, given)
    if last in ("pack", "unpack", "unpack1") and given:
        rest = [text for arg in asked.positional[1:] for text in values.sequence(arg)] or asked.mine
        if strings.decoder(given[0].text):
            return _undone(given[0].text, rest)
        made = strings.characters([text.text for text in rest])
        return [Text(made)] if made is not None else None
    if last == "decode" and given and not asked.mine:
        plain = strings.base64_decoded(given[0].text)
        return given[:1] if plain is None or not plain.isprintable() else [given[0], Text(plain)]
    codes = strings.characters([text.text for arg in asked.positional[:1] for text in values.sequence(arg)])
    return [Text(codes)] if last == "from" and codes is not None else None


def _joined(asked: Asked, values: Values) -> list[Text]:
    """`sep.join(list)`, `list.join(sep)`, `join(sep, list)`, `paste(a, b, sep = "")`."""
    last, owner, positional = asked.last, asked.receiver, asked.positional
    language = values.around.language
    of_list = last == "concat" and owner is not None and len(positional) <= 2 and not asked.mine
    if last in _CONCATENATES and not of_list:
        return _concatenated(asked, values)
    if language == "python" and owner is not None:
        return [line(values.sequence(positional[0]), asked.mine[0].text)] if asked.mine and positional else []
    if owner is not None and (asked.mine or isinstance(owner, Items)):
        mark = "," if language in _JAVASCRIPT else ""
        return [line(values.sequence(owner), asked.given[0].text if asked.given else mark)]
    if owner is not None and positional and len(positional) <= 2:
        mark = first(values.texts(positional[1])).text if len(positional) > 1 else ""
        return [line(values.sequence(positional[0]), mark)]
    items = [text for arg in positional[1:] for text in values.sequence(arg)]
    return [line(items, asked.given[0].text)] if asked.given and items else []


def _concatenated(asked: Asked, values: Values) -> list[Text]:
    marks = [text.text for value in asked.named("sep", "collapse") for text in values.texts(value)]
    mark = marks[0] if marks else " " if asked.last == "paste" else ""
    items: list[Text] = asked.mine[:1]
    if len(asked.positional) == 1:
        items = [*items, *values.sequence(asked.positional[0])]
    else:
        items = [*items, *(_one(arg, values) for arg in asked.positional)]
    return [line(items, mark)] if items else []


def _one(node: Node, values: Values) -> Text:
    return first(values.texts(node) or [GONE])
