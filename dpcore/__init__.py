"""dpcore: differentially private mobility statistics."""
