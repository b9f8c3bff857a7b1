"""dpcore itself as one archive, so that the workers of a cluster run the very code of the driver."""

from __future__ import annotations

import zipfile
from pathlib import Path

import dpcore


def write_package(place: Path) -> Path:
    """Write the source of dpcore, and nothing else, as a zip that Python imports from.

    Raises:
        OSError: the file cannot be written.

    """
    root = Path(dpcore.__file__).parent
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.suffix in {".py", ".csv", ".css", ".js", ".typed"}:
                archive.write(file, Path(root.name) / file.relative_to(root))
    return place
