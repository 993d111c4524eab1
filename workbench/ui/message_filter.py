"""Refuses what a browser must not send, before viser sees it, and puts the sender right.

viser applies and broadcasts a client's value before any callback hears of it, takes any value for
any attribute of a control, and gives every client every right. So each message is judged here, in
the order in which it came, on the server's event loop: by its form (:mod:`workbench.ui.frames`),
by what its sender may do, and by the control or gizmo that it means. A refused message changes
nothing for anyone; its sender gets the value in force, which its page shows already changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import viser
from viser.infra import ClientId, WebsockClientConnection

from workbench.errors import WorkbenchError
from workbench.ui.access import Access
from workbench.ui.connection import GuardedConnection
from workbench.ui.control_values import checked_value
from workbench.ui.corrections import Corrections
from workbench.ui.frames import (
    Message,
    Refused,
    check_fields,
    normalised,
    read_frame,
    write_frame,
)
from workbench.ui.page_lookup import (
    Scopes,
    check_command,
    check_form,
    scopes_of,
    usable_gizmo,
    usable_input,
)
from workbench.ui.uploads import UPLOAD_LIMIT_BYTES, Uploads

REPEAT_AFTER_S = 5.0

DragPhase = Literal["start", "update", "end"]
GizmoOwner = Callable[[str, int, DragPhase], bool]
ValueCheck = Callable[[Any], None]


@dataclass
class _Client:
    """One open page.

    Attributes:
        id: viser's number of it.
        connection: Its socket.
        corrections: Puts it right.
        told_reason: Why its last refused message was refused.
        told_at_s: When that was said, on the event loop's clock.
    """

    id: int
    connection: GuardedConnection
    corrections: Corrections
    told_reason: str = ""
    told_at_s: float = 0.0


class MessageFilter:
    """Judges the messages of all clients.

    ``check``, ``open_to_lookers``, ``on_refused`` and ``gizmo_owner`` may be called from any
    thread; what is registered runs on the server's event loop and must be quick.
    """

    def __init__(self, *, upload_limit_bytes: int = UPLOAD_LIMIT_BYTES) -> None:
        """Refuse everything until :meth:`attach`."""
        self._server: viser.ViserServer | None = None
        self._clients: dict[int, _Client] = {}
        self._uploads = Uploads(upload_limit_bytes)
        self._checks: dict[str, list[ValueCheck]] = {}
        self._open_to_lookers: set[str] = set()
        self._refused_callbacks: list[Callable[[int, str], None]] = []
        self._gizmo_callbacks: list[GizmoOwner] = []
        self._owners: dict[str, int] = {}
        self.refused_count = 0
        """How many messages were refused since the start."""

    # What the page registers -------------------------------------------------------------

    def check(self, handle: Any, accepts: ValueCheck) -> None:
        """Check a control's values further than its kind and limits do.

        Args:
            handle: A viser control.
            accepts: Gets the value as the client sent it (tuples are lists) and raises a
                :class:`WorkbenchError` or a ValueError, whose text is the reason, to refuse it.
        """
        self._checks.setdefault(handle._impl.uuid, []).append(accepts)

    def open_to_lookers(self, handle: Any) -> None:
        """Let clients that only look use a control or command too, because it changes nothing."""
        self._open_to_lookers.add(handle._impl.uuid)

    def on_refused(self, callback: Callable[[int, str], None]) -> None:
        """Tell ``callback(client_id, reason)`` when a client is put right.

        For a number that may still be typed that is once the typing rests. The same reason is
        told again only after a while: a drag that is refused is refused 20 times a second.
        """
        self._refused_callbacks.append(callback)

    def gizmo_owner(self, callback: GizmoOwner) -> None:
        """Ask ``callback(name, client_id, phase)`` whether a client may take or move a gizmo.

        The phase is ``"start"`` or ``"update"``; without consent the message is refused. With
        ``"end"`` it hears that the drag is over, or that the client is gone; what it returns then
        does not matter. A gizmo that one client drags is never asked about for another one.
        """
        self._gizmo_callbacks.append(callback)

    def owner_of(self, gizmo_name: str) -> int | None:
        """Return the client that is dragging a gizmo, by its scene name."""
        return self._owners.get(gizmo_name)

    def access_of(self, client_id: int) -> Access | None:
        """Return what a client may do; None when it is gone."""
        client = self._clients.get(client_id)
        return None if client is None else client.connection.access

    @property
    def client_ids(self) -> tuple[int, ...]:
        """The open pages."""
        return tuple(self._clients)

    # Called by the server ----------------------------------------------------------------

    def attach(self, server: viser.ViserServer) -> None:
        """Start to let messages through to a viser server."""
        self._server = server

    def add_client(self, connection: GuardedConnection, outbox: WebsockClientConnection) -> None:
        """Note a client before its first message."""
        connection.client_id = outbox.client_id
        corrections = Corrections(outbox)
        self._clients[outbox.client_id] = _Client(outbox.client_id, connection, corrections)

    def drop_client(self, client_id: int) -> None:
        """Forget a client, its uploads and its drags."""
        client = self._clients.pop(client_id, None)
        if client is not None:
            client.corrections.stop()
        self._uploads.drop_client(client_id)
        for name in [name for name, owner in self._owners.items() if owner == client_id]:
            self._release(name, client_id)

    def admit(self, connection: GuardedConnection, frame: str | bytes) -> bytes | None:
        """Judge one frame: return what viser may see of it, None when it is refused."""
        client = None if connection.client_id is None else self._clients.get(connection.client_id)
        server = self._server
        if client is None or server is None:
            return None
        message: Message = {}
        try:
            message = read_frame(frame)
            check_fields(message)
            corrected = self._judge(server, client, message)
        except Refused as refusal:
            self._refuse(server, client, message, refusal)
            return None
        client.corrections.leave_alone(message)
        return write_frame(message if corrected is None else corrected)

    # Judging -----------------------------------------------------------------------------

    def _judge(
        self, server: viser.ViserServer, client: _Client, message: Message
    ) -> Message | None:
        """Raise Refused, or return the message with corrections, None for none."""
        kind = message["type"]
        if kind in ("ViewerCameraMessage", "GetRenderResponseMessage"):
            return None
        if client.connection.access is not Access.EDIT:
            if message.get("uuid") not in self._open_to_lookers:
                raise Refused("This page only looks.", known=kind == "FileTransferPart")
        if kind.startswith("TransformControls"):
            return self._judge_gizmo(server, client, message)
        if client.id not in server.get_clients():
            # viser knows a client after its first camera message; before that it would apply the
            # value and call nobody.
            raise Refused("The page is not connected yet.")
        return self._judge_control(scopes_of(server, client.id), client, message)

    def _judge_control(self, scopes: Scopes, client: _Client, message: Message) -> Message | None:
        match message["type"]:
            case "GuiUpdateMessage":
                return self._judge_value(scopes, message)
            case "GuiButtonHoldMessage":
                button = usable_input(scopes, message["uuid"])
                frequencies = getattr(button, "_hold_callback_freqs", ())
                if message["frequency"] not in frequencies:
                    raise Refused("That control is not held.")
            case "GuiFormSubmitMessage" | "GuiFormDirtyMessage":
                check_form(scopes, message["uuid"])
            case "CommandTriggerMessage":
                check_command(scopes, message["uuid"])
            case "FileTransferStartUpload":
                button = usable_input(scopes, message["source_component_uuid"])
                if not isinstance(button, viser.GuiUploadButtonHandle):
                    raise Refused("Files go to upload buttons.")
                return self._uploads.start(client.id, message)
            case "FileTransferPart":
                self._judge_part(scopes, client, message)
        return None

    def _judge_value(self, scopes: Scopes, message: Message) -> Message | None:
        handle = usable_input(scopes, message["uuid"])
        given = message["updates"]["value"]
        value = checked_value(handle, given)
        for accepts in self._checks.get(message["uuid"], ()):
            try:
                accepts(value)
            except (WorkbenchError, ValueError) as error:
                raise Refused(str(error)) from None
        return None if value == given else {**message, "updates": {"value": value}}

    def _judge_part(self, scopes: Scopes, client: _Client, message: Message) -> None:
        try:
            self._uploads.part(client.id, message)
        except Refused:
            self._uploads.drop_client(client.id)
            for scope in scopes:
                scope._drop_uploads_from_client(ClientId(client.id))
            raise

    def _judge_gizmo(
        self, server: viser.ViserServer, client: _Client, message: Message
    ) -> Message | None:
        name = message["name"]
        owner = self._owners.get(name)
        if owner not in (None, client.id):
            raise Refused("Somebody else is moving that gizmo.")
        if message["type"] == "TransformControlsDragEndMessage":
            if owner is None:
                raise Refused("No drag has started.")
            self._release(name, client.id)
            return None
        usable_gizmo(server, name)
        is_start = message["type"] == "TransformControlsDragStartMessage"
        if not is_start and owner is None:
            # viser would show it to everybody, and no drag would ever put it back.
            raise Refused("No drag has started.")
        phase: DragPhase = "start" if is_start else "update"
        if not all([callback(name, client.id, phase) for callback in self._gizmo_callbacks]):
            raise Refused("This page does not hold that gizmo.")
        if is_start:
            self._owners[name] = client.id
            return None
        return {**message, "wxyz": normalised(message["wxyz"])}

    def _release(self, name: str, client_id: int) -> None:
        del self._owners[name]
        for callback in self._gizmo_callbacks:
            callback(name, client_id, "end")

    def _refuse(
        self, server: viser.ViserServer, client: _Client, message: Message, refusal: Refused
    ) -> None:
        self.refused_count += 1
        if refusal.known:
            return
        is_typing = refusal.unfinished and client.connection.access is Access.EDIT

        def tell() -> None:
            now_s = asyncio.get_running_loop().time()
            if client.told_reason == refusal.reason and now_s - client.told_at_s < REPEAT_AFTER_S:
                return
            client.told_reason, client.told_at_s = refusal.reason, now_s
            for callback in self._refused_callbacks:
                callback(client.id, refusal.reason)

        client.corrections.put_right(server, message, is_typing=is_typing, tell=tell)
