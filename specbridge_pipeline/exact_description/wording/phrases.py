"""The phrases of a description, one for each thing, all in one place.

Together with `function_phrases` this is the vocabulary of docs/description_grammar.md: whoever
reads a description back needs these phrases and no other knowledge of how it is written.
"""

from __future__ import annotations

from specbridge_pipeline.exact_description.queries.model import Reading

COMPARED = {
    "=": "equals",
    "<>": "differs from",
    "<": "is less than",
    "<=": "is at most",
    ">": "is greater than",
    ">=": "is at least",
}
COMPARED_WITH_TEXT = {"=": "is exactly", "<>": "is anything but"}
COMPARED_IN_TIME = {
    "=": "is",
    "<>": "is not",
    "<": "is before",
    "<=": "is at or before",
    ">": "is after",
    ">=": "is at or after",
}
COLLATED = {
    "NOCASE": " (not telling capital letters A to Z from small ones)",
    "RTRIM": " (not counting spaces at the end)",
}
UNLIKE = " (of a text and a number, which are never equal, the number always counts as less)"
BOTH_ENDS = " (both included)"
BOTH_ENDS_OF_TEXT = " (both included; text is ordered by its character codes)"
ORDERED_TEXT = " (text is ordered by its character codes)"

COMBINED = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
OPERATIONS = {
    "%": "modulo",
    "&": "bitwise and",
    "|": "bitwise or",
    "<<": "shifted left by",
    ">>": "shifted right by",
    "->": "as a document at the path",
    "->>": "as a value at the path",
}
JOINED = "followed by"
DROPPED_FRACTION = ", dropping the fraction where both are whole numbers"
CONVERTED = {
    "integer": "converted to a whole number",
    "real": "converted to a real number",
    "number": "converted to a number",
    "text": "converted to text",
    "blob": "converted to a blob",
}
READ_AS = {
    Reading.NUMBER: "{0} read as a number",
    Reading.TEXT: "{0} read as text",
    Reading.BEGINNING: "the number in {0}",
}
STEP_READ_AS = {Reading.NUMBER: " read as numbers", Reading.TEXT: " read as text"}

MATCHED = {
    ("like", False): "matches the pattern",
    ("like", True): "does not match the pattern",
    ("glob", False): "matches the file pattern",
    ("glob", True): "does not match the file pattern",
    ("regexp", False): "matches the regular expression",
    ("regexp", True): "does not match the regular expression",
    ("match", False): "matches the search",
    ("match", True): "does not match the search",
}

RANKS = {
    "row_number": (
        "the number of the row among the {rows}{within} when they are numbered from 1 {order}; "
        "tied {rows} are numbered in any order"
    ),
    "rank": (
        "the place among the {rows}{within} when they are ordered {order}; tied {rows} share a "
        "place, and the places that they fill are not given again (1, 2, 2, 4)"
    ),
    "dense_rank": (
        "the place among the {rows}{within} when they are ordered {order}; tied {rows} share a "
        "place, and no place is left free (1, 2, 2, 3)"
    ),
    "percent_rank": (
        "the relative place, from 0 to 1, among the {rows}{within} when they are ordered {order}: "
        "the number of {rows} before the first tied one, divided by the number of all others"
    ),
    "cume_dist": (
        "the share of the {rows}{within} that come up to this one or are tied with it when they "
        "are ordered {order}"
    ),
    "ntile": (
        "the number of the part when the {rows}{within} are ordered {order} and cut into {0} "
        "parts as equal as can be, the larger ones first; tied {rows} are put in any order"
    ),
    "lag": "the value in the row {1} before this one among the {rows}{within}, ordered {order}, "
    "of {0}{default}",
    "lead": "the value in the row {1} after this one among the {rows}{within}, ordered {order}, "
    "of {0}{default}",
}
PICKS = {
    "first_value": "the value of {0} in the first of {frame}",
    "last_value": "the value of {0} in the last of {frame}",
    "nth_value": "the value of {0} in number {1} of {frame}, missing where there are fewer",
}
BOUNDS = {
    ("rows", "before"): "{0} rows before this one",
    ("rows", "this"): "this one",
    ("rows", "after"): "{0} rows after this one",
    ("range", "before"): "those whose key comes up to {0} before this one's",
    ("range", "this"): "those tied with this one",
    ("range", "after"): "those whose key comes up to {0} after this one's",
    ("groups", "before"): "those {0} groups of tied rows before this one's",
    ("groups", "this"): "those tied with this one",
    ("groups", "after"): "those {0} groups of tied rows after this one's",
}
EXCLUDED = {
    "row": ", without this one itself",
    "group": ", without this one and those tied with it",
    "ties": ", without those tied with this one",
}

IN_THE_SAME_WAY = "Matches are treated in the same way."

PUT_TOGETHER = {
    "union_all": "Add the rows of {name}; rows that are alike stay.",
    "union": "Add the rows of {name}, and keep rows that are alike only once.",
    "intersect": "Keep only those rows that {name} has too, alike ones only once.",
    "except": "Leave out the rows that {name} has, and keep alike ones only once.",
}

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
