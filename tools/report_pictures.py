"""Photograph an HTML report in Chromium, for the documentation.

Apart from the pages that show the pictures, so that they are of a report that
anybody can make: ``python -m tools.report_pictures REPORT/index.html``.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

log = logging.getLogger(__name__)

CHROMIUM = "/usr/bin/chromium"
DESK, PHONE = (1280, 860), (390, 844)
COLOURS = 160
"""Of each picture's palette: a screen has few, and files stay small."""


def photograph(page: Path, folder: Path, question: str) -> list[Path]:
    """Write pictures of *page* to *folder*; *question* is a link into it."""
    from playwright.sync_api import sync_playwright

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        for name, at, size, scheme in (
            ("verdicts", "", DESK, "light"),
            ("ladder", "#ladder", DESK, "light"),
            ("question", question, DESK, "light"),
            ("dark", question, DESK, "dark"),
            ("phone-verdicts", "", PHONE, "light"),
            ("phone-question", question, PHONE, "light"),
        ):
            with _opened(browser, size, scheme) as tab:
                tab.goto(page.resolve().as_uri() + at)
                if size is PHONE and at:
                    tab.evaluate("document.getElementById('detail').scrollIntoView()")
                written.append(_kept(tab, folder / f"report-{name}.png"))
        browser.close()
    return written


@contextmanager
def _opened(browser: Browser, size: tuple[int, int], scheme: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    try:
        yield context.new_page()
    finally:
        context.close()


def _kept(tab: Page, path: Path) -> Path:
    from PIL import Image

    tab.screenshot(path=path)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    return path


def main() -> None:
    """Read the command line and photograph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="index.html of a report")
    parser.add_argument("--question", default="#q/0/", help="link to a question")
    parser.add_argument("--to", type=Path, default=Path("docs/pictures"))
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    for path in photograph(given.page, given.to, given.question):
        log.info("%s %d kB", path, path.stat().st_size // 1000)


if __name__ == "__main__":
    main()
