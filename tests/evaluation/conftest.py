"""Small data sets in the shapes of the public ones, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

TALKS = (
    ("Deniz", "Ebru", "kayak", "Bodrum", "violin", "Antep"),
    ("Selin", "Mert", "telescope", "Kars", "pottery", "Rize"),
    ("Ada", "Kerem", "bakery", "Mardin", "fencing", "Sinop"),
)


def dialogue(one: str, two: str, thing: str, place: str, hobby: str, town: str) -> dict[str, Any]:
    def turn(session: int, number: int, speaker: str, text: str, **rest: str) -> dict[str, str]:
        return {"dia_id": f"D{session}:{number}", "speaker": speaker, "text": text, **rest}

    return {
        "sample_id": f"{one}-{two}",
        "conversation": {
            "speaker_a": one,
            "speaker_b": two,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn(1, 1, one, f"Hi {two}! How have you been?"),
                turn(1, 2, two, f"Good! I bought a {thing} in {place} last week."),
                turn(1, 3, one, "Lovely, what colour is it?"),
                turn(1, 4, two, "Blue.", blip_caption=f"a blue {thing}"),
            ],
            "session_2_date_time": "10:00 am on 1 June, 2023",
            "session_2": [
                turn(2, 1, one, f"I started {hobby} lessons with my sister."),
                turn(2, 2, two, "That sounds fun!"),
                turn(2, 3, one, f"We also drove to {town} to see our parents."),
            ],
            "session_10": [turn(10, 1, two, "The weather was dreadful on the way back.")],
        },
        "qa": [
            {"question": f"What did {two} buy in {place}?", "evidence": ["D1:2"], "category": 4},
            {
                "question": f"Which blue {thing} did {two} buy?",
                "evidence": ["D1:2; D1:04"],
                "category": 1,
            },
            {
                "question": f"When did {one} start {hobby} lessons?",
                "evidence": ["D2:1"],
                "category": 2,
            },
            {"question": f"Whom did {one} see in {town}?", "evidence": ["D2:3"], "category": 4},
            {"question": f"Did {one} buy a {thing}?", "evidence": ["D1:2"], "category": 5},
            {"question": "Nobody knows", "evidence": ["D99:1"], "category": 4},
            {"question": "No evidence", "category": 4},
        ],
    }


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    folder = tmp_path / "locomo"
    folder.mkdir()
    samples = [dialogue(*talk) for talk in TALKS]
    (folder / "locomo.json").write_text(json.dumps(samples), encoding="utf-8")
    return folder


@pytest.fixture
def beam(tmp_path: Path) -> Path:
    folder = tmp_path / "beam"
    for number, topic in ((1, "budget tracker"), (10, "weather app")):
        chat = folder / str(number)
        chat.mkdir(parents=True)

        def said(ident: int, role: str, text: str, **rest: str) -> dict[str, Any]:
            return {"id": ident, "role": role, "content": text, **rest}

        turns = [
            [
                said(0, "user", f"I am building a {topic}", time_anchor="March-15-2024"),
                said(1, "assistant", "Start with a schedule."),
            ],
            [said(2, "user", "My sprint ends on Friday"), said(3, "assistant", "Noted.")],
        ]
        probes = {
            "information_extraction": [
                {"question": "When does my sprint end?", "source_chat_ids": [2]}
            ],
            "knowledge_update": [
                {"question": "What am I building?", "source_chat_ids": {"original_info": [0]}}
            ],
            "event_ordering": [{"question": "In which order?", "source_chat_ids": [0, [2]]}],
            "abstention": [{"question": "What is my shoe size?", "source_chat_ids": None}],
        }
        (chat / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": turns}]))
        (chat / "probing_questions.json").write_text(json.dumps(probes))
    return folder


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    contexts = ("The river Tigris rises in the Taurus.", "Chess has sixty-four squares.")
    paragraphs = [
        {"context": contexts[0], "qas": [{"question": "Where does the Tigris rise?"}]},
        {"context": contexts[1], "qas": [{"question": "How many squares has chess?"}]},
    ]
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"data": [{"paragraphs": paragraphs}]}))
    return path
