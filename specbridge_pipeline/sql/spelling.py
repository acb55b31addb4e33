"""What of a query's tree is spelling alone: two spellings of a query get one tree."""

from __future__ import annotations

from sqlglot import exp


def without_spelling(tree: exp.Expr) -> None:
    """Take comments, the case and quotation of names, INNER and needless parentheses out of a tree.

    Args:
        tree: The tree, which is changed. Parentheses around the whole of it stay.
    """
    for node in list(tree.walk()):
        node.comments = None
        if isinstance(node, exp.Identifier):
            node.set("this", node.this.lower())
            node.set("quoted", False)
        elif isinstance(node, exp.Join) and node.kind == "INNER":
            node.set("kind", None)
    for node in list(tree.find_all(exp.Paren)):
        inner: exp.Expr = node
        while isinstance(inner, exp.Paren):
            inner = inner.this
        node.replace(inner)
