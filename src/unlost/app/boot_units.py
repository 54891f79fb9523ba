"""What lets a machine go on with its units by itself at login: a unit of systemd or of launchd, as text.

Nothing is installed. The text names the program by its absolute path and the variables that say where the state is;
it holds no key: keys come from a file that the person writes.
"""

from __future__ import annotations

import os
import plistlib
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Final, Literal

from unlost.app.background import program

System = Literal["systemd", "launchd"]

_PLACES: Final = ("UNLOST_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "UNLOST_PLACE", "PATH")
"""Variables that are handed on: places, never the address of a ledger or a store, which may hold a password."""

_LABEL: Final = "org.unlost.resume"
_WORDS: Final = ("resume", "--all")


def boot_unit(system: System, environment: Mapping[str, str]) -> str:
    """The text of a unit that runs `unlost resume --all` at login, for this program and this state home."""
    write: Mapping[System, Callable[[tuple[str, ...], Mapping[str, str]], str]] = {
        "systemd": _systemd,
        "launchd": _launchd,
    }
    places = {name: environment[name] for name in _PLACES if environment.get(name)}
    return write[system](_this_program(), places)


def _this_program() -> tuple[str, ...]:
    """The `unlost` beside this interpreter, else the interpreter with the package: absolute, whatever PATH is then."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "unlost")
    return (beside,) if os.access(beside, os.X_OK) else program()


def _systemd(argv: tuple[str, ...], places: Mapping[str, str]) -> str:
    command = " ".join(_systemd_word(word) for word in (*argv, *_WORDS))
    variables = "".join(f"Environment={_systemd_word(f'{name}={value}')}\n" for name, value in places.items())
    return f"""\
# Goes on with every interrupted unit at login. To install it, for this user:
#   unlost doctor --print-unit systemd > ~/.config/systemd/user/unlost.service
#   systemctl --user daemon-reload && systemctl --user enable unlost.service
#   loginctl enable-linger        (only to start at boot, before anybody logs in)
# Keys of agents are not in here: put KEY=value lines into ~/.config/unlost/environment (mode 0600).
[Unit]
Description=unlost: go on with interrupted units

[Service]
Type=exec
ExecStart={command}
{variables}EnvironmentFile=-%h/.config/unlost/environment
# 3 waits for a person, 5 for a budget, 75 for somebody else: none of them is a failure of this service.
SuccessExitStatus=3 5 75
# Ends like any supervisor that is killed: agents with it, the work kept, `resume` goes on.
KillMode=control-group

[Install]
WantedBy=default.target
"""


def _systemd_word(word: str) -> str:
    """One word of a systemd line: in quotes, with its own escapes doubled."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("\n", "\\n")
    # In ExecStart a dollar begins a variable; in Environment it is a dollar.
    return f'"{escaped}"' if "=" in word else f'"{escaped.replace("$", "$$")}"'


def _launchd(argv: tuple[str, ...], places: Mapping[str, str]) -> str:
    """Through a shell that reads the file of keys when there is one: launchd has no such key."""
    keys = '"$HOME/.config/unlost/environment"'
    script = f"[ -r {keys} ] && set -a && . {keys} && set +a; exec {shlex.join((*argv, *_WORDS))}"
    table = {
        "Label": _LABEL,
        "ProgramArguments": ["/bin/sh", "-c", script],
        "EnvironmentVariables": dict(places),
        "RunAtLoad": True,
        "ProcessType": "Background",
    }
    text = plistlib.dumps(table, sort_keys=False).decode("utf-8")
    head, _, rest = text.partition("\n")
    return f"""\
{head}
<!-- Goes on with every interrupted unit at login. To install it, save it as
     ~/Library/LaunchAgents/{_LABEL}.plist
     launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{_LABEL}.plist
     Keys of agents are not in here: put KEY=value lines into ~/.config/unlost/environment (mode 0600). -->
{rest}"""
