"""Language models: registry, gateway, response archive. The only room that talks to models."""
