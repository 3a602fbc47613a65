"""``vdg ablate``: is accuracy flat over compression or frame rate?

Apart from ``ladder`` because what it shows comes with verdicts, by level and task.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import (
    N,
    Task,
    Variadic,
    Where,
    names,
    settings_of,
)
from pytest_vdg._commands._counts import counts_of, fingerprint_of
from pytest_vdg._commands._panel import Written, reported, require_writable
from pytest_vdg._commands._progress import progress_line
from pytest_vdg.errors import ConfigError
from pytest_vdg.sessions.asks import Ask
from pytest_vdg.sessions.judging import broken_told
from pytest_vdg.sessions.levels import AXES, run_levels

if TYPE_CHECKING:
    from pytest_vdg.reports.ablated import Ablation
    from pytest_vdg.runs import Run


def _require_number(_: object, given: Sequence[str] | None) -> None:
    if given is not None and not names(given):
        raise ValueError("needs a number, or several")


_Numbers = Parameter(consume_multiple=True, negative=(), validator=_require_number)
_NUMBER = re.compile(r"(\d*)(?:\.(\d*))?", re.ASCII)


@Parameter(name="*", group=Group("The levels, of one kind", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class Levels:
    """What the model is shown instead of the original."""

    crf: Annotated[list[N] | None, _Numbers] = None
    """Constant rate factors of H.264, 0 to 51; more is coarser"""
    fps: Annotated[list[N] | None, _Numbers] = None
    """Frames a second"""
    frames: Annotated[list[N] | None, _Numbers] = None
    """Numbers of frames"""


def ablate(
    checkpoint: str | None = None,
    /,
    *,
    levels: Levels | None = None,
    slice: str | None = None,  # noqa: A002 - the name of the option
    tasks: Annotated[list[Task] | None, Variadic] = None,
    margin: float = 0.03,
    missing: Literal["drop", "wrong"] = "drop",
    outputs: Written | None = None,
    where: Where | None = None,
) -> Sequence[str]:
    r"""Hold accuracy under compression, or at other frame rates, against the original.

    Each level, over all tasks and on each: FLAT (shown to stay within the
    margin), NOT FLAT (shown to leave it), INCONCLUSIVE, or COULD NOT BE JUDGED;
    how many answers flip all the same, and whether these are the questions that
    need the video, for which black is asked, too. Answers that are kept are not
    asked again. Exit code 0 whatever the verdicts.

    example:
      vdg ablate checkpoints/step-2000 --slice mvbench-300 \
                 --crf 18 23 28 33 38 --html ablation
      vdg ablate step-2000 --fps 0.5 1 2 4 --replay runs

    Parameters
    ----------
    checkpoint
        Folder or hub id, or name of a stored run (default: that of vdg.yaml).
    slice
        Slice of vdg.yaml, or a benchmark.
    tasks
        Only these tasks.
    margin
        Changes of accuracy below it do not matter; a fraction.
    missing
        What becomes of a question with a failed cell.

    Raises
    ------
    ConfigError
        Before a model is loaded, for levels that cannot be and whatever else was
        typed wrongly.
    CouldNotBeJudged
        When the model cannot be asked, or a stored run lacks a level.
    """
    from pytest_vdg.reports.ablation import ablate as ablated

    outputs = outputs or Written()
    require_writable(outputs)
    if not 0 < margin < 1:  # also catches NaN
        raise ConfigError(
            f"--margin {margin:g} must lie between 0 and 1: 0.03 is three points"
        )
    specs = _specs(levels or Levels())
    settings = settings_of(where, checkpoint=checkpoint)
    ask = Ask(slice=slice, tasks=names(tasks) or None)
    with broken_told():
        run, notes = run_levels(settings, ask, specs, progress=progress_line())
    found = ablated(run, specs or None, margin=margin, missing=missing)
    return _reported(run, found, notes, outputs)


def _specs(levels: Levels) -> tuple[str, ...]:
    """Return the conditions that *levels* mean, in order; none for nothing typed."""
    typed = {name: getattr(levels, option) for name, option in AXES.items()}
    given = {name: names(numbers) for name, numbers in typed.items() if numbers}
    if len(given) > 1:
        first, second, *_ = (f"--{AXES[name]}" for name in given)
        raise ConfigError(
            f"{first} and {second}: levels of one kind at a time. Type the command "
            "once for each; original and black are not asked again"
        )
    found = {_spec(n, number) for n, numbers in given.items() for number in numbers}
    # The least first, as it is drawn.
    return tuple(sorted(found, key=lambda spec: float(spec.partition(":")[2])))


def _spec(name: str, number: str) -> str:
    from pytest_vdg.frames.conditions import Condition

    try:
        return str(Condition.parse(f"{name}:{_plain(number)}"))
    except ConfigError as error:
        raise ConfigError(f"--{AXES[name]} {number}: {error}") from error


def _plain(number: str) -> str:
    """Return *number* in the one spelling by which answers are found.

    >>> _plain("0.50"), _plain("2.0"), _plain("028"), _plain("-1")
    ('0.5', '2', '28', '-1')
    """
    parts = _NUMBER.fullmatch(number)
    if parts is None or not any(parts.groups()):
        return number
    whole, rest = parts[1].lstrip("0") or "0", (parts[2] or "").rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def _reported(
    run: Run, found: Ablation, notes: Sequence[str], outputs: Written
) -> Sequence[str]:
    from pytest_vdg.reports.ablation_tables import ablation_markdown

    lines = found.lines()
    if run.cached_cells:
        lines.append(f"{run.cached_cells} of {len(run.cells)} cells from cache")
    lines += [f"note: {note}" for note in notes]
    values = {
        **found.to_dict(),
        "questions": len(run.questions),
        "conditions": counts_of(run),
        "tasks": {task: counts_of(run, task) for task in run.tasks},
        "fingerprint": fingerprint_of(run),
    }
    pages: list[str] = []
    if outputs.html is not None:
        from pytest_vdg.reports.ablation_html import write_ablation

        pages = write_ablation(found, outputs.html, notes)
    return reported(outputs, lines, values, ablation_markdown(found, notes), pages)
