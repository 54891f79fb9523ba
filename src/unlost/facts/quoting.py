"""Names and prose on their way out: exact and harmless, or cleaned and cut.

Paths are `bytes` everywhere inside unlost. A person or a model reads them as an ASCII JSON string
(decision 9); a script reads them as JSON text, or as `{"bytes": base64}` when they are not UTF-8.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from typing import Final

JsonName = str | dict[str, str]

_ANSI: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|[PX^_][^\x1b]{0,4096}(?:\x1b\\)?|[@-Z\\-_]?)"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
# Characters that draw nothing but can hide or reorder text; the categories below do not name them all.
_INVISIBLE: Final = frozenset(
    {0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2028, 0x2029, 0x2800, 0x3164, 0xFEFF, 0xFFA0}
    | set(range(0x180B, 0x1810))
    | set(range(0x200B, 0x2010))
    | set(range(0x202A, 0x202F))
    | set(range(0x2060, 0x2070))
    | set(range(0xFE00, 0xFE10))
    | set(range(0xFFF9, 0xFFFD))
    | set(range(0xE0000, 0xE1000))
)
_CUT_MARK: Final = " …[cut {dropped} bytes]"


def path_literal(path: bytes) -> str:
    """A path as an ASCII JSON string literal: no control, bidi or newline survives, and it can be read back."""
    return json.dumps(path.decode("utf-8", "surrogateescape"), ensure_ascii=True)


def path_text(path: bytes) -> str:
    """A path as people type it when it is plain, else as its ASCII JSON literal."""
    literal = path_literal(path)
    return literal if "\\" in literal or " " in literal else literal[1:-1]


def path_json(path: bytes) -> JsonName:
    """A path for JSON output: text, or `{"bytes": base64}` when it is not UTF-8 (contracts.md)."""
    try:
        return path.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": base64.b64encode(path).decode("ascii")}


def path_from_json(name: object) -> bytes:
    """The path that `path_json` wrote; raises ValueError for anything else."""
    if isinstance(name, str):
        return name.encode("utf-8", "surrogateescape")
    if isinstance(name, dict) and set(name) == {"bytes"} and isinstance(name["bytes"], str):
        return base64.b64decode(name["bytes"], validate=True)
    raise ValueError("a path is text or an object with base64 in `bytes`")


def canonical_json(value: object) -> bytes:
    """The one byte form of a JSON value that digests are made of: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def clean(text: str, *, one_line: bool = False) -> str:
    """Text without escape sequences and without characters that are invisible or reorder text.

    Newline and tab stay (as a space each with `one_line`); line ends become a single newline.
    """
    text = _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    kept = [
        " " if one_line and character in "\n\t" else character
        for character in text
        if character in "\n\t" or not _hides(character)
    ]
    return "".join(kept)


def cut(text: str, limit: int) -> str:
    """Text of at most `limit` UTF-8 bytes, cut at a character and saying how many bytes were dropped.

    A limit too small for the remark gives the plain cut. Lone surrogates become `?`.
    """
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode("utf-8")
    room = limit - len(_CUT_MARK.format(dropped=len(data)).encode("utf-8"))
    kept = data[: room if room > 0 else limit].decode("utf-8", "ignore")
    if room <= 0:
        return kept
    return kept + _CUT_MARK.format(dropped=len(data) - len(kept.encode("utf-8")))


def _hides(character: str) -> bool:
    return ord(character) in _INVISIBLE or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"}
