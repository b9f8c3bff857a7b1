"""The views of a release of tables: each is one file, which Viewer, pictures, stories and links find by its name."""
