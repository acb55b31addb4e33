"""Makes a database of many rows: sales of products in shops, the same in every run."""

from __future__ import annotations

import sqlite3
from pathlib import Path

_SHOPS, _PRODUCTS = 400, 1_500
_TABLES = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, category TEXT, maker TEXT);
CREATE TABLE sale (
  id INTEGER PRIMARY KEY,
  shop_id INTEGER REFERENCES shop (id),
  product_id INTEGER REFERENCES product (id),
  year INTEGER,
  channel TEXT,
  pieces INTEGER,
  amount REAL,
  discount REAL
);
"""
_COUNTED = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
_FILL = (
    (
        f"INSERT INTO shop {_COUNTED} SELECT i, 'shop ' || i, 'city ' || (i * 7 % 60), "
        "'country ' || (i * 7 % 60 % 11) FROM n",
        _SHOPS,
    ),
    (
        f"INSERT INTO product {_COUNTED} SELECT i, 'product ' || i, 'category ' || (i * 13 % 25), "
        "'maker ' || (i * 31 % 70) FROM n",
        _PRODUCTS,
    ),
)
# Products of large primes modulo others scatter as well as chance would, on every machine alike.
_SALES = f"""
INSERT INTO sale {_COUNTED} SELECT
  i,
  1 + (i * 7919 % 104729) % {_SHOPS},
  1 + (i * 104723 % 1299709) % {_PRODUCTS},
  2010 + i * 31 % 97 % 14,
  CASE i * 17 % 5 WHEN 0 THEN 'online' WHEN 1 THEN 'phone' ELSE 'shop' END,
  1 + i * 4243 % 9973 % 12,
  round((1 + i * 6421 % 99991) * (1 + i * 7919 % 104729 % {_SHOPS} % 5) / 100.0, 2),
  round(i * 2741 % 1009 / 50.0, 2)
FROM n
"""


def make_large_database(folder: Path, rows: int) -> Path:
    """Make the database, unless it is there.

    Args:
        folder: Where it lies.
        rows: Rows of its table of sales.

    Returns:
        The file.
    """
    path = folder / f"sales_{rows}.sqlite"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    connection = sqlite3.connect(unfinished)
    connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _TABLES)
    for statement, number in _FILL:
        connection.execute(statement, (number,))
    connection.execute(_SALES, (rows,))
    connection.commit()
    connection.close()
    return unfinished.rename(path)
