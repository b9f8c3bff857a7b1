"""Running actions on Spark: real progress, a cancel that reaches the workers, and our own refusals.

Spark's own texts may hold cells. They are searched, never quoted.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeVar

from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.private.progress import Progress

if TYPE_CHECKING:
    from pyspark import SparkContext


_FILE: Final = re.compile(r"(?:file|s3a|gs|abfss?|hdfs|wasbs?)://?[^\s'\",\]\)]+")
_MODULE: Final = re.compile(r"No module named '([A-Za-z_][\w.]*)'")

# A mark in Spark's text -> what is wrong and how to mend it. The first match is used.
_KNOWN: Final = (
    (
        ("No space left on device", "Disk quota exceeded"),
        "Spark has no space left on its disks",
        "Free some space, or name larger disks with spark.local.dir.",
    ),
    (
        ("OutOfMemoryError", "Java heap space", "Total size of serialized results"),
        "Spark has not enough memory",
        "Give it more with spark.driver.memory and spark.executor.memory, or with EPSILON_ATLAS_MEMORY on one computer.",
    ),
    (
        ("PYTHON_VERSION_MISMATCH", "Python in worker has different version"),
        "the workers run another Python than the driver",
        "Name the same version on both with PYSPARK_PYTHON.",
    ),
    (
        ("Python worker exited unexpectedly", "Python worker failed to connect", "ExecutorLostFailure", "EOFException"),
        "a worker of Spark died repeatedly",
        "Most often it had too little memory. Give it more with spark.executor.memoryOverhead.",
    ),
    (
        ("No FileSystem for scheme", "UNSUPPORTED_FILE_SYSTEM", "FileSystem not found", "UnsupportedFileSystem"),
        "Spark cannot read this kind of address",
        "Give it the connector, for example with spark.jars.packages; see docs/how-to/count-on-spark.md.",
    ),
    (
        ("AccessDenied", "Permission denied", "Forbidden", "NoAuthWithAWSException", "CredentialInitializationException"),
        "Spark may not read these trips",
        "Give it the right, in the settings of its connector.",
    ),
    (
        ("PATH_NOT_FOUND", "FileNotFoundException", "does not exist", "FILE_NOT_EXIST"),
        "the trips are not there, or were moved while they were read",
        "Check the path; on a cluster every worker must see it.",
    ),
    (
        ("Py4JNetworkError", "SparkContext was shut down", "stopped SparkContext", "Connection refused", "cancelled"),
        "Spark ended while it was needed",
        "Load the trips again.",
    ),
)  # fmt: skip

_DAMAGED: Final = (
    "FAILED_READ_FILE",
    "is not a Parquet file",
    "CANNOT_READ_FILE_FOOTER",
    "ParquetDecodingException",
)


def refusal(error: Exception, name: str, doing: str, files: Collection[str] = ()) -> AtlasError:
    """The refusal for an error that Spark or its gateway raised.

    Args:
        error: their error. It must not be attached to ours, so raise the refusal outside of the block that caught it.
        name: name of the trips, for messages.
        doing: what was being done, for an unknown fault.
        files: paths that may be named.

    """
    text = f"{type(error).__name__} {error}"
    if any(mark in text for mark in _DAMAGED):
        return damaged(_file_name(text, files) or name)
    lacking = _MODULE.search(text)
    if lacking:
        return InputError(
            f"the workers lack the package {lacking.group(1)}",
            name,
            "Install the packages of requirements.txt on every worker.",
        )
    for marks, what, mend in _KNOWN:
        if any(mark in text for mark in marks):
            return InputError(what, name, mend)
    return InternalError.at(f"{doing} on Spark ({type(error).__name__})")


def damaged(name: str) -> InputError:
    """The refusal of a file that cannot be read as Parquet."""
    return InputError(
        "not a Parquet file, or a damaged one", name, "Remove it from the folder, or write it again."
    )


def _file_name(text: str, files: Collection[str]) -> str:
    """The file that an error mentions, by its last name. Only files that were listed are named."""
    by_name = {file.rpartition("/")[2]: file for file in files}
    for found in _FILE.findall(text):
        last: str = found.rstrip(".:;").rpartition("/")[2]
        if last in by_name:
            return last
    return ""


Found = TypeVar("Found")

_LOOK_EVERY: Final = 0.1  # seconds
_CANCEL_SECONDS: Final = 30.0


@contextmanager
def quiet() -> Iterator[None]:
    """Without two warnings of Spark: about its support for this pandas, which is not used, and about its own sockets."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unclosed <socket", ResourceWarning)
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def run(
    context: SparkContext,
    action: Callable[[], Found],
    *,
    name: str,
    doing: str,
    files: Collection[str] = (),
    progress: Progress | None = None,
) -> Found:
    """The result of an action. It runs in another thread, so that the caller's thread can report progress and cancel.

    Args:
        context: the context that the action uses.
        action: raises only errors of Spark, or ours.
        name: name of the trips, for messages.
        doing: such as ``counting trips``, for messages.
        files: paths that messages may name.
        progress: called with the share of tasks that are done. Any exception of it cancels them.

    Raises:
        AtlasError: what Spark raised, without its text.

    """
    group = f"epsilon-atlas-{id(action)}"
    found: list[Found] = []
    wrong: list[Exception] = []

    def act() -> None:
        try:
            context.setJobGroup(group, doing, interruptOnCancel=True)
            with quiet():
                found.append(action())
        except Exception as error:  # noqa: BLE001 - reported below, without its text
            wrong.append(error)

    thread = Thread(target=act, daemon=True)
    thread.start()
    done = 0.0
    try:
        while thread.is_alive():
            thread.join(_LOOK_EVERY)
            if progress is not None:
                done = max(done, _share(context, group))
                progress(done)
    except BaseException:  # an interrupt, or a page that was left
        with suppress(Exception):  # a Spark that ended has nothing to cancel
            context.cancelJobGroup(group)
        thread.join(_CANCEL_SECONDS)
        raise
    if found:
        return found[0]
    error = wrong[0]
    raise error if isinstance(error, AtlasError) else refusal(error, name, doing, files)


def clearly(action: Callable[[], Found], *, name: str, doing: str) -> Found:
    """The result of a short action, in the caller's thread. Raises as ``run`` does."""
    wrong: AtlasError
    try:
        with quiet():
            return action()
    except AtlasError:
        raise
    except Exception as error:  # noqa: BLE001 - Spark's, its gateway's, or the system's
        wrong = refusal(error, name, doing)
    raise wrong


def _share(context: SparkContext, group: str) -> float:
    """Share of the tasks of a group that are done, among those known so far."""
    done = known = 0
    try:
        tracker = context.statusTracker()
        for job in tracker.getJobIdsForGroup(group):
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info else ():
                told = tracker.getStageInfo(stage)
                if told:
                    done, known = done + told.numCompletedTasks, known + told.numTasks
    except Exception:  # noqa: BLE001 - Spark is ending: the action will report it
        return 0.0
    return done / known if known else 0.0
