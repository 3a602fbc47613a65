"""A forecast as text: what to ask for, what one has, and how power grows.

Apart from ``forecast`` so that the numbers can be had without the words.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_vdg.outcomes.extent import in_orders
from pytest_vdg.reports._format import MISSING, columns, plain, points, span, wrapped
from pytest_vdg.reports._study import CHANGE_RATES, Assumption
from pytest_vdg.reports.forecast import Forecast
from pytest_vdg.spelling import count
from pytest_vdg.stats.planning import DRAWS, Outlook

_BAR = 30
_SURE = 0.995
"""Power from which a point of the curve is written as 100%."""
_ROWS_WHEN_SURE = 3
"""So many of these are enough to see that it stays there."""


def plan_lines(forecast: Forecast) -> list[str]:
    """Return the answer first, then the assumptions, the present, the curve."""
    return [
        *_answer(forecast),
        "",
        *_table(forecast),
        *_unshown(forecast),
        "",
        *_curve(forecast),
        "",
        *_notes(forecast),
    ]


def claim_words(forecast: Forecast) -> str:
    """Return the claim in words, e.g. ``VDG above a floor of +10.0pp``."""
    if forecast.kind == "floor":
        return f"{forecast.measure} above a floor of {points(forecast.bound)}pp"
    return f"no loss of {forecast.measure} beyond {points(forecast.bound)[1:]}pp"


def _answer(forecast: Forecast) -> list[str]:
    stored, main = forecast.stored, forecast.main
    task = "" if forecast.task is None else f", task {plain(forecast.task, 40)}"
    than = ""
    if forecast.earlier is not None:
        than = f" and {plain(forecast.earlier, 40)}"
    source = plain(forecast.checkpoint, 40) + than
    gap = f"{points(stored.estimate)}pp {span(stored.low, stored.high)}"
    size = count(stored.questions, "question") + in_orders(forecast.orders)
    size += f", {count(forecast.n_videos, 'video')}"
    effect = f"design effect {stored.design_effect:.2f}"
    return [
        f"plan  {claim_words(forecast)} (bounds at {100 * forecast.confidence:g}%)",
        *wrapped(
            f"{source}, slice {plain(forecast.slice_name, 40)}{task}", first="from  "
        ),
        *wrapped(f"{forecast.measure} {gap} over {size}, {effect}", first="      "),
        *wrapped(_needed(forecast, main), first="ask   "),
        *wrapped(_present(main.now), first="now   "),
    ]


def _needed(forecast: Forecast, main: Assumption) -> str:
    wanted = f"{100 * forecast.power:g}% power"
    if main.needed is None:
        return f"no number of questions gives {wanted} if {main.name}: {_why(forecast)}"
    n = main.needed
    videos = sum(many for _, many in forecast.videos.of(n))
    text = f"{count(n, 'question')} on {count(videos, 'video')}, "
    text += f"{forecast.cells(n)} cells a run"
    if forecast.to_ask(n) > n:
        text += f" (to judge {n} ask {forecast.to_ask(n)}: some are lost)"
    return f"{text}, for {wanted} if {main.name}"


def _why(forecast: Forecast) -> str:
    if forecast.kind == "floor" and forecast.stored.estimate <= forecast.bound:
        return "the assumed gap is not above the floor"
    if forecast.kind == "no loss" and forecast.stored.estimate <= forecast.bound:
        return "the margin allows to lose all of the stored gap"
    if forecast.growth == "questions":
        return "more questions on the same videos teach too little; add videos"
    return "the assumed gap is too near to the bound"


def _present(now: Outlook) -> str:
    against = "BELOW FLOOR" if now.vacuous is None else "REGRESSION"
    outcomes = (
        ("ok", now.passes),
        ("INCONCLUSIVE", now.undecided),
        (against, now.against),
        ("COULD NOT BE JUDGED: the baseline shows nothing to lose", now.vacuous or 0.0),
    )
    text = ", ".join(
        f"{_percent(share)} {verdict}" for verdict, share in outcomes if share >= 0.005
    )
    return f"another such slice of {count(now.n, 'question')} would be {text}"


def _table(forecast: Forecast) -> list[str]:
    present = f"n={forecast.stored.questions}:"
    above = ["", "", "", ""]
    heads = ["if", "questions", "videos", "cells"]
    if forecast.kind == "floor":
        heads[0] = f"if {forecast.measure} is"
        above += [present, "floor"]
        heads += ["power", "shown"]
    else:
        above += ["", present, "margin", "loss"]
        heads += ["SD", "power", "shown", "found"]
    rows = [_row(forecast, assumption) for assumption in forecast.assumptions]
    return columns([above, heads, *rows], align="l" + "r" * (len(heads) - 1))


def _unshown(forecast: Forecast) -> list[str]:
    """Return what is meant by a number that is missing in the table, if one is."""
    bound = "floor" if forecast.kind == "floor" else "margin"
    power = f"{100 * forecast.power:g}% power"
    n = count(forecast.stored.questions, "question")
    told = []
    if any(assumption.shows is None for assumption in forecast.assumptions):
        told.append(
            f"'{MISSING}' in '{bound} shown': no {bound} is shown with {power} by {n}"
        )
    losses = (assumption.finds for assumption in forecast.assumptions)
    if forecast.kind == "no loss" and None in losses:
        told.append(
            f"'{MISSING}' in 'loss found': not even the loss of all is found with "
            f"{power} by {n}"
        )
    return [line for text in told for line in wrapped(text, later="  ")]


def _row(forecast: Forecast, assumption: Assumption) -> list[str]:
    n = assumption.needed
    if n is None:
        size = ["never", MISSING, MISSING]
    else:
        videos = sum(many for _, many in forecast.videos.of(n))
        size = [str(n), str(videos), str(forecast.cells(n))]
    passes = _percent(assumption.now.passes)
    if forecast.kind == "floor":
        name = assumption.name.removeprefix(f"{forecast.measure} is ")
        return [name, *size, passes, points(assumption.shows)]
    return [
        assumption.name,
        *size,
        MISSING if assumption.sd is None else f"{100 * assumption.sd:.0f}",
        passes,
        _unsigned(assumption.shows),
        _unsigned(assumption.finds),
    ]


def _curve(forecast: Forecast) -> list[str]:
    main = forecast.main
    mark = round(_BAR * forecast.power)
    heads = ["questions", "videos", "cells", "power", f"if {main.name}"]
    curve = _until_sure(forecast)
    rows = [[*_point(forecast, n, power), _bar(power, mark)] for n, power in curve]
    notes = {main.needed: "<- ask", forecast.stored.questions: "<- now"}
    if main.needed == forecast.stored.questions:
        notes = {main.needed: "<- ask, now"}
    lines = columns([heads, *rows], align="rrrrl")
    ends = ["", *(notes.get(n, "") for n, _ in curve)]
    width = max(len(line) for line in lines[1:])
    return [
        f"{line:<{width}}  {end}".rstrip()
        for line, end in zip(lines, ends, strict=True)
    ]


def _until_sure(forecast: Forecast) -> list[tuple[int, float]]:
    """Return the curve up to two points after it is full, or after what is marked."""
    main = forecast.main
    marked = max(main.needed or 0, forecast.stored.questions)
    rows: list[tuple[int, float]] = []
    full = 0
    for n, power in main.curve:
        if full >= _ROWS_WHEN_SURE and n > marked:
            break
        rows.append((n, power))
        full += power >= _SURE
    return rows


def _point(forecast: Forecast, n: int, power: float) -> list[str]:
    videos = sum(many for _, many in forecast.videos.of(n))
    return [str(n), str(videos), str(forecast.cells(n)), _percent(power)]


def _bar(power: float, mark: int) -> str:
    """Return a bar with the power that was asked for marked in it."""
    filled = round(_BAR * power)
    cells = ["#" if i < filled else " " for i in range(_BAR)]
    cells[mark - 1] = "|"
    return "".join(cells).rstrip()


def _notes(forecast: Forecast) -> Iterator[str]:
    for note in _sentences(forecast):
        yield from wrapped(note, first="- ")


def _at(forecast: Forecast) -> str:
    return f"the present n={forecast.stored.questions}"


def _sentences(forecast: Forecast) -> Iterator[str]:
    if forecast.growth == "videos":
        yield (
            "more questions are more such videos: the design effect stays. "
            "--same-videos plans for more questions on these"
        )
    else:
        yield (
            "more questions are asked on the same videos: the design effect grows "
            f"with them (correlation {forecast.videos.correlation:.2f})"
        )
    if forecast.kind == "floor":
        yield (
            "a stored gap is uncertain, and plans on lucky ones disappoint: the second "
            f"line is the careful one. Floors in percentage points, at {_at(forecast)}"
        )
    else:
        yield from _change_sentences(forecast)
    yield (
        "power is that of the assertion itself: its own verdicts on "
        f"{DRAWS} drawn slices, each number uncertain by about a point"
    )


def _change_sentences(forecast: Forecast) -> Iterator[str]:
    yield (
        "nothing was lost, and yet answers change; SD is that of the change of a "
        f"question's {forecast.measure}. SD, margins and losses are in percentage "
        f"points, power and what follows at {_at(forecast)}; a true loss as large as "
        f"'loss found' is called REGRESSION in {_percent(forecast.power)} of slices"
    )
    if forecast.earlier is None:
        low, high = sorted(CHANGE_RATES)[:2]
        yield (
            "one run does not tell how much changes. Between near-identical "
            f"checkpoints {100 * low:g} to {100 * high:g}% of the answers under one "
            "condition were seen to, twice that where both conditions' do; name "
            "a second run to plan with what changed between the two"
        )
    yield (
        "the baseline holds the same questions: to enlarge it costs as many cells, once"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def _unsigned(value: float | None) -> str:
    return points(value).lstrip("+")
