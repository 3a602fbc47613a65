"""Audits and filters as text, Markdown, JSON, pictures and a page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.audits._regularity import Regularity
from pytest_vdg.audits.audit import Audit, audit
from pytest_vdg.audits.filters import comparison, filtered, sweeps
from pytest_vdg.audits.measures import Measures, measure
from pytest_vdg.audits.panel import Member, Panel
from pytest_vdg.audits.space import Place, place
from pytest_vdg.audits.text import TextShortcuts
from pytest_vdg.reports import drawing
from pytest_vdg.reports.audit_html import filter_places, write_audit, write_filter
from pytest_vdg.reports.audit_json import audit_values, filter_values
from pytest_vdg.reports.audit_lines import audit_lines, audit_markdown
from pytest_vdg.reports.audit_pictures import audit_places, sweep_figure
from pytest_vdg.reports.audit_tables import audit_tables, order_words, text_table
from pytest_vdg.reports.filter_lines import (
    comparison_table,
    filter_lines,
    filter_markdown,
)
from pytest_vdg.reports.space_picture import space_figure
from pytest_vdg.stats.shortcut import AboveChance
from tests.audits.panels import SURE, member, panel, text_model, video_model
from tests.audits.test_shortcut import T1, T2, V1, V2
from tests.reports.hostile import NASTY

pytest.importorskip("matplotlib", reason="pages have pictures")

CELLS = {
    "original": "CCCC" * 30,
    "text_only": "CWWW" * 30,
    "black": "CWWW" * 30,
    "single_frame": "CCWW" * 30,
    "shuffled": "CCWW" * 30,
    "reversed": "CWWW" * 30,
}


def made(name: str = "v", task: str = "x") -> Panel:
    """Return a panel of one video model and one text model that knows it all."""
    tasks = (task,) * 4 + ("y",) * 4  # so that each has a balanced key
    seen = member(name, CELLS, tasks=tasks)
    knows = member(f"t{name}", {"text_only": "C" * 120}, kind="text", tasks=tasks)
    return panel(seen, knows)


def judge_panel() -> Panel:
    """Return the panel of test_shortcut with a judge who took no part."""
    return panel(V1, V2, T1, T2, member("j", {"original": "CCW", "text_only": "CWW"}))


def test_flaws_stand_above_the_numbers() -> None:
    """Whoever reads three lines has read the result."""
    lines = audit_lines(audit(made()))
    assert lines[0].startswith("audit of slice sight: 120 questions")
    assert lines[1] == "panel: v (video), tv (text)"
    assert lines[3] == "found 1 flaw:"
    assert "tv is right on 120 of 120 (30.0 by chance)" in lines[4]
    heads = [line for line in lines if line.startswith(("Answer key", "Ladder"))]
    assert len(heads) == 2


def test_where_nothing_is_found_it_is_said() -> None:
    """An audit without a flaw does not leave a hole."""
    guesses = panel(member("v", CELLS))
    assert "found nothing: no flaw is shown by its interval" in audit_lines(
        audit(guesses)
    )


def test_an_audit_fits_a_terminal_of_80_columns() -> None:
    """All its tables, with names as they come; none of their columns is lost."""
    found = audit(made("Qwen2.5-VL-7B-Instruct", "a-text-model-with-a-long-name"))
    lines = audit_lines(found)
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    for table in audit_tables(found, every=False).values():
        assert table.heads[-1].split()[0] in text
        assert table.rows[0][-1] in text


def test_names_of_others_stay_names() -> None:
    """On a terminal, in Markdown and in a page; what they say is not done."""
    found = audit(made(f"v{NASTY}", f"x{NASTY}"))
    text = "\n".join(audit_lines(found))
    assert text.isascii()
    assert "\x1b" not in text
    markdown = audit_markdown(found)
    assert "<script" not in markdown
    assert "<img" not in markdown
    whole = panel(
        video_model(f"v{NASTY}", [SURE], [SURE]),
        text_model(f"t{NASTY}", [SURE]),
        member(f"j{NASTY}", {"original": "C", "text_only": "W"}),
    )
    rows = comparison(whole, f"j{NASTY}")
    left = filtered(whole, judge=f"j{NASTY}")
    assert "\n".join(filter_lines(whole, left, rows)).isascii()
    assert "<img" not in filter_markdown(whole, left, rows)


def test_a_page_runs_no_script_but_its_own(tmp_path: Path) -> None:
    """Names of models and tasks are text, in figures too."""
    found = audit(made(f"v{NASTY}", f"x{NASTY}"))
    write_audit(found, str(tmp_path / "page"))
    page = (tmp_path / "page" / "index.html").read_text("utf-8")
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "connect-src" not in page
    assert "default-src 'none'" in page


def test_the_page_says_what_the_terminal_says(tmp_path: Path) -> None:
    """Flaws, tables and figures, and each figure as PNG and SVG beside it."""
    whole = judge_panel()
    rows, swept = comparison(whole, "j"), sweeps(whole, "j")
    (path,) = write_filter(
        whole, filtered(whole, judge="j"), rows, swept, str(tmp_path)
    )
    page = Path(path).read_text("utf-8")
    assert "by S-score" in page
    for word in ("LLM-Inspector", "B-Clean", "S-score", "Sweep of tau over -V"):
        assert word in page
    assert page.count('role="img"') == 2
    pictures = sorted(p.name for p in tmp_path.iterdir() if p.suffix != ".html")
    assert pictures == ["space.png", "space.svg", "sweep.png", "sweep.svg"]


@pytest.mark.parametrize(
    ("members", "chapters"),
    [
        ((text_model("t", [SURE] * 4),), ["key", "space", "answers"]),
        ((member("t", {"text_only": "FFFF"}, kind="text"),), ["key", "space"]),
        (
            (member("v", {"original": "FFFF", "text_only": "FFFF"}),),
            ["key", "space", "spectrum", "ladder", "answers"],
        ),
    ],
)
def test_a_page_has_the_chapters_that_there_is_something_for(
    tmp_path: Path, members: tuple[Member, ...], chapters: list[str]
) -> None:
    """Text models climb no ladder, and who never answered has no habit."""
    (path,) = write_audit(audit(panel(*members)), str(tmp_path))
    page = Path(path).read_text("utf-8")
    linked = re.findall(r'<li><a href="#(\w+)"', page)
    assert linked == ["found", *chapters]


def test_numbers_are_the_same_everywhere() -> None:
    """The table's points are the JSON's fractions."""
    found = audit(made())
    values = json.loads(json.dumps(audit_values(found), allow_nan=False))
    (mine,) = (m for m in values["measures"] if (m["who"], m["task"]) == ("v", None))
    assert mine["gains"]["visual gain"]["estimate"] == 0.75
    assert mine["blind_gap"]["estimate"] == 0.0
    gaps = audit_tables(found)["gaps"]
    row = next(r for r in gaps.rows if r[:2] == ("all tasks", "v"))
    assert row[7] == ".250" or ".250" in row
    assert any(cell.startswith("+75.0 [") for cell in row)
    assert values["flaws"][0]["questions"][0] == "q0000"
    assert values["no_scores"].startswith("the score T takes")


def test_a_filter_in_words() -> None:
    """What stays by task, who filtered, who judged; tables as in the paper."""
    whole = judge_panel()
    found, rows = filtered(whole, judge="j"), comparison(whole, "j")
    lines = filter_lines(whole, found, rows, sweeps(whole, "j"))
    assert lines[0] == (
        "filter of slice sight by S-score <= 0.1: 2 of 3 questions stay, 1 removed"
    )
    assert lines[1] == "filtered by t1, t2, v1, v2"
    assert "Judged by j, which took no part in filtering" in lines
    assert comparison_table(rows).heads[:3] == ("filter", "Acc_B", "Acc_V")
    markdown = filter_markdown(whole, found, rows)
    assert "| <code>S-score</code> |" in markdown
    values = filter_values(whole, found, rows, sweeps(whole, "j"))
    again = json.loads(json.dumps(values, allow_nan=False))
    assert again["removed"] == ["q0001"]
    assert [row["filter"] for row in again["table"]][-1] == "S-score"


def test_a_model_without_a_part_is_named() -> None:
    """Beside the filter, so that nobody takes it for a 0."""
    mute = member("mute", {"text_only": "CCC"}, kind="text")
    whole = panel(V1, T1, mute)
    lines = filter_lines(whole, filtered(whole))
    assert any(line.startswith("no part of mute: gave no option") for line in lines)


def measures_of(**cells: str) -> Measures:
    """Return what a model with these letters measures."""
    base = {"text_only": "CWWW" * 120, "original": "CCCC" * 120}
    found = audit(panel(member("v", base | cells))).leading
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("shuffled", "words"),
    [
        ("CWWW", "all there is"),  # at chance
        ("CCCW", "needed"),
        ("CCCC", "not needed"),
    ],
)
def test_what_order_is(shuffled: str, words: str) -> None:
    """Shown by one-sided bounds on 480 questions."""
    assert order_words(measures_of(shuffled=shuffled * 120)) == words


def test_what_order_is_not_known_to_be() -> None:
    """Few questions leave it open, and without shuffling there is a dash."""
    few = {"original": "CCCCCC", "text_only": "CWWWCW", "shuffled": "CCCCCC"}
    found = audit(panel(member("v", few))).leading
    assert found is not None
    assert order_words(found) == "open"
    assert order_words(measures_of()) == "-"
    blind = {"text_only": "CWWW", "shuffled": "CCWW"}
    failed = panel(member("v", {"original": "FFFF"} | blind))
    assert order_words(measure(failed, failed.members)) == "-"


def test_places_are_the_measures() -> None:
    """Right is the blind gap, up the visual gain, size the accuracy, with its arrow."""
    found = audit(made())
    whole, *tasks = audit_places(found)
    assert (whole.name, whole.blind_gap[0], whole.visual_gain[0]) == ("sight", 0, 0.75)
    assert (whole.accuracy, whole.n) == (1.0, 120)
    assert [p.name for p in tasks] == ["x", "y"]
    seen = found.of("v")
    moved = place(seen, "sight", filtered=found.of("v", "x"))
    assert moved is not None
    assert moved.moved_to is not None
    assert moved.moved_to.n == 60
    assert place(found.of("tv"), "text") is None  # no video, no place


def test_filters_start_from_one_circle() -> None:
    """Drawn once, with an arrow for each rule that leaves any question."""
    whole = judge_panel()
    places = filter_places("sight", comparison(whole, "j"))
    assert {p.name for p in places} == {"sight"}
    assert [p.moved_to.name for p in places if p.moved_to is not None] == [
        "LLM-Inspector",
        "B-Clean",
        "S-score",
    ]
    with drawing.drawing():
        axes = space_figure(places).axes[0]
    assert len(axes.collections) == 4
    arrows = [t for t in axes.texts if getattr(t, "arrow_patch", None) is not None]
    assert len(arrows) == 3


def test_every_circle_is_inside_and_numbered() -> None:
    """No interval is cut off, and no two numbers lie in one place."""
    near = Place(
        name="a",
        blind_gap=(0.1, 0.0, 0.2),
        visual_gain=(0.5, 0.4, 0.6),
        accuracy=0.9,
        n=10,
    )
    far = replace(near, name="b", blind_gap=(-0.2, -0.4, 0.0))
    with drawing.drawing():
        axes = space_figure([near, replace(near, name="twin"), far]).axes[0]
    left, right = axes.get_xlim()
    assert left < -40 < 20 < right
    numbers = {t.get_text() for t in axes.texts}
    assert numbers == {"1, 2", "3"}


def test_a_sweep_has_a_panel_for_each_score() -> None:
    """With the whole benchmark as dashes and tau in the panel of S alone."""
    with drawing.drawing():
        figure = sweep_figure(sweeps(judge_panel(), "j"), 0.1)
    named = [a.get_xlabel() for a in figure.axes if a.get_xlabel()]
    assert named == [
        "keep S \u2264 \u03c4",
        "keep T \u2264 \u03c4",
        "keep -V \u2264 \u03c4",
    ]


def test_labels_are_counted_beside_their_key() -> None:
    """By hand: the first two of four are right, C is answered as D and D as A."""
    cells = {"original": "CCWW" * 29 + "CCUF", "text_only": "CWWW" * 30}
    table = audit_tables(audit(panel(member("v", cells))))["positions"]
    blind, seen = table.rows
    assert table.heads[4] == "largest excess, pp [95% CI]"
    assert blind[:4] == (
        "v",
        "text_only",
        "A 60 (30), B 0 (30), C 30 (30), D 30 (30)",
        "0",
    )
    assert blind[4].startswith("A +25.0 [")  # 60 of 120, and the key 30
    assert blind[6] == "-"  # right as often as chance: nothing to explain
    # One reply chose no option; what failed is in neither count.
    assert seen[2:4] == ("A 59 (30), B 30 (30), C 0 (30), D 29 (29)", "1")
    assert seen[4].startswith("C -25.2 [")  # 0 of 119, and the key 30
    assert seen[6].endswith("%")


def test_each_model_has_a_row_and_what_it_was_not_asked_a_dash() -> None:
    """Within tasks a terminal shows the mean alone, a page each model."""
    cells = {name: letters[:24] for name, letters in CELLS.items()}
    some = {name: cells[name] for name in ("original", "text_only")}
    tasks = ("x",) * 4 + ("y",) * 4
    both = (member("v", cells, tasks=tasks), member("w", some, tasks=tasks))
    found = audit(panel(*both))
    mean = "mean of 2 video models"
    for table in ("gaps", "ladder", "order", "agreement"):
        rows = audit_tables(found)[table].rows
        names = [row[:2] for row in rows]
        assert names == [
            (task, who) for task in ("all tasks", "x", "y") for who in (mean, "v", "w")
        ]
        assert all(isinstance(cell, str) for row in rows for cell in row)
        short = audit_tables(found, every=False)[table].rows
        assert [row[:2] for row in short] == [*names[:3], ("x", mean), ("y", mean)]
    agreement = audit_tables(found)["agreement"]
    black = agreement.heads.index("black")
    assert agreement.rows[2][black] == "-"
    assert agreement.rows[1][black].startswith("1.00 [")


def test_baselines_of_the_text_have_a_row_each() -> None:
    """With interval and p; one that was not judged says why; tasks are not shown."""
    gap = AboveChance(
        estimate=0.25,
        low=0.1,
        high=0.4,
        lower_bound=0.125,
        upper_bound=0.375,
        accuracy=0.5,
        chance=0.25,
        n=40,
        confidence=0.95,
    )
    asked = {"task": None, "askings": 40, "of": 60, "n": 40, "n_videos": 40}
    given = [
        Regularity(name="longest", gap=gap, adjusted=0.01, shown=True, **asked),  # type: ignore[arg-type]
        Regularity(name="named", gap=None, reason="too few videos", **asked),  # type: ignore[arg-type]
        Regularity(name="overlap", gap=gap, **{**asked, "task": "x"}),  # type: ignore[arg-type]
    ]
    text = TextShortcuts(
        n=60,
        n_videos=60,
        askings=60,
        chance=0.25,
        tasks=("x",),
        regularities=tuple(given),
        giveaways=(),
        sureness=(),
        seed=0,
        folds=5,
        confidence=0.95,
    )
    shown, unjudged = text_table(text, "95% CI").rows
    numbers = (".500", ".250", "+25.0 [+10.0, +40.0]", ".010")
    assert shown == ("longest", "the longest option", "40", *numbers, "above chance")
    assert unjudged[3:] == ("-", "-", "-", "-", "too few videos")


def test_scores_are_shown_with_each_models_part() -> None:
    """Means by hand, see test_shortcut."""
    found: Audit = audit(panel(V1, V2, T1, T2))
    table = audit_tables(found)["scores"]
    cells = {(row[0], row[1]): row[2:] for row in table.rows}
    assert cells["T, text tells", "mean"][0] == "+0.375"  # (.5 + .125 + .5) / 3
    assert cells["S = T - V", "mean"] == ("+0.208", "1 of 3")


def test_a_panel_of_text_models_alone_is_audited() -> None:
    """No video, no ladder; the blind gap is there."""
    found = audit(panel(text_model("t", [SURE, SURE, SURE])))
    assert found.leading is None
    lines = audit_lines(found)
    assert any(line.startswith("What text alone earns") for line in lines)
    assert audit_places(found) == []
    both = audit(panel(video_model("v", [SURE], [SURE])))
    assert both.leading is not None
