"""Orchestration: stages, planner and Dagster definitions. Thin: it calls the rooms."""
