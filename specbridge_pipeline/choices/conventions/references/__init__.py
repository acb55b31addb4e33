"""The conventions of benchmark references: studied, counted, reviewed, and their edits proved."""
