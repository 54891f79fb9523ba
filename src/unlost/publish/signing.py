"""Sign a commit, where the person's own settings ask for it, with the program and key that their git would use."""

from __future__ import annotations

from typing import Final

from unlost.facts.errors import UnlostError
from unlost.git.call import Git, git_program
from unlost.git.configuration import Settings
from unlost.git.person import Person, is_true
from unlost.host.environment import current_environment
from unlost.host.process import Request, run
from unlost.publish.message import Moment

_TIMEOUT: Final = 60.0
_FORMATS: Final = frozenset({"openpgp", "x509", "ssh"})
_OUTPUT_LIMIT: Final = 16 * 1024


class SigningFailed(UnlostError):
    """The person's settings ask for a signature, and there is none to be had."""


def wants_signature(settings: Settings) -> bool:
    """Whether the person's git signs every commit here."""
    return is_true(settings.get("commit.gpgsign"))


def signed_commit(
    git: Git, settings: Settings, *, tree: str, parent: str, person: Person, moment: Moment, message: str
) -> str:
    """Make a signed commit in a git dir of ours and return its id. Raises SigningFailed.

    Key and format are taken from every setting that holds here; the program only from the person's own files.
    """
    chosen = [f"gpg.format={settings['gpg.format']}"] if settings.get("gpg.format") in _FORMATS else []
    if settings.get("user.signingkey"):
        chosen.append(f"user.signingKey={settings['user.signingkey']}")
    outcome = run(
        Request(
            argv=(
                *(git_program(), "-C", "/", f"--git-dir={git.git_dir}"),
                *(part for setting in chosen for part in ("-c", setting)),
                *("commit-tree", "-S", "-p", parent, tree),
            ),
            env={
                **{key: value for key, value in current_environment().items() if not key.startswith("GIT_")},
                **person.variables(),
                "GIT_AUTHOR_DATE": str(moment),
                "GIT_COMMITTER_DATE": str(moment),
                "LC_ALL": "C",
            },
            stdin=message.encode("utf-8", "surrogateescape"),
            timeout=_TIMEOUT,
            output_limit=_OUTPUT_LIMIT,
        )
    )
    if not outcome.ok:
        told = "it took too long" if outcome.timed_out else outcome.stderr.decode("utf-8", "replace").strip()
        raise SigningFailed(f"commit.gpgSign is on, and the commit could not be signed: {told}")
    return outcome.stdout.decode("ascii").strip()
