"""Queries as they are described: their parts, and one order for those whose order means nothing."""
