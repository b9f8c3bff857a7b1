"""What the wings with synthetic data share behind the wall: columns of trips, bounds on them, noise on counts."""
