from __future__ import annotations

import logging
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specbridge_pipeline.errors import (
    BudgetExhaustedError,
    ConfigurationError,
    MissingRepliesError,
    ModelUnavailableError,
)
from specbridge_pipeline.language_models.archive import ResponseArchive
from specbridge_pipeline.language_models.gateway import ATTEMPTS, Gateway
from specbridge_pipeline.language_models.registry import ModelEntry, Price
from specbridge_pipeline.language_models.requests import ModelReply, ModelRequest
from specbridge_pipeline.progress import Task
from specbridge_pipeline.settings import Budget, Mode
from specbridge_pipeline_tests.language_models.chat_server import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Answer,
    ChatServer,
    refuses,
    says,
)

Ask = Callable[..., ModelRequest]
Reply = Callable[..., ModelReply]
MakeGateway = Callable[..., Gateway]

# litellm's own, about its models of replies that are not what they should be.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pydantic")


# ---- what is asked, and what is not -----------------------------------------------------------


def test_replay_names_all_that_is_missing_once_and_asks_nothing(
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
    reply_to: Reply,
) -> None:
    requests = [ask_for(str(number)) for number in range(4)]
    archive.put(requests[1], reply_to(requests[1]))
    with pytest.raises(MissingRepliesError) as caught:
        gateway(Mode.REPLAY).ask(entry, [*requests, requests[0]], where="responses of m")
    assert caught.value.keys == (requests[0].key, requests[2].key, requests[3].key)
    assert "responses of m" in str(caught.value)
    assert server.asked == []


def test_replay_needs_no_address_and_no_key(
    archive: ResponseArchive, gateway: MakeGateway, ask_for: Ask, reply_to: Reply
) -> None:
    entry = ModelEntry(id="m", model="openai/m", api_base_env="UNSET", api_key_env="UNSET_TOO")
    request = ask_for("How many?")
    archive.put(request, reply_to(request, "42"))
    assert gateway(Mode.REPLAY).ask(entry, [request], where="")[0].text == "42"


def test_replies_come_in_the_order_of_requests_and_are_archived(
    archive: ResponseArchive, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    requests = [ask_for(str(number)) for number in range(9)]
    replies = gateway().ask(entry, requests, where="")
    assert [reply.text for reply in replies] == [f"reply to {number}" for number in range(9)]
    assert [archive.get(request.key) for request in requests] == replies
    assert archive.claims() == 0


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.LIVE])
def test_only_what_is_missing_is_asked(
    mode: Mode,
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
    reply_to: Reply,
) -> None:
    old, new = ask_for("old"), ask_for("new")
    archive.put(old, reply_to(old, "archived"))
    replies = gateway(mode).ask(entry, [old, new, new, old], where="")
    assert [r.text for r in replies] == ["archived", "reply to new", "reply to new", "archived"]
    assert server.questions == ["new"]
    gateway(mode).ask(entry, [new, old], where="")
    assert server.questions == ["new"]


def test_samples_and_rounds_are_requests_of_their_own(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    requests = [
        ask_for("q"),
        ask_for("q", sample_index=1),
        ask_for("q", round="2026-10-03"),
    ]
    gateway().ask(entry, requests, where="")
    assert server.count("q") == 3


def test_gateways_of_one_process_that_want_the_same_reply_ask_once(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    requests = [ask_for(str(number)) for number in range(4)]
    texts: list[list[str]] = []

    def ask() -> None:
        texts.append([reply.text for reply in gateway().ask(entry, requests, where="")])

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [[f"reply to {number}" for number in range(4)]] * 3
    assert sorted(server.questions) == list("0123")


def test_nothing_asked_is_nothing_returned(entry: ModelEntry, gateway: MakeGateway) -> None:
    assert gateway(Mode.REPLAY).ask(entry, [], where="") == []
    assert gateway(Mode.LIVE).ask(entry, [], where="") == []


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.LIVE])
@pytest.mark.parametrize(
    "way",
    [
        {"model": "openai/m", "api_base_env": "SPECBRIDGE_TEST_UNSET"},
        {"model": "openai/m", "api_key_env": "SPECBRIDGE_TEST_UNSET"},
        {"endpoint_env": "SPECBRIDGE_TEST_UNSET"},
    ],
)
def test_an_unset_environment_variable_is_named(
    mode: Mode,
    way: dict[str, Any],
    archive: ResponseArchive,
    gateway: MakeGateway,
    ask_for: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SPECBRIDGE_TEST_UNSET", raising=False)
    entry = ModelEntry(id="m", **way)
    with pytest.raises(ModelUnavailableError, match="SPECBRIDGE_TEST_UNSET is not set"):
        gateway(mode).ask(entry, [ask_for("q")], where="")
    assert archive.claims() == 0


def test_parameters_key_and_schema_reach_the_server_and_no_secret_the_archive(
    server: ChatServer,
    archive: ResponseArchive,
    archive_path: Path,
    gateway: MakeGateway,
    ask_for: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPECBRIDGE_TEST_KEY", "sk-secret-of-mine")
    monkeypatch.setenv("SPECBRIDGE_TEST_ADDRESS", server.address)
    entry = ModelEntry(
        id="m",
        model="openai/m",
        api_base="http://127.0.0.1:9/v1",
        api_base_env="SPECBRIDGE_TEST_ADDRESS",
        api_key_env="SPECBRIDGE_TEST_KEY",
    )
    schema = {"type": "object", "properties": {"sql": {"type": "string"}}}
    request = ask_for(
        "q",
        parameters={"temperature": 0.5, "seed": 7, "max_tokens": 9, "extra_body": {"top_k": 1}},
        response_schema=schema,
    )
    gateway().ask(entry, [request], where="")
    (asked,) = server.asked
    assert asked.headers["authorization"] == "Bearer sk-secret-of-mine"
    sent = {name: asked.body[name] for name in ("temperature", "seed", "max_tokens", "top_k")}
    assert sent == {"temperature": 0.5, "seed": 7, "max_tokens": 9, "top_k": 1}
    assert asked.body["response_format"]["json_schema"]["schema"] == schema
    stored = b"".join(path.read_bytes() for path in archive_path.parent.iterdir())
    assert b"reply to q" in stored
    assert b"sk-secret-of-mine" not in stored
    assert server.address.encode() not in stored


def test_a_server_that_is_only_asked_for_json_gets_no_schema(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    asked_in_words = entry.model_copy(update={"structured_output": "text"})
    gateway().ask(asked_in_words, [ask_for("q", response_schema={"type": "object"})], where="")
    assert "response_format" not in server.asked[0].body


def test_progress_is_told_of_every_reply(
    archive: ResponseArchive, entry: ModelEntry, ask_for: Ask
) -> None:
    class Counter:
        total = done = 0

        @contextmanager
        def task(self, description: str, total: int) -> Iterator[Task]:
            self.total += total
            yield self

        def advance(self, count: int = 1) -> None:
            self.done += count

    progress = Counter()
    gateway = Gateway(archive, mode=Mode.AUTO, budget=Budget(), progress=progress)
    gateway.ask(entry, [ask_for("1"), ask_for("2")], where="")
    assert (progress.total, progress.done) == (2, 2)


# ---- failures ---------------------------------------------------------------------------------

TRANSIENT = {
    "429": refuses(429),
    "500": refuses(500),
    "502": refuses(502),
    "503": refuses(503),
    "529, overloaded": refuses(529),
    "408": refuses(408),
    "garbage": Answer(b"<html>garbage</html>"),
    "bytes that are no text": Answer(b"\xff\xfe\x00"),
    "nothing": Answer(b""),
    "half a reply": Answer(says("x").body[:40]),
    "no choices": Answer(b'{"choices": []}'),
    "an error in a reply's clothes": Answer(b'{"error": {"message": "slow down", "code": 429}}'),
    "content that is no text": says({"sql": "SELECT 1"}),
    "nested too deeply": Answer(b"[" * 100_000),
    "usage limit as a reply": says("Claude usage limit reached. Your limit resets at 3pm."),
    "usage limit as JSON": says('{"error": {"message": "Rate limit reached for m"}}'),
    "usage limit as a bad request": refuses(400, "Your credit balance is too low"),
    "limit hit": says("You've hit your usage limit"),
    "quota": says("You exceeded your current quota, please check your plan."),
}


@pytest.mark.parametrize("failure", TRANSIENT.values(), ids=TRANSIENT)
def test_transient_failures_are_retried_and_never_become_answers(
    failure: Answer,
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    server.script["q"] = [failure, failure, says("42")]
    (reply,) = gateway().ask(entry, [ask_for("q")], where="")
    assert reply.text == "42"
    assert server.count("q") == 3

    server.script["hopeless"] = [failure]
    request = ask_for("hopeless")
    with pytest.raises(ModelUnavailableError, match=f"no reply after {ATTEMPTS} attempts"):
        gateway().ask(entry, [request], where="responses of m")
    assert server.count("hopeless") == ATTEMPTS
    assert archive.get(request.key) is None
    assert archive.claims() == 0


def test_a_slow_server_is_given_up_and_asked_again(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    never = threading.Event()
    server.script["q"] = [replace(says("late"), gate=never), says("in time")]
    impatient = entry.model_copy(update={"timeout_seconds": 0.3})
    assert gateway().ask(impatient, [ask_for("q")], where="")[0].text == "in time"
    assert server.count("q") == 2
    never.set()


def test_a_server_that_is_not_there(
    archive: ResponseArchive, gateway: MakeGateway, ask_for: Ask
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        entry = ModelEntry(id="m", model="openai/m", api_base=f"http://127.0.0.1:{port}/v1")
        request = ask_for("q")
        with pytest.raises(ModelUnavailableError, match=f"after {ATTEMPTS} attempts") as caught:
            gateway().ask(entry, [request], where="responses of m")
    assert "model m" in str(caught.value)
    assert archive.get(request.key) is None
    assert archive.claims() == 0


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_final(
    status: int,
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    server.script["q"] = [refuses(status, "not like this")]
    request = ask_for("q")
    with pytest.raises(ModelUnavailableError, match="model m") as caught:
        gateway().ask(entry, [request], where="")
    assert "models.yaml" in str(caught.value)
    assert server.count("q") == 1
    assert archive.get(request.key) is None
    assert archive.claims() == 0


def test_what_was_answered_before_a_failure_is_kept(
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    requests = [ask_for(question) for question in ("1", "2", "refused", "4", "5")]
    server.script["refused"] = [refuses(401)]
    one_by_one = entry.model_copy(update={"concurrency": 1})
    with pytest.raises(ModelUnavailableError):
        gateway().ask(one_by_one, requests, where="")
    assert server.questions == ["1", "2", "refused"]
    assert archive.missing(request.key for request in requests) == [r.key for r in requests[2:]]

    server.script["refused"] = [says("now")]
    gateway().ask(one_by_one, requests, where="")
    assert server.questions == ["1", "2", "refused", "refused", "4", "5"]


def test_no_call_is_repeated_after_another_failed_for_good(
    server: ChatServer, archive: ResponseArchive, entry: ModelEntry, ask_for: Ask
) -> None:
    tried = threading.Event()
    server.script["busy"] = [refuses(429)]
    server.script["refused"] = [replace(refuses(401, "not with this key"), gate=tried)]
    server.after_answer = lambda asked: tried.set() if asked.question == "busy" else None
    # Were the pause waited out, this test would take minutes.
    gateway = Gateway(archive, mode=Mode.AUTO, budget=Budget(), pause_seconds=50)
    with pytest.raises(ModelUnavailableError, match="not with this key"):
        gateway.ask(entry, [ask_for("busy"), ask_for("refused")], where="")
    assert server.count("busy") == 1
    assert archive.claims() == 0


def test_a_failure_does_not_wait_for_requests_that_others_claim(
    server: ChatServer,
    archive_path: Path,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    server.script["refused"] = [refuses(401, "not with this key")]
    claimed = ask_for("claimed")
    with ResponseArchive(archive_path) as other:
        assert other.claim(claimed.key)
        # Were the claim waited for, this test would take a quarter of an hour.
        with pytest.raises(ModelUnavailableError, match="not with this key"):
            gateway().ask(entry, [claimed, ask_for("refused")], where="")
    assert server.count("claimed") == 0


def test_retries_are_logged_without_the_secret(
    server: ChatServer,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("SPECBRIDGE_TEST_KEY", "sk-secret-of-mine")
    server.script["q"] = [refuses(500, "boom"), says("42")]
    with caplog.at_level(logging.WARNING):
        gateway().ask(
            entry.model_copy(update={"api_key_env": "SPECBRIDGE_TEST_KEY"}),
            [ask_for("q")],
            where="",
        )
    assert "m: attempt 1 failed" in caplog.text
    assert "sk-secret-of-mine" not in caplog.text


def test_replies_that_no_file_could_hold_are_stored_all_the_same(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    # Half a surrogate pair, which JSON can spell, and a count beyond 64 bits.
    usage = {"prompt_tokens": 2**70, "completion_tokens": 5, "total_tokens": 5}
    server.script["q"] = [says("SELECT '\ud83d'", usage=usage)]
    (reply,) = gateway().ask(entry, [ask_for("q")], where="")
    assert reply.text == "SELECT '\N{REPLACEMENT CHARACTER}'"
    assert (reply.input_tokens, reply.output_tokens) == (None, 5)


def test_empty_and_cut_off_replies_are_the_models_own(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    server.script["empty"] = [says(None)]
    server.script["cut off"] = [says("SELECT", finish_reason="length")]
    empty, cut = gateway().ask(entry, [ask_for("empty"), ask_for("cut off")], where="")
    assert (empty.text, empty.finish_reason) == ("", "stop")
    assert (cut.text, cut.finish_reason) == ("SELECT", "length")
    assert len(server.asked) == 2


# ---- budget -----------------------------------------------------------------------------------


def test_more_calls_than_allowed_are_refused_before_the_first(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    asking = gateway(calls=3)
    with pytest.raises(BudgetExhaustedError, match="4 more calls"):
        asking.ask(entry, [ask_for(str(number)) for number in range(4)], where="responses of m")
    assert server.asked == []
    asking.ask(entry, [ask_for(str(number)) for number in range(3)], where="")
    with pytest.raises(BudgetExhaustedError):
        asking.ask(entry, [ask_for("one more")], where="")
    assert len(server.asked) == 3


def test_archived_replies_cost_nothing(
    archive: ResponseArchive, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask, reply_to: Reply
) -> None:
    request = ask_for("q")
    archive.put(request, reply_to(request))
    assert gateway(calls=0).ask(entry, [request] * 3, where="") == [reply_to(request)] * 3


def test_retries_count_and_stop_at_the_cap(
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    requests = [ask_for(question) for question in ("1", "2", "failing")]
    server.script["failing"] = [refuses(500)]
    with pytest.raises(BudgetExhaustedError, match="no call is left"):
        gateway(calls=5).ask(entry.model_copy(update={"concurrency": 1}), requests, where="")
    assert server.questions == ["1", "2", "failing", "failing", "failing"]
    assert archive.missing(r.key for r in requests) == [requests[2].key]
    assert archive.claims() == 0


def test_cost_is_counted_by_the_registrys_price(
    entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    asking = gateway()
    priced = entry.model_copy(update={"price": Price(input=2, output=40)})
    (reply,) = asking.ask(priced, [ask_for("q")], where="")
    cost = (INPUT_TOKENS * 2 + OUTPUT_TOKENS * 40) / 1e6
    assert reply.cost_usd == pytest.approx(cost)
    assert (reply.input_tokens, reply.output_tokens) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert asking.spending.cost_usd == pytest.approx(cost)
    assert asking.spending.calls == 1


def test_a_planned_cost_beyond_the_cap_is_refused_before_the_first_call(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    dear = entry.model_copy(update={"price": Price(input=0, output=1e6)})
    request = ask_for("q", parameters={"max_tokens": 100})
    with pytest.raises(BudgetExhaustedError, match=r"\$100\.00"):
        gateway(cost_usd=99.0).ask(dear, [request], where="")
    assert server.asked == []


def test_asking_stops_when_the_money_is_used_up_and_keeps_what_it_has(
    server: ChatServer,
    archive: ResponseArchive,
    entry: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    # Planned at one token a reply, billed at five: $5 a call.
    dear = entry.model_copy(update={"price": Price(input=0, output=1e6), "concurrency": 1})
    requests = [ask_for(str(number), parameters={"max_tokens": 1}) for number in range(8)]
    with pytest.raises(BudgetExhaustedError, match="money is used up") as caught:
        gateway(cost_usd=12.0).ask(dear, requests, where="responses of m")
    assert "responses of m" in str(caught.value)
    assert server.questions == ["0", "1", "2"]
    assert archive.missing(r.key for r in requests) == [r.key for r in requests[3:]]
    assert archive.claims() == 0


def test_no_call_begins_after_the_time_is_used_up(
    server: ChatServer, entry: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    with pytest.raises(BudgetExhaustedError, match="time is used up"):
        gateway(hours=1e-9).ask(entry, [ask_for("q")], where="")
    assert server.asked == []


# ---- systems under test -----------------------------------------------------------------------


def a_system(messages: list[dict[str, str]], parameters: dict[str, Any]) -> str:
    return f"{messages[-1]['content']} at {parameters['temperature']}"


def a_limited_system(messages: list[dict[str, str]], parameters: dict[str, Any]) -> str:
    return "usage limit reached"


def a_failing_system(messages: list[dict[str, str]], parameters: dict[str, Any]) -> str:
    raise KeyError("no such table")


def an_unreachable_system(messages: list[dict[str, str]], parameters: dict[str, Any]) -> str:
    raise ConnectionRefusedError


def a_silent_system(messages: list[dict[str, str]], parameters: dict[str, Any]) -> None:
    return None


NO_SYSTEM = "text"


def python_system(name: str) -> ModelEntry:
    return ModelEntry(id="assistant", callable=f"{__name__}:{name}")


def test_a_python_callable_is_asked_like_a_model(
    archive: ResponseArchive,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    entry = python_system("a_system")
    request = ask_for("How many?", model=entry.identity)
    (reply,) = gateway().ask(entry, [request], where="")
    assert reply.text == "How many? at 0"
    assert archive.get(request.key) == reply


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("a_limited_system", f"after {ATTEMPTS} attempts"),
        ("an_unreachable_system", f"after {ATTEMPTS} attempts"),
        ("a_failing_system", "KeyError.*no such table"),
        ("a_silent_system", "NoneType"),
    ],
)
def test_a_callable_that_fails_is_no_answer(
    system: str,
    message: str,
    archive: ResponseArchive,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    request = ask_for("q")
    with pytest.raises(ModelUnavailableError, match=message) as caught:
        gateway().ask(python_system(system), [request], where="")
    assert "model assistant" in str(caught.value)
    assert archive.get(request.key) is None
    assert archive.claims() == 0


@pytest.mark.parametrize(
    "name",
    [
        "no_such_module_here:answer",
        f"{__name__}:nothing",
        f"{__name__}:NO_SYSTEM",
        __name__,
        ".relative:answer",
        ":answer",
    ],
)
def test_a_callable_that_cannot_be_imported_is_a_fault_of_the_registry(
    name: str,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    entry = python_system("a_system").model_copy(update={"callable": name})
    with pytest.raises(ConfigurationError, match=re.escape(f"'{name}' of model 'assistant'")):
        gateway().ask(entry, [ask_for("q")], where="")


@pytest.fixture
def endpoint(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> ModelEntry:
    monkeypatch.setenv("SPECBRIDGE_TEST_SYSTEM", server.system_address)
    monkeypatch.setenv("SPECBRIDGE_TEST_KEY", "sk-secret-of-mine")
    return ModelEntry(
        id="assistant", endpoint_env="SPECBRIDGE_TEST_SYSTEM", api_key_env="SPECBRIDGE_TEST_KEY"
    )


def test_an_endpoint_is_asked_like_a_model(
    server: ChatServer, endpoint: ModelEntry, gateway: MakeGateway, ask_for: Ask
) -> None:
    schema = {"type": "object"}
    request = ask_for("q", model=endpoint.identity, response_schema=schema)
    (reply,) = gateway().ask(endpoint, [request], where="")
    assert reply.text == "reply to q"
    (asked,) = server.asked
    assert asked.body == {
        "messages": [{"role": "user", "content": "q"}],
        "parameters": {"temperature": 0},
        "response_schema": schema,
    }
    assert asked.headers["authorization"] == "Bearer sk-secret-of-mine"


@pytest.mark.parametrize(
    "failure",
    [
        Answer(b"", 429),
        Answer(b"", 503),
        Answer(b"", 408),
        Answer(b'{"text": "Usage limit reached"}'),
    ],
)
def test_transient_failures_of_an_endpoint_are_retried(
    failure: Answer,
    server: ChatServer,
    endpoint: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    server.script["q"] = [failure, failure, Answer(b'{"text": "42"}')]
    assert gateway().ask(endpoint, [ask_for("q")], where="")[0].text == "42"
    assert server.count("q") == 3


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"", 401),
        Answer(b"", 404),
        Answer(b"garbage"),
        Answer(b"[1, 2]"),
        Answer(b"null"),
        Answer(b'{"answer": "42"}'),
        Answer(b'{"text": null}'),
        Answer(b'{"text": {"sql": "SELECT 1"}}'),
        Answer(b"[" * 100_000),
    ],
)
def test_an_endpoint_that_answers_in_another_form_is_no_answer(
    answer: Answer,
    server: ChatServer,
    archive: ResponseArchive,
    endpoint: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
) -> None:
    server.script["q"] = [answer]
    request = ask_for("q")
    with pytest.raises(ModelUnavailableError, match="model assistant"):
        gateway().ask(endpoint, [request], where="")
    assert server.count("q") == 1
    assert archive.get(request.key) is None
    assert archive.claims() == 0


@pytest.mark.parametrize("address", ["no address", "ftp://127.0.0.1/", "http://[::1", "http://"])
def test_an_endpoint_without_an_http_address_is_named_by_its_variable(
    address: str,
    endpoint: ModelEntry,
    gateway: MakeGateway,
    ask_for: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPECBRIDGE_TEST_SYSTEM", address)
    with pytest.raises(ModelUnavailableError, match="SPECBRIDGE_TEST_SYSTEM"):
        gateway().ask(endpoint, [ask_for("q")], where="")


# ---- what importing costs ---------------------------------------------------------------------


def test_litellm_is_imported_only_when_a_model_is_asked() -> None:
    script = (
        "import sys, specbridge_pipeline.language_models.gateway, "
        "specbridge_pipeline.language_models.structured, "
        "specbridge_pipeline.language_models.recordings; "
        "assert 'litellm' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=dict(os.environ))
