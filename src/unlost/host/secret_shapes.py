r"""What secrets look like: one shape for each provider's token, and the rule for `name = value`.

Every pattern is linear: its repetitions are bounded and it starts at a literal where it can. A group `v` marks the
part that is secret; without it the whole match is. `literals` are texts of which at least one must stand in a text
before the pattern is tried at all.
"""

from __future__ import annotations

import math
import re
from typing import Final

from unlost.facts.records import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret by its shape."""

    name: str
    pattern: re.Pattern[str]
    literals: tuple[str, ...] = ()


def _shape(name: str, pattern: str, *literals: str) -> Shape:
    return Shape(name, re.compile(pattern), literals)


_PREFIXES: Final = (
    "dop|doo|dor|ltai|lin_api|lin_oauth|ntn|secret|shp(?:at|ca|pa|ss)|glsa|glc|dckr_pat|dckr_oat|gsk|xai|r8|tvly|pplx|fw"
    "|nvapi|sk-or|sk-lf|pk-lf|pat|dapi|ATATT|ATCTT|figd|sntrys|sbp|rnd|railway|fly|fo1|pul|tfp|key|rk|wandb_v1"
)

SHAPES: Final = (
    _shape(
        "private-key",
        r"-----BEGIN (?P<k>[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?)-----"
        r"(?=(?:\\[nr]|\s|[A-Za-z-]+:[^\n]{0,200}\n){0,8}\s{0,4}[A-Za-z0-9+/=]{16})"
        r"[\s\S]{1,16384}?(?:-----END (?P=k)-----|\Z)",
        "PRIVATE KEY",
    ),
    _shape("anthropic", r"\bsk-ant-[a-z]{2,10}\d{2}-[A-Za-z0-9_-]{20,200}", "sk-ant-"),
    _shape(
        "openai",
        r"\bsk-(?:(?:proj|svcacct|admin|None)-)?[A-Za-z0-9_-]{16,160}T3BlbkFJ[A-Za-z0-9_-]{16,160}",
        "T3BlbkFJ",
    ),
    _shape(
        "github", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})", "gh", "github_"
    ),
    _shape("gitlab", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{20,128}", "gl"),
    _shape("aws", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b", "AKIA", "ASIA", "ABIA", "ACCA"),
    _shape(
        "slack",
        r"\b(?:xox[abeoprs](?:-[A-Za-z0-9]{1,64}){2,6}|xapp-\d-[A-Z0-9]{8,16}-\d{8,16}-[a-f0-9]{32,80})",
        "xox",
        "xapp-",
    ),
    _shape("slack", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,128}", "hooks.slack"),
    _shape("jwt", r"\beyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{16,1024}", "eyJ"),
    _shape("google", r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", "AIza"),
    _shape("npm", r"\bnpm_[A-Za-z0-9]{36}\b", "npm_"),
    _shape("pypi", r"\bpypi-AgE[A-Za-z0-9_-]{50,1000}", "pypi-AgE"),
    _shape("hugging-face", r"\bhf_[A-Za-z]{34}\b", "hf_"),
    _shape("stripe", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,247}", "k_live_", "k_test_"),
    _shape("sendgrid", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}", "SG."),
    _shape("vault", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,300}", "hvs.", "hvb.", "hvr."),
    _shape("telegram", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,35}(?![A-Za-z0-9_-])", ":AA"),
    _shape("age", r"\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b", "AGE-SECRET"),
    _shape("token", rf"\b(?:{_PREFIXES})(?:[_-]v?\d+)?[_-](?=[A-Za-z0-9_-]{{0,80}}\d)[A-Za-z0-9_-]{{24,300}}"),
    _shape("azure", r"(?i:\b(?:account|shared\s?access)key=)(?P<v>[A-Za-z0-9+/]{40,100}={0,2})"),
    _shape(
        "option",
        r"(?:^|\s)(?:--?(?i:[a-z-]{0,24}(?:password|passwd|token|secret|api-?key))(?:\s+|=)[\"']?)"
        r"(?P<v>[^\s\"'<>$\[{(-][^\s\"']{7,512})",
        "-",
    ),
    _shape(
        "curl-user",
        r"\bcurl\b[^\n]{0,400}?\s(?:-u|--user)\s{1,3}[\"']?[^\s:\"']{1,128}:(?P<v>[^\s\"'$]{4,256})",
        "curl",
    ),
    _shape(
        "netrc",
        r"\bmachine\s{1,3}\S{1,255}\s{1,3}login\s{1,3}\S{1,128}\s{1,3}password\s{1,3}(?P<v>\S{4,256})",
        "machine",
    ),
    _shape(
        "url-password",
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/?#@\[\]\"'<>]{0,128}:(?P<v>[^\s/?#@\"'<>]{3,256})@(?=[\w.\[-])",
        "://",
    ),
    _shape(
        "authorization",
        r"(?i:\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s{1,3})"
        r"(?P<v>[A-Za-z0-9+/=._~-]{12,4096})",
    ),
)

NAMED_VALUE: Final = re.compile(
    r"(?ix)(?P<key>(?:secret|passw(?:or)?d|passphrase|token|api[_-]?key|access[_-]?key|private[_-]?key|encryption[_-]?key"
    r"|signing[_-]?key|fernet[_-]?key|credential|auth)[\w.-]{0,24})"
    r"[\"']?\s{0,3}(?:=>|:=|=|:)\s{0,3}[\"'`]?(?P<v>[^\s\"'`,;<>{}()\[\]]{8,512})"
)
PLACEHOLDER: Final = re.compile(
    r"(?i)^(?:[x*.•-]{4,}|.*(?:x{6,}|\*{4,}|example|placeholder|changeme|your[-_]|<|\$\{|\{\{|%\(|redacted|dummy).*|\$\w+"
    r"|(?:os|process|env|settings|config|self|ctx|req|request)[.\[].*|pass|pwd|password|none|null|true|false|sha(?:1|256|384|512)[-:].*)$"
)
_HASH_KEY: Final = re.compile(r"(?i)(?:integrity|checksum|digest|hash|sha\d*|etag|commit|content-)")
_UUID: Final = re.compile(r"(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_WORDS: Final = re.compile(r"(?:[A-Za-z]{3,}[-_./:]){2,}|^/|^arn:|^https?:|[A-Za-z]{4,}\(")
_CAMEL: Final = re.compile(r"[A-Za-z]+(?:[A-Z][a-z]+){2,}\w{0,4}")


def names_a_hash(text: str, start: int, key: str) -> bool:
    """Whether the word before a value says that it is a checksum or commit id, which is no secret."""
    before = text[max(0, start - 40) : start].rpartition("\n")[2].rsplit(" ", 1)[-1]
    return _HASH_KEY.search(before + key) is not None


def looks_random(value: str) -> bool:
    """Whether a value after `password =` and the like looks like a secret, not like code or a placeholder."""
    if _WORDS.search(value) or PLACEHOLDER.match(value) or _UUID.match(value):
        return False
    if _CAMEL.fullmatch(value) and _entropy(value) < 4.3:
        return False
    has_digit = any(character.isdigit() for character in value)
    if len(value) < 12:
        has_letter = any(character.isalpha() for character in value)
        return has_digit and has_letter and any(not (character.isalnum() or character in "_.") for character in value)
    if all(character in "0123456789abcdefABCDEF" for character in value):
        return len(value) >= 32 and _entropy(value) >= 3.0
    if not has_digit:
        return len(value) >= 32 and _entropy(value) >= 4.2 and not any(character in "._-" for character in value)
    return _entropy(value) >= 3.0


def _entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = (value.count(character) for character in set(value))
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
