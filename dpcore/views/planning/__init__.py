"""What an owner weighs before paying: forecasts, bounds, grids, what may be gained and learnt."""
