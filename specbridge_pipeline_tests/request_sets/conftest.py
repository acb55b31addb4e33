from specbridge_pipeline_tests.support.sample_databases import run_on

__all__ = ["run_on"]
