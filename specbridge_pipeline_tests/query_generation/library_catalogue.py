"""The library's catalogue by hand: a chain of references, parents without children, two children
of one parent whose values can be set against each other, two fees of one kind.
"""

from specbridge_pipeline.catalogue.model import Catalogue, Evidence, Relationship, Role
from specbridge_pipeline_tests.query_generation.shop_catalogue import column, table


def _refers(child, name, parent, childless):
    return Relationship(
        child, (name,), parent, ("id",), Evidence.DECLARED, 0, 0, childless, most_children=3
    )


def _fee(name, distinct):
    return column(name, Role.MEASURE, distinct=distinct, rows=12, summable=True, zero=5)


LIBRARY = Catalogue(
    "library",
    (
        table(
            "author",
            "author",
            "authors",
            5,
            ("id",),
            [
                column("id", Role.IDENTIFIER, distinct=5, rows=5, singular="author"),
                column("name", Role.FREE_TEXT, distinct=5, rows=5, text=True),
                column(
                    "country",
                    Role.CATEGORY,
                    distinct=3,
                    rows=5,
                    text=True,
                    plural="countries",
                ),
            ],
        ),
        table(
            "book",
            "book",
            "books",
            10,
            ("id",),
            [
                column("id", Role.IDENTIFIER, distinct=10, singular="book"),
                column("author_id", Role.IDENTIFIER, distinct=4, singular="author"),
                column("genre", Role.CATEGORY, distinct=3, text=True),
                column("pages", Role.MEASURE, distinct=10, high=500),
            ],
        ),
        table(
            "loan",
            "loan",
            "loans",
            12,
            ("id",),
            [
                column("id", Role.IDENTIFIER, distinct=12, rows=12, singular="loan"),
                column("book_id", Role.IDENTIFIER, distinct=7, rows=12, singular="book"),
                column("branch", Role.CATEGORY, distinct=3, rows=12, text=True, plural="branches"),
                column(
                    "days",
                    Role.MEASURE,
                    distinct=12,
                    rows=12,
                    high=35,
                    summable=True,
                    denominator=True,
                    singular="day",
                    plural="days",
                ),
                _fee("late_fee", 6),
                _fee("damage_fee", 4),
            ],
        ),
        table(
            "review",
            "review",
            "reviews",
            12,
            ("id",),
            [
                column("id", Role.IDENTIFIER, distinct=12, rows=12, singular="review"),
                column("book_id", Role.IDENTIFIER, distinct=7, rows=12, singular="book"),
                column("likes", Role.MEASURE, distinct=9, rows=12, high=9, summable=True),
            ],
        ),
    ),
    (
        _refers("book", "author_id", "author", 1),
        _refers("loan", "book_id", "book", 3),
        _refers("review", "book_id", "book", 3),
    ),
)
