"""One Spark session for this process, configured so that it answers like the embedded engine.

On this computer Spark listens only to itself, and spills into the private folder. Nothing that it shows or logs can reveal a
number: its web page, its event log and its log are off, and what it writes to disks is encrypted. These settings are made
when Spark starts, so a Spark that other code started in this process is refused.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Final

from dpcore import limits
from dpcore.engines.spark.private import places
from dpcore.engines.spark.private.holding import let_go_of_all
from dpcore.engines.spark.private.jobs import clearly, quiet
from dpcore.engines.spark.private.places import write_package
from dpcore.errors import InputError
from dpcore.version import FOLDER

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


NAME: Final = "Epsilon Atlas"
PACKAGE: Final = "epsilon_atlas_dpcore.zip"
_UNPACKED: Final = "epsilon_atlas"
LOCAL: Final = "local[*,4]"
"""All cores of this computer. A failing task is tried up to four times, as on a cluster."""

ANSWERS: Final[Mapping[str, str]] = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # so that such a column without a role causes no error
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",  # the folder user_id=007 is not user 7
    "spark.sql.files.ignoreCorruptFiles": "false",  # a file that cannot be read is no file without trips
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "131072",
    "spark.sql.execution.arrow.useLargeVarTypes": "false",
}
"""Settings on which an answer may depend."""

_SILENT: Final[Mapping[str, str]] = {
    "spark.ui.enabled": "false",  # it shows exact numbers of rows
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.log.level": "OFF",
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.io.encryption.enabled": "true",
    "spark.sql.queryExecutionListeners": "",
}
_LOGGERS: Final = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""PySpark's own log of errors. It quotes Spark's texts."""
# with an appender, because Spark takes a root logger without one for a logger that was not set up
_NO_LOG: Final = (
    "appender.none.type = Null\nappender.none.name = none\n"
    "rootLogger.level = off\nrootLogger.appenderRef.none.ref = none\n"
)
_LOCAL_MASTER: Final = re.compile(r"local(?:\[(?P<cores>\*|[1-9][0-9]{0,3})(?:,[0-9]{1,2})?\])?")
_STANDALONE: Final = re.compile(r"spark://(?P<places>[\w.-]+:[0-9]{1,5}(?:,[\w.-]+:[0-9]{1,5})*)")
_KUBERNETES: Final = re.compile(r"k8s://(?:https?://)?(?P<places>[\w.-]+:[0-9]{1,5})(?:/.*)?")
_ANSWER_SECONDS: Final = 5.0
_JAVA_SECONDS: Final = 120.0  # for Java to start; on a busy computer a slow start is normal
_START_SECONDS: Final = 90.0  # then: Spark itself gives up a master that says nothing after 60
_WORKER_SECONDS: Final = 60.0
_PATIENT_SECONDS: Final = 300.0  # a cluster that starts machines first
_END_SECONDS: Final = 60.0
_LOCK: Final = Lock()
_OURS: Final[list[SparkContext]] = []
"""What this module started and did not end."""


def master_of(given: str | None) -> str:
    """The Spark master that an address names. None stands for this computer.

    Raises InputError: not an address of a master.
    """
    if given is None or given == "":
        return LOCAL
    local = _LOCAL_MASTER.fullmatch(given)
    if local:
        return f"local[{local['cores'] or 1},4]"
    if given == "yarn" or _STANDALONE.fullmatch(given) or _KUBERNETES.fullmatch(given):
        return given
    raise InputError(
        "not the address of a Spark master",
        "--master",
        "Give one such as spark://host:7077, yarn, k8s://https://host:6443 or local[4].",
    )


def session(given: str | None) -> SparkSession:
    """A session on a master, with its own views and settings. Spark is started at first use.

    Raises InputError: PySpark or Java is missing, or nobody answers at the master.
    """
    master = master_of(given)
    must_be_installed()
    with _LOCK:
        context = _running()
        if context is not None and context not in _OURS:
            raise InputError(
                "Spark runs in this process already, and was not started by this program",
                "engine spark",
                "Stop it first. This program starts its own, without web page, event log and log, and with encryption.",
            )
        if context is not None and (context.master != master or not _lives(context)):
            _end()  # data sets on it then report that they are gone
            context = None
        started = _started(master) if context is None else _session_of(context)

        def own_with_package() -> SparkSession:
            if not master.startswith("local"):
                _send_package(started.sparkContext)
            return own(started)

        return clearly(own_with_package, name=given or "this computer", doing="asking for a session")


def forget() -> None:
    """End the Spark of this process, and with it everything that it holds; it starts again when it is needed.

    Where it never ran nothing happens.
    Raises InputError: it does not end.
    """
    with _LOCK:
        _end()


def _end() -> None:
    """Release everything and end what was started. Raises InputError if it does not end in time."""
    for context in _OURS:
        if not _in_time(lambda context=context: _ended(context), _END_SECONDS):  # type: ignore[misc]
            raise InputError("Spark does not end", "engine spark", "End this program: Spark ends with it.")
    _OURS.clear()


def _ended(context: SparkContext) -> None:
    let_go_of_all()
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that Java is no longer there
        context.stop()


def _lives(context: SparkContext) -> bool:
    """Whether Spark still answers, and was not ended by its cluster."""
    try:
        return not context._jsc.sc().isStopped()  # noqa: SLF001 - nothing in public tells
    except Exception:  # noqa: BLE001 - its gateway's: Java was killed
        return False


def own(spark: SparkSession) -> SparkSession:
    """A session beside another one, with the same rows and its own views and settings."""
    beside = spark.newSession()
    for name, value in ANSWERS.items():
        beside.conf.set(name, value)
    if str(spark.sparkContext.master).startswith("local"):
        beside.conf.set("spark.sql.shuffle.partitions", str(2 * spark.sparkContext.defaultParallelism))
    return beside


def must_be_installed() -> None:
    """Refuse if PySpark or Java is missing. Starts nothing."""
    try:
        with quiet():
            import pyspark.sql  # noqa: F401, PLC0415 - an extra that need not be there
    except ImportError:
        installed = False
    else:
        installed = True
    if not installed:
        raise InputError(
            "PySpark is not installed", "engine spark", "Run: pip install -r requirements-spark.txt"
        )
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise InputError(
            "Java is missing", "engine spark", "Install Java 17, or set JAVA_HOME to where it is."
        )


def _running() -> SparkContext | None:
    from pyspark import SparkContext  # noqa: PLC0415 - an extra that need not be there

    return SparkContext._active_spark_context  # noqa: SLF001 - asking in public starts one


def _session_of(context: SparkContext) -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra that need not be there

    with quiet():
        return SparkSession(context)


def _started(master: str) -> SparkSession:
    """A new context. It is given up if it does not start in time."""
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 - an extra that need not be there
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra that need not be there

    must_answer(master)
    for name in _LOGGERS:
        PySparkLogger.getLogger(name).disabled = True
    _let_go_of_dead_java()
    builder = SparkSession.builder.master(master).appName(NAME)
    for name, value in {**ANSWERS, **_SILENT, **_settings(master)}.items():
        builder = builder.config(name, value)
    made: list[SparkSession] = []

    def start() -> None:
        try:
            with quiet(), _python_of(master):
                made.append(builder.getOrCreate())
        except Exception:  # noqa: BLE001 - its text is Java's own and helps nobody
            return

    standalone = master.startswith("spark:")
    thread = Thread(target=start, daemon=True)
    thread.start()
    _wait_for_java(thread)
    thread.join(_START_SECONDS if standalone else _PATIENT_SECONDS)
    if not made:
        here = master.startswith("local")
        raise InputError(
            "Spark did not start",
            "this computer" if here else master,
            "It needs Java 17 or later and some free memory."
            if here
            else "Check that a Spark master of the same version listens there.",
        )
    spark = made[0]
    if not master.startswith("local") and not _in_time(
        lambda: _probe(spark), _WORKER_SECONDS if standalone else _PATIENT_SECONDS
    ):
        Thread(target=spark.stop, daemon=True).start()
        raise InputError(
            "no worker of the cluster took up a task",
            master,
            "Check that workers are registered and have free cores and memory.",
        )
    _OURS[:] = [spark.sparkContext]
    atexit.register(_ended, spark.sparkContext)
    return spark


def _send_package(context: SparkContext) -> None:
    """Give workers the code of the driver, once for each context. They have the packages that it needs.

    It is unpacked into the folder of each executor, where compiled code can be cached beside it.
    """
    if any(PACKAGE in place for place in (*context.listFiles, *context.listArchives)):
        return
    package = str(write_package(places.place() / PACKAGE))
    context.addArchive(f"{package}#{_UNPACKED}")


def _let_go_of_dead_java() -> None:
    """Let PySpark start Java again after it was killed. Otherwise it would ask the dead one for ever."""
    from pyspark import SparkContext  # noqa: PLC0415 - an extra that need not be there

    gateway = SparkContext._gateway  # noqa: SLF001 - nothing in public tells
    if gateway is None:
        return
    try:
        gateway.jvm.java.lang.System.nanoTime()
    except Exception:  # noqa: BLE001 - the gateway's
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - see above


def _wait_for_java(thread: Thread) -> None:
    """Wait until Java runs, or until the thread that starts it has ended."""
    from pyspark import SparkContext  # noqa: PLC0415 - an extra that need not be there

    end = time.monotonic() + _JAVA_SECONDS
    while thread.is_alive() and SparkContext._gateway is None and time.monotonic() < end:  # noqa: SLF001 - see above
        thread.join(0.1)


def _probe(spark: SparkSession) -> None:
    try:
        spark.range(1).count()
    except Exception:  # noqa: BLE001 - the work itself will report it
        return


def _in_time(action: Callable[[], None], seconds: float) -> bool:
    thread = Thread(target=action, daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()


def must_answer(master: str) -> None:
    """Check that somebody listens at the master. Spark itself would try for minutes."""
    named = _STANDALONE.fullmatch(master) or _KUBERNETES.fullmatch(master)
    if named is None:
        return
    for place in named["places"].split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _ANSWER_SECONDS).close()
        except (OSError, OverflowError):
            continue
        return
    raise InputError("no Spark master answers", master, "Check the address, and that the master runs.")


def _settings(master: str) -> dict[str, str]:
    folder = places.place()
    silent = folder / "log4j2.properties"
    silent.write_text(_NO_LOG, encoding="ascii")
    settings = {
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={silent.as_uri()}",
        "spark.sql.warehouse.dir": str(folder),
    }
    if master.startswith("local"):
        settings |= {
            "spark.local.dir": str(folder),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.executorEnv.PYTHONPATH": str(FOLDER.parent),
            "spark.driver.memory": f"{_affordable() // 2**20}m",
            "spark.driver.maxResultSize": "0",
        }
    else:
        settings["spark.executorEnv.PYTHONPATH"] = _UNPACKED  # below the folder in which an executor runs
    return settings


def _affordable() -> int:
    """Bytes for Spark's own memory on this computer. Its Python workers need about as much again."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(limits.ENGINE_MEMORY_BYTES, physical * 6 // 10) // 2


@contextmanager
def _python_of(master: str) -> Iterator[None]:
    """On this computer, make workers use this Python. Otherwise the first on the path would run, without our packages."""
    before = os.environ.get("PYSPARK_PYTHON")
    if master.startswith("local"):
        os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("PYSPARK_PYTHON", None)
        else:
            os.environ["PYSPARK_PYTHON"] = before


def spark_is_installed() -> bool:
    """Whether PySpark and Java are there. Nothing is started."""
    try:
        must_be_installed()
    except InputError:
        return False
    return True
