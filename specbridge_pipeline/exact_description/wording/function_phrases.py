"""The phrases of functions of values, one place for all of them.

A template's places are the arguments in order; `{all}` is the list of all arguments, from the
place that the list begins with on. A function that is not here cannot be described.
"""

from __future__ import annotations

from specbridge_pipeline.exact_description.interpreting.affinity import Nature

FUNCTION_PHRASES: dict[tuple[str, int], str] = {
    ("abs", 1): "the absolute value of {0}",
    ("round", 1): "{0} rounded to 0 decimals",
    ("round", 2): "{0} rounded to {1} decimals",
    ("ceil", 1): "{0} rounded up to a whole number",
    ("floor", 1): "{0} rounded down to a whole number",
    ("trunc", 1): "{0} cut to a whole number",
    ("sign", 1): "the sign of {0} (-1, 0 or 1)",
    ("sqrt", 1): "the square root of {0}",
    ("power", 2): "{0} to the power of {1}",
    ("exp", 1): "the exponential of {0}",
    ("ln", 1): "the natural logarithm of {0}",
    ("log", 1): "the decimal logarithm of {0}",
    ("log", 2): "the logarithm to the base {0} of {1}",
    ("log10", 1): "the decimal logarithm of {0}",
    ("log2", 1): "the binary logarithm of {0}",
    ("mod", 2): "the remainder, with its fraction, of {0} by {1}",
    ("pi", 0): "the number pi",
    ("sin", 1): "the sine of {0}",
    ("cos", 1): "the cosine of {0}",
    ("tan", 1): "the tangent of {0}",
    ("asin", 1): "the arc sine of {0}",
    ("acos", 1): "the arc cosine of {0}",
    ("atan", 1): "the arc tangent of {0}",
    ("atan2", 2): "the arc tangent of {0} over {1}",
    ("radians", 1): "{0} in radians",
    ("degrees", 1): "{0} in degrees",
    ("random", 0): "a random whole number",
    ("length", 1): "the number of characters of {0}",
    ("octet_length", 1): "the number of bytes of {0}",
    ("lower", 1): "{0} in lower case",
    ("upper", 1): "{0} in upper case",
    ("trim", 1): "{0} without spaces at both ends",
    ("trim", 2): "{0} without any characters of {1} at both ends",
    ("ltrim", 1): "{0} without spaces at its beginning",
    ("ltrim", 2): "{0} without any characters of {1} at its beginning",
    ("rtrim", 1): "{0} without spaces at its end",
    ("rtrim", 2): "{0} without any characters of {1} at its end",
    ("substr", 2): "the part of {0} from character {1} to the end",
    ("substr", 3): "the part of {0} from character {1} on, {2} characters long",
    ("replace", 3): "{0} with each {1} replaced by {2}",
    ("instr", 2): "the position in {0} of {1}",
    ("unicode", 1): "the code of the first character of {0}",
    ("hex", 1): "the hexadecimal digits of {0}",
    ("quote", 1): "{0} as it is written in a statement",
    ("typeof", 1): "the storage class of {0}",
    ("nullif", 2): "{0}, or a missing value where it is equal to {1}",
    ("likelihood", 2): "{0} (expected with the probability {1})",
    ("likely", 1): "{0} (expected)",
    ("unlikely", 1): "{0} (not expected)",
    ("date", 0): "today's date in UTC",
    ("time", 0): "the time now in UTC",
    ("datetime", 0): "the date and time now in UTC",
    ("julianday", 0): "the Julian day number now",
    ("unixepoch", 0): "the Unix time now",
    ("strftime", 1): "the moment now in the format {0}",
    ("json", 1): "the minified text of the document {0}",
    ("json_array_length", 1): "the number of elements of the document {0}",
    ("json_array_length", 2): "the number of elements of the document {0} at the path {1}",
    ("json_type", 1): "the type of the document {0}",
    ("json_type", 2): "the type of the document {0} at the path {1}",
    ("json_valid", 1): "1 if {0} is a well-formed document, else 0",
    ("json_extract", 2): "what the document {0} holds at the path {1}",
}
"""By name and number of arguments."""

LIST_PHRASES: dict[str, str] = {
    "coalesce": "the first of {all} that is not missing",
    "max": "the largest of {all}, missing if one of them is",
    "min": "the smallest of {all}, missing if one of them is",
    "date": "the date of {all}",
    "time": "the time of day of {all}",
    "datetime": "the date and time of {all}",
    "julianday": "the Julian day number of {all}",
    "unixepoch": "the Unix time of {all}",
    "timediff": "the time span between {all}",
    "char": "the text of the character codes {all}",
    "concat": "the texts {all} one behind the other, missing ones left out",
    "json_array": "the list as a document of {all}",
    "json_object": "the document with the labels and values {all}",
    "json_extract": "what a document holds at paths, the document and the paths being {all}",
}
"""Of any number of arguments, where `FUNCTION_PHRASES` has no entry for that number."""

LATER_LIST_PHRASES: dict[str, str] = {
    "strftime": "the moment {all} in the format {0}",
    "printf": "the text of the format {0} filled with {all}",
    "concat_ws": "the texts {all} joined with {0}, missing ones left out",
}
"""Of a first argument and any number of others."""

SAME_FUNCTIONS: dict[str, str] = {
    "ifnull": "coalesce",
    "substring": "substr",
    "ceiling": "ceil",
    "pow": "power",
    "format": "printf",
    "string_agg": "group_concat",
}
"""Other names of functions."""

NATURES: dict[str, Nature] = {
    **dict.fromkeys(
        ("length", "octet_length", "instr", "unicode", "unixepoch", "sign", "json_array_length",
         "json_valid", "random"),
        Nature.INTEGER,
    ),
    **dict.fromkeys(
        ("round", "sqrt", "power", "exp", "ln", "log", "log10", "log2", "pi", "sin", "cos", "tan",
         "asin", "acos", "atan", "atan2", "radians", "degrees", "julianday", "mod"),
        Nature.COMPUTED_REAL,
    ),
    **dict.fromkeys(
        ("lower", "upper", "trim", "ltrim", "rtrim", "substr", "replace", "hex", "quote", "typeof",
         "date", "time", "datetime", "strftime", "printf", "char", "concat", "concat_ws",
         "timediff", "json", "json_type", "json_array", "json_object"),
        Nature.TEXT,
    ),
}  # fmt: skip
"""What the results can be, where it does not depend on the arguments."""

NUMBER_FUNCTIONS = frozenset(
    {"abs", "round", "ceil", "floor", "trunc", "sign", "sqrt", "power", "exp", "ln", "log", "log10",
     "log2", "mod", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "radians", "degrees"}
)  # fmt: skip
"""Functions that take numbers."""


def phrase_of(name: str, count: int) -> tuple[str, int] | None:
    """Return a function's template and the argument that its list begins with.

    Args:
        name: The function, in lower case.
        count: How many arguments it has.

    Returns:
        The template and the position; None where there are no words for it.
    """
    if (name, count) in FUNCTION_PHRASES:
        return FUNCTION_PHRASES[(name, count)], 0
    if name in LIST_PHRASES and count:
        return LIST_PHRASES[name], 0
    if name in LATER_LIST_PHRASES and count > 1:
        return LATER_LIST_PHRASES[name], 1
    return None
