"""The HTML report, opened and used as people do.

What a page shows after a click is waited for (`expect`), never read at once: a
browser hands out clicks and changes of the address in its own time.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np
import pytest

from pytest_vdg.reports.album import Album, Pictures
from pytest_vdg.reports.results import Results, RunResult
from tests.assertions.build import make_run
from tests.browser.conftest import DESK, PATIENCE_MS, PHONE, Open
from tests.reports.hostile import NASTY, hostile
from tests.reports.made import results

if TYPE_CHECKING:
    from playwright.sync_api import Page

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed"
)
expect = playwright.expect
expect.set_options(timeout=PATIENCE_MS)

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


def expect_listed(page: Page, *wanted: str) -> None:
    """Wait until the list holds the *wanted* questions and no others, in order."""
    links = page.locator("#list a")
    expect(links).to_have_count(len(wanted))
    for place, name in enumerate(wanted):
        expect(links.nth(place)).to_have_attribute("data-id", name)


def expect_at(page: Page, link: str) -> None:
    """Wait until the address of the page ends in *link*."""
    expect(page).to_have_url(re.compile(re.escape(link) + "$"))


def expect_focus(page: Page, which: str) -> None:
    """Wait until the control that has the focus is the one *which* selects."""
    expect(page.locator(":focus").and_(page.locator(which))).to_have_count(1)


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
    expect(page).to_have_title(
        "1 of 2 claims met, 1 not met, 1 could not be judged - vdg report"
    )
    assert watched.said == []
    assert len(watched.asked) == 1
    assert page.text_content("#detail .text") == NASTY
    expect(page.locator("img:not(.frames img)")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_filters_find_what_they_say(show: Open) -> None:
    """Each by itself, several as any of them, together with task and search."""
    page = show(two_runs).page
    eight = [f"q{number:04}" for number in range(8)]
    expect_listed(page, *eight)
    page.check("[value=silent]")
    expect_listed(page, "q0006", "q0007")
    page.check("[value=gained]")
    expect_listed(page, "q0001", "q0006", "q0007")
    page.click("button[type=reset]")
    expect_listed(page, *eight)
    page.check("[value=lost]")
    expect_listed(page, "q0000", "q0002")
    page.select_option("[name=task]", label="order")
    expect_listed(page)
    expect(page.locator("#found")).to_have_text("0 of 8 questions")
    page.click("button[type=reset]")
    expect_listed(page, *eight)
    page.fill("[name=text]", "WHAT IS q0003")
    expect_listed(page, "q0003")
    page.fill("[name=text]", "out of memory")
    expect_listed(page, "q0007")


def test_without_a_baseline_its_filters_are_off(show: Open) -> None:
    """They say why, and show no nought that looks like good news."""
    page = show(two_runs).page
    page.select_option("[name=run]", "1")
    expect(page.locator("[value=lost]")).to_be_disabled()
    expect(page.locator("[data-mark=lost]")).to_have_text("-")
    expect(page.locator("label:has([value=gained])")).to_have_attribute(
        "title", re.compile("no claim compared")
    )


def test_frames_answers_and_the_baseline_stand_side_by_side(show: Open) -> None:
    """Eight of ten frames in order and told so; the key; what was answered before."""
    page = show(two_runs).page
    page.click("[data-id=q0000]")
    cards = page.locator("#detail .cell")
    expect(cards).to_have_count(5)
    first = cards.nth(0)
    pictures = first.locator("img")
    expect(pictures).to_have_count(8)
    for place in range(8):
        pictures.nth(place).scroll_into_view_if_needed()
        expect(pictures.nth(place)).to_have_js_property("complete", True)
        expect(pictures.nth(place)).to_have_js_property("naturalWidth", 48)
    expect(pictures.nth(1)).to_have_attribute("alt", "frame 2 of 8, at 1.00 s")
    expect(first).to_contain_text("8 of 10 frames shown")
    expect(first).to_contain_text("Baseline")
    expect(page.locator("#detail .options")).to_contain_text("A. red")
    tops = cards.evaluate_all("all => all.map(c => c.getBoundingClientRect().top)")
    assert tops[0] == tops[1]


def test_the_keyboard_is_enough(show: Open) -> None:
    """Skip link, search, list and questions are reached and used without a mouse."""
    page = show(two_runs).page
    page.keyboard.press("Tab")
    expect_focus(page, ".skip")
    page.keyboard.press("j")
    expect(page.locator("#detail .cell")).to_have_count(5)
    expect_at(page, "#q/0/q0000")
    page.keyboard.press("j")
    expect_at(page, "#q/0/q0001")
    page.keyboard.press("k")
    expect_at(page, "#q/0/q0000")
    page.keyboard.press("/")
    expect_focus(page, "[name=text]")
    page.keyboard.type("jjj")
    expect(page.locator("[name=text]")).to_have_value("jjj")
    expect_listed(page)
    expect_at(page, "#q/0/q0000")
    page.fill("[name=text]", "")
    expect(page.locator("#list a")).to_have_count(8)
    page.keyboard.press("Tab")  # the button that clears
    page.keyboard.press("Tab")
    expect_focus(page, "[data-id=q0000]")
    page.keyboard.press("ArrowDown")
    expect_focus(page, "[data-id=q0001]")
    expect(page.locator(":focus")).to_have_css("outline-style", "solid")
    page.keyboard.press("Tab")
    expect(page.locator("#list :focus")).to_have_count(0)


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
    page = show(two_runs, at=f"#q/{run}/{quote(wanted)}").page
    expect(page.locator("#detail .about")).to_contain_text(wanted)
    link = page.locator(f"[data-id={wanted}]")
    expect(link).to_have_attribute("aria-current", "true")
    expect(page.locator("[name=run]")).to_have_value(str(run))


def test_a_link_on_a_phone_leads_past_the_list(show: Open) -> None:
    """There the question lies below the filters and the list, out of sight."""
    page = show(two_runs, size=PHONE, at="#q/1/q0299").page
    page.wait_for_function(
        """half => {
          const { top } = document.getElementById("detail").getBoundingClientRect();
          return 0 <= top && top < half;
        }""",
        arg=PHONE[1] / 2,
    )


@pytest.mark.parametrize("at", ["#q/9/q0000", "#q/0/nothing", "#q/0/%E0%A4%A", "#q/"])
def test_a_link_that_leads_nowhere_breaks_nothing(show: Open, at: str) -> None:
    """The page stands as if it had none."""
    watched = show(two_runs, at=at)
    expect(watched.page.locator("#list a")).to_have_count(8)
    assert watched.said == []


def test_a_long_list_is_shown_in_parts(show: Open) -> None:
    """So that a page of ten thousand questions opens at once."""
    page = show(two_runs).page
    page.select_option("[name=run]", "1")
    expect(page.locator("#list a")).to_have_count(200)
    page.click("#list button")
    expect(page.locator("#list a")).to_have_count(300)


def test_without_scripts_the_numbers_are_there(show: Open) -> None:
    """Only the questions need one, and the page says so."""
    page = show(two_runs, java_script_enabled=False).page
    expect(page.locator("text=REGRESSION >> nth=0")).to_be_visible()
    expect(page.locator("noscript p")).to_be_visible()
    expect(page.locator("#filters")).to_be_hidden()
