"""Whose memory a call uses: the scope given, over the one set around it, over a client's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import ref

from .records import Scope

__all__ = ["Scoped", "Scopes", "scopes_as", "scopes_now"]

# Every manager's current scope. A reference to one that has gone equals no other's, where its id
# may come again in a context that outlived it.
Scopes = Mapping["ref[Scoped]", Scope]
_EMPTY: Scopes = {}
_SCOPES: ContextVar[Scopes] = ContextVar("memory_injection_scopes", default=_EMPTY)


def scopes_now() -> Scopes:
    """Return the scopes that are set here, to be laid down again with :func:`scopes_as`."""
    return _SCOPES.get()


@contextmanager
def scopes_as(scopes: Scopes) -> Iterator[None]:
    """Do something later under *scopes* alone, whatever is set around it by then."""
    token = _SCOPES.set(scopes)
    try:
        yield
    finally:
        _SCOPES.reset(token)


class Scoped:
    """Base of :class:`MemoryManager`: scopes that follow threads' and tasks' contexts."""

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
        inner = Scope(user, session, agent, run).over(scopes.get(ref(self), Scope()))
        token = _SCOPES.set({**scopes, ref(self): inner})
        try:
            yield inner
        finally:
            _SCOPES.reset(token)

    def current_scope(
        self, scope: Scope | Mapping[str, str] | None = None, base: Scope | None = None
    ) -> Scope:
        """Return whose memory a call made now uses.

        Args:
            scope: laid over the scope set by :meth:`scope`.
            base: what both are laid over (a wrapped client's own scope).

        Raises:
            ConfigurationError: an empty id or an unknown one.
        """
        current = _SCOPES.get().get(ref(self))
        result = base or Scope()
        if current is not None:
            result = current.over(result)
        return result if scope is None else Scope.of(scope).over(result)
