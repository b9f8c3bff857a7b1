"""The wings that count where trips lie: engines beside those of this computer, a folder each (``dpcore.wings``)."""
