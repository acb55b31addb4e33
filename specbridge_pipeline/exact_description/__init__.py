"""SQL into English that leaves out nothing that can change a result."""
