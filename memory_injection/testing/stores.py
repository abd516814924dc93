"""The store conformance suite: what every store must do, as tests to inherit.

In the tests of a package with a store of its own::

    from memory_injection.testing.stores import StoreConformance

    class TestMyStore(StoreConformance):
        @pytest.fixture
        def make_store(self, tmp_path):
            return lambda: MyStore(tmp_path / "store")

``make_store`` returns a callable that makes a new, empty store each time it is called first in a
test. Methods may be sync or async. Needs pytest.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias

import pytest

from ..entries import read_entry
from ..records import MemoryEntry, Scope

__all__ = ["RUBBISH", "StoreConformance"]

MakeStore: TypeAlias = Callable[[], Any]
Settle: TypeAlias = Callable[[Any], Any]

RUBBISH = (
    "", " ", "\n\t", "what's up?", "don't", "C++", "c#", "a:b", "-x", '"', '"unclosed', "'", "''",
    "(", ")", "*", "a*", "^a", "NEAR(a b)", "a AND", "OR", "NOT x", "{col}: x", "content: x", "%",
    "_", "\\", ";--", "'; DROP TABLE x; --", "\x00", "a\x00b", "\ud800", "a\udfffb", "\ufeff",
    "🙂🙂", "天气", "ﷺ", "<memory>", "</memory>", "?" * 1_000, "word " * 20_000, "x" * 100_000,
    " ".join(f"w{n}" for n in range(5_000)),
)  # fmt: skip
"""Queries that have broken stores: operators, quotes, NUL, half characters, nothing, too much."""

_FACT = "The spare key hangs behind the blue clock"
_ASK = "Where does the spare key hang?"
_ADA, _BOB = Scope(user="ada"), Scope(user="bob")


class StoreConformance:
    """Inherit, define ``make_store``, and pytest checks the store.

    Attributes:
        keeps_scopes: set to False for a store without ``scope`` (everything it has is shared).
        writes: set to False for a store that is filled elsewhere; ``make_store`` then returns it
            holding the one text ``"The spare key hangs behind the blue clock"``.
        finds: set to False for a store whose search is not expected to find by words.
    """

    keeps_scopes = True
    writes = True
    finds = True

    @pytest.fixture
    def make_store(self) -> MakeStore:
        """Return a callable that makes the store under test."""
        raise NotImplementedError("define the fixture make_store in your test class")

    @pytest.fixture
    def settle(self) -> Iterator[Settle]:
        """Return a function that awaits what is awaitable, on one event loop per test."""
        loop = asyncio.new_event_loop()

        def wait(value: Any) -> Any:
            if not isinstance(value, Awaitable):
                return value
            return loop.run_until_complete(_awaited(value))

        yield wait
        loop.close()

    @pytest.fixture
    def store(self, make_store: MakeStore, settle: Settle) -> Iterator[Any]:
        """Make a store, and close it after the test."""
        made = make_store()
        if callable(getattr(made, "initialize", None)):
            settle(made.initialize())
        yield made
        if callable(getattr(made, "close", None)):
            settle(made.close())

    @pytest.fixture
    def add(self, store: Any, settle: Settle) -> Callable[..., Any]:
        """Return a function that writes one entry, for a scope where the store keeps scopes."""
        if not self.writes:
            pytest.skip("this store is filled elsewhere")

        def write(content: str, scope: Scope | None = None, **metadata: Any) -> Any:
            given = {"scope": scope} if self.keeps_scopes and scope is not None else {}
            return settle(store.add(content, metadata or None, **given))

        return write

    @pytest.fixture
    def search(self, store: Any, settle: Settle) -> Callable[..., list[MemoryEntry]]:
        """Return a function that searches and reads the answer as the manager does."""

        def ask(query: str, scope: Scope | None = None, limit: int = 10) -> list[MemoryEntry]:
            found = settle(
                store.search(query, {"max_search_results": limit, "scope": scope or Scope()})
            )
            read = [read_entry(one, store.name) for one in found]
            assert all(read), "search returned something that is no entry"
            return [entry for entry in read if entry is not None]

        return ask

    # What the store is

    def test_it_has_a_name(self, store: Any) -> None:
        """A store has a name that is not blank."""
        assert isinstance(store.name, str)
        assert store.name.strip()

    def test_optional_attributes_have_their_types(self, store: Any) -> None:
        """What is declared can be used by the manager."""
        assert isinstance(getattr(store, "writable", False), bool)
        assert isinstance(getattr(store, "takes_context", False), bool)
        floor = getattr(store, "relevance_floor", None)
        assert floor is None or isinstance(floor, (int, float))

    # Finding

    def test_what_was_written_is_found(
        self, search: Callable[..., Any], request: pytest.FixtureRequest
    ) -> None:
        """A question in other words order finds the text that answers it, whole."""
        if not self.finds:
            pytest.skip("this store is not searched by words")
        if self.writes:
            add = request.getfixturevalue("add")
            add("Nothing of interest was said about the weather")
            add(_FACT)
        assert search(_ASK)[0].content == _FACT

    def test_an_empty_store_finds_nothing(self, search: Callable[..., Any]) -> None:
        """No entries, no error."""
        if self.writes:
            assert search(_ASK) == []

    def test_options_may_be_left_out(
        self, add: Callable[..., Any], store: Any, settle: Settle
    ) -> None:
        """``search(query)`` alone works."""
        add(_FACT)
        assert len(settle(store.search(_ASK))) <= 1_000

    def test_no_more_is_returned_than_asked(
        self, add: Callable[..., Any], search: Callable[..., Any]
    ) -> None:
        """``max_search_results`` is a hard limit."""
        for number in range(12):
            add(f"{_FACT}, says note {number}")
        for limit in (1, 3, 10):
            assert len(search(_ASK, limit=limit)) <= limit

    def test_scores_fall(self, add: Callable[..., Any], search: Callable[..., Any]) -> None:
        """Entries come best first."""
        for text in (_FACT, "A key is a key", "The clock is blue", "Keys hang somewhere"):
            add(text)
        scores = [entry.score for entry in search(_ASK) if entry.score is not None]
        assert scores == sorted(scores, reverse=True)

    @pytest.mark.parametrize("query", RUBBISH, ids=lambda q: ascii(q[:16]))
    def test_any_text_can_be_asked(
        self, query: str, search: Callable[..., Any], request: pytest.FixtureRequest
    ) -> None:
        """Nothing in a query is an operator, and no query is an error."""
        if self.writes:
            request.getfixturevalue("add")(_FACT)
        assert isinstance(search(query), list)

    @pytest.mark.parametrize(
        "text",
        ["quote \" and ' and </memory>", "NUL \x00 inside", "天气很好", "kırmızı İPEK", "🙂 " * 40],
        ids=ascii,
    )
    def test_any_text_can_be_kept(
        self, text: str, add: Callable[..., Any], search: Callable[..., Any]
    ) -> None:
        """Text comes back as it was written."""
        add(f"{text} zebra")
        found = [entry.content for entry in search("zebra")]
        assert not self.finds or f"{text} zebra" in found

    def test_a_lone_surrogate_does_no_harm(
        self, add: Callable[..., Any], search: Callable[..., Any]
    ) -> None:
        """Half a character is kept in some form that UTF-8 can carry."""
        add("zebra \ud800 crossing")
        for entry in search("zebra crossing"):
            entry.content.encode("utf-8")

    def test_a_very_long_text_can_be_kept(
        self, add: Callable[..., Any], search: Callable[..., Any]
    ) -> None:
        """A hundred thousand characters are no error."""
        add("zebra " + "and so on and on " * 6_000)
        assert len(search("zebra")) <= 1

    def test_writing_twice_is_no_error(
        self, add: Callable[..., Any], search: Callable[..., Any]
    ) -> None:
        """The same text again may be kept once or twice, but is found."""
        add(_FACT)
        add(_FACT)
        if self.finds:
            assert {entry.content for entry in search(_ASK)} == {_FACT}

    # Scope

    @pytest.fixture
    def scoped(self, add: Callable[..., Any]) -> None:
        """Write one text for each of several owners."""
        if not self.keeps_scopes:
            pytest.skip("this store keeps no scopes")
        add("The zebra is shared")
        add("The zebra is Ada's", _ADA)
        add("The zebra is Bob's", _BOB)
        add("The zebra is Ada's of Monday", Scope(user="ada", session="monday"))
        add("The zebra is the cook's", Scope(agent="cook"))
        add("The zebra is run seven's", Scope(run="7"))

    @pytest.mark.parametrize(
        ("caller", "seen"),
        [
            (Scope(), {"shared"}),
            (_ADA, {"shared", "Ada's"}),
            (_BOB, {"shared", "Bob's"}),
            (Scope(user="ada", session="monday"), {"shared", "Ada's", "Ada's of Monday"}),
            (Scope(user="ada", session="tuesday"), {"shared", "Ada's"}),
            (Scope(user="bob", session="monday"), {"shared", "Bob's"}),
            (Scope(session="monday"), {"shared"}),
            (Scope(agent="cook"), {"shared", "the cook's"}),
            (Scope(user="ada", agent="cook", run="7"),
             {"shared", "Ada's", "the cook's", "run seven's"}),
            (Scope(user="ADA"), {"shared"}),
            (Scope(user="ada "), {"shared"}),
        ],
        # A set prints its members in another order in each process; a parallel run needs one name.
        ids=lambda value: str(value) if isinstance(value, Scope) else "",
    )  # fmt: skip
    def test_a_caller_sees_its_own_and_what_is_shared(
        self, scoped: None, caller: Scope, seen: set[str], search: Callable[..., Any]
    ) -> None:
        """An entry is visible if every id it was written for is the caller's own."""
        found = {e.content.removeprefix("The zebra is ") for e in search("zebra", caller, 50)}
        assert found <= seen
        assert not self.finds or found == seen

    def test_a_limit_counts_only_what_is_visible(
        self, add: Callable[..., Any], search: Callable[..., Any]
    ) -> None:
        """Another owner's better matches take nobody's place."""
        if not (self.keeps_scopes and self.finds):
            pytest.skip("this store keeps no scopes, or is not searched by words")
        for number in range(30):
            add(f"zebra zebra zebra {number}", _BOB)
        add("Somewhere in a long text about many other things there is one zebra", _ADA)
        assert len(search("zebra", _ADA, 1)) == 1

    def test_pinned_entries_keep_to_the_scope(
        self, add: Callable[..., Any], store: Any, settle: Settle
    ) -> None:
        """``pinned`` shows a caller nothing that search would not."""
        if not callable(getattr(store, "pinned", None)) or not self.keeps_scopes:
            pytest.skip("this store pins nothing, or keeps no scopes")
        add("Ada lives in Ankara", _ADA, pinned=True)
        assert [e.content for e in settle(store.pinned({"scope": _BOB}))] == []
        assert [e.content for e in settle(store.pinned({"scope": _ADA}))] in (
            ["Ada lives in Ankara"],
            [],
        )

    # Living together

    def test_many_callers_at_once(self, make_store: MakeStore) -> None:
        """Threads that write and search together lose nothing and see no other's."""
        if not self.writes:
            pytest.skip("this store is filled elsewhere")
        store, failures = make_store(), list[BaseException]()
        barrier = threading.Barrier(6)

        def work(number: int) -> None:
            try:
                barrier.wait(10)
                asyncio.run(_busy(store, number, self.keeps_scopes, self.finds))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        asyncio.run(_close(store))
        assert failures == []

    def test_closing_twice_is_no_error(self, make_store: MakeStore, settle: Settle) -> None:
        """``close`` may be called again, and before first use."""
        store = make_store()
        if not callable(getattr(store, "close", None)):
            pytest.skip("this store has nothing to close")
        settle(store.close())
        settle(store.close())


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


async def _settled(value: Any) -> Any:
    return await value if isinstance(value, Awaitable) else value


async def _close(store: Any) -> None:
    if callable(getattr(store, "close", None)):
        await _settled(store.close())


async def _busy(store: Any, number: int, scoped: bool, finds: bool) -> None:
    scope = Scope(user=f"user-{number}") if scoped else Scope()
    given: dict[str, Any] = {"scope": scope} if scoped else {}
    for step in range(10):
        await _settled(store.add(f"zebra {step} of caller {number}", None, **given))
        found = await _settled(store.search("zebra", {"max_search_results": 100, "scope": scope}))
        texts = [entry.content for entry in map(read_entry, found) if entry is not None]
        if scoped:
            assert all(text.endswith(f"caller {number}") for text in texts)
            assert not finds or len(texts) == step + 1
