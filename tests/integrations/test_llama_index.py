"""LlamaIndex models with memory, against the bare model, which is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import Field

from memory_injection import ConfigurationError, MemoryManager
from memory_injection.integrations.llama_index import memory_block, with_memory
from memory_injection.testing import assert_prefix_stable

from .diary import ASK, Diary, block, manager

pytest.importorskip("llama_index.core.agent.workflow")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    ToolCallBlock,
)
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.memory import InsertMethod, Memory
from llama_index.core.tools import ToolSelection
from sqlalchemy.ext.asyncio import create_async_engine

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LlamaIndex's own


class Script(FunctionCallingLLM):
    """Calls the tool, then answers; keeps what it was sent."""

    sent: list[Any] = Field(default_factory=list)
    fails: bool = False

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, model_name="gpt-4o")

    def _reply(self, messages: Any) -> ChatResponse:
        if self.fails:
            raise OSError("the model is down")
        self.sent.append([(m.role.value, m.content) for m in messages if m.role != "system"])
        said = ChatMessage(role="assistant", content="Take it.")
        if messages[-1].role == "user" and "umbrella" in messages[-1].content.split("\n")[0]:
            call = ToolCallBlock(
                tool_call_id="c1", tool_name="weather", tool_kwargs={"city": "Bergen"}
            )
            said = ChatMessage(role="assistant", blocks=[call])
        return ChatResponse(message=said)

    def chat(self, messages: Any, **_: Any) -> ChatResponse:
        return self._reply(messages)

    async def achat(self, messages: Any, **_: Any) -> ChatResponse:
        return self._reply(messages)

    def stream_chat(self, messages: Any, **_: Any) -> Iterator[ChatResponse]:
        return iter([ChatResponse(message=ChatMessage(role="assistant")), self._reply(messages)])

    async def astream_chat(self, messages: Any, **_: Any) -> AsyncIterator[ChatResponse]:
        async def replies() -> AsyncIterator[ChatResponse]:
            yield self._reply(messages)

        return replies()

    def complete(self, prompt: str, **_: Any) -> CompletionResponse:
        return CompletionResponse(text=prompt)

    async def acomplete(self, prompt: str, **_: Any) -> CompletionResponse:
        return CompletionResponse(text=prompt)

    def stream_complete(self, prompt: str, **_: Any) -> Any:
        return iter([CompletionResponse(text=prompt)])

    async def astream_complete(self, prompt: str, **_: Any) -> Any:
        raise NotImplementedError

    def _prepare_chat_with_tools(
        self, tools: Any, user_msg: Any = None, chat_history: Any = None, **_: Any
    ) -> dict[str, Any]:
        return {"messages": [*(chat_history or []), *([user_msg] if user_msg else [])]}

    def get_tool_calls_from_response(self, response: Any, **_: Any) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id="c1", tool_name=b.tool_name, tool_kwargs=b.tool_kwargs)
            for b in response.message.blocks
            if isinstance(b, ToolCallBlock)
        ]


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


@asynccontextmanager
async def kept_by(session: str, **options: Any) -> AsyncIterator[Memory]:
    """Yield LlamaIndex's own memory; it never closes the database that it makes itself."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")
    yield Memory.from_defaults(session_id=session, async_engine=engine, **options)
    await engine.dispose()


def agent_run(llm: Any, *asks: str, streaming: bool = True) -> list[ChatMessage]:
    """Run one turn per ask; return what the agent's memory keeps."""

    async def use() -> list[ChatMessage]:
        agent = FunctionAgent(tools=[weather], llm=llm, streaming=streaming)
        async with kept_by("s1") as kept:
            for ask in asks:
                await agent.run(ask, memory=kept)
            return list(await kept.aget_all())

    return asyncio.run(use())


@pytest.mark.parametrize("streaming", [True, False])
def test_every_call_of_an_agent_carries_the_same_block(streaming: bool) -> None:
    """In two turns with a tool the prefix stays; the agent's memory holds no block."""
    diary, llm = Diary(), Script(sent=[])
    with manager(diary) as memory:
        remembering = with_memory(llm, memory, scope={"user": "deniz"})
        kept = agent_run(remembering, ASK, "And tomorrow?", streaming=streaming)
    assert [request[0] for request in llm.sent] == [("user", f"{ASK}\n\n{block('deniz')}")] * 3
    assert_prefix_stable(llm.sent)
    assert "<memory>" not in str(kept)
    assert len(diary.asked) == 2


async def _astream(llm: Any, messages: Any) -> list[Any]:
    return [reply async for reply in await llm.astream_chat(messages)]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "chat": lambda llm, messages: llm.chat(messages),
    "achat": lambda llm, messages: asyncio.run(llm.achat(messages)),
    "stream_chat": lambda llm, messages: list(llm.stream_chat(messages)),
    "astream_chat": lambda llm, messages: asyncio.run(_astream(llm, messages)),
}


@pytest.mark.parametrize("call", CALLS)
def test_all_four_ways_to_chat_carry_memory_and_are_learned(call: str) -> None:
    """The replies are the bare model's; the turn is told once, free of the block."""
    diary, llm = Diary(), Script(sent=[])
    asked = [ChatMessage("Is my umbrella red?"), ChatMessage("Sure?")]
    with manager(diary) as memory:
        reply = CALLS[call](with_memory(llm, memory, scope={"user": "deniz"}), asked)
        assert memory.flush(20)
    assert llm.sent[0][-1] == ("user", f"Sure?\n\n{block('deniz')}")
    assert asked == [ChatMessage("Is my umbrella red?"), ChatMessage("Sure?")]
    assert str(reply) == str(CALLS[call](llm, asked))
    assert diary.told[-1] == ("assistant", "Take it.")
    assert "<memory>" not in str(diary.told)


class Odd(Script):
    """A model whose own code stumbles over a reply, and does not know its own name."""

    def get_tool_calls_from_response(self, response: Any, **_: Any) -> Any:
        raise ValueError("half a reply")

    @property
    def metadata(self) -> LLMMetadata:
        raise ValueError("unknown model")


def test_a_stream_left_early_is_closed_and_harms_nobody() -> None:
    """The bare model's stream is closed with ours; what it raises over half a reply stays out."""
    closed = []

    class Streaming(Odd):
        def stream_chat(self, messages: Any, **_: Any) -> Iterator[ChatResponse]:
            try:
                yield from [self._reply(messages)] * 2
            finally:
                closed.append(True)

    with manager(Diary()) as memory:
        replies = with_memory(Streaming(), memory).stream_chat([ChatMessage("Sure?")])
        assert next(replies).message.content == "Take it."
        replies.close()
        assert closed == [True]


@pytest.mark.parametrize("trouble", ["store", "scope"])
def test_trouble_in_memory_leaves_the_call_alone(trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare model's."""
    scope = (lambda messages: messages.nothing) if trouble == "scope" else {"user": "deniz"}
    llm, bare = Script(sent=[]), Script(sent=[])
    with manager(Diary(fails=trouble == "store")) as memory:
        agent_run(with_memory(llm, memory, scope=scope), ASK)
    agent_run(bare, ASK)
    assert llm.sent == bare.sent


def test_the_model_keeps_its_class_and_its_errors() -> None:
    """The original is untouched; wrapping twice injects once; the last scope counts."""
    llm = Script(sent=[])
    with manager(Diary()) as memory:
        once = with_memory(llm, memory, scope={"user": "deniz"})
        twice = with_memory(once, memory, scope={"user": "ada"})
        assert isinstance(once, Script)
        assert once.to_dict() == llm.to_dict()
        twice.chat([ChatMessage(ASK)])
        assert llm.sent[-1] == [("user", f"{ASK}\n\n{block('ada')}")]
        llm.chat([ChatMessage(ASK)])
        assert llm.sent[-1] == [("user", ASK)]
        with pytest.raises(OSError, match="the model is down"):
            with_memory(Script(fails=True), memory).chat([ChatMessage(ASK)])


def test_only_models_and_managers_are_taken() -> None:
    """Anything else is refused by name."""
    with manager(Diary()) as memory, pytest.raises(ConfigurationError, match="LlamaIndex model"):
        with_memory("gpt-4o", memory)
    for made in (lambda: with_memory(Script(), Diary()), lambda: memory_block(Diary())):
        with pytest.raises(ConfigurationError, match="MemoryManager"):
            made()


def through_a_block(memory: MemoryManager, **options: Any) -> list[ChatMessage]:
    """Return what LlamaIndex's own memory hands to a model, with our block in it."""

    async def use() -> list[ChatMessage]:
        blocks = [memory_block(memory, **options)]
        async with kept_by("s1", memory_blocks=blocks, insert_method=InsertMethod.USER) as kept:
            await kept.aput(ChatMessage(ASK))
            return list(await kept.aget())

    return asyncio.run(use())


def test_llamaindex_writes_what_our_memory_block_recalls() -> None:
    """In front of the ask, in its own template; the session tells whose memory it is."""
    with manager(Diary()) as memory:
        (asked,) = through_a_block(memory, scope=lambda told: {"user": told["session_id"]})
    assert block("s1") in asked.content
    assert "<recalled>" in asked.content
    assert asked.content.endswith(ASK)


@pytest.mark.parametrize("trouble", ["store", "scope"])
def test_a_memory_block_in_trouble_is_empty(trouble: str) -> None:
    """LlamaIndex then writes nothing at all."""
    scope = (lambda told: told["nothing"]) if trouble == "scope" else {"user": "deniz"}
    with manager(Diary(fails=trouble == "store")) as memory:
        (asked,) = through_a_block(memory, scope=scope)
    assert asked.content == ASK


def test_messages_that_leave_the_short_term_memory_are_learned() -> None:
    """LlamaIndex hands them to its blocks."""
    diary = Diary()
    with manager(diary) as memory:
        made = memory_block(memory, scope={"user": "deniz"})
        turn = [ChatMessage(ASK), ChatMessage("Take it.", role="assistant")]
        asyncio.run(made.aput(turn, from_short_term_memory=True))
        assert memory.flush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]
