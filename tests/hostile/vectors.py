"""Ways in which a repository can make git run a program: each is planted, and named with a git command that fires it.

A vector's program writes into the alarm file and then does no harm. `fires` is the plain git command (argv after `git`)
that proves the vector works at all; without that proof a test of ours would prove nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kit.repository import Repository

HOOKS = (
    *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-index-change"),
    *("reference-transaction", "pre-auto-gc", "post-merge", "post-rewrite", "pre-rebase", "pre-merge-commit"),
    *("applypatch-msg", "update", "pre-receive", "post-receive", "post-update", "push-to-checkout", "pre-push"),
)


@dataclass(frozen=True)
class Planted:
    """A repository with a trap: `program` is the planted program's path."""

    repository: Repository
    program: Path

    @property
    def command(self) -> str:
        """The program as a configuration value."""
        return str(self.program)

    def configure(self, **settings: str) -> None:
        """Set configuration; `_` stands for `.` and a middle part is written with its own case."""
        for key, value in settings.items():
            self.repository.git("config", "--add", key.replace("__", "."), value)

    def attributes(self, line: str) -> None:
        """Write `.gitattributes`."""
        self.repository.write(".gitattributes", line + "\n")


@dataclass(frozen=True)
class Vector:
    """One way, and the plain git command that fires it, with its stdin; `terminal`: only when it writes to one."""

    name: str
    plant: Callable[[Planted], None]
    fires: tuple[str, ...]
    stdin: bytes = b""
    terminal: bool = False


def _hooks(trap: Planted) -> None:
    for name in HOOKS:
        shutil.copy(trap.program, trap.repository.root / ".git" / "hooks" / name)


def _hooks_path(trap: Planted) -> None:
    folder = trap.repository.root / "planted-hooks"
    folder.mkdir()
    for name in HOOKS:
        shutil.copy(trap.program, folder / name)
    trap.configure(core__hooksPath=str(folder))


def _filter(key: str) -> Callable[[Planted], None]:
    def plant(trap: Planted) -> None:
        trap.configure(**{f"filter__evil__{key}": trap.command if key == "process" else f"{trap.command}; cat"})
        trap.attributes("* filter=evil")

    return plant


def _filter_by_info(trap: Planted) -> None:
    trap.configure(filter__evil__clean=f"{trap.command}; cat", filter__evil__smudge=f"{trap.command}; cat")
    trap.repository.write(".git/info/attributes", "* filter=evil\n")


def _diff_driver(key: str) -> Callable[[Planted], None]:
    def plant(trap: Planted) -> None:
        trap.configure(**{f"diff__evil__{key}": trap.command})
        trap.attributes("* diff=evil")

    return plant


def _merge_driver(trap: Planted) -> None:
    trap.configure(merge__evil__driver=trap.command)
    trap.attributes("* merge=evil")
    repository = trap.repository
    repository.git("add", ".gitattributes")
    repository.git("commit", "-q", "-m", "attributes", "--", ".gitattributes")
    repository.git("stash")
    repository.git("switch", "-q", "-c", "side")
    repository.write("main.rs", "side\n")
    repository.commit("side")
    repository.git("switch", "-q", "main")
    repository.write("main.rs", "mine\n")
    repository.commit("mine")


def _signature(trap: Planted) -> None:
    trap.configure(gpg__program=trap.command, commit__gpgSign="true")
    trap.configure(log__showSignature="true")
    head = trap.repository.git("cat-file", "commit", "HEAD")
    fields, message = head.split("\n\n", 1)
    signed = f"{fields}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----\n\n{message}\n"
    (trap.repository.root / ".git" / "signed").write_text(signed)
    oid = trap.repository.git("hash-object", "-t", "commit", "-w", str(trap.repository.root / ".git" / "signed"))
    trap.repository.git("update-ref", "refs/heads/main", oid)


def _include(trap: Planted) -> None:
    trap.repository.write(".git/included", f"[core]\n\tfsmonitor = {trap.command}\n")
    trap.configure(include__path=str(trap.repository.root / ".git" / "included"))


def _worktree_configuration(trap: Planted) -> None:
    trap.configure(extensions__worktreeConfig="true")
    trap.repository.write(".git/config.worktree", f"[core]\n\tfsmonitor = {trap.command}\n")


def _remote(**settings: str) -> Callable[[Planted], None]:
    def plant(trap: Planted) -> None:
        made = {key: value.replace("PROGRAM", trap.command) for key, value in settings.items()}
        trap.configure(**made, remote__origin__fetch="+refs/heads/*:refs/remotes/origin/*")

    return plant


def _lazy_fetch(trap: Planted) -> None:
    repository = trap.repository
    oid = repository.git("rev-parse", "HEAD:docs/notes.md")
    (repository.root / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    trap.configure(extensions__partialClone="origin", remote__origin__url="/nowhere", remote__origin__promisor="true")
    trap.configure(remote__origin__uploadpack=trap.command)
    repository.git("config", "core.repositoryformatversion", "1")


def _submodule(trap: Planted) -> Repository:
    inner = Repository.create(trap.repository.root / "sub")
    inner.write("f.txt", "1\n")
    inner.commit("inner")
    trap.repository.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
    trap.repository.git("add", "sub", ".gitmodules")
    trap.repository.git("commit", "-q", "-m", "submodule", "--", "sub", ".gitmodules")
    inner.write("f.txt", "2\n")
    return inner


def _inner_monitor(trap: Planted) -> None:
    _submodule(trap).git("config", "core.fsmonitor", trap.command)


def _inner_filter(trap: Planted) -> None:
    inner = _submodule(trap)
    inner.git("config", "filter.evil.clean", f"{trap.command}; cat")
    # The change keeps the size, so that status has to ask the filter.
    inner.write(".gitattributes", "* filter=evil\n")


def _submodule_update(trap: Planted) -> None:
    inner = _submodule(trap)
    trap.configure(submodule__sub__url=str(inner.root), submodule__sub__update=f"!{trap.command}")
    trap.configure(submodule__recurse="true")
    inner.commit("ahead")


def _alternate_refs(trap: Planted) -> None:
    other = Repository.create(trap.repository.root.parent / "other")
    other.write("f.txt", "1\n")
    other.commit("other")
    trap.repository.write(".git/objects/info/alternates", f"{other.root}/.git/objects\n")
    _remote(core__alternateRefsCommand="PROGRAM", remote__origin__url=str(other.root))(trap)


def _url_rewrite(trap: Planted) -> None:
    _remote(remote__origin__url="https://127.0.0.1:9/r", protocol__ext__allow="always")(trap)
    trap.repository.git("config", f"url.ext::{trap.command} .insteadOf", "https://127.0.0.1:9/")


def _git_file(trap: Planted) -> None:
    root = trap.repository.root
    trap.configure(core__fsmonitor=trap.command)
    shutil.move(root / ".git", root.parent / "real-git")
    (root / ".git").write_text(f"gitdir: {root.parent / 'real-git'}\n")


def _git_link(trap: Planted) -> None:
    root = trap.repository.root
    trap.configure(core__fsmonitor=trap.command)
    shutil.move(root / ".git", root.parent / "real-git")
    (root / ".git").symlink_to(root.parent / "real-git")


def _beside_the_work(*, link: bool) -> Callable[[Planted], None]:
    def plant(trap: Planted) -> None:
        root = trap.repository.root
        trap.configure(core__fsmonitor=trap.command)
        shutil.move(root / ".git", root / "real-git")
        if link:
            (root / ".git").symlink_to("real-git")
        else:
            (root / ".git").write_text("gitdir: real-git\n")

    return plant


def _plain(**settings: str) -> Callable[[Planted], None]:
    def plant(trap: Planted) -> None:
        trap.configure(**{key: value.replace("PROGRAM", trap.command) for key, value in settings.items()})

    return plant


VECTORS = (
    Vector("fsmonitor", _plain(core__fsmonitor="PROGRAM"), ("status",)),
    Vector("hooks", _hooks, ("commit", "-q", "-am", "x")),
    Vector("hooks path", _hooks_path, ("commit", "-q", "-am", "x")),
    Vector("clean filter", _filter("clean"), ("add", "-A")),
    Vector("smudge filter", _filter("smudge"), ("checkout", "--", "main.rs")),
    Vector("process filter", _filter("process"), ("add", "-A")),
    Vector("filter by info/attributes", _filter_by_info, ("add", "-A")),
    Vector("external diff", _plain(diff__external="PROGRAM"), ("diff",)),
    Vector("diff driver", _diff_driver("command"), ("diff",)),
    Vector("textconv", _diff_driver("textconv"), ("diff",)),
    Vector("merge driver", _merge_driver, ("merge", "-q", "side")),
    Vector("signature program", _signature, ("log", "-1")),
    Vector("included configuration", _include, ("status",)),
    Vector("work tree configuration", _worktree_configuration, ("status",)),
    Vector("ssh command", _remote(core__sshCommand="PROGRAM", remote__origin__url="ssh://h/r"), ("fetch", "origin")),
    Vector(
        "upload-pack of a remote",
        _remote(remote__origin__url="/nowhere", remote__origin__uploadpack="PROGRAM"),
        ("fetch", "origin"),
    ),
    Vector(
        "ext transport", _remote(remote__origin__url="ext::PROGRAM", protocol__ext__allow="always"), ("fetch", "origin")
    ),
    Vector("lazy fetch", _lazy_fetch, ("cat-file", "blob", "HEAD:docs/notes.md")),
    Vector("alias", _plain(alias__shown="!PROGRAM"), ("shown",)),
    Vector("archive command", _plain(tar__tgz__command="PROGRAM"), ("archive", "--format=tgz", "HEAD")),
    Vector("editor", _plain(core__editor="PROGRAM"), ("commit", "-a")),
    Vector("rewritten address", _url_rewrite, ("fetch", "origin")),
    Vector("refs of alternates", _alternate_refs, ("fetch", "origin")),
    Vector(
        "credential program",
        _plain(credential__helper="PROGRAM"),
        ("credential", "fill"),
        stdin=b"protocol=https\nhost=h\n\n",
    ),
    Vector(
        "program that asks for a password",
        _plain(core__askPass="PROGRAM"),
        ("credential", "fill"),
        stdin=b"protocol=https\nhost=h\n\n",
    ),
    Vector("pager", _plain(core__pager="PROGRAM"), ("log",), terminal=True),
    Vector("pager of a command", _plain(pager__diff="PROGRAM", pager__log="PROGRAM"), ("log",), terminal=True),
    Vector("update of a submodule", _submodule_update, ("submodule", "update")),
    Vector("monitor in a submodule", _inner_monitor, ("status",)),
    Vector("filter in a submodule", _inner_filter, ("status",)),
    Vector(".git file that leads elsewhere", _git_file, ("status",)),
    Vector(".git link that leads elsewhere", _git_link, ("status",)),
    Vector(".git file that leads into the tree", _beside_the_work(link=False), ("status",)),
    Vector(".git link that leads into the tree", _beside_the_work(link=True), ("status",)),
)
