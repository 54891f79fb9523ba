"""The events by which a unit's line of origin is recorded, beside those that carry a pointer or a receipt with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared
from unlost.publish.facts import ProducerPointer


@dataclass(frozen=True, kw_only=True, slots=True)
class RepositoryNoted:
    """The repository as it stood at admission (`publish.orders.Ground`): what an agent changes later is not asked.

    `remotes` maps names to digests of addresses, which stay on the machine; `hooks` is the digest of the commit hooks.
    """

    branch: str | None
    head: str | None
    remotes: Mapping[str, str]
    hooks: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteTrusted:
    """A person says that a remote's address is right as the repository has it now; `url` is its digest."""

    remote: str
    url: str
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ProducerAccepted:
    """The research step came to a brief: from now on it is the unit's one producer (R.51)."""

    producer: ProducerPointer


KINDS: Final = {
    "repository.noted": Declared(payload=RepositoryNoted),
    "remote.trusted": Declared(payload=RemoteTrusted),
    "producer.accepted": Declared(payload=ProducerAccepted),
}
PRODUCER_KEY: Final = "producer"
"""One key for ever: a ledger refuses a second producer, whoever offers it."""
