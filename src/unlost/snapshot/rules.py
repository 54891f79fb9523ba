"""The user's ignore and text rules, copied as data into git dirs of our own.

Ignore rules come from the work tree's `.gitignore` files (git reads those itself), the repository's `info/exclude`
and the person's global excludes. Text rules (line ends) decide what git would store for a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.configuration import config_value, expand_home, read_settings
from unlost.git.formats import ObjectFormat
from unlost.git.person import persons_files, persons_settings
from unlost.git.repository import Repository
from unlost.host.environment import home_folder, variable
from unlost.host.reading import read_regular, write_atomically
from unlost.host.stamps import Stamp, stamp_of
from unlost.snapshot.layout import Layout

_LIMIT: Final = 4 << 20
_RAW: Final = b"* -text -eol -crlf -filter -ident -diff -merge -working-tree-encoding -export-ignore -export-subst\n"
# Faults of old histories that harm nothing here: refusing them would leave a repository without any capture.
_FORGIVEN: Final = (
    *("badTimezone", "missingEmail", "missingNameBeforeEmail", "missingSpaceBeforeDate", "missingSpaceBeforeEmail"),
    *("zeroPaddedDate", "zeroPaddedFilemode", "badFilemode", "badDate", "badDateOverflow", "gitmodulesUrl"),
    *("gitmodulesParse", "gitmodulesBlob", "gitmodulesLarge", "gitmodulesMissing", "badTagName", "missingTaggerEntry"),
)
_CONFIG: Final = """[core]
\trepositoryformatversion = {version}
\tbare = true
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tuntrackedCache = true
\tsplitIndex = false
\tautocrlf = {autocrlf}
\teol = {eol}
\tsafecrlf = false
\tfileMode = true
\tsymlinks = true
\tignoreCase = false
\ttrustctime = true
\tcheckStat = default
\tprotectHFS = true
\tprotectNTFS = true
\tlogAllRefUpdates = false
[index]
\tversion = 4
\tsparse = false
[status]
\tshowUntrackedFiles = all
[fetch]
\tfsckObjects = true
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol]
\tallow = never
[submodule]
\trecurse = false
[extensions]
{extensions}[fetch "fsck"]
{forgiven}"""
_TEXT_VALUES: Final = frozenset({"true", "false", "input", "lf", "crlf", "native"})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the user's git goes by here: ignore lines, attribute lines, text settings, and whether it is sparse.

    `stamps` are of every file that was asked, missing ones too: while they stand, the rules do.
    """

    excludes: bytes
    attributes: bytes
    autocrlf: str
    eol: str
    sparse: bool
    stamps: Mapping[str, Stamp | None]


NO_RULES: Final = Rules(excludes=b"", attributes=b"", autocrlf="false", eol="native", sparse=False, stamps={})
"""The rules of a work tree whose `.git` is gone."""


def rules_stand(stamps: Mapping[str, Stamp | None], repository: Repository) -> bool:
    """Whether no file that the rules came from has changed, and none must be asked that was not."""
    return stamps.keys() >= set(_first_sources(repository)) and all(
        _stamp(path) == stamp for path, stamp in stamps.items()
    )


def read_rules(repository: Repository) -> Rules:
    """Gather the rules; a file that is not there or cannot be read adds none."""
    asked = [*_first_sources(repository)]
    settings = persons_settings(repository, asked)
    for path in _local_files(repository):
        settings.update(read_settings(path))
    shared = expand_home(settings.get("core.excludesfile") or _default_global("ignore"), home_folder())
    # Git takes a relative one from where it runs, and it runs at the root.
    shared = os.path.join(repository.root, shared)
    stamps = {path: _stamp(path) for path in (*asked, shared)}
    exclude, attributes = _info_files(repository)
    return Rules(
        # The later rule is the stronger one.
        excludes=_content(shared) + b"\n" + _content(exclude),
        attributes=_content(attributes),
        autocrlf=_text_setting(settings, "core.autocrlf", "false"),
        eol=_text_setting(settings, "core.eol", "native"),
        sparse=settings.get("core.sparsecheckout", "false").lower() in {"true", "yes", "on", "1"},
        stamps=stamps,
    )


def apply_rules(layout: Layout, format: ObjectFormat, rules: Rules) -> None:  # noqa: A002  (git's own word)
    """Put the rules where our own git reads them; the folders are there."""
    # The file's stamp is part of git's untracked cache: rewriting it in vain would cost a whole walk.
    if read_regular(layout.excludes, _LIMIT * 2) != rules.excludes:
        write_atomically(layout.excludes, rules.excludes)
    for folder, autocrlf, eol, attributes in (
        (layout.store, "false", "native", _RAW),
        (layout.judge, rules.autocrlf, rules.eol, rules.attributes),
    ):
        os.makedirs(os.path.join(folder, "info"), mode=0o700, exist_ok=True)
        write_atomically(os.path.join(folder, "info", "attributes"), attributes)
        text = _CONFIG.format(
            version=int(format.name != "sha1"),
            autocrlf=autocrlf,
            eol=eol,
            extensions=f"\tobjectFormat = {format.name}\n" if format.name != "sha1" else "",
            forgiven="".join(f"\t{message} = ignore\n" for message in _FORGIVEN),
        )
        write_atomically(os.path.join(folder, "config"), text.encode())


def write_git_home(layout: Layout, repository: Repository) -> None:
    """The one configuration file that `git fetch PATH` hands on: it trusts exactly this repository.

    A child of fetch sees neither `-c` nor the environment's settings, only a file.
    """
    trusted = sorted({repository.root, repository.git_dir, repository.common_dir})
    lines = "".join(f"\tdirectory = {config_value(folder)}\n" for folder in trusted)
    write_atomically(os.path.join(layout.home, "gitconfig"), f"[safe]\n{lines}".encode("utf-8", "surrogateescape"))


def _text_setting(settings: Mapping[str, str], key: str, default: str) -> str:
    """Only a value that git knows: it is written into a configuration of ours."""
    value = settings.get(key, default).lower()
    return value if value in _TEXT_VALUES else default


def _first_sources(repository: Repository) -> tuple[str, ...]:
    """The files that are asked in any case; what a person's configuration includes is not among them."""
    return (*persons_files(), *_local_files(repository), *_info_files(repository))


def _stamp(path: str) -> Stamp | None:
    """The stamp of what is read at a path: dotfiles are often links."""
    try:
        return stamp_of(os.stat(path))
    except OSError:
        return None


def _info_files(repository: Repository) -> tuple[str, str]:
    info = os.path.join(repository.common_dir, "info")
    return os.path.join(info, "exclude"), os.path.join(info, "attributes")


def _local_files(repository: Repository) -> tuple[str, ...]:
    return os.path.join(repository.common_dir, "config"), os.path.join(repository.git_dir, "config.worktree")


def _default_global(name: str) -> str:
    folder = variable("XDG_CONFIG_HOME") or os.path.join(home_folder(), ".config")
    return os.path.join(folder, "git", name)


def _content(path: str) -> bytes:
    try:
        return read_regular(os.path.realpath(path), _LIMIT) or b""
    except OSError:
        return b""
