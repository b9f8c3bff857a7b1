"""Engines that count bounded trips: by SQL, or by compiled passes that give the same answers."""
