"""The schema, as numbered functions that are only ever appended to.

The version stands in a table of its own, not in ``user_version``, so that facts can share a file
with another store.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable

from ..errors import StoreError

__all__ = ["MIGRATIONS", "migrate", "version_of"]


def _m001_facts(db: sqlite3.Connection) -> None:
    """Facts by space, their earlier versions, idempotency rows, and the word index.

    The index is a plain table rather than FTS5: its statistics and its cost are those of the
    spaces searched, and what is deleted from it is gone (FTS5 keeps deleted words in older
    segments). ``row`` is the rowid and grows with every write.
    """
    for statement in (
        "CREATE TABLE fact_agents (agent TEXT PRIMARY KEY, facts INTEGER NOT NULL DEFAULT 0,"
        " latest INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID",
        "CREATE TABLE fact_spaces (space INTEGER PRIMARY KEY, agent TEXT NOT NULL,"
        " owner TEXT NOT NULL, session TEXT NOT NULL, run TEXT NOT NULL,"
        " facts INTEGER NOT NULL DEFAULT 0, words INTEGER NOT NULL DEFAULT 0,"
        " UNIQUE (agent, owner, session, run))",
        "CREATE TABLE facts (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " space INTEGER NOT NULL REFERENCES fact_spaces, path TEXT NOT NULL, text TEXT NOT NULL,"
        " tags TEXT NOT NULL, confidence REAL, version INTEGER NOT NULL, created INTEGER NOT NULL,"
        " updated INTEGER NOT NULL, run TEXT, written_by TEXT NOT NULL, words INTEGER NOT NULL,"
        " indexed TEXT NOT NULL, metadata TEXT)",
        "CREATE INDEX facts_newest ON facts (space, updated)",
        "CREATE INDEX facts_folder ON facts (space, path)",
        "CREATE TABLE fact_versions (id TEXT NOT NULL, version INTEGER NOT NULL,"
        " space INTEGER NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL,"
        " confidence REAL, created INTEGER NOT NULL, updated INTEGER NOT NULL, run TEXT,"
        " written_by TEXT NOT NULL, PRIMARY KEY (id, version)) WITHOUT ROWID",
        "CREATE TABLE fact_replies (agent TEXT NOT NULL, user TEXT NOT NULL, run TEXT NOT NULL,"
        " key TEXT NOT NULL, fact TEXT NOT NULL, PRIMARY KEY (agent, user, run, key))"
        " WITHOUT ROWID",
        "CREATE TABLE fact_postings (space INTEGER NOT NULL, word TEXT NOT NULL,"
        " row INTEGER NOT NULL, count INTEGER NOT NULL, words INTEGER NOT NULL,"
        " PRIMARY KEY (space, word, row)) WITHOUT ROWID",
    ):
        db.execute(statement)


def _m002_replies_by_session(db: sqlite3.Connection) -> None:
    """Idempotency keys belong to a session as well: two sessions' equal keys are two writes.

    Kept answers are their fact's session's; one whose fact is gone is nobody's session's.
    """
    db.execute(
        "CREATE TABLE fact_keys (agent TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL,"
        " run TEXT NOT NULL, key TEXT NOT NULL, fact TEXT NOT NULL,"
        " PRIMARY KEY (agent, user, session, run, key)) WITHOUT ROWID"
    )
    sessions = dict(db.execute("SELECT id, session FROM facts JOIN fact_spaces USING (space)"))
    for *owner, run, key, fact in db.execute(
        "SELECT agent, user, run, key, fact FROM fact_replies"
    ):
        session = sessions.get(json.loads(fact)[0], "")
        db.execute(
            "INSERT INTO fact_keys VALUES (?, ?, ?, ?, ?, ?)", (*owner, session, run, key, fact)
        )
    db.execute("DROP TABLE fact_replies")
    db.execute("ALTER TABLE fact_keys RENAME TO fact_replies")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (
    _m001_facts,
    _m002_replies_by_session,
)


def version_of(db: sqlite3.Connection) -> int:
    """Return the schema version of a file: how many migrations it has seen, 0 for a blank one."""
    table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'fact_schema'"
    if db.execute(table).fetchone() is None:
        return 0
    return int(db.execute("SELECT version FROM fact_schema").fetchone()[0])


def _refuse_foreign_tables(db: sqlite3.Connection) -> None:
    names = (
        "SELECT name FROM sqlite_master WHERE name LIKE 'fact\\_%' ESCAPE '\\' OR name = 'facts'"
    )
    found = db.execute(names).fetchone()
    if found is not None:
        raise StoreError(
            f"this file has a table {found[0]!r} that another program made: use a file of its own"
        )


def migrate(
    db: sqlite3.Connection,
    migrations: tuple[Callable[[sqlite3.Connection], None], ...] = MIGRATIONS,
) -> None:
    """Bring a file up to date in one transaction; one that is up to date is only read.

    Raises:
        StoreError: the file was written by a newer version of this library.
    """
    if version_of(db) == len(migrations):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have migrated in between.
        found = version_of(db)
        if found > len(migrations):
            raise StoreError(
                f"the facts in this file have schema version {found}, newer than the "
                f"{len(migrations)} this version of memory_injection knows"
            )
        if found == 0:
            _refuse_foreign_tables(db)
            db.execute("CREATE TABLE fact_schema (version INTEGER NOT NULL)")
            db.execute("INSERT INTO fact_schema VALUES (0)")
        for step in migrations[found:]:
            step(db)
        db.execute("UPDATE fact_schema SET version = ?", (len(migrations),))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # a full disk has ended it already, and is what must be told
            db.execute("ROLLBACK")
        raise
