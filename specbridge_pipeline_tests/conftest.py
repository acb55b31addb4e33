"""The order of the tests: what takes minutes begins first, and no core waits at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

LONGEST = ("test_installed_wheel.py", "test_round_trip.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first, then those with slow tests, as they stand."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def turn(path: Path) -> int:
        return 0 if path.name in LONGEST else 1 if path in slow else 2

    items.sort(key=lambda item: turn(item.path))
