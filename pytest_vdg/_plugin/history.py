"""The history of a pytest session: what is kept of its runs, by one process.

Apart from the summary because runs are made where tests run, on workers too,
and verdicts are heard where reports arrive: both meet here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_vdg._plugin.state import State
from pytest_vdg.spelling import moment


def of_this_process(state: State) -> list[dict[str, Any]]:
    """Return the runs of this process as plain values, if they are to be kept."""
    session = state.opened
    if session is None:
        return []
    settings = state.settings
    if not settings.keeps_history:
        return []
    from pytest_vdg.reports.past import past_run
    from pytest_vdg.store.history import to_record

    when = moment()
    found = [
        past_run(run, origin="pytest", when=when, environment=settings.environment)
        for run in session.runs
        if run.questions
    ]
    return [to_record(run) for run in found]


def remember(
    state: State,
    records: Sequence[Mapping[str, Any]],
    properties: Mapping[str, Iterable[tuple[str, str]]],
) -> list[str]:
    """Keep those of *records* that a test judged; return what has to be told.

    *properties* are those of each test. That nothing can be kept changes no
    verdict.
    """
    if not records:
        return []
    from pytest_vdg.reports.past import judged, merged
    from pytest_vdg.reports.properties import from_properties
    from pytest_vdg.store.history import from_record, keep

    findings = {test: from_properties(pairs) for test, pairs in properties.items()}
    runs = merged(map(from_record, records))
    return keep(state.settings.cache_dir, judged(runs, findings))
