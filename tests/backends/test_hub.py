"""Tests of Hub ids: which revision, from the cache alone, and what errors say.

The cache is laid out as the Hub's client lays it out; the Hub is a server on
loopback that answers as the real one does when it refuses.
"""

from __future__ import annotations

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from pytest_vdg.backends import Prompt
from pytest_vdg.backends._hf_hub import find_checkpoint, is_hub_id
from pytest_vdg.errors import ConfigError
from tests.backends.adapters import build_adapter
from tests.backends.conftest import MakeBackend, make_clip
from tests.backends.tinymodel import edit_json
from tests.serving import own_port

constants = pytest.importorskip("huggingface_hub.constants")

OLD, NEW, BASE = "1" * 40, "a" * 40, "b" * 40


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty Hub cache, with the network allowed by the environment."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "hub"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail the test for any attempt to look up a name or to connect, caught or not."""
    attempts: list[object] = []

    def refuse(*given: object, **more: object) -> None:
        attempts.append((given, more))
        raise OSError("there is no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield
    assert not attempts


def keep(
    cache: Path, hub_id: str, source: Path, commit: str, *, ref: str | None = None
) -> Path:
    """Put *source* into the cache as *commit* of *hub_id*, to which *ref* points."""
    home = cache / f"models--{hub_id.replace('/', '--')}"
    snapshot = home / "snapshots" / commit
    blobs = home / "blobs"
    blobs.mkdir(parents=True, exist_ok=True)
    snapshot.mkdir(parents=True)
    for path in source.iterdir():
        blob = blobs / f"{commit[:4]}-{path.name}"
        shutil.copy(path, blob)
        (snapshot / path.name).symlink_to(Path("../../blobs") / blob.name)
    if ref is not None:
        (home / "refs").mkdir(exist_ok=True)
        (home / "refs" / ref).write_text(commit)
    return snapshot


def found(checkpoint: str, revision: str | None = None, *, local: bool = True) -> Path:
    """Return the folder that is found for *checkpoint*."""
    return find_checkpoint(
        checkpoint,
        revision=revision,
        local_files_only=local,
        allow_pickle=False,
        trust_remote_code=False,
    ).folder


@pytest.mark.usefixtures("no_network")
def test_a_checkpoint_of_the_cache_is_asked_without_network(
    cache: Path, checkpoint: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Nothing is looked up: weights, processor and an adapter's base are here."""
    keep(cache, "org/model", checkpoint, NEW, ref="main")
    made = backend("org/model")
    here = backend(checkpoint)
    assert made.name == "org/model"
    assert made.identity == here.identity
    assert made.ask(prompt, make_clip()) == here.ask(prompt, make_clip())


@pytest.mark.usefixtures("no_network")
def test_an_adapter_and_its_base_come_from_the_cache(
    cache: Path, checkpoint: Path, tmp_path: Path, backend: MakeBackend, prompt: Prompt
) -> None:
    """Each at its own revision: the base at the one that the adapter names."""
    pytest.importorskip("peft")
    folder = build_adapter(checkpoint, tmp_path / "made")
    here = backend(folder).ask(prompt, make_clip())
    named = {"base_model_name_or_path": "org/base", "revision": BASE}
    edit_json(folder / "adapter_config.json", **named)
    keep(cache, "org/base", checkpoint, BASE)
    keep(cache, "me/adapter", folder, NEW, ref="best")
    made = backend("me/adapter@best")
    assert made.name == "me/adapter@best"
    assert made.ask(prompt, make_clip()) == here
    assert made.observed == {"commit": NEW, "base": "org/base", "base commit": BASE}
    [note] = made.notes
    assert note.startswith("me/adapter is asked at commit aaaaaaaaaaaa of 'best'")
    assert note.endswith(f"To stay with it: me/adapter@{NEW}")
    edit_json(folder / "adapter_config.json", revision="v1")
    (cache / "models--org--base" / "refs").mkdir()
    (cache / "models--org--base" / "refs" / "v1").write_text(BASE)
    [note] = backend(folder).notes
    assert note.endswith(f"To stay with it: base: org/base@{BASE}")


def test_a_revision_is_named_behind_the_id_or_beside_it(
    cache: Path, checkpoint: Path, backend: MakeBackend
) -> None:
    """A commit is what it is for ever, and no note is due; a branch may move."""
    old = keep(cache, "org/model", checkpoint, OLD, ref="v1")
    new = keep(cache, "org/model", checkpoint, NEW, ref="main")
    assert found("org/model") == new
    assert found("org/model@v1") == found("org/model", "v1") == old
    assert found(f"org/model@{OLD}") == found(f"org/model@{OLD}", OLD) == old
    with pytest.raises(ConfigError, match="names another one, 'main'"):
        found("org/model@v1", "main")
    pinned, moving = backend(f"org/model@{OLD}"), backend("org/model", revision="v1")
    assert pinned.observed == moving.observed == {"commit": OLD}
    assert pinned.notes == ()
    assert "of 'v1', which may move" in moving.notes[0]
    assert pinned.identity == moving.identity


def test_a_folder_wins_over_an_id(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies here is meant, even with an @ in its name; it has no commit."""
    (tmp_path / "org" / "model@v1").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert found("org/model@v1") == Path("org/model@v1")
    assert not is_hub_id("org/model@v1")
    assert is_hub_id("org/model@refs/pr/3")
    assert not any(map(is_hub_id, ("org/a/b", "org/a@", "org/a@../b", "org/a@-x")))


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("variable", [None, "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_what_is_not_in_the_cache_is_told_without_network(
    cache: Path,
    checkpoint: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str | None,
) -> None:
    """Whether the file forbids it or the environment, however it was allowed else."""
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    local = variable is None
    with pytest.raises(ConfigError, match="nor in the Hub cache") as raised:
        found("org/model@v1", local=local)
    told = str(raised.value)
    assert "hf download org/model --revision v1" in told
    assert told.endswith(
        "local_files_only: false"
        if local
        else f"unset {variable}, and local_files_only: false"
    )
    keep(cache, "org/model", checkpoint, OLD)
    with pytest.raises(ConfigError, match=f"not at 'v1'. There is {OLD}"):
        found("org/model@v1", local=local)
    with pytest.raises(ConfigError, match=f"named in full: org/model@{OLD}"):
        found("org/model@11111", local=local)
    assert found(f"org/model@{OLD}", local=local)


@pytest.fixture
def asked(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what the Hub's client will have been asked for; it fetches nothing."""
    import huggingface_hub

    found: list[dict[str, Any]] = []

    def note(hub_id: str, **options: object) -> str:
        found.append({"id": hub_id, **options})
        return str(cache / NEW)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", note)
    return found


@pytest.mark.parametrize("allow_pickle", [False, True])
@pytest.mark.parametrize("trust_remote_code", [False, True])
def test_only_what_was_allowed_is_fetched(
    asked: list[dict[str, Any]], allow_pickle: bool, trust_remote_code: bool
) -> None:
    """Pickles and code each by a yes of its own; weights of the top folder alone."""
    place = find_checkpoint(
        "org/model@v1",
        revision=None,
        local_files_only=False,
        allow_pickle=allow_pickle,
        trust_remote_code=trust_remote_code,
    )
    (options,) = asked
    assert (options["id"], options["revision"]) == ("org/model", "v1")
    assert options["local_files_only"] is False
    wanted = set(options["allow_patterns"])
    assert {"*.json", "*.safetensors", "*.jinja"} <= wanted
    assert ("*.bin" in wanted) == allow_pickle
    assert ("*.py" in wanted) == trust_remote_code
    assert set(options["ignore_patterns"]) == {"*/*.safetensors", "*/*.bin"}
    assert (place.name, place.commit, place.revision) == ("org/model", NEW, "v1")


@pytest.mark.parametrize(
    ("said", "offline"),
    [("1", True), ("on", True), ("Yes", True), ("TRUE", True), ("0", False), ("", 0)],
)
@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_the_environment_forbids_the_network_as_the_hub_reads_it(
    asked: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    said: str,
    offline: bool,
) -> None:
    """In each way to say yes, whatever the file allows; a no forbids nothing."""
    monkeypatch.setenv(variable, said)
    found("org/model", local=False)
    assert asked[0]["local_files_only"] == offline


class _Refusing(BaseHTTPRequestHandler):
    """Answers each request as the Hub answers what it refuses."""

    status, code = 500, ""

    def do_GET(self) -> None:
        """Refuse."""
        body = json.dumps({"error": "refused"}).encode()
        self.send_response(self.status)
        if self.code:
            self.send_header("X-Error-Code", self.code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the server's own name

    def log_message(self, *told: object) -> None:
        """Keep the terminal clean."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[_Refusing]]:
    """Serve a Hub on loopback; what it answers is set on the class."""
    handler = type("Handler", (_Refusing,), {})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    port = server.server_address[1]
    monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{port}")
    yield handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        (403, "GatedRepo", r"org/m is gated: .*\nAccept .*hub.*/org/m, .*auth login"),
        (401, "RepoNotFound", r"org/m is not on the Hub, or is private.\n.*HF_TOKEN"),
        (404, "RepoNotFound", r"org/m is not on the Hub, or is private.\n.*spelt so"),
        (404, "RevisionNotFound", r"org/m has no revision 'v1': .*\n.*/commits/main"),
        (403, "", r"org/m .*403"),
        (500, "", r"org/m is not in the Hub cache, and the Hub cannot be .*: .*500"),
    ],
)
def test_what_the_hub_refuses_is_told_with_what_to_type(
    cache: Path, hub: type[_Refusing], status: int, code: str, told: str
) -> None:
    """Gated, private, misspelt, no such revision, or out of order."""
    hub.status, hub.code = status, code
    with pytest.raises(ConfigError, match=told.replace(".*hub.*", ".*huggingface.*")):
        found("org/m@v1", local=False)


def test_without_a_network_the_cache_is_named(
    cache: Path, checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closed port is what a machine without a way out finds."""
    with own_port() as port:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{port}")
        with pytest.raises(
            ConfigError, match=r"cannot be reached: .*\nWhere there is a"
        ):
            found("org/model", local=False)
        keep(cache, "org/model", checkpoint, NEW, ref="main")
        assert found("org/model", local=False).name == NEW
