"""The environment that holds lmms-eval: made, or looked at.

Apart from the project's own because lmms-eval is no dependency of it and
brings some two hundred packages.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("lmms-eval==0.7.3", "decord==0.6.0", "filelock<4")
"""It reads clips with decord, and a part of filelock that 4 no longer has, and
asks for neither."""
SHARED = ("torch", "torchvision", "transformers")
"""Installed there in the versions of here, so that the libraries make no difference."""
TOLD = ("lmms-eval", *SHARED, "qwen-vl-utils", "decord", "accelerate")
HOW = """\
lmms-eval lives in an environment of its own. Let this make one (some gigabytes):
    python -m bench.against_lmms_eval CHECKPOINT --make-env FOLDER
or make it yourself and name its Python with --lmms-python:
    python -m venv FOLDER
    FOLDER/bin/pip install {packages}"""


def make(folder: Path) -> Path:
    """Make an environment with lmms-eval in *folder* and return its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)  # noqa: S603
    python = folder / "bin" / "python"
    command = [str(python), "-m", "pip", "install", *PACKAGES, *_shared()]
    subprocess.run(command, check=True)  # noqa: S603
    return python


def how() -> str:
    """Return what to type to have lmms-eval."""
    return HOW.format(packages=shlex.join([*PACKAGES, *_shared()]))


def versions(python: Path) -> dict[str, str]:
    """Return the versions of the packages that matter, as *python* finds them."""
    code = (
        "import importlib.metadata as m, json, sys\n"
        "print(json.dumps({d.name.lower().replace('_', '-'): d.version "
        "for d in m.distributions()}))"
    )
    try:
        told = subprocess.run(  # noqa: S603 - the Python that the user named
            [python, "-c", code], check=True, capture_output=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        message = f"{python} does not run: {error}\n{how()}"
        raise SystemExit(message) from error
    found = json.loads(told)
    missing = [name for name in ("lmms-eval", "decord") if name not in found]
    if missing:
        message = f"{python} has no {' and no '.join(missing)}.\n{how()}"
        raise SystemExit(message)
    return {name: found[name] for name in TOLD if name in found}


def own_versions() -> dict[str, str]:
    """Return the versions of the packages that we run with."""
    names = ("pytest-vdg", *SHARED, "av")
    return {name: found for name in names if (found := _version(name)) is not None}


def _shared() -> list[str]:
    # A local build such as 2.14.1+cpu is on no index; its release is.
    found = ((name, _version(name)) for name in SHARED)
    return [f"{name}=={v.partition('+')[0]}" for name, v in found if v is not None]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
