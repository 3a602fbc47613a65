"""``vdg plan``: how many questions a claim needs, from runs that are stored.

Apart from ``ladder`` because it needs no model, no video and no configuration;
but for ``--cells``, which is ``cells``'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

from cyclopts import Group, Parameter

from pytest_vdg._commands._arguments import (
    File,
    Flag,
    Task,
    Variadic,
    WhereFirst,
    names,
    spoken,
)
from pytest_vdg._commands._stored import stored
from pytest_vdg._commands.cells import Cells, cost
from pytest_vdg.errors import ConfigError

if TYPE_CHECKING:
    from pytest_vdg.reports.forecast import Forecast
    from pytest_vdg.runs import Run
    from pytest_vdg.stats.planning import Growth

FLOOR = 0.10
MARGINS = {"regression": 0.05, "temporal": 0.03}
"""The margins of `assert_no_dissociation_regression`, `assert_temporal_delta`."""


@Parameter(name="*", group=Group("The claim", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class Claimed:
    """What is to be shown, and what is assumed for it."""

    claim: Literal["vdg", "regression", "temporal"] = "vdg"
    """What is to be shown"""
    floor: float | None = None
    """What a gap must be shown to exceed (default: 0.1 for vdg)"""
    margin: float | None = None
    """The loss that is acceptable (default: 0.05 for regression, 0.03 for temporal)"""
    against: str | None = None
    """Control of a temporal claim (default: shuffled)"""
    tasks: Annotated[list[Task] | None, Variadic] = None
    """Only these tasks, taken together"""
    power: float = 0.8
    """How often a true claim is to pass"""
    confidence: float = 0.95
    """Of the bounds"""
    change_rate: float | None = None
    """Share of answers that change though nothing is lost"""
    different_checkpoints: Flag = False
    """Plan for two models, not for two states of one"""
    same_videos: Flag = False
    """More questions on the same videos, not on more videos"""
    picture: File | None = None
    """Write the curve to this file: .png, .svg"""

    @property
    def with_floor(self) -> bool:
        """Whether the claim is one above a floor, not one of no loss."""
        if self.claim == "vdg":
            return True
        return self.claim == "temporal" and self.floor is not None

    @property
    def assumes(self) -> bool:
        """Whether it was said what will change, which a second run would show."""
        return self.different_checkpoints or self.change_rate is not None


def plan(
    run: str | None = None,
    earlier: str | None = None,
    /,
    *,
    claimed: Claimed | None = None,
    cells: Flag = False,
    costed: Cells | None = None,
    where: WhereFirst | None = None,
) -> Sequence[str]:
    """Say how many questions a claim needs, from a run; or what a run will cost.

    example:
      vdg plan vdg_baselines/mvbench-300.jsonl --claim regression
      vdg plan --cells --checkpoint checkpoints/step-2000

    Parameters
    ----------
    run
        A baseline, or a file of save_run.
    earlier
        Run of another checkpoint on the same questions: measure what changes.
    cells
        In place of RUN: what a run would cost that is made now.

    Raises
    ------
    ConfigError
        When the options contradict each other or cannot be.
    VdgError
        When a run cannot be read, or allows no plan.
    """
    claimed, costed = claimed or Claimed(), costed or Cells()
    if cells:
        _require_cells_only(run, earlier, claimed)
        return cost(costed, where, claimed.tasks)
    for name in (*_given(costed), *spoken(where)):
        option = "--" + name.replace("_", "-")
        raise ConfigError(f"{option} is of a run that is made now: add --cells")
    if run is None:
        raise ConfigError(
            "which run? Name a baseline or a file of save_run; or ask what a run "
            "would cost: vdg plan --cells"
        )
    return _planned(claimed, run, earlier)


def _given(cells: Cells) -> list[str]:
    return [name for name, value in vars(cells).items() if value is not None]


def _require_cells_only(run: str | None, earlier: str | None, claimed: Claimed) -> None:
    """Raise for an option that means nothing for a run that is made now."""
    for field in fields(claimed):
        if field.name != "tasks" and getattr(claimed, field.name) != field.default:
            _refuse("--" + field.name.replace("_", "-"))
    for name, given in (("RUN", run), ("EARLIER", earlier)):
        if given is not None:
            _refuse(name)


def _refuse(named: str) -> NoReturn:
    raise ConfigError(
        f"{named} is of a plan from stored runs: leave it out, or --cells"
    )


def _planned(options: Claimed, run: str, earlier: str | None) -> list[str]:
    from pytest_vdg.reports.curve import draw_curve, require_drawable
    from pytest_vdg.reports.plan import plan_lines
    from pytest_vdg.reports.terminal import unknown_lines

    _require_consistent(options, second=earlier is not None)
    if options.picture is not None:
        require_drawable(options.picture)
    runs = [stored(path) for path in (run, earlier) if path is not None]
    try:
        forecast = _forecast(options, *runs)
    except ValueError as error:  # a number out of range, an unknown task
        raise ConfigError(str(error)) from error
    told = dict.fromkeys(line for run in runs for line in unknown_lines(run))
    lines = [*plan_lines(forecast), *told]
    if options.picture is not None:
        draw_curve(forecast, options.picture)
        lines.append(f"wrote {options.picture}")
    return lines


def _require_consistent(options: Claimed, *, second: bool) -> None:
    wrong: str | None = None
    if options.claim == "vdg" and options.margin is not None:
        wrong = "--margin is for --claim regression or temporal; vdg has a --floor"
    elif options.claim == "regression" and options.floor is not None:
        wrong = "--floor is for --claim vdg or temporal; a regression has a --margin"
    elif options.claim != "temporal" and options.against is not None:
        wrong = (
            "--against is for --claim temporal; vdg and regression compare with black"
        )
    elif options.floor is not None and options.margin is not None:
        wrong = "a temporal claim has a --floor or a --margin, not both"
    elif options.with_floor and second:
        wrong = "a second run is for claims of no loss: --claim regression or temporal"
    elif options.with_floor and options.assumes:
        wrong = (
            "--change-rate and --different-checkpoints are for claims of no loss: "
            "--claim regression or temporal"
        )
    elif second and options.assumes:
        wrong = (
            "with two runs changes are measured: leave out --change-rate and "
            "--different-checkpoints, or the second run"
        )
    elif options.change_rate is not None and options.different_checkpoints:
        wrong = "give --change-rate or --different-checkpoints, not both"
    if wrong is not None:
        raise ConfigError(wrong)


def _forecast(options: Claimed, run: Run, earlier: Run | None = None) -> Forecast:
    from pytest_vdg.assertions.check import confidence_level, fraction
    from pytest_vdg.assertions.judge import require_judgeable
    from pytest_vdg.reports.forecast import forecast_floor, forecast_no_loss

    temporal = options.claim == "temporal"
    control = (options.against or "shuffled") if temporal else "black"
    measure = "temporal delta" if temporal else "VDG"
    task = names(options.tasks) or None
    power = fraction("power", options.power, low=0.5, high=1)
    confidence = confidence_level(options.confidence)
    growth: Growth = "questions" if options.same_videos else "videos"
    for each in (run, earlier):
        if each is not None:
            require_judgeable(each, ("original", control), task)
    if options.with_floor:
        floor = FLOOR if options.floor is None else options.floor
        return forecast_floor(
            run,
            floor=fraction("floor", floor, low=-1, high=1),
            control=control,
            measure=measure,
            task=task,
            power=power,
            confidence=confidence,
            growth=growth,
        )
    margin = MARGINS[options.claim] if options.margin is None else options.margin
    rate = options.change_rate
    return forecast_no_loss(
        run,
        margin=fraction("margin", margin, low=0, high=1),
        earlier=earlier,
        control=control,
        measure=measure,
        task=task,
        power=power,
        confidence=confidence,
        growth=growth,
        change_rate=rate
        if rate is None
        else fraction("change_rate", rate, low=0, high=1),
        different_checkpoints=options.different_checkpoints,
    )
