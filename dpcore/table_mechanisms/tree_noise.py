"""The exact draws that a tree of trajectories grows with."""

from __future__ import annotations

from typing import Final

from dpcore.noise import discrete_laplace, geometric
from dpcore.sparse_noise import specks
from dpcore.trajectory_tree.noise_source import NoiseSource

EXACT_NOISE: Final = NoiseSource(discrete_laplace, specks, geometric)
"""Discrete Laplace noise of nodes, empty children that pass, and by how much: integers only, see ``dpcore.noise``."""
