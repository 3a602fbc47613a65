"""The folder that lmms-eval is pointed to: a task a condition, and the checkpoint.

Apart from the clips because it says what lmms-eval is told, and they what it
is shown. The checkpoint is that of the user by links, with a chat template that
leaves out the system message that lmms-eval always sends and we never do, so
that both put the same tokens to the model.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from bench.against_lmms_eval.clips import Rendered
from bench.against_lmms_eval.work import CONDITIONS, SETTINGS
from pytest_vdg.benchmarks.prompts import render
from pytest_vdg.benchmarks.slices import Slice

MAX_NEW_TOKENS = 16
_NO_SYSTEM = (
    "{%- if messages[0]['role'] == 'system' -%}"
    "{%- set messages = messages[1:] -%}{%- endif -%}"
)
_TASK = """\
task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: generate_until
doc_to_visual: !function task_utils.visuals
doc_to_text: prompt
doc_to_target: answer
process_results: !function task_utils.results
generation_kwargs:
  max_new_tokens: {tokens}
  temperature: 0
  do_sample: false
metric_list:
  - metric: right
    aggregation: mean
    higher_is_better: true
"""


def task_name(condition: str) -> str:
    """Return the name of the task of *condition*."""
    return f"vdg_bench_{condition}"


def write_tasks(slice_: Slice, rendered: Rendered, folder: Path) -> None:
    """Write a task of lmms-eval for each condition into *folder*."""
    folder.mkdir()
    shutil.copy(Path(__file__).with_name("task_utils.py"), folder)
    for condition in CONDITIONS:
        data = folder / f"{condition}.jsonl"
        rows = (
            {
                "id": question.id,
                "prompt": render(question, SETTINGS.style),
                "clip": str(rendered.files[question.id, condition]),
                "answer": question.answer,
            }
            for question in slice_.questions
        )
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        name = task_name(condition)
        text = _TASK.format(
            name=name, data=json.dumps(str(data)), tokens=MAX_NEW_TOKENS
        )
        (folder / f"{name}.yaml").write_text(text)


def link_checkpoint(checkpoint: Path, chat_template: str, folder: Path) -> None:
    """Make *folder* a view of *checkpoint* that leaves out system messages."""
    folder.mkdir()
    for file in checkpoint.resolve().iterdir():
        if not file.name.startswith("chat_template"):
            (folder / file.name).symlink_to(file)
    (folder / "chat_template.jinja").write_text(_NO_SYSTEM + chat_template)
