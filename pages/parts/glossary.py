"""The words of this app, explained once, for every page that links to them."""

from typing import Final

TERMS: Final = {
    "Differential privacy": "TODO",
}
