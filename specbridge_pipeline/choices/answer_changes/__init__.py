"""Whether the answer to an open question changes under the other interpretation, and how far."""
