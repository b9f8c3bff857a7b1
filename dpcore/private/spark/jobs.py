"""Running something on Spark with a progress bar that tells the truth, and a cancel that reaches the workers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeVar

from dpcore.errors import AtlasError
from dpcore.private.progress import Progress
from dpcore.private.spark.faults import refusal

if TYPE_CHECKING:
    from pyspark import SparkContext

Found = TypeVar("Found")

_LOOK_EVERY: Final = 0.1  # seconds
_CANCEL_SECONDS: Final = 30.0


@contextmanager
def quiet() -> Iterator[None]:
    """Without two warnings of Spark: that it does not know this pandas, of which nothing is used, and of its own sockets."""
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
    """What an action gives. It runs beside, so that progress is told, and can refuse to go on, in the caller's thread.

    Args:
        context: that the action uses.
        action: raises only errors of Spark, or ours.
        name: of the trips, for messages.
        doing: such as ``counting trips``, for messages.
        files: paths that messages may name.
        progress: called with the share of tasks that are done; whatever it raises cancels them.

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
        except Exception as error:  # noqa: BLE001 - told below, without its text
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
        with suppress(Exception):  # of a Spark that ended nothing is left to be cancelled
            context.cancelJobGroup(group)
        thread.join(_CANCEL_SECONDS)
        raise
    if found:
        return found[0]
    error = wrong[0]
    raise error if isinstance(error, AtlasError) else refusal(error, name, doing, files)


def clearly(action: Callable[[], Found], *, name: str, doing: str) -> Found:
    """What a short action gives, in the caller's thread; raises as ``run`` does."""
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
    """Share of the tasks of a group that are done, among those known by now."""
    done = known = 0
    try:
        tracker = context.statusTracker()
        for job in tracker.getJobIdsForGroup(group):
            info = tracker.getJobInfo(job)
            for stage in info.stageIds if info else ():
                told = tracker.getStageInfo(stage)
                if told:
                    done, known = done + told.numCompletedTasks, known + told.numTasks
    except Exception:  # noqa: BLE001 - Spark is ending: the action will tell
        return 0.0
    return done / known if known else 0.0
