"""``vdg compare``: stored runs side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.store.runfile import save_run
from tests.assertions.build import arms, make_run

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, now the current one: ``new`` lost two and gained one."""
    monkeypatch.chdir(tmp_path)
    for name, cells in {
        "old": {"original": "CCCCWWWC", "black": "WWWWWWWC"},
        "new": {"original": "CCWWCWWC", "black": "WWWWWWWC"},
    }.items():
        save_run(make_run(cells, checkpoint=name), tmp_path / f"{name}.jsonl")
    other = make_run(arms(both=8), checkpoint="other", comparable={"seed": "1"})
    save_run(other, tmp_path / "other.jsonl")
    return tmp_path


def test_two_runs_are_shown_with_what_flipped(kept: Path, capsys: Captured) -> None:
    """Nothing is judged, so that the exit code is 0."""
    assert cli.main(["compare", "old.jsonl", "new.jsonl"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("2 runs on slice sight")
    assert "original, old -> new: lost 2: q0002 (C->D), q0003 (D->A)" in out
    assert "original, old -> new: gained 1: q0004 (B->A)" in out


def test_json_holds_counts_of_either_side(kept: Path, capsys: Captured) -> None:
    """The second run less the first, and who alone was right how often."""
    arguments = ["compare", "old.jsonl", "new.jsonl", "--json"]
    assert cli.main([*arguments, "--conditions", "original"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["runs"] == ["old", "new"]
    (test,) = values["tests"]
    assert (test["first_accuracy"], test["second_accuracy"]) == (5 / 8, 4 / 8)
    assert test["difference"]["estimate"] == -1 / 8
    assert test["difference"]["first_only"] == 2
    assert test["difference"]["second_only"] == 1
    assert [f["question_id"] for f in test["flipped"]] == ["q0002", "q0003", "q0004"]


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("old.jsonl", 4, "two runs at least. Type: vdg compare RUN RUN"),
        ("old.jsonl newr.jsonl", 4, "Did you mean 'new.jsonl'?"),
        ("old.jsonl new.jsonl --tasks al", 4, "Did you mean 'all'?"),
        ("old.jsonl new.jsonl --confidence 95", 4, "confidence=0.95"),
        ("old.jsonl new.jsonl --method exakt", 4, "Did you mean 'exact'?"),
        ("old.jsonl new.jsonl --conditions reversed", 1, "'reversed' was not run"),
        ("old.jsonl other.jsonl", 1, "seed: 1, was 0"),
    ],
)
def test_what_cannot_be_compared_has_its_code(
    kept: Path, capsys: Captured, line: str, code: int, told: str
) -> None:
    """4 for what was typed, 1 for runs that do not measure the same thing."""
    assert cli.main(["compare", *line.split()]) == code
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""
