"""Which option a reply chose: a label, an option's text, or nothing."""

from __future__ import annotations

import csv
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_vdg.benchmarks.answers import parse_answer
from pytest_vdg.benchmarks.prompts import DEFAULT_INSTRUCTION
from tests.realdata import real

CARS = {
    "A": "a green car",
    "B": "a red car",
    "C": "a blue car",
    "D": "a white car turning left",
}

LABEL_ALONE = [
    "B", "b", "(B)", "[B]", "{B}", "<B>", "B.", "B)", "b.", "B!", "B:", " B \n", "- B",
    "**B**", "__B__", "*B*", "`B`", "'B'", '"B"', "\u201cB\u201d", "\uff22",
    "\uff08B\uff09",
    "\\boxed{B}", "$\\boxed{\\text{B}}$", "\\(B\\)", "```\nB\n```", "Option B",
    "option: B", "B<|im_end|>", "B</s>", "B \U0001f697",
]  # fmt: skip
LABEL_WITH_TEXT = [
    "B. a red car", "B. A red car.", "B) a red car", "(B) a red car", "B: a red car",
    "B - a red car", "B \u2013 a red car", "**B. a red car**", "**B.** a red car",
    "**B** a red car", "B a red car", "B.a red car", "B (a red car)", "B, a red car",
    "\\boxed{B. a red car}", "Option B: a red car", "a red car", "A  RED  car.",
    '"a red car"', "B. a red", "a red car\n\nNothing else is red.",
    "B. a red car, as A is green", "B because the car is red", "B, because it is red",
    "B. The car turns left.", "B: The car turns left.",
    "B\n\nExplanation: the car of option A is green.",
    "Reasoning about colours.\n\nB", "Reasoning.\n\n**B. a red car**",
]  # fmt: skip
DECLARED = [
    "Answer: B", "ANSWER: B", "answer: b", "Answer:B", "Ans: B", "Answer - B",
    "Answer B",
    "Answer:\n\nB", "Answer\n\nB", "Answer: (B)", 'My answer: "B"', "Answer: **B**",
    "The answer is (B).", "The answer is **B**.", "The answer is b.",
    "The answer is option B.", "The answer is B, because A is green.",
    "The correct answer is B: a red car", "The best answer is: B", "Final Answer: B",
    "The correct option is (B)", "The right choice is B.", "Correct answer: B",
    "The answer to the question is B.", "The answer is probably B",
    "The answer must be B.", "Based on the video, the answer is B.",
    "A person enters, so the answer is B", "Definitely option B", "Definitely B",
    "I choose B.", "I'd go with B.", "I would say (B).", "It is B.", "It's option B",
    "It should be B.", "As A is green, it is B.", "B is correct.",
    "Option B is the correct answer.", "(B) is the best option",
    "B is the correct answer, not A.", "Answer: B, not A", "Answer: B (a red car)",
    "Answer: a red car", "The answer is a red car. It turns.", "<answer>B</answer>",
    "<answer>\nB. a red car\n</answer>", "So $\\boxed{B}$ it is.",
    "There is no doubt the answer is B", "I cannot hear it, but the answer is B",
    "It is not clear at first; the answer is B.", "\u7b54\u6848\u662fB",
    "\u7b54\u6848\uff1aB", "\u6240\u4ee5\u7b54\u6848\u662f B\u3002",
    "A. a green car\nB. a red car\nC. a blue car\nAnswer: B",
    "ANSWER: A. Hmm, actually ANSWER: B", "x \\boxed{A} then \\boxed{B}",
    "Not C. The answer is B. Options A, C and D do not fit.",
    "Answer: B\nI don't think the answer is C.",
    "Sure! The answer is:\n\n(B) a red car",
    "My choice is B", "Selected option: B", "The best match is B.", "I think (B)",
    "I think B.", "Therefore, option B.", "It matches option B.", "### Answer\nB",
    "The car is red (option B).", "The Cash Flow of the firm is shown (B)",
    "A car (red) drives. So (B).",
]  # fmt: skip
JSON = [
    '{"answer": "B"}', '{"Answer": "b"}', '{"answer": "B. a red car"}',
    '{"answer": "a red car"}', '{"why": "A is green", "answer": "B"}',
    '```json\n{"answer": "B"}\n```', 'Here it is:\n```json\n{"answer": "B"}\n```',
    '{"choice": "B"}',
]  # fmt: skip
THOUGHT = [
    "<think>A or C? A!</think>B", "<thinking>The answer is A</thinking>\nB",
    "<THINK>A</THINK>\n\nThe answer is B.", "The answer is A</think>\n\nB",
    "<think>a</think><think>A</think><answer>B</answer>",
    "\u25c1think\u25b7A\u25c1/think\u25b7B",
]  # fmt: skip


@pytest.mark.parametrize(
    "reply", [*LABEL_ALONE, *LABEL_WITH_TEXT, *DECLARED, *JSON, *THOUGHT]
)
def test_reply_chose_b(reply: str) -> None:
    """However a model words it, a clear B is B."""
    assert parse_answer(reply, CARS) == "B"


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("Answer: B", "B"),
        ("Based on the video, the answer is C.", "C"),
        ("Definitely option C", "C"),
        ("A person enters, so the answer is D", "D"),
        ("The Cash Flow ... (D)", "D"),
    ],
)
def test_first_capital_is_not_the_answer(reply: str, chosen: str) -> None:
    """The public Video-MME extractor reads these as A, B, D, A and C."""
    assert parse_answer(reply, CARS) == chosen


REFUSALS = [
    "", " \n", "I cannot see the video.", "The video is completely black.", "N/A",
    "Failed to obtain answer via API.", "I don't know.", "None of the above",
    "Sorry, I can't answer: A video is needed",
    "As an AI, I see no video. A clip helps.",
    "I am unable to choose.", "null", "{}", "[]", "```\n```", "Answer:", "?",
    "Can you describe it?", "A.I. systems cannot watch videos.",
]  # fmt: skip
PROSE = [
    "A dog runs across.", "A red dog", "I see a car.", "It is a car.",
    "a car that is red", "The answer is a dog", "Answer: A dog runs", "Because",
    "The answer is shown at the end.", "A: The car turns left.", "Dad", "Bad",
    "Vitamin C helps", "Plan B failed", "She got a B in school",
]  # fmt: skip
SEVERAL = [
    "AB", "ABCD", "A and C", "A/B", "A, B", "A, C and D", "A or C", "either B or D",
    "Either (B) or (D).", "A\nB", "A. B.", "(A) (B)", "A B", "A; B", "A & B", "A | B",
    "A-C", "A to C", "A vs B", "A -> B", "maybe A, maybe B", "B. or C", "B and/or C",
    "B. It might also be C", "It shows (A) and (B)", "Answer: AB", "ANSWER: AB",
    "Answer: A, B", "Answer: B and C", "Answer: A/B", "The answer is B or C",
    "The answer is either B or C", "The answer is A B", "I choose B or D",
    "B and C are correct", "Both B and C are correct", "A or B is correct",
    "\\boxed{B} or \\boxed{C}", "either \\boxed{B} or \\boxed{C}",
    '{"answer": ["A", "B"]}', '{"answer": "A or B"}', '{"answer": "A", "choice": "B"}',
    "A. a green car\nB. a red car\nC. a blue car", "Please choose A, B, C or D",
    "a green car\na red car",
]  # fmt: skip
DENIED = [
    "not A", "Not A.", "not A, B", "Not option A", "The answer is not B",
    "The answer isn't B", "I don't think the answer is B",
    "I'm not sure the answer is B",
    "I would not choose B.", "B is not correct", "Option A is wrong.", "(A) is wrong",
    "Neither A nor B is correct", "The wrong answer is B", "The answer cannot be B",
    "If the answer is B, it is red.", "It is unclear whether the answer is B",
    "Answer: not B", "B or not B", "It is unlikely that the answer is B.",
]  # fmt: skip
DOUBTFUL = [
    "B?", "(B)?", "The answer is B?", "Is the answer B?", "Is it B?", "Maybe B?",
    "The answer could be B", "B. a blue car", "(B) a blue car",
    "The answer is B. a blue car",
    "Answer: B (a blue car)", "The answer is B, a blue car", "E", "(E)", "Answer: E",
    "The answer is E.", "\\boxed{E}", '{"answer": "E"}', '{"answer": null}',
    '{"answer": true}', '{"answer": {"label": "B"}}', "Answer: N/A",
    "I'll go with A... no, B.", "Answer: A. Wait, B fits better.", "I don't think B.",
    "A\n\nWait, no. B", "A\nActually, (B)", "Answer: A. Wait, no. B", "A, no, B",
    "Answer: A. B", "Answer: B. Later: Answer: unclear", "Answer: B\nAnswer: E",
    "<think>The answer is B", "B <think>or C", "<think>B</think>",
    "<think><think>B</think> B",
]  # fmt: skip


@pytest.mark.parametrize("reply", [*REFUSALS, *PROSE, *SEVERAL, *DENIED, *DOUBTFUL])
def test_reply_chose_nothing(reply: str) -> None:
    """Refusals, prose, several labels, denials and doubts are no answers."""
    assert parse_answer(reply, CARS) is None


@pytest.mark.parametrize(
    ("beside", "chosen"),
    [
        ("The answer is B.", "B"),
        ("Some cars are green.", "B"),
        ("The answer is C.", None),
        ("I choose A.", None),
        ('{"answer": "C"}', None),
        ('{"answer": "B"}', "B"),
    ],
)
def test_an_object_and_the_words_beside_it_must_agree(
    beside: str, chosen: str | None
) -> None:
    """Two answers are none, in whichever order and form they are given."""
    for reply in (f'{{"answer": "B"}}\n{beside}', f'{beside}\n{{"answer": "B"}}'):
        assert parse_answer(reply, CARS) == chosen


@pytest.mark.parametrize(
    "reply",
    [
        '{"thought": "The answer is B."}',
        '{"answer": ["B"]}',
        '{"answer": {"B": true}}',
        '{"answer": 1.5}',
    ],
)
def test_an_object_without_an_answer_says_nothing(reply: str) -> None:
    """What its other values tell, or a value of another kind, is no answer."""
    assert parse_answer(reply, CARS) is None


@pytest.mark.parametrize(
    ("count", "word"), [(2, "two"), (3, "three"), (9, "nine"), (12, "twelve")]
)
def test_a_number_that_another_options_text_begins_with_is_no_label(
    count: int, word: str
) -> None:
    """``2`` may be option 2, or the option that says ``two``; brackets tell."""
    options = {"1": f"{word} cars", str(count): "none at all"}
    assert parse_answer(f"The answer is {count}.", options) is None
    assert parse_answer(f"The answer is ({count}).", options) == str(count)


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("I choose B, which is wrong.", None),
        ("I would choose B, but that is incorrect.", None),
        ("I choose B; the others are wrong.", "B"),
        ("I choose B, as A is wrong.", "B"),
        ("I choose B. The rest is wrong.", "B"),
        ("The answer is B, not really.", None),
        ("B. a red car, not in this video", None),
        ("The answer is B, not a green car.", "B"),
        # Cut off before the option's text, or the label of a green car?
        ("The answer is a", None),
        ("The answer is a.", "A"),
        ("The answer is a, because it is green", "A"),
        ("Answers: B", "B"),
        ("In the video he answers: B", None),
    ],
)
def test_what_follows_a_label_says_whether_it_stands(
    reply: str, chosen: str | None
) -> None:
    """A choice called wrong is none, another one called wrong is no matter."""
    assert parse_answer(reply, CARS) == chosen


def test_four_kilobytes_of_prose_are_no_answer() -> None:
    """Length does not turn prose into a choice."""
    prose = "A man walks in. A car passes by; I think the road is wet, as it rained. "
    reply = prose * (4096 // len(prose) + 1)
    assert {parse_answer(reply, CARS) for _ in range(5)} == {None}


def test_text_within_another_text_is_told_apart() -> None:
    """The full text counts, not the longest text that is somewhere in it."""
    options = {"A": "a car", "B": "a car turning", "C": "a car turning left"}
    assert parse_answer("A car turning.", options) == "B"
    assert parse_answer("The answer is a car turning left.", options) == "C"
    assert parse_answer("B. a car turning", options) == "B"
    assert parse_answer("a car turning right", options) is None
    assert parse_answer("C. a car", options) is None  # the text of A
    assert parse_answer("C. a car turning le", options) == "C"  # cut off


def test_texts_equal_but_for_case_choose_nothing() -> None:
    """An answer that fits two options fits none."""
    options = {"A": "Yes", "B": "yes.", "C": "no"}
    assert parse_answer("yes", options) is None
    assert parse_answer("No.", options) == "C"
    assert parse_answer("B", options) == "B"


def test_letters_beyond_d() -> None:
    """A question with ten options has ten answers, I among them."""
    options = {c: f"thing number {i}" for i, c in enumerate("ABCDEFGHIJ")}
    for label in options:
        assert parse_answer(f"The answer is {label}.", options) == label
        assert parse_answer(label.lower(), options) == label
    assert parse_answer("I, for one, see nothing.", options) is None
    assert parse_answer("I see things.", options) is None
    assert parse_answer("It is I who see it.", options) is None


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("1", "1"), ("(3)", "3"), ("1. 4", "1"), ("3. 2", "3"), ("7", "4"),
        ("Answer: 1", "1"), ("Option 3", "3"), ("three", "2"), ('{"answer": 1}', "1"),
        ("2", None), ("4", None), ("Answer: 4", None), ("1, 3", None), ("5", None),
        ("-1", None), ("Answer: -1", None), ("1.5", None), ("Answer: 1.5", None),
        ("Answer: 1 %", None), ("1. First, the car goes", None), ("Answer: 12", None),
        ("1. First, a car.\n2. Then a van.", None), ("1 car", None),
    ],
)  # fmt: skip
def test_numbers_as_labels(reply: str, chosen: str | None) -> None:
    """A number that is one option's label and another's text chooses nothing."""
    options = {"1": "4", "2": "three", "3": "2", "4": "7"}
    assert parse_answer(reply, options) == chosen


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("B. 4", "B"),
        ("4", "B"),
        ("The answer is 4.", "B"),
        ("ANSWER: 3 ... actually ANSWER: 4", "B"),
        ("I choose 12", "D"),
        ("The answer is 40", None),
        ("The answer is 4.5", None),
        ("Answer: 3 or 4", None),
        ("Answer: 3, 4", None),
        ("Answer: 3. 4", None),
        ("Answer: 7", None),
        ("There are 4 cars", None),
        ("4. The cars wait.", None),
    ],
)
def test_numbers_as_texts(reply: str, chosen: str | None) -> None:
    """Counts are announced like labels: a number that is one text is its option."""
    counts = {"A": "3", "B": "4", "C": "5", "D": "12"}
    assert parse_answer(reply, counts) == chosen


def test_an_echoed_prompt_chooses_nothing_of_its_own() -> None:
    """A reply that begins with the question is its last word, or nothing."""
    options = "\n".join(f"{label}. {text}" for label, text in CARS.items())
    asked = f"user\nWhich car?\n{options}\n{DEFAULT_INSTRUCTION}\nassistant\n"
    assert parse_answer(asked, CARS) is None
    for label in CARS:
        assert parse_answer(asked + label, CARS) in {label, None}
        assert parse_answer(f"{asked}The answer is {label}.", CARS) == label


def test_labels_may_be_words_or_differ_in_case() -> None:
    """Labels are the benchmark's; only one that fits is chosen."""
    assert parse_answer("Answer: Opt2", {"opt1": "red", "opt2": "blue"}) == "opt2"
    cased = {"a": "red", "A": "blue", "b": "green"}
    assert parse_answer("A", cased) == "A"
    assert parse_answer("a", cased) == "a"
    assert parse_answer("B", cased) == "b"


def test_text_that_is_another_options_label() -> None:
    """``B`` as the text of A makes a bare B two answers."""
    options = {"A": "B", "B": "C", "C": "D"}
    assert parse_answer("B", options) is None
    assert parse_answer("The answer is B.", options) is None
    assert parse_answer("A. B", options) == "A"
    assert parse_answer("D", options) == "C"


def test_markup_in_options_is_theirs() -> None:
    """Dollars and stars are part of a text where the text has them."""
    options = {"A": "$5", "B": "5", "C": "2 * 3"}
    assert parse_answer("2 * 3", options) == "C"
    assert parse_answer("B. 5", options) == "B"


FORMS = [
    "{}", "({})", "{}.", "{})", "**{}**", "\\boxed{{{}}}", "Answer: {}", "answer: ({})",
    "The answer is {}.", "The correct answer is ({}).", "ANSWER: {}", "Option {}",
    "Definitely option {}", "I choose {}.", "{} is the correct answer.",
    "<think>A, B or C</think>{}", '{{"answer": "{}"}}', "```\n{}\n```",
    "A person waves at I. So the answer is {}", "{}\n\nExplanation: it is seen.",
    "Some reasoning first.\n\n({})", "<answer>{}</answer>", "Final answer: **{}**",
]  # fmt: skip
TWO = [
    "{} and {}", "{}/{}", "{}, {}", "{} or {}", "{}\n{}", "({}) ({})", "{}{}",
    "either {} or {}", "{}. {}.", "{} {}", "maybe {}, maybe {}", "{}; {}", "{} & {}",
    "{} then {}", "({}) or ({})", "{}) and {})", "not {}, {}", "**{}** or **{}**",
    "{} - {}", "{}: {}", "{}. Or {}.", "{}!\n\n{}!",
]  # fmt: skip
label_sets = st.integers(2, 26).map(lambda n: string.ascii_uppercase[:n])


def made(labels: str) -> dict[str, str]:
    """Return options with these labels and texts that no form contains."""
    return {label: f"thing number {i}" for i, label in enumerate(labels)}


@given(label_sets, st.sampled_from(FORMS), st.data())
def test_every_form_works_for_every_label(
    labels: str, form: str, data: st.DataObject
) -> None:
    """What is understood of B of four is understood of Z of twenty-six."""
    label = data.draw(st.sampled_from(labels))
    assert parse_answer(form.format(label), made(labels)) == label


@given(label_sets, st.sampled_from(FORMS), st.data())
def test_a_label_that_is_no_option_is_none(
    labels: str, form: str, data: st.DataObject
) -> None:
    """An E of four options is not the nearest of A to D."""
    others = [c for c in string.ascii_uppercase if c not in labels]
    if others:
        label = data.draw(st.sampled_from(others))
        assert parse_answer(form.format(label), made(labels)) is None


@given(label_sets, st.sampled_from(TWO), st.data())
def test_two_labels_are_none(labels: str, form: str, data: st.DataObject) -> None:
    """Naming two options without declaring one chooses neither."""
    pair = data.draw(st.lists(st.sampled_from(labels), min_size=2, unique=True))
    assert parse_answer(form.format(*pair[:2]), made(labels)) is None


@given(label_sets, st.data())
def test_last_declaration_wins(labels: str, data: st.DataObject) -> None:
    """A model may change its mind aloud."""
    first, last = data.draw(st.tuples(st.sampled_from(labels), st.sampled_from(labels)))
    reply = f"ANSWER: {first}. Wait, actually ANSWER: {last}"
    assert parse_answer(reply, made(labels)) == last


@given(label_sets, st.data())
def test_full_text_chooses_its_option(labels: str, data: st.DataObject) -> None:
    """Case, spaces and a final full stop are not part of a text."""
    options = made(labels)
    label = data.draw(st.sampled_from(labels))
    text = data.draw(st.sampled_from([str.upper, str.title, str.lower]))(options[label])
    assert parse_answer(f"  {text.replace(' ', '  ')}. ", options) == label


WORDS = [
    "the", "a", "A", "I", "man", "car", "dog", "walks", "runs", "red", "blue", "in",
    "on", "with", "of", "across", "video", "shows", "black", "screen", "dark", "scene",
    "then", "there", "while", "near", "two", "from",
]  # fmt: skip
ENDS = st.sampled_from([". ", ", ", " ", " ", " ", ".\n", "\n\n"])


@given(st.lists(st.tuples(st.sampled_from(WORDS), ENDS), max_size=60))
def test_prose_chooses_nothing(pairs: list[tuple[str, str]]) -> None:
    """Articles and pronouns in running text are never answers."""
    reply = "".join(
        # "A." and a lone "I" on a line are labels, not prose.
        word + (" man " if word in {"a", "A", "I"} else end)
        for word, end in pairs
    )
    assert parse_answer(reply, made("ABCDEFGHIJ")) is None


replies = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            ["<think>", "</think>", "A", "b", " ", "\n", "answer", " is ", ":", "(",
             ")", "{", "}", '"', "**", "\\boxed{", "```", "not", " or ", "?", ".",
             "1", "$"]
        )
    ).map("".join),
)  # fmt: skip


@given(replies, label_sets)
def test_any_text_gives_a_label_or_none_twice_the_same(reply: str, labels: str) -> None:
    """Nothing raises, nothing is drawn by lot, nothing else comes back."""
    options = made(labels)
    chosen = parse_answer(reply, options)
    assert chosen is None or chosen in options
    assert parse_answer(reply, options) == chosen


@pytest.mark.parametrize(
    "piece", ["<think>", "[", '{"a":', "**", "\\boxed{", " ", "\n", "answer ", "A, "]
)
def test_degenerate_replies_end(piece: str) -> None:
    """A model stuck in a loop does not take the parser with it."""
    assert parse_answer(piece * 4_000, CARS) is None


def test_real_option_texts_are_told_apart() -> None:
    """Of NExT-QA's options, each is chosen by label, by label and text, by text."""
    with real("nextqa/val.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[::10]
    forms = ("{0}", "{0}. {1}", "({0}) {1}", "The answer is {0}: {1}.", "{1}")
    wrong = []
    for row in rows:
        options = {c: row[f"a{i}"] for i, c in enumerate("ABCDE")}
        if len({text.strip() for text in options.values()}) < 5:
            continue
        for label, text in options.items():
            replies = [form.format(label, text) for form in forms]
            wrong += [r for r in replies if parse_answer(r, options) != label]
    assert wrong == []
