"""The way back: from the text of an exact description to a query, by a grammar of the text alone.

Nothing here knows the renderer or what it renders from, so that a text that is read back rightly
says all that there is to know.
"""
