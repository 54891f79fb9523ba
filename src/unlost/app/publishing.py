"""`unlost publish UNIT`: a person asks for a unit's finished work to be pushed, whatever its workflow says."""

from __future__ import annotations

from typing import Final

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.supervised import Supervisor
from unlost.app.units import Unit
from unlost.engine.advance import carry_out
from unlost.engine.ports import Hands
from unlost.engine.stream import UnitStream, json_object
from unlost.facts.errors import NeedsPerson, TryLater, UnlostError, WorkLost
from unlost.facts.quoting import clean, cut
from unlost.facts.records import dataclass
from unlost.host.environment import user_name
from unlost.host.redaction import Redactor
from unlost.publish.words import REFUSALS
from unlost.unit.commit_report import TIME_HEALS
from unlost.unit.facts import UnitState
from unlost.unit.origin_events import RemoteTrusted
from unlost.unit.publish_events import PublishAsked
from unlost.unit.publish_step import publishable, publishing_action
from unlost.unit.questions import is_party
from unlost.unit.request_text import request_text

_ENDED: Final = "push.ended"
_MARK: Final = "remote:"
_TOLD: Final = 400


@dataclass(frozen=True, kw_only=True)
class RequestShown:
    """A pull request's title and text."""

    unit: str
    title: str
    text: str


def publish_unit(supervisor: Supervisor, unit: str | None, *, trust_remote: bool = False) -> Unit:
    """Commit what is finished, where nothing did yet, push it, and keep the request's text. Asked again, it is done.

    With `trust_remote` the remote's address is the one that the repository has now, on this person's word. Raises
    NeedsPerson, TryLater, WorkLost: then the remote is as it was, or it is not known, and the work is kept.
    """
    refuse_inside_attempt()
    name = supervisor.find(unit)
    with supervisor.driving():
        stream = UnitStream(supervisor.ledger, name)
        _refuse_unfinished(stream.state)
        asked = PublishAsked(by=user_name())
        stream.intend(f"publish asked {stream.state.sequence + 1}", asked)
        hands = supervisor.hands_of(stream)
        if trust_remote:
            _trust(stream, hands)
        refused = carry_out(stream, hands, publishing_action)
        if refused is not None:
            raise _refusal(stream.state, refused.refusals, told=_told_by_remote(supervisor, name, refused.refusals))
        if publishable(stream.state) is None:
            raise _refusal(stream.state, ("nothing",))
    return supervisor.show(name)


def request_of(supervisor: Supervisor, unit: str | None) -> RequestShown:
    """The text of a unit's pull request as it would be now; nothing is published.

    Raises UsageError, NeedsPerson when the reader is neither requester nor operator: it says what was asked for.
    """
    stream = UnitStream(supervisor.ledger, supervisor.find(unit))
    state = stream.state
    if not is_party(state, user_name(), supervisor.settings.operators):
        raise NeedsPerson(f"only {state.requester} and operators may read what {state.unit} was asked for")
    return RequestShown(unit=state.unit, title=state.title, text=Redactor()(request_text(state, stream.plan)))


def _trust(stream: UnitStream, hands: Hands) -> None:
    remote = stream.plan.publish.remote
    url = hands.commits.ground().remotes.get(remote)
    if url is None:
        raise _refusal(stream.state, ("no_remote",))
    trusted = RemoteTrusted(remote=remote, url=url, by=user_name())
    stream.intend(f"remote trusted {stream.state.sequence + 1}", trusted)


def _refuse_unfinished(state: UnitState) -> None:
    """Only work that is done and stands is published."""
    if state.proof.is_loss:
        raise WorkLost(f"work of {state.unit} is lost; nothing was published", hint="unlost check")
    if state.current is not None and not state.over:
        raise NeedsPerson(
            f"{state.unit} has unfinished tasks; nothing was published", hint=f"unlost resume {state.unit}"
        )


def _told_by_remote(supervisor: Supervisor, unit: str, words: tuple[str, ...]) -> str:
    """What a remote that declined said of it, as it was kept: redacted, without addresses; here in one short line."""
    if words[:1] != ("rejected",):
        return ""
    ended = [event for event in supervisor.ledger.read(unit) if event.kind == _ENDED]
    body = supervisor.ledger.body(unit, ended[-1].sequence) if ended else None
    told = "" if body is None else str(json_object(unit, body).get("told", ""))
    # Git marks each line of the remote; its own lines say the same as the word.
    lines = [line.partition(_MARK)[2] for line in told.splitlines() if line.startswith(_MARK)] or told.splitlines()
    return cut(clean(" ".join(line.strip() for line in lines if line.strip()), one_line=True), _TOLD)


def _refusal(state: UnitState, words: tuple[str, ...], *, told: str = "") -> UnlostError:
    word = words[0] if words else "unknown"
    what, hint = REFUSALS.get(word, (word.replace("_", " "), "unlost show {unit}"))
    kind = TryLater if word in TIME_HEALS else NeedsPerson
    again = hint.replace("unlost resume {unit}", "unlost publish {unit}").format(unit=state.unit)
    said = f" ({told})" if told else ""
    return kind(f"{state.unit} was not published: {what}{said}; its work is kept", hint=again)
