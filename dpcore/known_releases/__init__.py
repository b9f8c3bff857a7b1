"""Releases of others with a published epsilon, and the same number for a plan of ours in one common unit."""

from dpcore.known_releases.comparison import FOUR_WEEKS, Compared, compared
from dpcore.known_releases.facts import ATTRIBUTION, KnownRelease, known_releases

__all__ = ["ATTRIBUTION", "FOUR_WEEKS", "Compared", "KnownRelease", "compared", "known_releases"]
