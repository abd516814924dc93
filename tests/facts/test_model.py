"""The store against a plain-Python model of the rules: no difference, whatever the order.

``MEMORY_INJECTION_EXAMPLES`` sets how many random histories are tried (default 25).
"""

from __future__ import annotations

import math
import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from memory_injection.errors import FactRefused
from memory_injection.facts import FactStore

CAP, QUOTA = 7, 3
AGENTS = st.sampled_from(["a", "a", "a", "b"])
USERS = st.sampled_from(["u1", "u1", "u2", None])
RUNS = st.sampled_from(["r1", "r2"])
KEYS = st.sampled_from([None, None, None, None, "k1", "k2"])
WORDS = ["tea", "teapot", "cup", "IŞIK", "ışık"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
QUERIES = st.lists(st.sampled_from([*WORDS, "t", "c"]), max_size=4).map(" ".join)
EXPECTED = st.sampled_from([None, None, 1, 2])
SURE = st.sampled_from([True, False, False, False, False])
PATHS = st.sampled_from(["", "n/", "n/m", "nn/", "users/{user}/", "users/u1/x", "users/u2/", "/x"])
BASES = st.sampled_from(["", "", "n/", "users/{user}/"])
TAGS = st.sampled_from([(), ("x",), ("x", "y"), ["y"], []])


class Refused(Exception):
    """The model's refusal: a code."""


class Model:
    """The rules of the contract over a dict, as slow and plain as can be."""

    def __init__(self):
        self.facts, self.keys, self.time = {}, {}, 0

    def folder(self, path, user, base=""):
        if path in ("", "/"):
            return base
        path = base + path + ("" if path.endswith("/") else "/")
        parts = path[:-1].split("/")
        if "" in parts:
            raise Refused("invalid")
        if parts[:2] == ["users", "{user}"]:
            if user is None:
                raise Refused("no_user")
            parts[1] = user
        if "{user}" in parts:
            raise Refused("invalid")
        if parts[0] == "users" and len(parts) > 1 and parts[1] != user:
            raise Refused("other_user")
        return "/".join(parts) + "/"

    @staticmethod
    def owner(path):
        parts = path.split("/")
        return parts[1] if parts[0] == "users" else None

    def visible(self, agent, user, base):
        return {
            ident: versions
            for ident, (whose, versions) in self.facts.items()
            if whose == agent
            and self.owner(versions[-1]["path"]) in (None, user)
            and versions[-1]["path"].startswith(base)
        }

    def base(self, user, base):
        return self.folder(base, user) if base else ""

    def write(self, ident, who, base, text, path, tags, key, replaces, expected):
        agent, user, run = who
        base = self.base(user, base)
        slot = (agent, user, run, key)
        if key is not None and slot in self.keys:
            return self.keys[slot]
        if not text.strip():
            raise Refused("invalid")
        folder = None if path is None else self.folder(path, user, base)
        if replaces is not None:
            old = self.visible(agent, user, base).get(replaces)
            if old is None:
                raise Refused("not_found")
            if expected not in (None, len(old)):
                raise Refused("version_conflict")
            target = old[-1]["path"] if folder is None else folder
            if self.owner(target) != self.owner(old[-1]["path"]):
                raise Refused("cannot_move")
            kept = old[-1]["tags"] if tags == () else tuple(tags)
            ident, versions = replaces, old
        else:
            target, kept, versions = folder if folder is not None else base, tuple(tags), []
            held = [v[-1]["path"] for a, v in self.facts.values() if a == agent]
            owner = self.owner(target)
            if len(held) >= CAP or (owner and sum(self.owner(p) == owner for p in held) >= QUOTA):
                raise Refused("memory_full")
        self.time += 1
        version = {"id": ident, "path": target, "text": text, "tags": kept, "run": run,
                   "version": len(versions) + 1, "time": self.time}  # fmt: skip
        self.facts[ident] = (agent, [*versions, version])
        if key is not None:
            self.keys[slot] = version
        return version

    def find(self, ident, who, base):
        versions = self.visible(who[0], who[1], self.base(who[1], base)).get(ident)
        if versions is None:
            raise Refused("not_found")
        return versions

    def forget(self, ident, who, base):
        self.find(ident, who, base)
        del self.facts[ident]

    def list(self, who, base, path, tags):
        base = self.base(who[1], base)
        folder = self.folder(path, who[1], base)
        found = [v[-1] for v in self.visible(who[0], who[1], folder).values()]
        return sorted((f for f in found if set(tags) <= set(f["tags"])), key=lambda f: -f["time"])

    def search(self, who, base, query, tags):
        if not query.strip():
            return self.list(who, base, "", tags)
        fold = str.maketrans("Iışİ", "iisi")
        words = lambda text: text.translate(fold).lower().replace("ş", "s").split()  # noqa: E731
        seen = [v[-1] for v in self.visible(who[0], who[1], "").values()]
        mean = sum(len(words(f["text"])) for f in seen) / max(len(seen), 1)
        scores = {}
        for asked in dict.fromkeys(words(query)):
            shares = {
                f["id"]: sum(len(asked) / len(w) for w in words(f["text"]) if w.startswith(asked))
                for f in seen
            }
            shares = {ident: share for ident, share in shares.items() if share}
            idf = math.log(1 + (len(seen) - len(shares) + 0.5) / (len(shares) + 0.5))
            for f in seen:
                share = shares.get(f["id"])
                if share:
                    norm = 1.2 * (0.25 + 0.75 * len(words(f["text"])) / mean)
                    scores[f["id"]] = scores.get(f["id"], 0) + idf * share * 2.2 / (share + norm)
        listed = [f for f in self.list(who, base, "", tags) if f["id"] in scores]
        scored = [{**f, "score": round(scores[f["id"]], 9)} for f in listed]
        return sorted(scored, key=lambda f: -f["score"])

    def erase(self, agent, user):
        gone = [
            ident
            for ident, (whose, versions) in self.facts.items()
            if whose == agent and self.owner(versions[-1]["path"]) == user
        ]
        for ident in gone:
            del self.facts[ident]
        self.keys = {slot: f for slot, f in self.keys.items() if slot[:2] != (agent, user)}
        return len(gone)


def plain(fact):
    """What the model knows of a fact."""
    return (fact.id, fact.path, fact.text, fact.tags, fact.version, fact.source.run_id)


def of_model(version):
    return tuple(version[name] for name in ("id", "path", "text", "tags", "version", "run"))


class Comparison(RuleBasedStateMachine):
    """Every rule calls the store and the model and compares what they answer."""

    facts = Bundle("facts")

    def __init__(self):
        super().__init__()
        self.store = FactStore(
            ":memory:", max_facts_per_agent=CAP, max_facts_per_user=QUOTA, clock=lambda: 0.0
        )
        self.model = Model()

    def teardown(self):
        self.store.close()

    def same(self, ask, expect):
        """Both answer, or both refuse with one code; return the store's answer."""
        try:
            found, refusal = ask(), None
        except FactRefused as error:
            found, refusal = None, error.code
        try:
            expected, refused = expect(found), None
        except Refused as error:
            expected, refused = None, str(error)
        assert refusal == refused
        if isinstance(found, list):
            assert [plain(f) for f in found] == [of_model(v) for v in expected]
            assert [f.score for f in found] == pytest.approx([v.get("score") for v in expected])
        elif found is not None:
            assert plain(found) == of_model(expected)
        return found

    def handle(self, who, base):
        mem = self.store.open(agent=who[0], user=who[1], run=who[2])
        return mem.at(base) if base else mem

    @rule(target=facts, agent=AGENTS, user=USERS, run=RUNS, base=BASES, text=TEXTS, tags=TAGS,
          path=st.none() | PATHS, key=KEYS, blank=st.sampled_from(["", "", "", " "]))  # fmt: skip
    def remember(self, agent, user, run, base, text, tags, path, key, blank):
        text = blank or text
        who = (agent, user, run)
        fact = self.same(
            lambda: self.handle(who, base).remember(text, path=path, tags=tags, key=key),
            lambda found: self.model.write(
                found.id if found else None, who, base, text, path, tags, key, None, None
            ),
        )
        return fact.id if fact else multiple()

    @rule(ident=facts, agent=AGENTS, user=USERS, run=RUNS, base=BASES, text=TEXTS, tags=TAGS,
          path=st.none() | PATHS, key=KEYS, expected=EXPECTED)  # fmt: skip
    def replace(self, ident, agent, user, run, base, text, tags, path, key, expected):
        who = (agent, user, run)
        self.same(
            lambda: self.handle(who, base).remember(
                text, path=path, tags=tags, key=key, replaces=ident, expected_version=expected
            ),
            lambda _: self.model.write(None, who, base, text, path, tags, key, ident, expected),
        )

    @rule(ident=facts, agent=AGENTS, user=USERS, base=BASES, sure=SURE)
    def forget(self, ident, agent, user, base, sure):
        if not sure:
            return
        who = (agent, user, "r1")
        self.same(
            lambda: self.handle(who, base).forget(ident),
            lambda _: self.model.forget(ident, who, base),
        )

    @rule(ident=facts, agent=AGENTS, user=USERS, base=BASES)
    def read(self, ident, agent, user, base):
        who = (agent, user, "r1")
        self.same(
            lambda: self.handle(who, base).get(ident),
            lambda _: self.model.find(ident, who, base)[-1],
        )
        self.same(
            lambda: self.handle(who, base).history(ident),
            lambda _: self.model.find(ident, who, base),
        )

    @rule(agent=AGENTS, user=USERS, base=BASES, path=PATHS, tags=TAGS, query=QUERIES)
    def look(self, agent, user, base, path, tags, query):
        who = (agent, user, "r1")
        self.same(
            lambda: list(self.handle(who, base).list(path=path, tags=tags)),
            lambda _: self.model.list(who, base, path, tags),
        )
        self.same(
            lambda: self.handle(who, base).search(query, k=50, tags=tags),
            lambda _: self.model.search(who, base, query, tags),
        )

    @rule(agent=AGENTS, user=st.sampled_from(["u1", "u2"]), sure=SURE)
    def erase(self, agent, user, sure):
        if not sure:
            return
        assert self.store.erase_user(agent, user) == self.model.erase(agent, user)

    @invariant()
    def users_never_see_each_other(self):
        for agent in ("a", "b"):
            for user in ("u1", "u2", None):
                mem = self.store.open(agent=agent, run="look", user=user)
                for fact in [*mem.list(), *mem.search("t c i", k=50)]:
                    assert Model.owner(fact.path) in (None, user)
                    assert self.model.facts[fact.id][0] == agent


TestComparison = Comparison.TestCase
TestComparison.settings = settings(
    max_examples=int(os.environ.get("MEMORY_INJECTION_EXAMPLES", "25")),
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
