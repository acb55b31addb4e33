from specbridge_pipeline_tests.support.in_process_engine import make_duckdb_runner, make_runner

__all__ = ["make_duckdb_runner", "make_runner"]
