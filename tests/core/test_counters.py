"""Token counters: never the network, never a hang, never too few."""

from __future__ import annotations

import os
import socket
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_injection import ConfigurationError, MemoryManager, counters
from memory_injection.counters import (
    BytesCounter,
    ScaledCounter,
    as_counter,
    counter_for,
    encoding_for,
    is_loaded,
)
from memory_injection.testing import FakeStore

ASK = [{"role": "user", "content": "what about the weather?"}]


class Words:
    name = "words"

    def count(self, text):
        return len(text.split())


@pytest.fixture
def fresh(monkeypatch):
    """No vocabulary is loaded yet."""
    vocabularies = counters._Vocabularies()
    monkeypatch.setattr(counters, "_VOCABULARIES", vocabularies)
    return vocabularies


@pytest.fixture
def offline(fresh, monkeypatch):
    """No vocabulary lies anywhere on this machine, and there is no network."""
    monkeypatch.setattr(counters, "_carriers", lambda url: iter(()))

    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return fresh


@pytest.fixture
def hanging(fresh, monkeypatch):
    """Loading a vocabulary hangs."""
    release = threading.Event()

    def hang(name):
        release.wait(60)
        raise OSError("never came")

    monkeypatch.setattr(counters, "_load_encoding", hang)
    yield fresh
    release.set()


def test_without_a_vocabulary_bytes_are_counted(offline, caplog):
    """An encoding that cannot be had is replaced by the byte counter, said once."""
    with caplog.at_level("WARNING", "memory_injection.counters"):
        for _ in range(3):
            assert counter_for("gpt-4o", 10).count("Grüße") == 7
    assert caplog.text.count("tokenizer_unavailable encoding=o200k_base") == 1
    assert "pip install 'memory-injection[offline]'" in caplog.text
    assert is_loaded("gpt-4o")


def test_offline_injections_go_on(offline):
    """Without any vocabulary there is still memory, within a budget that bytes keep."""
    with MemoryManager([FakeStore(["a fact"])], injection={"token_budget": 60}) as memory:
        report = memory.inject(ASK, model="gpt-4o").report
    assert (report.status, report.counter) == ("injected", "utf8-bytes")
    assert report.tokens <= 60


def test_a_hanging_loader_is_waited_for_once(hanging):
    """The first call waits its share; those after it do not, and bytes are counted."""
    started = time.monotonic()
    assert counter_for("gpt-4o", 0.2).name == "utf8-bytes"
    assert time.monotonic() - started >= 0.2
    started = time.monotonic()
    for _ in range(20):
        assert counter_for("gpt-4o", 0.2).name == "utf8-bytes"
    assert time.monotonic() - started < 0.2
    assert not is_loaded("gpt-4o")


def test_a_hanging_loader_holds_up_no_injection(hanging, monkeypatch):
    """Calls stay within their deadline while the vocabulary is still being loaded."""
    monkeypatch.setattr(counters, "preload", lambda: None)
    with MemoryManager([FakeStore(["a fact"])], injection={"timeout": 0.4}) as memory:
        reports = [memory.inject([{"role": "user", "content": f"{n}?"}]).report for n in range(5)]
    assert {report.counter for report in reports} == {"utf8-bytes"}
    assert max(report.seconds for report in reports) < 0.5
    assert sum(report.seconds for report in reports[1:]) < 0.5


def test_many_threads_load_a_vocabulary_once(fresh, monkeypatch):
    """Twenty first calls at once are one loading."""
    loads, together = [], threading.Barrier(20)

    def load(name):
        loads.append(name)
        return Words()

    monkeypatch.setattr(counters, "_load_encoding", load)

    def first():
        together.wait(10)
        found.append(counter_for("gpt-4o", 10).name)

    found: list[str] = []
    threads = [threading.Thread(target=first) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (loads, found) == (["o200k_base"], ["words"] * 20)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_in_the_middle_of_loading_loads_again(hanging, monkeypatch):
    """The child has no thread that would ever finish what the parent began."""
    assert counter_for("gpt-4o").name == "utf8-bytes"
    child = os.fork()
    if child == 0:
        counters._load_encoding = lambda name: Words()
        os._exit(0 if counter_for("gpt-4o", 10).name == "words" else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_damaged_vocabulary_is_not_used(fresh, monkeypatch):
    """A file that does not match its published hash counts as missing."""
    monkeypatch.setattr(counters, "_carriers", lambda url: iter([lambda: b"!!! broken"]))
    assert counter_for("gpt-4o", 10).name == "utf8-bytes"


def test_an_encoding_built_on_another_is_read_from_disk_too(offline, monkeypatch):
    """gpt-oss counts with o200k_harmony, which calls the constructor of o200k_base."""
    ranks = {bytes([number]): number for number in range(256)}
    monkeypatch.setattr(counters, "_read_vocabulary", lambda url, expected_hash=None: ranks)
    assert counter_for("gpt-oss-120b", 10).name == "o200k_harmony"


def test_a_vocabulary_in_a_form_of_its_own_is_not_fetched(offline, caplog):
    """GPT-2's is two files that nothing on disk carries: bytes are counted."""
    assert counter_for("gpt2", 10).name == "utf8-bytes"
    assert "error=FileNotFoundError" in caplog.text


def test_the_network_is_never_asked(fresh, monkeypatch):
    """Loading opens no connection, whether or not a vocabulary is found."""

    def refuse(*_, **__):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert counter_for("gpt-4o", 20).name in ("o200k_base", "utf8-bytes")
    assert fresh.loaded.keys() == {"o200k_base"}


REAL = counter_for("gpt-4o", 20)


@pytest.mark.skipif(REAL.name != "o200k_base", reason="no vocabulary on this machine")
@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_bytes_never_count_too_few(text):
    """A byte-level token covers at least one byte, whatever the text."""
    assert BytesCounter().count(text) >= REAL.count(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200), st.floats(1, 3))
def test_a_scaled_count_stands_between_its_base_and_the_bytes(text, factor):
    """Scaling rounds up, and never goes above the bytes."""
    base, bytes_ = Words(), BytesCounter().count(text)
    scaled = ScaledCounter(base, factor).count(text)
    assert min(base.count(text), bytes_) <= scaled <= bytes_


@pytest.mark.parametrize(
    ("model", "encoding", "factor"),
    [
        (None, "o200k_base", 1.0),
        ("gpt-4o", "o200k_base", 1.0),
        ("openai/gpt-4o-mini", "o200k_base", 1.0),
        ("gpt-4", "cl100k_base", 1.0),
        ("claude-sonnet-4-5", "o200k_base", 1.5),
        ("gemini-2.5-pro", "o200k_base", 1.5),
        ("llama-3.1-8b", "o200k_base", 2.0),
    ],
)
def test_each_model_has_its_encoding(model, encoding, factor):
    """Known models are counted with their own encoding, others above o200k's count."""
    assert encoding_for(model) == (encoding, factor)


def test_a_callers_counter_may_be_an_object_or_a_callable():
    """Anything else is refused at construction."""
    assert as_counter(Words()).count("a b") == 2
    assert as_counter(len).count("abc") == 3
    assert as_counter(None) is None
    with pytest.raises(ConfigurationError, match="counter must have count"):
        as_counter(42)


@pytest.mark.parametrize("rubbish", [None, -1, 1.5, "7", True])
def test_a_count_that_is_no_count_is_replaced_by_bytes(rubbish):
    """The block still goes in, and the report names the counter."""
    with MemoryManager([FakeStore(["a fact"])], counter=lambda text: rubbish) as memory:
        report = memory.inject(ASK).report
    assert (report.status, report.stage) == ("injected", "counter")
