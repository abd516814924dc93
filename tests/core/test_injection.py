"""What one injection does: trigger, query, search, floor, duplicates, budget, writing, report."""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections import OrderedDict, UserDict
from collections.abc import Mapping
from datetime import datetime, timezone
from types import MappingProxyType, SimpleNamespace

import pytest
from pydantic import BaseModel

from memory_injection import (
    ConfigurationError,
    InjectionConfig,
    InMemoryLedger,
    MemoryEntry,
    MemoryManager,
    Scope,
    StoreErrors,
    UnknownStoreError,
)
from memory_injection.dialects.registry import dialect_named, dialect_names
from memory_injection.pipeline.weighing import bytes_beside
from memory_injection.stores import InMemoryStore
from memory_injection.testing import AsyncFakeStore, FakeStore

USER = {"role": "user", "content": "what about the garden?"}
CALL = {
    "role": "assistant",
    "content": "let me look at the budget",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "42"}


def quarter(text):
    """Count a token for four characters: figures that do not depend on what is installed."""
    return -(-len(text) // 4)


def inject(messages, found=("a fact",), **injection):
    """Inject once with one store that finds *found*; return the result and the store."""
    store = FakeStore(found, name="notes")
    with MemoryManager([store], injection=injection or True, counter=quarter) as memory:
        return memory.inject(messages, model="gpt-4o"), store


# Trigger


@pytest.mark.parametrize(
    ("messages", "status", "reason"),
    [
        ([USER], "injected", None),
        ([USER, CALL, RESULT], "skipped", "trigger"),
        ([USER, {"role": "assistant", "content": "hello"}], "skipped", "trigger"),
        ([{"role": "system", "content": "be brief"}], "skipped", "no_user_message"),
        ([], "skipped", "no_user_message"),
        ([USER, {"role": "system", "content": "the time is 12:00"}], "injected", None),
        ([{"role": "user", "content": "   "}], "skipped", "no_query"),
        ([{"role": "user", "content": None}], "skipped", None),
    ],
)
def test_user_turn_looks_only_at_a_fresh_ask(messages, status, reason):
    """A tool result or a reply is not an ask; a trailing system message does not hide one."""
    result, _ = inject(messages)
    assert result.report.status == status
    if reason or status == "injected":
        assert result.report.reason == reason
    if status != "injected":
        assert result.messages == messages


def test_every_turn_adds_what_is_new_to_the_user_message():
    """In a tool loop memory is searched with the latest assistant text; the ask carries it."""
    store = FakeStore(lambda query, options: [f"about: {query}"], name="notes")
    with MemoryManager([store], injection={"trigger": "everyTurn"}) as memory:
        first = memory.inject([USER])
        second = memory.inject([USER, CALL, RESULT])
        third = memory.inject([USER, CALL, RESULT])
    assert store.queries == [USER["content"], CALL["content"]]
    content = second.messages[0]["content"]
    assert content.startswith(first.messages[0]["content"])
    assert "about: let me look at the budget" in content
    assert second.messages[1:] == [CALL, RESULT]
    assert third.messages == second.messages


@pytest.mark.parametrize("answer", [True, False])
def test_a_predicate_decides(answer):
    """It sees the messages, whether this is a user turn, the text, the model and the scope."""
    seen = []

    async def predicate(context):
        seen.append(context)
        return answer

    result, _ = inject([USER, CALL, RESULT], trigger=predicate)
    assert result.report.status == ("injected" if answer else "skipped")
    context = seen[0]
    assert (context.is_user_turn, context.text, context.model) == (
        False,
        USER["content"],
        "gpt-4o",
    )
    assert context.dialect == "openai.chat"


def test_injection_can_be_off():
    """``injection=False`` leaves every call alone and says so."""
    with MemoryManager([FakeStore(["x"])], injection=False) as memory:
        result = memory.inject([USER])
    assert (result.report.status, result.report.reason) == ("skipped", "disabled")
    assert result.messages == [USER]


# Query


def test_the_adaptive_query_is_the_latest_ask():
    """Of several text parts all are asked for, and nothing else of the conversation."""
    parts = [{"type": "text", "text": "what about"}, {"type": "text", "text": "my garden?"}]
    _, store = inject([{"role": "user", "content": "earlier"}, {"role": "user", "content": parts}])
    assert store.queries == ["what about\nmy garden?"]


def test_an_over_long_query_is_clamped_to_its_end():
    """The ask usually stands at the end of a long message."""
    text = "filler " * 10_000 + "what about the garden?"
    _, store = inject([{"role": "user", "content": text}], query_limit=200)
    assert len(store.queries[0]) <= 200
    assert store.queries[0].endswith("what about the garden?")


def test_a_query_never_holds_a_block():
    """Not in the adaptive query, not in what a callback sees, not in what it returns."""
    seen = []

    def query(context):
        seen.append(context.messages)
        return f"{context.text} <memory>\n<entry>x</entry>\n</memory>"

    store = FakeStore(["a fact"], name="notes")
    with MemoryManager([store], injection={"query": query}) as memory:
        first = memory.inject([USER])
        history = [*first.messages, {"role": "assistant", "content": "ok"}, USER]
        memory.inject(history)
    assert store.queries == [USER["content"]] * 2
    assert seen[1][0] == USER


@pytest.mark.parametrize("nothing", [None, "", "  \n"])
def test_a_blank_query_skips(nothing):
    """A callback says with None or blank text that there is nothing to ask."""
    result, store = inject([USER], query=lambda context: nothing)
    assert (result.report.status, result.report.reason) == ("skipped", "no_query")
    assert store.queries == []


@pytest.mark.parametrize(
    "ask", ["Ok what do you recommend?", "Yes, B1", "peki ya onunki?", "それは？"]
)
def test_a_short_ask_is_searched_with_the_turns_before(ask):
    """A store that weighs context gets it apart; another gets it in the query."""
    plain, weighing = FakeStore(["x"], name="plain"), FakeStore(["y"], name="weighing")
    weighing.takes_context = True
    history = [
        {"role": "user", "content": "which plants like shade?"},
        {"role": "assistant", "content": "hostas do, or ferns"},
        {"role": "user", "content": ask},
    ]
    with MemoryManager([plain, weighing]) as memory:
        memory.inject(history)
    assert weighing.queries == [ask]
    assert weighing.options[0]["context"] == "which plants like shade?\nhostas do, or ferns"
    assert plain.queries == [f"{ask}\nwhich plants like shade?\nhostas do, or ferns"]


def test_an_ask_with_a_topic_is_searched_alone():
    """Only asks that lean on the turns before are searched together with them."""
    _, store = inject([USER, {"role": "assistant", "content": "nice"}, {
        "role": "user", "content": "when does the school concert start?"}])  # fmt: skip
    assert store.queries == ["when does the school concert start?"]


# Stores


def test_small_talk_injects_nothing_but_what_is_pinned():
    """No search for "hi"; pinned entries are shown whatever the query."""
    store = FakeStore(["unrelated"], name="notes")
    with MemoryManager([store]) as memory:
        hello = memory.inject([{"role": "user", "content": "hi!"}])
        store_pinned = FakeStore(["unrelated"], name="pins")
    store_pinned.pinned = lambda options=None: ["The user lives in Izmir."]
    with MemoryManager([store_pinned]) as memory:
        pinned = memory.inject([{"role": "user", "content": "hi!"}])
    assert (hello.report.reason, hello.report.detail) == ("below_floor", "small talk")
    assert store.queries == []
    assert [e.content for e in pinned.block.entries] == ["The user lives in Izmir."]


def test_pinned_entries_come_first_under_the_same_rules():
    """They count against ``max_entries``, are not repeated, and go before better hits."""
    store = FakeStore([{"content": "hit", "score": 9.0}, "The user lives in Izmir."], name="notes")
    store.pinned = lambda options=None: ["The user lives in Izmir."]
    with MemoryManager([store], injection={"max_entries": 2}) as memory:
        result = memory.inject([USER])
    assert [e.content for e in result.block.entries] == ["The user lives in Izmir.", "hit"]


@pytest.mark.parametrize("floor", ["auto", 0.5])
def test_entries_below_the_floor_are_noise(floor):
    """Each store's own floor, or one number for all; an entry without a score is never below."""
    found = [{"content": "good", "score": 0.9}, {"content": "bad", "score": 0.2}, "unscored"]
    store = FakeStore(found, name="notes")
    store.relevance_floor = 0.5
    with MemoryManager([store], injection={"min_relevance": floor}) as memory:
        result = memory.inject([USER])
    assert [e.content for e in result.block.entries] == ["good", "unscored"]
    assert [d.reason for d in result.report.dropped] == ["below_floor"]


def said(*texts):
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "context"),
    [
        (("Who marries?", "Sarah.", "nice", "Indeed.", "where is it?"), "Who marries?\nSarah."),
        (("Who marries?", "Sarah.", "ok", "She moved it to May.", "why?"), "She moved it to May."),
        (("hi", "Hello!", "and where?"), ""),
        (("Who?", "Sarah.", "Where?", "Bonn.", "when is it?"), "Where?\nBonn."),
    ],
)
def test_small_talk_in_between_is_no_context(texts, context):
    """What a short ask leans on stands before it; a reply that says something is kept."""
    seen = []
    store = FakeStore(["a fact"])
    store.takes_context = True
    with MemoryManager([store]) as memory:
        memory.inject(said(*texts))
        seen = [options.get("context", "") for options in store.options]
    assert seen == [context]


@pytest.mark.parametrize(
    "ask",
    [
        "ok, and what is the capital of Peru?",
        "Peki Fransa'nın başkenti neresi?",
        "Can you translate that into German?",
        "That's great, thank you so much!",
        "I didn't know that.",
    ],
)
def test_an_ask_about_something_else_brings_no_old_topic_back(ask):
    """It has words of its own, and nobody here has spoken of them; or it is small talk."""
    with InMemoryStore() as store, MemoryManager([store]) as memory:
        store.add_many(["I'm allergic to penicillin.", "The dentist is on Thursday.", "Rex barks."])
        asked = memory.inject(said("What am I allergic to?", "Penicillin.", ask))
        kept = memory.inject(said("What am I allergic to?", "Penicillin.", "What's wrong with it?"))
    assert asked.report.entries == ()
    assert kept.report.entries


def turn(content, score, number, session="s"):
    return {
        "content": content, "score": score, "metadata": {"session": session, "turn": number},
    }  # fmt: skip


def test_turns_beside_one_above_the_floor_are_no_noise():
    """The turn that asks has the question's words, the one that answers perhaps none."""
    found = [
        turn("which wrist?", 0.9, 4),
        turn("the left", 0.2, 5),
        turn("six weeks in plaster", 0.1, 6),
        turn("a cast?", 0.1, 7),
        turn("nothing of it", 0.0, 3),
        turn("elsewhere", 0.2, 5, session="t"),
        {"content": "a note", "score": 0.2},
    ]
    store = FakeStore(found, name="notes")
    store.relevance_floor = 0.5
    shown = ["which wrist?", "the left", "six weeks in plaster"]
    with MemoryManager([store], injection={"max_entries": 9}) as memory:
        result = memory.inject([USER])
        assert [e.content for e in result.block.entries] == shown
        assert [d.reason for d in result.report.dropped] == ["below_floor"] * 4
    silent = FakeStore(found[1:], name="notes")
    silent.relevance_floor = 0.5
    with MemoryManager([silent]) as memory:
        assert memory.inject([USER]).report.reason == "below_floor"
    with MemoryManager(
        [FakeStore(found, name="notes")], injection={"min_relevance": 0.5}
    ) as memory:
        assert [e.content for e in memory.inject([USER]).block.entries] == shown[:1]


def test_nothing_above_the_floor_is_told_from_nothing_found():
    """The report says which of the two it was."""
    low = [{"content": "bad", "score": 0.1}]
    assert inject([USER], low, min_relevance=0.5)[0].report.reason == "below_floor"
    assert inject([USER], [])[0].report.reason == "nothing_found"
    assert inject([USER], low, min_relevance=None)[0].report.status == "injected"


def test_returned_things_are_read_by_attribute_or_key():
    """Objects, mappings and strings; names are stamped, rubbish is passed over."""

    class Found:
        content = "an object"
        id = 7
        score = "not a number"
        created_at = "2024-05-01T10:00:00Z"

    found = [Found(), {"content": "a mapping", "store_name": "liar"}, "a string", 42, {"x": 1}, " "]
    result, _ = inject([USER], found, attributes=("source", "date", "id"))
    first, second, third = result.block.entries
    assert (first.content, first.id, first.score) == ("an object", "7", None)
    assert first.created_at == datetime(2024, 5, 1, 10, tzinfo=timezone.utc)
    assert {e.store_name for e in (first, second, third)} == {"notes"}
    assert '<entry source="notes" date="2024-05-01" id="7">an object</entry>' in result.block.text


def test_the_default_rendering_byte_for_byte():
    """No declaration, no trailing newline, one line per entry, source left out when unknown."""
    result, _ = inject([USER], ["a < b & c", "d"])
    assert result.block.text == (
        '<memory>\n<entry source="notes">a &lt; b &amp; c</entry>\n'
        '<entry source="notes">d</entry>\n</memory>'
    )
    assert result.messages[0]["content"] == f"{USER['content']}\n\n{result.block.text}"


def test_one_failing_store_does_not_take_the_others_with_it():
    """It is listed with its error; nothing of the others is lost."""

    def broken(query, options):
        raise OSError("disk")

    good, bad = FakeStore(["a fact"], name="good"), FakeStore(broken, name="bad")
    with MemoryManager([bad, good]) as memory:
        result = memory.inject([USER])
    statuses = {store.name: (store.status, store.error) for store in result.report.stores}
    assert result.report.status == "injected"
    assert statuses == {"bad": ("error", "OSError: disk"), "good": ("ok", None)}


def test_some_failing_and_the_others_empty_is_nothing_found():
    """Every store failing is a failure; with one that answered it is a skip."""

    def broken(query, options):
        raise OSError("disk")

    with MemoryManager([FakeStore(broken, name="bad"), FakeStore([], name="good")]) as memory:
        some = memory.inject([USER]).report
    with MemoryManager([FakeStore(broken, name="bad")]) as memory:
        every = memory.inject([USER]).report
    assert (some.status, some.reason) == ("skipped", "nothing_found")
    assert [store.status for store in some.stores] == ["error", "empty"]
    assert (every.status, every.stage) == ("failed", "retrieve")


@pytest.mark.parametrize("count", [2, 8])
def test_every_store_failing_is_told_by_their_names_and_errors(count):
    """One line names all of them; each store's own line keeps its error whole."""

    def broken(query, options):
        raise OSError("no such disk: " + "x" * 200)

    stores = [FakeStore(broken, name=f"notes-{number}") for number in range(count)]
    with MemoryManager(stores) as memory:
        report = memory.inject([USER]).report
    assert report.error.startswith("StoreErrors: every store failed: notes-0: OSError: no s")
    assert all(f"notes-{number}: OSE" in report.error for number in range(count))
    assert len(report.error) <= 300
    assert "\n" not in report.error
    assert {len(store.error) for store in report.stores} == {len("OSError: no such disk: ") + 200}


def test_what_is_written_for_somebody_else_is_dropped_even_if_returned():
    """The store may ignore the scope; the manager does not."""
    found = [
        MemoryEntry("mine", scope=Scope(user="a")),
        MemoryEntry("theirs", scope=Scope(user="b")),
        {"content": "mem0's", "user_id": "b"},
        {"content": "in metadata", "metadata": {"scope": {"user": "b"}}},
        "shared",
    ]
    store = FakeStore(found)
    with MemoryManager([store]) as memory:
        mine = memory.inject([USER], scope=Scope(user="a"))
        nobody = memory.inject([USER])
        searched = memory.search("garden", scope=Scope(user="b"))
    assert [e.content for e in mine.block.entries] == ["mine", "shared"]
    assert [d.reason for d in mine.report.dropped] == ["scope"] * 3
    assert [e.content for e in nobody.block.entries] == ["shared"]
    assert {e.content for e in searched} == {"theirs", "mem0's", "in metadata", "shared"}


def test_context_variables_reach_the_stores():
    """Sync and async stores see the caller's context, from sync and async calls."""
    variable = contextvars.ContextVar("variable", default="unset")

    def answer(query, options):
        return [variable.get()]

    stores = [FakeStore(answer, name="sync"), AsyncFakeStore(answer, name="async")]
    variable.set("the caller's")
    with MemoryManager(stores) as memory:
        sync = memory.search("x")
        async_ = asyncio.run(memory.asearch("x"))
    assert {e.content for e in sync + async_} == {"the caller's"}


# Duplicates


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user likes green tea.", "the user likes green tea"),
        ("User likes  green tea!", "The user likes green tea"),
        ("Ｔｈｅ user likes green tea", "the user likes green tea"),
    ],
)
def test_near_equal_texts_appear_once(one, other):
    """Case, width, white space, articles and sentence punctuation make no other fact."""
    result, _ = inject([USER], [one, other])
    assert [e.content for e in result.block.entries] == [one]
    assert result.report.dropped[0].reason == "duplicate"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada has 2 cats", "Ada has 3 cats"),
        ("Ada likes tea", "Ada does not like tea"),
        ("Ada likes tea", "Bo likes tea"),
        ("Ada can swim", "Ada can't swim"),
        ("it is -5 degrees", "it is 5 degrees"),
        ("it costs 3.5", "it costs 35"),
        ("take .5 mg", "take 5 mg"),
        ("he knows C++", "he knows C"),
        ("Ada loves Bo", "Bo loves Ada"),
        ("on 2024-01-02", "on 2024-02-01"),
        ("I like tea", "you like tea"),
        ("Ali çayı sever", "Ali çayı sevmez"),
        ("猫が好き", "犬が好き"),
    ],
)
def test_texts_that_differ_in_what_matters_are_two_facts(one, other):
    """A number, a name, a negation, a sign, an order: both are shown."""
    result, _ = inject([USER], [one, other])
    assert [e.content for e in result.block.entries] == [one, other]


def test_what_is_in_view_uses_up_its_place():
    """The cap is on candidates: the second turn does not get the next-best five."""
    store = FakeStore([f"fact {n}" for n in range(10)], name="notes")
    with MemoryManager([store], injection={"max_entries": 3}) as memory:
        first = memory.inject([USER])
        again = [*first.messages, {"role": "assistant", "content": "ok"}, {
            "role": "user", "content": "and the garden once more?"}]  # fmt: skip
        second = memory.inject(again)
    assert [e.content for e in first.block.entries] == ["fact 0", "fact 1", "fact 2"]
    assert second.report.reason == "all_duplicates"


def test_a_changed_entry_is_new():
    """By entry means by source and content."""
    texts = iter([["the plan: A"], ["the plan: B"]])
    store = FakeStore(lambda q, o: next(texts), name="notes")
    with MemoryManager([store]) as memory:
        first = memory.inject([USER])
        more = [*first.messages, {"role": "assistant", "content": "ok"}, {
            "role": "user", "content": "what is the garden plan now?"}]  # fmt: skip
        second = memory.inject(more)
    assert "the plan: B" in second.block.text


# Budget


def test_packing_skips_what_does_not_fit_and_tries_the_next():
    """A long entry in the middle costs only itself."""
    found = ["short one", "long " * 500, "short two"]
    result, _ = inject([USER], found, token_budget=60)
    assert [e.content for e in result.block.entries] == ["short one", "short two"]
    assert [d.reason for d in result.report.dropped] == ["budget"]


def test_a_budget_of_exactly_the_block_is_enough():
    """Counted whole, tags included, not part by part."""
    full, _ = inject([USER], ["one thing", "another thing"])
    exact = quarter(full.block.text)
    same, _ = inject([USER], ["one thing", "another thing"], token_budget=exact)
    less, _ = inject([USER], ["one thing", "another thing"], token_budget=exact - 1)
    assert same.block.text == full.block.text
    assert len(less.block.entries) == 1


def test_nothing_fits_is_a_skip():
    """The request goes out as it came."""
    result, _ = inject([USER], ["long " * 500], token_budget=20)
    assert (result.report.status, result.report.reason) == ("skipped", "budget")
    assert result.messages == [USER]


def test_a_custom_format_is_held_to_the_budget():
    """What it renders is counted; entries are taken out until it fits."""
    config = {"format": lambda c: "|".join(e.content * 3 for e in c.entries), "token_budget": 20}
    result, _ = inject([USER], ["alpha beta", "gamma delta", "epsilon zeta"], **config)
    assert result.block.tokens <= 20
    assert 1 <= len(result.block.entries) < 3


@pytest.mark.parametrize(("window", "status"), [(100_000, "injected"), (60, "skipped")])
def test_the_block_fits_what_the_window_leaves(window, status):
    """Near the window the block shrinks, then is skipped; it never raises."""
    result, _ = inject([USER], ["a fact " * 10] * 1 + ["b"], context_window=window, reserve=20)
    assert result.report.status in (status, "injected")
    if result.block is not None:
        assert result.block.tokens <= result.report.token_budget


def test_the_window_counts_what_the_request_holds_already():
    """Messages, tool results and tools take room; bytes are enough far from the window."""
    long = {"role": "user", "content": "word " * 3000}
    history = [long, {"role": "assistant", "content": "ok"}, USER]
    result, _ = inject(history, ["fact " * 100], context_window=3100, reserve=0)
    assert result.report.token_budget < 2000
    assert result.report.status == "skipped"


# Placement


def test_a_block_is_one_new_part_after_everything_in_a_list():
    """Images, cache markers and unknown fields are carried through untouched, same objects."""
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    text = {"type": "text", "text": "what is this?", "cache_control": {"type": "ephemeral"}}
    message = {"role": "user", "content": [text, image], "name": "ada", "x": {"y": 1}}
    result, _ = inject([message])
    written = result.messages[0]
    assert written["content"][:2] == [text, image]
    assert written["content"][0] is text
    assert written["content"][2] == {"type": "text", "text": result.block.text}
    assert {k: v for k, v in written.items() if k != "content"} == {
        "role": "user", "name": "ada", "x": {"y": 1},
    }  # fmt: skip


def test_system_placement_is_one_message_after_the_leading_ones():
    """The seed's rule: prepended to the system prompt; replaced each turn, never doubled."""
    head = [{"role": "system", "content": "be brief"}]
    store = FakeStore(lambda q, o: [f"about {q}"], name="notes")
    with MemoryManager([store], injection={"placement": "system"}) as memory:
        first = memory.inject([*head, USER])
        twice = memory.inject(first.messages)
        loop = memory.inject([*first.messages, CALL, RESULT])
        later = memory.inject([*loop.messages, {"role": "assistant", "content": "x"}, {
            "role": "user", "content": "and the kitchen?"}])  # fmt: skip
    assert first.messages == [
        *head, {"role": "system", "content": first.block.text}, USER,
    ]  # fmt: skip
    assert twice.messages == first.messages
    assert loop.messages == [*first.messages, CALL, RESULT]
    assert [m["content"] for m in later.messages if m["role"] == "system"] == [
        "be brief",
        later.block.text,
    ]


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("anthropic.messages", {"system": "be brief", "max_tokens": 9}),
        ("anthropic.messages", {"system": [{"type": "text", "text": "be brief"}]}),
        ("bedrock.converse", {"system": [{"text": "be brief"}]}),
        ("gemini", {"systemInstruction": {"parts": [{"text": "be brief"}]}}),
        ("anthropic.messages", {}),
    ],
)
def test_system_placement_where_the_prompt_is_kept_apart(api, body):
    """The block ends the body's own system prompt; a second time changes nothing."""
    content = {"gemini": "parts"}.get(api, "content")
    field = {"gemini": "contents"}.get(api, "messages")
    part = {"anthropic.messages": {"type": "text", "text": "what about the garden?"}}
    message = {"role": "user", content: [part.get(api, {"text": "what about the garden?"})]}
    body = {field: [message], **body}
    with MemoryManager([FakeStore(["x"])], injection={"placement": "system"}) as memory:
        result = memory.inject_request(body, api=api)
        again = memory.inject_request(result.request, api=api)
    assert result.request[field] == body[field]
    assert result.block.text in _texts(result.request)
    assert again.request == result.request


PLAIN = {"text": "what about the garden?"}
APART = {
    "anthropic.messages": {"messages": [{"role": "user", "content": PLAIN["text"]}]},
    "bedrock.converse": {"messages": [{"role": "user", "content": [PLAIN]}]},
    "gemini": {"contents": [{"role": "user", "parts": [PLAIN]}]},
}


@pytest.mark.parametrize(
    ("api", "prompt"),
    [
        ("anthropic.messages", {"system": {"type": "text", "text": "be brief"}}),
        ("anthropic.messages", {"system": 5}),
        ("bedrock.converse", {"system": {"text": "be brief"}}),
        ("gemini", {"systemInstruction": 5}),
        ("gemini", {"systemInstruction": {"parts": "be brief"}}),
    ],
)
def test_a_system_prompt_that_takes_no_block_is_told_and_left_alone(api, prompt):
    """What did not go out is not reported as sent, at a retry and in the next step neither."""
    body = {**APART[api], **prompt}
    with MemoryManager([FakeStore(["x"])], injection={"placement": "system"}) as memory:
        for _ in range(2):
            result = memory.inject_request(body, api=api)
            assert result.request == body
            assert (result.report.status, result.report.stage) == ("failed", "write")
            assert (result.block, result.report.tokens) == (None, 0)
        ready = memory.inject_request(APART[api], api=api)
    assert ready.block.text in _texts(ready.request)


@pytest.mark.parametrize("name", ["systemInstruction", "system_instruction"])
def test_a_part_that_is_a_whole_system_prompt_gets_the_block_beside_it(name):
    """google-genai takes a part for a content."""
    body = {**APART["gemini"], name: {"text": "be brief"}}
    with MemoryManager([FakeStore(["x"])], injection={"placement": "system"}) as memory:
        result = memory.inject_request(body, api="gemini")
        again = memory.inject_request(result.request, api="gemini")
    block = {"text": result.block.text}
    assert result.request[name] == {"parts": [{"text": "be brief"}, block]}
    assert again.request == result.request
    with MemoryManager([FakeStore()], injection={"placement": "system"}) as memory:
        assert memory.inject_request(body, api="gemini").request == body


def test_a_dialect_that_fails_at_the_system_prompt_costs_no_call(monkeypatch):
    """Whatever a plug-in raises there, the request goes out as it came."""
    body = APART["anthropic.messages"]
    kind = type(dialect_named("anthropic.messages"))
    monkeypatch.setattr(kind, "with_system", lambda *given: 1 / 0)
    with MemoryManager([FakeStore(["x"])], injection={"placement": "system"}) as memory:
        result = memory.inject_request(body, api="anthropic.messages")
    assert result.request == body
    assert result.report.error.startswith("ZeroDivisionError")


@pytest.mark.parametrize("api", sorted(APART))
@pytest.mark.parametrize("form", ["shape", "own lines", "one line"])
@pytest.mark.parametrize("system", [None, "text", "parts"])
def test_blocks_in_a_system_prompt_are_found_again(api, form, system):
    """Whatever their format and however many: a second time changes nothing."""
    formats = {
        "own lines": lambda context: "Notes:\n" + context.entries[0].content,
        "one line": lambda context: f"[{context.entries[0].content}]",
    }
    name = "systemInstruction" if api == "gemini" else "system"
    part = {"anthropic.messages": {"type": "text"}}.get(api, {})
    parts = [{**part, "text": "be brief"}]
    prompt = {"text": "be brief", "parts": {"parts": parts} if api == "gemini" else parts}
    body = {**APART[api], **({name: prompt[system]} if system else {})}
    field = "contents" if api == "gemini" else "messages"
    store = FakeStore(lambda query, options: [f"about {len(store.queries)}"])
    config = {"placement": "system", "trigger": "everyTurn", "format": formats.get(form)}
    with MemoryManager([store], injection=config) as memory:
        once = memory.inject_request(body, api=api)
        assert memory.inject_request(once.request, api=api).request == once.request
        reply = {"role": "assistant", "content": [{**part, "text": "I look at the soil"}]}
        if api == "gemini":
            reply = {"role": "model", "parts": [{"text": "I look at the soil"}]}
        step = {**once.request, field: [*once.request[field], reply]}
        both = memory.inject_request(step, api=api)
        assert [_texts(both.request).count(f"about {n}") for n in (1, 2)] == [1, 1]
        assert memory.inject_request(both.request, api=api).request == both.request
        later = {**both.request, field: [*step[field], APART[api][field][0]]}
        third = memory.inject_request(later, api=api)
        assert [_texts(third.request).count(f"about {n}") for n in (1, 2, 3)] == [0, 0, 1]


@pytest.mark.parametrize("api", ["anthropic.messages", "bedrock.converse", "gemini"])
def test_system_placement_without_the_request_says_that_it_is_not_in_the_system_prompt(api):
    """Messages alone hold no system prompt there: the report warns of each block elsewhere."""
    part = {"anthropic.messages": {"type": "text"}}.get(api, {})
    content = {"gemini": "parts"}.get(api, "content")
    field = {"gemini": "contents"}.get(api, "messages")
    messages = [{"role": "user", content: [{**part, "text": "what about the garden?"}]}]
    with MemoryManager([FakeStore(["x"])], injection={"placement": "system"}) as memory:
        alone = memory.inject(messages, api=api)
        again = memory.inject(alone.messages, api=api)
        whole = memory.inject_request({field: messages}, api=api)
    with MemoryManager([FakeStore()], injection={"placement": "system"}) as memory:
        nothing = memory.inject(messages, api=api)
    assert alone.block.text in _texts(alone.messages)
    for result in (alone, again):
        (warning,) = result.report.warnings
        assert f"{api} keeps its system prompt outside the messages" in warning
        assert "inject_request" in warning
    assert whole.report.warnings == nothing.report.warnings == ()


@pytest.mark.parametrize("api", ["openai.chat", "openai.responses", "ollama", "cohere"])
def test_system_placement_of_messages_alone_where_they_hold_system_messages(api):
    """There is a place for it, and nothing to warn of."""
    with MemoryManager([FakeStore(["x"])], injection={"placement": "system"}) as memory:
        result = memory.inject([USER], api=api)
    assert [message["role"] for message in result.messages] == ["system", "user"]
    assert result.report.warnings == ()


def _texts(value):
    """Return every text in *value*, joined."""
    if isinstance(value, str):
        return value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return "\n".join(map(_texts, items))


# Mappings that are no dicts


class Frozen(Mapping):
    """A read-only mapping of somebody's own."""

    def __init__(self, fields):
        self._fields = fields

    def __getitem__(self, name):
        return self._fields[name]

    def __iter__(self):
        return iter(self._fields)

    def __len__(self):
        return len(self._fields)


def _made_of(kind, value):
    """Return *value* with every dict in it as a mapping of another *kind*."""
    if isinstance(value, dict):
        return kind({name: _made_of(kind, item) for name, item in value.items()})
    return [_made_of(kind, item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", [MappingProxyType, UserDict, OrderedDict, Frozen])
@pytest.mark.parametrize("placement", ["user", "system"])
@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("openai.chat", {"messages": [{"role": "system", "content": "be brief"}, USER]}),
        ("openai.chat", {"messages": [USER, CALL, RESULT, {"role": "user", "content": "and?"}]}),
        (
            "openai.chat",
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]},
        ),
        (
            "openai.responses",
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "x"}]}]},
        ),
        ("anthropic.messages", {"system": [{"type": "text", "text": "be"}], "messages": [USER]}),
        (
            "gemini",
            {
                "contents": [{"role": "user", "parts": [{"text": "x"}]}],
                "systemInstruction": {"parts": [{"text": "be"}]},
            },
        ),
        ("gemini", {"contents": [{"text": "x"}]}),
        ("bedrock.converse", {"messages": [{"role": "user", "content": [{"text": "x"}]}]}),
        ("ollama", {"messages": [USER]}),
        ("cohere", {"messages": [USER]}),
    ],
)
def test_a_mapping_of_another_kind_is_written_like_a_dict(kind, placement, api, body):
    """It is copied into a dict where a block goes in, and is itself where none does."""
    given = _made_of(kind, body)
    with MemoryManager([FakeStore(["x"])], injection={"placement": placement}) as memory:
        result = memory.inject_request(given, api=api)
        again = memory.inject_request(result.request, api=api)
    with MemoryManager([FakeStore(["x"])], injection={"placement": placement}) as memory:
        plain = memory.inject_request(body, api=api)
    assert result.report.status == "injected"
    assert json.dumps(result.request, default=dict) == json.dumps(plain.request)
    assert given == _made_of(kind, body)
    assert again.request == result.request
    field = {"openai.responses": "input", "gemini": "contents"}.get(api, "messages")
    kept = [m for m in result.request[field] if any(m is old for old in given[field])]
    assert len(kept) >= len(body[field]) - 1


# The whole request, unknown shapes


def test_a_whole_request_keeps_everything_else():
    """``result.request`` is the whole new body; the given one is untouched."""
    body = {"model": "gpt-4o", "messages": [USER], "tools": [{"x": 1}], "temperature": 0.5}
    with MemoryManager([FakeStore(["x"])]) as memory:
        result = memory.inject_request(body)
    assert body["messages"] == [USER]
    assert {k: v for k, v in result.request.items() if k != "messages"} == {
        k: v for k, v in body.items() if k != "messages"
    }
    assert result.request["messages"] == result.messages != [USER]
    assert result.report.model == "gpt-4o"


@pytest.mark.parametrize("odd", [None, 42, {"a": 1}, b"bytes", [1, 2, 3], [None], [{"x": 1}]])
def test_an_unknown_shape_is_left_alone_and_reported(odd):
    """Neither an error nor a guess."""
    with MemoryManager([FakeStore(["x"])]) as memory:
        result = memory.inject(odd)
    assert result.messages == odd
    assert (result.report.status, result.report.reason) == ("skipped", "unknown_shape")


ALONE = ["a text", b"bytes", {"role": "user", "content": "one message"}, 42, object()]
TAKES = {("openai.responses", "a text"), ("gemini", "a text")}


@pytest.mark.parametrize("odd", ALONE, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize("api", dialect_names())
def test_what_a_named_dialect_does_not_take_is_left_alone(api, odd):
    """A text is no list of letters, nor a message a list of its fields."""
    if isinstance(odd, str) and (api, odd) in TAKES:
        pytest.skip("a text is a conversation here")
    field = dialect_named(api).field
    with MemoryManager([FakeStore(["x"])]) as memory:
        result = memory.inject(odd, api=api)
        whole = memory.inject_request({field: odd, "model": "gpt-4o"}, api=api)
    assert result.messages is odd
    assert whole.request == {field: odd, "model": "gpt-4o"}
    for report in (result.report, whole.report):
        assert (report.status, report.reason) == ("skipped", "unknown_shape")
        assert report.detail == f"{api} takes no conversation of type {type(odd).__name__}"


@pytest.mark.parametrize("odd", [None, 42, {}, {"prompt": "x"}, {"messages": None}, []])
def test_an_unknown_body_is_left_alone_and_reported(odd):
    """The body comes back as it was."""
    with MemoryManager([FakeStore(["x"])]) as memory:
        report = memory.inject_request(odd).report
    assert (report.status, report.reason) == ("skipped", "unknown_shape")


# Construction and arguments


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"stores": []}, "at least one store"),
        ({"stores": [FakeStore(), FakeStore()]}, "'fake'"),
        ({"stores": FakeStore()}, "list of stores"),
        ({"stores": [object()]}, "name"),
        ({"stores": [type("S", (), {"name": "s"})()]}, "search"),
        ({"stores": [FakeStore()], "injection": {"max_entires": 3}}, "max_entires"),
        ({"stores": [FakeStore()], "injection": {"max_entries": 0}}, "0"),
        ({"stores": [FakeStore()], "injection": {"trigger": "sometimes"}}, "sometimes"),
        ({"stores": [FakeStore()], "injection": 5}, "5"),
        ({"stores": [FakeStore()], "name": " "}, "name"),
        ({"stores": [FakeStore()], "counter": 5}, "counter"),
        ({"stores": [FakeStore()], "write_timeout": 0}, "write_timeout"),
    ],
)
def test_a_wrong_construction_fails_early_and_clearly(arguments, words):
    """A ConfigurationError, which is a ValueError, names the value and the rule in one line."""
    with pytest.raises(ConfigurationError, match=words) as caught:
        MemoryManager(**arguments)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", ["", "  ", 5])
def test_an_empty_id_is_refused(bad):
    """It would silently mean "everybody"."""
    with pytest.raises(ConfigurationError, match="user must be a non-blank string"):
        Scope(user=bad)
    with MemoryManager([FakeStore()]) as memory, pytest.raises(ConfigurationError):
        memory.inject([USER], scope={"user": bad})


def test_an_unknown_api_is_refused():
    """A programming mistake, not run-time trouble."""
    with MemoryManager([FakeStore()]) as memory, pytest.raises(ConfigurationError, match="opnai"):
        memory.inject([USER], api="opnai")


def test_an_unknown_store_name_raises_before_any_query():
    """Nothing is searched or written."""
    store = FakeStore(["x"], name="notes", writable=True)
    with MemoryManager([store]) as memory:
        with pytest.raises(UnknownStoreError, match="nots"):
            memory.search("x", stores=["notes", "nots"])
        with pytest.raises(UnknownStoreError, match="nots"):
            memory.add("x", stores=["nots"])
    assert store.queries == []
    assert store.added == []


def test_failures_of_several_stores_arrive_in_one_group():
    """Each store is listed, and the others have been written to."""

    class Broken(FakeStore):
        def add(self, content, metadata=None):
            raise OSError(f"{self.name} is full")

    stores = [Broken(name="a", writable=True), FakeStore(name="b", writable=True),
              Broken(name="c", writable=True)]  # fmt: skip
    with MemoryManager(stores) as memory, pytest.raises(StoreErrors) as caught:
        memory.add("x", scope=Scope(user="u"))
    assert [error.store for error in caught.value.exceptions] == ["a", "c"]
    assert stores[1].added == [("x", None, Scope(user="u"))]


def test_scopes_nest_and_another_user_starts_afresh():
    """Ids not given are inherited, unless another user is named."""
    with MemoryManager([FakeStore()]) as memory, memory.scope(user="a", session="s") as outer:
        assert outer == Scope(user="a", session="s")
        with memory.scope(run="r") as inner:
            assert inner == Scope(user="a", session="s", run="r")
        with memory.scope(user="b") as other:
            assert other == Scope(user="b")


def test_config_is_frozen_and_closed():
    """No field can be changed or invented."""
    config = InjectionConfig(max_entries=3)
    with pytest.raises(ValueError, match="frozen"):
        config.max_entries = 4
    with pytest.raises(ConfigurationError, match="has no field 'entries'"):
        InjectionConfig(entries=3)


@pytest.mark.parametrize(("given", "read"), [(True, "auto"), (False, "off"), (None, "off")])
def test_follow_up_may_be_a_bool(given, read):
    """Anything else is named as a wrong setting, whatever its type."""
    assert InjectionConfig(follow_up=given).follow_up == read
    for wrong in (1, [], {}, "always"):
        with pytest.raises(ConfigurationError, match="must be 'auto' or 'off'"):
            InjectionConfig(follow_up=wrong)


async def test_sync_calls_work_inside_a_running_loop():
    """And async stores answer them too."""
    with MemoryManager([AsyncFakeStore(["x"])]) as memory:
        assert memory.inject([USER]).report.status == "injected"


async def test_the_callers_own_cancellation_passes_through():
    """A cancelled ``ainject`` is cancelled, and its store call with it."""
    ended = asyncio.Event()

    async def forever(query, options):
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    async with MemoryManager([AsyncFakeStore(forever)], injection={"timeout": 20}) as memory:
        task = asyncio.create_task(memory.ainject([USER]))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(ended.wait(), 5)


# Found by people who tried it


@pytest.mark.parametrize(
    "owner",
    ["u1", ["u1"], ("user", "u1"), b"u1", 5, {"usr": "u1"}, {"user": ""}, {"user": ["u1"]}],
)
def test_an_owner_that_cannot_be_read_is_nobody(owner):
    """Never everybody: what somebody meant to keep apart is dropped and reported."""
    store = FakeStore([{"content": "the locker code is 77", "scope": owner}])
    with MemoryManager([store]) as memory:
        result = memory.inject([USER], scope=Scope(user="u2"))
        assert memory.search("locker", scope=Scope(user="u1")) == []
    assert result.block is None
    assert [drop.reason for drop in result.report.dropped] == ["scope"]


@pytest.mark.parametrize("label", [{"scope": "project"}, {"scope": None}, {"scope": {}}, {}])
def test_a_label_or_an_empty_owner_is_everybody(label):
    """A plain text called scope in an entry's metadata is a label."""
    result, _ = inject([USER], [{"content": "a fact", "metadata": label}])
    assert result.report.status == "injected"


def test_thousands_of_pasted_blocks_cost_little():
    """They are what somebody pasted: looked at once, left alone, within the deadline."""
    pasted = "<memory>\n<entry>x</entry>\n</memory>\n" * 20_000
    message = {"role": "user", "content": pasted + "when does my train leave?"}
    config = {"timeout": 20, "context_window": 10_000_000}
    result, _ = inject([message], ["the train leaves at nine"], **config)
    assert result.report.status == "injected"
    assert result.report.seconds < 5
    assert result.messages[0]["content"].startswith(message["content"])


def test_every_wrong_field_is_named_with_its_whole_rule():
    """Not only the first, and not only one of several kinds that are allowed."""
    with pytest.raises(ConfigurationError) as caught:
        InjectionConfig(max_entries=0, trigger=5, merge="z", timeout=float("nan"))
    told = str(caught.value)
    assert "max_entries = 0" in told
    assert "trigger = 5: must be 'userTurn', 'everyTurn' or a callable" in told
    assert "merge = 'z': must be 'fused', 'registration' or a callable" in told
    assert "timeout = nan" in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"stores": [FakeStore]}, r"FakeStore is a class: pass a store, FakeStore\(...\)"),
        ({"stores": ["memory.db"]}, r"SQLiteStore\('memory.db'\)"),
        ({"stores": [FakeStore()], "ledger": 5}, "no method get"),
        ({"stores": [FakeStore()], "injection": None}, "True, False"),
    ],
)
def test_what_is_easily_confused_is_explained(arguments, words):
    """A class for an object, a path for a store, a number for a ledger."""
    with pytest.raises(ConfigurationError, match=words):
        MemoryManager(**arguments)


def test_a_group_of_errors_says_each_reason():
    """``str()`` is enough to know what happened."""

    class Full(FakeStore):
        def add(self, content, metadata=None):
            raise OSError("the disk is full")

    with MemoryManager([Full(writable=True)]) as memory, pytest.raises(StoreErrors) as caught:
        memory.add("x")
    assert "the disk is full" in str(caught.value)


def test_the_report_holds_the_whole_query():
    """A follow-up's query is told with the turns it was searched with."""
    history = [{"role": "user", "content": "tell me about my cat"}, {
        "role": "assistant", "content": "she is ill"}]  # fmt: skip
    result, store = inject([*history, {"role": "user", "content": "who treats her?"}])
    assert result.report.query == store.queries[0]


def test_pinned_entries_that_fail_cost_only_themselves():
    """What was found is shown all the same."""
    store = FakeStore(["a fact"], name="notes")
    store.pinned = lambda options=None: 1 / 0
    with MemoryManager([store]) as memory:
        result = memory.inject([USER])
    assert [e.content for e in result.block.entries] == ["a fact"]


def test_carried_blocks_leave_when_the_window_is_near():
    """Not only the new block is fitted: a request that fits without memory fits with it."""
    numbers = iter(range(100))
    store = FakeStore(lambda q, o: [f"fact {next(numbers)} about {q}"])
    config = {"context_window": 300, "reserve": 50, "min_relevance": None}

    def words(text):
        return len(text.split())

    history = []
    with MemoryManager([store], injection=config, counter=words) as memory:
        for number in range(16):
            history.append({"role": "user", "content": f"tell me about thing number {number} now"})
            sent = memory.inject(history).messages
            clean = sum(words(m["content"]) for m in history) + 4 * len(history)
            total = sum(words(m["content"]) for m in sent) + 4 * len(sent)
            assert total <= max(250, clean)
            history.append({"role": "assistant", "content": "fine " * 12})


@pytest.mark.parametrize("kind", [dict, MappingProxyType, lambda fields: SimpleNamespace(**fields)])
def test_the_window_counts_long_results_whatever_holds_them(kind):
    """A reading shortens what a tool said; the model is sent all of it."""
    config = {"context_window": 400, "reserve": 0, "min_relevance": None, "trigger": "everyTurn"}
    result = {**RESULT, "content": "soil " * 380}
    store = FakeStore(lambda query, options: [f"on {query}"])
    with MemoryManager([store], injection=config, counter=words) as memory:
        before = memory.inject([kind(USER)]).report
        after = memory.inject([kind(USER), kind(CALL), kind(result)]).report
    assert before.token_budget > 380
    assert after.token_budget < 10


def words(text):
    """Count a token for a word."""
    return len(text.split())


def test_beside_the_messages_counts_what_is_sent():
    """Fields of an SDK object that are not set are not; one that points at itself does no harm."""

    class Settings(BaseModel):
        temperature: float | None = None
        system: str | None = None
        unused: str | None = None

    def look(city: str) -> str:
        """Look out of the window."""

    class Session:
        def __init__(self):
            self.own = self

    body = {"contents": ["x" * 1000], "config": Settings(system="be brief")}
    assert bytes_beside(body, "contents") == len('{"config": {"system": "be brief"}}')
    assert bytes_beside({"tools": [look]}, "contents") > len("look city Look out of the window.")
    assert bytes_beside({"tools": [Session()]}, "contents") > 0


def test_what_no_api_takes_costs_no_block():
    """Arguments that are no JSON are the SDK's to complain of; the rest is weighed without them."""
    endless = {}
    endless["own"] = endless

    class Mute:
        def __str__(self):
            raise RuntimeError("says nothing")

    for odd in (endless, {("a", "b"): 1}, Mute()):
        body = {"model": "gpt-4o", "messages": [USER], "tools": [odd], "user": "u1"}
        assert bytes_beside(body, "messages") == len('["model", "gpt-4o"]["user", "u1"]')
        with MemoryManager([FakeStore(["x"])]) as memory:
            assert memory.inject_request(body, api="openai.chat").report.status == "injected"


def test_a_slip_in_a_step_leaves_the_earlier_blocks(monkeypatch):
    """Whatever goes wrong on the way to a new block, the prefix stays what it was."""

    def slip(*_):
        raise KeyError("slip")

    with MemoryManager([FakeStore(["x"])]) as memory:
        first = memory.inject([USER])
        monkeypatch.setattr("memory_injection.pipeline.flow.fresh_entries", slip)
        later = memory.inject([USER, CALL, RESULT, {"role": "user", "content": "and the roses?"}])
    assert later.messages[:1] == first.messages
    assert (later.report.status, later.report.stage) == ("failed", "write")
    assert later.report.error == "KeyError: 'slip'"
    assert later.report.replayed_blocks == 1


@pytest.mark.parametrize("api", ["anthropic.messages", "openai.chat"])
def test_system_placement_keeps_the_turns_blocks_in_a_tool_loop(api):
    """Under everyTurn too, in every dialect: what is called shown is in the request."""
    store = FakeStore(["The cat is called Pamuk."], name="notes")
    config = {"placement": "system", "trigger": "everyTurn"}
    history = [{"role": "user", "content": "What is the cat called?"}]
    call, answer = CALL, RESULT
    if api == "anthropic.messages":
        call = {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "f", "input": {}}]}  # fmt: skip
        answer = {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "nothing"}]}  # fmt: skip
    body = {"model": "m", "max_tokens": 9}
    with MemoryManager([store], injection=config) as memory:
        memory.inject_request({**body, "messages": history}, api=api)
        loop = {**body, "messages": [*history, call, answer]}
        request = memory.inject_request(loop, api=api).request
    assert _texts(request).count("called Pamuk") == 1


def test_system_placement_is_idempotent_with_several_blocks():
    """A system message that holds two joined blocks is ours, and is not written twice."""
    store = FakeStore(lambda q, o: [f"about {q}"], name="notes")
    config = {"placement": "system", "trigger": "everyTurn"}
    with MemoryManager([store], injection=config) as memory:
        kept = memory.inject([USER]).messages
        once = memory.inject([*kept, CALL, RESULT])
        twice = memory.inject(once.messages)
    assert twice.messages == once.messages
    assert sum(m["role"] == "system" for m in once.messages) == 1


def test_a_tool_result_with_words_of_the_user_beside_it_is_an_ask():
    """Gemini: its block is read back, so a second injection changes nothing."""
    parts = [
        {"functionResponse": {"name": "f", "response": {}}},
        {"text": "what is the dog called?"},
    ]
    body = {"contents": [{"role": "user", "parts": parts}]}
    store = FakeStore(lambda q, o: [f"a {len(store.queries)}", "b"], name="notes")
    with MemoryManager([store]) as memory:
        once = memory.inject_request(body, api="gemini")
        twice = memory.inject_request(once.request, api="gemini")
    assert once.report.status == "injected"
    assert twice.request == once.request


def test_a_block_that_the_model_echoed_is_not_searched_for():
    """A follow-up's context is free of blocks, whoever wrote them."""
    block = '<memory>\n<entry source="s">fact</entry>\n</memory>'
    result, store = inject([USER, {"role": "assistant", "content": f"Memory:\n\n{block}"}, {
        "role": "user", "content": "and that one?"}])  # fmt: skip
    assert "<memory>" not in store.queries[0]
    assert "<memory>" not in result.report.query


def test_an_empty_ledger_is_true():
    """``ledger or other`` must not drop it."""
    assert InMemoryLedger()
