"""Reading a question: which words matter, who and which days are asked about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from typing import NamedTuple

from ..followups import topic_words
from ..text import (
    FIRST_PERSON,
    SECOND_PERSON,
    Period,
    apart,
    asked_attributes,
    asks_for_more,
    fold,
    has_function_character,
    has_lone_character,
    raw_words,
    read_periods,
    split_word,
    term_words,
    tokenize,
    unwrapped,
    without_function_words,
    word_terms,
    words_about_days,
    words_of_asking,
    written_as_names,
)
from ..text.languages import guess_words
from .lexical import (
    Plan,
    Word,
    context_weight,
    dated_weight,
    named_factor,
    pointing_weight,
    unsaid_weight,
    user_factors,
    whole_weight,
)
from .vocabulary import Known, Variants, Vocabulary, token, weighed

__all__ = ["Owner", "Search", "View", "plan_search", "token"]

_LONGEST = 20_000  # characters of a question that are read
_MOST_WORDS = 32  # rarest words of a question that are searched
_MOST_CONTEXT = 12  # rarest words of the turns before
_COMMON = 0.1  # share of entries from which a word is no way to find candidates...
_LARGE = 5_000  # ...in a store of this many entries

# The one month that is a stop word, where it may well be the month.
_MAY = re.compile(r"\b(?:by|before|after|from|till|through|between|around|next) (may)\b")

_PERSONS = FIRST_PERSON | SECOND_PERSON
_FRESH = 31  # days since the newest entry in which a memory is still being written
_USER = frozenset({"user", "human"})
_ROLES = _USER | {"assistant", "ai", "bot", "model", "system", "tool", "function", "developer"}


@dataclass(frozen=True, slots=True)
class Owner:
    """One row of ``memory_scopes`` that the caller may read."""

    id: int
    key: str
    entries: int
    terms: int
    day: int
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class View:
    """What a caller may read: owners and their speakers."""

    owners: Sequence[Owner]
    speakers: Sequence[tuple[int, str]] = ()
    entries: int = 0
    average: float = 1.0
    languages: tuple[str, ...] = ()
    names: dict[str, list[int]] = field(default_factory=dict)
    users: tuple[int, ...] = ()

    @classmethod
    def of(cls, owners: Sequence[Owner], speakers: Sequence[tuple[int, str]]) -> View:
        """Sum up *owners* and index the *speakers* by the words of their names."""
        names: dict[str, list[int]] = {}
        users: list[int] = []
        for ident, name in speakers:
            folded = fold(name).strip()
            if folded in _USER:
                users.append(ident)
            elif folded not in _ROLES:
                for word in raw_words(name):
                    for part in split_word(word):
                        names.setdefault(part, []).append(ident)
        entries = sum(owner.entries for owner in owners)
        languages = sorted({lang for owner in owners for lang in owner.languages})
        average = sum(owner.terms for owner in owners) / max(entries, 1)
        return cls(owners, speakers, entries, average, tuple(languages), names, tuple(users))


class Search(NamedTuple):
    """A plan and what finds candidates for it.

    Attributes:
        plan: what is looked for.
        tokens: index tokens, any of which makes a candidate.
        matches: at most how many entries hold one.
        entries: how many entries the caller may read.
        pointed_owners: whose entries of the days or speakers in *plan* are candidates as well.
    """

    plan: Plan
    tokens: list[str]
    matches: int
    entries: int = 0
    pointed_owners: Sequence[Owner] = ()


def plan_search(
    query: str, context: str, view: View, vocabulary: Vocabulary, today: date
) -> Search | None:
    """Return what to look for, or None for nothing.

    Args:
        query: the question.
        context: text of the turns before, weighed lower.
        view: what the caller may read.
        vocabulary: the words of the entries.
        today: the day that "last week" counts from, besides the newest entry's day.
    """
    ask = _understood(query[:_LONGEST], view, today)
    owners = [owner.id for owner in view.owners]
    asked, weights = weighed(
        ask.sought, owners, view.entries, vocabulary, _MOST_WORDS, ask.light, ask.attributes,
        mistyped=not ask.points,
    )  # fmt: skip
    if ask.points:
        asked = [(_as_date(word), times, tokens) for word, times, tokens in asked]
        weights = [dated_weight(weight) for weight in weights]
    if context and not asked and topic_words(query[:_LONGEST]) > 1:
        context = ""  # it has a topic of its own, of which nobody has spoken
    points = ask.points or bool(ask.periods and ask.named and (ask.topics == 1 or not asked))
    pointed = pointing_weight(view.entries, alone=not ask.topics) if points else 0.0
    before: list[Known] = []
    alone = weights
    if context:
        known = len(asked)
        weights = weights[:known] + [unsaid_weight(weight) for weight in weights[known:]]
        before, more = _before(context[-_LONGEST:], ask.words, view, vocabulary)
        weights += more
    found = asked + before
    if not found and not points:
        return None
    plan = Plan(
        words=[word for word, _, _ in found],
        pairs=_pairs(list(ask.sought.values()), view),
        whole=whole_weight([*weights, pointed], view.entries, leaning=bool(context)),
        average=view.average,
        speakers=_speakers(ask.raw, ask.named, view),
        periods=ask.periods,
        pointed=pointed,
        pointed_speakers=frozenset(ask.named) if points else frozenset(),
    )
    if context and asked:
        whole = whole_weight([*alone, pointed], view.entries)
        plan = replace(plan, alone=replace(plan, words=[word for word, _, _ in asked], whole=whole))
    chosen = _candidates(asked, view.entries) + _candidates(before, view.entries)
    return Search(
        plan,
        [entry for _, _, tokens in chosen for entry in tokens],
        sum(times for _, times, _ in chosen),
        view.entries,
        view.owners if points else (),
    )


@dataclass(frozen=True, slots=True)
class _Ask:
    """What a question says, before anything is looked up.

    Attributes:
        raw: its raw words, without its wrapping.
        words: its content words.
        sought: those that entries are searched for.
        light: words of dates that were understood, of asking, and *attributes*.
        attributes: words that ask for an attribute of a topic.
        named: ids of the speakers it names.
        periods: days it asks about.
        topics: how many of its words are none of these.
        points: whether it asks for nothing but days, or somebody's words.
    """

    raw: list[str]
    words: dict[str, Variants]
    sought: dict[str, Variants]
    light: frozenset[str]
    attributes: frozenset[str]
    named: list[int]
    periods: Sequence[Period]
    topics: int
    points: bool


def _understood(question: str, view: View, today: date) -> _Ask:
    query, raw, words = _opened(question, view)
    guess = guess_words(query, raw, view.languages)
    wrapping = _words_of_asking(query, guess, view)
    periods, timeless, around = read_periods(query, _anchors(view, today))
    dated = frozenset(words.keys() - _tokens(timeless) if periods else ())
    # In "in May 2024", May is no speaker.
    names = {word for word in words if word in view.names and word not in dated}
    called = [word for word in words if word in names] + _called(question, timeless, words, view)
    named = [ident for word in called for ident in view.names[word]]
    rest = {word: variants for word, variants in words.items() if word not in names}
    light = wrapping | dated
    attributes = asked_attributes(query) & rest.keys()
    if light | attributes >= rest.keys():
        attributes = frozenset()  # it is the topic
    light |= attributes
    idle = words_about_days(query, guess) if periods else set()
    topics = len(rest.keys() - light - idle)
    topics += asks_for_more(question) or has_lone_character(timeless)
    # Only days, or whose words: of somebody's days a little may be said besides. An unknown topic
    # of some day ("the weather today") is off topic.
    points = not topics and bool(periods or (named and rest))
    only_dates = {word: variants for word, variants in rest.items() if word in dated}
    sought = only_dates if points else rest or words
    days = periods if points else around
    return _Ask(raw, words, sought, light, attributes, named, days, topics, points)


def _called(question: str, timeless: str, words: Collection[str], view: View) -> list[str]:
    """Return the speakers' names among the stop words of *question*: "What did May say to Will?".

    Those of a time are none: "in May" is not in *timeless*, and "before May" is no period.
    """
    if not view.names or question.islower():
        return []
    known = view.names.keys() - words - _PERSONS
    found = written_as_names(question, known) if known else {}
    if not found:
        return []
    times = Counter(tokenize(question)) - Counter(tokenize(timeless))
    times.update(_MAY.findall(fold(question)))
    return [word for word, often in found.items() if often > times[word]]


def _tokens(text: str) -> set[str]:
    return {part for word in _pieces(term_words(text)) for part in split_word(word)}


def _pieces(words: list[str]) -> Iterator[str]:
    return chain.from_iterable(map(apart, words))


def _opened(query: str, view: View) -> tuple[str, list[str], dict[str, Variants]]:
    """Return the question without its wrapping, its raw words and its content words."""
    for text in dict.fromkeys((without_function_words(unwrapped(query)), query)):
        said = term_words(text)
        words = _content_words(text, said, view)
        if words:
            break
    return text, said, words


def _before(
    context: str, words: dict[str, Variants], view: View, vocabulary: Vocabulary
) -> tuple[list[Known], list[float]]:
    """Return what :func:`weighed` does for the turns before, without what the question has."""
    others = _content_words(context, term_words(context), view)
    others = {w: v for w, v in others.items() if w not in words and w not in view.names}
    owners = [owner.id for owner in view.owners]
    before, weights = weighed(others, owners, view.entries, vocabulary, _MOST_CONTEXT)
    before = [(_as_context(word), times, tokens) for word, times, tokens in before]
    return before, [context_weight(weight) for weight in weights]


def _as_date(word: Word) -> Word:
    return word._replace(weight=dated_weight(word.weight))


def _as_context(word: Word) -> Word:
    return word._replace(weight=context_weight(word.weight))


def _content_words(text: str, words: list[str], view: View) -> dict[str, Variants]:
    """Return the words of *text* that are no stop words, in order, stemmed per language."""
    guess = guess_words(text, words, view.languages)
    languages: tuple[str | None, ...] = view.languages or (None,)
    if guess is not None and guess not in languages:
        languages = (*languages, guess)
    deciding = (guess,) if guess is not None else [language or "" for language in languages]
    found: dict[str, Variants] = {}
    plain = text.isascii()  # then words come folded
    for word in _pieces(words):
        terms = [(language or "", word_terms(word, language)) for language in languages]
        if not all(own for language, own in terms if language in deciding):
            continue
        parts = (word,) if plain else split_word(word)
        if len(parts) == 1:
            found[parts[0]] = tuple((language, term) for language, own in terms for term in own)
        else:
            found.update((part, (("", part),)) for part in parts)
    return found


def _words_of_asking(text: str, guess: str | None, view: View) -> frozenset[str]:
    """Return the words of asking in the language guessed of *text*, or where there is none in any.

    In Chinese and Japanese, pairs of characters that hold an ending or a function word.
    """
    languages = (guess,) if guess is not None else view.languages
    asking = frozenset().union(*map(words_of_asking, languages))
    if text.isascii():
        return asking
    return asking.union(filter(has_function_character, _tokens(text)))


def _pairs(words: list[Variants], view: View) -> dict[int, list[tuple[str, str]]]:
    """Return, per owner, the index tokens of words that are neighbours in the question."""
    sides: dict[tuple[str, str], None] = {}
    for position, left in enumerate(words[:-1]):
        terms = dict(words[position + 1])
        for language, term in left:
            if language in terms:
                sides[term, terms[language]] = None
    return {
        owner.id: [(token(owner.id, a), token(owner.id, b)) for a, b in sides]
        for owner in view.owners
    }


def _speakers(said: list[str], named: list[int], view: View) -> dict[int, float]:
    """Return a factor per speaker: those named, and the user unless the assistant is asked for."""
    factors: dict[int, float] = {}
    if view.users:
        persons = {part for word in said for part in split_word(word)}
        first = bool(persons & FIRST_PERSON)
        if first or not persons & SECOND_PERSON:
            user, other = user_factors(first)
            factors = {ident: other for ident, _ in view.speakers}
            factors.update(dict.fromkeys(view.users, user))
    factors.update(dict.fromkeys(named, named_factor()))
    return factors


def _anchors(view: View, today: date) -> tuple[date, ...]:
    """Return the days that "last week" counts from: today, and of a memory that ended the end."""
    newest = max((owner.day for owner in view.owners), default=0)
    if not newest or 0 <= today.toordinal() - newest <= _FRESH:
        return (today,)
    return (date.fromordinal(newest), today)


def _candidates(found: list[Known], entries: int) -> list[Known]:
    """Choose the words to search with: in a large store, common words only rank."""
    if entries <= _LARGE:
        return found
    ordered = sorted(found, key=lambda item: item[1])
    return ordered[:2] + [item for item in ordered[2:] if item[1] <= _COMMON * entries]
