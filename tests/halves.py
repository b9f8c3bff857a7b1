"""Halves of the noise of a coarser rung, which only tests make one by one."""

from fractions import Fraction

from dpcore.noise.samplers import Integers, coarsening


def coarsen(half: Integers, fine: Fraction, coarse: Fraction) -> Integers:
    """From the halves of a finer rung: theorem (b) of ``samplers.py``. ValueError unless ``coarse < fine``."""
    return half + coarsening(fine, coarse, len(half))
