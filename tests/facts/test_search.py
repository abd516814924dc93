"""Contract 7.7: OR, prefixes, folding, ranking, ties, and no operators."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_injection.facts import FactStore

TURKISH = [
    ("YILMAZ", "Ayşe Yılmaz is the director."),
    ("yilmaz", "Ayşe YILMAZ is the director."),
    ("yılmaz", "Yilmaz"),
    ("İstanbul", "istanbul office"),
    ("istanbul", "İSTANBUL office"),
    ("ISTANBUL", "İstanbul office"),
    ("ıstanbul", "Istanbul office"),
    ("diyarbakır", "DIYARBAKIR"),
    ("DİYARBAKIR", "diyarbakır"),
    ("kirmizi", "kırmızı araba"),
    ("KIRMIZI", "kırmızı araba"),
    ("ağaç", "AĞAÇ"),
    ("agac", "ağaç"),
    ("şöyle", "SOYLE"),
    ("invoice", "INVOICE 7"),
    ("INVOICE", "the invoice"),
    ("Title", "TITLE"),
    ("i̇pek", "İpek"),
]

OTHER_SCRIPTS = [
    ("strasse", "Hauptstr. 1, Straße"),
    ("Ελλαδα", "Ελλάδα"),
    ("ёлка", "Елка"),
    ("天气", "今天天气很好"),
    ("好", "今天天气很好"),
    ("天", "今天天气很好"),
    ("ｆｕｌｌ", "full width"),
    ("cafe", "Cafe\u0301"),
]


@pytest.mark.parametrize(("query", "text"), [*TURKISH, *OTHER_SCRIPTS])
def test_case_and_letters_fold(mem, query, text):
    """I, İ, ı and i are one letter; case and accents do not matter; scripts without spaces work."""
    mem.remember("something else altogether")
    fact = mem.remember(text)
    assert [f.id for f in mem.search(query)] == [fact.id]


def test_every_word_is_ored(mem):
    """A fact with any of the words is found; one with more of them comes first."""
    one = mem.remember("red car")
    mem.remember("green boat")
    both = mem.remember("red boat")
    assert next(f.id for f in mem.search("red boat missing")) == both.id
    assert {f.id for f in mem.search("red missing")} == {one.id, both.id}


def test_every_word_is_prefix_matched(mem):
    """``direct`` finds ``directors``; the middle and the end of a word do not count."""
    fact = mem.remember("the directors")
    assert [f.id for f in mem.search("direct")] == [fact.id]
    assert [f.id for f in mem.search("d")] == [fact.id]
    assert mem.search("rectors") == mem.search("directorship") == []


def test_no_stemming(mem):
    """``directors`` does not find ``director``."""
    mem.remember("the director")
    assert mem.search("directors") == []


def test_a_whole_word_comes_before_one_that_only_begins_alike(mem):
    """The share of the word that was asked for counts."""
    exact = mem.remember("an art")
    mem.remember("an article")
    assert next(f.id for f in mem.search("art")) == exact.id


def test_rare_words_weigh_more(mem):
    """A word that few facts hold decides."""
    for _ in range(5):
        mem.remember("tea again")
    rare = mem.remember("coffee again")
    mem.remember("tea again")
    assert mem.search("tea coffee")[0].id == rare.id


def test_newest_first_on_ties(mem):
    """Equal scores are ordered by last update, and an update counts."""
    facts = [mem.remember(f"tea {name}") for name in ("one", "two", "six")]
    assert [f.id for f in mem.search("tea")] == [f.id for f in reversed(facts)]
    assert len({f.score for f in mem.search("tea")}) == 1
    mem.remember("tea one", replaces=facts[0].id)
    assert [f.id for f in mem.search("tea")] == [facts[0].id, facts[2].id, facts[1].id]
    assert [f.id for f in mem.search("tea", k=1)] == [facts[0].id]


def test_scores_go_down(mem):
    """Every result of a search has a score, and they are sorted."""
    for text in ("tea", "tea and coffee", "tea and coffee and cacao", "coffee"):
        mem.remember(text)
    scores = [f.score for f in mem.search("tea coffee")]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_an_empty_query_lists_the_newest(mem, query):
    """Last updated first, without scores, under the same filters."""
    facts = [mem.remember(f"t {at}", path=f"n{at % 2}/", tags=["x"] * (at < 4)) for at in range(7)]
    found = mem.search(query)
    assert found == [*reversed(facts)][:5]
    assert {f.score for f in found} == {None}
    assert mem.search(query, paths=["n1/"], tags=["x"]) == [facts[3], facts[1]]


@pytest.mark.parametrize(
    "query",
    ["!!!", '"', "'", "*", "()", "- -", "^", ":", "\0", "\ud800", "😀", "\u200b", "{}", "%", "_"],
)
def test_a_query_without_words_finds_nothing(mem, query):
    """Punctuation is not an empty query: nothing fits it, and nothing breaks."""
    mem.remember("tea % _ * !!! 😀")
    assert mem.search(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "tea AND NOT coffee", 'tea"', "tea*", '"tea coffee"', "NEAR(tea coffee, 1)", "text:tea",
        "tea)", "(tea", "-tea", "^tea", "tea OR", "tea'; DROP TABLE facts; --", "tea%", "tea\0x",
        "tea\ud800", "tea_x", "{tea}",
    ],
)  # fmt: skip
def test_operators_and_punctuation_are_plain_text(mem, query):
    """No query syntax reaches the index: the words are looked up, the rest separates them."""
    fact = mem.remember("tea")
    assert [f.id for f in mem.search(query)] == [fact.id]


def test_operator_words_are_words(mem):
    """``OR`` and ``NOT`` find the facts that hold them."""
    fact = mem.remember("do not enter")
    assert [f.id for f in mem.search("NOT")] == [fact.id]


def test_a_very_long_query(mem):
    """A query of a hundred thousand words is cut, not refused."""
    fact = mem.remember("tea")
    assert [f.id for f in mem.search("tea " + "word " * 100_000)] == [fact.id]
    assert [f.id for f in mem.search("tea " + " ".join(map(str, range(5000))))] == [fact.id]


def test_filters_do_not_change_scores(mem):
    """A folder or a tag leaves facts out; what stays keeps its score and its order."""
    for at in range(9):
        mem.remember(f"tea {'cup ' * at}", path=f"n{at % 3}/", tags=["x"] * (at % 2))
    everything = mem.search("tea cup", k=50)
    some = mem.search("tea cup", k=50, paths=["n1/", "n2/"], tags=["x"])
    assert some == [f for f in everything if f.path in ("n1/", "n2/") and f.tags == ("x",)]
    assert some


def test_overlapping_paths_find_a_fact_once(mem):
    """Folders that lie in each other do not double anything."""
    fact = mem.remember("tea", path="a/b/")
    assert mem.search("tea", paths=["a/", "a/b/", ""]) == mem.search("tea")
    assert [f.id for f in mem.search("", paths=["a/", "a/b/"])] == [fact.id]


def test_other_users_change_nothing(open_run):
    """Neither order nor scores depend on facts that are not seen."""
    mem = open_run("u1")
    for text in ("tea and coffee", "tea", "coffee and cacao and tea"):
        mem.remember(text, path="users/{user}/")
    mem.remember("shared tea", path="notes/")
    before = mem.search("tea coffee")
    for at in range(20):
        open_run("u2").remember(f"coffee {at} " * 9, path="users/{user}/")
        open_run("u1", agent="b").remember("coffee")
    assert mem.search("tea coffee") == before


WORDS = st.sampled_from(["tea", "teapot", "cup", "İpek", "ışık", "cupboard", "x"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(WORDS, min_size=1, max_size=6), max_size=8), st.lists(WORDS, max_size=3))
def test_found_is_what_holds_a_word_that_begins_so(texts, query):
    """Search finds exactly the facts with a word that a query word begins."""
    from memory_injection.text import tokenize

    with FactStore(":memory:") as store:
        mem = store.open(agent="a", run="r")
        facts = [mem.remember(" ".join(words)) for words in texts]
        found = {f.id for f in mem.search(" ".join(query), k=50)}
    asked = tokenize(" ".join(query))
    fits = {
        fact.id
        for fact in facts
        if not asked or any(w.startswith(q) for w in tokenize(fact.text) for q in asked)
    }
    assert found == fits
