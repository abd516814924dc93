"""Reading the public data sets' shapes, and refusing others in one line."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from memory_injection.errors import InputError
from memory_injection.evaluation import load_beam, load_locomo, load_squad
from memory_injection.evaluation.datasets import Corpus, Item, Question, load_any
from memory_injection.evaluation.offtopic import EVERYDAY, foreign_questions, speakers


def test_locomo_turns_are_entries_with_speaker_session_and_turn(locomo: Path) -> None:
    """One entry per turn, sessions in the order of their numbers, captions in the text."""
    first = load_locomo(locomo)[0]
    assert [item.id for item in first.items][-2:] == ["D2:3", "D10:1"]
    item = first.items[3]
    assert item.content == "Blue. [image: a blue kayak]"
    assert item.metadata == {"speaker": "Ebru", "session": "1", "turn": 3}
    assert item.created_at == datetime(2023, 5, 8, 13, 56, 3, tzinfo=timezone.utc)
    assert first.items[-1].created_at is None


def test_locomo_questions_keep_category_five_apart(locomo: Path) -> None:
    """Evidence ids are gold; questions without known evidence are left out."""
    asked = load_locomo(locomo / "locomo.json")[0].questions
    assert [(q.kind, q.headline) for q in asked] == [
        ("single-hop", True),
        ("multi-hop", True),
        ("temporal", True),
        ("single-hop", True),
        ("adversarial", False),
    ]
    assert asked[1].gold == {"D1:2", "D1:4"}


def test_beam_messages_are_entries_and_source_ids_gold(beam: Path) -> None:
    """Chats in numeric order; abstention has no gold, event ordering is kept apart."""
    chats = load_beam(beam)
    assert [chat.name for chat in chats] == ["chat 1", "chat 10"]
    chat = chats[0]
    assert chat.items[2].metadata == {"speaker": "user", "session": "1", "turn": 2}
    assert chat.items[2].created_at == datetime(2024, 3, 15, 0, 0, 2, tzinfo=timezone.utc)
    assert [(q.kind, set(q.gold), q.headline) for q in chat.questions] == [
        ("information extraction", {"2"}, True),
        ("knowledge update", {"0"}, True),
        ("event ordering", {"0", "2"}, False),
    ]


def test_one_chat_can_be_read_alone(beam: Path) -> None:
    """Its folder or its file."""
    assert len(load_beam(beam / "1")) == len(load_beam(beam / "1" / "chat.json")) == 1


def test_squad_asks_the_first_file_over_the_paragraphs_of_all(squad: Path) -> None:
    """More files are more to be mistaken about."""
    other = squad.with_name("other.json")
    paragraphs = [{"context": f"Paragraph {n}.", "qas": [{"question": "Which?"}]} for n in range(2)]
    other.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    corpus = load_squad([squad, other])[0]
    assert len(corpus.items) == 4
    assert [question.gold for question in corpus.questions] == [{"p0"}, {"p1"}]


def test_equal_paragraphs_are_one_entry(squad: Path) -> None:
    """The same file given twice is no harder; of two equal paragraphs neither is a mistake."""
    corpus = load_squad([squad, squad])[0]
    assert [item.id for item in corpus.items] == ["p0", "p1"]
    twice = [
        {"context": text, "qas": [{"question": f"{n}?"}]} for n, text in enumerate(["A b", "A b "])
    ]
    squad.write_text(json.dumps({"data": [{"paragraphs": twice}]}))
    corpus = load_squad([squad])[0]
    assert len(corpus.items) == 1
    assert [(asked.text, asked.gold) for asked in corpus.questions] == [
        ("0?", {"p0"}),
        ("1?", {"p0"}),
    ]


def test_questions_without_an_answer_or_a_text_are_left_out(squad: Path) -> None:
    """SQuAD 2.0 marks the impossible ones; a blank paragraph is no entry."""
    asked = [
        {"question": "Who?", "is_impossible": True},
        {"question": " "},
        {"question": "Where?", "is_impossible": False},
    ]
    paragraphs = [
        {"context": "The yak lives in Tibet.", "qas": asked},
        {"context": " ", "qas": asked},
    ]
    squad.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    corpus = load_squad([squad])[0]
    assert [question.text for question in corpus.questions] == ["Where?"]
    assert len(corpus.items) == 1


def test_a_byte_order_mark_is_passed_over(squad: Path) -> None:
    """Some editors write one."""
    squad.write_text(squad.read_text(), encoding="utf-8-sig")
    assert len(load_squad([squad])[0].items) == 2


def test_what_is_wrong_is_told_with_its_place(locomo: Path, beam: Path, squad: Path) -> None:
    """The file, the keys and positions on the way, and the key that is missing."""
    told = json.loads(squad.read_text())
    del told["data"][0]["paragraphs"][1]["qas"][0]["question"]
    squad.write_text(json.dumps(told))
    with pytest.raises(InputError, match=r"squad.json.*no 'question' at data\[0\].paragraphs\[1\]"):
        load_squad([squad])
    file = locomo / "locomo.json"
    told = json.loads(file.read_text())
    del told[2]["conversation"]["session_2"][1]["speaker"]
    file.write_text(json.dumps(told))
    with pytest.raises(InputError, match=r"no 'speaker' at \[2\].conversation.session_2\[1\]"):
        load_locomo(locomo)
    file = beam / "10" / "probing_questions.json"
    file.write_text('{"knowledge_update": [{"question": 3, "source_chat_ids": [0]}]}')
    with pytest.raises(InputError, match=r"10.probing_questions.json.*at knowledge_update\[0\]"):
        load_beam(beam)


def changed(file: Path, change: Callable[[Any], object]) -> Path:
    """Read *file*, change what it holds, write it again."""
    told = json.loads(file.read_text())
    change(told)
    file.write_text(json.dumps(told))
    return file


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_blank_turns_are_left_out_and_counted(
    locomo: Path, beam: Path, squad: Path, text: str | None
) -> None:
    """One odd turn costs itself, not the measurement; what it would have answered has no gold."""
    file = locomo / "locomo.json"
    changed(file, lambda told: told[0]["conversation"]["session_1"][1].update(text=text))
    talk = load_locomo(locomo)[0]
    assert (len(talk.items), talk.blank) == (7, 1)
    assert talk.items[1].metadata["turn"] == 2
    assert talk.questions[0].gold == {"D1:4"}
    changed(file, lambda told: told[0]["conversation"]["session_1"][3].update(text=text))
    assert load_locomo(locomo)[0].items[2].content == "[image: a blue kayak]"
    changed(beam / "1" / "chat.json", lambda told: told[0]["turns"][0][1].update(content=text))
    assert [(len(chat.items), chat.blank) for chat in load_beam(beam)] == [(3, 1), (4, 0)]
    changed(squad, lambda told: told["data"][0]["paragraphs"][0].update(context=text))
    assert (len(load_squad([squad])[0].items), load_squad([squad])[0].blank) == (1, 1)


def _turn(**change: object) -> Callable[[Any], object]:
    return lambda told: told[0]["conversation"]["session_2"][1].update(change)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_turn(text=5), r"a number where a text should be at [0].conversation.session_2[1]"),
        (_turn(text=["x"]), r"a list where a text should be at [0].conversation.session_2[1]"),
        (_turn(blip_caption={}), r"an object where a text should be at [0].conversation.session_2"),
        (_turn(dia_id=" "), r"a blank id at [0].conversation.session_2[1]"),
        (lambda told: told[0].update(conversation=[]), "a list where an object should be"),
        (
            lambda told: told[1]["conversation"].update(session_2=None),
            r"[1].conversation.session_2)",
        ),
        (lambda told: told[1].update(qa=None), r"another shape at [1].qa)"),
        (lambda told: told[1]["qa"][1].update(question=True), r"a truth value where a text should"),
        (lambda told: told[1]["qa"][1].update(evidence=7), r"another shape at [1].qa[1])"),
    ],
)
def test_a_dialogue_of_another_shape_is_told_with_its_place(
    locomo: Path, change: Callable[[Any], object], says: str
) -> None:
    """Values of another kind are no blanks: the file, the place, and what is there."""
    changed(locomo / "locomo.json", change)
    with pytest.raises(InputError) as caught:
        load_locomo(locomo)
    assert "locomo.json: expected" in str(caught.value)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda told: told[0]["turns"][1][0].update(content=3),
            "a number where a text should be at",
        ),
        (lambda told: told[0]["turns"][1][0].update(content=3), "at [0].turns[1][0])"),
        (lambda told: told[0]["turns"][1][0].pop("role"), "no 'role' at [0].turns[1][0])"),
        (lambda told: told[0]["turns"][1][0].update(id=""), "a blank id at [0].turns[1][0])"),
        (lambda told: told[0].update(turns=None), "another shape at [0].turns)"),
        (lambda told: told[0]["turns"].append(3), "another shape at [0].turns[2])"),
    ],
)
def test_a_chat_of_another_shape_is_told_with_its_place(
    beam: Path, change: Callable[[Any], object], says: str
) -> None:
    """The same of BEAM."""
    changed(beam / "1" / "chat.json", change)
    with pytest.raises(InputError) as caught:
        load_beam(beam)
    assert "chat.json: expected" in str(caught.value)
    assert says in str(caught.value)
    probes = beam / "10" / "probing_questions.json"
    changed(probes, lambda told: told.update(knowledge_update=None))
    with pytest.raises(InputError, match=r"another shape at knowledge_update\)"):
        load_beam(beam / "10")


def test_paragraphs_of_another_shape_are_told_with_their_place(squad: Path) -> None:
    """The same of SQuAD."""
    changed(squad, lambda told: told["data"][0]["paragraphs"][1].update(context=3))
    with pytest.raises(InputError, match=r"a number where a text .* data\[0\].paragraphs\[1\]"):
        load_squad([squad])
    changed(squad, lambda told: told.update(data=None))
    with pytest.raises(InputError, match=r"another shape at data\)"):
        load_squad([squad])
    squad.write_text("[" * 100_000)
    with pytest.raises(InputError, match=r"squad.json: (nested too deeply|not a JSON file)"):
        load_squad([squad])


def test_evidence_may_be_one_text(locomo: Path) -> None:
    """As some copies of the set have it."""
    file = locomo / "locomo.json"
    changed(file, lambda told: told[0]["qa"][0].update(evidence="D1:2"))
    assert load_locomo(locomo)[0].questions[0].gold == {"D1:2"}


@pytest.mark.parametrize("name", [None, "", " ", "\ud800", 7])
def test_any_name_is_a_name(locomo: Path, name: object) -> None:
    """A dialogue's name says whose memory it is, and a file must be able to hold it."""
    file = locomo / "locomo.json"
    changed(file, lambda told: [talk.update(sample_id=name) for talk in told])
    names = [talk.name for talk in load_locomo(locomo)]
    assert len(set(names)) == 3
    for each in names:
        assert each.encode("utf-8").strip()


def test_nothing_in_a_file_is_said_so(tmp_path: Path) -> None:
    """An empty list is no data set."""
    path = tmp_path / "x.json"
    path.write_text("[]")
    with pytest.raises(InputError, match=r"x.json: no dialogue in it"):
        load_locomo(path)
    path.write_text('{"data": []}')
    with pytest.raises(InputError, match=r"x.json: no paragraph in it"):
        load_squad([path])


def test_the_wrong_kind_of_path_is_said_so(locomo: Path, beam: Path) -> None:
    """A folder of SQuAD files does not say which holds the questions; a dialogue is no chat."""
    with pytest.raises(InputError, match="a folder; name its files"):
        load_squad([locomo])
    with pytest.raises(InputError, match=r"locomo.json: expected BEAM chats"):
        load_beam(locomo / "locomo.json")
    assert len(load_beam(beam / "1" / "probing_questions.json")) == 1
    assert load_any(beam / "1" / "probing_questions.json")[0].name == "chat 1"


def test_locomo_and_beam_are_told_apart(locomo: Path, beam: Path) -> None:
    """``silence`` and ``stores`` take either."""
    assert load_any(locomo)[0].name == "Deniz-Ebru"
    assert load_any(beam / "1" / "chat.json")[0].name == "chat 1"


@pytest.mark.parametrize(
    "text", ["no json", "[]x", "[1]", '{"a": 1}', '[{"conversation": 3}]', "3"]
)
def test_another_shape_is_one_line_that_names_the_path(tmp_path: Path, text: str) -> None:
    """No traceback for a wrong file."""
    path = tmp_path / "x.json"
    path.write_text(text)
    chat = tmp_path / "chats" / "chat.json"
    chat.parent.mkdir()
    chat.write_text(text)
    for load in (load_locomo, lambda p: load_squad([p]), lambda _: load_beam(chat)):
        with pytest.raises(InputError) as caught:
            load(path)
        assert str(tmp_path) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_nothing_there_is_said_so(tmp_path: Path) -> None:
    """A missing path and an empty folder."""
    with pytest.raises(InputError, match="no such file or folder"):
        load_locomo(tmp_path / "gone")
    for load in (load_locomo, load_beam):
        with pytest.raises(InputError, match="json in this folder"):
            load(tmp_path)
    for load in (load_any, load_beam, lambda path: load_squad([path])):
        with pytest.raises(InputError, match="gone: no such file or folder"):
            load(tmp_path / "gone")
    with pytest.raises(InputError, match="name too long"):
        load_locomo(tmp_path / ("x" * 300))


@pytest.mark.skipif(not os.path.exists(os.devnull), reason="no such device here")
def test_whatever_is_no_folder_is_read_as_a_file(locomo: Path) -> None:
    """A device or a pipe: what another program writes can be measured."""
    device = Path(os.devnull)
    for load in (load_locomo, load_any, lambda path: load_squad([path])):
        with pytest.raises(InputError, match=f"{device}: not a JSON file"):
            load(device)
    with pytest.raises(InputError, match=f"{device}: expected BEAM chats"):
        load_beam(device)


def test_foreign_questions_can_carry_this_memorys_names(locomo: Path) -> None:
    """The harder off-topic set: an unknown name gives nothing away."""
    corpora = load_locomo(locomo)
    assert speakers(corpora[0]) == ["Deniz", "Ebru"]
    plain = foreign_questions(corpora, corpora[0], renamed=False)
    assert len(plain) == 8
    assert plain[0] == "What did Mert buy in Kars?"
    assert foreign_questions(corpora, corpora[0], renamed=True)[0] == "What did Ebru buy in Kars?"


def test_names_change_places_without_running_into_each_other() -> None:
    """A name put in is not replaced again because the other memory knows somebody of that name."""

    def talk(name: str, *who: str) -> Corpus:
        items = tuple(Item(one, "Hello.", {"speaker": one}) for one in who)
        asked = Question("Did Tim call John?", frozenset({who[0]}), "any")
        return Corpus(name, items, (asked,))

    corpora = [talk("one", "John", "Maria"), talk("other", "Tim", "John")]
    assert foreign_questions(corpora, corpora[0], renamed=True) == ["Did John call Maria?"]


def test_corpora_of_one_name_keep_memories_of_their_own(beam: Path, tmp_path: Path) -> None:
    """Chats of several sizes carry the same numbers; files of dialogues may carry no name."""
    (tmp_path / "sizes").mkdir()
    for size in ("100K", "500K"):
        shutil.copytree(beam, tmp_path / "sizes" / size)
    chats = load_beam(tmp_path / "sizes")
    assert [chat.name for chat in chats] == ["chat 1", "chat 10", "chat 1 (2)", "chat 10 (2)"]
    nameless = {"conversation": {}, "qa": []}
    (tmp_path / "nameless.json").write_text(json.dumps([nameless, nameless]))
    names = [talk.name for talk in load_locomo(tmp_path / "nameless.json")]
    assert names == ["dialogue", "dialogue (2)"]


def test_everyday_asks_come_in_two_languages() -> None:
    """English and Turkish, none twice."""
    assert len(set(EVERYDAY)) == len(EVERYDAY) >= 50
    assert any("ğ" in ask or "ı" in ask for ask in EVERYDAY)
