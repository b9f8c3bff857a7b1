"""The files below some paths, as Spark's own connectors list them, with their footers and their form.

The form is recognised by the same rules as for any other file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import pyarrow as pa

from dpcore.engines.spark.private.jobs import damaged, refusal
from dpcore.errors import AtlasError, InputError
from dpcore.measures.attribute import Attribute
from dpcore.private.source.attribute_columns import columns_apart, with_attributes
from dpcore.private.source.declared import NO_PERSON
from dpcore.private.source.forms import Times
from dpcore.private.source.inspection import Inspection, check_names, inspected
from dpcore.private.source.parquet_file import check_schema
from dpcore.private.source.people import must_not_be_folders_of_people

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_REPETITION: Final = re.compile(r"^(?:optional|required|repeated) | = [0-9]+$")
_PATTERN: Final = re.compile(r"[][{}*?\\]")
_AT_ONCE: Final = 16
_MOST_NAME: Final = 200


@dataclass(frozen=True)
class Listed:
    """One file: its path, and what changes with its bytes."""

    path: str
    size: int
    changed: int

    @property
    def name(self) -> str:
        """Its last name, for messages."""
        return unquote(self.path.rpartition("/")[2])


@dataclass(frozen=True)
class Footer:
    """What one Parquet file declares about itself."""

    file: Listed
    types: Mapping[str, str]
    """Column -> its type, as Parquet writes it."""
    rows: int


def addresses(paths: Sequence[str]) -> list[str]:
    """The paths as Spark needs them. A path without a file system is on this computer.

    Raises InputError: no path is given, or one cannot be a path.
    """
    if not paths:
        raise InputError("no trips are named", "engine spark", "Give a path or a URL.")
    if any(not path.strip() or "\0" in path or "\n" in path for path in paths):
        raise InputError("not a path", "engine spark", "Give paths or URLs, none of them empty.")
    return [path if _SCHEME.match(path) else _local_address(Path(path).absolute()) for path in paths]


def _local_address(path: Path) -> str:
    """The address of a path on this computer. An existing file is not a pattern, whatever characters its name has."""
    return "file://" + (_PATTERN.sub(r"\\\g<0>", str(path)) if path.exists() else str(path))


def name_of(paths: Sequence[str]) -> str:
    """The name of trips at some paths in messages and captions."""
    last = paths[0].rstrip("/").rpartition("/")[2] or paths[0]
    plain = "".join(letter if letter.isprintable() else "?" for letter in last)[-_MOST_NAME:]
    return plain if len(paths) == 1 else f"{plain} and {len(paths) - 1:,} more"


def data_files(spark: SparkSession, paths: Sequence[str]) -> tuple[Listed, ...]:
    """All data files below the paths, sorted. Names that begin with a dot or an underscore are not data.

    Raises InputError: a path is not there or may not be read.
    """
    found: list[Listed] = []
    wrong: AtlasError | None = None
    for path in paths:
        try:
            below = list(_below(spark, path))
        except Exception as error:  # noqa: BLE001 - the gateway's own
            wrong = refusal(error, name_of([path]), "listing files")
        else:
            found += below
            if not below:
                wrong = InputError(
                    "there are no trips", name_of([path]), "Check the path: it holds no file with data."
                )
        if wrong is not None:
            break
    if wrong is not None:
        raise wrong
    return tuple(sorted(set(found), key=lambda file: file.path))


def digest_of(files: Sequence[Listed], key: bytes) -> str:
    """Keyed digest of a listing. Another file, size or time of change gives another digest."""
    text = "\n".join(f"{file.path}\t{file.size}\t{file.changed}" for file in files)
    return blake2b(text.encode(), key=key, digest_size=32).hexdigest()


def footers(spark: SparkSession, files: Sequence[Listed], name: str) -> list[Footer]:
    """The footer of every file, read by the driver.

    Raises InputError: one is not a Parquet file, or is cut off. The text names it.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(lambda file: _footer(spark, file, name), files))
    wrong = next((one for one in found if isinstance(one, AtlasError)), None)
    if wrong is not None:
        raise wrong
    return [one for one in found if isinstance(one, Footer)]


def must_be_all(files: Sequence[Listed], read: Sequence[str], name: str) -> None:
    """Refuse a folder of which Spark would read only a part: for example, loose files beside partitioned folders.

    ``read`` are the addresses of the files that Spark is about to read.
    """
    known = {_plain_address(address) for address in read}
    deepest = max((_folders_of(file) for file in files), key=len)
    left = [f for f in files if _plain_address(f.path) not in known or _folders_of(f) != deepest]
    if left or len(known) != len(files):
        where = f"{name}, {left[0].name}" if left else name
        raise InputError(
            "Spark would leave out files of this folder",
            where,
            "Do not mix files and partitioned folders in one place: name them one by one, or move them apart.",
        )


def _folders_of(file: Listed) -> tuple[str, ...]:
    """The columns that the folders of a file stand for, as in ``date=2024-04-01``."""
    return tuple(part.partition("=")[0] for part in file.path.split("/")[:-1] if "=" in part)


def _plain_address(address: str) -> str:
    return re.sub(r"^([A-Za-z0-9+.-]+):/*", r"\1:", unquote(address))


def _below(spark: SparkSession, path: str) -> Iterator[Listed]:
    jvm, conf = _gateway(spark)
    place = jvm.org.apache.hadoop.fs.Path(path)
    system = place.getFileSystem(conf)
    for root in system.globStatus(place) or ():
        above = root.getPath().toString()
        every = system.listFiles(root.getPath(), True)
        while every.hasNext():
            one = every.next()
            where = one.getPath().toString()
            if not any(_hidden(part) for part in where[len(above) :].split("/")):
                yield Listed(where, one.getLen(), one.getModificationTime())


def _hidden(name: str) -> bool:
    """Whether Spark skips a name."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _footer(spark: SparkSession, file: Listed, name: str) -> Footer | AtlasError:
    jvm, conf = _gateway(spark)
    try:
        place = jvm.org.apache.hadoop.fs.Path(file.path)
        stored = jvm.org.apache.parquet.hadoop.util.HadoopInputFile.fromPath(place, conf)
        reader = jvm.org.apache.parquet.hadoop.ParquetFileReader.open(stored)
        try:
            fields, rows = reader.getFileMetaData().getSchema().getFields(), reader.getRecordCount()
            types = {field.getName(): _REPETITION.sub("", field.toString()) for field in fields}
            return Footer(file, types, rows)
        finally:
            reader.close()
    except Exception as error:  # noqa: BLE001 - the gateway's own
        told = refusal(error, file.name, "reading a footer")
    return told if isinstance(told, InputError) else damaged(f"{name}, {file.name}")


def _gateway(spark: SparkSession) -> tuple[Any, Any]:
    """Spark's Java side, and the settings of its connectors."""
    context = spark.sparkContext
    return context._jvm, context._jsc.hadoopConfiguration()  # noqa: SLF001


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
    frame: DataFrame,
    footers: Sequence[Footer],
    mapping: Mapping[str, str],
    name: str,
    times: Times | None = None,
    *,
    attributes: Sequence[Attribute] = (),
) -> Inspection:
    """The form of some files of one schema with one row for each trip, as Spark reads them.

    ``mapping`` and ``times`` are as in ``inspect``; ``attributes`` are kept, and ``mapping`` may name their columns.
    Raises InputError: no form, one row for each record, a type that does not suit its role, or a column that differs in some
    of the files, because Spark would read it as missing.
    """
    columns = tuple(frame.columns)
    check_names(columns, name)
    schema = pa.schema([(field.name, _arrow(field.dataType.simpleString())) for field in frame.schema.fields])

    roles, own = columns_apart(mapping, attributes)
    found = inspected(name, columns, roles, times=times)
    if found.layout != "trips":
        raise InputError(
            "one row a record or a point is not read on Spark",
            f"{name}, form {found.form}",
            "Write one row a trip first: user_id, started_at, ended_at, start_lat, start_lng, end_lat, end_lng.",
        )
    if not (found.has_users or NO_PERSON in roles):
        folders = [one for one in columns if not any(one in footer.types for footer in footers)]
        must_not_be_folders_of_people(name, folders)
    found = with_attributes(name, found, attributes, own)
    _must_agree(found, footers, columns, roles, name)
    check_schema(name, schema, found.needed)
    return found


def column_of(frame: DataFrame, name: str) -> Column:
    """A column by its whole name, whatever characters it has."""
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
    """Refuse files whose columns differ. Spark would read as missing what a file lacks."""
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
            said = {one.attribute.name: one.column for one in found.kept}
            other = inspected(where, own, mapping)
            other = with_attributes(where, other, [one.attribute for one in found.kept], said)
            if (other.form, other.needed) != (found.form, found.needed):
                raise InputError("the form changes between files", where, _MEND)


_MEND: Final = "Write all files with the same columns and types, or load only files that agree."
_MICROS: Final = (
    "Spark cannot tell what they mean here: write microseconds "
    "(spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS)."
)


def spark_schema(schema: pa.Schema) -> str:
    """An Arrow schema in Spark's words."""
    words: dict[Any, str] = {kind: word for word, kind in _TYPES.items()}
    words[pa.list_(pa.int32())] = "array<int>"
    return ", ".join(f"`{field.name}` {words[field.type]}" for field in schema)
