"""Tasks: generated queries with their exact descriptions, read by two reviewers each."""
