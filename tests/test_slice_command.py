"""``vdg slice`` and ``vdg benchmarks``: what is written, printed and refused."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_vdg import cli
from pytest_vdg.benchmarks.pinned import read_pinned
from pytest_vdg.benchmarks.registry import (
    benchmark_names,
    find_loader,
    load_benchmark,
)
from pytest_vdg.benchmarks.slices import take
from pytest_vdg.benchmarks.source import Published
from tests.benchmarks.made import record, write

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return a file of twelve questions, of which one cannot be used."""
    records = [
        record(id=f"q{i}", task="ab"[i % 2], video=f"{i}.mp4") for i in range(11)
    ]
    return str(write(tmp_path, [*records, record(id="bad", answer="Z")]))


def printed(captured: Captured, *arguments: str) -> str:
    """Return what ``vdg`` prints for *arguments*, which must be right."""
    assert cli.main(list(arguments)) == 0
    return captured.readouterr().out


def test_a_slice_is_drawn_shown_and_written(
    file: str, tmp_path: Path, capsys: Captured
) -> None:
    """The file holds what was shown, and shows the same again."""
    to = str(tmp_path / "deep" / "s.jsonl")
    skip = ["--path", file, "--on-bad-records", "skip"]
    draw = ["--questions", "6", "--at-least", "3", "--seed", "2", "--name", "nightly"]
    out = printed(capsys, "slice", "plain", *skip, *draw, "--to", to)
    assert out.startswith("slice nightly: 6 of 11 questions of benchmark mine\n")
    assert "records left out: 1" in out
    assert out.endswith(f"wrote {to}\n")
    assert len(read_pinned(to).rows) == 6
    again = printed(capsys, "slice", "plain", *skip, "--show", to)
    checked = f"checked: all 6 questions are as {to} says\n"
    assert again == out.replace(f"wrote {to}\n", checked)
    alone = printed(capsys, "slice", "--show", to)
    assert alone.startswith("slice nightly of benchmark mine: questions 6")


@pytest.mark.parametrize("typed", [(), ("--seed", "0"), ("--seed", "2")])
def test_the_questions_are_those_of_the_seed(
    file: str, tmp_path: Path, capsys: Captured, typed: tuple[str, ...]
) -> None:
    """The same as without the command line; without a seed those of seed 0."""
    to = str(tmp_path / "s.jsonl")
    draw = ["--questions", "5", *typed, "--to", to]
    skip = ["--path", file, "--on-bad-records", "skip"]
    printed(capsys, "slice", "plain", *skip, *draw)
    whole = load_benchmark("plain", file, on_bad_records="skip")
    seed = int(typed[1]) if typed else 0
    drawn = [set(take(whole, questions=5, seed=s).ids) for s in (0, 1, 2)]
    assert len({frozenset(ids) for ids in drawn}) == 3
    assert {str(row["id"]) for row in read_pinned(to).rows} == drawn[seed]


def test_tasks_may_be_divided_by_commas(file: str, capsys: Captured) -> None:
    """As everywhere on this command line."""
    skip = ["--path", file, "--on-bad-records", "skip"]
    out = printed(
        capsys, "slice", "plain", *skip, "--tasks", "a,b", "--per-video", "one"
    )
    assert "tasks=['a', 'b']" in out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 4, "which benchmark? `vdg benchmarks` lists them"),
        (["plan"], 4, "unknown benchmark 'plan'. Did you mean 'plain'"),
        (["plain"], 4, "benchmark 'plain' needs a path. It expects:"),
        (["sight", "--questions", "0"], 4, "questions must be a positive whole number"),
        (["sight", "--questions", "x"], 4, "must be a whole number, got 'x'"),
        (["sight", "--per-video", "on"], 4, "Did you mean 'one'"),
        (["sight", "--at-least", "9", "--questions", "9"], 4, "do not hold 9 of each"),
        (["sight", "--on-bad-records", "skp"], 4, "Did you mean 'skip'"),
        (["--show", "gone.jsonl"], 4, "slice 'gone.jsonl' is not there"),
        (["--show", "FILE", "--seed", "3"], 4, "leave out --seed"),
        (["--show", "FILE", "--path", "x"], 4, "--path is of a benchmark"),
        (["--show", "FILE", "--videos", "x"], 4, "--videos is of a benchmark"),
        (["--show", "FILE", "--variant", "x"], 4, "--variant is of a benchmark"),
        (["--show", "FILE"], 1, "is no file of `vdg slice --to`"),
        (["plain", "--path", "FILE"], 1, "answer 'Z'"),
        (["plain", "--path", "gone.jsonl"], 1, "no such file"),
        (["mvbench", "--path", "data/MVBench"], 1, "path exists up to"),
    ],
)
def test_what_goes_wrong_has_its_code(
    file: str, capsys: Captured, arguments: list[str], code: int, told: str
) -> None:
    """4 for a wrong command, 1 for a file that cannot be used; never a traceback."""
    given = [file if argument == "FILE" else argument for argument in arguments]
    assert cli.main(["slice", *given]) == code
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_every_benchmark_is_listed(capsys: Captured) -> None:
    """With title, place and what it expects on disk; nothing is downloaded."""
    out = printed(capsys, "benchmarks")
    for name in benchmark_names():
        found = find_loader(name)
        assert isinstance(found, Published)
        assert f"{name}: {found.title}\n" in out
        for line in (found.published, *found.expects.splitlines()):
            assert line.strip() in out


def test_one_benchmark_is_shown_with_what_to_write(capsys: Captured) -> None:
    """Variants, and the lines for ``vdg.yaml``."""
    out = printed(capsys, "benchmarks", "mvbench")
    assert "variants   main (default), video" in out
    assert "mvbench: {path: PATH}" in out
    assert "vdg.yaml" not in printed(capsys, "benchmarks", "sight")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what a stub of ``huggingface_hub`` is asked to fetch."""
    asked: list[dict[str, Any]] = []

    def snapshot_download(repo_id: str, **options: object) -> str:
        if options["revision"] == "gone":
            raise OSError("404: no such revision")
        asked.append({"repo_id": repo_id, **options})
        return "folder"

    stub = ModuleType("huggingface_hub")
    stub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", stub)
    return asked


def test_annotations_are_fetched_when_asked_for(
    hub: list[dict[str, Any]], capsys: Captured
) -> None:
    """From the data set that the benchmark names; videos only when asked for, too."""
    fetch = ["benchmarks", "mvbench", "--download", "data"]
    assert "fetched OpenGVLab/MVBench into data" in printed(capsys, *fetch)
    printed(capsys, *fetch, "--with-videos", "--revision", "video")
    first, second = hub
    assert first["repo_id"] == "OpenGVLab/MVBench"
    assert (first["repo_type"], first["local_dir"]) == ("dataset", "data")
    assert "*.json" in first["allow_patterns"]
    assert not any("mp4" in p or "zip" in p for p in first["allow_patterns"])
    assert (second["allow_patterns"], second["revision"]) == (None, "video")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["nope"], 4, "unknown benchmark 'nope'"),
        (["--download", "x"], 4, "vdg benchmarks NAME --download FOLDER"),
        (["mvbench", "--with-videos"], 4, "vdg benchmarks NAME --download FOLDER"),
        (["plain", "--download", "x"], 4, "is no Hugging Face data set"),
        (["sutd-trafficqa", "--download", "x"], 4, "published at: https://sutdcv"),
        (
            ["mvbench", "--download", "x", "--revision", "gone"],
            1,
            "'OpenGVLab/MVBench' could not be fetched: OSError: 404",
        ),
    ],
)
def test_downloads_that_cannot_be_are_said(
    hub: list[dict[str, Any]],
    capsys: Captured,
    arguments: list[str],
    code: int,
    told: str,
) -> None:
    """Where it is to be had instead, and nothing half fetched in silence."""
    assert cli.main(["benchmarks", *arguments]) == code
    assert told in capsys.readouterr().err
    assert hub == []


def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """A download without its package ends with what to type."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert cli.main(["benchmarks", "mvbench", "--download", "x"]) == 4
    assert "pip install 'pytest-vdg[model]'" in capsys.readouterr().err
