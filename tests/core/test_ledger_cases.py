"""The cases of ``docs/explanation/ledger.md``: where earlier blocks stand."""

from __future__ import annotations

import copy
import itertools
import json
import threading
import time

import pytest

from memory_injection import ConfigurationError, InMemoryLedger, MemoryManager, Scope
from memory_injection.ledger_records import LedgerRecord, Space
from memory_injection.sqlite_ledger import SQLiteLedger
from memory_injection.testing import FakeStore, assert_prefix_stable

from .conversation import Application


def by_topic(query, options):
    """Answer with two facts about each known word of the query."""
    words = [w.strip("?.,!") for w in query.lower().split()]
    return [f"fact {n} about {word}" for word in words if len(word) > 3 for n in (1, 2)]


@pytest.fixture
def store():
    return FakeStore(by_topic, name="facts")


@pytest.fixture
def memory(store):
    with MemoryManager([store]) as manager:
        yield manager


@pytest.fixture(params=["clean", "result"])
def app(request, memory):
    return Application(memory, request.param, model="gpt-4o")


def blocks(messages):
    return [m["content"].count("<memory>") for m in messages if m["role"] == "user"]


def test_a_conversation_keeps_its_whole_prefix(app):
    """Each request starts with the previous one whole, in both ways of keeping history."""
    for topic in ("weather report", "cooking", "the weather report", "gardens"):
        app.ask(topic)
        app.answer()
    assert_prefix_stable(app.sent)
    assert blocks(app.sent[-1]) == [1, 1, 0, 1]


def test_a_tool_loop_searches_once_and_carries_the_same_bytes(app, store):
    """Three model calls of one turn: one search, the same block in all three."""
    first = app.ask("what about the weather there?")
    assert app.tool_round(1).report.status == "replayed"
    last = app.tool_round(2)
    assert len(store.queries) == 1
    assert_prefix_stable(app.sent)
    assert {sent[0]["content"] for sent in app.sent} == {first.messages[0]["content"]}
    assert last.block.text == first.block.text


def test_both_ways_of_keeping_history_send_the_same_bytes(memory, store):
    """A clean history and ``result.messages`` lead to the same wire bytes."""
    sent = []
    for keeps in ("clean", "result"):
        with MemoryManager([FakeStore(by_topic, name="facts")]) as manager:
            app = Application(manager, keeps)
            app.ask("the weather today")
            app.tool_round(1)
            app.answer()
            app.ask("cooking with weather")
            sent.append(json.dumps(app.sent))
    assert sent[0] == sent[1]


def test_a_retry_reuses_the_block_without_a_search(app, store):
    """The same call again gets the block written moments ago."""
    first = app.ask("the weather today")
    again = app.call()
    assert again.messages == first.messages
    assert again.report.status == "replayed"
    assert len(store.queries) == 1


def test_a_late_retry_is_looked_up_afresh():
    """After ``reuse_seconds`` the provider's cache has gone, so memory is asked again."""
    answers = iter([["old fact"], ["new fact"]])
    store = FakeStore(lambda q, o: next(answers))
    with MemoryManager([store], injection={"reuse_seconds": 0}) as memory:
        messages = [{"role": "user", "content": "the weather today"}]
        first, second = memory.inject(messages), memory.inject(messages)
        loop = [*messages, {"role": "assistant", "content": "hm"}]
        later = memory.inject(loop)
    assert "old fact" in first.block.text
    assert "new fact" in second.block.text
    assert later.messages[0] == second.messages[0]


def test_injecting_twice_is_injecting_once(memory):
    """``inject(inject(x)) == inject(x)`` for the same turn."""
    once = memory.inject([{"role": "user", "content": "the weather today"}])
    twice = memory.inject(once.messages)
    assert twice.messages == once.messages
    assert twice.block.text == once.block.text


def test_another_process_does_not_write_a_second_copy(store):
    """A manager that has never seen the conversation recognises the block by its shape."""
    with MemoryManager([store]) as one, MemoryManager([store]) as other:
        once = one.inject([{"role": "user", "content": "the weather today"}])
        twice = other.inject(once.messages)
    assert twice.messages == once.messages
    assert twice.report.reason == "all_duplicates"
    assert twice.block.text == once.block.text
    assert [e.content for e in twice.block.entries] == [e.content for e in once.block.entries]


def test_trimming_makes_entries_eligible_again(memory):
    """A block that was trimmed away no longer hides its entries."""
    app = Application(memory)
    app.ask("the weather today")
    app.answer()
    app.history = []
    assert "about weather" in app.ask("weather once more").block.text


@pytest.mark.parametrize("keep", ["conversation", "call", "auto"])
@pytest.mark.parametrize("trigger", ["userTurn", "everyTurn", lambda context: True])
def test_a_trimmed_history_that_is_sent_again_keeps_its_block(keep, trigger, tmp_path):
    """Too long, so the oldest turn is cut off: the ask in ``result.messages`` has its block."""
    numbers = itertools.count()
    store = FakeStore(lambda query, options: [f"fact {next(numbers)}"], name="facts")
    for ledger in (InMemoryLedger(), SQLiteLedger(tmp_path / f"{keep}.db")):
        config = {"keep": keep, "trigger": trigger}
        with MemoryManager([store], injection=config, ledger=ledger) as memory:
            app = Application(memory, "result")
            app.ask("the weather today")
            app.answer()
            block = app.ask("cooking please").block
            cut = app.history[2:]
            for _ in range(2):
                again = memory.inject(cut)
                assert again.messages == cut
                assert again.block.text == block.text
                report = again.report
                assert (report.status, report.reason) == ("replayed", "all_duplicates")
                assert report.tokens == report.carried_tokens == block.tokens > 0
        ledger.close()


def test_a_custom_block_in_a_trimmed_history_is_known_by_its_bytes(store):
    """Also one that no shape could tell."""
    config = {"format": lambda context: f"Notes:\n{context.entries[0].content} and more"}
    with MemoryManager([store], injection=config) as memory:
        app = Application(memory, "result")
        app.ask("the weather today")
        app.answer()
        app.ask("cooking please")
        assert memory.inject(app.history[2:]).messages == app.history[2:]


def test_a_ledger_that_tells_rubbish_costs_only_the_recognition(memory, store):
    """The request goes out; what is shown already is still not shown again."""
    once = memory.inject([{"role": "user", "content": "the weather today"}])
    for texts in (lambda space: 5, lambda space: 1 / 0):
        ledger = InMemoryLedger()
        ledger.texts = texts
        with MemoryManager([store], ledger=ledger) as other:
            result = other.inject(once.messages)
        assert result.messages == once.messages
        assert result.report.stage == "ledger"


def test_an_edited_message_gets_nothing_of_the_old_one(memory):
    """Keys after a change differ: nothing is replayed into the wrong place."""
    app = Application(memory)
    app.ask("the weather today")
    app.answer()
    app.history[0] = {"role": "user", "content": "my cooking plans"}
    result = app.ask("gardens please")
    assert "<memory>" not in result.messages[0]["content"]


def test_the_second_yes_never_gets_the_block_of_the_first(store):
    """Two identical user messages have different prefixes, so different keys."""
    with MemoryManager([store], injection={"follow_up": "off", "query": lambda c: "weather"}) as m:
        app = Application(m)
        first = app.ask("yes")
        app.answer("do you mean the weather?")
        second = app.ask("yes")
    assert first.block is not None
    assert second.block is None
    assert second.report.reason == "all_duplicates"
    assert blocks(second.messages) == [1, 0]


def test_a_branch_shares_blocks_up_to_the_fork(memory):
    """A branch and its original carry the same blocks before they part."""
    app = Application(memory)
    app.ask("the weather today")
    app.answer()
    fork = copy.deepcopy(app.history)
    original = app.ask("cooking please")
    branch = memory.inject([*fork, {"role": "user", "content": "gardens please"}])
    assert branch.messages[:2] == original.messages[:2]
    assert "cooking" not in branch.messages[2]["content"]


def test_a_regenerated_step_carries_what_that_step_carried():
    """A block written further on in a tool loop is not in the request of an earlier step."""
    store = FakeStore(by_topic, name="facts")
    with MemoryManager([store], injection={"trigger": "everyTurn"}) as memory:
        app = Application(memory)
        first = app.ask("the weather today")
        history = app.history
        app.history = [
            *history,
            {"role": "assistant", "content": "let me check gardens"},
        ]
        later = app.call()
        assert len(later.messages[0]["content"]) > len(first.messages[0]["content"])
        assert memory.inject(history).messages == first.messages


@pytest.mark.parametrize("form", ["parts", "json", "null fields", "system prompt", "sdk"])
def test_another_representation_has_the_same_keys(memory, form):
    """Dict, SDK object, string against parts, reload from JSON: blocks are found again."""
    app = Application(memory)
    app.ask("the weather today")
    app.answer("it is sunny")
    user, assistant = copy.deepcopy(app.history)
    if form == "parts":
        user["content"] = [{"type": "text", "text": user["content"]}]
    elif form == "json":
        user, assistant = json.loads(json.dumps([user, assistant]))
    elif form == "null fields":
        assistant |= {"refusal": None, "annotations": [], "tool_calls": None, "audio": None}
    elif form == "sdk":
        types = pytest.importorskip("openai.types.chat")
        assistant = types.ChatCompletionMessage(role="assistant", content="it is sunny")
    head = [{"role": "system", "content": "the time is 12:00"}] if form == "system prompt" else []
    ask = {"role": "user", "content": "cooking please"}
    result = memory.inject([*head, user, assistant, ask])
    content = result.messages[len(head)]["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    assert "fact 1 about weather" in text


def test_mixing_both_ways_shows_each_block_once(memory):
    """result.messages for a while, then a clean history, then both: each block once."""
    app = Application(memory, "result")
    clean = []
    for topic in ("weather", "cooking", "gardens"):
        clean.append({"role": "user", "content": f"about {topic} please"})
        app.ask(f"about {topic} please")
        app.answer()
        clean.append({"role": "assistant", "content": "ok, noted"})
    mixed = [app.history[0], *clean[1:3], *app.history[3:]]
    result = memory.inject([*mixed, {"role": "user", "content": "travels please"}])
    assert blocks(result.messages) == [1, 1, 1, 1]
    assert result.messages[:6] == app.history


def test_a_flattened_history_still_hides_what_it_shows(memory):
    """Several text parts joined into one string: the block inside is recognised."""
    parts = [{"type": "text", "text": "about"}, {"type": "text", "text": "weather please"}]
    first = memory.inject([{"role": "user", "content": parts}])
    joined = "\n".join(part["text"] for part in first.messages[0]["content"])
    flat = [
        {"role": "user", "content": joined},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "the weather again"},
    ]
    result = memory.inject(flat)
    assert "about weather<" not in result.messages[2]["content"]
    assert result.messages[0]["content"] == joined


def test_a_quoted_block_is_left_as_it_is(memory):
    """A block that a user quotes is never stripped, and does not stop memory from coming."""
    quoted = 'why does it say "<memory>\n<entry source="x">y</entry>\n</memory>" about weather?'
    result = memory.inject([{"role": "user", "content": quoted}])
    assert result.messages[0]["content"].startswith(quoted)
    assert result.report.status == "injected"


def test_sessions_never_meet(memory):
    """Two conversations that start alike are apart when the scope names their sessions."""
    ask = [{"role": "user", "content": "the weather today"}]
    memory.inject(ask, scope=Scope(user="u", session="1"))
    loop = [*ask, {"role": "assistant", "content": "hm"}]
    other = memory.inject(loop, scope=Scope(user="u", session="2"))
    assert other.messages == loop


def test_another_manager_sees_only_its_own(store):
    """Managers that share a ledger are told apart by name."""
    ledger = InMemoryLedger()
    ask = [{"role": "user", "content": "the weather today"}]
    loop = [*ask, {"role": "assistant", "content": "hm"}]
    one = MemoryManager([store], name="one", ledger=ledger)
    other = MemoryManager([store], name="other", ledger=ledger)
    one.inject(ask)
    assert other.inject(loop).messages == loop
    assert one.inject(loop).report.status == "replayed"
    one.close()
    other.close()


def test_of_two_calls_at_once_one_block_wins():
    """Both go through with the same block, and later replays agree."""
    gate = threading.Barrier(2)
    numbers = iter(range(10))

    def answer(query, options):
        gate.wait(5)
        return [f"answer {next(numbers)}"]

    with MemoryManager([FakeStore(answer)], injection={"timeout": 10}) as memory:
        ask = [{"role": "user", "content": "the weather today"}]
        results = []
        threads = [
            threading.Thread(target=lambda: results.append(memory.inject(ask))) for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        later = memory.inject([*ask, {"role": "assistant", "content": "hm"}])
    assert results[0].messages == results[1].messages
    assert later.messages[0] == results[0].messages[0]


def test_erasing_a_user_empties_their_ledger(store):
    """After ``erase`` nothing of that user is replayed; other users keep theirs."""
    with MemoryManager([store]) as memory:
        ask = [{"role": "user", "content": "the weather today"}]
        loop = [*ask, {"role": "assistant", "content": "hm"}]
        for user in ("a", "b"):
            memory.inject(ask, scope=Scope(user=user, session="s"))
        memory.erase(Scope(user="a"))
        gone = memory.inject(loop, scope=Scope(user="a", session="s"))
        kept = memory.inject(loop, scope=Scope(user="b", session="s"))
    assert gone.messages == loop
    assert kept.report.status == "replayed"


def test_carried_blocks_go_in_one_step_down_to_half(store):
    """Past ``carry_budget`` the oldest go, stay away, and their entries are eligible again."""

    # A counter of the test's own: the budget means the same with and without the vocabulary.
    def counter(text):
        return len(text) // 4 + 1

    with MemoryManager([store], injection={"carry_budget": 150}, counter=counter) as memory:
        app = Application(memory)
        carried = []
        for number in range(12):
            result = app.ask(f"topic{number} please")
            carried.append(sum(blocks(result.messages)) - 1)
            app.tool_round(number)
            app.answer()
    shrinks = [b < a for a, b in itertools.pairwise(carried)]
    assert any(shrinks)
    assert max(carried) <= 4
    for loop, ask in zip(app.sent[1::2], app.sent[::2], strict=False):
        assert loop[: len(ask)] == ask, "inside a turn the prefix is stable"


def test_keep_call_sends_only_the_latest_block(store):
    """With ``keep="call"`` earlier turns go out without their blocks, in both ways of use."""
    for keeps in ("clean", "result"):
        with MemoryManager([store], injection={"keep": "call"}) as memory:
            app = Application(memory, keeps)
            for topic in ("weather", "cooking", "gardens"):
                app.ask(f"about {topic} please")
                app.tool_round(1)
                app.answer()
            assert blocks(app.sent[-1]) == [0, 0, 1]


def test_the_ledger_is_bounded_per_scope_and_in_total():
    """The least recently used go first; losing a record repeats and misplaces nothing."""
    ledger = InMemoryLedger(max_records=20, max_per_scope=5)
    with MemoryManager([FakeStore(by_topic)], ledger=ledger) as memory:
        for user in range(10):
            for number in range(8):
                memory.inject(
                    [{"role": "user", "content": f"topic{number} please"}],
                    scope=Scope(user=f"u{user}"),
                )
        assert len(ledger) <= 20


def test_the_texts_a_ledger_keeps_are_bounded():
    """Blocks may be long: their texts count, not only how many there are."""
    scopes = [Scope(user="u1"), Scope(user="u2")]
    ledger = InMemoryLedger(max_characters=5000)

    def write(number, scope, length, replaces=None):
        key = number.to_bytes(2, "big")
        text = str(number) + "x" * length
        record = LedgerRecord(key, key, text, written_at=time.time() + (replaces is not None))
        ledger.put(Space("memory", scope), record, replaces)
        return record

    records = [write(number, scopes[number % 2], 999) for number in range(10)]
    assert len(ledger) == 5
    ledger.forget(scopes[0])
    records += [write(number, scopes[1], 998) for number in range(10, 13)]
    assert len(ledger) == 5
    write(12, scopes[1], 3000, replaces=records[-1])  # grows in its place
    assert len(ledger) == 2
    write(13, scopes[0], 9999)
    assert len(ledger) == 1
    ledger.close()
    write(14, scopes[0], 999)
    write(15, scopes[1], 999)
    assert len(ledger) == 2


def test_an_old_record_counts_as_gone(store):
    """Past ``max_age`` a block is not replayed any more."""
    now = [1000.0]
    ledger = InMemoryLedger(max_age=60, clock=lambda: now[0])
    with MemoryManager([store], ledger=ledger) as memory:
        ask = [{"role": "user", "content": "the weather today"}]
        memory.inject(ask)
        now[0] = 10**12
        result = memory.inject([*ask, {"role": "assistant", "content": "hm"}])
    assert result.report.status == "skipped"


@pytest.mark.parametrize("bound", ["max_records", "max_per_scope", "max_characters", "max_age"])
def test_a_bound_must_be_positive(bound):
    """A bound of zero would silently keep nothing."""
    with pytest.raises(ValueError, match=f"{bound} must be above 0, not 0"):
        InMemoryLedger(**{bound: 0})


def test_custom_blocks_are_recognised_by_their_bytes(store):
    """With a custom format the ledger knows the text, in a clean and in a kept history."""
    config = {"format": lambda c: "MEMORY:\n\n" + "\n".join(e.content for e in c.entries)}
    sent = []
    for keeps in ("clean", "result"):
        with MemoryManager([FakeStore(by_topic)], injection=config) as memory:
            app = Application(memory, keeps)
            app.ask("the weather today")
            app.tool_round(1)
            app.answer()
            again = app.ask("weather once more")
            assert_prefix_stable(app.sent)
            assert "about weather" not in again.messages[-1]["content"]
            sent.append(json.dumps(app.sent))
    assert sent[0] == sent[1]


def test_a_ledger_that_lacks_something_is_refused():
    """It would fail every call, with a reason nobody looks for."""

    class Half:
        get = put = drop = forget = staticmethod(lambda *given: None)

    with pytest.raises(ConfigurationError, match="does not say in_process"):
        MemoryManager([FakeStore()], ledger=Half())
    with pytest.raises(ConfigurationError, match=r"has no method get\(\)"):
        MemoryManager([FakeStore()], ledger=object())


def test_a_hundred_steps_write_a_hundred_blocks_into_one_message():
    """An agent under everyTurn, history kept: the message is still known without its blocks."""
    numbers = itertools.count()
    store = FakeStore(lambda query, options: [f"fact {next(numbers)}"])
    config = {"trigger": "everyTurn", "carry_budget": 100_000}
    with MemoryManager([store], injection=config) as memory:
        app = Application(memory, "result")
        app.ask("what about the weather?")
        for number in range(99):
            app.tool_round(number)
        assert blocks(app.sent[-1]) == [100]
        again = memory.inject(app.history)
        assert again.report.replayed_blocks == 100
        assert again.messages == app.sent[-1]
