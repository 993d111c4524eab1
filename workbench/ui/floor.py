"""A grid on the floor, drawn with lines that fade into the background.

viser's own grid is a plane whose every pixel is shaded; without a graphics card it costs more than
twice the time of everything else on an empty page, and lines a tenth of that.
"""

from __future__ import annotations

import numpy as np
import viser
from numpy.typing import NDArray

from workbench.ui.colours import grid_colours, line_colours

_CELLS_PER_SIZE = 10.0
_CELLS_PER_SECTION = 5
_REACH_IN_SIZES = 2.0


class Floor:
    """A square grid around the origin, hidden until :attr:`visible` is set."""

    def __init__(
        self, scene: viser.SceneApi, name: str, *, size_m: float, z_m: float, dark: bool
    ) -> None:
        """Draw it.

        Args:
            scene: Where to.
            name: Name of its node.
            size_m: Extent of the robot that stands on it; the cells are 1, 10 or 100 mm and so on.
            z_m: Height of the floor in the world.
            dark: Whether the page is dark.
        """
        size_m = max(size_m, 1e-3)
        cell_m = float(10.0 ** np.round(np.log10(size_m / _CELLS_PER_SIZE)))
        sections = int(np.ceil(_REACH_IN_SIZES * size_m / (cell_m * _CELLS_PER_SECTION)))
        self._count = sections * _CELLS_PER_SECTION
        self._lines = scene.add_line_segments(
            name,
            cell_m * _points(self._count),
            self._colours(dark),
            thickness=1.5,
            thickness_units="screen",
            position=(0.0, 0.0, z_m),
            visible=False,
        )

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self._lines.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._lines.visible = visible

    def set_dark(self, dark: bool) -> None:
        """Draw it for a dark page or a light one."""
        self._lines.colors = self._colours(dark)

    def remove(self) -> None:
        """Take it out of the scene."""
        self._lines.remove()

    def _colours(self, dark: bool) -> NDArray[np.uint8]:
        """Return the colour of each end of each line, shape (n, 2, 3)."""
        colours = grid_colours(dark)
        points = _points(self._count)
        # Of a line's two coordinates the one that is the same at both ends is its number.
        along_x = points[:, 0, 1] == points[:, 1, 1]
        numbers = np.where(along_x, points[:, 0, 1], points[:, 0, 0])
        is_section = numbers % _CELLS_PER_SECTION == 0
        strong = np.where(is_section[:, None], colours.section, colours.cell)[:, None, :]
        fade = np.minimum(1.0, np.linalg.norm(points, axis=2) / self._count)[:, :, None]
        return line_colours(strong + fade * (np.array(colours.edge) - strong))


def _points(count: int) -> NDArray[np.float32]:
    """Return both ends of each piece of a line in cells, shape (n, 2, 3).

    The page draws a piece wrongly, through everything, when an end of it is behind the camera. So
    the pieces are short: one section each.

    Args:
        count: Cells from the middle to the edge, a multiple of those of a section.
    """
    numbers = np.arange(-count, count + 1)
    starts = np.arange(-count, count, _CELLS_PER_SECTION)
    number, start = (grid.ravel() for grid in np.meshgrid(numbers, starts))
    along_y = np.stack(
        [np.stack([number, start], 1), np.stack([number, start + _CELLS_PER_SECTION], 1)], 1
    )
    flat = np.concatenate([along_y, along_y[:, :, ::-1]])
    return np.concatenate([flat, np.zeros_like(flat[:, :, :1])], axis=2).astype(np.float32)
