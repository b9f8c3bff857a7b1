"""Charts as figures of plotly: their parts, series and pictures of a measure."""
