"""Slices of ``vdg.yaml`` in a session: pinned, rotated, with records left out."""

from __future__ import annotations

import json

from pytest_vdg import cli
from tests.plugin.conftest import Project


def configured(project: Project, *keys: str) -> None:
    """Write a ``vdg.yaml`` whose slice ``colours`` has these keys, too."""
    lines = ["benchmark: plain", "path: data/questions.jsonl", *keys]
    text = "slices:\n  colours:\n" + "".join(f"    {line}\n" for line in lines)
    (project.path / "vdg.yaml").write_text(text, encoding="utf-8")


def test_a_pinned_slice_is_asked_under_its_rotations(project: Project) -> None:
    """Eight pinned questions under two orders each are sixteen of the run."""
    path = str(project.path / "data" / "questions.jsonl")
    to = str(project.path / "eight.jsonl")
    draw = ["--questions", "8", "--at-least", "4"]
    assert cli.main(["slice", "plain", "--path", path, *draw, "--to", to]) == 0
    configured(project, "pinned: eight.jsonl", "rotate: 2")
    result = project.with_model("--junitxml=out.xml")
    result.assert_outcomes(passed=1)
    (properties,) = project.properties().values()
    assert properties["vdg.slice"] == "colours-rot2"
    assert properties["vdg.n"] == "16"


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
