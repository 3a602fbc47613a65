"""What a test asks for: the ``vdg`` marker and the fixtures it names.

Apart from the fixtures because a misspelt keyword must stop the session
before anything is loaded, whether or not the test will run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pytest

from pytest_vdg.errors import did_you_mean
from pytest_vdg.sessions.asks import Ask

MARKER = "vdg"
HELP = (
    "vdg(slice=, conditions=, questions=, tasks=, seed=, checkpoint=, loosened=): ask "
    "a video model the questions of a slice under these conditions (see pytest-vdg)"
)
FIXTURES = frozenset({"vdg", "vdg_model", "vdg_slice", "vdg_run", "vdg_baseline"})
NO_MODEL = frozenset({"vdg_slice"})
"""Fixtures that give questions only, and ask no model."""
ASK: pytest.StashKey[Ask] = pytest.StashKey()
LOOSENED: pytest.StashKey[str] = pytest.StashKey()
"""Why a margin of the test is larger than it was."""
KEYWORD = "pytest-vdg test"
"""Keyword by which the controller recognises the reports of vdg tests."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_texts(value: object) -> bool:
    listed = isinstance(value, list | tuple) and bool(value)
    return listed and all(_is_text(item) for item in value)  # type: ignore[attr-defined]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "slice": ("the name of a slice", _is_text),
    "conditions": ("a list of conditions", _is_texts),
    "questions": ("a whole number above 0", lambda v: _is_whole(v) and v > 0),
    "tasks": ("a task or a list of tasks", lambda v: _is_text(v) or _is_texts(v)),
    "seed": ("a whole number", _is_whole),
    "checkpoint": ("a folder or a hub id", _is_text),
    "loosened": (
        "the reason for a larger margin, in words",
        lambda v: _is_text(v) and not v.isspace(),
    ),
}


def is_vdg_test(item: pytest.Item) -> bool:
    """Return whether *item* is marked, or asks for one of our fixtures."""
    if item.get_closest_marker(MARKER) is not None:
        return True
    return uses_fixture(item)


def needs_model(item: pytest.Item) -> bool:
    """Return whether *item* asks for a fixture of ours that asks a model."""
    return uses_fixture(item, FIXTURES - NO_MODEL)


def about_questions(item: pytest.Item) -> bool:
    """Return whether *item* asks for questions only, so that no model is needed."""
    return uses_fixture(item) and not needs_model(item)


def uses_fixture(item: pytest.Item, which: Collection[str] = FIXTURES) -> bool:
    """Return whether *item* asks for one of our fixtures, directly or not.

    A parameter, or a fixture of the user's own, that merely has such a name is
    none of ours: skipping its test for want of a checkpoint would lose it.
    """
    names = frozenset(which).intersection(getattr(item, "fixturenames", ()))
    known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    return any(_is_ours(name, known.get(name, ())) for name in names)


def _is_ours(name: str, definitions: Sequence[Any]) -> bool:
    """Return whether the nearest definition of a fixture leads to one of ours."""
    for definition in reversed(definitions):  # the nearest to the test is last
        if str(getattr(definition.func, "__module__", "")).startswith("pytest_vdg."):
            return True
        if name not in definition.argnames:  # it builds on no other of that name
            return False
    return False


def read_ask(item: pytest.Item) -> Ask:
    """Merge the markers of function, class and module; the nearest wins.

    What they say of a margin is kept with the *item*. Raises ``UsageError`` for a
    keyword that is unknown or of another type.
    """
    merged: dict[str, Any] = {}
    for mark in item.iter_markers(MARKER):
        _check(mark, item)
        for name, value in mark.kwargs.items():
            merged.setdefault(name, value)
    if "loosened" in merged:
        item.stash[LOOSENED] = merged.pop("loosened")
    for name in ("conditions", "tasks"):
        if name in merged:
            value = merged[name]
            merged[name] = (value,) if isinstance(value, str) else tuple(value)
    return Ask(**merged)


def _check(mark: pytest.Mark, item: pytest.Item) -> None:
    where = f"{item.nodeid}: @pytest.mark.vdg"
    if mark.args:
        raise pytest.UsageError(
            f"{where} takes keywords only, got {mark.args[0]!r}. "
            f"Write: @pytest.mark.vdg(slice={mark.args[0]!r})"
        )
    for name, value in mark.kwargs.items():
        if name not in _KINDS:
            raise pytest.UsageError(
                f"{where} has no keyword {name!r}." + did_you_mean(name, _KINDS)
            )
        words, accepts = _KINDS[name]
        if not accepts(value):
            raise pytest.UsageError(f"{where}: {name} must be {words}, got {value!r}")
