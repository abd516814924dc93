"""Conversations driven at random against the contract of the ledger.

Ask, tool round, retry, regenerate, edit, trim, branch, switch user, restart; after every call the
request is checked against a plain model.
"""

from __future__ import annotations

import copy
import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from memory_injection import InMemoryLedger, MemoryManager, Scope
from memory_injection.dialects.registry import dialect_named
from memory_injection.rendering import find_blocks, parse_block
from memory_injection.testing import FakeStore

OPENAI = dialect_named("openai.chat")
USERS = ("ada", "bo")
texts = st.sampled_from(["yes", "tell me about rain", "rain", "sun and rain", "go on", "snow"])


def facts(query, options):
    user = options["scope"].user
    return [
        f"{user} wrote: {word} number {n}"
        for word in query.split()
        if len(word) > 2
        for n in (1, 2)
    ]


class Conversations(RuleBasedStateMachine):
    """The model: what each ask was sent as, per user and clean prefix."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clean = {user: [] for user in USERS}
        self.kept = dict.fromkeys(USERS)
        self.written = {}
        self.user = USERS[0]
        self.calls = 0
        self.ledger = None
        self.memory = None

    def make_ledger(self):
        return InMemoryLedger()

    def start(self):
        config = {"min_relevance": None, "follow_up": "off", "timeout": 20}
        self.memory = MemoryManager(
            [FakeStore(facts, name="notes")], injection=config, ledger=self.ledger
        )

    @initialize()
    def begin(self):
        self.ledger = self.make_ledger()
        self.start()

    def teardown(self):
        if self.memory is not None:
            self.memory.close()
            self.ledger.close()
        shutil.rmtree(self.folder)

    # What an application does

    @property
    def history(self):
        return self.clean[self.user]

    def change(self, history):
        """Go on with another history; what was kept of the old one no longer fits."""
        self.clean[self.user] = history
        self.kept[self.user] = None

    @rule(text=texts)
    def ask(self, text):
        self.extend({"role": "user", "content": text})
        self.call()

    @precondition(lambda self: self.history and self.history[-1]["role"] == "user")
    @rule(text=texts)
    def reply(self, text):
        self.extend({"role": "assistant", "content": text})

    @precondition(lambda self: self.history and self.history[-1]["role"] in ("user", "tool"))
    @rule(result=texts)
    def tool_round(self, result):
        self.calls += 1
        ident = f"call_{self.calls}"
        call = {"id": ident, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        self.extend({"role": "assistant", "content": None, "tool_calls": [call]})
        self.extend({"role": "tool", "tool_call_id": ident, "content": result})
        self.call()

    @precondition(lambda self: self.history)
    @rule()
    def retry(self):
        self.call()

    @precondition(lambda self: self.history and self.history[-1]["role"] == "assistant")
    @rule()
    def regenerate(self):
        self.change(self.history[:-1])
        self.call()

    @precondition(lambda self: len(self.history) > 1)
    @rule(data=st.data(), text=texts)
    def edit(self, data, text):
        said = [at for at, m in enumerate(self.history) if isinstance(m["content"], str)]
        at = data.draw(st.sampled_from(said))
        history = copy.deepcopy(self.history)
        history[at]["content"] = text
        self.change(history)
        self.call()

    @precondition(lambda self: len(self.history) > 2)
    @rule(data=st.data())
    def trim(self, data):
        asks = [at for at, m in enumerate(self.history) if m["role"] == "user"]
        self.change(self.history[data.draw(st.sampled_from(asks)) :])
        self.call()

    @precondition(lambda self: len(self.history) > 2)
    @rule(data=st.data(), text=texts)
    def branch(self, data, text):
        asks = [at for at, m in enumerate(self.history) if m["role"] == "user"]
        at = data.draw(st.sampled_from(asks))
        self.change([*self.history[:at], {"role": "user", "content": text}])
        self.call()

    @rule(user=st.sampled_from(USERS))
    def switch_user(self, user):
        self.user = user

    @rule()
    def other_user_copies(self):
        """The same words in another user's conversation share nothing."""
        other = next(user for user in USERS if user != self.user)
        self.clean[other] = copy.deepcopy(self.history)
        self.kept[other] = None

    @rule()
    def reload(self):
        """The application reads its history back from JSON."""
        self.clean[self.user] = json.loads(json.dumps(self.history))

    @rule()
    def stop_keeping(self):
        """From here on the application sends its own clean history."""
        self.kept[self.user] = None

    @rule()
    def restart(self):
        """Another manager goes on with the same ledger."""
        self.start()

    # What must hold

    def extend(self, message):
        self.clean[self.user] = [*self.history, message]
        if self.kept[self.user] is not None:
            self.kept[self.user] = [*self.kept[self.user], message]

    def call(self):
        kept = self.kept[self.user]
        sent = kept if kept is not None else self.history
        before = copy.deepcopy(sent)
        result = self.memory.inject(sent, scope=Scope(user=self.user), model="gpt-4o")
        assert sent == before, "the caller's messages were changed"
        assert result.report.status != "failed", result.report
        self.check(result.messages)
        self.kept[self.user] = result.messages

    def check(self, messages):
        assert len(messages) == len(self.history)
        seen = []
        for at, (clean, wire) in enumerate(zip(self.history, messages, strict=True)):
            blocks = find_blocks(wire["content"] or "")
            if clean["role"] != "user":
                assert wire == clean
                continue
            assert OPENAI.remove(wire, blocks) == clean
            assert len(blocks) <= 1
            seen += [shown.content for block in blocks for shown in parse_block(block)]
            self.check_place(at, wire, is_last=at == len(messages) - 1)
        assert len(seen) == len(set(seen)), "a memory is shown twice"
        assert all(text.startswith(f"{self.user} wrote") for text in seen)

    def check_place(self, at, wire, is_last):
        """Every ask is sent as it was first sent for this user and this prefix."""
        place = (self.user, json.dumps(self.history[: at + 1]))
        if place in self.written and find_blocks(self.written[place]):
            assert wire["content"] == self.written[place], "a block moved, changed or went"
        elif is_last:
            self.written[place] = wire["content"]
        else:
            assert wire["content"] == self.history[at]["content"], "a block in the wrong place"


class SQLiteConversations(Conversations):
    """The same, with a ledger in a file that is opened anew at every restart."""

    def make_ledger(self):
        from memory_injection.sqlite_ledger import SQLiteLedger

        return SQLiteLedger(self.folder / "ledger.db", busy_timeout=10)

    def start(self):
        if self.memory is not None:
            self.memory.close()
            self.ledger.close()
            self.ledger = self.make_ledger()
        super().start()


quick = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestConversations = Conversations.TestCase
TestConversations.settings = quick
TestSQLiteConversations = pytest.mark.slow(SQLiteConversations.TestCase)
TestSQLiteConversations.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
