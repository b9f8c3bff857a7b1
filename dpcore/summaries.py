"""What the shelf says of a release before it is opened: of one of tables, and of one of synthetic trips. Public."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.release import Release
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthetic_release import SyntheticRelease
from dpcore.trajectory_tree.choices import Source, TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree
from dpcore.trajectory_tree.plan import price_of_levels


@dataclass(frozen=True)
class Summary:
    """What a card says of a release, without its tables."""

    title: str
    dataset: str
    bound: ContributionBound
    epsilon: Fraction
    period: Period | None
    created: datetime
    tiles: int
    raised_from: str | None = None
    """Id of the earlier release that this one makes finer."""

    @classmethod
    def of(cls, release: Release) -> Summary:
        """The summary of a release; its id stands in for a title that it does not have."""
        return cls(
            title=release.title or release.id,
            dataset=release.dataset,
            bound=release.plan.bound,
            epsilon=release.plan.epsilon,
            period=release.plan.choices.period,
            created=release.created,
            tiles=len(release.tessellation.tile_ids),
            raised_from=release.raised_from,
        )


@dataclass(frozen=True)
class SyntheticSummary:
    """What a card says of synthetic trips, without their tables and rows."""

    id: str
    title: str
    dataset: str
    kind: str
    """Of the method, as the choices name it: ``roy``, ``stability`` or ``trajectory-tree``."""
    bound: ContributionBound
    epsilon: Fraction
    """For one privacy unit that is added or removed, as ``delta``."""
    delta: Fraction
    period: Period | None
    created: datetime
    tiles: int
    told: tuple[str, ...]
    """Names of what tells two releases of one kind apart: attributes of riders, or combinations of columns."""
    variant: str = ""
    """Of large counts, as the choices name it."""
    minutes: int | None = None
    """Of large counts with a clock: the length of its bins."""
    delicate: tuple[str, Fraction] | None = None
    """Of a tree: the most delicate level that a place has and its epsilon for one privacy unit; ``epsilon`` is that of a whole record."""
    by_day: bool = False
    """Of a tree: whether the bound counts days."""

    @classmethod
    def of(cls, release: SyntheticRelease) -> SyntheticSummary:
        """The summary of a release; its id stands in for a title that it does not have."""
        epsilon, delta = release.loss
        choices = release.choices
        large = choices if isinstance(choices, StabilityChoices) else None
        drawn = choices if isinstance(choices, RoyChoices) else None
        clock = large is not None and any("_time" in name for one in large.combinations for name in one)
        tree = release.choices if isinstance(release.choices, TreeChoices) else None
        levels = (
            price_of_levels(release.tables.plan, release.choices.bound)
            if isinstance(release.tables, NoisyTree)
            else ()
        )
        return cls(
            id=release.id,
            told=drawn.extras
            if drawn
            else tuple("+".join(one) for one in large.combinations)
            if large
            else (),
            variant=large.variant.value if large else "",
            minutes=large.minutes if large and clock else None,
            title=release.title or release.id,
            dataset=release.dataset,
            kind=release.choices.kind,
            bound=release.choices.bound,
            epsilon=epsilon,
            delta=delta,
            period=release.choices.period,
            created=release.created,
            tiles=len(release.tessellation.tile_ids),
            delicate=levels[-1] if levels else None,
            by_day=tree is not None and tree.making.source is Source.DAY,
        )
