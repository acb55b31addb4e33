"""What the columns of a database mean, and how its tables hang together."""
