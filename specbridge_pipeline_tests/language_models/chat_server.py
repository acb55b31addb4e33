"""A real HTTP server that speaks the chat-completions API, counts what it is asked, and misbehaves.

The same server answers systems under test at `/system`, in the form of `endpoint_env`.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

INPUT_TOKENS = 10
OUTPUT_TOKENS = 5


@dataclass(frozen=True)
class Answer:
    """What the server sends back.

    Attributes:
        body: The body, in full.
        status: HTTP status.
        gate: Where given, the answer is held until it is set.
    """

    body: bytes
    status: int = 200
    gate: threading.Event | None = None


@dataclass(frozen=True)
class Asked:
    """One request that arrived.

    Attributes:
        path: Its path.
        body: Its JSON body.
        headers: Its headers, by name in lower case.
    """

    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def question(self) -> str:
        """The last message of the conversation."""
        return str(self.body["messages"][-1]["content"])


def says(text: Any, *, finish_reason: str = "stop", **others: Any) -> Answer:
    """Return a well-formed completion."""
    return Answer(
        json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": text},
                        "finish_reason": finish_reason,
                    }
                ],
                "usage": {
                    "prompt_tokens": INPUT_TOKENS,
                    "completion_tokens": OUTPUT_TOKENS,
                    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
                },
                **others,
            }
        ).encode()
    )


def refuses(status: int, message: str = "no") -> Answer:
    """Return an error in the API's form."""
    error = {"error": {"message": message, "type": "error", "code": str(status)}}
    return Answer(json.dumps(error).encode(), status)


@dataclass
class ChatServer:
    """The server under its address.

    Attributes:
        asked: All requests, in the order of their arrival.
        script: Answers by question; each is given once, the last one for ever.
        before_answer: Called with each request before it is answered.
        after_answer: Called with each request when its answer has been sent.
    """

    asked: list[Asked] = field(default_factory=list)
    script: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))
    before_answer: Callable[[Asked], None] = lambda asked: None
    after_answer: Callable[[Asked], None] = lambda asked: None

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: Any) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.path, body, headers)
                answer = server._answer(asked)
                server.before_answer(asked)
                if answer.gate is not None:
                    answer.gate.wait(60)
                # The client may have been killed, or have lost its patience.
                with suppress(OSError):
                    self.send_response(answer.status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)
                server.after_answer(asked)

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop listening."""
        self._http.shutdown()
        self._http.server_close()

    @property
    def address(self) -> str:
        """Address of the chat-completions API."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def system_address(self) -> str:
        """Address of the system under test."""
        return f"http://127.0.0.1:{self._http.server_port}/system"

    @property
    def questions(self) -> list[str]:
        """The questions, in the order of their arrival."""
        with self._lock:
            return [asked.question for asked in self.asked]

    def count(self, question: str) -> int:
        """Return how often a question was asked."""
        return self.questions.count(question)

    def _answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            planned = self.script.get(asked.question)
            if planned:
                return planned.pop(0) if len(planned) > 1 else planned[0]
        text = f"reply to {asked.question}"
        if asked.path == "/system":
            return Answer(json.dumps({"text": text}).encode())
        return says(text)
