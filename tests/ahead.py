"""Compiles all files of tests before workers begin, each once: without it, every worker rewrites the asserts of all of them.

python -m tests.ahead

That is most of what a first run spends on collecting. Later runs find what is compiled, and this looks only whether it is as
old as its source. What pytest writes is read by pytest alone, so its own functions write it here.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import SimpleNamespace

from _pytest.assertion import rewrite

TESTS = Path(__file__).parent
PATTERNS = ("test_*.py", "conftest.py")
# What `rewrite` asks of a run of pytest: one option that is off, and where to tell of a disk that takes nothing.
_CONFIG = SimpleNamespace(getini=lambda _name: False)
_STATE = SimpleNamespace(trace=lambda _text: None)


def compiled_of(file: Path) -> Path:
    """Where pytest keeps what it made of a file."""
    return rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"


def is_missing(file: Path) -> bool:
    """Whether pytest would compile it."""
    return rewrite._read_pyc(file, compiled_of(file)) is None


def compiled(file: Path) -> bool:
    """Whether it is compiled and written now."""
    source, code = rewrite._rewrite_test(file, _CONFIG)
    return rewrite.try_makedirs(compiled_of(file).parent) and rewrite._write_pyc(
        _STATE, code, source, compiled_of(file)
    )


def main(place: Path = TESTS) -> None:
    """All files that are missing, on all cores."""
    files = sorted({file for pattern in PATTERNS for file in place.rglob(pattern)})
    with ProcessPoolExecutor() as pool:
        missing = [
            file
            for file, asked in zip(files, pool.map(is_missing, files, chunksize=20), strict=True)
            if asked
        ]
        list(pool.map(compiled, missing, chunksize=5))


if __name__ == "__main__" and not sys.dont_write_bytecode:
    main()
