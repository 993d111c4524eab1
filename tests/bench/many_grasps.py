"""Thousands of grasps on the shipped bottle, which is round: its own, turned about its axis."""

from __future__ import annotations

import numpy as np

from workbench.grasps import GraspSpec, import_grasps_from_file
from workbench.grasps.shipped import shipped_grasps
from workbench.poses import Pose, wxyz_from_rotation_vector

OBJECT = "bottle"
SLIDE_M = 0.015
"""How far a grasp of the body may slide along it and still hold it."""


def many_grasps(count: int) -> GraspSpec:
    """Return ``count`` grasps of the bottle, the same ones every time.

    Args:
        count: How many.
    """
    shipped = import_grasps_from_file(shipped_grasps(OBJECT).grasps)
    random = np.random.default_rng(0)
    names, written = shipped.get_grasp_names(), shipped.get_grasp_dicts()
    header = dict(shipped.header)
    grasps = {}
    for number in range(count):
        name = names[number % len(names)]
        grasp, data = shipped[name], dict(written[name])
        slide = random.uniform(-SLIDE_M, SLIDE_M) if name.startswith("body") else 0.0
        turn = wxyz_from_rotation_vector([0.0, 0.0, random.uniform(-np.pi, np.pi)])
        pose = Pose(np.array([0.0, 0.0, slide]), turn) @ grasp.pose
        w, *xyz = pose.wxyz.tolist()
        data["position"], data["orientation"] = pose.translation.tolist(), {"w": w, "xyz": xyz}
        data["confidence"] = round(float(random.uniform(0.3, 1.0)), 3)
        grasps[f"{name}_{number}"] = data
    return GraspSpec({**header, "grasps": grasps})
