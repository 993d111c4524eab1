"""What a visitor may do: tokens, the cookie that they are exchanged for, and looking only.

On loopback everybody on the machine may edit, as with any program of theirs. Any other address
needs a token. It comes once in the URL and goes into a cookie at once, because viser's page cuts
the query off when it opens the WebSocket, and because a URL is easily shown to others.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote, unquote_plus

from workbench.errors import UsageError
from workbench.ui.guard import HeaderReader

_TOKEN = re.compile(r"[\x21-\x7e]{8,200}")


class Access(Enum):
    """What a visitor may do with the page."""

    LOOK = "look"
    EDIT = "edit"


@dataclass(frozen=True)
class Entry:
    """The outcome of looking at a request's credentials.

    Attributes:
        access: What the visitor may do; None when they may not come in.
        redirect: Path and query to send the visitor to, with ``cookie``; None for no redirect.
        cookie: ``Set-Cookie`` header for the redirect.
    """

    access: Access | None
    redirect: str | None = None
    cookie: str | None = None


@dataclass(frozen=True)
class Keys:
    """The tokens of one server.

    Attributes:
        edit: Token that lets a visitor do everything; None when no token is needed.
        look: Token that lets a visitor look; None when no token is needed.
        cookie_name: Name of the cookie. Browsers share cookies between the ports of a host, so
            the name holds the port.
        read_only: Whether everybody only looks.
    """

    edit: str | None
    look: str | None
    cookie_name: str
    read_only: bool = False

    @classmethod
    def make(
        cls, *, needed: bool, token: str | None, port: int, read_only: bool = False
    ) -> Keys:  # fmt: skip
        """Make the tokens of a server that starts.

        Args:
            needed: Whether the address that is bound needs a token.
            token: Token that the user chose, None for a random one.
            port: Port that the socket is bound to.
            read_only: Whether everybody only looks.

        Raises:
            UsageError: If the chosen token is too short or holds characters other than visible
                ASCII.
        """
        if token is not None and not _TOKEN.fullmatch(token):
            raise UsageError(
                "this token cannot be used",
                field="--token",
                expected="8 to 200 visible ASCII characters without spaces",
            )
        name = f"workbench_{port}"
        if not needed and token is None:
            return cls(None, None, name, read_only)
        return cls(token or secrets.token_urlsafe(24), secrets.token_urlsafe(24), name, read_only)

    @property
    def required(self) -> bool:
        """Whether a visitor needs a token."""
        return self.edit is not None

    def query(self, access: Access) -> str:
        """Return ``?token=...`` for a URL to print, or nothing when no token is needed."""
        token = self.edit if access is Access.EDIT else self.look
        return "" if token is None else "?token=" + quote(token, safe="")

    def enter(self, target: str, headers: HeaderReader) -> Entry:
        """Judge a request's token, cookie or ``Authorization`` header.

        Args:
            target: Request target as sent, path and query.
            headers: The request's headers.
        """
        if self.edit is None:
            return Entry(self._limited(Access.EDIT))
        path, token = _without_token(target)
        if token is not None:
            access = self._access_of_token(token)
            if access is None:
                return Entry(None)
            # Strict cookies are not for other sites, HttpOnly ones not for scripts. "Secure" would
            # lose the cookie on plain http, and only a proxy could know that there is TLS.
            cookie = (
                f"{self.cookie_name}={self._cookie_value(access)}; "
                "Path=/; HttpOnly; SameSite=Strict"
            )
            return Entry(access, path, cookie)
        for header in headers.get_all("Authorization"):
            scheme, _, credentials = header.strip().partition(" ")
            if scheme.lower() == "bearer":
                return Entry(self._access_of_token(credentials.strip()))
        return Entry(self._access_of_cookie(headers))

    def _limited(self, access: Access) -> Access:
        return Access.LOOK if self.read_only else access

    def _access_of_token(self, token: str) -> Access | None:
        """Compare with both tokens, in a time that tells nothing about them."""
        given = token.encode("utf-8", "replace")
        may_edit = hmac.compare_digest(given, (self.edit or "").encode())
        may_look = hmac.compare_digest(given, (self.look or "").encode())
        if may_edit:
            return self._limited(Access.EDIT)
        return Access.LOOK if may_look else None

    def _access_of_cookie(self, headers: HeaderReader) -> Access | None:
        values: list[bytes] = []
        # By hand: one malformed cookie of another program on this host must not hide ours.
        for pair in ";".join(headers.get_all("Cookie")).split(";"):
            name, _, value = pair.strip().partition("=")
            if name == self.cookie_name:
                values.append(value.encode("utf-8", "replace"))
        for access in (Access.EDIT, Access.LOOK):
            expected = self._cookie_value(access).encode()
            if any([hmac.compare_digest(value, expected) for value in values]):
                return self._limited(access)
        return None

    def _cookie_value(self, access: Access) -> str:
        """Derive the cookie from the token: it opens this page, and does not tell the token."""
        token = self.edit if access is Access.EDIT else self.look
        message = f"{self.cookie_name}:{access.value}".encode()
        return hmac.new((token or "").encode(), message, hashlib.sha256).hexdigest()


def _without_token(target: str) -> tuple[str, str | None]:
    """Split ``/path?token=T&rest`` into ``/path?rest`` and ``T``; None when there is no token."""
    path, _, query = target.partition("?")
    kept: list[str] = []
    token: str | None = None
    for pair in query.split("&") if query else []:
        name, _, value = pair.partition("=")
        if unquote_plus(name) == "token":
            token = unquote_plus(value)
        else:
            kept.append(pair)
    return path + ("?" + "&".join(kept) if kept else ""), token
