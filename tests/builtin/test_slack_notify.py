import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from builtin.kit import Place
from omnihook.builtin.durations import human
from omnihook.builtin.troubles import Trouble
from omnihook.events import Stop

SECRET = "/services/T000/B000/verysecret"


class Server:
    """A webhook on loopback that keeps what was posted."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, str, dict[str, str]]] = []
        self.status, self.delay = 200, 0.0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                server.posted.append((self.path, self.headers["content-type"], json.loads(body)))
                time.sleep(server.delay)
                self.send_response(server.status)
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}{SECRET}"


@pytest.fixture
def slack(place: Place) -> Iterator[Server]:
    made = Server()
    place.more["SLACK_WEBHOOK_URL"] = made.url
    thread = threading.Thread(target=made.http.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.http.shutdown()
    thread.join()
    made.http.server_close()


FULL = Stop(turn_duration=65.4, tokens_used=1234, tool_calls_count=7)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0ms"),
        (0.3, "300ms"),
        (1, "1000ms"),
        (1.001, "1s"),
        (59.999, "59s"),
        (60, "60s"),
        (60.001, "1m 0s"),
        (754, "12m 34s"),
    ],
)
def test_durations_as_people_read_them(seconds: float, text: str) -> None:
    assert human(seconds) == text


def test_the_message_has_all_that_is_known(place: Place, slack: Server) -> None:
    assert place.run("slack-notify", FULL) is None
    lines = "*Task complete*\n*Project:* project\n*Duration:* 1m 5s\n*Tokens:* 1234\n*Tool calls:* 7"
    assert slack.posted == [(SECRET, "application/json", {"text": lines})]


def test_what_an_agent_does_not_tell_is_left_out(place: Place, slack: Server) -> None:
    place.run("slack-notify", Stop())
    assert slack.posted[0][2] == {"text": "*Task complete*\n*Project:* project"}


def test_a_project_name_is_no_markup(place: Place, slack: Server) -> None:
    place.run("slack-notify", Stop(cwd="/w/<!channel> & co"))
    assert "*Project:* &lt;!channel&gt; &amp; co" in slack.posted[0][2]["text"]


def test_nothing_happens_without_a_webhook(place: Place) -> None:
    assert place.run("slack-notify", FULL) is None
    place.more["SLACK_WEBHOOK_URL"] = "  "
    assert place.run("slack-notify", FULL) is None


@pytest.mark.parametrize(
    "url", ["http://example.org/services/x", "ftp://127.0.0.1/x", "not a url", "file:///etc/passwd"]
)
def test_it_goes_over_https_or_stays_on_the_machine(place: Place, url: str) -> None:
    place.more["SLACK_WEBHOOK_URL"] = url
    with pytest.raises(Trouble, match="could not be posted"):
        place.run("slack-notify", FULL)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:verysecret@example.invalid/verysecret",
        "https://verysecret@example.invalid/x",
        "https://example.invalid/a'verysecret",
        'https://example.invalid/"verysecret"',
        "https://example.invalid/a\nb/verysecret",
        "https://example.invalid:verysecret/",
        "https://[::1/verysecret",
        "https://example.invalid/\x00verysecret",
        "http://example.org/services/verysecret?verysecret#verysecret",
        "http://127.0.0.1:1/a/../verysecret/%76erysecret",
        "verysecret",
        "ftp://127.0.0.1/verysecret",
    ],
)
def test_no_error_shows_more_of_a_url_than_its_host(place: Place, url: str) -> None:
    place.more["SLACK_WEBHOOK_URL"] = url
    with pytest.raises(Trouble, match="could not be posted") as trouble:
        place.run("slack-notify", FULL)
    assert "verysecret" not in str(trouble.value)


@pytest.mark.parametrize("port", [99999, 0])
def test_a_port_that_cannot_be_is_one_plain_sentence(place: Place, port: int) -> None:
    place.more["SLACK_WEBHOOK_URL"] = f"http://127.0.0.1:{port}{SECRET}"
    expected = f"the message could not be posted: 127.0.0.1:{port} was not called: there is no port {port}"
    with pytest.raises(Trouble, match=f"^{expected}$"):
        place.run("slack-notify", FULL)


def test_time_is_bounded_and_the_url_is_not_told(place: Place, slack: Server) -> None:
    slack.delay = 5
    begun = time.monotonic()
    with pytest.raises(Trouble) as trouble:
        place.run("slack-notify", FULL, timeout=0.5)
    assert time.monotonic() - begun < 3
    assert "secret" not in str(trouble.value)


def test_an_error_of_the_server_is_trouble_and_the_url_is_not_told(place: Place, slack: Server) -> None:
    slack.status = 403
    with pytest.raises(Trouble, match=r"answered 403 Forbidden$") as trouble:
        place.run("slack-notify", FULL)
    assert "secret" not in str(trouble.value)


def test_the_native_hook_posts_in_the_background(place: Place, slack: Server) -> None:
    place.write("~/.config/omnihook/hooks.toml", '[[hook]]\nbuiltin = "slack-notify"\n')
    report = place.fire("Stop", {"tokens_used": 10, "turn_duration_ms": 2500})
    assert [outcome.status.value for outcome in report.outcomes] == ["late"]
    assert slack.posted[0][2]["text"].endswith("*Duration:* 2s\n*Tokens:* 10")
