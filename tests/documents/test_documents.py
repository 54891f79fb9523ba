"""The documents, held to the program: commands exist, links lead somewhere, pictures are pictures."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree  # noqa: ICN001  (a whole word)

import pytest

from unlost.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
CODE = re.compile(r"^```[^\n]*\n(.*?)^```$|`([^`\n]+)`", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"(?:^|[`$|]\s*)unlost ([a-z][a-z-]*)", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def code_of(page: Path) -> str:
    """Everything that stands in code blocks and between backticks."""
    return "\n".join(block or inline for block, inline in CODE.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_command_that_is_named_exists(page: Path) -> None:
    """A page that tells people to type a command tells one that exists."""
    assert set(COMMAND.findall(code_of(page))) - set(COMMANDS) == set()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_leads_somewhere(page: Path) -> None:
    """A relative link names a file of the project."""
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]

    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("picture", sorted((ROOT / "docs" / "pictures").glob("*.svg")), ids=lambda path: path.name)
def test_pictures_are_drawn_and_described(picture: Path) -> None:
    """A picture parses and says in words what it shows, for people who cannot see it."""
    drawing = ElementTree.parse(picture).getroot()  # noqa: S314  (our own file)

    assert drawing.get("aria-label")


def test_the_readme_names_the_two_commands() -> None:
    """A fresh machine needs `make demo` and `make test`; both stand in the README and in the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in ("demo", "test"):
        assert f"make {target}" in (ROOT / "README.md").read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
