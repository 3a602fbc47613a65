"""The published answers as runs, and what their files were like.

Apart from the checks because it is the only part that opens files; the folder
is the paper repository's ``results``, or one with the same folders in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_vdg.errors import StoreError
from pytest_vdg.runs import Caps, Run
from pytest_vdg.store.paper_answers import PaperAnswers, read_paper_answers
from tools.reproduction.printed import MODELS

# The caps are for judging a model; this only counts what others judged.
_NO_CAPS = Caps(failed=1, failed_difference=1, unparsed=1, unparsed_difference=1)


@dataclass(frozen=True, kw_only=True)
class Published:
    """All answers that the paper published, by the file name of the model."""

    video_mme: Mapping[str, Run]
    """600 questions each."""
    egoschema: Mapping[str, Run]
    """500 questions each."""
    remarks: tuple[str, ...]
    """What the files were like, without the name of the folder."""


def read_published(folder: Path) -> Published:
    """Read ``full_study`` and ``egoschema`` of *folder*.

    A file of a further condition that cannot be read is remarked on; without
    the files of the original and black clips there is nothing to check, and
    `StoreError` says so.
    """
    remarks: list[str] = []
    video_mme, egoschema = {}, {}
    for model in MODELS:
        found, unreadable = _video_mme(folder / "full_study", model)
        video_mme[model] = found.run
        remarks += [*_remarks(found, f"Video-MME, {MODELS[model]}"), *unreadable]
        path = folder / "egoschema" / f"{model}_egoschema_results.json"
        found = _read(model, "egoschema", [path], labels="ABCDE")
        egoschema[model] = found.run
        remarks += _remarks(found, f"EgoSchema, {MODELS[model]}")
    # Where the folder lies is nobody's business but the reader's.
    plain = tuple(remark.replace(f"{folder}/", "") for remark in remarks)
    return Published(video_mme=video_mme, egoschema=egoschema, remarks=plain)


def _video_mme(folder: Path, model: str) -> tuple[PaperAnswers, list[str]]:
    paths = [folder / f"{model}_results.json", folder / f"{model}_black_results.json"]
    unreadable: list[str] = []
    for condition in ("shuffled", "singleframe"):
        path = folder / f"{model}_{condition}_results.json"
        if not path.exists():
            continue
        try:
            _read(model, "video-mme", [path], labels="ABCD")
        except StoreError as e:
            unreadable.append(f"Video-MME, {MODELS[model]}: {e}.")
        else:
            paths.append(path)
    return _read(model, "video-mme", paths, labels="ABCD"), unreadable


def _read(
    model: str, slice_name: str, paths: list[Path], *, labels: str
) -> PaperAnswers:
    return read_paper_answers(
        paths,
        checkpoint=MODELS[model],
        slice_name=slice_name,
        labels=labels,
        caps=_NO_CAPS,
    )


def _remarks(found: PaperAnswers, name: str) -> Iterator[str]:
    for note in found.notes:
        yield f"{name}: {note}."
    run = found.run
    failed = {c: run.counts(c).failed for c in run.conditions}
    listed = ", ".join(f"{c} {n}" for c, n in failed.items() if n)
    if listed:
        total = len(run.questions)
        yield f"{name}: cells without an answer, of {total} a condition: {listed}."
