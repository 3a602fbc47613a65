"""What a checkpoint is known by, read from files written by hand, without torch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_vdg.backends._hf_adapter_files import AdapterFiles
from pytest_vdg.backends._hf_files import CheckpointFiles
from tests.backends.handmade import write_checkpoint, write_safetensors
from tests.backends.tinymodel import edit_json


def files(folder: Path, *, remote_code: bool = False) -> CheckpointFiles:
    """Return the checkpoint in *folder*, read anew."""
    weights = (folder / "model.safetensors",)
    return CheckpointFiles(folder, weights, False, remote_code)


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "generation_config.json",
        "preprocessor_config.json",
        "tokenizer_config.json",
        "tokenizer.json",
        "chat_template.jinja",
        "model.safetensors",
    ],
)
def test_all_that_can_change_an_answer_shows_in_the_stamp(
    tmp_path: Path, name: str
) -> None:
    """A trainer that saves again while the run waits writes each of these."""
    write_checkpoint(tmp_path)
    before = files(tmp_path).stamp()
    path = tmp_path / name
    path.write_bytes(path.read_bytes() + b" ")
    assert files(tmp_path).stamp() != before


def test_files_that_come_and_go_show_in_the_stamp(tmp_path: Path) -> None:
    """A template of another version wins over the one that was read."""
    write_checkpoint(tmp_path)
    stamps = [files(tmp_path).stamp()]
    (tmp_path / "chat_template.json").write_text("{}")
    stamps.append(files(tmp_path).stamp())
    (tmp_path / "generation_config.json").unlink()
    stamps.append(files(tmp_path).stamp())
    assert len({*stamps}) == 3


def test_code_is_part_of_the_processor_where_it_may_run(tmp_path: Path) -> None:
    """Elsewhere it is of no matter what lies beside the weights."""
    write_checkpoint(tmp_path)
    before = [
        files(tmp_path, remote_code=may).processor_digest for may in (False, True)
    ]
    (tmp_path / "processing_x.py").write_text("pass")
    after = [files(tmp_path, remote_code=may).processor_digest for may in (False, True)]
    assert after[0] == before[0]
    assert after[1] != before[1]


@pytest.mark.parametrize(
    ("kind", "config", "dtype"),
    [
        ("F16", {}, "float16"),
        ("BF16", {}, "bfloat16"),
        ("F32", {}, "float32"),
        ("U8", {}, "float32"),
        ("F32", {"dtype": "bfloat16"}, "bfloat16"),
        ("F32", {"torch_dtype": "float16"}, "float16"),
        ("F32", {"dtype": "float16", "torch_dtype": "bfloat16"}, "float16"),
        ("F32", {"text_config": {"dtype": "bfloat16"}}, "bfloat16"),
        ("F32", {"dtype": "half", "text_config": {"dtype": "bfloat16"}}, "float16"),
        ("F16", {"dtype": "auto"}, "float16"),
        ("F16", {"dtype": None, "text_config": None}, "float16"),
    ],
)
def test_the_dtype_is_the_configs_word_before_the_weights(
    tmp_path: Path, kind: str, config: dict[str, object], dtype: str
) -> None:
    """Its own before that of its part; `auto` is no word, and no more is nothing."""
    write_checkpoint(tmp_path, {"w": (kind, (2, 2))}, **config)
    assert files(tmp_path).dtype == dtype


@pytest.mark.parametrize(
    ("vision", "video", "frames"),
    [(4, 2, 4), (None, 2, 2), (None, None, 1), (1, 2, 1), (0, 3, 3), ("2", 3, 3)],
)
def test_merged_frames_are_a_number_of_at_least_one(
    tmp_path: Path, vision: object, video: object, frames: int
) -> None:
    """The model's own word wins, unless it is none."""
    write_checkpoint(tmp_path, vision_config={"temporal_patch_size": vision})
    (tmp_path / "video_preprocessor_config.json").write_text(
        json.dumps({"temporal_patch_size": video})
    )
    assert files(tmp_path).frames_per_token == frames


def test_the_same_content_in_another_folder_is_the_same(tmp_path: Path) -> None:
    """Known by content and names within the folder, never by where it lies."""
    digests = []
    for name in ("one", "two"):
        write_checkpoint(tmp_path / name, hidden_size=4)
        found = files(tmp_path / name)
        digests.append((found.subject, found.processor_digest))
    assert digests[0] == digests[1]
    edit_json(tmp_path / "two" / "config.json", hidden_size=8)
    assert files(tmp_path / "two").subject != digests[0][0]


def test_weights_are_known_by_base_and_adapter(tmp_path: Path) -> None:
    """One other byte of either is another model; whole weights are their own."""
    base, added = write_checkpoint(tmp_path), tmp_path / "lora"
    added.mkdir()
    (added / "adapter_config.json").write_text('{"r": 2}')
    lora = write_safetensors(added / "adapter_model.safetensors", {"a": ("F32", (4,))})

    def digests() -> tuple[str, str]:
        whole = files(tmp_path)
        assert whole.weights_digest == whole.base_digest
        adapter = AdapterFiles(folder=added, weights=lora)
        both = replace(whole, adapter=adapter)
        assert both.base_digest == whole.base_digest
        return whole.weights_digest, both.weights_digest

    seen = [digests()]
    for path, changed in (
        (base, base.read_bytes()[:-1] + b"\1"),
        (lora, lora.read_bytes()[:-1] + b"\1"),
        (added / "adapter_config.json", b'{"r": 3}'),
    ):
        path.write_bytes(changed)
        seen.append(digests())
    whole_ones, adapted = zip(*seen, strict=True)
    assert len({*adapted}) == 4
    assert whole_ones[0] != whole_ones[1] == whole_ones[2] == whole_ones[3]
    assert len({*whole_ones, *adapted}) == 6


def test_the_order_in_which_a_file_was_written_is_of_no_matter(tmp_path: Path) -> None:
    """Versions of a library write the same keys in another order."""
    written = {"hidden_size": 4, "text_config": {"a": 1, "b": [{"c": 2, "d": 3}]}}
    turned = {"text_config": {"b": [{"d": 3, "c": 2}], "a": 1}, "hidden_size": 4}
    seen = set()
    for config in (written, turned):
        write_checkpoint(tmp_path, **config)
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
        found = files(tmp_path)
        seen.add((found.config_digest, found.processor_digest))
    assert len(seen) == 1
