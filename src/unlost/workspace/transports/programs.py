"""A place reached by a program of this machine that runs another one there: what every adapter is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unlost.host.process import NotStarted, Request, run
from unlost.workspace.ports import Done, Progress, Unreachable
from unlost.workspace.transports.carrying import Carrier, Porter, porter_there


class ProgramTransport:
    """`Transport` over `wrap`, which makes of a program's argv on the place the one to start here.

    `env` is the whole environment of the program here, `way` names the place in errors. An adapter overrides `heard`
    where its program has words of its own, and `close` where it holds something. `porter` moves bytes where nobody has
    to be started on the place for that.
    """

    def __init__(
        self,
        *,
        wrap: Callable[[tuple[str, ...]], tuple[str, ...]],
        env: Mapping[str, str],
        way: str,
        python: str,
        porter: Porter | None = None,
    ) -> None:
        self._wrap = wrap
        self._env = env
        self._way = way
        self._python = python
        self._carrier = Carrier(porter_there(self._run, python) if porter is None else porter)

    @property
    def python(self) -> str:
        """See `Transport.python`."""
        return self._python

    def run(
        self, argv: tuple[str, ...], *, stdin: bytes = b"", timeout: float = 600.0, output_limit: int = 1 << 20
    ) -> Done:
        """See `Transport.run`."""
        return self._run(argv, stdin, timeout, output_limit)

    def send(self, source: str, target: str, progress: Progress) -> None:
        """See `Transport.send`."""
        self._carrier.send(source, target, progress)

    def receive(self, source: str, target: str, progress: Progress) -> None:
        """See `Transport.receive`."""
        self._carrier.receive(source, target, progress)

    def close(self) -> None:
        """Nothing is held."""

    def heard(self, done: Done) -> Done:
        """What the program here says of itself, taken out of what it hands on. May raise Unreachable."""
        return done

    def start(self, argv: tuple[str, ...], stdin: bytes, timeout: float, output_limit: int) -> Done:
        """Start a program here and wait. Raises Unreachable when it cannot be started or takes too long."""
        request = Request(argv=argv, env=self._env, cwd="/", stdin=stdin, timeout=timeout, output_limit=output_limit)
        try:
            outcome = run(request)
        except NotStarted as error:
            raise Unreachable(f"{self._way} cannot be reached: {error.message}") from error
        if outcome.timed_out:
            raise Unreachable(f"{self._way} did not answer within {timeout:.0f} s; it may have done what was asked")
        return Done(exit_code=outcome.exit_code, stdout=outcome.stdout, stderr=outcome.stderr)

    def _run(self, argv: tuple[str, ...], stdin: bytes, timeout: float, output_limit: int) -> Done:
        return self.heard(self.start(self._wrap(argv), stdin, timeout, output_limit))
