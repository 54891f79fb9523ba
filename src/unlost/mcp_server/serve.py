"""Serve one attempt's tools on the loopback interface, at a URL that nobody else knows, as long as the attempt lasts.

The streamable HTTP transport of MCP with answers as plain JSON: all that a server without messages of its own needs.
It is ready before the agent starts, so no agent has a first turn without its tools.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from unlost.mcp_server.desk import Desk
from unlost.mcp_server.messages import answer_body

LIMIT: Final = 1 << 20
"""Bytes of a request; a handoff is at most a quarter of that."""

_HOST: Final = "127.0.0.1"
_JSON: Final = "application/json"


@contextmanager
def serving(desk: Desk, *, new_secret: Callable[[], str]) -> Iterator[str]:
    """The URL of a desk's tools; dead when the context ends. Raises OSError when no port can be had."""
    secret = new_secret()
    with ThreadingHTTPServer((_HOST, 0), _handler(desk, f"/{secret}/mcp")) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://{_HOST}:{server.server_address[1]}/{secret}/mcp"
        finally:
            server.shutdown()
            thread.join()


def _handler(desk: Desk, secret_path: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Answers POSTs to the secret path, and says nothing to anybody else."""

        protocol_version = "HTTP/1.1"
        timeout = 600.0

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the library's own name)
            """Log nothing: the path is a secret, and the terminal is the supervisor's."""

        def do_POST(self) -> None:
            """One request, or several, of the protocol."""
            size = self.headers.get("content-length", "")
            if not self._is_for_us() or not size.isdigit() or int(size) > LIMIT:
                self.close_connection = True
                self._send(404 if not self._is_for_us() else 413, b"")
                return
            answer = answer_body(desk, self.rfile.read(int(size)))
            self._send(202 if answer is None else 200, answer or b"")

        def do_GET(self) -> None:
            """There is no stream of messages of our own."""
            self._send(405 if self._is_for_us() else 404, b"")

        def do_DELETE(self) -> None:
            """There is no session to end."""
            self._send(405 if self._is_for_us() else 404, b"")

        def _is_for_us(self) -> bool:
            # A page in a browser that guesses the port sends its origin; no agent does.
            return "origin" not in self.headers and hmac.compare_digest(self.path.encode(), secret_path.encode())

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", _JSON)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
