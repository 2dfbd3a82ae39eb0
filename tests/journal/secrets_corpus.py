"""Made-up secrets: shapes of many issuers filled with random characters, and the texts they are found in."""

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

ALNUM = string.ascii_letters + string.digits
WORDY = ALNUM + "_-"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class Sample:
    """A text, the secret in it, and what must still be readable afterwards."""

    kind: str
    text: str
    secret: str
    kept: str = ""


def tokens(rng: random.Random) -> Iterator[tuple[str, str]]:
    """(kind, token) for every issuer whose tokens tell by themselves what they are."""

    def some(alphabet: str, count: int) -> str:
        return "".join(rng.choice(alphabet) for _ in range(count))

    yield "aws-access", "AKIA" + some(UPPER, 16)
    yield "aws-session", "ASIA" + some(UPPER, 16)
    for letter in "pousr":
        yield "github", f"gh{letter}_" + some(ALNUM, 36)
    yield "github-fine", "github_pat_" + some(ALNUM, 22) + "_" + some(ALNUM, 59)
    for start in ("glpat-", "gldt-", "glrt-", "glptt-"):
        yield "gitlab", start + some(WORDY, 20)
    yield "slack-bot", f"xoxb-{some('123456789', 12)}-{some('123456789', 13)}-{some(ALNUM, 24)}"
    yield "slack-user", f"xoxp-{some('123456789', 12)}-{some('123456789', 12)}-{some(HEX, 32)}"
    yield "slack-app", f"xapp-1-{some(UPPER, 11)}-{some('123456789', 13)}-{some(HEX, 64)}"
    yield "slack-hook", f"https://hooks.slack.com/services/T{some(UPPER, 8)}/B{some(UPPER, 10)}/{some(ALNUM, 24)}"
    yield "stripe", "sk_live_" + some(ALNUM, 24)
    yield "stripe-test", "sk_test_" + some(ALNUM, 24)
    yield "stripe-restricted", "rk_live_" + some(ALNUM, 24)
    yield "stripe-hook", "whsec_" + some(ALNUM, 32)
    yield "openai", "sk-" + some(ALNUM, 48)
    yield "openai-project", "sk-proj-" + some(WORDY, 80)
    yield "anthropic", "sk-ant-api03-" + some(WORDY, 93) + "AA"
    yield "npm", "npm_" + some(ALNUM, 36)
    yield "pypi", "pypi-AgEIcHlwaS5vcmc" + some(WORDY, 80)
    yield "google", "AIza" + some(WORDY, 35)
    yield "google-oauth", "ya29." + some(WORDY, 60)
    yield "google-client", "GOCSPX-" + some(WORDY, 28)
    yield "jwt", ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIi" + some(ALNUM, 24), some(WORDY, 43)))
    yield "sendgrid", f"SG.{some(WORDY, 22)}.{some(WORDY, 43)}"
    yield "twilio", "SK" + some(HEX, 32)
    yield "mailgun", "key-" + some(HEX, 32)
    yield "mailchimp", some(HEX, 32) + "-us14"
    yield "digitalocean", "dop_v1_" + some(HEX, 64)
    yield "heroku", "HRKU-" + some(WORDY, 36)
    yield "databricks", "dapi" + some(HEX, 32)
    yield "huggingface", "hf_" + some(ALNUM, 34)
    yield "replicate", "r8_" + some(ALNUM, 37)
    yield "groq", "gsk_" + some(ALNUM, 52)
    yield "xai", "xai-" + some(ALNUM, 80)
    yield "docker", "dckr_pat_" + some(WORDY, 27)
    yield "rubygems", "rubygems_" + some(HEX, 48)
    yield "atlassian", "ATATT3xFfGF0" + some(WORDY, 60)
    yield "bitbucket", "ATBB" + some(ALNUM, 32)
    yield "figma", "figd_" + some(WORDY, 40)
    yield "postman", f"PMAK-{some(HEX, 24)}-{some(HEX, 34)}"
    yield "sentry", "sntrys_" + some(ALNUM, 60)
    yield "shopify", "shpat_" + some(HEX, 32)
    yield "square", "sq0atp-" + some(WORDY, 22)
    yield "linear", "lin_api_" + some(ALNUM, 40)
    yield "notion", "ntn_" + some(ALNUM, 46)
    yield "vault", "hvs." + some(WORDY, 24)
    yield "doppler", "dp.pt." + some(ALNUM, 43)
    yield "terraform", some(ALNUM, 14) + ".atlasv1." + some(WORDY, 67)
    yield "grafana", "glsa_" + some(ALNUM, 32) + "_" + some(HEX, 8)
    yield "newrelic", "NRAK-" + some(UPPER, 27)
    yield "planetscale", "pscale_tkn_" + some(WORDY, 43)
    yield "supabase", "sbp_" + some(HEX, 40)
    yield "netlify", "nfp_" + some(ALNUM, 36)
    yield "age", "AGE-SECRET-KEY-1" + some(UPPER, 58)
    yield "telegram", some("123456789", 9) + ":AA" + some(WORDY, 33)
    yield "discord", f"M{some(ALNUM, 23)}.{some(WORDY, 6)}.{some(WORDY, 38)}"
    yield "azure", f"{some(ALNUM, 3)}8Q~{some(ALNUM, 34)}"
    yield "circleci", f"CCIPAT_{some(ALNUM, 22)}_{some(HEX, 40)}"
    yield "pulumi", "pul-" + some(HEX, 40)


def embedded(token: str) -> Iterator[tuple[str, str]]:
    """(where, text) for the places in which tokens turn up."""
    yield "alone", token
    yield "command", f"curl -fsS https://api.example.com/v1/x -d key={token} | jq ."
    yield "argument", f"deploy --verbose {token} production"
    yield "export", f"export THING={token}\nmake deploy"
    yield "json", json.dumps({"a": {"b": [1, token]}})
    yield "json in json", json.dumps({"body": json.dumps({"inner": json.dumps({"x": token})})})
    yield "diff", f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+{token}\n"
    yield "lines", f"first line\n{token}\nlast line"
    yield "tabs", f"a\tb\t{token}\tc"
    yield "quoted", f"const key = '{token}';"
    yield "python", f'client = Client("{token}")  # TODO'
    yield "markdown", f"Use `{token}` for the demo."
    yield "escaped newline", "printf 'a\\n" + token + "\\n'"
    yield "unicode", f"schlüssel → {token} ✓"


def named(rng: random.Random) -> Iterator[Sample]:
    """Secrets that only their names tell."""
    for _ in range(8):
        yield from _named(lambda: "".join(rng.choice(ALNUM + "!%*+^~") for _ in range(14)) + rng.choice(string.digits))


def _named(new: Callable[[], str]) -> Iterator[Sample]:
    value = new()
    yield Sample("env", f"DB_PASSWORD={value}\nDB_HOST=localhost\n", value, "DB_HOST=localhost")
    value = new()
    yield Sample("export", f"export AWS_SECRET_ACCESS_KEY={value} && terraform plan", value, "terraform plan")
    value = new()
    yield Sample("prefix", f"API_KEY={value} npm test", value, "npm test")
    value = new()
    yield Sample("flag", f"mysql --host db --password {value} --user root", value, "--user root")
    value = new()
    yield Sample("flag=", f"gh auth --token={value} --hostname example.com", value, "--hostname example.com")
    value = new()
    yield Sample("json", json.dumps({"user": "bob", "password": value}), value, '"user": "bob"')
    yield Sample("json json", json.dumps({"b": json.dumps({"client_secret": value, "n": 1})}), value, "client_secret")
    value = new()
    yield Sample("json x3", json.dumps([json.dumps([json.dumps({"apiKey": value})])]), value, "apiKey")
    value = new()
    yield Sample("yaml", f"db:\n  user: bob\n  password: {value}\n  port: 5432\n", value, "port: 5432")
    value = new()
    yield Sample("yaml quoted", f"secret_key: '{value}'\nother: 1\n", value, "other: 1")
    value = new()
    yield Sample("yaml block", f"private_key: |\n  {value}\n  second\nother: 1\n", value, "other: 1")
    value = new()
    yield Sample("toml", f'auth_token = "{value}"\nport = 1\n', value, "port = 1")
    value = new()
    yield Sample("ini", f"[db]\npassword = {value}\nhost = h\n", value, "host = h")
    value = new()
    yield Sample("php", f"'secret' => '{value}',", value, "=>")
    value = new()
    yield Sample("go", f'token := "{value}"', value, "token")
    value = new()
    yield Sample("python", f'os.environ["GITHUB_TOKEN"] = "{value}"', value, "GITHUB_TOKEN")
    value = new()
    yield Sample("xml", f"<server><password>{value}</password><id>x</id></server>", value, "<id>x</id>")
    yield Sample("header", f"curl -H 'Authorization: Bearer {value}' https://x.example/y", value, "https://x.example/y")
    value = new()
    yield Sample("header2", f'curl -H "X-Api-Key: {value}" https://x.example/y', value, "https://x.example/y")
    value = new()
    yield Sample("http", f"GET / HTTP/1.1\r\nAuthorization: Token {value}\r\nHost: x\r\n", value, "Host: x")
    value = new()
    yield Sample("cookie", f"Cookie: session={value}; theme=dark\nAccept: */*", value, "Accept: */*")
    value = new()
    yield Sample("diff", f"-PASSWORD=old\n+PASSWORD={value}\n context\n", value, "context")
    value = new()
    yield Sample("odbc", f"Server=db;Database=x;Uid=sa;Password={value};Encrypt=yes", value, "Encrypt=yes")
    plain = _plain(new())
    yield Sample("url", f"git clone https://bob:{plain}@git.example.com/x.git", plain, "git.example.com/x.git")
    plain = _plain(new())
    yield Sample("dsn", f"postgresql://app:{plain}@db:5432/app?sslmode=require", plain, "db:5432/app")
    plain = _plain(new())
    yield Sample("redis", f"redis://:{plain}@cache:6379/0", plain, "cache:6379/0")
    plain = _plain(new())
    yield Sample("amqp", f"AMQP_URL=amqps://u:{plain}@mq.example.com/v", plain)
    plain = _plain(new())
    yield Sample("curl -u", f"curl -u bob:{plain} https://x.example", plain, "https://x.example")
    plain = _plain(new())
    yield Sample("sshpass", f"sshpass -p {plain} ssh bob@host", plain, "ssh bob@host")
    plain = _plain(new())
    yield Sample("netrc", f"machine x login bob password {plain}\n", plain, "machine x")
    yield Sample(
        "azure", f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={plain}==;E=1", plain, "AccountName=a"
    )
    plain = _plain(new())
    yield Sample("sas", f"https://a.blob.core.windows.net/c?sv=2022&sig={plain}&se=1", plain, "sv=2022")
    value = new()
    basic = base64.b64encode(f"bob:{value}".encode()).decode()
    yield Sample("basic", f"Authorization: Basic {basic}", basic, "Basic")
    value = new()
    coded = base64.b64encode(f"user=bob\npassword={value}\n".encode()).decode()
    yield Sample("base64", f"echo {coded} | base64 -d > x", coded, "base64 -d")


def _plain(value: str) -> str:
    return value.translate({ord(sign): None for sign in "%+^~*!"})


def blocks(rng: random.Random) -> Iterator[Sample]:
    """Private keys of every kind."""
    for label in ("RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        lines = ["".join(rng.choice(ALNUM + "+/") for _ in range(64)) for _ in range(8)]
        body = "\n".join(lines)
        text = f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"
        for line in (lines[0], lines[-1]):
            yield Sample(label, f"before\n{text}\nafter", line, "after")
            yield Sample(label + " json", json.dumps({"k": text, "z": 1}), line, '"z": 1')
            yield Sample(label + " diff", "\n".join("+" + part for part in text.split("\n")), line)
            yield Sample(label + " cut off", text[: text.index("-----END")], line)


def samples() -> list[Sample]:
    """The whole corpus; the same at every run."""
    rng = random.Random(20_261_115)
    found = [Sample(f"{kind} {where}", text, token) for kind, token in tokens(rng) for where, text in embedded(token)]
    more = [(kind, token, rng.choice([*embedded(token)])) for _ in range(4) for kind, token in tokens(rng)]
    found += [Sample(f"{kind} {where}", text, token) for kind, token, (where, text) in more]
    return [*found, *named(rng), *blocks(rng)]


HARMLESS = (
    "git status --short",
    "tokens_used: 4096, max_tokens=200000",
    '{"token_count": 17, "input_tokens": 5}',
    "def tokenize(text: str) -> list[str]:",
    "if not password: raise ValueError",
    "the secretary keeps the keys",
    "PASSWORD=$DB_PASSWORD make",
    "password: ${DB_PASSWORD}",
    "ssh://git@github.com/x/y.git",
    "git@github.com:x/y.git",
    "task-management-system-for-everybody",
    "PWD=/home/bob/project",
    "key: value",
    "import keyword",
    "npm run build && npm test",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "https://example.com/a/b?page=2&size=10",
    "risk-adjusted-return-on-capital",
    "--password-file /run/secrets/db",
    "basic understanding of bearer authentication",
    "token: str, secret: bytes",
    "class TokenStore:",
    "ls -la ~/.ssh",
)
