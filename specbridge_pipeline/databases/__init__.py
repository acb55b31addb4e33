"""Databases: registry, samples, engines, and the sandboxed workers that run SQL on them."""
