"""What a run says at its end: by what chance right laws fail it. Workers send what their tests stated along with their reports."""

from __future__ import annotations

from tests import chance

_NAME = "chance"


class EndOfRun:
    """A plugin of pytest: sums up the tests of a run, and fails it where they leave too much to chance."""

    def __init__(self) -> None:
        self.stated: list[float] = []
        self.tests: set[str] = set()

    def pytest_runtest_setup(self):
        """What a test before did not hand over is none of this one."""
        chance.taken()

    def pytest_runtest_teardown(self, item):
        """A test states its chances while it runs, and its fixtures theirs before."""
        item.user_properties.extend((_NAME, one) for one in chance.taken())

    def pytest_runtest_logreport(self, report):
        """The last report of a test has all that it stated, wherever it ran."""
        found = [value for name, value in report.user_properties if name == _NAME]
        if report.when == "teardown" and found:
            self.stated += found
            self.tests.add(report.nodeid)

    def pytest_sessionfinish(self, session):
        """Too much chance is a failure."""
        if sum(self.stated) >= chance.MOST and not hasattr(session.config, "workerinput"):
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        """One line, and one more where a chance is too large."""
        if not self.stated:
            return
        whole = sum(self.stated)
        terminalreporter.write_line(
            f"laws: {len(self.tests)} tests of this run have {len(self.stated)} chances to fail although the product is right, "
            f"together {whole:.1e} at most"
        )
        if whole >= chance.MOST:
            terminalreporter.write_line(
                f"laws: this run failed, because that is not below {chance.MOST:.0e}; the largest are "
                + ", ".join(f"{one:.1e}" for one in sorted(self.stated)[-5:])
            )
