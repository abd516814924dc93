"""Words, stop words, stems and the guess of a language."""

from __future__ import annotations

import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_injection.text import (
    LANGUAGES,
    fold,
    guess_language,
    marked_terms,
    raw_words,
    split_word,
    stemming,
    stems,
    stop_words,
    terms,
    tokenize,
    word_terms,
)
from memory_injection.text.languages import guess_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't call İPEK!", ["don", "t", "call", "ipek"]),
        ("snake_case C++ a:b", ["snake", "case", "c", "a", "b"]),
        ("天气很好", ["天气", "气很", "很好"]),
        ("山", ["山"]),
        ("東京タワー2024", ["東京", "京タ", "タワ", "ワー", "2024"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("한국어 문장", ["한국", "국어", "문장"]),
        ("여동생은 AI가 집", ["여동", "동생", "ai", "가", "집"]),
        ("\x00\ud800 \n", []),
        ("⑴ ﷺ", ["1", "صلى", "الله", "عليه", "وسلم"]),
        ("", []),
    ],
)
def test_texts_are_cut_into_words(text: str, words: list[str]) -> None:
    """Spaced scripts by words with their marks, spaceless ones by pairs of characters."""
    assert tokenize(text) == words


@given(st.text())
def test_tokens_are_folded_and_hold_no_separator(text: str) -> None:
    """No token is empty, and none holds a space, a quote or another ASCII sign."""
    for token in tokenize(text):
        assert token
        assert all(ord(char) > 127 or char.isalnum() for char in token)
        assert not any(char.isspace() for char in token)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_texts_take_no_short_cut_to_other_words(text: str) -> None:
    """The quick way for ASCII gives the words that the general way gives."""
    general = [token for word in raw_words(text + " é")[:-1] for token in split_word(word)]
    assert tokenize(text) == general


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where is my cat?", "en"),
        ("Kedim nerede?", "tr"),
        ("Akşam yemeği", "tr"),
        ("Bonjour, où est la gare ?", "fr"),
        ("Wo ist mein Hund?", "de"),
        ("¿Dónde está el perro?", "es"),
        ("Dove è il mio cane?", "it"),
        ("Onde está o meu cachorro?", "pt"),
        ("Waar is mijn hond?", "nl"),
        ("Var är min hund?", "sv"),
        ("Где моя собака?", "ru"),
        ("Пёс", "ru"),
        ("狗在哪里", "zh"),
        ("いぬはどこ", "ja"),
        ("개는 어디", "ko"),
        ("หมา", "th"),
        ("σκύλος", "el"),
        ("כלב", "he"),
        ("كلب", "ar"),
        ("कुत्ता", "hi"),
        ("Pamuk", None),
        ("Zoë", None),
        ("in", None),
        ("", None),
        ("🙂", None),
    ],
)
def test_a_language_is_guessed_or_left_open(text: str, language: str | None) -> None:
    """Function words, telling letters and scripts decide; without them nothing is claimed."""
    assert guess_language(text) == language


def test_one_function_word_tells_no_language_beside_known_ones() -> None:
    """It is as likely a word of theirs; two are enough, and so is one of a known language."""
    known = ["tr"]
    assert guess_words("Kedim hasta", raw_words("Kedim hasta")) == "es"
    assert guess_words("Kedim hasta", raw_words("Kedim hasta"), known) is None
    assert guess_words("Patronum Ali", raw_words("Patronum Ali"), known) is None
    assert guess_words("Kedim nerede", raw_words("Kedim nerede"), known) == "tr"
    assert guess_words("hasta la vista", raw_words("hasta la vista"), known) == "es"


@pytest.mark.parametrize(
    ("text", "known", "language"),
    [
        ("Müdürüm Hakan", ["en", "tr"], "tr"),
        ("Müdürüm Hakan", ["en"], None),
        ("Müdürüm Hakan", ["de", "tr"], None),
        ("Çatı onarıldı", ["de", "tr"], "tr"),
        ("Äpfel gekauft", ["de", "tr"], "de"),
        ("Mudurum Hakan", ["en", "tr"], None),
    ],
)
def test_accents_tell_between_known_languages(
    text: str, known: list[str], language: str | None
) -> None:
    """Where no word does: English has no ü, and of what is known only one other may."""
    assert guess_words(text, raw_words(text), known) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_folded(language: str) -> None:
    """Stop words compare with folded tokens."""
    words = stop_words(language)
    assert len(words) > 50
    assert all(fold(word) == word for word in words)


def test_a_language_without_a_list_has_no_stop_words() -> None:
    """Unknown languages and None have none."""
    assert stop_words("xx") == stop_words(None) == frozenset()


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The cats were sleeping", "en", ["cat", "sleep"]),
        ("Kedilerin isimleri", "tr", ["kedi", "isim"]),
        ("KIRMIZI arabalar", "tr", ["kirmi", "araba"]),
        ("Panthers'ın savunması", "tr", ["panth", "savun"]),
        ("les chevaux", "fr", ["cheval"]),
        ("Häuser", "de", ["haus"]),
        ("天气很好", "zh", ["天气", "气很", "很好"]),
        ("iPhone15 cats", "xx", ["iphone", "15", "cats"]),
        ("x" * 100, "en", ["x" * 64]),
        ("10,000 steps", "en", ["10000", "step"]),
    ],
)
def test_forms_of_a_word_share_a_stem(text: str, language: str, expected: list[str]) -> None:
    """Snowball per language, Turkish cut to five letters; codes are left alone."""
    assert stems(text, language) == expected


def test_stems_guess_the_language() -> None:
    """Without a language the text's own is used."""
    assert stems("The cats were sleeping") == ["cat", "sleep"]


def test_terms_do_not_depend_on_what_was_seen_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memo caches change nothing, and empty themselves when full."""
    words = raw_words("The quick brown foxes jumped")
    first = terms(words, "en")
    assert terms(words, "en") == first
    monkeypatch.setattr(stemming, "_MEMO", 1)
    assert [term for word in [*words, "unheard"] for term in word_terms(word, "en")] == [
        *first,
        "unheard",
    ]


@given(st.text(), st.sampled_from(["en", "tr", "zh", None]))
def test_marked_terms_are_the_terms_with_a_mark_each(text: str, language: str | None) -> None:
    """One text for an index, with the same words in the same order and a mark before each."""
    words = raw_words(text)
    marked = marked_terms(words, language)
    assert marked == "".join(f" _{term} " for term in terms(words, language))
    assert marked.count("_") == len(terms(words, language))


def test_marked_terms_do_not_depend_on_what_was_seen_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This cache, too, empties itself when full."""
    monkeypatch.setattr(stemming, "_MEMO", 1)
    words = raw_words("Quick brown foxes outrun unseen zebus")
    assert marked_terms(words, "en").split() == [f"_{term}" for term in terms(words, "en")]


def test_stemming_works_in_many_threads() -> None:
    """Each thread has stemmers of its own."""
    found: list[list[str]] = []

    def work(start: int) -> None:
        words = [f"running{chr(97 + (start + i) % 26)}s" for i in range(500)]
        found.append(terms(words, "en"))

    threads = [threading.Thread(target=work, args=(0,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one == found[0] for one in found)


def test_the_pure_python_stemmer_stands_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyStemmer is missing, snowballstemmer does the same work."""
    pytest.importorskip("snowballstemmer")
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    assert stemming._load("english").stemWord("running") == "run"


def test_a_single_letter_tells_no_language() -> None:
    """One letter is as likely a name (C, plan B) as a piece of a contraction."""
    assert guess_language("C t d") is None
