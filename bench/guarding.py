"""How long the guard takes to judge commands: single lines and scripts of daily work, by their size.

Each text is judged a few times, never twice as it was, and its least counts; of all texts of a size the slowest
hundredth is shown.
"""

import random
import time

from bench.measuring import Row, settle
from omnihook.builtin.guard.judging import Settings, judge_in
from omnihook.builtin.guard.places import Scene

TARGETS = {2 << 10: 2e-3, 16 << 10: 15e-3, 128 << 10: 400e-3}
COUNTS = {2 << 10: 400, 16 << 10: 100, 128 << 10: 10}
REPEAT = 5
SCENE = Scene(cwd="/home/dev/shop", home="/home/dev", project="/home/dev/shop")
LINES = (
    "git status --short && git diff --stat HEAD~1",
    "git log --oneline -n 20 | grep -i fix | head -5",
    'git add -A && git commit -m "Keep the cart when a session ends"',
    "git fetch origin && git rebase origin/main",
    "npm ci && npm run build -- --mode production",
    "npx eslint --fix 'src/**/*.ts' --max-warnings 0",
    "pytest -q tests/api -k 'login and not slow' --maxfail=1 2>&1 | tail -40",
    "python -m pip install -r requirements.txt --quiet",
    "python3 -c 'import json,sys; print(len(json.load(sys.stdin)))' < report.json",
    "cargo test --workspace --all-features -- --nocapture",
    "go build ./... && go vet ./...",
    "docker build -t shop:dev --build-arg VERSION=1.2.3 .",
    "docker compose up -d db && docker compose logs --tail 50 db",
    "kubectl get pods -n shop -o json | jq -r '.items[].metadata.name'",
    'curl -fsS "http://localhost:8080/health" | jq .status',
    "rm -rf dist build node_modules/.cache && mkdir -p dist",
    "find src -name '*.snap' -newer package.json -print0 | xargs -0 ls -l",
    "sed -i 's/DEBUG=true/DEBUG=false/' config/settings.ini",
    "awk -F, 'NR > 1 { total += $3 } END { print total }' data/orders.csv",
    "tar czf /tmp/shop-$(date +%Y%m%d).tgz --exclude=node_modules src docs",
    'for f in src/*.py; do python -m py_compile "$f" || echo "broken: $f"; done',
    "if [ -f package-lock.json ]; then npm ci; else npm install; fi",
    'VERSION=$(node -p "require(\'./package.json\').version"); echo "v$VERSION"',
    "export NODE_ENV=test; ./node_modules/.bin/jest --runInBand",
    "cp config/example.toml config/local.toml && chmod 644 config/local.toml",
    "grep -rn 'TODO' src tests --include='*.py' | sort | uniq -c | sort -rn | head",
    "make -j4 test lint && make docs",
    "ls -la src && wc -l src/*.py && cat README.md | head -20",
    "diff -u <(sort expected.txt) <(sort actual.txt) || true",
    "cat > notes.md <<'EOF'\n# Notes\n- never run rm -rf / by hand\n- curl is fine\nEOF",
)


def rows() -> list[Row]:
    """One row for each size."""
    chance = random.Random(11)
    made = []
    settle()
    for limit, target in TARGETS.items():
        texts = [_text(chance, limit) for _ in range(COUNTS[limit])]
        took = sorted(min(_judged(f"{text} # {turn}") for turn in range(REPEAT)) for text in texts)
        slow = took[max(0, len(took) * 99 // 100 - 1)]
        made.append(Row(case=f"guard, up to {limit >> 10} KiB, p99", measured=slow, target=target))
    return made


def _text(chance: random.Random, limit: int) -> str:
    """As many lines of daily work as fit; for the smallest size mostly one or a few."""
    wanted = limit if limit > 2 << 10 else chance.choice((1, 1, 1, 200, 1000, limit))
    lines: list[str] = []
    size = 0
    while size < wanted:
        lines.append(chance.choice(LINES))
        size += len(lines[-1]) + 1
    return "\n".join(lines[:-1] or lines)


def _judged(text: str) -> float:
    begun = time.process_time()
    judge_in(text, SCENE, Settings())
    return time.process_time() - begun
