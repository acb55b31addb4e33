"""A real model's replies, recorded: given again to whoever asks for what they were asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

RECORDED = Path(__file__).parents[1] / "fixtures" / "recorded_construction.yaml"


def respond(messages: list[dict[str, Any]], parameters: dict[str, Any]) -> str:
    """Give the recorded reply to a prompt, or to its repair turn.

    Args:
        messages: The conversation; a reply belongs to the prompt that has all its words of `about`.
        parameters: `file`, where the recording is another one than the shipped one.

    Raises:
        AssertionError: Not exactly one recorded prompt fits, or it has no such turn.
    """
    prompt = messages[0]["content"]
    recorded = yaml.safe_load(Path(parameters.get("file", RECORDED)).read_text("utf-8"))
    fitting = [each for each in recorded if all(words in prompt for words in each["about"])]
    assert len(fitting) == 1, f"{len(fitting)} recorded prompts fit: {prompt[-400:]}"
    turn = sum(message["role"] == "assistant" for message in messages)
    return str(fitting[0]["replies"][turn])
