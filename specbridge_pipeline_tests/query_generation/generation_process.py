"""Prints what is generated on the clinic; run by a test under different hash seeds."""

import sys
from pathlib import Path

from specbridge_pipeline.catalogue.building import build_catalogue
from specbridge_pipeline.databases.runner import QueryRunner
from specbridge_pipeline.query_generation.generation import generate, generation_rows
from specbridge_pipeline.query_generation.requests import draft_requests
from specbridge_pipeline.records.canonical import canonical_json

if __name__ == "__main__":
    path = Path(sys.argv[1])
    with QueryRunner(workers=1) as runner:

        def run(sql):
            return runner.run(path, sql)

        catalogue = build_catalogue("clinic", runner.read_schema(path), run)
        requests = draft_requests(9, 6, 1, catalogue)
        for row in generation_rows("clinic", generate(catalogue, run, requests=requests, seed=1)):
            print(canonical_json(row))
