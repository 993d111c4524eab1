"""Plain numpy on triangle meshes: weld, split at creases, thin out, turn inside out.

A viewer shades a mesh smoothly across the faces that share a vertex and draws an edge where they
do not. Files rarely say which they mean (STL has no shared vertices at all), so that every mesh
is welded first and then split where neighbouring faces meet at an angle.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Vertices = NDArray[np.float32]
Faces = NDArray[np.uint32]

CREASE_ANGLE_RAD = np.deg2rad(35.0)


def transformed(vertices: ArrayLike, faces: Faces, matrix: ArrayLike) -> tuple[Vertices, Faces]:
    """Map a mesh by an affine matrix, shape (4, 4); a mirroring one turns the winding over.

    Without the turn a mirrored mesh would show its inside, because a face's front is the side
    from which its vertices run counter-clockwise.
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    linear = matrix[:3, :3]
    moved = np.asarray(vertices, dtype=np.float64) @ linear.T + matrix[:3, 3]
    if np.linalg.det(linear) < 0.0:
        faces = faces[:, ::-1]
    return moved.astype(np.float32), faces


def smoothed(
    vertices: ArrayLike, faces: ArrayLike, crease_angle_rad: float = CREASE_ANGLE_RAD
) -> tuple[Vertices, Faces]:
    """Share vertices across smooth edges and only there.

    Args:
        vertices: Positions, shape (n, 3).
        faces: Vertex indices, shape (m, 3).
        crease_angle_rad: Faces whose normals differ by more meet in a visible edge.

    Returns:
        Vertices and faces; degenerate faces and unused vertices are gone.
    """
    positions, corners = welded(vertices, faces)
    if len(corners) == 0:
        return positions, corners
    first, second = _meeting_edges(corners, len(positions))
    normals = _unit_normals(positions, corners)
    cosines = np.einsum("ij,ij->i", normals[first // 3], normals[second // 3])
    # A sliver has no normal; it must not cut the surface that it lies in.
    has_normals = np.any(normals != 0.0, axis=1)
    is_crease = (cosines < np.cos(crease_angle_rad)) & has_normals[first // 3]
    is_crease &= has_normals[second // 3]

    flat = corners.ravel()
    at_crease = np.zeros(len(positions), dtype=bool)
    for edge in (first[is_crease], second[is_crease]):
        at_crease[flat[edge]] = True
        at_crease[flat[_next_corner(edge)]] = True
    split = np.flatnonzero(at_crease[flat])
    if len(split) == 0:
        return positions, corners
    group = _corner_groups(flat, split, first[~is_crease], second[~is_crease])
    # Corners away from any crease keep their vertex; the others get one for each smooth group.
    owner = flat.astype(np.int64)
    owner[split] = len(positions) + group
    used, indices = np.unique(owner, return_inverse=True)
    sources = np.zeros(len(positions) + group.max() + 1, dtype=np.int64)
    sources[owner] = flat
    return positions[sources[used]], indices.reshape(-1, 3).astype(np.uint32)


def welded(vertices: ArrayLike, faces: ArrayLike) -> tuple[Vertices, Faces]:
    """Merge vertices at the same place; drop degenerate faces and unused vertices."""
    # Adding zero turns -0.0 into 0.0, which lies at the same place but has other bits.
    positions = np.ascontiguousarray(vertices, dtype=np.float32) + np.float32(0.0)
    indices = np.asarray(faces, dtype=np.int64).ravel()
    used, indices = _compacted(indices, len(positions))
    positions = positions[used]
    keys = _hashes(positions)
    order = np.argsort(keys)
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = keys[order[1:]] != keys[order[:-1]]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    positions = positions[order[is_new]]
    corners = place[indices].reshape(-1, 3)
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    used, indices = _compacted(corners.ravel(), len(positions))
    return positions[used], indices.reshape(-1, 3).astype(np.uint32)


def thinned(vertices: ArrayLike, faces: ArrayLike, face_limit: int) -> tuple[Vertices, Faces]:
    """Return a coarser mesh of at most ``face_limit`` faces, by clustering vertices in a grid.

    All vertices in one cell become their mean (Rossignac and Borrel, 1993). It keeps the outline,
    needs no topology and takes time in proportion to the mesh.

    Args:
        vertices: Positions, shape (n, 3).
        faces: Vertex indices, shape (m, 3).
        face_limit: Largest number of faces wanted; a smaller mesh is returned as it is.
    """
    positions = np.asarray(vertices, dtype=np.float32)
    corners = np.asarray(faces, dtype=np.int64)
    low = positions.min(axis=0, initial=np.inf)
    extent = float(np.max(positions.max(axis=0, initial=-np.inf) - low, initial=0.0))
    # A surface crosses about 6 cells^2 of the grid and leaves two faces in each.
    cells = max(2, int(np.sqrt(face_limit / 6.0)))
    while len(corners) > face_limit and extent > 0.0:
        positions, corners = _clustered(positions, corners, low, extent / cells)
        cells = int(cells * 0.8)
        if cells < 2:
            break
    return positions.astype(np.float32), corners.astype(np.uint32)


def _clustered(
    positions: NDArray[np.float32],
    corners: NDArray[np.int64],
    low: NDArray[np.float32],
    cell: float,
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    grid = ((positions - low) / cell).astype(np.int64)
    keys = (grid[:, 0] << 42) | (grid[:, 1] << 21) | grid[:, 2]
    _, cluster, counts = np.unique(keys, return_inverse=True, return_counts=True)
    means = np.stack(
        [np.bincount(cluster, weights=positions[:, axis]) / counts for axis in range(3)], axis=1
    )
    corners = cluster[corners]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    rotated = np.sort(corners, axis=1)
    keys = (rotated[:, 0] * len(means) + rotated[:, 1]) * len(means) + rotated[:, 2]
    _, kept = np.unique(keys, return_index=True)
    return means.astype(np.float32), corners[np.sort(kept)]


def _compacted(
    indices: NDArray[np.int64], count: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return the indices in use and the list renumbered to them."""
    is_used = np.zeros(count, dtype=bool)
    is_used[indices] = True
    if is_used.all():
        return np.arange(count), indices
    return np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[indices]


def _hashes(positions: Vertices) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each position's bits (multiply and fold, as in splitmix64)."""
    bits = positions.view(np.uint32).astype(np.uint64)
    result = bits[:, 0] | (bits[:, 1] << np.uint64(32))
    result *= np.uint64(0x9E3779B97F4A7C15)
    result ^= result >> np.uint64(29)
    result += bits[:, 2]
    result *= np.uint64(0xBF58476D1CE4E5B9)
    result ^= result >> np.uint64(32)
    return result


def _next_corner(corner: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.where(corner % 3 == 2, corner - 2, corner + 1)


def _meeting_edges(corners: Faces, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return pairs of edges that join the same two vertices.

    An edge is named by the corner that it starts from: corner ``3 * face + k``.
    """
    start = corners.ravel().astype(np.int64)
    end = corners[:, [1, 2, 0]].ravel().astype(np.int64)
    keys = np.minimum(start, end) * count + np.maximum(start, end)
    order = np.argsort(keys)
    meets = keys[order[1:]] == keys[order[:-1]]
    return order[:-1][meets], order[1:][meets]


def _unit_normals(positions: Vertices, corners: Faces) -> NDArray[np.float32]:
    a, b, c = (positions[corners[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)


def _corner_groups(
    flat: NDArray[np.uint32],
    split: NDArray[np.intp],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> NDArray[np.int32]:
    """Number the corners ``split`` by the smooth patch of their vertex that they belong to.

    Two corners belong together when their faces meet in a smooth edge at that vertex.
    """
    number = np.full(len(flat), -1, dtype=np.int64)
    number[split] = np.arange(len(split))
    first_end, second_end = _next_corner(first), _next_corner(second)
    same_direction = flat[first] == flat[second]
    left = np.concatenate((first, first_end))
    right = np.concatenate(
        (
            np.where(same_direction, second, second_end),
            np.where(same_direction, second_end, second),
        )
    )
    left, right = number[left], number[right]
    both = (left >= 0) & (right >= 0)
    left, right = left[both], right[both]
    graph = coo_array((np.ones(len(left), dtype=bool), (left, right)), shape=(len(split),) * 2)
    return connected_components(graph, directed=False)[1]
