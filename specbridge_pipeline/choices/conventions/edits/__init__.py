"""Edits of a query to the other side of a choice, and what they have to know of it."""
