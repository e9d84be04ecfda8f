"""Connections: how many the server of results holds open, and how long."""

from __future__ import annotations

from contextlib import suppress
from socket import SHUT_RDWR, socket
from threading import Lock
from time import monotonic

MAX_CONNECTIONS = 64
"""How many may be open. One more ends the oldest that has not sent its request yet."""
REQUEST_SECONDS = 10.0
"""How long a request may take to arrive, however slowly its bytes come."""
SENDING_SECONDS = 60.0
"""How long an answer may take to be read."""


class Connections:
    """The connections that are open, and until when each may be.

    An attacker, or a browser that connects in advance, may open many and send nothing, or a byte
    a minute: neither may keep others out or hold threads for good.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._until: dict[socket, float | None] = {}
        self._reading: dict[socket, None] = {}

    def admit(self, connection: socket) -> bool:
        """Take a new connection; False if there are too many that cannot be ended."""
        with self._lock:
            if len(self._until) >= MAX_CONNECTIONS:
                if not self._reading or len(self._until) >= 2 * MAX_CONNECTIONS:
                    return False
                self._end(next(iter(self._reading)))
            self._until[connection] = monotonic() + REQUEST_SECONDS
            self._reading[connection] = None
            return True

    def expect(self, connection: socket, seconds: float | None) -> None:
        """The request has arrived; the connection is ended after these seconds, if given."""
        with self._lock:
            self._reading.pop(connection, None)
            if connection in self._until:
                self._until[connection] = None if seconds is None else monotonic() + seconds

    def forget(self, connection: socket) -> None:
        """Forget a connection that is closed."""
        with self._lock:
            self._until.pop(connection, None)
            self._reading.pop(connection, None)

    def end_overdue(self) -> None:
        """End those whose time is over; their threads then find nothing more to read or send."""
        now = monotonic()
        with self._lock:
            for connection, until in list(self._until.items()):
                if until is not None and until < now:
                    self._end(connection)

    def _end(self, connection: socket) -> None:
        self._reading.pop(connection, None)
        self._until[connection] = None
        with suppress(OSError):
            connection.shutdown(SHUT_RDWR)
