"""Which side of each choice the references of benchmarks take, and where the words leave it open.

One module a choice type: what the choice is, where a reference takes a side of it, and, in a file
of the same name beside it, the words that settle it.
"""
