"""What releases cost together: chains cost their dearest link, chains add up, declared parts run side by side.

*Chains.* A top-up refines the same ladder, and all rungs are post-processing of the finest one, so the
releases of one chain cost what the dearest of them costs (largest epsilon, largest delta).

*Sequential composition.* Different chains look at the same units with fresh noise: their losses add.

*Parallel composition.* Where every privacy unit lies in one declared part, its loss is what was spent on the
whole data set plus what was spent on that part; the worst unit lies in the dearest part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dpcore.ledger.amounts import Loss, largest


@dataclass
class Chain:
    """The releases that continue one ladder, by the number of their entry."""

    part: str | None
    """The part they count; None for the whole data set."""
    losses: dict[int, Loss] = field(default_factory=dict)

    @property
    def cost(self) -> Loss:
        """What all of them cost together: the dearest."""
        return largest(self.losses.values())


class Composition:
    """The running cost of one account. It only adds up; whether the account can pay is asked elsewhere."""

    def __init__(self) -> None:
        self.chains: dict[str, Chain] = {}
        self._sums: dict[str | None, Loss] = {}

    @property
    def spent(self) -> Loss:
        """What the worst unit has lost so far."""
        return self.on_whole + largest(loss for part, loss in self._sums.items() if part is not None)

    @property
    def on_whole(self) -> Loss:
        """What was spent on the whole data set."""
        return self.on_part(None)

    def on_part(self, part: str | None) -> Loss:
        """What was spent on one part alone (None: on the whole)."""
        return self._sums.get(part, Loss())

    def add(self, number: int, group: str, part: str | None, loss: Loss) -> Loss:
        """Take a release into its chain; returns by how much the spent rose."""
        before = self.spent
        chain = self.chains.setdefault(group, Chain(part))
        cost = chain.cost
        chain.losses[number] = loss
        self._sums[part] = self.on_part(part) + (chain.cost - cost)
        return self.spent - before

    def remove(self, number: int, group: str) -> Loss:
        """Take a release out of its chain again; returns by how much the spent fell."""
        before = self.spent
        chain = self.chains[group]
        cost = chain.cost
        del chain.losses[number]
        self._sums[chain.part] = self.on_part(chain.part) + (chain.cost - cost)
        return before - self.spent

    def copy(self) -> Composition:
        """The same sums, to try something on: what others read stays as it is."""
        same = Composition()
        same.chains = {group: Chain(chain.part, dict(chain.losses)) for group, chain in self.chains.items()}
        same._sums = dict(self._sums)
        return same

    def cost_of(self, group: str) -> Loss:
        """What a chain costs so far; nothing for a new one."""
        return self.chains[group].cost if group in self.chains else Loss()

    def fits(self, group: str, part: str | None, total: Fraction) -> Fraction:
        """The largest epsilon that a release in this chain could have under a total; may be 0."""
        beside = self.spent.epsilon if part is None else self.on_whole.epsilon + self.on_part(part).epsilon
        return total - beside + self.cost_of(group).epsilon
