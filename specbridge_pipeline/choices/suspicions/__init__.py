"""What hardly anyone means by a query, found without any question: one module a kind.

`registry.suspicions` looks for all of them. A kind is a module with a `DETECTOR`, its entry in the
registry and its file of cases.
"""
