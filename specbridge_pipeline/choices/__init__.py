"""Calculation choices: their types, and later their detectors, edits and wording."""
