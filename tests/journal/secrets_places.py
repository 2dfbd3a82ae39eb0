"""Secrets that only their place tells, as texts in which `@` stands for the secret, and texts that look like them."""

import json
import random
import string

from journal.secrets_corpus import Sample

ALNUM, HEX = string.ascii_letters + string.digits, "0123456789abcdef"

# Text, and what of it must stay.
PLACES = (
    ("export TOKEN=$'@' && make", "make"),
    ("TOKEN+=@ make", "make"),
    ("set -x API_TOKEN @\necho hi", "echo hi"),
    ("set -gx GITHUB_TOKEN '@'; echo hi", "echo hi"),
    ("setenv DB_PASSWORD @\nls", "ls"),
    ("aws configure set aws_secret_access_key @ --profile p", "--profile p"),
    ("npm config set //r.example/:_authToken @", "npm config set"),
    ("git config --global acme.token @", "--global"),
    ("ansible-playbook site.yml -e ansible_become_pass=@", "site.yml"),
    ("mysql -e \"CREATE USER 'bob' IDENTIFIED BY '@'\" shop", "shop"),
    ("ALTER USER bob IDENTIFIED WITH mysql_native_password BY '@';", "ALTER USER bob"),
    ("psql -c \"ALTER ROLE bob WITH PASSWORD '@'\" db", "db"),
    ("create role bob password '@ @';", "create role bob"),
    ("curl -sSu bob:@ https://x.example/y", "https://x.example/y"),
    ("curl 'https://x.example/?a=1&b=2' -u 'bob:@'", "?a=1&b=2"),
    ("curl -x http://p:1 -U bob:@ https://x.example/y", "https://x.example/y"),
    ('curl -b "sid=@" https://x.example/y', "https://x.example/y"),
    ("http -a bob:@ GET x.example/y", "GET x.example/y"),
    ("zip -r -P @ out.zip src", "out.zip src"),
    ("7z a -p@ out.7z src", "out.7z src"),
    ("htpasswd -b .users bob @", "htpasswd -b .users bob"),
    ("htpasswd -nbB bob @ > users", "bob"),
    ("openssl enc -aes-256-cbc -k @ -in a -out b", "-in a -out b"),
    ("ldapsearch -x -D cn=admin -w @ -b dc=x", "-b dc=x"),
    ("echo bob:@ | chpasswd", "| chpasswd"),
    ("echo 'bob:@' | sudo chpasswd", "bob:"),
    ("chpasswd <<< 'bob:@'", "chpasswd"),
    ("echo @ | sudo -S apt update", "apt update"),
    ("gh secret set NPM --body @ --repo a/b", "--repo a/b"),
    ("kubectl create secret generic s --from-literal=pw=@ -n x", "-n x"),
    ("kubectl create secret generic s --from-literal 'pw=@' -n x", "-n x"),
    ("curl -H 'x-functions-key: @' https://x.example/y", "https://x.example/y"),
    ("curl 'https://x.example/y?auth=@&n=1'", "n=1"),
    ("user: bob\npw: @\nhost: h", "host: h"),
    ("Passwort: @\nHost: h", "Host: h"),
    ("contraseña=@ usuario=bob", "usuario=bob"),
    ('{"password":{"value":"@"},"n":1}', '"n":1'),
    ('{"name":"API_TOKEN","value":"@"}', "API_TOKEN"),
    ('{"value": "@", "name": "API_TOKEN"}', "API_TOKEN"),
    ('"headers": [["X-Api-Key","@"],["Accept","text/html"]]', "text/html"),
)

STRUCTURES: tuple[object, ...] = (
    {"argv": ["zip", "-P", "@", "out.zip", "src"]},
    {"argv": ["/usr/bin/curl", "-sS", "-u", "bob:@", "https://x.example/y"]},
    {"args": ["mysql", "-ubob", "-p@", "shop"]},
    {"command": ["docker", "login", "-u", "bob", "-p", "@"]},
    {"command": ["ldapsearch", "-x", "-w", "@", "-b", "dc=x"]},
    {"password": {"value": "@"}},
    {"credentials": {"prod": {"main": ["@"]}}},
    {"env": [{"name": "API_TOKEN", "value": "@"}, {"name": "PORT", "value": "8080"}]},
    {"Environment": [{"Value": "@", "Key": "DB_PASSWORD"}]},
    {"headers": [["X-Api-Key", "@"], ["Accept", "text/html"]]},
)

# What comes close to these and is nothing.
NEAR = (
    "curl -fsSL https://x.example/install.sh -o install.sh",
    "curl -b cookies.txt https://x.example",
    "zip -r out.zip src && unzip -l out.zip",
    "7z x out.7z",
    "openssl x509 -in a.crt -noout -text",
    "set -euo pipefail\ncd src",
    "git config --global user.name Bob",
    "aws configure set region eu-west-1",
    "echo hello | sudo tee /etc/motd",
    "http GET x.example/users",
    '{"required":["password","email"]}',
    '{"properties":{"password":{"type":"string","description":"The password of the user"}}}',
    '{"name":"token_count","value":"17"}',
    '{"name":"PORT","value":"8080"}',
    "https://x.example/y?auth=true",
    "token += char",
    "first_pass: true",
    "pw = sync_playwright().start()",
    "pw = pw[:-1]",
    "squad_members and squ_are, phx_airport, e2b_ready, sqp_number",
    "identified by name in the list",
    "sign in with password or with a key",
)

_ISSUED = (
    *("nvapi- 64", "tvly- 32", "pcsk_ 70", "lsv2_pt_ h42", "e2b_ h40", "tskey-auth- 24", "sqp_ h40", "squ_ h40"),
    *("AKCp 69", "CLOJARS_ h60", "rdme_ h70", "ek_live_ 32", "FLWSECK- h32", "shippo_live_ h40", "duffel_live_ 43"),
    *("xkeysib- h64", "phx_ 43", "CFPAT- 43", "napi_ 64", "vcp_ 40", "pnu_ 36", "tfp_ 59", "fio-u- 64", "fo1_ 43"),
    *("ddp_ 36", "ABSK 109", "EZAK 54", "sk_ h48", "rnd_ 28"),
)


def placed() -> list[Sample]:
    """A sample for every place, and again as a command inside JSON."""
    rng = random.Random(8)
    found: list[Sample] = []
    for text, kept in PLACES:
        value = "".join(rng.choices(ALNUM, k=11)) + "7"
        found.append(Sample("place", text.replace("@", value), value, kept))
        held = json.dumps({"command": text.replace("@", value)}, ensure_ascii=False)
        found.append(Sample("place json", held, value, json.dumps(kept, ensure_ascii=False)[1:-1]))
    return found


def issued() -> list[str]:
    """A token of each issuer."""
    rng = random.Random(9)
    found = []
    for row in _ISSUED:
        begin, size = row.split()
        letters = HEX if size.startswith("h") else ALNUM
        found.append(begin + "".join(rng.choices(letters, k=int(size.lstrip("h")))))
    return found
