"""SpecBridge pipeline: which calculation choices a text-to-SQL system settles without saying so."""
