"""Grasps of an object: read and write isaac_grasp files, and find out which ones an arm reaches."""

from workbench.grasps.isaac_grasp import import_grasps_from_file
from workbench.grasps.spec import GraspSpec

__all__ = ["GraspSpec", "import_grasps_from_file"]
