"""The picture of a plan: it is written, it is the plan's, it can be missing."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest

from pytest_vdg.errors import ConfigError
from pytest_vdg.reports import curve
from pytest_vdg.reports.curve import draw_curve, require_drawable
from pytest_vdg.reports.forecast import Forecast, forecast_floor
from tests.assertions.build import arms, make_run


@cache
def plan() -> Forecast:
    """Return a plan to draw; computed once, when first needed."""
    run = make_run(arms(both=70, treated_only=60, control_only=10, neither=60))
    return forecast_floor(run, floor=0.10)


@pytest.fixture(autouse=True)
def _with_matplotlib() -> None:
    """Skip where the extra is not installed."""
    pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("name", "first"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("A.PDF", b"%PDF")]
)
def test_the_suffix_is_the_format(tmp_path: Path, name: str, first: bytes) -> None:
    """PNG for a page, SVG and PDF for print."""
    draw_curve(plan(), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(first)


def test_the_picture_says_what_it_shows(tmp_path: Path) -> None:
    """Claim, axes, assumptions with their numbers, the present slice: as text."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_curve(plan(), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for words in (
        "VDG above a floor of +10.0pp, planned from sight",
        "questions judged",
        "this slice: 200",
        "asked for",
        f"VDG is +25.0pp, as stored: {plan().main.needed}",
    ):
        assert words in text


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_the_same_plan_gives_the_same_file(tmp_path: Path, suffix: str) -> None:
    """No date and no random name in it: a picture can be kept in a repository."""
    pictures = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for path in pictures:
        draw_curve(plan(), path)
    first, second = (path.read_bytes() for path in pictures)
    assert first == second
    assert b"CreationDate" not in first
    assert b"dc:date" not in first


def test_drawing_leaves_no_figure_open(tmp_path: Path) -> None:
    """No global state of matplotlib is touched: no backend, no window."""
    draw_curve(plan(), tmp_path / "a.png")
    assert "matplotlib.pyplot" not in sys.modules


def test_without_matplotlib_it_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is named, before anything is computed."""
    monkeypatch.setattr(curve, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install 'pytest-vdg\[plots\]'"):
        require_drawable(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.gif", r"must end with one of \.pdf, \.png, \.svg"), ("no/a.png", "folder")],
)
def test_impossible_paths_are_refused(tmp_path: Path, name: str, message: str) -> None:
    """Before seconds are spent on a plan that cannot be drawn."""
    with pytest.raises(ConfigError, match=message):
        require_drawable(tmp_path / name)


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A folder of that name stands in the way; no traceback."""
    (tmp_path / "a.png").mkdir()
    with pytest.raises(ConfigError, match="cannot be written"):
        draw_curve(plan(), tmp_path / "a.png")
