"""The wings: kinds of release other than tables, a folder each (``dpcore.wings``)."""
