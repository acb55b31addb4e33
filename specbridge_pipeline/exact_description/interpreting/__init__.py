"""From syntax to queries: names bound, conversions made plain, every SELECT a step."""
