"""Whose memory a call uses: its own scope, over the one around it, over a client's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from .records import Scope

__all__ = ["Scoped"]

_SCOPES: ContextVar[Mapping[int, Scope]] = ContextVar("memory_injection_scopes", default={})  # noqa: B039


class Scoped:
    """Base of what is called for a scope: sets one, and finds the one in force."""

    @contextmanager
    def scope(
        self,
        user: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        run: str | None = None,
    ) -> Iterator[Scope]:
        """Set whose memory calls inside the ``with`` block use; safe across threads and tasks.

        Scopes nest: ids not given here are inherited, unless another user is named.

        Raises:
            ConfigurationError: an empty id.
        """
        scopes = _SCOPES.get()
        inner = Scope(user, session, agent, run).over(scopes.get(id(self), Scope()))
        token = _SCOPES.set({**scopes, id(self): inner})
        try:
            yield inner
        finally:
            _SCOPES.reset(token)

    def _effective(
        self, scope: Scope | Mapping[str, str] | None, base: Scope | None = None
    ) -> Scope:
        current = _SCOPES.get().get(id(self))
        result = base or Scope()
        if current is not None:
            result = current.over(result)
        return result if scope is None else Scope.of(scope).over(result)

    def current_scope(self, scope: Scope | Mapping[str, str] | None = None) -> Scope:
        """Return whose memory a call made now uses: *scope* over the one set by :meth:`scope`.

        Raises:
            ConfigurationError: a scope with an empty id.
        """
        return self._effective(scope)
