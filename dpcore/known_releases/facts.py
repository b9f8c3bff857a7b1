"""What is known about releases of others: reported facts in our own words, with their sources and how sure they are."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, Literal, cast

Per = Literal["user", "user-month", "user-week", "user-day", "trip", "trip-exchanged", "event", "other"]
"""What one epsilon protects. ``trip-exchanged``: neighbours have one trip exchanged for another."""
Certainty = Literal["reported", "paper", "unverified"]
"""In the OpenDP registry (no record used is approved by its board), read in the paper, or neither."""

ATTRIBUTION: Final = (
    "Reported numbers: the OpenDP deployments registry (MIT licence, © 2025 OpenDP) and the papers that each row "
    "names, in our own words. Reported, not certified: no record used here was approved by the registry's board."
)

_FILE: Final = Path(__file__).parent / "releases.csv"


@dataclass(frozen=True)
class KnownRelease:
    """One release of somebody else."""

    name: str
    publisher: str
    year: int
    protects: str
    """Its privacy unit in words, such as ``one person's day``."""
    per: Per
    epsilon: Fraction | None
    """As reported; None where only ``rho`` is."""
    rho: Fraction | None
    """Parameter of zero-concentrated differential privacy, where that is what was reported."""
    delta: float
    local: bool
    """Noise was added on each person's own device: the same letter, another trust model."""
    mobility: bool
    certainty: Certainty
    note: str
    sources: tuple[str, ...]
    """Addresses, or the name of a paper that has none."""

    @property
    def reported(self) -> str:
        """The number as reported, with everything that belongs to it."""
        number = f"ε = {float(self.epsilon):g}" if self.epsilon is not None else ""
        if self.rho is not None and self.epsilon is None:
            number = f"rho = {float(self.rho):g} (zCDP)"
        delta = f", δ = {self.delta:g}" if self.delta else ""
        return f"{number}{delta} for {self.protects}"


def known_releases() -> tuple[KnownRelease, ...]:
    """All of them, in the order of the file."""
    with _FILE.open(encoding="utf-8", newline="") as text:
        return tuple(_release(row) for row in csv.DictReader(text))


def _release(row: dict[str, str]) -> KnownRelease:
    addresses = row["sources"].split() if row["sources"].startswith("http") else [row["sources"]]
    return KnownRelease(
        name=row["name"],
        publisher=row["publisher"],
        year=int(row["year"]),
        protects=row["protects"],
        per=cast("Per", row["per"]),
        epsilon=Fraction(row["epsilon"]) if row["epsilon"] else None,
        rho=Fraction(row["rho"]) if row["rho"] else None,
        delta=float(row["delta"] or 0),
        local=row["model"] == "local",
        mobility=row["mobility"] == "yes",
        certainty=cast("Certainty", row["certainty"]),
        note=row["note"],
        sources=tuple(addresses),
    )
