"""What every framework hook does when whose memory it is cannot be told."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from memory_injection import MemoryManager, Scope, wrap
from memory_injection.integrations.hooks import ModelCallHook

from .diary import ASK, Diary, manager

BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": ASK}]}
HALF = "u\ud800"  # what json.loads makes of "u\ud800"


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
def memory(diary: Diary) -> MemoryManager:
    return manager(diary)


@pytest.mark.parametrize("ids", [{"user": HALF}, {"user": ""}, {"person": "u"}, {"user": 7}])
async def test_an_id_that_is_none_costs_the_memory_and_not_the_call(
    ids: Any, memory: MemoryManager, diary: Diary, caplog: pytest.LogCaptureFixture
) -> None:
    """The framework's id of a run may be anything; the log tells the kind of trouble alone."""
    hook = ModelCallHook(memory, "openai.chat", lambda about: ids)
    with caplog.at_level(logging.WARNING):
        assert await hook.written(BODY, None) is BODY
        assert hook.written_now(BODY, None) is BODY
        hook.heard(BODY, "Take it.", None)
    assert diary.asked == diary.told == []
    assert len(caplog.records) == 3
    assert "ConfigurationError" in caplog.text
    assert "u" + "\\ud800" not in caplog.text


def test_a_callable_that_makes_the_scope_itself_is_no_other(memory: MemoryManager) -> None:
    """Google ADK's plugin does so with the ids of the run."""
    hook = ModelCallHook(memory, "openai.chat", lambda about: Scope(user=about))
    assert hook.written_now(BODY, HALF) is BODY
    assert hook.written_now(BODY, "ada") != BODY


def test_around_a_client_it_fails_before_any_call(memory: MemoryManager) -> None:
    """Where the caller writes the id, as an empty one does."""
    openai = pytest.importorskip("openai")
    with pytest.raises(ValueError, match="lone surrogate"):
        wrap(openai.OpenAI(api_key="none"), memory, scope={"user": HALF})
    with pytest.raises(ValueError, match="lone surrogate"), memory.scope(user=HALF):
        pass
