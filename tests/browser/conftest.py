"""A browser, and pages that are watched while they are used.

Apart from the tests so that each page of theirs is watched alike: what is said
on its console, and what it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_vdg.reports.html_files import NAME
from pytest_vdg.reports.page import make_page
from pytest_vdg.reports.results import Results

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESK, PHONE = (1280, 900), (390, 844)
PATIENCE_MS = 120_000
"""How long a page is waited for: it only matters where it fails."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a browser, or skip."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    pytest.importorskip("matplotlib", reason="the report needs matplotlib")
    if not CHROMIUM.exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM}")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(
            executable_path=str(CHROMIUM), args=list(ARGUMENTS)
        )
        yield opened
        opened.close()


@dataclass(kw_only=True)
class Watched:
    """A page, and what it did that it should not."""

    page: Page
    said: list[str] = field(default_factory=list)
    """Lines on its console, and errors of its script."""
    asked: list[str] = field(default_factory=list)
    """Addresses that it asked for, pictures in the page aside."""


Open = Callable[..., Watched]


@cache
def page_of(results: Callable[[], Results]) -> bytes:
    """Return the page of what *results* returns; each is made once."""
    page, _ = make_page(results())
    return page


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Return what writes results as a page and opens it."""
    contexts = []

    def opened(
        results: Callable[[], Results],
        *,
        size: tuple[int, int] = DESK,
        at: str = "",
        **how: object,
    ) -> Watched:
        (tmp_path / NAME).write_bytes(page_of(results))
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height},
            **how,  # type: ignore[arg-type]
        )
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        watched = Watched(page=context.new_page())
        watched.page.on("console", lambda line: watched.said.append(line.text))
        watched.page.on("pageerror", lambda error: watched.said.append(str(error)))
        watched.page.on("request", lambda each: _note(watched, each.url))
        address = (tmp_path / NAME).as_uri()
        watched.page.goto(address + at)
        return watched

    yield opened
    for context in contexts:
        context.close()


def _note(watched: Watched, url: str) -> None:
    if not url.startswith("data:"):
        watched.asked.append(url)
