"""``vdg plan``: how many questions a claim needs, from runs that are stored.

Apart from ``ladder`` because it needs no model, no video and no configuration;
but for ``--cells``, which is ``cells``'.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg._commands import cells
from pytest_vdg._commands._arguments import names
from pytest_vdg.errors import ConfigError, near_path

if TYPE_CHECKING:
    from pytest_vdg.reports.forecast import Forecast
    from pytest_vdg.runs import Run
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


HELP = "how many questions a claim needs, from a run; or what a run will cost"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    margins = ", ".join(f"{margin:g} for {claim}" for claim, margin in MARGINS.items())
    parser.add_argument("run", nargs="?", help="a baseline, or a file of save_run")
    parser.add_argument(
        "earlier",
        nargs="?",
        help="run of another checkpoint on the same questions: measure what changes",
    )
    parser.add_argument("--claim", choices=CLAIMS, default="vdg", help="default: vdg")
    for name, text in (
        ("floor", f"what a gap must be shown to exceed; default: {FLOOR:g} for vdg"),
        ("margin", f"the loss that is acceptable; default: {margins}"),
        ("power", "how often a true claim is to pass; default: 0.8"),
        ("confidence", "of the bounds; default: 0.95"),
        ("change-rate", "share of answers that change though nothing is lost"),
    ):
        kept = {"power": 0.8, "confidence": 0.95}.get(name)
        parser.add_argument(f"--{name}", type=float, default=kept, help=text)
    parser.add_argument(
        "--different-checkpoints",
        action="store_true",
        help="plan for two models, not for two states of one",
    )
    parser.add_argument(
        "--same-videos",
        action="store_true",
        help="more questions on the same videos, not on more videos",
    )
    parser.add_argument(
        "--against",
        default="shuffled",
        metavar="CONDITION",
        help="control of a temporal claim; default: shuffled",
    )
    parser.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="only these tasks, taken together"
    )
    parser.add_argument("--picture", metavar="PATH", help="write the curve: .png, .svg")
    parser.add_argument(
        "--cells",
        action="store_true",
        help="in place of RUN: what a run would cost that is made now",
    )
    cells.add_arguments(parser)


def output(options: argparse.Namespace) -> Sequence[str]:
    """Return the lines to print, after a picture was written if asked for.

    Raises
    ------
    ConfigError
        When the options contradict each other or cannot be.
    VdgError
        When a run cannot be read, or allows no plan.
    """
    known = {f.name: getattr(options, f.name) for f in fields(PlanOptions)}
    known["tasks"] = names(options.tasks)
    if options.cells:
        _require_cells_only(known)
        return cells.output(options)
    for name in cells.ARGUMENTS:
        if getattr(options, name) is not None:
            option = "--" + name.replace("_", "-")
            raise ConfigError(f"{option} is of a run that is made now: add --cells")
    if options.run is None:
        raise ConfigError(
            "which run? Name a baseline or a file of save_run; or ask what a run "
            "would cost: vdg plan --cells"
        )
    return _planned(PlanOptions(**known))


def _require_cells_only(known: Mapping[str, object]) -> None:
    """Raise for an option that means nothing for a run that is made now."""
    for field in fields(PlanOptions):
        idle = None if field.name == "run" else field.default
        if field.name != "tasks" and known[field.name] != idle:
            option = field.name.replace("_", "-")
            named = option.upper() if option in ("run", "earlier") else f"--{option}"
            raise ConfigError(
                f"{named} is of a plan from stored runs: leave it out, or --cells"
            )


def _planned(options: PlanOptions) -> list[str]:
    from pytest_vdg.reports.curve import draw_curve, require_drawable
    from pytest_vdg.reports.plan import plan_lines
    from pytest_vdg.reports.terminal import unknown_lines

    _require_consistent(options)
    if options.picture is not None:
        require_drawable(options.picture)
    runs = [_load(path) for path in (options.run, options.earlier) if path is not None]
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
            "(pytest --vdg-update-baseline) or a run kept with save_run(run, path)."
            + near_path(Path(path))
        )
    return load_run(path)


def _forecast(options: PlanOptions, run: Run, earlier: Run | None = None) -> Forecast:
    from pytest_vdg.assertions.check import confidence_level, fraction
    from pytest_vdg.assertions.judge import require_judgeable
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
