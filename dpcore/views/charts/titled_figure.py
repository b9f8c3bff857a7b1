"""A figure of plotly whose page has a title. Imported by ``dpcore.chart`` alone, when it is called: plotly takes a second."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from plotly.graph_objects import Figure

_HEAD = '<meta charset="utf-8" />'  # the first tag of plotly's page, which has no title


class TitledFigure(Figure):  # type: ignore[misc]  # plotly has no types
    """As plotly's ``Figure``; pages that it writes are named by ``layout.meta["title"]``."""

    def to_html(self, *given: Any, **named: Any) -> str:  # noqa: ANN401 - handed on
        """As plotly's, with a title where it is a whole page."""
        return self._page_with_title(super().to_html(*given, **named))

    def write_html(self, file: Any, *given: Any, **named: Any) -> None:  # noqa: ANN401 - handed on
        """As plotly's, with a title where ``file`` is a path."""
        super().write_html(file, *given, **named)
        if isinstance(file, (str, Path)):
            place = Path(file)
            place.write_text(self._page_with_title(place.read_text(encoding="utf-8")), encoding="utf-8")

    def _page_with_title(self, page: str) -> str:
        meta = self.layout.meta
        title = meta.get("title", "") if isinstance(meta, dict) else ""
        return page.replace(_HEAD, f"{_HEAD}<title>{escape(str(title))}</title>", 1) if title else page
