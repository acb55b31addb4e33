"""Intervals, tests and agreement: pure functions from counts and labels to numbers."""
