from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from memory_injection.errors import InputError
from memory_injection.files import (
    BM25Engine,
    FileMemoryProvider,
    FileRecord,
    RecallOptions,
    create_memory_provider,
)

Put = Callable[..., Path]


def _record(ident: str, content: str, **more: Any) -> FileRecord:
    return FileRecord(ident, content, f"records/{ident}.md", **more)


def test_the_score_is_bm25_worked_out_by_hand() -> None:
    """k1 1.2, b 0.75, ln(1 + (N - n + 0.5) / (n + 0.5)); a plain tokenizer keeps counts simple."""
    records = (_record("a", "red red blue"), _record("b", "blue"), _record("c", "green sky"))
    engine = BM25Engine(tokenizer=str.split)
    hits = engine.search("red blue", records, 10)
    idf_red, idf_blue = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    long, short = 1.2 * (0.25 + 0.75 * 3 / 2), 1.2 * (0.25 + 0.75 * 1 / 2)
    wanted = {
        "a": idf_blue * 2.2 / (1 + long) + idf_red * 2 * 2.2 / (2 + long),
        "b": idf_blue * 2.2 / (1 + short),
    }
    assert {record.id: score for record, score in hits} == pytest.approx(wanted)
    assert [record.id for record, _ in hits] == ["a", "b"]


def test_ties_go_to_the_newest_then_to_the_lowest_id(
    provider: FileMemoryProvider, put: Put
) -> None:
    """Equal scores are ordered by what the files say, not by where or when they were made."""
    put("records/d.md", "zebra")
    put("records/c.md", "---\nupdated_at: 2026-01-01T00:00:00Z\n---\nzebra")
    put("records/b.md", "---\ncreated_at: 2026-01-02T00:00:00Z\n---\nzebra")
    put("records/a.md", "zebra")
    assert [e.id for e in provider.search("zebra")] == ["b", "c", "a", "d"]


def test_the_order_is_equal_for_a_hundred_orders_of_creation(tmp_path: Path) -> None:
    """The same files give the same entries with the same scores, whichever was written first."""
    rng = random.Random(5)
    words = ["zebra", "lion", "tea", "rain", "kırmızı", "天气", "blue", "sky"]
    files = {f"r{n}.md": " ".join(rng.choices(words, k=6)) for n in range(12)}
    files["same-1.md"] = files["same-2.md"] = files["r1.md"]
    answers = set()
    for turn in range(100):
        names = sorted(files)
        rng.shuffle(names)
        folder = tmp_path / str(turn) / "records"
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text(files[name], encoding="utf-8")
        with create_memory_provider(folder.parent) as provider:
            found = provider.search("zebra 天气 KIRMIZI", {"max_search_results": 50})
        answers.add(tuple((e.id, e.score) for e in found))
    assert len(answers) == 1
    assert len(answers.pop()) > 5


def test_the_order_does_not_hang_on_what_was_searched_before(
    provide: Callable[..., FileMemoryProvider], put: Put
) -> None:
    """A provider that saw edits answers like one that never did."""
    for n in range(6):
        put(f"records/r{n}.md", "zebra " * (n + 1) + "x")
    worn = provide()
    worn.search("zebra")
    put("records/r0.md", "zebra zebra lion")
    (worn.root / "records" / "r3.md").unlink()
    put("records/r9.md", "zebra sky")
    assert worn.search("zebra") == provide().search("zebra")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ann's cats sleep on the sofa", "Where is the cat sleeping?"),
        ("İzmir'de Yılmaz ile buluştu", "YILMAZ IZMIR"),
        ("Kedilerimizin isimleri Pamuk ve Boncuk", "kedilerimizin adları neydi?"),
        ("今天天气很好", "天气"),
        ("café in the Straße", "cafe strasse"),
    ],
)
def test_forms_cases_and_scripts_meet(
    provider: FileMemoryProvider, put: Put, text: str, query: str
) -> None:
    """Inflected words, either case of the Turkish i, Chinese, accents."""
    put("records/other.md", "nothing of the kind")
    put("records/a.md", text)
    assert next(e.id for e in provider.search(query)) == "a"


@pytest.mark.parametrize("query", ["", "  \n", "the of and is", "?!", "\x00", "\ud800", "unheard"])
def test_a_query_without_words_finds_nothing(
    provider: FileMemoryProvider, put: Put, query: str
) -> None:
    """Only records that share a word come back."""
    put("records/a.md", "the zebra is of the savannah and the plains")
    assert provider.search(query) == []


def test_an_over_long_query_is_clamped(provider: FileMemoryProvider, put: Put) -> None:
    """A pasted document is a query too."""
    put("records/a.md", "zebra")
    assert [e.id for e in provider.search("zebra " + "word " * 100_000)] == ["a"]


def test_limits_are_kept(provide: Callable[..., FileMemoryProvider], put: Put) -> None:
    """The call's number wins over the options' number."""
    for n in range(9):
        put(f"records/r{n}.md", "zebra")
    provider = provide(recall={"max_results": 3})
    assert provider.max_search_results == 3
    assert len(provider.search("zebra")) == 3
    assert len(provider.search("zebra", {"max_search_results": 7})) == 7


@pytest.mark.parametrize("options", [{"max_search_results": 0}, {"max_search_results": True},
                                     {"scope": "u1"}, {"scope": {"user": ""}}])  # fmt: skip
def test_wrong_search_options_are_named(provider: FileMemoryProvider, options: Any) -> None:
    """A bad argument is one clear line."""
    with pytest.raises(InputError):
        provider.search("zebra", options)
    with pytest.raises(InputError, match="query must be a text"):
        provider.search(None)  # type: ignore[arg-type]


def test_the_tokenizer_is_replaceable(provide: Callable[..., FileMemoryProvider], put: Put) -> None:
    """A callable or an object with ``tokenize`` cuts records and queries alike."""
    put("records/a.md", "ZEBRA-lion")

    class Dashes:
        def tokenize(self, text: str) -> list[str]:
            return text.split("-")

    for tokenizer in (Dashes(), Dashes().tokenize):
        provider = provide(recall=RecallOptions(tokenizer=tokenizer))
        assert [e.id for e in provider.search("lion")] == ["a"]
        assert provider.search("zebra") == []


def test_stop_words_are_replaceable(provide: Callable[..., FileMemoryProvider], put: Put) -> None:
    """One's own words replace the built-in ones; an empty set removes none."""
    put("records/a.md", "the zebra")
    assert provide(recall={"stop_words": {"zebra"}}).search("zebra") == []
    assert [e.id for e in provide(recall={"stop_words": {"zebra"}}).search("the")] == ["a"]
    assert [e.id for e in provide(recall={"stop_words": ()}).search("the")] == ["a"]
    own = provide(recall={"tokenizer": str.split, "stop_words": ["the"]})
    assert (own.search("the"), [e.id for e in own.search("zebra")]) == ([], ["a"])


class Newest:
    """An engine that ranks by id, whatever the query."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Sequence[FileRecord], int]] = []

    def search(
        self, query: str, records: Sequence[FileRecord], limit: int
    ) -> Iterable[tuple[FileRecord, float]]:
        self.asked.append((query, records, limit))
        return [(r, 1.0) for r in sorted(records, key=lambda r: r.id, reverse=True)]


def test_the_engine_is_replaceable(provide: Callable[..., FileMemoryProvider], put: Put) -> None:
    """It gets what the caller may see, the same objects while nothing changes, and is capped."""
    for n in range(4):
        put(f"records/r{n}.md", "zebra")
    put("records/r9.md", "---\nscope: {user: u1}\n---\nzebra")
    engine = Newest()
    provider = provide(recall={"engine": engine})
    found = provider.search("anything", {"max_search_results": 2})
    assert [(e.id, e.score) for e in found] == [("r3", 1.0), ("r2", 1.0)]
    provider.search("again", {"max_search_results": 2})
    (first, second) = engine.asked
    assert (first[0], first[2]) == ("anything", 2)
    assert [r.id for r in first[1]] == ["r0", "r1", "r2", "r3"]
    assert all(a is b for a, b in zip(first[1], second[1], strict=True))


def test_an_engine_cannot_show_what_it_was_not_given(
    provide: Callable[..., FileMemoryProvider], put: Put, caplog: pytest.LogCaptureFixture
) -> None:
    """Rubbish and foreign records are dropped; records without a score are entries without one."""
    put("records/a.md", "zebra")
    foreign = _record("foreign", "zebra")
    provider = provide(
        recall={"engine": lambda query, records, limit: [foreign, 7, None, records[0]]}
    )
    assert [(e.id, e.score) for e in provider.search("zebra")] == [("a", None)]
    assert sum("engine_result_dropped" in m for m in caplog.messages) == 3


@pytest.mark.parametrize(
    "recall",
    [
        {"tokenizer": 3},
        {"stop_words": "the of"},
        {"engine": 3},
        {"max_results": 0},
        {"unknown": 1},
        {"token_budget": 0},
        "recall",
    ],
)
def test_wrong_recall_options_are_refused_at_construction(root: Path, recall: Any) -> None:
    """The message names the field."""
    with pytest.raises(ValueError, match="RecallOptions"):
        create_memory_provider(root, recall=recall)


def test_scope_leaves_no_trace_in_the_ranking(
    provide: Callable[..., FileMemoryProvider], put: Put
) -> None:
    """Another user's records change neither the order nor a score."""
    put("records/a.md", "zebra lion")
    put("records/b.md", "zebra")
    before = [(e.id, e.score) for e in provide().search("zebra lion")]
    for n in range(20):
        put(f"records/u{n}.md", "---\nscope: {user: u1}\n---\nlion lion lion sky")
    assert [(e.id, e.score) for e in provide().search("zebra lion")] == before


def test_words_and_views_that_are_not_remembered_give_the_same_answers(
    provide: Callable[..., FileMemoryProvider], put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Caches are bounded; past their bound everything is worked out again."""
    put("records/a.md", "The cats were sleeping")
    put("records/b.md", "---\nscope: {user: u1}\n---\nA cat sleeps")
    users: list[Any] = [{"scope": {"user": f"u{n}"}} for n in range(4)]
    wanted = [provide().search("cat", options) for options in users]
    monkeypatch.setattr("memory_injection.files.words._MEMO", 0)
    monkeypatch.setattr("memory_injection.files.store._VIEWS", 1)
    provider = provide()
    for _ in range(2):
        assert [provider.search("cat", options) for options in users] == wanted
    assert [len(found) for found in wanted] == [1, 2, 1, 1]


def test_an_engine_that_never_ends_is_read_up_to_the_limit(
    provide: Callable[..., FileMemoryProvider], put: Put
) -> None:
    """What is past the limit is not asked for."""
    put("records/a.md", "zebra")
    provider = provide(recall={"engine": lambda query, records, limit: cycle(records)})
    assert [e.id for e in provider.search("zebra", {"max_search_results": 3})] == ["a"] * 3
