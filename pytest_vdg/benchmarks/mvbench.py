"""MVBench: twenty tasks made from other data sets, each in a folder of its own.

Apart from TVBench, which took over its form, because its videos lie in two
ways: uncut, with the times of each question, and cut in advance. Times that
are applied to a cut clip show another moment, so the two are never mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from pytest_vdg.benchmarks._tasks import PROMPT, Task, read_task, task_files
from pytest_vdg.benchmarks.layout import Files, folder_of, video_folder
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.source import Published, Source
from pytest_vdg.errors import BenchmarkError

_STAR = Task(folder="star/Charades_v1_480", bounded=True)
_CLEVRER = Task(folder="clevrer/video_validation")
_PERCEPTION = Task(folder="perception/videos")

MAIN: Mapping[str, Task] = {
    "action_sequence": _STAR,
    "action_prediction": _STAR,
    "action_antonym": Task(folder="ssv2_video"),
    "fine_grained_action": Task(folder="Moments_in_Time_Raw/videos"),
    "unexpected_action": Task(folder="FunQA_test/test"),
    "object_existence": _CLEVRER,
    "object_interaction": _STAR,
    "object_shuffle": _PERCEPTION,
    "moving_direction": _CLEVRER,
    "action_localization": Task(folder="sta/sta_video", bounded=True),
    "scene_transition": Task(folder="scene_qa/video"),
    "action_count": _PERCEPTION,
    "moving_count": _CLEVRER,
    "moving_attribute": _CLEVRER,
    "state_change": _PERCEPTION,
    "fine_grained_pose": Task(folder="nturgbd"),
    "character_order": _PERCEPTION,
    "egocentric_navigation": Task(folder="vlnqa"),
    "episodic_reasoning": Task(
        folder="tvqa/frames_fps3_hq", bounded=True, picture_rate=3.0
    ),
    "counterfactual_inference": _CLEVRER,
}
"""Task to what the revision ``main`` says of it, in the authors' order."""

_CUT: Mapping[str, Task] = {
    "star/Charades_v1_480": Task(folder="star/Charades_segment"),
    "sta/sta_video": Task(folder="sta/sta_video_segment"),
    "ssv2_video": Task(folder="ssv2_video_mp4", ending=".mp4"),
    "nturgbd": Task(folder="nturgbd_convert", ending=".mp4"),
    "tvqa/frames_fps3_hq": Task(folder="tvqa/video_fps3_hq_segment", ending=".mp4"),
}
"""Folder of ``main`` to what takes its place in the revision ``video``."""

REVISIONS: Mapping[str, Mapping[str, Task]] = {
    "main": MAIN,
    "video": {name: _CUT.get(task.folder, task) for name, task in MAIN.items()},
}
"""Variant to its tasks; under ``video`` nothing is cut by us."""

NESTED = "data0613"
"""Folder that some of the archives unpack into."""


def load(source: Source) -> Benchmark:
    """Read the lists of all tasks, or of one, for the revision on disk."""
    assert source.path is not None
    records = Records("mvbench", source.on_bad)
    variant = MVBENCH.variant(source)
    folder = folder_of(source.path, below=("json",))
    root = video_folder(source, folder, "video", "videos", ".")
    tasks = REVISIONS[variant]
    files = task_files(records, source.path, tasks)
    _refuse_other(root, variant, files)
    for name, path in files.items():
        read_task(records, path, name, tasks[name], _place(root, tasks[name]))
    return records.benchmark(root=root, prompt=PROMPT)


def _refuse_other(root: Path, variant: str, names: Mapping[str, Path]) -> None:
    """Refuse videos that lie as the other revision has them."""
    other = next(name for name in REVISIONS if name != variant)
    for name in names:
        ours = REVISIONS[variant][name].folder
        theirs = REVISIONS[other][name].folder
        if not _exists(root, ours) and _exists(root, theirs):
            raise BenchmarkError(
                f"{root}: the videos of {name} lie in {theirs}, as in revision "
                f"{other!r} of MVBench; revision {variant!r}, which was asked for, has "
                f"them in {ours}. The two are cut differently and are never mixed.\n"
                f"Set variant: {other}, with the lists of questions of that revision, "
                f"or fetch revision {variant!r}"
            )


def _exists(root: Path, folder: str) -> bool:
    return (root / folder).is_dir() or (root / NESTED / folder).is_dir()


def _place(root: Path, task: Task) -> Callable[[str], str]:
    """Return what gives the path under *root* of a video that records name."""
    nested = (
        not (root / task.folder).is_dir() and (root / NESTED / task.folder).is_dir()
    )
    folder = f"{NESTED}/{task.folder}" if nested else task.folder
    there = Files(root / folder)

    def place(name: str) -> str:
        if task.ending is None or name in there:
            return f"{folder}/{name}"
        # The videos were converted; the lists may still name what they were.
        stem = name[: -len(suffix)] if (suffix := _suffix(name)) else name
        return f"{folder}/{stem}{task.ending}"

    return place


def _suffix(name: str) -> str:
    suffix = PurePosixPath(name).suffix
    return suffix if suffix.lower() in (".webm", ".avi", ".mp4", ".mkv") else ""


MVBENCH = Published(
    name="mvbench",
    title="MVBench",
    load=load,
    expects=(
        "json/   a list of questions for each of 20 tasks\n"
        "video/  folders of videos as the archives unpack: star, sta, clevrer, ...\n"
        "        Variant main (uncut, cut by us): star/Charades_v1_480, ...\n"
        "        Variant video (cut in advance): star/Charades_segment, ..."
    ),
    published="Hugging Face data set OpenGVLab/MVBench, revision main or video",
    variants=("main", "video"),
)
