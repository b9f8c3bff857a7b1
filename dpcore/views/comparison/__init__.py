"""Two releases beside each other: likeness, changes, the map of differences."""
