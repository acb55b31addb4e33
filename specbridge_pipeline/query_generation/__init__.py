"""SQL queries generated on a database, at the depths asked for."""
