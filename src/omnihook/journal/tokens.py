"""Tokens that tell by their own beginning what they are: a table of issuers, and how long the rest must be."""

from collections.abc import Iterator

_W, _A, _HEX = r"[A-Za-z0-9_\-]", r"[A-Za-z0-9]", r"[0-9a-f]"

# kind, beginnings, what follows.
DISTINCT: tuple[tuple[str, str, str], ...] = (
    ("aws", "AKIA ASIA ABIA ACCA AIDA AROA", r"[A-Z0-9]{12,}"),
    ("alibaba", "LTAI", rf"{_A}{{12,}}"),
    ("tencent", "AKID", rf"{_A}{{13,}}"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"[A-Za-z0-9_]{16,}"),
    ("gitlab", "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- gloas- GR1348941", rf"{_W}{{10,}}"),
    ("slack", "xoxb- xoxp- xoxa- xoxs- xoxr- xoxe- xoxe. xoxc- xoxd- xapp-", r"[A-Za-z0-9_.%\-]{8,}"),
    ("webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9_/+\-]{8,}"),
    ("webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"[0-9]+/[A-Za-z0-9_\-]+"),
    ("webhook", ".webhook.office.com/", r"[^\s\"'\\]{8,}"),
    ("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ sk_org_", r"[A-Za-z0-9_]{8,}"),
    ("stripe", "whsec_", r"[A-Za-z0-9+/=_]{8,}"),
    ("anthropic", "sk-ant-", rf"{_W}{{8,}}"),
    ("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"{_W}{{12,}}"),
    ("openrouter", "sk-or-", rf"{_W}{{12,}}"),
    ("npm", "npm_", rf"{_A}{{16,}}"),
    ("pypi", "pypi-A", rf"{_W}{{16,}}"),
    ("google", "AIza", rf"{_W}{{20,}}"),
    ("google", "ya29. GOCSPX-", r"[A-Za-z0-9_.\-]{10,}"),
    ("google", "1//0", rf"{_W}{{20,}}"),
    ("sendgrid", "SG.", rf"{_W}{{16,}}\.{_W}{{16,}}"),
    ("digitalocean", "dop_v1_ doo_v1_ dor_v1_", rf"{_A}{{16,}}"),
    ("heroku", "HRKU-", rf"{_W}{{10,}}"),
    ("databricks", "dapi", rf"{_HEX}{{32,}}(?:-[0-9])?"),
    ("groq", "gsk_", rf"{_A}{{20,}}"),
    ("docker", "dckr_pat_ dckr_oat_", rf"{_W}{{10,}}"),
    ("rubygems", "rubygems_", rf"{_HEX}{{16,}}"),
    ("atlassian", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_=\-]{20,}"),
    ("figma", "figd_ figu_", rf"{_W}{{16,}}"),
    ("postman", "PMAK-", rf"{_W}{{20,}}"),
    ("sentry", "sntrys_ sntryu_", r"[A-Za-z0-9_=+/\-]{16,}"),
    ("circleci", "CCIPAT_ CCIPRJ_", rf"{_W}{{16,}}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_", rf"{_A}{{16,}}"),
    ("square", "sq0atp- sq0csp- sq0idp-", rf"{_W}{{16,}}"),
    ("linear", "lin_api_ lin_oauth_", rf"{_A}{{16,}}"),
    ("notion", "ntn_", rf"{_A}{{20,}}"),
    ("vault", "hvs. hvb. hvr.", rf"{_W}{{16,}}"),
    ("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[A-Za-z0-9._\-]{16,}"),
    ("grafana", "glsa_ glc_", r"[A-Za-z0-9_+/=]{20,}"),
    ("newrelic", "NRAK- NRII- NRJS- NRRA-", rf"{_W}{{16,}}"),
    ("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.=\-]{16,}"),
    ("fly", "fm1r_ fm1a_ fm2_", r"[A-Za-z0-9+/=_]{20,}"),
    ("supabase", "sbp_ sb_secret_", rf"{_W}{{16,}}"),
    ("netlify", "nfp_", rf"{_A}{{16,}}"),
    ("age", "AGE-SECRET-KEY-1", r"[A-Z0-9]{16,}"),
    ("twitter", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{20,}"),
    ("facebook", "EAACEdEose0cBA", rf"{_A}+"),
    ("razorpay", "rzp_live_ rzp_test_", rf"{_A}{{10,}}"),
    ("hubspot", "pat-na1- pat-eu1- pat-na2-", rf"{_W}{{16,}}"),
    ("buildkite", "bkua_", rf"{_A}{{16,}}"),
    ("onepassword", "ops_eyJ", r"[A-Za-z0-9_=+/\-]{20,}"),
    ("dynatrace", "dt0c01.", r"[A-Za-z0-9.]{20,}"),
    ("jwt", "eyJ", rf"{_W}{{6,}}\.{_W}{{4,}}(?:\.[A-Za-z0-9_.\-]*)?"),
    ("nvidia", "nvapi-", rf"{_W}{{20,}}"),
    ("tavily", "tvly-", rf"{_W}{{20,}}"),
    ("pinecone", "pcsk_", r"[A-Za-z0-9_]{30,}"),
    ("langsmith", "lsv2_pt_ lsv2_sk_", r"[0-9a-f_]{32,}"),
    ("e2b", "e2b_", rf"{_HEX}{{32,}}"),
    ("tailscale", "tskey-auth- tskey-api- tskey-client- tskey-scim- tskey-webhook-", rf"{_W}{{12,}}"),
    ("sonar", "sqp_ squ_ sqa_", rf"{_HEX}{{32,}}"),
    ("clojars", "CLOJARS_", rf"{_HEX}{{40,}}"),
    ("readme", "rdme_", r"[a-z0-9]{40,}"),
    ("ek", "ek_live_ ek_test_", rf"{_W}{{16,}}"),
    ("flutterwave", "FLWSECK- FLWSECK_TEST-", rf"{_W}{{12,}}"),
    ("shippo", "shippo_live_ shippo_test_", rf"{_HEX}{{32,}}"),
    ("duffel", "duffel_live_ duffel_test_", rf"{_W}{{30,}}"),
    ("brevo", "xkeysib- xsmtpsib-", rf"{_HEX}{{32,}}(?:-{_A}{{8,}})?"),
    ("posthog", "phx_", rf"{_A}{{30,}}"),
    ("contentful", "CFPAT-", rf"{_W}{{30,}}"),
    ("mailgun", "key-", rf"{_HEX}{{32}}"),
    ("pulumi", "pul-", rf"{_HEX}{{20,}}"),
)
# Beginnings that also occur inside ordinary words, so that they count only where a word begins.
LOOSE: tuple[tuple[str, str, str], ...] = (
    ("openai", "sk-", rf"{_A}{_W}{{15,}}"),
    ("huggingface", "hf_ api_org_", rf"{_A}{{16,}}"),
    ("replicate", "r8_", rf"{_A}{{20,}}"),
    ("perplexity", "pplx-", rf"{_A}{{20,}}"),
    ("xai", "xai-", rf"{_A}{{20,}}"),
    ("notion", "secret_", rf"{_A}{{32,}}"),
    ("twilio", "SK AC", rf"{_HEX}{{32}}"),
    ("artifactory", "AKCp", rf"{_A}{{40,}}"),
    ("nuget", "oy2", r"[a-z0-9]{43}"),
    ("dropbox", "sl.", rf"{_W}{{60,}}"),
)
# Tokens whose tell-tale is in the middle: kind, the tell-tale, the whole, and how far before it the whole may begin.
MIDDLE: tuple[tuple[str, str, str, int], ...] = (
    ("terraform", r"\.atlasv1\.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=\-]{20,}", 14),
    ("telegram", r"[0-9]:AA[A-Za-z0-9_\-]{6}", r"[0-9]{8,10}:AA[A-Za-z0-9_\-]{28,}", 10),
    ("mailchimp", r"[0-9a-f]-us[0-9]", r"[0-9a-f]{32}-us[0-9]{1,2}", 32),
    ("azure", r"[0-9]Q~[A-Za-z0-9_~.\-]{6}", r"[A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{28,}", 4),
    ("discord", r"\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27}", rf"{_W}{{20,30}}\.{_W}{{6}}\.{_W}{{27,}}", 30),
)


def rows(table: tuple[tuple[str, str, str], ...]) -> Iterator[tuple[str, str, str]]:
    """One row for each beginning."""
    for kind, words, rest in table:
        for word in words.split():
            yield kind, word, rest
