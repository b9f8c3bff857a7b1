"""What kinds with several noisy tables share: Roy's model and the histogram of large counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.release.canonical import AGAIN, CHANGED
from dpcore.release.files import ListedFiles
from dpcore.release.kind import Expected, Object
from dpcore.release.kinds.synthetic import Chosen, Noisy, Synthetic, SyntheticKind
from dpcore.release.kinds.trip_rows import RowGroups
from dpcore.release.layout import README, TILES, TRIPS, csv_name, parquet_name
from dpcore.release.release import Release
from dpcore.release.table_files import DAMAGE, csv_bytes, must_say_the_same, parquet_bytes, read_table
from dpcore.tiles import Tessellation

VALUE: Final = "value"
WIDTH: Final = "half_width_95"

Counted = TypeVar("Counted")
"""The plan: the choices together with the tiles."""
NOISE: Final = (
    "a count plus integer noise V with P(V = v) = (1 - q) / (1 + q) * q^|v| and q = exp(-rate): the discrete Laplace law. "
    "The noise is drawn with exact integer arithmetic from the random numbers of the operating system."
)
"""How the noise of every value is drawn."""


class CountedKind(SyntheticKind[Chosen, Noisy], Generic[Chosen, Noisy, Counted]):
    """A release of several named noisy tables."""

    @abstractmethod
    def counted(self, plan: Chosen, tiles: Tessellation) -> Counted:
        """The plan on these tiles; raises an AtlasError if there can be none."""

    @abstractmethod
    def names(self, counted: Counted) -> tuple[str, ...]:
        """Names of the tables, such as ``start+end``."""

    @abstractmethod
    def keys(self, counted: Counted, name: str) -> tuple[str, ...]:
        """Names of the key columns of a table."""

    @abstractmethod
    def width(self, counted: Counted, name: str) -> int:
        """95 % half width of the noise of one cell of a table."""

    @abstractmethod
    def cells(self, tables: Noisy, name: str) -> tuple[Mapping[str, pa.Array], NDArray[np.int64]]:
        """Keys by column, and values, of the cells that a table lists, in order."""

    @abstractmethod
    def facts(self, counted: Counted, name: str) -> Object:
        """What the manifest says about a table besides its columns and width."""

    @abstractmethod
    def noise_in(self, counted: Counted, name: str, tile_ids: tuple[str, ...]) -> Expected:
        """What the noise of a table will be."""

    def expected(
        self, plan: Chosen, tiles: Tessellation, *, trips: int | None, users: int | None
    ) -> tuple[Expected, ...]:
        del trips, users
        counted = self.counted(plan, tiles)
        return tuple(self.noise_in(counted, name, tiles.tile_ids) for name in self.names(counted))

    def parts(self, counted: Counted) -> Object | None:
        """The public list of parts into which tables are split, empty parts included; None if they are not split."""
        return None

    @abstractmethod
    def tables_of(self, counted: Counted, found: Mapping[str, pa.Table], tile_ids: tuple[str, ...]) -> Noisy:
        """The tables from columns whose values and widths are checked already; BundleError if their keys are wrong."""

    @abstractmethod
    def fits(self, release: Release[Chosen, Synthetic[Noisy]], tables: Iterator[pa.Table]) -> bool:
        """Whether the rows of a file are possible as the trips of the release."""

    def schema(self, counted: Counted, name: str) -> pa.Schema:
        """Columns of a table: its keys as text, then value and half width."""
        keys = [(column, pa.string()) for column in self.keys(counted, name)]
        return pa.schema([*keys, (VALUE, pa.int64()), (WIDTH, pa.int64())])

    def table(self, tables: Noisy, name: str) -> pa.Table:
        """One table as columns."""
        counted = _plan_of(tables)
        keys, values = self.cells(tables, name)
        width = np.full(len(values), self.width(counted, name), np.int64)
        return pa.table([*keys.values(), pa.array(values), pa.array(width)], self.schema(counted, name))

    def tables(self, release: Release[Chosen, Synthetic[Noisy]]) -> tuple[str, ...]:
        return self.names(_plan_of(release.drawn.tables))

    def own_table(self, release: Release[Chosen, Synthetic[Noisy]], name: str) -> pa.Table:
        return self.table(release.drawn.tables, name)

    def files(self, plan: Chosen, tiles: Tessellation) -> tuple[str, ...]:
        names = [_in_files(name) for name in self.names(self.counted(plan, tiles))]
        tables = [place for name in names for place in (csv_name(name), parquet_name(name))]
        return tuple(sorted([README, TILES, TRIPS, *tables]))

    def contents(
        self, release: Release[Chosen, Synthetic[Noisy]], tiles: Tessellation
    ) -> Iterator[tuple[str, bytes]]:
        for name in self.names(_plan_of(release.drawn.tables)):
            table = self.table(release.drawn.tables, name)
            yield csv_name(_in_files(name)), csv_bytes(table)
            yield parquet_name(_in_files(name)), parquet_bytes(table)

    def drawn_members(self, release: Release[Chosen, Synthetic[Noisy]]) -> Object:
        counted = _plan_of(release.drawn.tables)
        return {
            "tables": [
                {
                    "name": name,
                    "columns": self.schema(counted, name).names,
                    "half_width_95": self.width(counted, name),
                    **self.facts(counted, name),
                    "tables": [csv_name(_in_files(name)), parquet_name(_in_files(name))],
                }
                for name in self.names(counted)
            ],
            "parts": self.parts(counted),
        }

    def read_drawn(self, plan: Chosen, tiles: Tessellation, files: ListedFiles) -> Noisy:
        counted = self.counted(plan, tiles)
        found = {}
        for name in self.names(counted):
            schema, place = self.schema(counted, name), parquet_name(_in_files(name))
            table = found[name] = read_table(files, _in_files(name), schema)
            must_say_the_same(files, csv_name(_in_files(name)), table, schema)
            if any(column.null_count for column in table.columns):
                raise BundleError("a value is missing", place, CHANGED)
            values, widths = table[VALUE].to_numpy(), table[WIDTH].to_numpy()
            most = limits.MAX_BUNDLE_VALUE
            if ((values < -most) | (values > most) | (widths != self.width(counted, name))).any():
                raise BundleError("a value or a half width cannot be", place, CHANGED)
        return self.tables_of(counted, found, tiles.tile_ids)

    def check_rows(self, release: Release[Chosen, Synthetic[Noisy]], rows: int, files: ListedFiles) -> None:
        """Check that there are as many trips as the manifest says, and that the tables can give them."""
        fit = False
        with suppress(*DAMAGE):
            groups = RowGroups(files.content(TRIPS), self.schema_of_trips(release))
            fit = sum(groups.rows) == rows and self.fits(release, groups.tables())
        if not fit:
            raise BundleError("the trips are not those of the release", TRIPS, AGAIN)

    def files_words(self, release: Release[Chosen, Synthetic[Noisy]]) -> list[str]:
        counted = _plan_of(release.drawn.tables)
        return [
            f"| {csv_name(_in_files(name))}, .parquet | noisy counts of trips by "
            f"{', '.join(self.schema(counted, name).names[:-2])}: 95 % half width {self.width(counted, name):,}{self.shown_from(counted, name)} |"
            for name in self.names(counted)
        ]

    def shown_from(self, counted: Counted, name: str) -> str:
        """The smallest count that a table shows, in words; empty if it shows all counts."""
        return ""


def place_of(name: str) -> str:
    """The Parquet file of a table, for messages."""
    return parquet_name(_in_files(name))


def texts_of(column: pa.ChunkedArray) -> pa.Array:
    """A column of texts as one array, however it is encoded."""
    whole = column.combine_chunks()
    whole = whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
    return whole.cast(pa.string())


def _in_files(name: str) -> str:
    """The name of a table in file names: ``start-end`` for the group ``start+end``."""
    return name.replace("+", "-")


def _plan_of(tables: Any) -> Any:  # noqa: ANN401 - the plan that its tables carry
    return tables.plan
