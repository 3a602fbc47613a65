"""Libraries imported for no more than they cost, and nothing else changed by it."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from pytest_vdg.backends._hf_imports import uncollected

SCRIPT = """
import gc, json
from pytest_vdg.backends._hf_imports import import_libraries
told = {"before": gc.get_freeze_count()}
import_libraries()
told["frozen"] = gc.get_freeze_count()
class Ring: pass
ring = Ring(); ring.me = ring
import_libraries()
told["again"] = gc.get_freeze_count()
told["on"] = gc.isenabled()
print(json.dumps(told))
"""


class Ring:
    """An object that reference counts alone never free."""

    def __init__(self) -> None:
        """Refer to itself."""
        self.me = self


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """Find and leave nothing frozen, and the collector on."""
    gc.unfreeze()
    yield
    gc.enable()
    gc.unfreeze()


def test_libraries_are_frozen_once() -> None:
    """What was made by imports is frozen, and what is made later is not."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    told = json.loads(run.stdout)
    assert told["before"] == 0
    assert told["frozen"] > 100_000  # torch alone makes more
    assert told["again"] <= told["frozen"]  # some may have gone by themselves
    assert told["on"]


def test_garbage_of_before_is_not_kept_for_ever() -> None:
    """It is collected before the rest is frozen."""
    gc.disable()  # so that it is still there
    ring = weakref.ref(Ring())
    assert ring() is not None
    gc.enable()
    with uncollected():
        assert ring() is None


def test_what_was_frozen_still_goes_when_nobody_refers_to_it() -> None:
    """Only rings stay; a model's memory is not held by this."""

    class Plain:
        pass

    with uncollected():
        made = Plain()
        gone = weakref.ref(made)
    del made
    assert gone() is None


@pytest.mark.parametrize("fails", [False, True])
def test_the_collector_is_on_again(fails: bool) -> None:
    """Whatever happened inside, where it was off."""

    def run() -> None:
        with uncollected():
            assert not gc.isenabled()
            if fails:
                raise ImportError("no such library")

    if fails:
        with pytest.raises(ImportError):
            run()
    else:
        run()
    assert gc.isenabled()
    assert bool(gc.get_freeze_count()) is not fails


def test_a_collector_that_is_off_is_left_alone() -> None:
    """Whoever switched it off decides what is frozen, too."""
    gc.disable()
    before = gc.get_freeze_count()
    with uncollected():
        pass
    assert not gc.isenabled()
    assert gc.get_freeze_count() <= before
