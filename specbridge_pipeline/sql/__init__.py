"""Parsing, name binding and rewriting of SQL."""
