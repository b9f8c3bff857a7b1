"""What a run says at its end: which tests were left out and why, and by what chance right laws fail it.

Workers send what their tests stated along with their reports.
"""

from __future__ import annotations

from collections import Counter

from tests import chance

_NAME = "chance"
NOT_OURS = "needs the test data"
"""So begins the reason of a test that is left out because its data do not come with the project."""
_INSTALLED = {
    "Spark": "requirements-spark.txt",
    "PostgreSQL": "no PostgreSQL",
    "a second reader of YAML": "'yaml'",
    "containers": "requirements-ci.txt",
}
"""What ``make ci`` installs and nothing else does, by a word of the reason of a skipped test."""


def reason_of(report) -> str:
    """Why a test was skipped."""
    said = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")


def left_out(reasons: Counter[str]) -> str:
    """What was left out, in one line."""
    wanted, parts = Counter(), []
    for reason, number in reasons.items():
        of = (what for what, word in _INSTALLED.items() if word in reason)
        wanted["data" if reason.startswith(NOT_OURS) else next(of, reason)] += number
    ours = [f"{wanted.pop(what)} of {what}" for what in _INSTALLED if wanted[what]]
    if ours:
        parts.append(f"{', '.join(ours)}: make .venv/ready-for-all-tests installs what they need")
    if wanted["data"]:
        parts.append(f"{wanted.pop('data')} that need test data, which do not come with the project")
    parts += [f"{number}: {reason}" for reason, number in wanted.items() if number]
    return f"left out: {'; '.join(parts)}"


class EndOfRun:
    """A plugin of pytest: sums up the tests of a run, and fails it where they leave too much to chance."""

    def __init__(self) -> None:
        self.stated: list[float] = []
        self.tests: set[str] = set()
        self.skipped: Counter[str] = Counter()

    def pytest_runtest_setup(self):
        """What a test before did not hand over is none of this one."""
        chance.taken()

    def pytest_runtest_teardown(self, item):
        """A test states its chances while it runs, and its fixtures theirs before."""
        item.user_properties.extend((_NAME, one) for one in chance.taken())

    def pytest_runtest_logreport(self, report):
        """The last report of a test has all that it stated, wherever it ran."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped[reason_of(report)] += 1
        found = [value for name, value in report.user_properties if name == _NAME]
        if report.when == "teardown" and found:
            self.stated += found
            self.tests.add(report.nodeid)

    def pytest_sessionfinish(self, session):
        """Too much chance is a failure."""
        if sum(self.stated) >= chance.MOST and not hasattr(session.config, "workerinput"):
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter):
        """One line of each, and one more where a chance is too large."""
        if self.skipped:
            terminalreporter.write_line(left_out(self.skipped))
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
