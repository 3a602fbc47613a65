"""``vdg.yaml`` files as the tests of the configuration write them.

Apart from the tests because reading, resolving and telling start from the same files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vdg.config.file import load_config
from pytest_vdg.config.resolve import file_voice, resolve
from pytest_vdg.config.settings import Settings
from pytest_vdg.errors import ConfigError

WHOLE = """
checkpoint: models/new
backend: transformers
device: cpu
dtype: float32
attention: eager
frames_as: images
scoring: choice
option_likelihood: sum
max_new_tokens: 8
trust_remote_code: false
allow_pickle: true
local_files_only: false
threads: 2
share_prefixes: true
batch_tokens: 4096
server:
  url: http://localhost:8000/v1
  frames_as: video
  frames_per_token: 2
  image_format: jpeg
  max_concurrent: 4
  requests_per_minute: 60
  timeout_s: 30
  deadline_s: 300
  retries: 2
  logprobs: off
  price_per_million: {prompt: 2.5, completion: 10}
  reuse_hours: 12
  request: {temperature: null, chat_template_kwargs: {enable_thinking: false}}
revision: '8'
base: models/below
instruction: Answer with one letter.
template: |
  {{ question }}
  {% for o in options %}
  {{ o.label }}: {{ o.text }}
  {% endfor %}
  {{ instruction }}
sampling: {fps: 1, max_frames: 32, endpoints: true}
seed: -3
quantisation: nf4
device_map: auto
offload: true
reader: pyav
decode_workers: 0
decode_timeout_s: 30
time_budget: 1h30m
compare_to: models/old
spread: force
sight: true
executor: ray
ray: {address: "head:6379", actors: 2, gpus_per_actor: 0.5, cpus_per_actor: 4}
conditions: [original, black, 'single_frame:middle']
slices:
  mine: {benchmark: plain, path: data/q.jsonl, questions: 300, tasks: [no, on], seed: 4}
  sight: {}
  large:
    benchmark: mvbench
    path: data/mvbench
    videos: /data/videos
    variant: video
    on_bad_records: skip
    at_least: 10
    per_video: one
    rotate: 4
    template: prompts/large.jinja
  kept: {benchmark: sight, pinned: slices/kept.jsonl}
claims:
  sees: {assert: vdg_above, slice: mine, floor: 0.2, tasks: order, seed: 3}
  kept:
    assert: no_dissociation_regression
    vdg_margin: 0.1
    loosened: fewer videos
caps: {failed: 0, unparsed: 0.1}
on_bad_media: skip
baseline_dir: baselines
environment: h100
cache_dir: /tmp/answers
replay: runs
"""

TEMPLATE = (
    "{{ question }}{% for o in options %} {{ o.label }}: {{ o.text }}{% endfor %}"
)


def write(folder: Path, text: str | bytes) -> Path:
    """Write *text* to the ``vdg.yaml`` of *folder*."""
    path = folder / "vdg.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def whole(folder: Path) -> Path:
    """Write a ``vdg.yaml`` with every key, and the template that it names."""
    (folder / "prompts").mkdir()
    (folder / "prompts" / "large.jinja").write_text(TEMPLATE)
    return write(folder, WHOLE)


def refused(folder: Path, text: str | bytes) -> str:
    """Return the message with which *text* is refused."""
    path = write(folder, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def settled(path: Path) -> Settings:
    """Return what holds where the file *path* alone says anything."""
    config = load_config(path)
    voices = [file_voice(config, path.parent)]
    return resolve(voices, base=path.parent, config=config)
