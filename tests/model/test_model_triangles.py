"""Welding, creases and thinning, on meshes whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.model.primitives import box, capsule, cylinder, sphere
from workbench.model.triangles import smoothed, thinned, transformed, welded


def soup(vertices: NDArray, faces: NDArray) -> tuple[NDArray, NDArray]:
    """The same mesh with three vertices of its own for each face, as STL stores it."""
    return vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3)


def volume(vertices: NDArray, faces: NDArray) -> float:
    """Signed volume: positive when the faces look outward (divergence theorem)."""
    a, b, c = (vertices[faces[:, k]].astype(np.float64) for k in range(3))
    return float(np.einsum("ij,ij->", np.cross(a, b), c) / 6.0)


def bent_strip(angle_deg: float) -> tuple[NDArray, NDArray]:
    """Two squares that meet in the y axis, the second turned up by an angle."""
    angle = np.deg2rad(angle_deg)
    end = [np.cos(angle), 0.0, np.sin(angle)]
    vertices = np.array(
        [[-1, 0, 0], [-1, 1, 0], [0, 0, 0], [0, 1, 0], end, [end[0], 1, end[2]]], dtype=float
    )
    faces = np.array([[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]])
    return vertices, faces


def test_vertices_at_one_place_become_one() -> None:
    vertices, faces = welded(*soup(*bent_strip(20)))
    assert len(vertices) == 6
    assert len(faces) == 4


def test_positive_and_negative_zero_are_one_place() -> None:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0], [1, 0, 0], [0, -1, 0]])
    assert len(welded(vertices, [[0, 1, 2], [3, 5, 4]])[0]) == 4


def test_degenerate_faces_and_unused_vertices_go() -> None:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [7, 7, 7]])
    kept, faces = welded(vertices, [[0, 1, 2], [0, 1, 1]])
    assert len(kept) == 3
    assert len(faces) == 1


@pytest.mark.parametrize(("angle_deg", "vertices"), [(0, 6), (30, 6), (40, 8), (90, 8)])
def test_an_edge_is_split_only_where_it_is_a_crease(angle_deg: float, vertices: int) -> None:
    assert len(smoothed(*soup(*bent_strip(angle_deg)))[0]) == vertices


def test_a_box_has_three_normals_at_each_corner_and_a_sphere_one() -> None:
    assert len(box((1, 2, 3))[0]) == 24
    vertices, _ = sphere(1.0)
    assert len(np.unique(vertices.round(5), axis=0)) == len(vertices)


def test_splitting_moves_no_face() -> None:
    vertices, faces = cylinder(0.3, 1.0)
    again, faces_again = smoothed(*soup(vertices, faces))
    expected = {tuple(triangle.ravel().tolist()) for triangle in vertices[faces]}
    actual = {tuple(triangle.ravel().tolist()) for triangle in again[faces_again]}
    assert actual == expected


def test_a_mesh_without_faces_stays_empty() -> None:
    vertices, faces = smoothed(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    assert len(vertices) == len(faces) == 0


@pytest.mark.parametrize(
    ("mesh", "expected", "extent"),
    [
        (box((0.2, 0.4, 0.6)), 0.048, (0.2, 0.4, 0.6)),
        (sphere(0.5), np.pi / 6, (1.0, 1.0, 1.0)),
        (cylinder(0.5, 2.0), np.pi / 2, (1.0, 1.0, 2.0)),
        (capsule(0.5, 2.0), np.pi / 2 + np.pi / 6, (1.0, 1.0, 3.0)),
    ],
    ids=["box", "sphere", "cylinder", "capsule"],
)
def test_primitives_have_their_size_lie_centred_and_look_outward(
    mesh: tuple[NDArray, NDArray], expected: float, extent: tuple[float, ...]
) -> None:
    vertices, faces = mesh
    assert volume(vertices, faces) == pytest.approx(expected, rel=0.03)
    np.testing.assert_allclose(np.ptp(vertices, axis=0), extent, rtol=1e-5)
    np.testing.assert_allclose(vertices.max(axis=0), -vertices.min(axis=0), atol=1e-6)


@given(
    st.tuples(*[st.floats(0.1, 3.0).flatmap(lambda s: st.sampled_from([s, -s]))] * 3),
)
@settings(max_examples=20, deadline=None)
def test_a_mirrored_mesh_still_looks_outward(scale: tuple[float, float, float]) -> None:
    moved = transformed(*box((1, 1, 1)), np.diag([*scale, 1.0]))
    assert volume(*moved) == pytest.approx(abs(float(np.prod(scale))), rel=1e-3)


def test_a_fine_mesh_is_thinned_below_the_limit_and_keeps_its_shape() -> None:
    steps = np.linspace(-1, 1, 121)
    x, y = np.meshgrid(steps, steps)
    bowl = np.stack([x, y, x * x + y * y], axis=-1).reshape(-1, 3)
    index = np.arange(len(bowl)).reshape(x.shape)
    low, high = slice(None, -1), slice(1, None)
    a, b = index[low, low], index[low, high]
    c, d = index[high, high], index[high, low]
    faces = np.concatenate(
        [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    )
    vertices, kept = thinned(bowl, faces, 5000)
    assert 1000 < len(kept) <= 5000
    np.testing.assert_allclose(vertices.min(axis=0), bowl.min(axis=0), atol=0.06)
    np.testing.assert_allclose(vertices.max(axis=0), bowl.max(axis=0), atol=0.12)
    height = vertices[:, 0] ** 2 + vertices[:, 1] ** 2
    np.testing.assert_allclose(vertices[:, 2], height, atol=0.02)
    normals = np.cross(
        vertices[kept[:, 1]] - vertices[kept[:, 0]], vertices[kept[:, 2]] - vertices[kept[:, 0]]
    )
    assert (normals[:, 2] > 0).all(), "thinning must not turn faces over"


def test_a_mesh_below_the_limit_is_not_touched() -> None:
    vertices, faces = box((1, 1, 1))
    same_vertices, same_faces = thinned(vertices, faces, 12)
    np.testing.assert_array_equal(same_vertices, vertices)
    np.testing.assert_array_equal(same_faces, faces)
