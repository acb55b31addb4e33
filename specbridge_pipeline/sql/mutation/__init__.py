"""Small changes of a statement, one thing at a time, made in its text as it is written."""
