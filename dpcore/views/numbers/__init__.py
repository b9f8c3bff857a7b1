"""Numbers of a release as tables, rankings and sentences."""
