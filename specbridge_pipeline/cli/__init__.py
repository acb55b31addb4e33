"""The `specbridge` command, one module a subcommand."""
