"""`python -m specbridge_pipeline.cli`: the command where no script is installed."""

from specbridge_pipeline.cli.main import main

main()
