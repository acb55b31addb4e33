"""Databases of a few rows that a test writes out, catalogued by their data."""

from __future__ import annotations

from pathlib import Path

import apsw

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.catalogue.model import Catalogue
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline_tests.support.in_process_engine import Runner, runner_on


def write_database(path: Path, script: str) -> None:
    """Write a database file from an SQL script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute(script)
    connection.close()


def catalogued(folder: Path, name: str, script: str) -> tuple[Catalogue, Runner]:
    """Write a database, and return its catalogue and how a query is run on it."""
    path = folder / f"{name}.sqlite"
    write_database(path, script)
    with QueryRunner(workers=1) as runner:
        schema = runner.read_schema(path)
    run = runner_on(apsw.Connection(str(path)))
    return build_catalogue(name, schema, run), run


SALES = """
CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, shop_name TEXT, city TEXT);
CREATE TABLE sale (
  sale_id INTEGER PRIMARY KEY,
  shop_id INTEGER REFERENCES shop (shop_id),
  month TEXT,
  amount REAL,
  cost REAL
);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO shop
SELECT i, 'Shop ' || char(64 + i), CASE i % 4 WHEN 0 THEN 'Oslo' WHEN 1 THEN 'Bergen'
  WHEN 2 THEN 'Hamar' ELSE 'Moss' END FROM n;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)
INSERT INTO sale
SELECT i, 1 + (i * i + i / 5) % 12, CASE (i * 7) % 5 WHEN 0 THEN 'May' WHEN 1 THEN 'June'
  WHEN 2 THEN 'July' WHEN 3 THEN 'March' ELSE 'April' END,
  10.0 + (i * 37 + (i * i) % 101) % 211, 5.0 + (i * 17 + (i * i) % 23) % 89 FROM n;
"""
"""Sales of shops: enough rows for groups, joins, shares and comparisons."""
