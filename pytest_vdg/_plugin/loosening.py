"""Criteria of a session: held to what is recorded, shown, and recorded anew.

Apart from the fixture because what a test claims is known only when it is over,
and apart from verdicts because a looser criterion is no evidence of anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vdg._plugin.marker import LOOSENED
from pytest_vdg._plugin.results import LOOSENED as PROPERTY
from pytest_vdg._plugin.state import STATE, State
from pytest_vdg.errors import CouldNotBeJudged

if TYPE_CHECKING:
    from pytest_vdg.store._parse import Recorded
    from pytest_vdg.store.criteria import Criterion
    from pytest_vdg.verdicts import Finding

HELD: pytest.StashKey[tuple[str, Sequence[Criterion]]] = pytest.StashKey()
"""Slice of a test's baseline, and what that says its claims were held to."""
_UNEXPLAINED: pytest.StashKey[str] = pytest.StashKey()


def held_to(item: pytest.Item, recorded: Recorded) -> None:
    """Note what the claims of *item* were held to when *recorded* was written."""
    item.stash[HELD] = recorded.run.slice_name, recorded.criteria


def note(item: pytest.Item, found: Sequence[Finding]) -> None:
    """Note which criteria of *found* are looser than they were, and keep all.

    A test may also compare runs of its own making: what its baseline recorded says
    nothing of other slices.
    """
    item.stash[_UNEXPLAINED] = ""
    against = [finding for finding in found if finding.baseline is not None]
    if not against:
        return
    from pytest_vdg.sessions.baseline_criteria import criteria_of, loosened

    reason = item.stash.get(LOOSENED, "")
    name, held = item.stash.get(HELD, ("", ()))
    own = [finding for finding in against if finding.slice_name == name]
    others = [finding for finding in against if finding.slice_name != name]
    said = loosened(own, held, reason)
    lines = dict.fromkeys((*said.lines, *loosened(others, (), reason).lines))
    item.user_properties.extend((PROPERTY, line) for line in lines)
    item.stash[_UNEXPLAINED] = said.unexplained or ""
    if own:
        claimed = item.config.stash[STATE].claimed
        claimed.setdefault(name, []).extend(criteria_of(own, reason))


def require_reason(item: pytest.Item) -> None:
    """Raise `CouldNotBeJudged` where one was loosened and no one says why."""
    unexplained = item.stash.get(_UNEXPLAINED, "")
    if unexplained:
        raise CouldNotBeJudged(unexplained)


def told(state: State) -> dict[str, list[dict[str, Any]]]:
    """Return what this process's claims were held to, by file, as plain values."""
    if not state.claimed:
        return {}
    from pytest_vdg.sessions.baseline import baseline_path
    from pytest_vdg.store.criteria import to_record

    found: dict[str, list[dict[str, Any]]] = {}
    for name, criteria in state.claimed.items():
        left = state.candidates.get(name)
        paths = [] if left is None else [left]
        if name in state.recorded:
            paths.append(baseline_path(state.settings, name))
        for path in paths:
            found[str(path)] = [to_record(each) for each in criteria]
    return found


def write(told: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Write what all processes `told` into the files; return notes of it."""
    if not told:
        return []
    from pytest_vdg.sessions.baseline_criteria import keep_criteria
    from pytest_vdg.store.criteria import from_record

    return keep_criteria(
        {name: [from_record(each) for each in all_] for name, all_ in told.items()}
    )
