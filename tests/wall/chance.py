"""Chance: which modules may draw anything."""

from __future__ import annotations

from collections.abc import Iterator

from tests.wall.source import Source, below

RANDOMNESS = ("os.urandom", "os.getrandom", "secrets", "random", "numpy.random", "uuid", "scipy.stats")

RANDOM_WORDS = ("urandom", "getrandom", "np.random", "numpy.random", "default_rng", "token_bytes")

# What is drawn from noisy tables is post-processing: it protects nobody, so its seed may even be printed.
# Lessons draw from seeds and break mechanisms on purpose, and no release can know them.
HOMES_OF_RANDOMNESS = (
    "dpcore.noise.samplers",
    "dpcore.private.bounding",
    "dpcore.demo",
    "dpcore.kinds.roy.sampling",
    "dpcore.kinds.roy.hubway",
    "dpcore.kinds.stability.invented_week",
    "dpcore.private.synthetic.drawing",
    "dpcore.lessons.dice",
    "dpcore.lessons.broken",
)


def randomness(source: Source) -> Iterator[str]:
    if not below(source.name, *HOMES_OF_RANDOMNESS):
        yield from (f"draws from {name}" for name in source.known if below(name, *RANDOMNESS))
        yield from (f"says {word}" for word in RANDOM_WORDS if word in source.text)
