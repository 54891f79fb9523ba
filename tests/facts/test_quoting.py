from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unlost.facts.quoting import canonical_json, clean, cut, path_from_json, path_json, path_literal, path_text

NAMES = st.one_of(st.binary(max_size=40), st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
TEXTS = st.text(
    alphabet=st.one_of(
        st.characters(), st.sampled_from("\x1b[]0;mP\\\x07\x9b\r\n\t \u202e\u200b\u2028\U000e0041\ufeff…é日")
    ),
    max_size=60,
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)


@given(path=NAMES)
def test_path_json_round_trip(path: bytes) -> None:
    """contracts.md: a path in JSON is text or base64, and the same bytes come back from what a script received."""
    assert path_from_json(json.loads(json.dumps(path_json(path)))) == path


@given(path=NAMES)
def test_path_literal_is_harmless_and_exact(path: bytes) -> None:
    """Decision 9: an ASCII JSON string on one line, without control characters, that can be read back."""
    literal = path_literal(path)

    assert literal.isascii()
    assert literal.isprintable()
    assert json.loads(literal).encode("utf-8", "surrogateescape") == path


@given(path=NAMES)
def test_path_text_is_harmless(path: bytes) -> None:
    """Plain names stand as they are, all others as their literal; either is one line of printable ASCII."""
    text = path_text(path)

    assert text.isascii()
    assert text.isprintable()
    assert text in (path_literal(path), path_literal(path)[1:-1])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (b"src/main.rs", "src/main.rs"),
        (b"app/[id]/page.tsx", "app/[id]/page.tsx"),
        (b"a b", '"a b"'),
        (b'q"uote', r'"q\"uote"'),
        (b"new\nline", r'"new\nline"'),
        ("é".encode(), r'"\u00e9"'),
        (b"\xff", r'"\udcff"'),
        (b"\x7f", r'"\u007f"'),
        ("\u202etxt".encode(), r'"\u202etxt"'),
    ],
)
def test_path_text_examples(path: bytes, text: str) -> None:
    """Exotic names are legal and quoted where a person or a model reads them."""
    assert path_text(path) == text


@pytest.mark.parametrize("name", [None, 3, [], {}, {"bytes": 3}, {"bytes": "%%"}, {"bytes": "YQ==", "more": 1}])
def test_path_from_json_refuses_anything_else(name: object) -> None:
    """N.R3: a malformed name is an error, never a guess."""
    with pytest.raises(ValueError, match=r"path|base64"):
        path_from_json(name)


@given(value=JSON)
def test_canonical_json_is_one_form(value: object) -> None:
    """Digests are made of it: ASCII, sorted keys, and the same value gives the same bytes after a round trip."""
    data = canonical_json(value)

    assert data.isascii()
    assert canonical_json(json.loads(data)) == data


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_canonical_json_refuses_what_json_has_not(value: float) -> None:
    """NaN and infinity have no JSON form."""
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"x": value})


@settings(max_examples=500)
@given(text=TEXTS)
def test_clean_is_idempotent_and_leaves_nothing_hidden(text: str) -> None:
    """What was cleaned shows all it holds: no control, format or surrogate character but newline and tab."""
    cleaned = clean(text)

    assert clean(cleaned) == cleaned
    hidden = [character for character in cleaned if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn"}]
    assert set(hidden) <= {"\n", "\t"}


@given(text=TEXTS)
def test_clean_one_line_is_one_line(text: str) -> None:
    """With `one_line` no break is left, so the text cannot start a line of its own."""
    assert len(clean(text, one_line=True).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;https://example.org\x07link\x1b]8;;\x1b\\", "link"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\u202eb\u200bc\ufeffd\u2028e", "abcde"),
        ("\U000e0041\U000e0042", ""),
        ("שלום 日本 é", "שלום 日本 é"),
        ("\x00\x07\x7f", ""),
    ],
)
def test_clean_examples(text: str, expected: str) -> None:
    """Sequences for terminals, bidi, zero-width and tag characters go; letters of every script stay."""
    assert clean(text) == expected


@given(text=TEXTS, limit=st.integers(0, 80))
def test_cut_is_within_its_bound_and_whole_characters(text: str, limit: int) -> None:
    """At most `limit` UTF-8 bytes, cut between characters; what fits is not touched."""
    result = cut(text, limit)
    data = text.encode("utf-8", "replace")

    assert len(result.encode("utf-8")) <= limit
    if len(data) <= limit:
        assert result == data.decode("utf-8")


def test_cut_says_how_much_was_dropped() -> None:
    """A reader sees that something is missing, and how much."""
    result = cut("é" * 100, 60)
    kept = result.partition(" …[cut ")[0]

    assert result == f"{kept} …[cut {200 - len(kept.encode())} bytes]"
    assert set(kept) == {"é"}
