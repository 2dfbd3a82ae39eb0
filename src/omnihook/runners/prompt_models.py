"""Which model a prompt hook asks: from the hook, the settings or the environment, by name."""

import inspect
import re
from collections.abc import Mapping

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from omnihook.hooks import Prompt
from omnihook.runners.configured import HELP, NotConfigured, model_name
from omnihook.runners.http_urls import means_loopback, show
from omnihook.slotted import dataclass

COMPATIBLE = "compatible"  # any server that speaks OpenAI's chat completions

# Whose models these are when nothing else says so.
_FAMILIES = (
    (re.compile(r"claude-", re.IGNORECASE), "anthropic"),
    (re.compile(r"(gpt|chatgpt|o[0-9])[-0-9]?", re.IGNORECASE), "openai"),
    (re.compile(r"gemini-", re.IGNORECASE), "google"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A model and how to reach it; a `base_url` of None is the provider's own."""

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = None

    def __str__(self) -> str:
        place = f" at {show(self.base_url)}" if self.base_url is not None else ""
        return f"{self.model!r}{place}" if self.provider == COMPATIBLE else f"'{self.provider}:{self.model}'{place}"


def choose(
    action: Prompt,
    *,
    model: str | None,
    base_url: str | None,
    api_key: str | None,
    provider: str | None,
    env: Mapping[str, str],
) -> Target:
    """The model for a hook: what the hook says, then the settings, then OMNIHOOK_* in `env`.

    A key goes only to the endpoint it was given for: a hook that names its own base_url gets no other key.
    """
    name = model_name(action, model, env)
    url, key = _endpoint(action, base_url, api_key, env)
    maker, bare = _maker(name, provider, url)
    if url is None:
        prefix = _prefix(maker)
        url, key = _first(env.get(f"{prefix}_BASE_URL")), _first(key, env.get(f"{prefix}_API_KEY"))
        maker = COMPATIBLE if maker == "openai" and url is not None else maker
    return Target(provider=maker, model=bare, base_url=url, api_key=key)


def build(target: Target, client: httpx2.AsyncClient) -> Model:
    """The model behind a target, speaking through our client; NotConfigured when it cannot be made."""
    try:
        if target.provider == COMPATIBLE:
            assert target.base_url is not None  # what makes it compatible
            compatible = OpenAICompatibleProvider(
                "omnihook", base_url=target.base_url, api_key=target.api_key, http_client=client
            )
            return OpenAIChatModel(target.model, provider=compatible)
        return infer_model(
            f"{target.provider}:{target.model}", provider_factory=lambda name: _make(name, target, client)
        )
    except UserError as error:
        if target.api_key is None and target.base_url is None:
            variable = f"{_prefix(target.provider)}_API_KEY"
            raise NotConfigured(f"there is no key for the model {target}; set OMNIHOOK_API_KEY or {variable}") from None
        raise NotConfigured(f"the model {target} cannot be used: {error}") from None
    except ImportError as error:
        raise NotConfigured(f"the model {target} needs another package: {error}") from None


def open_client(target: Target) -> httpx2.AsyncClient:
    """A client for one question; proxies of the environment are for the network, not for loopback."""
    host = httpx2.URL(target.base_url).host if target.base_url is not None else ""
    return httpx2.AsyncClient(timeout=httpx2.Timeout(600, connect=10), trust_env=not means_loopback(host))


def _endpoint(
    action: Prompt, base_url: str | None, api_key: str | None, env: Mapping[str, str]
) -> tuple[str | None, str | None]:
    if action.base_url is not None:
        return action.base_url, action.api_key
    url = _first(base_url, env.get("OMNIHOOK_BASE_URL"))
    return url, _first(action.api_key, api_key, env.get("OMNIHOOK_API_KEY"))


def _maker(name: str, provider: str | None, url: str | None) -> tuple[str, str]:
    """Who makes the named model, and its name alone."""
    prefix, colon, rest = name.partition(":")
    if colon and _known(prefix):
        return (COMPATIBLE if url is not None and prefix in {"openai", "openai-chat"} else prefix), rest
    if provider is not None and _known(provider) and not (url is not None and provider.startswith("openai")):
        return provider, name
    if url is not None:
        return COMPATIBLE, name
    for pattern, family in _FAMILIES:
        if pattern.match(name):
            return family, name
    raise NotConfigured(f"whose model {name!r} is cannot be told; {HELP}, or set OMNIHOOK_BASE_URL")


def _prefix(provider: str) -> str:
    """How the names of a provider's own variables begin."""
    return re.sub(r"\W", "_", provider.partition("-")[0]).upper()


def _known(provider: str) -> bool:
    try:
        infer_provider_class(provider)
    except ValueError:
        return False
    except ImportError:  # known, and its package is missing: said when the model is made
        return True
    return True


def _make(name: str, target: Target, client: httpx2.AsyncClient) -> Provider[object]:
    maker = infer_provider_class(name)
    taken = inspect.signature(maker).parameters
    if target.base_url is not None and target.api_key is None and "api_key" in taken:
        key: str | None = "none"  # a local server that wants no key; the client library insists on one
    else:
        key = target.api_key
    given = {"base_url": target.base_url, "api_key": key, "http_client": client}
    made: Provider[object] = maker(
        **{word: value for word, value in given.items() if value is not None and word in taken}
    )
    return made


def _first(*values: str | None) -> str | None:
    return next((value for value in values if value), None)
