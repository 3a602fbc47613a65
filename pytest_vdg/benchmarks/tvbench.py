"""TVBench: ten tasks that a single frame, or the text alone, does not answer.

Apart from MVBench, whose form it has, because its videos lie in one way, a
folder for each task.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pytest_vdg.benchmarks._tasks import PROMPT, Task, read_task, task_files
from pytest_vdg.benchmarks.layout import folder_of, video_folder
from pytest_vdg.benchmarks.records import Records
from pytest_vdg.benchmarks.schema import Benchmark
from pytest_vdg.benchmarks.source import Published, Source

BOUNDED = ("action_localization", "action_sequence")
TASKS: Mapping[str, Task] = {
    name: Task(folder=name, bounded=name in BOUNDED)
    for name in (
        "action_antonym",
        "action_count",
        "action_localization",
        "action_sequence",
        "egocentric_sequence",
        "moving_direction",
        "object_count",
        "object_shuffle",
        "scene_transition",
        "unexpected_action",
    )
}


def load(source: Source) -> Benchmark:
    """Read the lists of all tasks, or of one."""
    assert source.path is not None
    records = Records("tvbench", source.on_bad)
    folder = folder_of(source.path, below=("json",))
    root = video_folder(source, folder, "video", "videos")
    for name, path in task_files(records, source.path, TASKS).items():
        read_task(records, path, name, TASKS[name], partial(_place, name))
    return records.benchmark(root=root, prompt=PROMPT)


def _place(task: str, video: str) -> str:
    return f"{task}/{video}"


TVBENCH = Published(
    name="tvbench",
    title="TVBench",
    load=load,
    expects=(
        "json/   a list of questions for each of 10 tasks\n"
        "video/  a folder of videos for each task; those of action_antonym are from\n"
        "        NTU RGB+D and are not distributed with it"
    ),
    published="Hugging Face data set FunAILab/TVBench",
)
