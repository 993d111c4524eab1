"""Binds the socket that was asked for, or says why not.

viser would walk on to the next port when its own is taken, and a page that was left open would
talk to another program. Here the socket is bound before viser is built.
"""

from __future__ import annotations

import errno
import socket

from workbench.errors import ServerError

_LARGEST_PORT = 65535


def bind(host: str, port: int) -> socket.socket:
    """Bind an address and listen on it.

    Args:
        host: Name or address; ``0.0.0.0`` and ``::`` stand for every address of the machine.
        port: Port; 0 takes a free one.

    Raises:
        ServerError: If the port is taken or the host is not this machine's.
    """
    if not 0 <= port <= _LARGEST_PORT:
        # The system would take the lower 16 bits of it.
        raise ServerError(
            "there is no such port", field="--port", value=port, expected="0 to 65535"
        )
    try:
        found = socket.getaddrinfo(
            host or "0.0.0.0", port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        # A name may stand for addresses of both families; IPv4 is what most tools try first.
        family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        both = host == "::" and socket.has_dualstack_ipv6()
        listener = socket.create_server(
            (address[0], address[1]), family=family, backlog=100, dualstack_ipv6=both
        )
    except socket.gaierror as error:
        raise ServerError(
            f"there is no such host ({error.strerror})",
            field="--host",
            value=host,
            expected="an address of this machine, such as 127.0.0.1",
        ) from None
    except OSError as error:
        raise _bind_error(host, port, error) from None
    listener.setblocking(False)
    return listener


def _bind_error(host: str, port: int, error: OSError) -> ServerError:
    if isinstance(error, PermissionError):
        return ServerError(
            f"port {port} is for privileged users",
            field="--port",
            expected="a port above 1023, or --port 0 for a free one",
        )
    if error.errno == errno.EADDRINUSE:
        return ServerError(
            f"port {port} of {host} is taken by another program",
            field="--port",
            expected="another port, or --port 0 for a free one",
        )
    return ServerError(
        f"{host} cannot be bound ({error.strerror})",
        field="--host",
        expected="an address of this machine, such as 127.0.0.1",
    )
