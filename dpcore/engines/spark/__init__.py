"""Spark: trips are read, checked, prepared and counted where they lie, for data that no single computer holds."""
