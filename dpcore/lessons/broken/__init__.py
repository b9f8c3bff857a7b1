"""Mechanisms that protect less than they say, one flaw each. Never used but in lessons; the wall keeps them in."""
