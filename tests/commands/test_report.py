"""``vdg report``: a page of results that are in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg import cli
from pytest_vdg.reports.results_json import write
from tests.reports.session import REGRESSED, RESULTS, SEES

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("old.json", "new.json"), ("old", "new")),
        (("a/results.json", "b/results.json"), ("a/results.json", "b/results.json")),
    ],
)
def test_the_same_test_of_two_files_has_two_names(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: tuple[str, ...],
    names: tuple[str, ...],
) -> None:
    """Also where a folder a night holds files of one name."""
    monkeypatch.chdir(tmp_path)
    for file, test in zip(files, (SEES, REGRESSED), strict=True):
        Path(file).parent.mkdir(exist_ok=True)
        same = replace(test, name="test_a.py::test_sees")
        write(replace(RESULTS, tests=(same,), runs=()), file)
    assert cli.main(["report", *files, "--to", "out"]) == 0
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert all(f"{name}: test_a.py::test_sees" in page for name in names)
