"""Records: cells of the warehouse with their manifests, content hashes, views, durable files."""
