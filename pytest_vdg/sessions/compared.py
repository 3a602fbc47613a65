"""A second checkpoint as the baseline, asked in the same session as the first.

Apart from the committed baselines, which are files with a life of their own:
this one is made anew, on the same slice, frames and conditions, and what is
not so is refused by the same rule.
"""

from __future__ import annotations

from pytest_vdg.comparable import require_comparable
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError
from pytest_vdg.runs import Run

_NEXT = (
    "Both are asked with the same settings, so the checkpoints themselves differ in "
    "these. Name in vdg.yaml what they do not agree on (dtype, attention), or compare "
    "each with a recorded baseline of its own"
)


def require_other(settings: Settings) -> None:
    """Raise `ConfigError` where no second checkpoint can be asked.

    A time budget would end at other questions for each of the two.
    """
    named = settings.where["compare_to"].named
    if settings.time_budget is not None:
        budget = settings.where["time_budget"].named
        raise ConfigError(
            f"{named} and {budget}: each of the two checkpoints would be asked other "
            "questions. Leave the budget out, or ask fewer questions of both with "
            "--vdg-questions"
        )
    if settings.replay is None:
        settings.compared.locate()


def require_two(settings: Settings, checkpoint: str, other: str) -> None:
    """Raise `ConfigError` where the two checkpoints are one."""
    if checkpoint == other:
        named = settings.where["compare_to"].named
        raise ConfigError(
            f"{named} names {settings.compare_to!r}, which is the checkpoint under "
            "test: compared with itself nothing ever changes. Name the other one"
        )


def compared_with(run: Run, other: Run) -> Run:
    """Return *other* at the conditions of *run*, checked to be comparable."""
    require_comparable(run, other, advice=_NEXT)
    return other.only(run.conditions)


def name_of(other: Run) -> str:
    """Return what a report calls the checkpoint of *other*, with its weights."""
    weights = other.fingerprint.subject.get("weights", "").rpartition(":")[2][:8]
    return other.checkpoint + (f"@{weights}" if weights else "")
