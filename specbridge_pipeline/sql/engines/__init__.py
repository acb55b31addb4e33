"""What differs between the database engines, in one place an engine."""

from __future__ import annotations

from specbridge_pipeline.databases.engine import Engine
from specbridge_pipeline.sql.engines.duckdb import DUCKDB
from specbridge_pipeline.sql.engines.rules import EngineRules
from specbridge_pipeline.sql.engines.sqlite import SQLITE

_RULES = {rules.engine: rules for rules in (SQLITE, DUCKDB)}


def rules_of(engine: Engine) -> EngineRules:
    """Return what holds for an engine's SQL.

    Args:
        engine: The engine.
    """
    return _RULES[engine]
