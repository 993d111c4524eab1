"""Shows the sender of a refused message what is in force, in place of what its page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import viser
from viser import _messages
from viser.infra import Message, WebsockClientConnection

from workbench.ui.page_lookup import find_gizmo, find_input, scopes_of

TYPING_REST_S = 0.8
"""After this time without a key a number that is out of range counts as typed, and goes back."""

_SECOND_LOOK_S = 0.25


class Corrections:
    """Puts one client right. Used on the server's event loop alone."""

    def __init__(self, outbox: WebsockClientConnection) -> None:
        """Start with nothing to put right.

        Args:
            outbox: Sends to the client alone.
        """
        self._outbox = outbox
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def put_right(
        self,
        server: viser.ViserServer,
        message: Mapping[str, Any],
        *,
        is_typing: bool,
        tell: Callable[[], None],
    ) -> None:
        """Send the present value or pose of what a message tried to change.

        It is sent again a little later if it has changed since: what goes to one client and what
        goes to all travel in two queues, and the older one may have come last.

        Args:
            server: Holds the present values.
            message: The refused message.
            is_typing: Whether to wait until the user has stopped typing.
            tell: Says why, at the same time.
        """
        loop = asyncio.get_running_loop()
        key = _subject(message)

        def look_again(sent: list[Message]) -> None:
            self._timers.pop(key, None)
            if self._present(server, message) != sent:
                self._send(server, message)

        def correct() -> None:
            sent = self._send(server, message)
            if sent:
                self._timers[key] = loop.call_later(_SECOND_LOOK_S, look_again, sent)
            tell()

        self.leave_alone(message)
        if is_typing:
            self._timers[key] = loop.call_later(TYPING_REST_S, correct)
        else:
            correct()

    def _send(self, server: viser.ViserServer, message: Mapping[str, Any]) -> list[Message]:
        present = self._present(server, message)
        for one in present:
            self._outbox.queue_message(one)
        return present

    def _present(self, server: viser.ViserServer, message: Mapping[str, Any]) -> list[Message]:
        return _present(server, self._outbox.client_id, message)

    def leave_alone(self, message: Mapping[str, Any]) -> None:
        """Drop a pending correction: the client has changed the same thing again."""
        timer = self._timers.pop(_subject(message), None)
        if timer is not None:
            timer.cancel()

    def stop(self) -> None:
        """Drop every pending correction: the client is gone."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()


def _subject(message: Mapping[str, Any]) -> str:
    """Return the number or name of what a message is about."""
    return _text(message, "uuid") or _text(message, "name") or _text(message, "transfer_uuid")


def _text(message: Mapping[str, Any], field: str) -> str:
    value = message.get(field)
    return value if isinstance(value, str) else ""


def _present(
    server: viser.ViserServer, client_id: int, message: Mapping[str, Any]
) -> list[Message]:
    """Return the messages that show a client what it tried to change as it is."""
    match message.get("type"):
        case "GuiUpdateMessage":
            return _present_value(server, client_id, _text(message, "uuid"))
        case "TransformControlsUpdateMessage" | "TransformControlsDragStartMessage":
            return _present_pose(server, _text(message, "name"))
        case "FileTransferStartUpload" | "FileTransferPart":
            # The page's button waits until every byte is acknowledged, and its notification then
            # says that all went well.
            button, transfer = _text(message, "source_component_uuid"), _subject(message)
            return [
                _messages.FileTransferPartAck(button, transfer, 1, 1),
                _messages.RemoveNotificationMessage(f"upload-{transfer}"),
            ]
    return []


def _present_value(server: viser.ViserServer, client_id: int, uuid: str) -> list[Message]:
    handle = find_input(scopes_of(server, client_id), uuid)
    if handle is None or isinstance(handle, viser.GuiButtonHandle | viser.GuiUploadButtonHandle):
        return []
    return [_messages.GuiUpdateMessage(uuid, {"value": handle.value})]


def _present_pose(server: viser.ViserServer, name: str) -> list[Message]:
    gizmo = find_gizmo(server, name)
    if gizmo is None:
        return []
    x, y, z = (float(number) for number in gizmo.position)
    qw, qx, qy, qz = (float(number) for number in gizmo.wxyz)
    return [
        _messages.SetPositionMessage(gizmo.name, (x, y, z)),
        _messages.SetOrientationMessage(gizmo.name, (qw, qx, qy, qz)),
    ]
