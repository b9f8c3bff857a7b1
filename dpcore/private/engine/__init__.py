"""Engines that count bounded trips: by SQL texts, or by compiled passes that give what those texts give."""
