"""The subcommands of `specbridge study`, a module each."""
