import os
from pathlib import Path

import pytest

from builtin.kit import PRIVATE_KEY
from omnihook.builtin import withheld
from omnihook.builtin.guard.places import Scene

NAMES = """.netrc .pgpass .envrc prod.env env.local secrets.yml secrets.toml my-secret.yaml app-secrets.json .ENV
service-account-prod.json kubeconfig terraform.tfstate x.tfstate.backup a.p12 a.pfx a.jks a.keystore id_deploy id_rsa
server.pem credentials.json .npmrc .env.production"""
HARMLESS = """id_rsa.pub id_generator.py env.py env.d.ts secrets.py secrets.ts .env.example prod.env.sample
environment.yml secretary.txt keystore.py README.md tfstate.md package.json"""


def why(path: Path) -> str | None:
    return withheld.why(str(path), Scene(str(path.parent), "/home/nobody", str(path.parent)))


@pytest.mark.parametrize("name", NAMES.split())
def test_names_of_files_with_secrets(tmp_path: Path, name: str) -> None:
    assert why(tmp_path / "deep" / name) == "its name is that of a file with secrets"


@pytest.mark.parametrize("name", HARMLESS.split())
def test_names_of_other_files(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("nothing\n")
    assert why(tmp_path / name) is None


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (PRIVATE_KEY, True),
        ('KEY = "' + PRIVATE_KEY.replace("\n", "\\n") + '"', True),
        ("token: gh" + "p_" + "a1B2" * 9, True),
        ('"AKI' + 'AIOSFODNN7ABCDEFG"', True),
        ("x = sk-an" + "t-api03-" + "a1B2" * 9, True),
        ("-----BEGIN PRIVATE" + " KEY----- is how one begins", False),
        ('"integrity": "sha512-xAKI' + 'AIOSFODNN7ABCDEFG=="', False),
        ("password = os.environ['PASSWORD']", False),
        ("a ghp_ prefix", False),
    ],
)
def test_keys_and_tokens_are_found_in_text(tmp_path: Path, text: str, secret: bool) -> None:
    (tmp_path / "a.py").write_text(f"first\n{text}\nlast\n")
    assert (why(tmp_path / "a.py") is not None) is secret


def test_pipes_links_folders_and_large_files_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real.txt").write_text(PRIVATE_KEY)
    (tmp_path / "link").symlink_to("real.txt")
    (tmp_path / "large").write_bytes(b" " * withheld.MAX_BYTES + PRIVATE_KEY.encode())
    assert [why(tmp_path / name) for name in ("pipe", "link", "large", "missing", ".")] == [None] * 5
