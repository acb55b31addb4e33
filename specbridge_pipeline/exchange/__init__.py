"""Exchange with the outside: sets and replies as JSON Lines, out of a project and into one."""
