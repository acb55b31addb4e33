"""Request sets: their form, the editions that hold them, and the checks that they pass."""
