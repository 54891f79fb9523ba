"""Redaction: known values in every encoding, shapes, and ordinary text left alone. All secrets here are made up."""

from __future__ import annotations

import base64
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.host.redaction import Redactor, secret_kinds

TAIL = "Zx8Qw2Er4Ty6Ui0Op1As3Df5Gh7Jk9Lz2Cv4"
SECRETS = {
    "anthropic": f"sk-ant-api03-{TAIL}",
    "openai": f"sk-proj-{TAIL[:24]}T3BlbkFJ{TAIL[:24]}",
    "github": f"ghp_{TAIL}",
    "gitlab": f"glpat-{TAIL[:24]}",
    "aws": "AKIA" + "Z2Y3X4W5V6U7T2S3",
    "slack": "xoxb-2222222222-3333333333-" + TAIL[:20],
    "jwt": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{TAIL}",
    "google": "AIza" + TAIL[:35],
    "npm": f"npm_{TAIL}",
    "stripe": f"sk_live_{TAIL[:24]}",
    "vault": f"hvs.{TAIL}",
    "private-key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----",
}
KNOWN = "correct horse/battery+staple"


@pytest.mark.parametrize("kind", sorted(SECRETS))
def test_every_shape_goes(kind: str) -> None:
    """A token of this kind is replaced by its kind, in the middle of a line."""
    told = Redactor()(f"export X={SECRETS[kind]} # end")

    assert SECRETS[kind] not in told
    assert "[REDACTED:" in told
    assert told.endswith("# end")


@pytest.mark.parametrize(
    "text",
    [
        "password = 'h7$Kq2!pLm9z'",
        "https://user:s3cretPa55@example.org/x",
        "Authorization: Bearer abcdefGHIJKL123456",
        "curl -u admin:hunter22 https://example.org",
        "--api-key=abcDEF1234567890",
        'API_KEY: "9f8e7d6c5b4a39281706f5e4d3c2b1a0"',
    ],
)
def test_named_values_go(text: str) -> None:
    """A value after a telling name, in a URL or in a header is replaced; the name stays."""
    told, count = Redactor().counted(text)

    assert count == 1
    assert "[REDACTED:" in told


@pytest.mark.parametrize(
    "text",
    [
        "commit 0123456789abcdef0123456789abcdef01234567",
        "password = os.environ['PASSWORD']",
        "token: ${GITHUB_TOKEN}",
        'integrity: "sha512-kZ8Qw2Er4Ty6Ui0Op1As3Df5Gh7Jk9Lz2Cv4=="',
        "secret_key = 'changeme-please-now'",
        "auth: 123e4567-e89b-12d3-a456-426614174000",
        "def token(self) -> TokenStreamReaderFactory: ...",
        "the password is asked for on the terminal",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    """Commit ids, placeholders, lookups, checksums and prose are not secrets."""
    assert Redactor()(text) == text


@pytest.mark.parametrize(
    "printed",
    [
        KNOWN,
        json.dumps(KNOWN)[1:-1],
        urllib.parse.quote(KNOWN, safe=""),
        KNOWN.encode().hex(),
        base64.b64encode(KNOWN.encode()).decode(),
        base64.b64encode(b"user:" + KNOWN.encode()).decode(),
        base64.b64encode(b"x" + KNOWN.encode() + b"yy").decode(),
    ],
)
def test_known_values_go_in_every_encoding(printed: str) -> None:
    """A value that unlost was handed is found raw, in JSON, in a URL, in hex and in base64 at any alignment."""
    told = Redactor({"PASSWORD": KNOWN})(f"it said {printed} there")

    assert "[REDACTED:PASSWORD]" in told
    assert printed not in told


@given(st.text(max_size=300))
def test_redaction_is_stable(text: str) -> None:
    """Redacting twice changes nothing more, and short known values never touch ordinary text."""
    redact = Redactor({"SHORT": "a"})

    assert redact(redact(text)) == redact(text)


def test_a_secret_in_a_very_long_line_goes() -> None:
    """A minified line of 200 KiB is searched in windows and its secret is found."""
    told = Redactor()("x " * 50_000 + SECRETS["github"] + " y" * 50_000)

    assert SECRETS["github"] not in told


def test_kinds_are_named_without_the_value() -> None:
    """A field that may not be redacted is reported by the kinds it seems to hold."""
    assert secret_kinds(f"a {SECRETS['github']} b {SECRETS['npm']}") == ("github", "npm")
