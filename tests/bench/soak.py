"""Soak and fault injection: tasks and threads inject while every seam breaks now and then.

    python tests/bench/soak.py --injections 100000
    python tests/bench/soak.py --minutes 5

Each call is checked against what was injected into it. The exit code is 0 if every promise held:
nothing raised, nothing corrupted, no status wrong, nothing late that the machine does not explain,
memory, threads and file handles flat, counters and logs that add up.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import json
import logging
import os
import random
import sys
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field

from soak_plan import PLAN, Talk, can_hang, draw, judge, managers

SLACK = 0.1  # seconds past the deadline that are allowed
TICK = 0.005  # seconds between two looks at how late the machine is
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Stalls:
    """How late a clock is that should tick every 5 ms: on the loop, or in a thread."""

    seen: deque = field(default_factory=lambda: deque(maxlen=4000))
    worst: float = 0.0
    ticks: int = 0
    late: Counter = field(default_factory=Counter)

    def note(self, now, lag):
        self.ticks += 1
        self.worst = max(self.worst, lag)
        for bound in (0.01, 0.1, 0.5):
            self.late[bound] += lag > bound
        if lag > 0.002:
            self.seen.append((now - lag, now))

    def within(self, start, end):
        """Return the seconds between *start* and *end* in which the clock stood still."""
        return sum(max(0.0, min(end, b) - max(start, a)) for a, b in tuple(self.seen))

    def told(self):
        share = {f"above_{int(b * 1000)}_ms": n / max(self.ticks, 1) for b, n in self.late.items()}
        return {"worst_s": round(self.worst, 3), **{k: round(v, 4) for k, v in share.items()}}


class Warnings(logging.Handler):
    """Counts the warnings of injections."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.count = 0

    def emit(self, record):
        self.count += record.getMessage().startswith("injection ")
        if "secret" in record.getMessage():
            raise AssertionError("a log line holds the text of an error")


class Soak:
    """One run."""

    def __init__(self, options):
        self.options = options
        self.managers = managers(options.timeout, options.records)
        self.numbers = itertools.count()
        self.talks = itertools.count()
        self.until = time.monotonic() + options.minutes * 60 if options.minutes else None
        self.statuses: Counter = Counter()
        self.faults: Counter = Counter()
        self.wrong: list[str] = []
        self.unplanned: Counter = Counter()
        self.raised: list[str] = []
        self.late = {"explained": 0, "unexplained": 0, "worst_s": 0.0}
        self.warned = 0
        self.samples: list[tuple[int, float, int, int]] = []
        self.stalls = {"loop": Stalls(), "thread": Stalls()}
        self.done = threading.Event()
        self.lock = threading.Lock()

    def more(self):
        if self.until is not None:
            return time.monotonic() < self.until
        return next(self.numbers) < self.options.injections

    # Driving

    def talk(self, rng):
        manager = rng.choice(self.managers)
        keeps = "result" if manager.name == "plain" and rng.random() < 0.5 else "clean"
        return Talk(next(self.talks), manager, keeps)

    def calls(self, rng):
        """Yield ``(talk, plan)`` for each call of an endless row of conversations."""
        while True:
            talk = self.talk(rng)
            for _ in range(rng.randint(2, 6)):
                talk.ask()
                for _ in range(2 if talk.keeps == "clean" and rng.random() < 0.1 else 1):
                    if not self.more():
                        return
                    name = talk.manager.name
                    plan = draw(
                        rng, self.options.rate, talk.facts(), 3 * self.options.timeout,
                        can_hang(name),
                    )  # fmt: skip
                    if name == "plain":
                        plan.faults.pop("format", None)  # its blocks are in the built-in format
                    yield talk, plan
                talk.reply()

    def in_thread(self, seed):
        for talk, plan in self.calls(random.Random(seed)):
            PLAN.set(plan)
            started = time.monotonic()
            try:
                result = talk.manager.inject(talk.sent, scope=scope(talk))
            except BaseException as error:
                self.raised.append(f"{type(error).__name__}: {error} {plan.faults}")
                continue
            self.check(talk, plan, result, started, "thread")
            time.sleep(self.options.think * random.random() * 2)

    async def in_task(self, seed):
        for talk, plan in self.calls(random.Random(seed)):
            PLAN.set(plan)
            started = time.monotonic()
            try:
                result = await talk.manager.ainject(talk.sent, scope=scope(talk))
            except BaseException as error:
                self.raised.append(f"{type(error).__name__}: {error} {plan.faults}")
                continue
            self.check(talk, plan, result, started, "loop")
            await asyncio.sleep(self.options.think * random.random() * 2)

    def check(self, talk, plan, result, started, where):
        ended = time.monotonic()
        verdict = judge(plan, talk, result)
        report = result.report
        with self.lock:
            self.statuses[talk.manager.name, report.status] += 1
            self.faults.update(f"{seam} {kind}" for seam, kind in plan.faults.items())
            self.unplanned.update(verdict.unplanned)
            self.warned += report.status == "failed" or bool(report.warnings)
            if verdict.wrong:
                self.wrong.append(f"{verdict.wrong} {plan} {report}"[:1500])
            self.check_time(started, ended, where)

    def check_time(self, started, ended, where):
        deadline = started + self.options.timeout
        over = ended - deadline - SLACK
        if over <= 0:
            return
        self.late["worst_s"] = max(self.late["worst_s"], round(over + SLACK, 3))
        # An async call waits for the loop, and through the ledger for threads as well.
        clocks = {"loop": ("loop", "thread"), "thread": ("thread",)}[where]
        stood = sum(self.stalls[clock].within(deadline - TICK, ended) for clock in clocks)
        # The clock that measures stalls is itself up to one tick behind.
        self.late["explained" if stood + 2 * TICK >= over else "unexplained"] += 1

    # Watching

    async def watch_loop(self):
        while not self.done.is_set():
            before = time.monotonic()
            await asyncio.sleep(TICK)
            now = time.monotonic()
            self.stalls["loop"].note(now, now - before - TICK)

    def watch_threads(self):
        while not self.done.is_set():
            before = time.monotonic()
            self.done.wait(TICK)
            now = time.monotonic()
            self.stalls["thread"].note(now, now - before - TICK)

    def sample(self):
        """Note calls made, resident memory in MB, threads and open file handles."""
        with open("/proc/self/statm") as statm:
            resident = int(statm.read().split()[1]) * PAGE / 1e6
        handles = len(os.listdir("/proc/self/fd"))
        made = self.statuses.total()
        self.samples.append((made, resident, threading.active_count(), handles))

    def sampling(self):
        while not self.done.wait(self.options.sample):
            self.sample()

    # The run

    def run(self):
        gc.collect()
        gc.freeze()
        watchers = [threading.Thread(target=w) for w in (self.watch_threads, self.sampling)]
        threads = [
            threading.Thread(target=self.in_thread, args=(seed,))
            for seed in range(self.options.threads)
        ]
        for thread in (*watchers, *threads):
            thread.start()
        asyncio.run(self.tasks())
        for thread in threads:
            thread.join()
        self.done.set()
        for thread in watchers:
            thread.join()
        gc.collect()
        self.sample()
        for manager in self.managers:
            manager.close()

    async def tasks(self):
        watcher = asyncio.create_task(self.watch_loop())
        seeds = range(1000, 1000 + self.options.tasks)
        await asyncio.gather(*(self.in_task(seed) for seed in seeds))
        watcher.cancel()


def scope(talk):
    return {"user": f"user {talk.number}", "session": f"talk {talk.number}"}


def slope(samples):
    """Return the megabytes of resident memory gained per 10,000 calls, by least squares."""
    if len(samples) < 3:
        return 0.0
    mean_x = sum(s[0] for s in samples) / len(samples)
    mean_y = sum(s[1] for s in samples) / len(samples)
    spread = sum((s[0] - mean_x) ** 2 for s in samples)
    return sum((s[0] - mean_x) * (s[1] - mean_y) for s in samples) / (spread or 1) * 10_000


def listen():
    """Export OpenTelemetry's counters into memory; return a function that reads them."""
    from opentelemetry import metrics
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    reader = InMemoryMetricReader()
    metrics.set_meter_provider(MeterProvider([reader]))

    def read():
        data = json.loads(reader.get_metrics_data().to_json())
        counted = Counter()
        for resource in data["resource_metrics"]:
            for of_scope in resource["scope_metrics"]:
                for metric in of_scope["metrics"]:
                    if metric["name"] == "memory.injections":
                        for point in metric["data"]["data_points"]:
                            told = point["attributes"]
                            key = told["memory.manager"], told["memory.status"]
                            counted[key] += point["value"]
        return counted

    return read


def outcome(soak, counted, warnings, seconds, cpu):
    """Return everything there is to tell, and ``held``: whether every promise was kept."""
    made = soak.statuses.total()
    warm = [s for s in soak.samples if s[0] >= made * 0.4]
    first, last = (warm[0], soak.samples[-1]) if warm else (soak.samples[-1], soak.samples[-1])
    told = {
        "injections": made,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "load_average": [round(x, 1) for x in os.getloadavg()],
        "statuses": dict(sorted(_by_status(soak.statuses).items())),
        "faults": dict(sorted(soak.faults.items())),
        "raised": len(soak.raised),
        "wrong": len(soak.wrong),
        "late": soak.late,
        "unplanned": soak.unplanned.total(),
        "stalls": {where: stalls.told() for where, stalls in soak.stalls.items()},
        "rss_mb": [round(soak.samples[0][1], 1), round(first[1], 1), round(last[1], 1)],
        "rss_mb_every_tenth": [
            round(s[1], 1) for s in soak.samples[:: len(soak.samples) // 10 or 1]
        ],
        "rss_mb_per_10000": round(slope(warm), 3),
        "threads": [first[2], max(s[2] for s in soak.samples), last[2]],
        "handles": [first[3], max(s[3] for s in soak.samples), last[3]],
        "counters_add_up": counted == soak.statuses,
        "logs_add_up": warnings == soak.warned,
        "examples": [*soak.raised[:3], *soak.wrong[:3], *list(soak.unplanned)[:3]],
    }
    told["held"] = not (told["raised"] or told["wrong"] or soak.late["unexplained"]) and (
        told["counters_add_up"] and told["logs_add_up"]
    )
    if made >= 20_000:
        told["held"] &= told["rss_mb_per_10000"] < 1 and last[3] <= first[3] + 8
    return told


def _by_status(statuses):
    total: Counter = Counter()
    for (_, status), number in statuses.items():
        total[status] += number
    return total


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--injections", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=0.0, help="run so long instead")
    parser.add_argument("--rate", type=float, default=0.01, help="of faults, per seam")
    parser.add_argument("--tasks", type=int, default=64)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=2.0, help="deadline in seconds")
    parser.add_argument(
        "--think", type=float, default=0.1, help="seconds between two calls of a task or thread"
    )
    parser.add_argument("--records", type=int, default=2000, help="bound of each ledger")
    parser.add_argument("--sample", type=float, default=1.0, help="seconds between two samples")
    options = parser.parse_args(arguments)
    read = listen()
    warnings = Warnings()
    logger = logging.getLogger("memory_injection")
    logger.addHandler(warnings)
    logger.propagate = False
    soak = Soak(options)
    started, cpu = time.monotonic(), time.process_time()
    soak.run()
    took, cpu = time.monotonic() - started, time.process_time() - cpu
    told = outcome(soak, read(), warnings.count, took, cpu)
    print(json.dumps(told, indent=1))
    return 0 if told["held"] else 1


def with_few_arenas():
    """Start again with two malloc arenas, unless told otherwise.

    glibc gives threads arenas of their own, each of which grows to its own largest load and is
    never given back; that is no leak, and would hide a small one.
    """
    if "MALLOC_ARENA_MAX" not in os.environ:
        os.environ["MALLOC_ARENA_MAX"] = "2"
        os.execv(sys.executable, sys.orig_argv)


if __name__ == "__main__":
    with_few_arenas()
    sys.exit(main())
