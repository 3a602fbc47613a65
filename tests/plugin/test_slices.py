"""Slices of ``vdg.yaml`` in a session: pinned, rotated, with records left out."""

from __future__ import annotations

import json

import pytest

from pytest_vdg import cli
from tests.plugin.conftest import Project


def configured(project: Project, *keys: str) -> None:
    """Write a ``vdg.yaml`` whose slice ``colours`` has these keys, too."""
    lines = ["benchmark: plain", "path: data/questions.jsonl", *keys]
    text = "slices:\n  colours:\n" + "".join(f"    {line}\n" for line in lines)
    (project.path / "vdg.yaml").write_text(text, encoding="utf-8")


def test_a_pinned_slice_is_asked_under_its_rotations(project: Project) -> None:
    """Sixteen pinned questions are asked under two orders each, and counted once."""
    path = str(project.path / "data" / "questions.jsonl")
    to = str(project.path / "sixteen.jsonl")
    draw = ["--questions", "16", "--at-least", "4"]
    assert cli.main(["slice", "plain", "--path", path, *draw, "--to", to]) == 0
    configured(project, "pinned: sixteen.jsonl", "rotate: 2")
    result = project.with_model("--junitxml=out.xml")
    result.assert_outcomes(passed=1)
    (properties,) = project.properties().values()
    assert properties["vdg.slice"] == "colours-rot2"
    assert properties["vdg.n"] == "16"
    assert "n=16 questions in 2 orders" in properties["vdg.message"]


def test_records_left_out_are_told_at_the_end(project: Project) -> None:
    """Nobody who reads the summary takes a slice for whole that is not."""
    with (project.path / "data" / "questions.jsonl").open("a") as file:
        file.write(json.dumps({"id": "half"}) + "\n")
    configured(project, "on_bad_records: skip")
    result = project.with_model()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*left out: 1 (first: questions.jsonl, line 25: *"])


def test_a_wrong_template_stops_before_a_model_loads(project: Project) -> None:
    """A usage error with the line, as for every other key."""
    configured(project, "template: '{{ question }}'")
    result = project.with_model()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*vdg.yaml:5: the template leaves out*"])
    assert project.loaded() == []


LOOP = "{% for o in options %} {{ o.label }} {{ o.text }}{% endfor %}"
PICKY = "{% if 'colour' in question %}{{ question[1:] }}{% else %}{{ question }}"


@pytest.mark.parametrize(
    ("template", "instruction", "said"),
    [
        (
            PICKY + "{% endif %}" + LOOP,
            "",
            "slice 'colours': question '*': the template leaves out, or changes, *",
        ),
        (
            "{{ question }}" + LOOP,
            "instruction: Letter",
            "slice 'colours': its template has no place for the instruction 'Letter'*",
        ),
    ],
    ids=["question", "instruction"],
)
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_prompt_that_cannot_be_made_is_a_usage_error(
    project: Project,
    template: str,
    instruction: str,
    said: str,
    workers: tuple[str, ...],
) -> None:
    """Found on the questions themselves, and before any weight is loaded."""
    configured(project, f"template: {json.dumps(template)}")
    with (project.path / "vdg.yaml").open("a", encoding="utf-8") as file:
        file.write(f"{instruction}\n")
    result = project.with_model(*workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said}"])
    assert project.loaded() == []


KEEPS = """
import pytest
from pytest_vdg import save_run

@pytest.mark.vdg(conditions=["original", "black"])
def test_keeps(vdg_run):
    save_run(vdg_run, "any.jsonl", full=True)
"""


def filtered_by(project: Project, name: str) -> None:
    """Pin all questions, which a filter that heard *name* is said to have left."""
    path = str(project.path / "data" / "questions.jsonl")
    to = project.path / "left.jsonl"
    assert cli.main(["slice", "plain", "--path", path, "--to", str(to)]) == 0
    first, *rows = to.read_text(encoding="utf-8").splitlines()
    header = json.loads(first)
    header["drawn"] = {
        "filter_of": "colours",
        "by": "bclean",
        "questions": 24,
        "of": 24,
        "models": {name: {"kind": "video", "weights": ""}},
    }
    to.write_text("\n".join([json.dumps(header), *rows, ""]), encoding="utf-8")
    configured(project, "pinned: left.jsonl")


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_model_that_filtered_its_slice_is_told(
    project: Project, workers: tuple[str, ...]
) -> None:
    """It is judged, and nobody takes its gap for one on questions it did not choose."""
    filtered_by(project, "any")
    result = project.with_model(*workers)
    result.assert_outcomes(passed=1)
    told = [line for line in result.outlines if "took part in the filter" in line]
    assert len(told) == 1
    assert told[0].startswith("vdg: slice colours: any took part in the filter that")


def test_another_model_on_a_filtered_slice_is_not_told(project: Project) -> None:
    """A model that took no part in the filter is judged without a remark."""
    filtered_by(project, "other")
    assert "took part" not in project.with_model().stdout.str()


def test_a_stored_run_of_a_model_that_filtered_is_told(project: Project) -> None:
    """The file that pins the slice knows it, wherever the benchmark is."""
    filtered_by(project, "any")
    project.suite(KEEPS)
    project.with_model().assert_outcomes(passed=1)
    (project.path / "data" / "questions.jsonl").unlink()
    project.suite()
    result = project.run("--vdg-replay=any.jsonl")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["vdg: slice colours: any took part in the filter *"])


def test_a_ladder_on_a_filtered_slice_is_told(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its gaps lie too high there, too; what a session notes stands below them."""
    filtered_by(project, "any")
    monkeypatch.chdir(project.path)
    monkeypatch.syspath_prepend(project.path)
    line = ["ladder", "any", "--backend", "python:stub:sighted", "--slice", "colours"]
    assert cli.main(line) == 0
    assert "note: slice colours: any took part in the filter" in capsys.readouterr().out
