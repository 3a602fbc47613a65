"""A forecast as a picture: power over questions, one line an assumption.

Apart from ``plan`` because it needs matplotlib, which is optional: nothing
here imports it before a picture is drawn.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg.errors import ConfigError
from pytest_vdg.reports._format import plain
from pytest_vdg.reports._study import Assumption
from pytest_vdg.reports.drawing import SALT
from pytest_vdg.reports.forecast import Forecast
from pytest_vdg.reports.plan import claim_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".pdf", ".png", ".svg")

# Okabe & Ito (2008): told apart with any colour vision; and by dashes in grey.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
_DASHES = ("-", "--", "-.", ":")
_TICKS = tuple(n * 10**power for power in range(1, 5) for n in (1, 2, 5))
_PALE = "#666666"


def require_drawable(path: Path | str) -> Path:
    """Return *path* if a picture can go there, or raise `ConfigError`.

    Asked before a plan is computed, which takes seconds.
    """
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise ConfigError(
            f"picture {str(target)!r} must end with one of {', '.join(SUFFIXES)}"
        )
    if not target.parent.is_dir():
        raise ConfigError(f"picture {str(target)!r}: folder is not there")
    if find_spec("matplotlib") is None:
        raise ConfigError(
            "a picture needs 'matplotlib', which is not installed.\n"
            "Install it with: pip install 'pytest-vdg[plots]'"
        )
    return target


def draw_curve(forecast: Forecast, path: Path | str) -> None:
    """Write the power curves of *forecast* to *path*: PNG, SVG or PDF.

    Raises
    ------
    ConfigError
        When the suffix is another, matplotlib is missing, or nothing can be
        written there.
    """
    target = require_drawable(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.8), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    styles = zip(forecast.assumptions, _COLOURS, _DASHES, strict=False)
    for assumption, colour, dash in styles:
        _line(axes, assumption, colour, dash)
    _references(axes, forecast)
    _frame(axes, forecast)
    figure.legend(
        loc="outside lower left",
        title=f"questions for {100 * forecast.power:g}% if",
        alignment="left",
        ncols=2,
        fontsize=9,
        title_fontsize=9,
        frameon=False,
    )
    try:
        # Without a date and random ids, the same plan gives the same file.
        with rc_context({"svg.hashsalt": SALT}):
            figure.savefig(target, metadata=_metadata(target))
    except OSError as error:
        raise ConfigError(f"picture {target} cannot be written: {error}") from error


def _metadata(target: Path) -> dict[str, None]:
    name = {".svg": "Date", ".pdf": "CreationDate"}.get(target.suffix.lower())
    return {} if name is None else {name: None}


def _line(axes: Axes, assumption: Assumption, colour: str, dash: str) -> None:
    questions, powers = zip(*assumption.curve, strict=True)
    needed = "never" if assumption.needed is None else str(assumption.needed)
    axes.plot(
        questions,
        [100 * power for power in powers],
        color=colour,
        linestyle=dash,
        linewidth=2,
        marker="o",
        markersize=3.5,
        label=f"{assumption.name}: {needed}",
    )


def _references(axes: Axes, forecast: Forecast) -> None:
    """Draw what was asked for, and the slice that is there."""
    wanted, present = 100 * forecast.power, forecast.stored.questions
    axes.axhline(wanted, color=_PALE, linewidth=1)
    axes.axvline(present, color=_PALE, linewidth=1, linestyle=(0, (2, 2)))
    axes.annotate(
        f"this slice: {present}",
        (present, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        color=_PALE,
        fontsize=9,
    )
    axes.annotate(
        f"{wanted:g}%\nasked for",
        (1, wanted),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=_PALE,
        fontsize=9,
    )


def _frame(axes: Axes, forecast: Forecast) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator, PercentFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(_TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter(PercentFormatter(decimals=0))
    axes.set_ylim(0, 103)
    axes.set_xlabel("questions judged")
    axes.set_ylabel("slices on which the claim passes")
    slice_name = plain(forecast.slice_name, 40)
    title = f"{claim_words(forecast)}, planned from {slice_name}"
    axes.set_title(title, loc="left", fontsize=11, pad=20)
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
