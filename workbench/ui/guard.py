"""Who may talk to this server: rules on a request's target and headers, as pure functions.

A browser sends requests to a local server on behalf of *any* page that it shows. Three headers
tell them apart: ``Host`` (another name for our address is DNS rebinding), ``Origin`` (another
page than ours) and the query (viser's page connects to whatever server its URL names, so a link
could run foreign HTML under our origin). The same rules hold for HTTP and for the WebSocket.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import unquote_plus

from workbench.errors import UsageError

CONTENT_SECURITY_POLICY = (
    "connect-src 'self' data: blob:; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"
)
"""What our pages may do: talk to us alone, and never inside somebody else's frame."""

SECURITY_HEADERS = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
"""Sent with every answer, whatever its status."""

FORBIDDEN_QUERY_KEYS = frozenset({"websocket", "playbackpath"})
"""Query keys, case folded, by which viser's page would load a scene from elsewhere."""

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?")
_DEEPEST_ENCODING = 4


class HeaderReader(Protocol):
    """What is read of a request's headers; ``websockets``' ``Headers`` is one."""

    def get_all(self, key: str, /) -> Sequence[str]:
        """Return every value of a header, by case-insensitive name; empty when absent."""
        ...


@dataclass(frozen=True)
class Authority:
    """The ``host[:port]`` of a URL.

    Attributes:
        host: Lower-case name, or an IP address in its shortest form without brackets.
        port: Port, or None where none was written.
    """

    host: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Authority | None:
        """Read ``name``, ``name:port``, ``1.2.3.4:port`` or ``[::1]:port``; None if it is none."""
        match = _AUTHORITY.fullmatch(text)
        if match is None:
            return None
        port = None if match["port"] is None else int(match["port"])
        if port is not None and not 0 < port < 65536:
            return None
        host = match["host"]
        if host.startswith("["):
            try:
                return cls(str(ipaddress.IPv6Address(host[1:-1])), port)
            except ValueError:
                return None
        return cls(host.lower(), port)


@dataclass(frozen=True)
class ServedHosts:
    """The names and ports under which this server may be reached.

    Attributes:
        pairs: Every (host, port) that is served; hosts as in :class:`Authority`.
        port: Port that the socket is bound to.
        wildcard: Whether the socket is bound to every address of the machine. The address that a
            connection came in on then counts as bound, too; rebinding works with names only, so
            an address is safe.
    """

    pairs: frozenset[tuple[str, int]]
    port: int
    wildcard: bool = False

    @classmethod
    def build(
        cls, bound_hosts: Iterable[str], port: int, allowed: Iterable[str] = ()
    ) -> ServedHosts:
        """Collect the loopback names, what is bound and what the user allows besides.

        Args:
            bound_hosts: Host that was asked for, and the address that it stands for.
            port: Port that the socket is bound to.
            allowed: ``NAME[:PORT]``. Without a port 80, 443 and the bound port are served.

        Raises:
            UsageError: If one of ``allowed`` is no host.
        """
        hosts = [plain_host(host) for host in bound_hosts]
        pairs = {(host, port) for host in (*LOOPBACK_NAMES, *hosts)}
        for text in allowed:
            authority = Authority.parse(text)
            if authority is None:
                raise UsageError(
                    "this is no host name",
                    field="--allow-host",
                    value=text,
                    expected="NAME or NAME:PORT, such as robots.example.org or [fd00::5]:8443",
                )
            ports = {80, 443, port} if authority.port is None else {authority.port}
            pairs |= {(authority.host, one) for one in ports}
        return cls(frozenset(pairs), port, any(is_wildcard(host) for host in hosts))

    def serves(
        self, host: str, ports: Iterable[int], local_address: str | None = None
    ) -> bool:  # fmt: skip
        """Tell whether ``host`` is served on one of ``ports``."""
        ports = set(ports)
        if any((host, port) in self.pairs for port in ports):
            return True
        arrived_here = local_address is not None and host == plain_host(local_address)
        return self.wildcard and arrived_here and self.port in ports

    def allows_host(self, header: str, local_address: str | None = None) -> bool:
        """Tell whether a ``Host`` header names this server."""
        authority = Authority.parse(header)
        if authority is None:
            return False
        ports = (80, 443) if authority.port is None else (authority.port,)
        return self.serves(authority.host, ports, local_address)

    def allows_origin(self, header: str, local_address: str | None = None) -> bool:
        """Tell whether an ``Origin`` header names a page of this server; ``null`` never does."""
        scheme, separator, rest = header.lower().partition("://")
        authority = Authority.parse(rest)
        if not separator or scheme not in _DEFAULT_PORTS or authority is None:
            return False
        port = _DEFAULT_PORTS[scheme] if authority.port is None else authority.port
        return self.serves(authority.host, (port,), local_address)


def plain_host(host: str) -> str:
    """Return a host as :class:`Authority` holds it: no brackets, no zone, shortest form."""
    text = host.strip("[]").partition("%")[0].lower()
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def is_wildcard(host: str) -> bool:
    """Tell whether a host to bind means every address of the machine."""
    return host in ("0.0.0.0", "::", "")


def is_loopback(address: str) -> bool:
    """Tell whether an IP address can be reached from this machine alone."""
    try:
        return ipaddress.ip_address(plain_host(address)).is_loopback
    except ValueError:
        return False


def query_keys(query: str) -> set[str]:
    """Return the keys of a query string in every reading that a page could give them.

    Percent escapes are resolved again and again, so that a doubly escaped key is found as well;
    keys come back stripped and case folded.
    """
    keys: set[str] = set()
    for pair in query.split("&"):
        name = pair.partition("=")[0]
        for _ in range(_DEEPEST_ENCODING):
            keys.add(name.strip().casefold())
            name = unquote_plus(name)
        keys.add(name.strip().casefold())
    return keys


def refusal(
    target: str, headers: HeaderReader, served: ServedHosts, local_address: str | None = None
) -> str | None:
    """Judge a request before anything else looks at it.

    Args:
        target: Request target as sent, path and query.
        headers: The request's headers.
        served: Names under which this server may be reached.
        local_address: Address on which the connection came in.

    Returns:
        Why the request is refused, as one sentence for its sender; None when it is not.
    """
    hosts = headers.get_all("Host")
    if len(hosts) != 1:
        return "A request names exactly one Host."
    if not served.allows_host(hosts[0], local_address):
        return (
            "This server is not served under that host name; "
            "start it with --allow-host NAME[:PORT] to allow one."
        )
    origins = headers.get_all("Origin")
    if len(origins) > 1 or not all(served.allows_origin(one, local_address) for one in origins):
        return "Pages of other origins may not talk to this server."
    # A redirect repeats the target, and browsers read "//host" and "/\\host" as another server.
    plain = target.isascii() and target.isprintable() and "\\" not in target
    if not plain or not target.startswith("/") or target.startswith("//"):
        return "A request names a path on this server."
    query = target.partition("#")[0].partition("?")[2]
    if not FORBIDDEN_QUERY_KEYS.isdisjoint(query_keys(query)):
        return "This page never loads a scene from elsewhere."
    return None
