"""Addresses of remotes, kept on this machine from a unit's admission on: an agent may change the repository's own.

The ledger carries only their digests, which prove that an address is the one of the admission.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Final

from unlost.facts.quoting import canonical_json
from unlost.git.configuration import Settings
from unlost.git.person import push_addresses
from unlost.host.reading import read_regular, write_atomically

_FILE: Final = "remotes.json"
_LARGEST: Final = 1 << 20
_HAS_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HAS_HOST: Final = re.compile(r"[^/]+:")


def remember_addresses(workspace_folder: str, settings: Settings, root: str) -> Mapping[str, str]:
    """Keep where each remote is pushed to now; returns the digest of each address by the remote's name."""
    known = _known(workspace_folder)
    found: dict[str, str] = {}
    for name, address in push_addresses(settings).items():
        whole = _whole(address, root)
        digest = address_digest(whole)
        found[name] = digest
        known[digest] = whole
    if found:
        write_atomically(os.path.join(workspace_folder, _FILE), canonical_json(known), durable=True)
    return found


def remembered_address(workspace_folder: str, digest: str) -> str | None:
    """The address of this digest; None when this machine never saw it."""
    address = _known(workspace_folder).get(digest)
    return address if address is not None and address_digest(address) == digest else None


def address_digest(address: str) -> str:
    """What stands for an address where it may not be told: it can hold a password or a local path."""
    return hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()


def _known(workspace_folder: str) -> dict[str, str]:
    data = read_regular(os.path.join(workspace_folder, _FILE), _LARGEST)
    if data is None:
        return {}
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def _whole(address: str, root: str) -> str:
    """A relative folder means one beside the repository; later calls stand elsewhere."""
    if _HAS_SCHEME.match(address) or _HAS_HOST.match(address) or os.path.isabs(address):
        return address
    return os.path.normpath(os.path.join(root, address))
