"""Review of request sets by people: what is reviewed, what they decide, what becomes of it."""
