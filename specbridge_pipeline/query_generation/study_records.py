"""The stored form of what the studies of generation count."""

from __future__ import annotations

from specbridge_pipeline.records.schemas import FrameSchema

REGISTERED = "registered"
"""The source of databases of the project's registry; of others it is the name of the folder that
holds them, which is that of their benchmark."""

GENERATION_ABLATION = FrameSchema(
    name="generation_ablation",
    version=1,
    columns={
        "source": "text",
        "database": "text",
        "configuration": "text",
        "seed": "integer",
        "attempt_class": "text",
        "attempts": "integer",
    },
    key=("source", "database", "configuration", "seed", "attempt_class"),
)
"""One row a class of attempts of a configuration (`all`, `without_…`, `none`) with a seed."""

CONSTRUCTION_COUNTS = FrameSchema(
    name="construction_counts",
    version=1,
    columns={
        "source": "text",
        "database": "text",
        "queries": "integer",
        "delivered": "integer",
        "constructions": "integer",
        "taken_back": "integer",
        "distinct": "integer",
        "sound": "integer",
        "faults": "texts",
        "shortfalls": "texts",
    },
    key=(
        "source",
        "database",
    ),
)
"""One row a database: queries asked for and delivered; constructions tried, and steps taken back in
them; how many of the delivered statements differ; how many pass the second look (`sound`), with
what it found wrong (`faults`); and why requests were given up (`shortfalls`)."""
