"""The HTML report, opened and used as people do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np
import pytest

from pytest_vdg.reports.album import Album, Pictures
from pytest_vdg.reports.results import Results, RunResult
from tests.assertions.build import make_run
from tests.browser.conftest import DESK, PHONE, Open, Watched
from tests.reports.hostile import NASTY, hostile
from tests.reports.made import results

if TYPE_CHECKING:
    from playwright.sync_api import Locator

FIRST = "#list a >> nth=0"


def two_runs() -> Results:
    """Return the results of a run with pictures and a baseline, and of one without."""
    plain = results()
    (result,) = plain.runs
    album = Album()
    cells = {}
    for place, (key, cell) in enumerate(result.run.cells.items()):
        if cell.outcome.judged:
            frames = np.stack(
                [np.full((32, 48, 3), 9 * i + place, np.uint8) for i in range(10)]
            )
            cells[key] = album.shown(frames, list(range(10)))
    first = replace(result, pictures=Pictures(cells=cells, images=album.images))
    then = {"original": "CWCCCCUW", "black": "WWWWWWWF"}
    first = replace(
        first, baseline=make_run(then, per_video=2, tasks=("colour", "order"))
    )
    many = make_run({"original": "CW" * 150}, checkpoint="many", slice_name="long")
    return replace(plain, runs=(first, RunResult(run=many)))


def ids(found: Locator) -> list[str]:
    """Return the ids of the questions in the list."""
    names = found.evaluate_all("links => links.map(link => link.dataset.id)")
    return [str(name) for name in names]


def listed(watched: Watched) -> list[str]:
    """Return the ids of the questions in the list of a page."""
    return ids(watched.page.locator("#list a"))


@pytest.mark.parametrize("size", [DESK, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_opens_in_silence_and_asks_for_nothing(
    show: Open, size: tuple[int, int], scheme: str
) -> None:
    """No word on the console, no request but for the file, no sideways scrolling."""
    watched = show(two_runs, size=size, color_scheme=scheme)
    watched.page.click(FIRST)
    watched.page.wait_for_selector("#detail .cell")
    assert watched.said == []
    assert len(watched.asked) == 1
    assert watched.asked[0].startswith("file:")
    wide = watched.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size[0]


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_hostile_texts_do_nothing(show: Open, size: tuple[int, int]) -> None:
    """They are shown, and neither run, nor load, nor push the page aside."""
    watched = show(hostile, size=size)
    page = watched.page
    page.click(FIRST)
    page.wait_for_selector("#detail .cell")
    page.fill("[name=text]", "</script>")
    assert (
        page.title()
        == "1 of 2 claims met, 1 not met, 1 could not be judged - vdg report"
    )
    assert watched.said == []
    assert len(watched.asked) == 1
    assert page.locator("#detail .text").text_content() == NASTY
    assert page.locator("img:not(.frames img)").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_filters_find_what_they_say(show: Open) -> None:
    """Each by itself, several as any of them, together with task and search."""
    watched = show(two_runs)
    page = watched.page
    assert len(listed(watched)) == 8
    page.check("[value=silent]")
    assert listed(watched) == ["q0006", "q0007"]
    page.check("[value=gained]")
    assert "q0001" in listed(watched)
    page.click("button[type=reset]")
    page.locator("#list a").nth(7).wait_for()
    page.check("[value=lost]")
    assert listed(watched) == ["q0000", "q0002"]
    page.select_option("[name=task]", label="order")
    assert listed(watched) == []
    assert page.text_content("#found") == "0 of 8 questions"
    page.click("button[type=reset]")
    page.locator("#list a").nth(7).wait_for()
    page.fill("[name=text]", "WHAT IS q0003")
    assert listed(watched) == ["q0003"]
    page.fill("[name=text]", "out of memory")
    assert listed(watched) == ["q0007"]


def test_without_a_baseline_its_filters_are_off(show: Open) -> None:
    """They say why, and show no nought that looks like good news."""
    watched = show(two_runs)
    page = watched.page
    page.select_option("[name=run]", "1")
    assert page.is_disabled("[value=lost]")
    assert page.text_content("[data-mark=lost]") == "-"
    title = page.get_attribute("label:has([value=gained])", "title")
    assert "no claim compared" in str(title)


def test_frames_answers_and_the_baseline_stand_side_by_side(show: Open) -> None:
    """Eight of ten frames in order and told so; the key; what was answered before."""
    watched = show(two_runs)
    page = watched.page
    page.click("[data-id=q0000]")
    cards = page.locator("#detail .cell")
    assert cards.count() == 5
    first = cards.nth(0)
    assert first.locator("img").count() == 8
    loaded = "all => all.every(each => each.complete && each.naturalWidth > 0)"
    page.wait_for_timeout(100)
    assert first.locator("img").evaluate_all(loaded)
    assert first.locator("img").nth(1).get_attribute("alt") == "frame 2 of 8, at 1.00 s"
    assert "8 of 10 frames shown" in str(first.text_content())
    assert "Baseline" in str(first.text_content())
    assert "A. red" in str(page.text_content("#detail .options"))
    tops = cards.evaluate_all("all => all.map(c => c.getBoundingClientRect().top)")
    assert tops[0] == tops[1]


def test_the_keyboard_is_enough(show: Open) -> None:
    """Skip link, search, list and questions are reached and used without a mouse."""
    watched = show(two_runs)
    page = watched.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("j")
    page.wait_for_selector("#detail .cell")
    assert page.evaluate("location.hash") == "#q/0/q0000"
    page.keyboard.press("j")
    assert page.evaluate("location.hash") == "#q/0/q0001"
    page.keyboard.press("k")
    assert page.evaluate("location.hash") == "#q/0/q0000"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "text"
    page.keyboard.type("jjj")
    assert page.input_value("[name=text]") == "jjj"
    assert page.evaluate("location.hash") == "#q/0/q0000"
    page.fill("[name=text]", "")
    page.keyboard.press("Tab")  # the button that clears
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.id") == "q0000"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.id") == "q0001"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#list')") is None


def test_every_control_has_a_name(show: Open) -> None:
    """Whoever hears the page knows what each of them does."""
    watched = show(two_runs)
    nameless = watched.page.evaluate(
        """[...document.querySelectorAll("select, input, button, a, summary")]
        .filter(each => !(each.labels || []).length && !each.textContent.trim())
        .length"""
    )
    assert nameless == 0
    assert watched.page.get_attribute("html", "lang") == "en"
    assert watched.page.get_attribute("#found", "role") == "status"


@pytest.mark.parametrize("wanted", ["q0005", "q0299"])
def test_a_link_leads_to_its_question(show: Open, wanted: str) -> None:
    """Of any run, also one far down the list; filters do not hide it."""
    run = 0 if wanted == "q0005" else 1
    watched = show(two_runs, at=f"#q/{run}/{quote(wanted)}")
    page = watched.page
    assert wanted in str(page.text_content("#detail .about"))
    assert page.get_attribute(f"[data-id={wanted}]", "aria-current") == "true"
    assert page.input_value("[name=run]") == str(run)


def test_a_link_on_a_phone_leads_past_the_list(show: Open) -> None:
    """There the question lies below the filters and the list, out of sight."""
    page = show(two_runs, size=PHONE, at="#q/1/q0299").page
    top = page.evaluate("document.getElementById('detail').getBoundingClientRect().top")
    assert 0 <= top < PHONE[1] / 2


@pytest.mark.parametrize("at", ["#q/9/q0000", "#q/0/nothing", "#q/0/%E0%A4%A", "#q/"])
def test_a_link_that_leads_nowhere_breaks_nothing(show: Open, at: str) -> None:
    """The page stands as if it had none."""
    watched = show(two_runs, at=at)
    assert watched.said == []
    assert len(listed(watched)) == 8


def test_a_long_list_is_shown_in_parts(show: Open) -> None:
    """So that a page of ten thousand questions opens at once."""
    watched = show(two_runs)
    page = watched.page
    page.select_option("[name=run]", "1")
    assert len(listed(watched)) == 200
    page.click("#list button")
    assert len(listed(watched)) == 300


def test_without_scripts_the_numbers_are_there(show: Open) -> None:
    """Only the questions need one, and the page says so."""
    watched = show(two_runs, java_script_enabled=False)
    page = watched.page
    assert page.is_visible("text=REGRESSION")
    assert page.is_visible("noscript p")
    assert not page.is_visible("#filters")
