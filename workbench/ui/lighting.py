"""Light that is cheap to draw.

viser's own light is an environment map with shadows: on a browser without a graphics card, as on
remote desktops and in tests, it costs most of a frame. The light below shows shapes as well.
"""

from __future__ import annotations

import viser

_SKY_RGB = (255, 255, 255)
_GROUND_RGB = (150, 150, 158)
_ALL_AROUND = 1.3


def light_scene(server: viser.ViserServer) -> None:
    """Replace viser's light: directional lights without shadows, and light from all around."""
    server.scene.configure_environment_map(hdri=None)
    server.scene.configure_default_lights(enabled=True, cast_shadow=False)
    server.scene.add_light_hemisphere(
        "/light", sky_color=_SKY_RGB, ground_color=_GROUND_RGB, intensity=_ALL_AROUND
    )
