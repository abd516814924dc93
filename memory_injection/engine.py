"""One injection from outside in: make the request, drive the flow, guard, report."""

from __future__ import annotations

import inspect
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from . import counters
from .bodies import Asked, bytes_in_body, copied, kept_before, new_body
from .circuits import Circuit, Held
from .config import InjectionConfig
from .dialects import registry
from .driving import Done, passes_through, run_now, run_soon
from .errors import MemoryInjectionError
from .fanout import Ask, ask_now, ask_soon
from .handles import StoreHandle
from .ledger_records import Space
from .merging import FusedMerge, merge_policy
from .pipeline.effects import Call, Effect, Retrieve, StageFailed, Step
from .pipeline.flow import Outcome
from .pipeline.flow import inject as inject_flow
from .pipeline.request import Request
from .pipeline.walk import TrackCache, Walk, walk
from .pipeline.weighing import Weights
from .protocols import Dialect, Ledger, MergePolicy, TokenCounter
from .records import InjectionResult, Scope, SearchOptions
from .report import InjectionReport, Stage
from .reporting import failed_report, report_of, skipped_report
from .telemetry import Telemetry
from .windows import window_of

__all__ = ["Engine"]

_SAMPLED = 32  # messages at either end of a conversation that its dialect is recognised by
_GRACE = 0.02  # seconds that what must still be done gets when the deadline has passed
_COUNTER_WAIT = 1.0  # seconds, most that a first call waits for its vocabulary


class _UnknownShape(Exception):
    pass


class Engine:
    """Runs the pipeline for one manager, sync and async."""

    def __init__(
        self,
        handles: Sequence[StoreHandle],
        config: InjectionConfig,
        *,
        name: str,
        ledger: Ledger,
        counter: TokenCounter | None,
        telemetry: Telemetry,
    ) -> None:
        self._handles = handles
        self._config = config
        self._fresh = config.model_copy(update={"reuse_seconds": 0.0})
        self._name = name
        self._ledger = ledger
        self._counter = counter
        self._telemetry = telemetry
        self._tracks = TrackCache()
        self._weights = Weights()
        self._circuits: dict[str, Circuit] = defaultdict(Circuit)
        self._traits = {handle.name: handle.traits for handle in handles}
        unit = [name for name, traits in self._traits.items() if traits.unit_scores]
        fused = config.merge == "fused"
        self.merge: MergePolicy = (
            FusedMerge(calibrated=unit) if fused else merge_policy(config.merge)
        )

    def inject(self, asked: Asked) -> InjectionResult:
        """Inject for a sync caller; raises nothing but ``KeyboardInterrupt``."""
        with self._telemetry.span() as span:
            run = _Run(self, asked)
            effect = run.begin()
            while effect is not None:
                effect = run.go_on(run.perform(effect))
            self._telemetry.injected(span, run.result)
            return run.result

    async def ainject(self, asked: Asked) -> InjectionResult:
        """Inject for an async caller; the caller's own cancellation passes through."""
        with self._telemetry.span() as span:
            run = _Run(self, asked)
            effect = run.begin()
            while effect is not None:
                effect = run.go_on(await run.aperform(effect))
            self._telemetry.injected(span, run.result)
            return run.result

    def request(self, asked: Asked, known: Sequence[str]) -> Request:
        """Read the messages and return the request the steps work on.

        Raises:
            StageFailed: a message could not be read.
        """
        walked = self._walk(asked, known)
        if walked is None:
            raise _UnknownShape
        _, one_state = kept_before(asked)
        return Request(
            conversation=asked.conversation,
            walk=walked,
            dialect=walked.dialect,
            # Equal words later in a kept thread look like a retry: nothing is used again there.
            config=self._config if one_state else self._fresh,
            scope=asked.scope,
            space=Space(self._name, asked.scope),
            model=asked.model,
            now=time.time(),
            stores=self._traits,
            merge=self.merge,
            ledger=self._ledger,
            load_counter=self._load_counter,
            placement=self._placement(walked.dialect, asked),
            counter_ready=self._counter is not None or counters.is_loaded(asked.model),
            window=self._config.context_window or window_of(asked.model),
            weights=self._weights,
            beside=lambda: bytes_in_body(asked),
        )

    def _placement(self, dialect: Dialect, asked: Asked) -> Literal["user", "system", "apart"]:
        """Return where blocks go; without a body there may be no system prompt to write to."""
        if self._config.placement == "user" or dialect.takes_system:
            return self._config.placement
        return "apart" if asked.body is not None else "user"

    def _walk(self, asked: Asked, known: Sequence[str]) -> Walk | None:
        conversation = asked.conversation
        try:
            if asked.dialect is not None:
                messages = asked.dialect.open(conversation)
            elif isinstance(conversation, str):
                found = registry.detect(conversation)
                if found is None:
                    return None
                return walk(found.open(conversation), found, self._tracks, known)
            else:
                messages = list(conversation)
            root, _ = kept_before(asked)
            return walk(messages, asked.dialect, self._tracks, known, _detect, root.encode())
        except BaseException as error:
            if passes_through(error):
                raise
            raise StageFailed("read", error) from error

    def _load_counter(self, model: str | None) -> TokenCounter:
        if self._counter is not None:
            return self._counter
        return counters.counter_for(model, wait=min(_COUNTER_WAIT, self._config.timeout / 2))

    def known_texts(self, asked: Asked) -> Step[Sequence[str]]:
        """Return the blocks that only the ledger can tell: those in a custom format."""
        texts = getattr(self._ledger, "texts", None)
        if self._config.format is None or texts is None:
            return ()
        try:
            space = Space(self._name, asked.scope)
            blocking = not self._ledger.in_process
            known: Sequence[str] = yield Call("ledger", texts, (space,), blocking, 0.3)
            return known
        except StageFailed:
            return ()

    def asks(self, effect: Retrieve, scope: Scope) -> list[Ask]:
        """Return what every store is to be asked."""
        options = SearchOptions(max_search_results=self._config.max_entries)
        if scope.ids():
            options["scope"] = scope
        if effect.context:
            options["context"] = effect.context
        return [
            Ask(handle, handle.search(effect.query, SearchOptions(**options)))
            for handle in self._handles
            if effect.query is not None or handle.pins
        ]

    def guarded(self, effect: Call) -> _Guarded:
        """Return a call that may block, under a circuit: what hangs must not pile up threads."""
        # One circuit per method: a ledger may read well and hang in writing.
        name = getattr(effect.function, "__name__", type(effect.function).__name__)
        return _Guarded(effect, self._circuits[f"{effect.stage}.{name}"])

    @property
    def timeout(self) -> float:
        """Seconds a whole recall may take."""
        return self._config.timeout


class _Run:
    """One injection under way: its clock, its effects, its end."""

    def __init__(self, engine: Engine, asked: Asked) -> None:
        self._engine = engine
        self._asked = asked
        self._started = time.monotonic()
        self._dialect: str | None = None
        self._known: Sequence[str] = ()
        self._flow = self._steps()
        self.result: InjectionResult

    def begin(self) -> Effect | None:
        """Run to the first effect; None if there was none, and then there is a result."""
        return self.go_on(None)

    def go_on(self, reply: Any) -> Effect | None:
        """Send the flow what its effect led to and run to the next one, or to the result.

        Whatever foreign code raises in here, in a dialect or a counter, ends the flow and not the
        call, even where it is no ordinary exception.
        """
        try:
            if isinstance(reply, StageFailed):
                return self._flow.throw(reply)
            return self._flow.send(reply)
        except StopIteration as stop:
            self._end(stop.value)
        except BaseException as error:
            self._break_off(error)
        return None

    def _end(self, outcome: Outcome) -> None:
        try:
            self.result = self._finished(outcome)
        except BaseException as error:
            self._break_off(error)

    def _break_off(self, error: BaseException) -> None:
        if passes_through(error):
            raise error
        self.result = self._crashed(error)

    def _steps(self) -> Step[Outcome]:
        """Return the whole flow: reading the messages, then the steps."""
        self._known = yield from self._engine.known_texts(self._asked)
        request = self._engine.request(self._asked, self._known)
        self._dialect = request.dialect.name
        return (yield from inject_flow(request))

    def _remaining(self) -> float:
        return self._started + self._engine.timeout - time.monotonic()

    def _time_for(self, effect: Call) -> float:
        return max(self._remaining() * effect.share, _GRACE)

    def perform(self, effect: Effect) -> Any:
        """Do what *effect* asks; a failure comes back as ``StageFailed``."""
        if isinstance(effect, Retrieve):
            asks = self._engine.asks(effect, self._asked.scope)
            return ask_now(asks, max(self._remaining(), 0.0))
        if effect.blocking:
            with self._engine.guarded(effect) as call:
                if call.refused is not None:
                    return call.refused
                return call.reply(run_now(call.work, self._time_for(effect), blocking=True))
        value, waits = _at_once(effect)
        if not waits:
            return value
        return _reply(effect, run_now(lambda: value, self._time_for(effect)))

    async def aperform(self, effect: Effect) -> Any:
        """Do what *effect* asks, for an async caller."""
        if isinstance(effect, Retrieve):
            asks = self._engine.asks(effect, self._asked.scope)
            return await ask_soon(asks, max(self._remaining(), 0.0))
        if effect.blocking:
            with self._engine.guarded(effect) as call:
                if call.refused is not None:
                    return call.refused
                return call.reply(await run_soon(call.work, self._time_for(effect), blocking=True))
        value, waits = _at_once(effect)
        if not waits:
            return value
        return _reply(effect, await run_soon(lambda: value, self._time_for(effect)))

    def _finished(self, outcome: Outcome) -> InjectionResult:
        """Return the result of a flow that ran to its end.

        Raises:
            StageFailed: the body has no place for what belongs into its system prompt.
        """
        asked = self._asked
        request = None if asked.body is None else new_body(asked, outcome, self._known)
        report = report_of(
            outcome,
            seconds=time.monotonic() - self._started,
            model=self._asked.model,
            dialect=self._dialect or "",
            scope=self._asked.scope,
        )
        return InjectionResult(outcome.messages, outcome.block, report, request)

    def _crashed(self, error: BaseException) -> InjectionResult:
        """Return the result of a flow that broke: the conversation as it came."""
        seconds = time.monotonic() - self._started
        asked = self._asked
        report: InjectionReport
        if isinstance(error, _UnknownShape):
            report = skipped_report(
                "unknown_shape", "no dialect knows these messages",
                seconds=seconds, model=asked.model, scope=asked.scope,
            )  # fmt: skip
        else:
            stage: Stage = error.stage if isinstance(error, StageFailed) else "write"
            cause = error.error if isinstance(error, StageFailed) else error
            report = failed_report(
                stage, cause, seconds=seconds, model=asked.model, scope=asked.scope
            )
        request = None if asked.body is None else dict(asked.body)
        return InjectionResult(copied(asked.conversation), None, report, request)


class _Guarded:
    """A blocking call that has, or was refused, a place: only hanging opens its circuit."""

    def __init__(self, effect: Call, circuit: Circuit) -> None:
        self._effect = effect
        admitted = circuit.enter(time.monotonic())
        self.refused: StageFailed | None = None
        if isinstance(admitted, str):
            self.refused = StageFailed(effect.stage, MemoryInjectionError(admitted))
        else:
            self._place = admitted
            self.work = Held(partial(effect.function, *effect.args), admitted)

    def reply(self, done: Done) -> Any:
        """Note how the call came out and return what the flow is sent."""
        self._place.note(not isinstance(done.error, TimeoutError), time.monotonic())
        return _reply(self._effect, done)

    def __enter__(self) -> _Guarded:
        return self

    def __exit__(self, *_: object) -> None:
        if self.refused is None:  # cancelled: nobody waits for the outcome any more
            self._place.note(None, time.monotonic())


def _at_once(effect: Call) -> tuple[Any, bool]:
    """Call the function; return what it gave and whether that must be awaited."""
    try:
        value = effect.function(*effect.args)
    except BaseException as error:
        return _reply(effect, Done(error=error)), False
    return value, inspect.isawaitable(value)


def _reply(effect: Call, done: Done) -> Any:
    """Return what the flow is sent: the value, or ``StageFailed`` to be thrown into it."""
    error = done.error
    if error is None:
        return done.value
    if passes_through(error):
        raise error
    return error if isinstance(error, StageFailed) else StageFailed(effect.stage, error)


def _detect(messages: list[Any]) -> Dialect | None:
    if len(messages) > 2 * _SAMPLED:
        messages = messages[:_SAMPLED] + messages[-_SAMPLED:]
    return registry.detect(messages)
