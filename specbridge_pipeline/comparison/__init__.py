"""Which results a reference accepts, and whether two references can accept the same one."""
