"""A parser of queries as SQLite reads them: nothing is rewritten, dropped or re-bound."""
