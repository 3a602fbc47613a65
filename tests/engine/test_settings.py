"""Settings check themselves, and say what makes two runs comparable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_vdg.engine.settings import RunSettings
from pytest_vdg.frames.sampling import Sampling
from pytest_vdg.runs import Caps
from tests.engine.examples import SETTINGS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sampling", Sampling(frames=5)),
        ("seed", 1),
        ("instruction", "Answer with one letter."),
        ("reader", "pyav"),
        ("size", (16, 24)),
    ],
)
def test_what_changes_answers_makes_runs_incomparable(name: str, value: object) -> None:
    """Each setting that a model can notice is in the comparable part."""
    changed: RunSettings = replace(SETTINGS, **{name: value})
    before, after = SETTINGS.comparable(), changed.comparable()
    assert [k for k in before if before[k] != after[k]] == [name]


@pytest.mark.parametrize(
    ("name", "value"),
    [("caps", Caps(failed=0.5)), ("on_bad_media", "skip"), ("give_up_after", 3)],
)
def test_policies_do_not(name: str, value: object) -> None:
    """Stricter caps judge the same answers; baselines stay valid."""
    changed: RunSettings = replace(SETTINGS, **{name: value})
    assert changed.comparable() == SETTINGS.comparable()


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"reader": "decor"}, "Did you mean 'decord'"),
        ({"on_bad_media": "ignore"}, "on_bad_media must be one of"),
        ({"size": (0, 8)}, "size must be at least"),
        ({"give_up_after": 0}, "give_up_after must be at least 1"),
    ],
)
def test_wrong_settings_are_refused(changes: dict[str, Any], match: str) -> None:
    """The argument is named, with the value that came."""
    with pytest.raises(ValueError, match=match):
        replace(SETTINGS, **changes)


@pytest.mark.parametrize("seed", [True, 1.5, "1"])
def test_a_seed_is_an_integer(seed: object) -> None:
    """A seed of another type would print alike and draw differently."""
    with pytest.raises(TypeError, match="seed must be an integer"):
        replace(SETTINGS, seed=seed)
