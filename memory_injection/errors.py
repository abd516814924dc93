"""Every error this library raises, in one tree with one root.

::

    MemoryInjectionError
    ├── ConfigurationError (ValueError)      a programming mistake, found at construction
    │   └── MissingDependencyError (ImportError)   an extra is not installed
    ├── InputError (ValueError)              a bad argument of one call
    │   └── UnknownStoreError                a store name nobody registered
    ├── StoreError                           a store could not do what it was asked
    │   └── StoreClosedError                 it was used after ``close()``
    ├── StoreErrors (ExceptionGroup)         several stores failed in one call, one member each
    ├── FactRefused                          a fact operation the rules do not allow
    └── InvocationEnded                      a run's view of the facts was used after ``close()``

Nothing in this tree ever comes out of ``inject`` or a wrapped model call for run-time trouble:
there, failures are data in the report.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

if sys.version_info >= (3, 11):
    from builtins import ExceptionGroup
else:
    from exceptiongroup import ExceptionGroup

__all__ = [
    "ConfigurationError",
    "FactRefused",
    "InputError",
    "InvocationEnded",
    "MemoryInjectionError",
    "MissingDependencyError",
    "StoreClosedError",
    "StoreError",
    "StoreErrors",
    "UnknownStoreError",
]


class MemoryInjectionError(Exception):
    """Root of the tree: catch this to catch everything the library raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by what is kept, since ``__init__`` takes other arguments than that.

        An error that cannot be unpickled breaks the process pool it comes out of.
        """
        return _remade, (type(self), self.args), self.__dict__


def _remade(kind: type[MemoryInjectionError], args: tuple[Any, ...]) -> MemoryInjectionError:
    return kind.__new__(kind, *args)


class ConfigurationError(MemoryInjectionError, ValueError):
    """A programming mistake, found when the object is built and named in one line."""


class MissingDependencyError(ConfigurationError, ImportError):
    """An optional dependency is not installed; the message holds the ``pip install`` line."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        """Name the missing *package*, the *extra* that brings it and what it is for."""
        self.package = package
        self.extra = extra
        super().__init__(
            f"{purpose} needs the package {package!r}, which is not installed: "
            f"run  pip install 'memory-injection[{extra}]'"
        )


class InputError(MemoryInjectionError, ValueError):
    """A bad argument of one call; nothing was read or written."""


class UnknownStoreError(InputError):
    """A store name that is not registered with the manager."""


class StoreError(MemoryInjectionError):
    """A store could not do what it was asked; ``store`` names it.

    Attributes:
        store: name of the store, or None when raised before the store has one.
    """

    def __init__(self, message: str, store: str | None = None) -> None:
        """Keep the *message* and the *store* it speaks of."""
        self.store = store
        super().__init__(message)


class StoreClosedError(StoreError):
    """The store was used after ``close()``."""


class StoreErrors(MemoryInjectionError, ExceptionGroup[StoreError]):
    """Several stores failed in one call: one :class:`StoreError` each.

    The group's message lists every failing store by name; ``str()`` adds each one's reason.
    """

    def __new__(cls, message: str, errors: Sequence[StoreError]) -> StoreErrors:
        """Build the group from one error per failing store."""
        return super().__new__(cls, message, errors)

    def __str__(self) -> str:
        return f"{self.message}: {'; '.join(str(error) for error in self.exceptions)}"

    def derive(self, excs: Sequence[StoreError]) -> StoreErrors:  # type: ignore[override]
        """Keep the type when the group is split (``except*``)."""
        return StoreErrors(self.message, excs)


class FactRefused(MemoryInjectionError):
    """A fact operation was refused and changed nothing.

    Attributes:
        code: short machine-readable word, e.g. ``"not_found"``.
        status: the HTTP status the same refusal has over HTTP, e.g. ``404``.
        message: one sentence for a person.
    """

    def __init__(self, code: str, status: int, message: str) -> None:
        """Keep *code*, *status* and *message*; ``str()`` reads ``code: message``."""
        self.code = code
        self.status = status
        self.message = message
        super().__init__(f"{code}: {message}")


class InvocationEnded(MemoryInjectionError):
    """One run's view of the facts was used after it was closed."""
