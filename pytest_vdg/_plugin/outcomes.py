"""What a verdict does to its test: failure, error, skip or warning.

Apart from the hooks so that the table of verdicts stands in one place. The
first line of every message begins with the verdict, because that is all that
a CI summary shows; whose code raised it is of no interest to its reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from traceback import walk_tb
from typing import Any

import pytest

from pytest_vdg._plugin.marker import KEYWORD
from pytest_vdg.errors import ConfigError, CouldNotBeJudged, VdgError
from pytest_vdg.verdicts import Finding, Verdict

NOT_JUDGED = f"{Verdict.COULD_NOT_BE_JUDGED.value}: "
EVERYWHERE: pytest.StashKey[bool] = pytest.StashKey()
"""Of a test that stands in no folder, so that no conftest is nearer than others."""
_UNDECIDED: pytest.StashKey[str] = pytest.StashKey()


class VdgInconclusiveWarning(pytest.PytestWarning):
    """A claim was INCONCLUSIVE and ini ``vdg_inconclusive = warn`` let it pass."""


def finding_of(error: BaseException) -> Finding | None:
    """Return the finding that *error* carries; None if it is no failed claim."""
    finding = getattr(error, "finding", None)
    return finding if isinstance(finding, Finding) else None


@contextmanager
def undecided_as(policy: str, item: pytest.Item) -> Iterator[None]:
    """Let an ``INCONCLUSIVE`` claim inside fail, warn or skip *item*."""
    try:
        yield
    except AssertionError as error:
        finding = finding_of(error)
        undecided = finding is not None and finding.verdict is Verdict.INCONCLUSIVE
        if not undecided or policy == "fail":
            raise
        message = str(error)
    else:
        return
    if policy == "warn":
        item.warn(VdgInconclusiveWarning(message))
        return
    item.stash[_UNDECIDED] = message.splitlines()[0]
    pytest.skip(message.splitlines()[0])


def shape_report(
    item: pytest.Item, error: BaseException, report: pytest.TestReport
) -> None:
    """Let *report* say first what became of the claim or run behind *error*."""
    if report.skipped and _UNDECIDED in item.stash:
        if not hasattr(report, "wasxfail"):
            _skip_here(item, report)
    elif not report.failed:
        return
    elif _means_not_judged(item, error):
        _shape_not_judged(item, error, report)
    elif finding_of(error) is not None:
        _lead_with(report.longrepr, error)


def _means_not_judged(item: pytest.Item, error: BaseException) -> bool:
    if isinstance(error, CouldNotBeJudged):
        return True
    return isinstance(error, VdgError) and KEYWORD in item.keywords


def _shape_not_judged(
    item: pytest.Item, error: BaseException, report: pytest.TestReport
) -> None:
    message = str(error)
    if isinstance(error, ConfigError):
        message = f"ConfigError: {message}"
    elif not message.startswith(NOT_JUDGED):
        message = NOT_JUDGED + message
    if report.when == "call":
        # pytest calls what is raised in the body a failure, and nothing failed
        # here. Reports of the setup phase are errors everywhere, JUnit included.
        report.when = "setup"
    if not isinstance(error, ConfigError):
        for pair in _properties(item, message):
            item.user_properties.append(pair)
            report.user_properties.append(pair)
    only_message(item, report.longrepr, message)


def _properties(item: pytest.Item, message: str) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = [("vdg.not_judged", message.splitlines()[0])]
    if not any(name == "vdg.verdict" for name, _ in item.user_properties):
        pairs.append(("vdg.verdict", Verdict.COULD_NOT_BE_JUDGED.value))
    return pairs


@contextmanager
def model_told(item: pytest.Item) -> Iterator[None]:
    """Let a model that *item* asks itself skip nothing, as one that is asked for it.

    Raises `CouldNotBeJudged` where the model's own code would end the test; what
    the test itself says, it says.
    """
    try:
        yield
    except BaseException as error:
        from pytest_vdg.sessions.judging import is_ending, told

        model = getattr(item, "funcargs", {}).get("vdg_model")
        if model is None or not is_ending(error) or not _came_through(model, error):
            raise
        raise CouldNotBeJudged(told(error)) from error


def _came_through(model: object, error: BaseException) -> bool:
    """Return whether a method of *model* raised *error*, or called what did."""
    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    return any(frame.f_locals.get("self") is model for frame in frames)


@contextmanager
def exits_told(item: pytest.Item, notes: list[str]) -> Iterator[None]:
    """Let ``pytest.exit`` in *item* end the session, never with 0, and note it.

    Its 0 would be our verdict on tests that were not judged.
    """
    try:
        yield
    except pytest.exit.Exception as error:
        if KEYWORD in item.keywords:
            from pytest_vdg.sessions.judging import told

            said = " ".join(told(error).split())
            notes.append(f"the session was ended by {item.nodeid}: {said}")
            error.returncode = error.returncode or None  # for interrupted
        raise


def keep(item: pytest.Item, found: Sequence[Finding]) -> None:
    """Keep the findings of *item* where reports, JUnit and xdist take them."""
    if not found:
        return
    from pytest_vdg.reports.properties import all_to_properties

    item.user_properties.extend(all_to_properties(found))
    from pytest_vdg.sessions.judging import endings_told

    hook = item.config.hook if EVERYWHERE in item.stash else item.ihook
    for finding in found:
        with endings_told():  # it may not skip what was judged
            hook.pytest_vdg_finding(item=item, finding=finding)


def only_message(item: pytest.Item, longrepr: Any, message: str) -> None:  # noqa: ANN401
    """Replace the traceback, which is ours, by *message* at the test's place.

    Not where all of it is wanted, with ``--full-trace``.
    """
    if item.config.getoption("fulltrace", default=False):
        return
    crash = getattr(longrepr, "reprcrash", None)
    traceback = getattr(longrepr, "reprtraceback", None)
    if crash is None or traceback is None or not traceback.reprentries:
        return
    path, line, _ = item.location
    crash.path, crash.lineno, crash.message = path, (line or 0) + 1, message
    entry = traceback.reprentries[-1]
    end = "\n" if getattr(entry, "style", "") == "native" else ""
    entry.lines = [f"E   {text}{end}" for text in message.splitlines()]
    for part in ("reprfuncargs", "reprlocals", "reprfileloc"):
        if hasattr(entry, part):
            setattr(entry, part, None)
    traceback.reprentries, traceback.extraline = [entry], None
    if hasattr(longrepr, "chain"):
        longrepr.chain = [(traceback, crash, None)]


def _lead_with(longrepr: Any, error: BaseException) -> None:  # noqa: ANN401
    """Take the name of the exception's class from where the verdict belongs."""
    crash = getattr(longrepr, "reprcrash", None)
    if crash is None:
        return
    crash.message = str(error)
    kind = type(error)
    name = f"{kind.__module__}.{kind.__qualname__}: "
    for entry in longrepr.reprtraceback.reprentries:
        entry.lines = [line.replace(name, "", 1) for line in entry.lines]
        if hasattr(entry, "reprfuncargs"):
            entry.reprfuncargs = None  # a run is no reading matter


def _skip_here(item: pytest.Item, report: pytest.TestReport) -> None:
    path, line, _ = item.location
    report.longrepr = (path, (line or 0) + 1, f"Skipped: {item.stash[_UNDECIDED]}")
