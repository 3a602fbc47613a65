"""``vdg.yaml``: every key known, every type kept, every fault with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_vdg.backends.openai_server import ServerSettings
from pytest_vdg.config.file import KEYS, load_config
from pytest_vdg.config.specs import SliceSpec, VdgConfig
from pytest_vdg.runs import Caps
from tests.config.written import TEMPLATE, refused, whole, write


def test_a_whole_file_is_read_as_written(tmp_path: Path) -> None:
    """Every key reaches its field; paths start at the file."""
    config = load_config(whole(tmp_path))
    assert config.given == KEYS
    assert config.template is not None
    assert config.template.startswith("{{ question }}\n{% for o")
    assert (config.revision, config.base) == ("8", "models/below")
    assert (config.allow_pickle, config.local_files_only) == (True, False)
    assert config.threads == 2
    assert (config.share_prefixes, config.batch_tokens) == (True, 4096)
    assert config.frames_as == "images"
    assert (config.decode_workers, config.decode_timeout_s) == (0, 30.0)
    assert config.time_budget == "1h30m"
    assert config.sight is True
    assert config.executor == "ray"
    assert config.ray == {
        "address": "head:6379",
        "actors": 2,
        "gpus_per_actor": 0.5,
        "cpus_per_actor": 4,
    }
    placing = (config.quantisation, config.device_map, config.offload)
    assert placing == ("nf4", "auto", True)
    assert ServerSettings.of("m", config.server) == ServerSettings(
        model="m",
        url="http://localhost:8000/v1",
        frames_as="video",
        frames_per_token=2,
        image_format="jpeg",
        max_concurrent=4,
        requests_per_minute=60.0,
        timeout_s=30.0,
        deadline_s=300.0,
        retries=2,
        logprobs="off",
        price_per_million={"prompt": 2.5, "completion": 10},
        reuse_hours=12.0,
        request={
            "temperature": None,
            "chat_template_kwargs": {"enable_thinking": False},
        },
    )
    assert config.sampling.fps == 1.0
    assert config.sampling.frames is None
    assert config.conditions == ("original", "black", "single_frame:middle")
    assert list(config.claims) == ["sees", "kept"]
    assert config.claims["sees"].arguments == {"floor": 0.2}
    assert (config.claims["sees"].slice, config.claims["sees"].seed) == ("mine", 3)
    assert config.claims["sees"].tasks == ("order",)
    assert config.claims["kept"].loosened == "fewer videos"
    assert config.slices["mine"] == SliceSpec(
        benchmark="plain",
        path=tmp_path / "data" / "q.jsonl",
        questions=300,
        tasks=("no", "on"),
        seed=4,
    )
    assert config.slices["sight"] == SliceSpec(benchmark="sight")
    assert config.slices["large"] == SliceSpec(
        benchmark="mvbench",
        path=tmp_path / "data" / "mvbench",
        videos=Path("/data/videos"),
        variant="video",
        on_bad_records="skip",
        at_least=10,
        per_video="one",
        rotate=4,
        template=TEMPLATE,
    )
    assert config.slices["kept"] == SliceSpec(
        benchmark="sight", pinned=tmp_path / "slices" / "kept.jsonl"
    )
    assert config.caps == Caps(failed=0.0, unparsed=0.1)
    assert config.baseline_dir == tmp_path / "baselines"
    assert config.cache_dir == Path("/tmp/answers")
    assert config.replay == tmp_path / "runs"


@pytest.mark.parametrize(
    ("keys", "line", "told"),
    [
        ("at_least: 0", 3, "'slices.mine.at_least' must be a whole number above 0"),
        ("per_video: two", 3, "'slices.mine.per_video' must be 'all' or 'one'"),
        ("on_bad_records: warn", 3, "must be 'strict' or 'skip', got the text 'warn'"),
        ("rotate: 1", 3, "must be a whole number of at least 2, got the number 1"),
        ("rotate: '4'", 3, "Write: rotate: 4"),
        ("variant: 2", 3, "Write: variant: '2'"),
        ("pined: x", 3, "Did you mean 'pinned'"),
        ("pinned: x\n    seed: 1", 4, "slice 'mine' is pinned"),
        ("questions: 3\n    pinned: x\n    tasks: [a]", 3, "questions and tasks"),
        ("template: '{{ question }}'", 3, "the text of option 1 of 2"),
        ("template: none.jinja", 3, "none.jinja cannot be read: No such file"),
        ("template: bad.txt", 3, "bad.txt: the template leaves the question out"),
        ("template: latin.j2", 3, "latin.j2 is no UTF-8 text"),
    ],
)
def test_wrong_keys_of_a_slice_are_told_with_their_line(
    tmp_path: Path, keys: str, line: int, told: str
) -> None:
    """Before anything is loaded, and with what to write."""
    (tmp_path / "bad.txt").write_text("What?")
    (tmp_path / "latin.j2").write_bytes(b"\xe9")
    message = refused(tmp_path, f"slices:\n  mine:\n    {keys}\n")
    assert message.startswith(f":{line}: ")
    assert told in message


def test_a_wrong_template_at_the_top_has_its_line(tmp_path: Path) -> None:
    """The same check as in a slice."""
    assert refused(tmp_path, "seed: 1\ntemplate: '{{ questionn }}'").startswith(":2: ")


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n"])
def test_an_empty_file_is_all_defaults(tmp_path: Path, text: str) -> None:
    """A file that says nothing changes nothing."""
    config = load_config(write(tmp_path, text))
    assert config.given == frozenset()
    assert config.sampling == VdgConfig().sampling


def test_json_means_the_same(tmp_path: Path) -> None:
    """What a program writes as JSON is read like what a person writes as YAML."""
    values = {"conditions": ["no", "yes"], "seed": 7, "trust_remote_code": True}
    as_json = load_config(write(tmp_path, json.dumps(values)))
    as_yaml = load_config(
        write(tmp_path, "conditions: [no, yes]\nseed: 7\ntrust_remote_code: true\n")
    )
    assert as_json == as_yaml
    assert as_json.conditions == ("no", "yes")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "conditionz: [black]",
            ":1: unknown key 'conditionz'. Did you mean 'conditions'?",
        ),
        ("seed: 1\nzzz: 8", ":2: unknown key 'zzz'. Known: "),
        (
            "seed: 1\nnum_frames: 8",
            ":2: unknown key 'num_frames'. Write for example: sampling: {frames: 8}",
        ),
        ("fps: 1", ":1: unknown key 'fps'. Write for example: sampling: {"),
        ("frame_as: video", ":1: unknown key 'frame_as'. Did you mean 'frames_as'"),
        ("sampling: {frame: 8}", ":1: unknown key 'sampling.frame'. Did you mean"),
        (
            "slices:\n  a:\n    pathh: x",
            ":3: unknown key 'slices.a.pathh'. Did you mean",
        ),
        ("caps: {fail: 0}", ":1: unknown key 'caps.fail'. Did you mean 'failed'?"),
    ],
)
def test_an_unknown_key_is_named_with_its_line(
    tmp_path: Path, text: str, told: str
) -> None:
    """A misspelt key is never ignored."""
    assert refused(tmp_path, text).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sampling: {frames: '8'}", "the text '8'. Write: frames: 8"),
        ("sampling: {frames: 0}", "a whole number above 0, got the number 0"),
        ("sampling: {frames: 8.0}", "a whole number above 0, got the number 8.0"),
        ("sampling: {frames: true}", "got the switch true"),
        ("sampling: {frames: 8, fps: 1}", "exactly one of frames, fps and protocol"),
        ("sampling: {frames: 8, max_frames: 9}", "belongs to 'fps'"),
        ("sampling: {}", "got none"),
        ("sampling: 8", "a mapping with frames, fps"),
        ("sampling: {fps: -1}", "a number above 0"),
        ("seed: 010", "the text '010'"),
        ("seed: 1:30", "the text '1:30'"),
        ("seed: 1_000", "the text '1_000'"),
        ("seed: " + "1" * 5000, "the text '111"),
        ("seed:", "got nothing. Give a value or remove the line"),
        ("revision: 8", "a text, got the number 8. Write: revision: '8'"),
        ("dtype: true", "Write: dtype: 'true'"),
        ("trust_remote_code: yes", "true or false, got the text 'yes'"),
        ("conditions: original", "a list of texts, got*Write: conditions: [original]"),
        ("conditions: []", "a list of texts"),
        ("conditions: [8]", "a list of texts"),
        ("decode_workers: -1", "a whole number of at least 0, got the number -1"),
        ("decode_timeout_s: 0", "a number above 0, got the number 0"),
        ("time_budget: 30", "a time such as 90s, 30m or 2h, got the number 30"),
        ("time_budget: 0m", "a time such as 90s, 30m or 2h, got the text"),
        ("on_bad_media: ignore", "'fail' or 'skip', got the text 'ignore'"),
        ("caps: {failed: 2}", "a fraction from 0 to 1"),
        ("caps: {failed: .nan}", "the text '.nan'"),
        ("slices: [a]", "a mapping from name to slice"),
        ("slices: {../up: {}}", "a file is named after it"),
        ("slices: {a: plain}", "a mapping with benchmark"),
    ],
)
def test_a_value_of_another_kind_is_refused(
    tmp_path: Path, text: str, told: str
) -> None:
    """Nothing is converted; where it is plain, the message shows what to write."""
    message = refused(tmp_path, text)
    for part in told.split("*"):
        assert part in message


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("slices: {{a: {{rotate: {}}}}}", "2", "1"),
        ("server: {{url: u, reuse_hours: {}}}", "0", "-0.1"),
        ("server: {{url: u, retries: {}}}", "0", "-1"),
        ("decode_workers: {}", "0", "-1"),
        ("sampling: {{frames: {}}}", "1", "0"),
        ("environment: {}", "h100", "../h100"),
    ],
)
def test_the_least_value_is_taken_and_none_below(
    tmp_path: Path, text: str, least: str, below: str
) -> None:
    """What the message says may be written, may be written."""
    load_config(write(tmp_path, text.format(least)))
    assert refused(tmp_path, text.format(below)).startswith(":1: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("server: http://hunter22@localhost/v1", "'server' must be a mapping"),
        ("server: {api_key: hunter22}", "unknown key 'server.api_key'"),
        ("server: {frames_as: clips}", "must be 'images' or 'video'"),
        ("server: {retries: -1}", "a whole number of at least 0"),
        ("server: {timeout_s: '5'}", "Write: timeout_s: 5"),
        ("server: {reuse_hours: -1}", "a number of at least 0"),
    ],
)
def test_what_no_server_takes_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """With the line; what may be a secret is not repeated."""
    message = refused(tmp_path, text)
    assert told in message
    assert "hunter22" not in message


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("executor: rai", "must be 'local' or 'ray'"),
        ("ray: {actor: 2}", "unknown key 'ray.actor'. Did you mean 'actors'"),
        ("ray: {actors: 0}", "a whole number above 0"),
        ("ray: {gpus_per_actor: '1'}", "Write: gpus_per_actor: 1"),
    ],
)
def test_what_no_cluster_takes_is_refused(tmp_path: Path, text: str, told: str) -> None:
    """With what was probably meant."""
    assert told in refused(tmp_path, text)
