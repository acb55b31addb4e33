"""Evaluation: answering methods, scoring by execution, judging, measures and outcomes."""
