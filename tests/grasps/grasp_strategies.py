"""Grasps of any kind that a file may hold, for round trips."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from workbench.grasps.grasp import Grasp, WrittenPose

finite = st.floats(-10.0, 10.0)
text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
names = text.filter(lambda name: name.strip() != "")
fingers = st.dictionaries(text, st.floats(allow_nan=False, allow_infinity=False), max_size=3)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | text
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
extra_keys = text.map(lambda key: f"x{key}")


@st.composite
def written_poses(draw: st.DrawFn) -> WrittenPose:
    wxyz = draw(
        st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(
            lambda numbers: np.linalg.norm(numbers) > 0.1
        )
    )
    position = np.array(draw(st.lists(finite, min_size=3, max_size=3)))
    return WrittenPose(position, np.array(wxyz) / np.linalg.norm(wxyz))


grasps = st.builds(
    Grasp,
    name=names,
    written=written_poses(),
    confidence=st.none() | st.floats(0.0, 1.0),
    cspace_position=fingers,
    pregrasp_cspace_position=fingers,
    pregrasp=st.none() | written_poses(),
    extras=st.dictionaries(extra_keys, plain, max_size=3),
)
