"""Finds the control, command, form or gizmo that a message means, if it can be used now.

Reads viser's own registries: those of the shared page and, for what one client alone is shown
(a question to one user), those of that client.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import viser

from workbench.ui.frames import Refused

Scopes = Sequence[viser.GuiApi]

_UNKNOWN = "There is no such control."
_DISABLED = "That control is disabled or hidden."
_DEEPEST_NESTING = 100


def scopes_of(server: viser.ViserServer, client_id: int) -> Scopes:
    """Return the registries of controls that a client sees."""
    page = server.get_clients().get(client_id)
    return (server.gui,) if page is None else (server.gui, page.gui)


def find_input(scopes: Scopes, uuid: str) -> Any | None:
    """Return a control, whether it can be used now or not."""
    for scope in scopes:
        handle = scope._gui_input_handle_from_uuid.get(uuid)
        if handle is not None and not handle._impl.removed:
            return handle
    return None


def usable_input(scopes: Scopes, uuid: str) -> Any:
    """Return a control that a user can change now.

    Raises:
        Refused: If there is none, or it is disabled or hidden.
    """
    handle = find_input(scopes, uuid)
    if handle is None:
        raise Refused(_UNKNOWN)
    if getattr(handle, "disabled", False) or not is_shown(scopes, handle):
        raise Refused(_DISABLED)
    return handle


def is_shown(scopes: Scopes, handle: Any) -> bool:
    """Tell whether a control and every container around it are visible."""
    for _ in range(_DEEPEST_NESTING):
        if handle is None:
            break
        if getattr(handle, "visible", True) is False:
            return False
        handle = _container_of(scopes, handle)
    return True


def _container_of(scopes: Scopes, handle: Any) -> Any | None:
    # A tab stands between its children and its group or panel.
    group = getattr(handle, "_parent", None)
    if group is not None:
        return group
    uuid = getattr(getattr(handle, "_impl", None), "parent_container_id", None)
    if uuid is None:
        return None
    found = (scope._container_handle_from_uuid.get(uuid) for scope in scopes)
    return next((container for container in found if container is not None), None)


def check_form(scopes: Scopes, uuid: str) -> None:
    """Raise Refused unless there is a form of that number on the page."""
    for scope in scopes:
        form = scope._container_handle_from_uuid.get(uuid)
        if isinstance(form, viser.GuiFormHandle):
            if not is_shown(scopes, form):
                raise Refused(_DISABLED)
            return
    raise Refused(_UNKNOWN)


def check_command(scopes: Scopes, uuid: str) -> None:
    """Raise Refused unless the command palette holds that command."""
    for scope in scopes:
        command = scope._command_handle_from_uuid.get(uuid)
        if command is not None and not command._impl.removed:
            if command.disabled:
                raise Refused(_DISABLED)
            return
    raise Refused(_UNKNOWN)


def find_gizmo(server: viser.ViserServer, name: str) -> viser.TransformControlsHandle | None:
    """Return a gizmo of the shared scene by its node name."""
    gizmo = server.scene._handle_from_transform_controls_name.get(name)
    return None if gizmo is None or gizmo._impl.removed else gizmo


def usable_gizmo(server: viser.ViserServer, name: str) -> viser.TransformControlsHandle:
    """Return a gizmo that a user can move now.

    Raises:
        Refused: If there is none, or it is hidden.
    """
    gizmo = find_gizmo(server, name)
    if gizmo is None:
        raise Refused("There is no such gizmo.")
    if not gizmo.visible:
        raise Refused("That gizmo is hidden.")
    return gizmo
