"""Which form files on Spark have: told by their columns and types, by the same rules as any other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.private.source.inspection import Inspection, check_names, inspected
from dpcore.private.source.parquet_file import check_schema
from dpcore.private.spark.files import Footer

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_TYPES: Final[Mapping[str, pa.DataType]] = {
    "string": pa.string(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "binary": pa.binary(),
    "void": pa.null(),
    "timestamp_ntz": pa.timestamp("us"),
    "timestamp": pa.timestamp("us", "UTC"),
}


def inspected_frame(
    frame: DataFrame, footers: Sequence[Footer], mapping: Mapping[str, str], name: str
) -> Inspection:
    """The form of some files of one schema, one row a trip.

    Args:
        frame: as Spark reads the files.
        footers: of every file.
        mapping: role -> column name, as in ``inspect``.
        name: for messages.

    Raises:
        InputError: no form, one row a record, a type that cannot play its role, or a column that is another one in some
            of the files: Spark would read it as missing.

    """
    columns = tuple(frame.columns)
    check_names(columns, name)
    schema = pa.schema([(field.name, _arrow(field.dataType.simpleString())) for field in frame.schema.fields])

    found = inspected(name, columns, mapping)
    if found.layout == "records":
        raise InputError(
            "one row a record is not read on Spark",
            f"{name}, form {found.form}",
            "Write one row a trip first: user_id, started_at, ended_at, start_lat, start_lng, end_lat, end_lng.",
        )
    _must_agree(found, footers, columns, mapping, name)
    check_schema(name, schema, found.needed)
    return found


def column_of(frame: DataFrame, name: str) -> Column:
    """A column by its whole name, whatever letters it has."""
    return frame["`" + name.replace("`", "``") + "`"]


def _arrow(kind: str) -> pa.DataType:
    if kind.startswith("decimal("):
        precision, scale = kind.removeprefix("decimal(").rstrip(")").split(",")
        return pa.decimal128(int(precision), int(scale))
    return _TYPES.get(kind, pa.struct([]))


def _must_agree(
    found: Inspection,
    footers: Sequence[Footer],
    columns: Sequence[str],
    mapping: Mapping[str, str],
    name: str,
) -> None:
    """Refuse files whose columns differ: what one lacks, Spark would read as missing."""
    first = footers[0]
    in_folders = [column for column in columns if not any(column in footer.types for footer in footers)]
    for footer in footers:
        where = f"{name}, {footer.file.name}"
        for column in found.needed.values():
            if column in in_folders:
                continue
            if column not in footer.types:
                raise InputError("column missing in one of the files", f"{where}, column {column}", _MEND)
            kind = footer.types[column]
            if kind.startswith("int96"):
                raise InputError("times of the old kind INT96", f"{where}, column {column}", _MICROS)
            if "TIMESTAMP(NANOS" in kind:
                raise InputError("times in nanoseconds", f"{where}, column {column}", _MICROS)
            if column in first.types and kind != first.types[column]:
                raise InputError(
                    "the type of a column changes between files",
                    f"{where}, column {column}, unlike {first.file.name}",
                    _MEND,
                )
        if set(footer.types) != set(first.types) or not set(footer.types) <= set(columns):
            own = (*footer.types, *in_folders)
            other = inspected(where, own, mapping)
            if (other.form, other.needed) != (found.form, found.needed):
                raise InputError("the form changes between files", where, _MEND)


_MEND: Final = "Write all files with the same columns and types, or load those that agree."
_MICROS: Final = (
    "Spark cannot tell what they mean here: write microseconds "
    "(spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS)."
)


def spark_schema(schema: pa.Schema) -> str:
    """An Arrow schema in Spark's words."""
    words: dict[Any, str] = {kind: word for word, kind in _TYPES.items()}
    words[pa.list_(pa.int32())] = "array<int>"
    return ", ".join(f"`{field.name}` {words[field.type]}" for field in schema)
