"""What a model is measured on: the same pairs in every language, and what is made of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

from memory_injection import MemoryManager
from memory_injection.stores import VectorStore
from memory_injection.stores.pairs import PAIRS
from memory_injection.text import guess_language

ENGLISH = {
    text: at for at, pair in enumerate(PAIRS["en"]) for text in pair
}  # a question and its answer share an axis


class EnglishModel:
    """Knows the English pairs; every text of another script or alphabet looks alike to it."""

    name = "english"
    dimension: int | None = 12

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], kind: str = "document") -> list[list[float]]:
        self.texts.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        row = [0.0] * 12
        row[-1] = 0.3
        if text in ENGLISH:
            row[ENGLISH[text]] = 1.0
        elif not text.isascii() or guess_language(text) == "tr":
            row[-2] = 1.0
            row[len(text) % 8] = 0.2
        else:
            row[len(text) % 8] = 1.0
        return row


NOTES = ["Kız kardeşim Bursa'da yaşıyor.", "Kedimin adı Pamuk.", "Her akşam kahve alırım."]
OFF = ["Moğolistan'ın başkenti neresi?", "Kuantum dolanıklığı nedir?", "Bugün hava nasıl olacak?"]


@pytest.mark.parametrize("language", PAIRS)
def test_every_language_has_eight_pairs_of_different_sentences(language: str) -> None:
    pairs = PAIRS[language]
    assert len(pairs) == 8
    assert len({text for pair in pairs for text in pair}) == 16


@pytest.mark.parametrize("language", PAIRS)
def test_the_pairs_are_in_the_language_they_stand_under(language: str) -> None:
    """No other one is guessed for all of a language's sentences together."""
    assert guess_language(" ".join(text for pair in PAIRS[language] for text in pair)) == language


def test_a_model_that_does_not_know_the_language_injects_nothing_off_topic() -> None:
    """All its cosines there are high; they say nothing, and the words alone decide."""
    store = VectorStore(embedder=EnglishModel())
    store.add_many(NOTES)
    manager = MemoryManager(stores=[store])
    for question in OFF:
        assert not manager.inject([{"role": "user", "content": question}]).block
    found = manager.inject([{"role": "user", "content": "Kedimin adı ne?"}])
    assert "Pamuk" in found.block.text  # type: ignore[union-attr]


def test_a_model_is_measured_once_in_each_language_that_entries_have(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=EnglishModel()) as store:
        store.add("I go swimming on Tuesdays")
        assert _measured(path) == ["en"]
        store.add_many(NOTES)
        assert _measured(path) == ["en", "tr"]
    again = EnglishModel()
    with VectorStore(path, embedder=again) as store:
        store.add("Dedem balık tutmayı çok sever.")
    assert again.texts == ["Dedem balık tutmayı çok sever."]


def test_a_file_of_an_earlier_version_is_measured_at_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=EnglishModel()) as store:
        store.add_many(NOTES)
    with sqlite3.connect(path) as conn:
        conn.execute("DROP TABLE memory_scales")
    conn.close()
    with VectorStore(path, embedder=EnglishModel(), writable=False) as store:
        assert len(store.search("Kedimin adı ne?"))  # type: ignore[arg-type]
    with VectorStore(path, embedder=EnglishModel()) as store:
        store.reembed()
    assert _measured(path) == ["en", "tr"]


ENGLISH_NOTES = [f"The {thing} was {done}" for thing in ("roof", "gate", "piano", "oven")
                 for done in ("mended", "sold last week", "painted")]  # fmt: skip
MORE = [*NOTES, "Köpeğimiz dün kayboldu, komşunun bahçesinde bulduk.", "Kira temmuzda artıyor."]


def _scores(store: VectorStore, question: str) -> dict[str, float]:
    found: Any = store.search(question, {"max_search_results": 50})
    return {one.content: one.score for one in found if one.content in ENGLISH_NOTES}


@pytest.mark.parametrize("first", [True, False])
def test_notes_in_a_language_not_understood_do_not_change_what_the_others_score(
    first: bool,
) -> None:
    """A question without a word in common, in an English memory and in one with Turkish notes."""
    question = "Who composed it?"
    with VectorStore(embedder=EnglishModel()) as store:
        store.add_many(ENGLISH_NOTES)
        alone = _scores(store, question)
        assert alone
    with VectorStore(embedder=EnglishModel()) as store:
        store.add_many([*MORE, *ENGLISH_NOTES] if first else [*ENGLISH_NOTES, *MORE])
        assert _scores(store, question) == pytest.approx(alone)


def test_what_its_words_find_is_found_in_any_language() -> None:
    """A name in common, in a note whose vector says nothing."""
    with VectorStore(embedder=EnglishModel()) as store:
        store.add_many([*ENGLISH_NOTES, *MORE])
        found: Any = store.search("Who is Pamuk?")
        (pamuk,) = [one for one in found if one.content == "Kedimin adı Pamuk."]
        assert pamuk.score > store.relevance_floor


def test_languages_are_told_again_where_a_file_does_not_have_them(tmp_path: Path) -> None:
    """Files of earlier versions, opened read-only too."""
    path = tmp_path / "m.db"
    with VectorStore(path, embedder=EnglishModel()) as store:
        store.add_many([*ENGLISH_NOTES, *MORE])
        right = _scores(store, "Who composed it?")
    with sqlite3.connect(path) as conn:
        conn.execute("ALTER TABLE memory_vectors DROP COLUMN language")
    conn.close()
    for writable in (False, True):
        with VectorStore(path, embedder=EnglishModel(), writable=writable) as store:
            assert _scores(store, "Who composed it?") == pytest.approx(right)


def _measured(path: Path) -> list[str]:
    with sqlite3.connect(path) as conn:
        rows = conn.execute("SELECT language FROM memory_scales ORDER BY language").fetchall()
    conn.close()
    return [row[0] for row in rows]
