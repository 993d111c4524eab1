"""Where the files that travel with the package are: profiles, grasps, static files.

In a checkout they are folders at the top of the repository; in a wheel they lie inside the
package, under ``_data``. Everything else asks here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

ResourceFolder = Literal["robots", "grasps", "static"]


def resource_folder(name: ResourceFolder) -> Path:
    """Return the folder of that name, installed or in the checkout.

    Raises:
        FileNotFoundError: If the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for candidate in (package / "_data" / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the workbench's own folder {name}/ is missing next to {package}")
