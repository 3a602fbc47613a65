"""The Markdown summary: verdict first, inert whatever it quotes, and never too long."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.reports import step_summary
from pytest_vdg.reports._markdown import code, folded
from pytest_vdg.reports.registry import heard, write_reports
from pytest_vdg.reports.results import QuestionText, Results, RunResult, TestResult
from pytest_vdg.reports.step_summary import LIMIT, markdown, write
from pytest_vdg.runs import Run
from pytest_vdg.verdicts import Verdict
from tests.assertions.build import make_run
from tests.reports.build import REGRESSION
from tests.reports.session import (
    LET_PASS,
    NASTY,
    NOW,
    REGRESSED,
    RESULTS,
    SEES,
    SKIPPED,
    TEXTS,
    THEN,
)

ALLOWED = {"table", "thead", "tbody", "tr", "th", "td", "code", "pre", "p", "ul", "li"}
ALLOWED |= {"h2", "strong", "details", "summary"}


class Page(HTMLParser):
    """What a browser finds in rendered Markdown."""

    def __init__(self, text: str) -> None:
        """Render *text* as GitHub does, by CommonMark with tables."""
        super().__init__(convert_charrefs=True)
        rendered = pytest.importorskip("markdown_it").MarkdownIt("commonmark")
        self.tags: list[str] = []
        self.open: list[str] = []
        self.loose = ""
        """Text that is not code."""
        self.rows: list[list[str]] = []
        self.feed(rendered.enable(["table", "strikethrough"]).render(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Keep which elements there are."""
        self.tags.append(tag)
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        """Close the element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text, by whether GitHub reads on in it."""
        if not {"code", "pre"} & set(self.open):
            self.loose += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data.replace("\xa0", " ")


def test_the_verdict_comes_first() -> None:
    """Heading, the line with the numbers, then how many passed."""
    told = markdown(replace(RESULTS, tests=(SEES, REGRESSED))).strip().splitlines()
    assert told[0] == "## vdg: REGRESSION"
    assert told[2] == f"**{code(REGRESSED.summary, 400)}**"
    assert told[4].startswith(
        "1 of 2 tests passed, 1 failed, 96 cells asked, checkpoint "
    )


@pytest.mark.parametrize(
    ("tests", "faults", "word"),
    [
        ((SEES,), (), "ok"),
        ((SEES, LET_PASS), (), "ok"),
        ((LET_PASS,), (), "INCONCLUSIVE"),
        ((SKIPPED,), (), "nothing was judged"),
        ((SEES,), ("vdg_required: 1 vdg test skipped",), "FAILED"),
        ((replace(SEES, outcome="failed", message="KeyError"),), (), "FAILED"),
        ((LET_PASS, REGRESSED), (), "REGRESSION"),
    ],
)
def test_the_word_for_all(
    tests: tuple[TestResult, ...], faults: tuple[str, ...], word: str
) -> None:
    """Nothing is ok that failed, that was not judged, or that only was let pass."""
    assert f"## vdg: {word}\n" in markdown(replace(RESULTS, tests=tests, faults=faults))


def test_each_claim_has_its_row() -> None:
    """With value, interval, bound and what the slice could have shown."""
    rows = Page(markdown(RESULTS)).rows
    claims = [r for r in rows if len(r) == 8]
    assert claims[0][4] == "value [95% CI]"
    assert claims[3] == [
        "REGRESSION", "videomme", "VDG change", "296",
        "-9.5pp [-14.2, -4.7]", "-5.0pp", "6.0pp", "test_a.py::test_regressed",
    ]  # fmt: skip


def test_a_slice_that_could_show_no_drop_says_so() -> None:
    """More than 100 points are not the size of a drop."""
    tiny = replace(REGRESSION, smallest_detectable=1.2)
    rows = Page(
        markdown(replace(RESULTS, tests=(replace(SEES, findings=(tiny,)),)))
    ).rows
    assert [r[6] for r in rows if len(r) == 8] == ["MDE", "none"]


def test_the_ladder_has_a_row_for_each_task() -> None:
    """All conditions and steps with their intervals; nothing that was not run."""
    rows = [r for r in Page(markdown(RESULTS)).rows if len(r) == 10]
    assert rows[0][:4] == ["task", "n", "original", "black"]
    assert rows[0][-1] == "temporal, pp"
    assert [r[0] for r in rows[1:]] == ["all", "colour", "a|b @team"]
    assert all(
        re.fullmatch(r"\S+ \[\S+, \S+\]", cell) for r in rows[1:] for cell in r[2:]
    )


def test_what_is_looser_is_shown() -> None:
    """A loosened criterion stands there, passed or failed, with its reason."""
    for outcome in ("passed", "failed"):
        told = markdown(replace(RESULTS, tests=(replace(REGRESSED, outcome=outcome),)))
        assert "**Loosened**" in told
        assert code(REGRESSED.loosened[0], 400) in told


def test_what_came_to_no_verdict_is_told() -> None:
    """Errors and skipped tests are named with their reasons, and so are faults."""
    text = markdown(replace(RESULTS, faults=("vdg_required: 1 vdg test skipped",)))
    assert code("test_b.py::test_later: not today", 400) in text
    assert code("vdg_required: 1 vdg test skipped", 400) in text
    assert "COULD NOT BE JUDGED: 3 of 24 failed" in text


@pytest.mark.parametrize("outcome", ["error", "failed"])
def test_trouble_after_a_claim_that_held_is_told(outcome: str) -> None:
    """What went wrong beside the claims has no row among them, and is listed."""
    broken = replace(SEES, outcome=outcome, message="KeyError: 'x'")
    text = markdown(replace(RESULTS, tests=(broken, REGRESSED)))
    assert code("test_a.py::test_sees: KeyError: 'x'", 400) in text
    assert "test_regressed: REGRESSION" not in text


def flips(text: str) -> list[list[str]]:
    """Return the rows of flipped questions."""
    return [r for r in Page(text).rows if len(r) == 7]


def test_one_row_a_flipped_question() -> None:
    """Whatever they ask: old and new choice, and what became of the grounding."""
    heads, *rows = flips(markdown(RESULTS))
    assert heads == [
        "question",
        "task",
        "asks",
        "key",
        "original",
        "black",
        "grounding",
    ]
    changed = [
        q.id
        for q in NOW.questions
        if any(
            NOW.cells[q.id, c].outcome != THEN.cells[q.id, c].outcome
            and "correct" in (NOW.cells[q.id, c].outcome, THEN.cells[q.id, c].outcome)
            for c in ("original", "black")
        )
    ]
    assert [r[0] for r in rows] == changed
    assert all(r[2].startswith("a | b <details><img src=x") for r in rows)
    assert rows[0][5].count(" -> ") == 1
    assert {r[6] for r in rows} == {"lost"}


def test_flips_say_which_way_a_question_went() -> None:
    """Those that lost grounding first; a reply that chose nothing is quoted."""
    then = make_run({"original": "CWCC", "black": "WWCW"}, slice_name="videomme")
    now = make_run(
        {"original": "CCWU", "black": "CWWW"},
        slice_name="videomme",
        checkpoint=REGRESSION.checkpoint,
    )
    cells = dict(now.cells)
    cells["q0003", "original"] = replace(cells["q0003", "original"], reply="it is dark")
    run = RunResult(run=replace(now, cells=cells), baseline=then)
    _, *rows = flips(markdown(replace(RESULTS, runs=(run,))))
    assert [(r[0], *r[4:]) for r in rows] == [
        ("q0000", "A", "B -> A", "lost"),
        ("q0003", "D -> unparsed it is dark", "A", "lost"),
        ("q0002", "C -> D", "C -> D", "same gap"),
        ("q0001", "C -> B", "C", "gained"),
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"baseline": None},
        {"checkpoint": "another"},
        {"slice_name": "another"},
        {"verdict": Verdict.PASS},
    ],
)
def test_flips_are_of_the_run_that_a_claim_failed_on(
    changes: dict[str, object],
) -> None:
    """Not where it failed on another, or held this one against no baseline."""
    found = replace(REGRESSION, **changes)  # type: ignore[arg-type]
    failed = replace(REGRESSED, findings=(found,))
    assert flips(markdown(replace(RESULTS, tests=(failed,)))) == []
    alone = replace(RESULTS, runs=(RunResult(run=NOW),))
    assert flips(markdown(alone)) == []


def test_flips_are_of_the_failing_task_only() -> None:
    """A claim about one task lists no question of another; a passing one none."""
    one = replace(REGRESSED, findings=(replace(REGRESSION, task="colour"),))
    assert {r[1] for r in flips(markdown(replace(RESULTS, tests=(one,))))[1:]} == {
        "colour"
    }
    assert flips(markdown(replace(RESULTS, tests=(SEES,)))) == []


def test_a_task_may_have_a_comma_in_its_name() -> None:
    """As several tasks have between them in a claim about those."""

    def flipped(letters: str, checkpoint: str) -> Run:
        return make_run(
            dict.fromkeys(("original", "black"), letters),
            tasks=("what, where", "who", "when"),
            slice_name="videomme",
            checkpoint=checkpoint,
        )

    then, now = flipped("CCC", "old"), flipped("WWW", REGRESSION.checkpoint)
    run = RunResult(run=now, baseline=then)
    for named, count in (("what, where", 1), ("what, where, who", 2), ("who", 1)):
        one = replace(REGRESSED, findings=(replace(REGRESSION, task=named),))
        rows = flips(markdown(replace(RESULTS, tests=(one,), runs=(run,))))[1:]
        assert len(rows) == count


def test_what_is_quoted_is_inert() -> None:
    """No element but ours, and no mention, reference, link or emoji outside code."""
    page = Page(markdown(replace(RESULTS, notes=(NASTY,), faults=(NASTY,))))
    assert set(page.tags) <= ALLOWED
    assert page.open == []
    assert not re.search(r"[@#`$<>~]|https?:|www\.|:\w+:", page.loose.replace("->", ""))


def test_nothing_that_github_links_within_code_is_left() -> None:
    """URLs and addresses are broken even where only the text of a table holds them."""
    text = re.sub(r"<pre>.*?</pre>", "", markdown(RESULTS), flags=re.DOTALL)
    assert "octocat" in text
    assert not re.search(r"@|://|www\.", text)


@given(st.text(st.characters(exclude_categories=())))
def test_code_is_one_element_on_one_line(text: str) -> None:
    """Any text is one piece of code, in one cell of one row."""
    told = code(text, 50)
    assert "\n" not in told
    assert "|" not in told
    told.encode("utf-8")
    page = Page(f"| a |\n|---|\n| {told} |\n")
    assert page.rows[1:] == [[page.rows[1][0]]]
    assert page.tags.count("code") == (1 if told else 0)
    shown = page.rows[1][0]
    assert len(shown) <= 50
    if text.isascii() and text.isprintable() and len(" ".join(text.split())) <= 50:
        assert shown == " ".join(text.split())


def test_what_is_folded_is_closed() -> None:
    """The element is closed, and Markdown within it is read."""
    opening, closing = folded("title")
    page = Page("\n".join([*opening, "**bold**", *closing]))
    assert page.tags == ["details", "summary", "p", "strong"]
    assert page.open == []


def many(number: int) -> Results:
    """Return results with *number* flipped questions in Chinese and emoji."""
    then, now = (
        make_run({"original": x * number, "black": "W" * number}) for x in "CW"
    )
    text = QuestionText(text="\u5f71\u7247\U0001f600" * 100, options=())
    run = RunResult(run=now, baseline=then, texts={q.id: text for q in now.questions})
    finding = replace(REGRESSION, slice_name="sight", checkpoint="new")
    return replace(
        RESULTS, tests=(replace(REGRESSED, findings=(finding,)),), runs=(run,)
    )


def test_it_is_cut_at_a_row_and_says_so() -> None:
    """Bytes are counted and not characters; what is left is whole, and is counted."""
    results = replace(many(2000), notes=("wrote out/{x}/report.html",))
    text = markdown(results)
    assert LIMIT - 2000 < len(text.encode("utf-8")) <= LIMIT
    rows = flips(text)[1:]
    assert all(r[6] == "lost" for r in rows)
    assert f"{2000 - len(rows)} flipped questions and 1 section left out" in text
    assert text.rstrip().endswith(code("out/{x}/report.html", 200))
    assert text.splitlines()[1] == "## vdg: REGRESSION"


def test_where_nothing_holds_the_whole_it_says_what_would() -> None:
    """The two reports that are not cut; where one was written, its name alone."""
    cut = replace(many(40), notes=())
    asked = f"The whole is in {code('--vdg-report DIR')} and {code('--vdg-json PATH')}"
    assert asked in markdown(cut, room=5000)
    wrote = markdown(replace(cut, notes=("wrote a.json",)), room=5000)
    assert f"The whole is in {code('a.json', 200)}\n" in wrote
    assert "--vdg-" not in wrote


def test_what_passed_needs_no_word_beside_its_claims() -> None:
    """Neither a reason for no verdict, nor evidence."""
    said = replace(SEES, message="first\nsecond")
    text = markdown(replace(RESULTS, tests=(said,), faults=(), runs=()))
    assert "Came to no verdict" not in text
    assert "Evidence of" not in text


@pytest.mark.parametrize("outcome", ["failed", "error"])
def test_what_a_failure_says_beyond_one_line_is_shown(outcome: str) -> None:
    """That line stands above already."""
    for message, shown in (("first\nsecond", True), ("first\n", False)):
        broken = replace(SEES, outcome=outcome, message=message)
        text = markdown(replace(RESULTS, tests=(broken,), faults=(), runs=()))
        assert (f"Evidence of {code(broken.short_name)}" in text) is shown
        assert ("second" in text) is shown


@given(st.integers(0, 20_000))
def test_it_fits_any_room(room: int) -> None:
    """However little room there is: never a byte more, never half an element."""
    text = markdown(RESULTS, room=room)
    assert len(text.encode("utf-8")) <= max(room, 0)
    page = Page(text)
    assert page.open == []
    assert set(page.tags) <= ALLOWED


def test_what_the_file_holds_counts(tmp_path: Path) -> None:
    """Another tool's 900 kB are kept, and both together stay below the limit."""
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * 900_000)
    assert list(write(many(2000), str(path))) == [str(path)]
    text = path.read_bytes()
    assert text.startswith(b"x" * 900_000)
    assert 950_000 < len(text) <= LIMIT < 1024 * 1024 - 10_000
    path.write_bytes(b"x" * 1_100_000)
    write(RESULTS, str(path))
    assert path.stat().st_size == 1_100_000


def test_two_sessions_of_a_step_are_both_there(tmp_path: Path) -> None:
    """It is appended, and starts with an empty line."""
    path = tmp_path / "new" / "summary.md"
    write(RESULTS, str(path))
    write(RESULTS, str(path))
    assert path.read_text(encoding="utf-8").count("\n## vdg: ") == 2


def test_auto_is_githubs_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variable nothing is written anywhere."""
    path = tmp_path / "step.md"
    monkeypatch.delenv(step_summary.STEP_SUMMARY, raising=False)
    assert list(write(RESULTS, "auto")) == []
    monkeypatch.setenv(step_summary.STEP_SUMMARY, str(path))
    write(RESULTS, "auto")
    assert path.read_text(encoding="utf-8") == markdown(RESULTS)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """It is a note and no exception: a verdict never hangs on it."""
    (tmp_path / "file").touch()
    (line,) = write_reports(RESULTS, {"summary": str(tmp_path / "file" / "below")})
    assert line.startswith("summary could not be written: ")
    (line,) = write_reports(RESULTS, {"junit": str(tmp_path / "file" / "below")})
    assert line.startswith("junit could not be written: ")


def test_it_names_the_files_of_the_other_reports(tmp_path: Path) -> None:
    """It is written last, so that people find the whole from here."""
    wanted = {"summary": str(tmp_path / "s.md"), "junit": str(tmp_path / "j.xml")}
    lines = write_reports(RESULTS, wanted)
    assert lines == [f"wrote {tmp_path / 'j.xml'}", f"wrote {tmp_path / 's.md'}"]
    assert "j.xml" in (tmp_path / "s.md").read_text(encoding="utf-8")


def test_auto_is_heard_on_github_only() -> None:
    """Where nobody reads them they are not wanted, and cost nothing."""
    outputs = {"summary": "auto", "annotations": "auto", "json": "auto"}
    assert heard(outputs, {}) == {"json": "auto"}
    assert heard(outputs, {"GITHUB_ACTIONS": "false"}) == {"json": "auto"}
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "/tmp/x"}
    assert heard(outputs, github) == outputs
    assert heard({"summary": "s.md"}, {}) == {"summary": "s.md"}


def test_texts_are_not_needed() -> None:
    """Without the benchmark at hand a question is its id."""
    bare = RunResult(run=NOW, baseline=THEN)
    rows = flips(markdown(replace(RESULTS, runs=(bare,))))
    assert rows[1][2] == ""
    assert TEXTS[rows[1][0]].text == NASTY
