"""Recall on public data: floors below what docs/explanation/lexical-recall.md reports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memory_injection.stores import InMemoryStore

from ..data import data_folder


def recall(store: InMemoryStore, question: str, gold: set[str], size: int) -> float:
    found = [entry.id for entry in store.search(question, {"max_search_results": size})]
    return len(gold.intersection(i for i in found if i)) / len(gold)


def mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def dialogue(talk: Mapping[str, Any]) -> InMemoryStore:
    """Load one LoCoMo dialogue, one entry per turn."""
    store, entries = InMemoryStore(), []
    for name, turns in talk["conversation"].items():
        if not re.fullmatch(r"session_\d+", name):
            continue
        date = talk["conversation"].get(f"{name}_date_time")
        for turn, said in enumerate(turns):
            caption = said.get("blip_caption")
            entries.append(
                {
                    "id": said["dia_id"],
                    "content": said["text"] + (f" [image: {caption}]" if caption else ""),
                    "metadata": {
                        "speaker": said["speaker"], "session": name, "turn": turn, "date": date,
                    },
                }
            )  # fmt: skip
    store.add_many(entries)
    return store


@pytest.mark.slow
def test_evidence_is_found_in_conversations() -> None:
    """LoCoMo turns: R@10 at least .70, R@5 at least .61 over categories 1-4."""
    talks = json.loads((data_folder() / "locomo/locomo.json").read_text(encoding="utf-8"))
    at_5, at_10 = [], []
    for talk in talks:
        with dialogue(talk) as store:
            known = {entry.id for entry in store.list(limit=10_000)}
            for qa in talk["qa"]:
                gold = set(re.findall(r"D\d+:\d+", " ".join(qa["evidence"]))) & known
                if qa["category"] == 5 or not gold:
                    continue
                at_5.append(recall(store, qa["question"], gold, 5))  # type: ignore[arg-type]
                at_10.append(recall(store, qa["question"], gold, 10))  # type: ignore[arg-type]
    assert mean(at_5) >= 0.61
    assert mean(at_10) >= 0.70


def ids_in(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return {ident for part in value for ident in ids_in(part)}
    return {str(value)} if isinstance(value, int) else set()


def chat(folder: Path) -> InMemoryStore:
    """Load one BEAM chat, one entry per message."""
    store, entries = InMemoryStore(), []
    for batch in json.loads((folder / "chat.json").read_text(encoding="utf-8")):
        messages = [message for turn in batch["turns"] for message in turn]
        for turn, message in enumerate(messages):
            metadata = {"speaker": message["role"], "session": str(batch["batch_number"])}
            entries.append(
                {
                    "id": str(message["id"]),
                    "content": message["content"],
                    "metadata": {**metadata, "turn": turn},
                }
            )
    store.add_many(entries)
    return store


@pytest.mark.slow
def test_evidence_is_found_in_chats_with_an_assistant() -> None:
    """BEAM-100K messages: R@10 at least .58 over all abilities that have evidence."""
    scores = []
    for folder in sorted((data_folder() / "beam_100k").iterdir()):
        text = (folder / "probing_questions.json").read_text(encoding="utf-8")
        with chat(folder) as store:
            for probes in json.loads(text).values():
                for probe in probes:
                    gold = ids_in(probe.get("source_chat_ids"))
                    if gold:
                        scores.append(recall(store, probe["question"], gold, 10))
    assert mean(scores) >= 0.58


@pytest.mark.slow
@pytest.mark.parametrize(("language", "floor"), [("tr", 0.91), ("en", 0.93)])
def test_paragraphs_are_found(language: str, floor: float) -> None:
    """XQuAD: the right paragraph of all comes first."""
    path = data_folder() / f"xquad_tr_en/xquad.{language}.json"
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    with InMemoryStore() as store:
        store.add_many([{"id": str(n), "content": p["context"]} for n, p in enumerate(paragraphs)])
        hits = [
            recall(store, qa["question"], {str(number)}, 1)
            for number, paragraph in enumerate(paragraphs)
            for qa in paragraph["qas"]
        ]
    assert mean(hits) >= floor
