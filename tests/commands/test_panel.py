"""What ``vdg audit`` and ``vdg filter`` share: the slice, and where reports go."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_vdg._commands._arguments import Where
from pytest_vdg._commands._panel import (
    Subject,
    Written,
    questions_of,
    reported,
    require_writable,
    subject_of,
)
from pytest_vdg._commands.audit import audit
from pytest_vdg._commands.slice import Source
from pytest_vdg.errors import ConfigError
from tests.plugin.conftest import write_questions

SKIPPING = Source(path="questions.jsonl", on_bad_records="skip")  # type: ignore[arg-type]
IN_FILE = (
    "slices: {mine: {benchmark: plain, path: questions.jsonl, on_bad_records: skip}}\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with six questions, now the current one; one is unusable."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "questions.jsonl"
    write_questions(path, range(3))
    first, *rest = path.read_text("utf-8").splitlines()
    broken = json.dumps({**json.loads(first), "id": "broken", "answer": "none of them"})
    path.write_text("\n".join((first, *rest, broken)) + "\n", encoding="utf-8")
    return tmp_path


def taken(questions: str | None) -> Subject:
    """Return the subject of a benchmark by its path, with ``--questions``."""
    where = Where(questions=questions)  # type: ignore[arg-type]
    return subject_of("plain", SKIPPING, where)


def test_fewer_questions_are_the_first_of_all(here: Path) -> None:
    """Of a benchmark by its path as of a slice of the file: slices nest."""
    every = questions_of(taken(None)).ids
    assert len(every) > 2
    assert questions_of(taken("2")).ids == every[:2]
    (here / "vdg.yaml").write_text(IN_FILE, encoding="utf-8")
    where = Where(questions="2")  # type: ignore[arg-type]
    assert questions_of(subject_of("mine", Source(), where)).ids == every[:2]


@pytest.mark.parametrize("name", ["plain", "mine"])
def test_questions_that_are_left_out_are_told(here: Path, name: str) -> None:
    """An audit of what could be read is not one of all, and no model need be asked."""
    if name == "mine":
        (here / "vdg.yaml").write_text(IN_FILE, encoding="utf-8")
    source = SKIPPING if name == "plain" else None
    text = " ".join(" ".join(audit(name, source=source)).split())
    assert f"note: slice '{name}': records of benchmark" in text
    assert "that are left out: 1 (first: questions.jsonl, line " in text


def test_a_slice_of_the_file_lies_where_the_file_says(here: Path) -> None:
    """To take another file of the same name would be to judge another slice."""
    (here / "vdg.yaml").write_text(IN_FILE, encoding="utf-8")
    with pytest.raises(ConfigError, match="leave out --path"):
        subject_of("mine", SKIPPING, None)


@pytest.mark.parametrize("option", ["json", "markdown", "html"])
def test_what_cannot_be_written_is_refused(here: Path, option: str) -> None:
    """Before anybody is asked; a folder is no file, and a file no folder."""
    if option == "html" and find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    wrong = "questions.jsonl" if option == "html" else "."
    for path in (wrong, "questions.jsonl/below"):
        with pytest.raises(ConfigError, match=f"--{option}"):
            require_writable(Written(**{option: path}))  # type: ignore[arg-type]
    require_writable(Written(**{option: "new/one"}))  # type: ignore[arg-type]


def test_a_page_needs_what_draws_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told before anybody is asked, and not after hours."""
    monkeypatch.setattr("pytest_vdg.reports.drawing.find_spec", lambda _: None)
    with pytest.raises(ConfigError, match="matplotlib"):
        require_writable(Written(html="page"))  # type: ignore[arg-type]


def test_all_that_is_written_is_named(here: Path) -> None:
    """In order, behind the lines; JSON on standard output stands there alone."""
    both = Written(json="a.json", markdown="a.md")  # type: ignore[arg-type]
    told = reported(both, ["line"], {"n": 1}, "# \udc80", ["page/index.html"])
    assert told == ["line", "wrote page/index.html", "wrote a.json", "wrote a.md"]
    assert json.loads((here / "a.json").read_text("utf-8")) == {"n": 1}
    assert (here / "a.md").read_text("utf-8") == "# \\udc80"
    printed = Written(json="-", markdown="b.md")  # type: ignore[arg-type]
    (only,) = reported(printed, ["line"], {"n": 2}, "text")
    assert json.loads(only) == {"n": 2}
    assert (here / "b.md").read_text("utf-8") == "text"
    assert not (here / "-").exists()
