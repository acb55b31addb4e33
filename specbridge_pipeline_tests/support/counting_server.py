"""A system under test behind HTTP: answers as a scripted respondent, counts what it is asked."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from specbridge_pipeline_tests.support.respondents import respond


def asked_text(messages: list[dict[str, str]], parameters: dict[str, Any]) -> str:
    """Return the text under which a request is counted."""
    return json.dumps([messages, parameters], sort_keys=True)


class CountingServer:
    """Serves on a free port of the loopback interface.

    Attributes:
        asked: Messages and parameters of every request, as JSON text, in order of arrival.
        delay: Seconds that it takes to answer.
    """

    def __init__(self, delay: float = 0.0) -> None:
        self.asked: list[str] = []
        self.delay = delay
        server = self
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    server.asked.append(asked_text(body["messages"], body["parameters"]))
                time.sleep(server.delay)
                text = respond(body["messages"], body["parameters"])
                reply = json.dumps({"text": text}).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(reply)))
                    self.end_headers()
                    self.wfile.write(reply)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # whoever asked was killed

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self) -> CountingServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


def served(model: dict[str, Any], variable: str) -> dict[str, Any]:
    """Return a scripted respondent's registry entry with the server as its way to be asked."""
    entry = {key: value for key, value in model.items() if key != "callable"}
    return entry | {"endpoint_env": variable, "concurrency": 2}
