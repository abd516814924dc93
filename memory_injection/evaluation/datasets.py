"""Public data sets as corpora: entries to remember, questions, and the entries that answer them.

- LoCoMo (Maharana et al. 2024): one entry per turn, evidence turn ids as gold. Categories 1-4
  are answerable; 5 is adversarial and kept apart.
- BEAM (Tavakoli et al. 2025): one entry per message, ``source_chat_ids`` as gold. The headline
  takes the seven abilities that ask for particular messages; event ordering and summarization,
  whose gold is a dozen messages strewn over the chat, and abstention are kept apart.
- SQuAD-shaped files (XQuAD, TQuAD, ...): one entry per paragraph, the question's own as gold.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from ..errors import InputError

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
    """What one user remembers and is asked: a dialogue, a chat, or a set of paragraphs."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]


def load_locomo(path: Path) -> list[Corpus]:
    """Read LoCoMo dialogues from a file or from every JSON file of a folder.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    found: list[Corpus] = []
    for file in _files(path, "*.json"):
        with _Shape(file, "a list of LoCoMo dialogues (conversation, qa)") as at:
            for number, sample in enumerate(_sequence(_read(file))):
                found.append(_dialogue(sample, at.inside(f"[{number}]")))
    return _told_apart(found, path, "dialogue")


def load_beam(path: Path) -> list[Corpus]:
    """Read BEAM chats from a folder of chats, one chat's folder, or one of its two files.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    if path.is_file() and path.name not in _BEAM_FILES:
        raise InputError(f"{path}: expected {_BEAM}, or a folder of them")
    folder = path.parent if path.name in _BEAM_FILES else path
    chats = sorted({file.parent for file in _files(folder, "**/chat.json")}, key=_natural)
    return _told_apart(map(_chat, chats), path, "chat")


def load_any(path: Path) -> list[Corpus]:
    """Read LoCoMo or BEAM, whichever *path* holds.

    Raises:
        InputError: nothing there, or another shape; the message names the file and the place in it.
    """
    beam = path.name in _BEAM_FILES or any(path.glob("**/chat.json"))
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
    for number, path in enumerate(paths):
        if path.is_dir():
            raise InputError(f"{path}: a folder; name its files, the one with the questions first")
        with _Shape(path, "a SQuAD file (data[].paragraphs[].context)") as at:
            for context, asked in _paragraphs(_read(path), at):
                ident = idents.setdefault(context, f"p{len(idents)}")
                if number == 0:
                    gold = frozenset({ident})
                    questions.extend(Question(text, gold, "question") for text in asked)
    items = [Item(ident, context, {}) for context, ident in idents.items()]
    if not items:
        raise InputError(f"{', '.join(map(str, paths))}: no paragraph in it")
    return [Corpus(paths[0].stem, tuple(items), tuple(questions))]


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


def _dialogue(sample: Mapping[str, Any], at: _Shape) -> Corpus:
    talk = sample["conversation"]
    numbers = sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key))
    items: list[Item] = []
    for number in numbers:
        start = _moment(talk.get(f"session_{number}_date_time"))
        for turn, said in enumerate(talk[f"session_{number}"]):
            at.place = f".conversation.session_{number}[{turn}]"
            items.append(_turn(said, number, turn, start))
    known = {item.id for item in items}
    asked = tuple(_asked(sample, known, at))
    return Corpus(str(sample.get("sample_id", "dialogue")), tuple(items), asked)


def _turn(said: Mapping[str, Any], session: int, turn: int, start: datetime | None) -> Item:
    text = str(said.get("text") or "")
    if caption := said.get("blip_caption"):
        text = f"{text} [image: {caption}]".strip()
    metadata = {"speaker": said["speaker"], "session": str(session), "turn": turn}
    created = None if start is None else start + timedelta(seconds=turn)
    return Item(said["dia_id"], text, metadata, created)


def _asked(sample: Mapping[str, Any], known: set[str], at: _Shape) -> Iterator[Question]:
    at.place = ""
    for number, pair in enumerate(sample["qa"]):
        at.place = f".qa[{number}]"
        evidence = " ".join(map(str, pair.get("evidence") or ()))
        gold = {f"D{int(a)}:{int(b)}" for a, b in _TURN_ID.findall(evidence)} & known
        if gold and _text(pair["question"]).strip():
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
    items: list[Item] = []
    with _Shape(folder / "chat.json", _BEAM) as at:
        for number, batch in enumerate(_sequence(_read(folder / "chat.json"))):
            at.place = f"[{number}]"
            items += _batch(batch)
    known = {item.id for item in items}
    with _Shape(folder / "probing_questions.json", _BEAM) as at:
        probes = tuple(_probes(_read(folder / "probing_questions.json"), known, at))
    return Corpus(f"chat {folder.name}", tuple(items), probes)


def _batch(batch: Mapping[str, Any]) -> Iterator[Item]:
    messages = [message for turn in batch["turns"] for message in turn]
    session = str(batch.get("batch_number", ""))
    start: datetime | None = None
    for turn, message in enumerate(messages):
        start = _moment(message.get("time_anchor")) or start
        created = None if start is None else start + timedelta(seconds=turn)
        metadata = {"speaker": message["role"], "session": session, "turn": turn}
        yield Item(str(message["id"]), message["content"], metadata, created)


def _probes(probes: Mapping[str, Any], known: set[str], at: _Shape) -> Iterator[Question]:
    for ability, asked in probes.items():
        for number, probe in enumerate(asked):
            at.place = f".{ability}[{number}]"
            gold = {str(ident) for ident in _leaves(probe.get("source_chat_ids"))} & known
            if gold and ability != "abstention" and _text(probe["question"]).strip():
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


def _paragraphs(read: Mapping[str, Any], at: _Shape) -> Iterator[tuple[str, list[str]]]:
    """Give each paragraph that is not blank, with the questions it answers."""
    for number, article in enumerate(read["data"]):
        at.place = f".data[{number}]"
        for place, paragraph in enumerate(article["paragraphs"]):
            at.place = f".data[{number}].paragraphs[{place}]"
            context = _text(paragraph["context"]).strip()
            asked = [
                _text(one["question"])
                for one in paragraph.get("qas", ())
                if not one.get("is_impossible")
            ]
            if context:
                yield context, [text for text in asked if text.strip()]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r}")
    return value


def _files(path: Path, pattern: str) -> list[Path]:
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_file():
        return [path]
    found = sorted(path.glob(pattern))
    if not found:
        raise InputError(f"{path}: no {pattern.rsplit('/', 1)[-1]} in this folder")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in path.parts]


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{path}: not a JSON file ({place}: {error.msg})") from None
    except ValueError as error:
        raise InputError(f"{path}: not a JSON file ({error})") from None


def _sequence(value: Any) -> Iterable[Any]:
    """A file may hold one sample or a list of them."""
    return [value] if isinstance(value, Mapping) else value


class _Shape:
    """Turn the accidents of reading another shape into one line that names file and place.

    Attributes:
        place: where in the file is being read, as a path of keys and positions.
    """

    def __init__(self, path: Path, expected: str) -> None:
        self._path, self._expected = path, expected
        self._inside = self.place = ""

    def inside(self, place: str) -> _Shape:
        """Say in which part of the file all places are, from now on."""
        self._inside, self.place = place, ""
        return self

    def __enter__(self) -> _Shape:
        """Nothing to prepare."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            return
        if isinstance(error, (KeyError, TypeError, AttributeError, IndexError, ValueError)):
            place = (self._inside + self.place).lstrip(".")
            missing = f"no {error}" if isinstance(error, KeyError) else "another shape"
            told = f" ({missing} at {place})" if place else ""
            raise InputError(f"{self._path}: expected {self._expected}{told}") from None
