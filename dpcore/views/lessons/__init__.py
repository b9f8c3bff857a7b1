"""Charts of the lessons: arrays in, small tables with Vega-Lite specifications out."""
