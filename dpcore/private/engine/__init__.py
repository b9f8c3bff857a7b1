"""Engines that count bounded trips; all run the same SQL texts."""
