"""The shop's catalogue by hand, so that what a test shows depends on no rule that reads data."""

from specbridge_pipeline.catalogue.model import (
    Catalogue,
    CatalogueColumn,
    CatalogueTable,
    ColumnProfile,
    Dimension,
    Evidence,
    Quantity,
    Relationship,
    Role,
)


def column(
    name,
    role,
    *,
    distinct,
    missing=0,
    low=0,
    high=100,
    text=False,
    rows=10,
    phrase=None,
    singular=None,
    plural=None,
    summable=False,
    denominator=False,
    negative=0,
    zero=0,
    quantity=Quantity.COUNT,
    per=None,
    unit="",
):
    """Return a column; a number unless it is said to be text, and a count where it is measured."""
    phrase = phrase or name.replace("_", " ")
    filled = rows - missing
    return CatalogueColumn(
        name=name,
        declared_type="TEXT" if text else "INTEGER",
        role=role,
        role_evidence=Evidence.DECLARED,
        phrase=phrase,
        singular=singular or phrase,
        plural=plural or f"{singular or phrase}s",
        unit=unit,
        summable=summable,
        denominator=denominator,
        meaning="",
        profile=ColumnProfile(
            missing=missing,
            distinct=distinct,
            minimum=str(low) if text else low,
            maximum=str(high) if text else high,
            integers=0 if text else filled,
            reals=0,
            texts=filled if text else 0,
            negative=negative,
            zero=zero,
        ),
        dimension=Dimension(quantity, per=per) if role is Role.MEASURE else None,
    )


def table(name, singular, plural, rows, key, columns):
    """Return a table."""
    return CatalogueTable(name, rows, singular, plural, key, Evidence.DECLARED, tuple(columns))


SHOP = Catalogue(
    "shop",
    (
        table(
            "customer",
            "customer",
            "customers",
            5,
            ("id",),
            [
                column("id", Role.IDENTIFIER, distinct=5, rows=5, singular="customer"),
                column("name", Role.FREE_TEXT, distinct=5, rows=5, text=True),
                column(
                    "city",
                    Role.CATEGORY,
                    distinct=2,
                    missing=1,
                    rows=5,
                    text=True,
                    plural="cities",
                ),
            ],
        ),
        table(
            "purchase",
            "purchase",
            "purchases",
            10,
            ("id",),
            [
                column("id", Role.IDENTIFIER, distinct=10, singular="purchase"),
                column("customer_id", Role.IDENTIFIER, distinct=5, singular="customer"),
                column("product", Role.CATEGORY, distinct=3, text=True),
                column("amount", Role.MEASURE, distinct=8, summable=True, quantity=Quantity.MONEY),
                column(
                    "pieces",
                    Role.MEASURE,
                    distinct=4,
                    missing=1,
                    summable=True,
                    denominator=True,
                    high=4,
                    singular="piece",
                    plural="pieces",
                ),
            ],
        ),
    ),
    (
        Relationship(
            child="purchase",
            child_columns=("customer_id",),
            parent="customer",
            parent_columns=("id",),
            evidence=Evidence.DECLARED,
            unmatched_children=0,
            missing_children=0,
            childless_parents=0,
            most_children=3,
        ),
    ),
)
