"""Evidence that descriptions leave nothing out, collected over many queries."""
