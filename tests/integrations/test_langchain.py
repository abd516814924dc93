"""LangChain agents with our middleware, against the bare agent with the same scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import Field

from memory_injection import ConfigurationError, MemoryManager
from memory_injection.integrations.langchain import MemoryMiddleware
from memory_injection.testing import assert_prefix_stable

from .diary import ASK, Diary, block, manager

pytest.importorskip("langchain", minversion="1.0")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult

CALL = {"name": "weather", "args": {"city": "Bergen"}, "id": "c1"}


class Model(BaseChatModel):
    """Calls the tool, then answers; keeps what it was sent."""

    sent: list[Any] = Field(default_factory=list)
    fails: bool = False

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
        if self.fails:
            raise OSError("the model is down")
        self.sent.append(convert_to_openai_messages(messages))
        asked = isinstance(messages[-1], HumanMessage) and "umbrella" in str(messages[-1].content)
        reply = AIMessage("", tool_calls=[CALL]) if asked else AIMessage("Take it.")
        return ChatResult(generations=[ChatGeneration(message=reply)])


def weather(city: str) -> str:
    """Say what the weather will be."""
    return f"rain in {city}"


def sync_run(agent: Any, state: Any, **options: Any) -> Any:
    return agent.invoke(state, **options)


def async_run(agent: Any, state: Any, **options: Any) -> Any:
    return asyncio.run(agent.ainvoke(state, **options))


def streamed_run(agent: Any, state: Any, **options: Any) -> Any:
    return list(agent.stream(state, stream_mode="values", **options))[-1]


both = pytest.mark.parametrize("run", [sync_run, async_run, streamed_run])
Run = Callable[..., Any]


def sent_by(run: Run, *middleware: Any, **options: Any) -> tuple[list[Any], list[Any]]:
    """Run one turn with a tool; return what the model was sent, and the state's messages."""
    model = Model(sent=[])
    agent = create_agent(model, tools=[weather], middleware=middleware, context_schema=dict)
    state = run(agent, {"messages": [HumanMessage(ASK)]}, **options)
    return model.sent, state["messages"]


@both
def test_both_calls_of_a_turn_carry_the_same_block(run: Run) -> None:
    """Before and after the tool; the agent's state holds none; recall happens once."""
    diary = Diary()
    with manager(diary) as memory:
        sent, state = sent_by(run, MemoryMiddleware(memory, scope={"user": "deniz"}))
    assert [request[0]["content"] for request in sent] == [f"{ASK}\n\n{block('deniz')}"] * 2
    assert state[0].content == ASK
    assert len(diary.asked) == 1


@both
@pytest.mark.parametrize("trouble", ["store", "scope"])
def test_trouble_in_memory_leaves_the_call_alone(run: Run, trouble: str) -> None:
    """A store or a scope function that raises: the requests are the bare agent's."""
    scope = (lambda request: request.runtime.nothing) if trouble == "scope" else {"user": "deniz"}
    with manager(Diary(fails=trouble == "store")) as memory:
        sent, _ = sent_by(run, MemoryMiddleware(memory, scope=scope))
    assert sent == sent_by(run)[0]


@both
def test_a_run_tells_whose_memory(run: Run) -> None:
    """A scope function reads the run's context; ``memory.scope`` around the run wins."""
    with manager(Diary()) as memory:
        middleware = MemoryMiddleware(memory, scope=lambda request: request.runtime.context)
        sent, _ = sent_by(run, middleware, context={"user": "ada"})
        assert block("ada") in sent[0][0]["content"]
        with memory.scope(user="deniz"):
            sent, _ = sent_by(run, middleware, context={"user": "ada"})
        assert block("deniz") in sent[1][0]["content"]


@both
def test_a_turn_is_learned_once(run: Run) -> None:
    """Both model calls are one turn: the ask, free of the block, and the final answer."""
    diary = Diary()
    with manager(diary) as memory:
        sent_by(run, MemoryMiddleware(memory, scope={"user": "deniz"}))
        assert memory.flush(20)
    assert diary.told == [("user", ASK), ("assistant", "Take it.")]


def test_a_checkpointed_thread_keeps_its_prefix() -> None:
    """LangGraph keeps the clean history; the second turn begins with the bytes of the first."""
    from langgraph.checkpoint.memory import InMemorySaver

    model = Model(sent=[])
    with manager(Diary()) as memory:
        agent = create_agent(
            model,
            tools=[weather],
            middleware=[MemoryMiddleware(memory, scope={"user": "deniz"})],
            checkpointer=InMemorySaver(),
        )
        thread: Any = {"configurable": {"thread_id": "t1"}}
        agent.invoke({"messages": [HumanMessage(ASK)]}, thread)
        state = agent.invoke({"messages": [HumanMessage("Thanks. And tomorrow?")]}, thread)
    assert len(model.sent) == 3
    assert_prefix_stable(model.sent)
    assert "<memory>" not in str(state["messages"])


def test_what_the_model_raises_is_what_the_caller_sees() -> None:
    """The middleware adds nothing to it and swallows nothing."""
    with manager(Diary()) as memory:
        agent = create_agent(Model(fails=True), middleware=[MemoryMiddleware(memory)])
        with pytest.raises(OSError, match="the model is down"):
            agent.invoke({"messages": [HumanMessage(ASK)]})


def test_it_is_middleware_of_langchains_and_may_be_derived_from() -> None:
    """An object of both classes, also for a class of the user's own."""

    class Mine(MemoryMiddleware):
        name = "mine"

    with manager(Diary()) as memory:
        for made in (MemoryMiddleware(memory), Mine(memory)):
            assert isinstance(made, AgentMiddleware)
            assert isinstance(made, MemoryMiddleware)
        sent, _ = sent_by(sync_run, Mine(memory, scope={"user": "deniz"}))
    assert block("deniz") in sent[0][0]["content"]


def test_it_needs_a_manager() -> None:
    """Anything else, and a scope that names nobody, is refused at construction."""
    with pytest.raises(ConfigurationError, match="MemoryManager"):
        MemoryMiddleware(Diary())
    with MemoryManager([_Store()]) as memory, pytest.raises(ConfigurationError, match="user"):
        MemoryMiddleware(memory, scope={"user": " "})


class _Store:
    name = "empty"

    def search(self, query: str) -> list[Any]:
        return []
