"""``vdg report``: an HTML page of results that are in files.

Apart from the tests, which write the same page with ``--vdg-report``: results
of several checkpoints can stand in one, long after they were made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_vdg._commands._arguments import File, Folder, Kept, settings_of
from pytest_vdg._commands._stored import stored
from pytest_vdg.errors import ConfigError, near_path

if TYPE_CHECKING:
    from pytest_vdg.reports.results import Results
    from pytest_vdg.runs import Run


def report(
    files: list[File],
    /,
    *,
    to: Folder,
    baseline: File | None = None,
    where: Kept | None = None,
) -> Sequence[str]:
    """Write a page of results: verdicts, pictures, and every question with its frames.

    The page opens without a network; its pictures lie beside it as PNG and
    SVG. Frames are read again from the videos, as vdg.yaml has them; where these
    are not the frames that a model saw, the page says so in their place.

    example:
      vdg report old.json new.json --to report

    Parameters
    ----------
    files
        Results of --vdg-json, or runs kept with save_run (.jsonl); several in one page.
    to
        Folder to write to.
    baseline
        Run that all runs on the same slice are held against.

    Raises
    ------
    ConfigError
        For a file that is not there, and where matplotlib is not installed.
    StoreError
        For a file that cannot be read.
    """
    from pytest_vdg.reports.drawing import require_drawable
    from pytest_vdg.reports.page import write_page
    from pytest_vdg.reports.results import joined
    from pytest_vdg.sessions.pictures import for_page

    require_drawable("vdg report")
    if Path(to).exists() and not Path(to).is_dir():
        raise ConfigError(f"--to {to!r} is a file. Name a folder to write to")
    results = joined([_read(file) for file in files], _names(files))
    if baseline is not None:
        results = _against(results, stored(baseline))
    results = for_page(settings_of(where), results)
    return [f"wrote {path}" for path in write_page(results, to)]


def _names(files: Sequence[str]) -> Sequence[str]:
    """Return what tells *files* apart: a name, or the path where names are alike."""
    stems = [Path(file).stem for file in files]
    return stems if len({*stems}) == len(files) else files


def _read(file: str) -> Results:
    """Return the results in *file*; those of a run are the run without a verdict."""
    from pytest_vdg.reports.results import Results, RunResult
    from pytest_vdg.reports.results_json import load_results

    path = Path(file)
    if not path.is_file():
        raise ConfigError(
            f"{file!r} is not there. It takes the results of --vdg-json, or a run kept "
            "with save_run(run, path, full=True)." + near_path(path)
        )
    if path.suffix != ".jsonl":
        return load_results(path)
    run = stored(file)
    return Results(
        origin="vdg run", created=run.created, runs=(RunResult(run=run),), notes=()
    )


def _against(results: Results, baseline: Run) -> Results:
    """Return *results* with *baseline* beside each run of its slice that has none.

    A run that is the baseline itself is left alone.
    """
    from pytest_vdg.comparable import at_questions_of

    runs = [
        replace(each, baseline=at_questions_of(each.run, baseline))
        if each.run.slice_name == baseline.slice_name
        and each.baseline is None
        and each.run.checkpoint != baseline.checkpoint
        else each
        for each in results.runs
    ]
    return replace(results, runs=tuple(runs))
