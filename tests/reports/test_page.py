"""The HTML report as a file: whole, in order, escaped, below its limit."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.errors import ConfigError, StoreError
from pytest_vdg.reports import page as page_module
from pytest_vdg.reports.album import Pictures
from pytest_vdg.reports.claims import claim_cards
from pytest_vdg.reports.drawing import inline, label, require_drawable
from pytest_vdg.reports.page import LARGEST, make_page, write_page
from pytest_vdg.reports.results import Results, RunResult, joined
from pytest_vdg.reports.script_data import for_script
from pytest_vdg.reports.thumbnails import Wall, hang
from pytest_vdg.store.history import Level, PastRun
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import arms, make_run
from tests.reports import session as made_by_session
from tests.reports.build import FLOOR
from tests.reports.hostile import NASTY, hostile
from tests.reports.made import results


@pytest.fixture(autouse=True)
def _with_matplotlib() -> None:
    """Skip where the extra is not installed."""
    pytest.importorskip("matplotlib")


@cache
def made(kind: str) -> str:
    """Return the page of ordinary or of hostile results; each is made once."""
    page, _ = make_page({"plain": results, "hostile": hostile}[kind]())
    return page.decode("utf-8")


class Reader(HTMLParser):
    """Reads a page as a browser does, as far as tags and texts go."""

    def __init__(self, page: str) -> None:
        """Read *page*."""
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.texts.append(data)


def data_of(page: str, name: str) -> object:
    """Return what the script of *name* holds."""
    (text,) = re.findall(rf'id="{name}">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_verdicts_stand_before_all_else() -> None:
    """What a reader at night needs is on top, and the order is that of the page."""
    page = made("plain")
    keys = ("verdicts", "unjudged", "loosened", "spectrum", "ladder", "tables")
    places = [page.index(f'id="{k}"') for k in (*keys, "gaps", "trend", "questions")]
    assert places == sorted(places)


def test_the_gravest_verdict_is_the_first_card() -> None:
    """The order is that of the summary's headline, whatever the order of tests."""
    floor, worst = (
        replace(made_by_session.SEES, findings=(replace(FLOOR, verdict=verdict),))
        for verdict in (Verdict.BELOW_FLOOR, Verdict.DISSOCIATION)
    )
    passed = made_by_session.SEES
    cards = claim_cards([passed, floor, worst])
    assert [card.verdict for card in cards][:2] == ["DISSOCIATION", "BELOW FLOOR"]
    assert {card.verdict for card in cards[2:]} == {"ok"}


def test_every_claim_has_its_numbers_and_its_whole_message() -> None:
    """Verdict, number with interval, bound, n, detectable change, and the text."""
    text = " ".join(" ".join(Reader(made("plain")).texts).split())
    for words in (
        "REGRESSION VDG change",
        "-9.5 pp [-14.2, -4.7]",
        "-5.0 pp",
        "296",
        "6.0 pp",
        "ABOVE CEILING blind gap",
        "ok VDG",
        "t.py::lost",
        "margin of x: 5.0pp -> 8.0pp (why)",
        "no checkpoint",
    ):
        assert words in text


def test_a_slice_that_could_show_no_drop_says_so_in_the_page() -> None:
    """More than 100 points are not the size of a drop."""
    cards = claim_cards(
        [
            replace(
                made_by_session.SEES,
                findings=(replace(FLOOR, smallest_detectable=1.2),),
            )
        ]
    )
    assert ("MDE", "none") in cards[0].numbers


def test_nothing_in_the_page_asks_for_anything() -> None:
    """No address, and a policy that would forbid it; all links lead into the page."""
    for kind in ("plain", "hostile"):
        reader = Reader(made(kind))
        for tag, attributes in reader.tags:
            for name in ("src", "href", "action", "srcset", "data", "poster"):
                value = attributes.get(name)
                assert value is None or value.startswith(("#", "data:")), (tag, value)
        policy = dict(reader.tags[[t for t, _ in reader.tags].index("meta") + 1][1])
        assert policy["http-equiv"] == "Content-Security-Policy"
        assert str(policy["content"]).startswith("default-src 'none';")


def test_only_our_script_may_run() -> None:
    """The policy names it by its digest, so that a stray one does nothing."""
    page = made("hostile")
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in page
    assert "unsafe-inline'; script" not in page.partition("script-src")[2][:80]


def test_hostile_texts_stay_texts() -> None:
    """No tag, handler or expression of theirs becomes one of the page."""
    reader = Reader(made("hostile"))
    known = {tag for tag, _ in Reader(made("plain")).tags}
    assert {tag for tag, _ in reader.tags} <= known | {"strong"}  # of a fault
    assert "img" not in {tag for tag, _ in reader.tags}
    assert not any(name.startswith("on") for _, found in reader.tags for name in found)
    assert "{{ 7 * 7 }}" in "".join(reader.texts)
    whole = data_of(made("hostile"), "data")
    question = whole["runs"][0]["questions"][0]  # type: ignore[index]
    assert question["text"] == NASTY


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_json_is_no_data_of_a_page(value: float) -> None:
    """A browser would read none of it, and show a page without questions."""
    with pytest.raises(ValueError, match="JSON"):
        for_script({"vdg": [value]})


@given(st.text())
def test_data_of_a_page_is_plain_and_comes_back(text: str) -> None:
    """Whatever a reply says: no end of a line or of a tag, and nothing lost."""
    told = str(for_script({"reply": text}))
    assert told.isascii()
    assert not set(told) & set("<>&\n\r")
    assert json.loads(told) == {"reply": text}


def test_figures_are_text_that_can_be_selected() -> None:
    """Numbers and names in a picture are no outlines, and the picture has a name."""
    reader = Reader(made("plain"))
    assert sum(tag == "text" for tag, _ in reader.tags) > 50
    figures = [found for tag, found in reader.tags if tag == "svg"]
    assert figures
    assert all(found["role"] == "img" and found["aria-label"] for found in figures)


def test_ids_of_the_page_are_its_own() -> None:
    """Several figures in one page share no name, or one would be drawn in another."""
    found = [a["id"] for _, a in Reader(made("plain")).tags if "id" in a]
    assert len(found) == len(set(found))


def test_what_was_not_run_is_missing_and_not_nought() -> None:
    """A run of one condition has no VDG, no ladder and no gaps, and says so."""
    alone = RunResult(run=make_run({"original": "CCWC"}))
    page, _ = make_page(replace(results(), runs=(alone,)))
    text = " ".join(Reader(page.decode()).texts)
    for words in (
        "No VDG",
        "No ladder",
        "Not measured",
        "No baseline",
        "not run: black",
        "No question was judged under both original and black.",
    ):
        assert words in text
    assert "+0.0" not in text.partition("What the video is worth")[2]
    measured = " ".join(Reader(made("plain")).texts)
    for words in ("No VDG", "No ladder", "No question was judged"):
        assert words not in measured


def test_nothing_judged_is_not_green() -> None:
    """An empty session makes a page that says so."""
    page, pictures = make_page(Results(origin="pytest", created="2026-01-01"))
    text = " ".join(Reader(page.decode()).texts)
    assert "Nothing was judged" in text
    assert "No claim came to a verdict" in text
    assert not pictures


def test_a_page_says_how_it_was_made_and_what_was_noted() -> None:
    """Who reads it alone can type it again, and sees what was asked for it."""
    told = Results(
        origin="pytest",
        created="2026-01-01",
        command="pytest -k grounded",
        asked=3,
        cached=2,
        notes=("3 records left out", "3 records left out", "no texts"),
    )
    text = " ".join(" ".join(Reader(make_page(told)[0].decode()).texts).split())
    assert "5, of which 2 from cache" in text
    assert "pytest -k grounded" in text
    assert text.count("3 records left out") == 1
    assert "no texts" in text


def test_past_runs_are_drawn_with_their_intervals() -> None:
    """Those of the slices of this session, newest first, a gap where one is missing."""
    level = Level(name="VDG", estimate=0.3, low=0.2, high=0.4, n=60)
    past = [
        PastRun(
            when=f"2026-01-0{day}T00:00:00+00:00",
            origin="vdg run",
            checkpoint=f"step-{day}",
            slice_name=name,
            questions=60,
            videos=30,
            effects=(level,) if day != 2 else (),
        )
        for day in (1, 2, 3)
        for name in ("sight", "another")
    ]
    page, pictures = make_page(replace(results(), history=tuple(past)))
    text = " ".join(" ".join(Reader(page.decode()).texts).split())
    assert "+30.0 [+20.0, +40.0]" in text
    trend = text.partition("Past runs")[2]
    assert trend.index("step-3") < trend.index("step-2") < trend.index("step-1")
    assert "another" not in text
    assert [each.name for each in pictures if "trend" in each.name] == ["trend-1"]


def test_pictures_lie_beside_the_page(tmp_path: Path) -> None:
    """Each figure as PNG and as SVG; the page is named, and needs none of them."""
    written = write_page(results(), str(tmp_path / "new" / "report"))
    folder = tmp_path / "new" / "report"
    assert written == [str(folder / "index.html")]
    names = {path.name for path in folder.iterdir()}
    drawn = {n.removesuffix(".svg") for n in names if n.endswith(".svg")}
    assert {"verdicts", "1-sight-spectrum", "1-sight-ladder", "1-sight-gaps"} <= drawn
    assert names == {f"{n}.{s}" for n in drawn for s in ("svg", "png")} | {"index.html"}
    for name in drawn:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        ET.parse(folder / f"{name}.svg")


def test_pictures_of_an_earlier_page_go(tmp_path: Path) -> None:
    """What the folder shows is the page that lies in it, and nothing older."""
    everything, little = results(), replace(results(), runs=())
    write_page(everything, str(tmp_path))
    before = {path.name for path in tmp_path.iterdir()}
    write_page(little, str(tmp_path))
    after = {path.name for path in tmp_path.iterdir()}
    assert after < before
    write_page(little, str(tmp_path / "fresh"))
    assert after == {path.name for path in (tmp_path / "fresh").iterdir()}


def test_files_of_others_stay(tmp_path: Path) -> None:
    """Also one that was put there in place of a picture, and what a page may claim."""
    folder, out = tmp_path / "report", tmp_path / "out.png"
    write_page(results(), str(folder))
    mine = {"own.png": b"own", "1-sight-gaps.png": b"edited", "notes.svg": b"notes"}
    for name, data in mine.items():
        (folder / name).write_bytes(data)
    out.write_bytes(b"elsewhere")
    (folder / "1-sight-ladder.png").unlink()
    (folder / "1-sight-ladder.png").symlink_to(out)
    page = (folder / "index.html").read_text("utf-8")
    claimed = hashlib.blake2b(b"elsewhere", digest_size=8).hexdigest()
    start = 'name="pytest-vdg-pictures" content="'
    edited = f"{start}../out.png {claimed}, 1-sight-ladder.png {claimed}, "
    (folder / "index.html").write_text(page.replace(start, edited), "utf-8")
    write_page(replace(results(), runs=()), str(folder))
    assert {n: (folder / n).read_bytes() for n in mine} == mine
    assert out.read_bytes() == b"elsewhere"
    assert (folder / "1-sight-ladder.png").is_symlink()
    assert not (folder / "1-sight-gaps.svg").exists()


@pytest.mark.parametrize("content", [b"", b"<html>mine</html>", b"\xff\x00"])
def test_a_page_of_others_lists_nothing(tmp_path: Path, content: bytes) -> None:
    """It is replaced, as it was asked for; what lies beside it is not ours."""
    (tmp_path / "index.html").write_bytes(content)
    (tmp_path / "verdicts-old.png").write_bytes(b"own")
    write_page(replace(results(), runs=()), str(tmp_path))
    assert (tmp_path / "verdicts-old.png").read_bytes() == b"own"


def test_hostile_names_make_files_that_can_be_read(tmp_path: Path) -> None:
    """A slice named after a path writes nowhere else, and its SVG is XML."""
    write_page(hostile(), str(tmp_path / "report"))
    assert {path.name for path in tmp_path.iterdir()} == {"report"}
    for path in (tmp_path / "report").glob("*.svg"):
        ET.parse(path)
        assert re.fullmatch(r"[a-z0-9-]+", path.stem)


def test_the_same_results_make_the_same_page() -> None:
    """No date, no random name: a page can be kept in a repository."""
    assert make_page(results())[0] == make_page(results())[0]


def test_a_page_stays_below_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures that do not fit are given up, and the page says so."""
    whole = hostile()
    page, _ = make_page(whole)
    assert len(page) < LARGEST
    monkeypatch.setattr(page_module, "LARGEST", len(page))
    small, _ = make_page(whole)
    assert "the page would become too large" in small.decode()
    assert data_of(small.decode(), "images") == []


def test_pictures_have_the_room_that_figures_and_questions_leave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not a byte of what these take is given away a second time."""
    rooms: list[int] = []

    def seen(album: Sequence[Pictures], told: Sequence[object], room: int) -> Wall:
        rooms.append(room)
        return hang(album, told, 0)  # type: ignore[arg-type]

    monkeypatch.setattr(page_module, "hang", seen)
    monkeypatch.setattr(page_module, "_SPARE", 0)
    page, figures = make_page(hostile())
    (data,) = re.findall(r'id="data">(.*?)</script>', page.decode(), re.DOTALL)
    assert rooms[0] + len(data) + sum(len(each.svg) for each in figures) <= LARGEST
    assert rooms[0] > LARGEST * 0.9


def test_drawing_touches_no_style_and_leaves_no_window() -> None:
    """Neither the user's settings of matplotlib nor pyplot see anything of it."""
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 31, "text.usetex": True, "svg.fonttype": "path"}):
        page, _ = make_page(results())
        assert mpl.rcParams["font.size"] == 31
    assert page.decode() == made("plain")
    assert "matplotlib.pyplot" not in sys.modules


def test_missing_matplotlib_is_told_with_what_to_type(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who asked for it, what lacks, and how to install it."""
    monkeypatch.setattr("pytest_vdg.reports.drawing.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"VDG_REPORT.*'matplotlib'.*\n.*\[plots\]"):
        require_drawable("VDG_REPORT")


def test_a_folder_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path) -> None:
    """Told at the end of a session, without changing a verdict."""
    (tmp_path / "report").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError, match="report"):
        write_page(results(), str(tmp_path / "report"))


def test_a_figure_in_a_page_has_the_colours_of_the_page() -> None:
    """In the dark, black ink would be lost; ids carry the name of the figure."""
    drawn = (
        b'<svg xmlns="http://www.w3.org/2000/svg" width="9pt" viewBox="0 0 9 9">'
        b'<style>* {}</style><g id="g"><path style="stroke: #1F2328"/></g>'
        b'<use xmlns:x="http://www.w3.org/1999/xlink" x:href="#g" clip-path="url(#g)"/>'
        b"</svg>"
    )
    made_inline = inline(drawn, "name", 'a "title" <')
    assert "var(--ink)" in made_inline
    assert 'href="#name-g"' in made_inline
    assert "url(#name-g)" in made_inline
    assert "&quot;title&quot; &lt;" in made_inline
    assert "<style" not in made_inline
    assert "width=" not in made_inline


def test_labels_are_one_line_that_can_be_seen() -> None:
    """What cannot be printed is escaped; what is too long loses its middle."""
    assert label("a\nb\x00c") == "a b\\x00c"
    assert label("a" * 40, 9) == "aaaa\u2026aaaa"
    assert label("\u4f60\u597d") == "\u4f60\u597d"


def test_results_of_several_sessions_stand_in_one_page() -> None:
    """Tests are told apart, runs stand side by side, one red makes all red."""
    green = Results(origin="pytest", created="2026-01-02", command="a", asked=1)
    both = joined([green, results()], ["one", "two"])
    assert both.created == results().created
    assert both.command == "a; pytest -q"
    assert both.tests[0].name == "two: t.py::ok"
    assert (both.asked, both.green, len(both.runs)) == (31, False, 1)
    assert joined([green], ["one"]) is green


def test_runs_of_several_checkpoints_are_told_apart() -> None:
    """In the list of runs and in the names of the files."""
    runs = tuple(
        RunResult(run=make_run(arms(both=3, neither=3), checkpoint=name))
        for name in ("old", "new")
    )
    page, pictures = make_page(replace(results(), runs=runs))
    names = [each.name for each in pictures]
    assert len(set(names)) == len(names)
    assert {"1-sight-spectrum", "2-sight-spectrum"} <= set(names)
    assert "old on sight" in page.decode()
    assert "new on sight" in page.decode()
