"""``vdg plan``: how many questions a claim needs, from runs that are stored.

Apart from ``ladder`` because it needs no model, no video and no configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.errors import ConfigError
from pytest_vdg.runs import Run

if TYPE_CHECKING:
    from pytest_vdg.reports.forecast import Forecast
    from pytest_vdg.stats.planning import Growth

CLAIMS = ("vdg", "regression", "temporal")
FLOOR = 0.10
MARGINS = {"regression": 0.05, "temporal": 0.03}
"""The margins of `assert_no_dissociation_regression`, `assert_temporal_delta`."""


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """What was asked for on the command line."""

    run: str
    earlier: str | None = None
    claim: str = "vdg"
    floor: float | None = None
    margin: float | None = None
    against: str = "shuffled"
    tasks: Sequence[str] = ()
    power: float = 0.8
    confidence: float = 0.95
    change_rate: float | None = None
    different_checkpoints: bool = False
    same_videos: bool = False
    picture: str | None = None

    @property
    def with_floor(self) -> bool:
        """Whether the claim is one above a floor, not one of no loss."""
        if self.claim == "vdg":
            return True
        return self.claim == "temporal" and self.floor is not None


def plan_output(options: PlanOptions) -> list[str]:
    """Return the lines to print, after a picture was written if asked for.

    Raises
    ------
    ConfigError
        When the options contradict each other or cannot be.
    VdgError
        When a run cannot be read, or allows no plan.
    """
    from pytest_vdg.reports.curve import draw_curve, require_drawable
    from pytest_vdg.reports.plan import plan_lines

    _require_consistent(options)
    if options.picture is not None:
        require_drawable(options.picture)
    runs = [_load(path) for path in (options.run, options.earlier) if path is not None]
    try:
        forecast = _forecast(options, *runs)
    except ValueError as error:  # a number out of range, an unknown task
        raise ConfigError(str(error)) from error
    lines = plan_lines(forecast)
    if options.picture is not None:
        draw_curve(forecast, options.picture)
        lines.append(f"wrote {options.picture}")
    return lines


def _require_consistent(options: PlanOptions) -> None:
    wrong: str | None = None
    if options.claim == "vdg" and options.margin is not None:
        wrong = "--margin is for --claim regression or temporal; vdg has a --floor"
    elif options.claim == "regression" and options.floor is not None:
        wrong = "--floor is for --claim vdg or temporal; a regression has a --margin"
    elif options.floor is not None and options.margin is not None:
        wrong = "a temporal claim has a --floor or a --margin, not both"
    elif options.with_floor and options.earlier is not None:
        wrong = "a second run is for claims of no loss: --claim regression or temporal"
    elif options.with_floor and _assumes(options):
        wrong = (
            "--change-rate and --different-checkpoints are for claims of no loss: "
            "--claim regression or temporal"
        )
    elif options.earlier is not None and _assumes(options):
        wrong = (
            "with two runs changes are measured: leave out --change-rate and "
            "--different-checkpoints, or the second run"
        )
    elif options.change_rate is not None and options.different_checkpoints:
        wrong = "give --change-rate or --different-checkpoints, not both"
    if wrong is not None:
        raise ConfigError(wrong)


def _assumes(options: PlanOptions) -> bool:
    return options.different_checkpoints or options.change_rate is not None


def _load(path: str) -> Run:
    from pytest_vdg.store.runfile import load_run

    if not Path(path).is_file():
        raise ConfigError(
            f"run {path!r} is not there. A plan is made from a baseline "
            "(pytest --vdg-update-baseline) or a run kept with save_run(run, path)"
        )
    return load_run(path)


def _forecast(options: PlanOptions, run: Run, earlier: Run | None = None) -> Forecast:
    from pytest_vdg.assertions._check import confidence_level, fraction
    from pytest_vdg.assertions._judge import require_judgeable
    from pytest_vdg.reports.forecast import forecast_floor, forecast_no_loss

    temporal = options.claim == "temporal"
    control = options.against if temporal else "black"
    measure = "temporal delta" if temporal else "VDG"
    task = tuple(options.tasks) or None
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
