"""Which code made what is kept: with any other byte of the package, or another version below it, it is made anew."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import duckdb
import numba
import numpy as np
import pyarrow as pa
import shapely

import dpcore


@lru_cache(1)
def code_digest() -> str:
    """Digest of all code of the package and of the versions of what counts and works on shapes."""
    root = Path(dpcore.__file__).parent
    digest = blake2b(digest_size=16)
    versions = (
        *(dpcore.__version__, shapely.__version__, shapely.geos_version_string),
        *(np.__version__, numba.__version__, duckdb.__version__, pa.__version__),
    )
    digest.update("\n".join(versions).encode())
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()
