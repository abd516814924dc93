"""Public data sets as corpora: entries to remember, questions, and the entries that answer them.

- LoCoMo (Maharana et al. 2024): one entry per turn, evidence turn ids as gold. Categories 1-4
  are answerable; 5 is adversarial and kept apart.
- BEAM (Tavakoli et al. 2025): one entry per message, ``source_chat_ids`` as gold. The headline
  takes the seven abilities that ask for particular messages; event ordering and summarization,
  whose gold is a dozen messages strewn over the chat, and abstention are kept apart.
- SQuAD-shaped files (XQuAD, TQuAD, ...): one entry per paragraph, the question's own as gold.

What is blank (null, or white space alone) is no entry: it is left out and counted. What is no text
is an error that names the file and the place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ..errors import InputError
from .shapes import (
    Shape,
    files_at,
    ident_of,
    name_of,
    natural,
    object_of,
    read_json,
    samples_of,
    text_of,
    there,
)

__all__ = ["Corpus", "Item", "Question", "load_any", "load_beam", "load_locomo", "load_squad"]


@dataclass(frozen=True, slots=True)
class Item:
    """One entry to remember. ``metadata`` has speaker, session and turn where there are any."""

    id: str
    content: str
    metadata: Mapping[str, Any]
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        text: what is asked.
        gold: ids of the entries that answer it; never empty.
        kind: category or ability.
        headline: counted in the main figure; others are reported apart.
    """

    text: str
    gold: frozenset[str]
    kind: str
    headline: bool = True


@dataclass(frozen=True, slots=True)
class Corpus:
    """What one user remembers and is asked: a dialogue, a chat, or a set of paragraphs.

    Attributes:
        name: whose memory it is.
        items: what is remembered.
        questions: what is asked.
        blank: how many turns, messages or paragraphs were left out, having no text.
    """

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    blank: int = 0


def load_locomo(path: Path) -> list[Corpus]:
    """Read LoCoMo dialogues from a file or from every JSON file of a folder.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    found: list[Corpus] = []
    for file in files_at(path, "*.json"):
        with Shape(file, "a list of LoCoMo dialogues (conversation, qa)") as at:
            for number, sample in enumerate(samples_of(read_json(file))):
                found.append(_dialogue(sample, at.inside(f"[{number}]")))
    return _told_apart(found, path, "dialogue")


def load_beam(path: Path) -> list[Corpus]:
    """Read BEAM chats from a folder of chats, one chat's folder, or one of its two files.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    if not there(path).is_dir() and path.name not in _BEAM_FILES:
        raise InputError(f"{path}: expected {_BEAM}, or a folder of them")
    folder = path.parent if path.name in _BEAM_FILES else path
    chats = sorted({file.parent for file in files_at(folder, "**/chat.json")}, key=natural)
    return _told_apart(map(_chat, chats), path, "chat")


def load_any(path: Path) -> list[Corpus]:
    """Read LoCoMo or BEAM, whichever *path* holds.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    beam = path.name in _BEAM_FILES or (path.is_dir() and any(path.glob("**/chat.json")))
    return load_beam(path) if beam else load_locomo(path)


def load_squad(paths: Sequence[Path]) -> list[Corpus]:
    """Read SQuAD-shaped files: questions of the first, paragraphs of all.

    Equal paragraphs are one entry. Questions that are blank, or that SQuAD 2.0 marks as impossible
    to answer (Rajpurkar et al. 2018), have no gold and are left out.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    idents: dict[str, str] = {}
    questions: list[Question] = []
    blank = 0
    for number, path in enumerate(paths):
        if there(path).is_dir():
            raise InputError(f"{path}: a folder; name its files, the one with the questions first")
        with Shape(path, "a SQuAD file (data[].paragraphs[].context)") as at:
            for context, asked in _paragraphs(read_json(path), at):
                if not context:
                    blank += 1
                    continue
                ident = idents.setdefault(context, f"p{len(idents)}")
                if number == 0:
                    gold = frozenset({ident})
                    questions.extend(Question(text, gold, "question") for text in asked)
    items = [Item(ident, context, {}) for context, ident in idents.items()]
    if not items:
        raise InputError(f"{', '.join(map(str, paths))}: no paragraph in it")
    return [Corpus(name_of(paths[0].stem, "paragraphs"), tuple(items), tuple(questions), blank)]


def _told_apart(corpora: Iterable[Corpus], path: Path, what: str) -> list[Corpus]:
    """Number corpora of one name: the name is whose memory it is, and none sees another's.

    Raises:
        InputError: there is none.
    """
    seen: Counter[str] = Counter()
    found: list[Corpus] = []
    for corpus in corpora:
        seen[corpus.name] += 1
        again = seen[corpus.name] > 1
        name = f"{corpus.name} ({seen[corpus.name]})" if again else corpus.name
        found.append(replace(corpus, name=name))
    if not found:
        raise InputError(f"{path}: no {what} in it")
    return found


_TURN_ID = re.compile(r"D:?(\d+):(\d+)")
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def _dialogue(sample: Mapping[str, Any], at: Shape) -> Corpus:
    talk = sample["conversation"]
    at.place = ".conversation"
    numbers = sorted(int(key[8:]) for key in object_of(talk) if re.fullmatch(r"session_\d+", key))
    turns: list[Item] = []
    for number in numbers:
        start = _moment(talk.get(f"session_{number}_date_time"))
        at.place = f".conversation.session_{number}"
        for turn, said in enumerate(talk[f"session_{number}"]):
            at.place = f".conversation.session_{number}[{turn}]"
            turns.append(_turn(said, number, turn, start))
    items = _with_text(turns)
    asked = tuple(_asked(sample, {item.id for item in items}, at))
    name = name_of(sample.get("sample_id"), "dialogue")
    return Corpus(name, items, asked, len(turns) - len(items))


def _turn(said: Mapping[str, Any], session: int, turn: int, start: datetime | None) -> Item:
    text = text_of(said.get("text"))
    if caption := text_of(said.get("blip_caption")).strip():
        text = f"{text} [image: {caption}]".strip()
    metadata = {"speaker": said["speaker"], "session": str(session), "turn": turn}
    created = None if start is None else start + timedelta(seconds=turn)
    return Item(ident_of(said["dia_id"]), text, metadata, created)


def _asked(sample: Mapping[str, Any], known: set[str], at: Shape) -> Iterator[Question]:
    at.place = ""
    pairs = sample["qa"]
    at.place = ".qa"
    for number, pair in enumerate(pairs):
        at.place = f".qa[{number}]"
        named = pair.get("evidence") or ()
        evidence = named if isinstance(named, str) else " ".join(map(str, named))
        gold = {f"D{int(a)}:{int(b)}" for a, b in _TURN_ID.findall(evidence)} & known
        if gold and text_of(pair["question"]).strip():
            kind = _CATEGORIES.get(pair["category"], str(pair["category"]))
            yield Question(pair["question"], frozenset(gold), kind, kind != "adversarial")


def _moment(text: object) -> datetime | None:
    """Read "1:56 pm on 8 May, 2023" or "March-15-2024"."""
    said = str(text)
    return _parsed(said, "%I:%M %p on %d %B, %Y") or _parsed(said, "%B-%d-%Y")


def _parsed(text: str, pattern: str) -> datetime | None:
    try:
        return datetime.strptime(text, pattern).replace(tzinfo=timezone.utc)
    except ValueError:
        return None


_APART = frozenset({"event_ordering", "summarization"})
_BEAM_FILES = ("chat.json", "probing_questions.json")
_BEAM = "BEAM chats (chat.json beside probing_questions.json)"


def _chat(folder: Path) -> Corpus:
    messages: list[Item] = []
    with Shape(folder / "chat.json", _BEAM) as at:
        for number, batch in enumerate(samples_of(read_json(folder / "chat.json"))):
            at.inside(f"[{number}]")
            messages += _batch(batch, at)
    items = _with_text(messages)
    known = {item.id for item in items}
    with Shape(folder / "probing_questions.json", _BEAM) as at:
        probes = tuple(_probes(read_json(folder / "probing_questions.json"), known, at))
    name = name_of(f"chat {folder.name}", "chat")
    return Corpus(name, items, probes, len(messages) - len(items))


def _batch(batch: Mapping[str, Any], at: Shape) -> Iterator[Item]:
    session = str(batch.get("batch_number", ""))
    start: datetime | None = None
    for turn, message in enumerate(_messages(batch, at)):
        start = _moment(message.get("time_anchor")) or start
        created = None if start is None else start + timedelta(seconds=turn)
        metadata = {"speaker": message["role"], "session": session, "turn": turn}
        yield Item(ident_of(message["id"]), text_of(message["content"]), metadata, created)


def _messages(batch: Mapping[str, Any], at: Shape) -> Iterator[Mapping[str, Any]]:
    turns = batch["turns"]
    at.place = ".turns"
    for number, turn in enumerate(turns):
        at.place = f".turns[{number}]"
        for place, message in enumerate(turn):
            at.place = f".turns[{number}][{place}]"
            yield message


def _probes(probes: Mapping[str, Any], known: set[str], at: Shape) -> Iterator[Question]:
    for ability, asked in probes.items():
        at.place = f".{ability}"
        for number, probe in enumerate(asked):
            at.place = f".{ability}[{number}]"
            gold = {str(ident) for ident in _leaves(probe.get("source_chat_ids"))} & known
            if gold and ability != "abstention" and text_of(probe["question"]).strip():
                kind = ability.replace("_", " ")
                yield Question(probe["question"], frozenset(gold), kind, ability not in _APART)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list):
        yield from () if value is None else (value,)
        return
    for part in value:
        yield from _leaves(part)


def _paragraphs(read: Mapping[str, Any], at: Shape) -> Iterator[tuple[str, list[str]]]:
    """Give each paragraph ("" for a blank one) with the questions it answers."""
    articles = read["data"]
    at.place = ".data"
    for number, article in enumerate(articles):
        at.place = f".data[{number}]"
        for place, paragraph in enumerate(article["paragraphs"]):
            at.place = f".data[{number}].paragraphs[{place}]"
            context = text_of(paragraph["context"]).strip()
            asked = [
                text_of(one["question"])
                for one in paragraph.get("qas", ())
                if not one.get("is_impossible")
            ]
            yield context, [text for text in asked if text.strip()]


def _with_text(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(item for item in items if item.content.strip())
