"""The small functions that exported programs bring along, each only where it is called."""

from __future__ import annotations

ROTATION_OF = '''
def rotation_of(w: float, x: float, y: float, z: float) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion w, x, y, z."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ],
    )
'''

PER_JOINT = '''
def per_joint(model: {module}.Model, numbers: dict[str, float]) -> np.ndarray:
    """Return one number for each tangent coordinate, zero for joints without."""
    result = np.zeros(model.nv)
    for name, number in numbers.items():
        result[model.joints[model.{get_joint_id}(name)].idx_v] = number
    return result
'''

WITH_POSITIONS = '''
def with_positions(
    model: {module}.Model,
    q: np.ndarray,
    positions: dict[str, float],
) -> np.ndarray:
    """Return a configuration with some joints at given positions, rad or m."""
    result = np.array(q)
    for name, position in positions.items():
        joint = model.joints[model.{get_joint_id}(name)]
        if joint.nq == 1:
            result[joint.idx_q] = position
        else:  # a continuous joint is cosine and sine in Pinocchio
            result[joint.idx_q] = math.cos(position)
            result[joint.idx_q + 1] = math.sin(position)
    return result
'''

SOLVE = '''
def solve(problem: qpsolvers.Problem) -> np.ndarray:
    """Return the solution of a problem, its matrices as the solver wants them."""
    problem.P = csc_matrix(problem.P)
    if problem.G is not None:
        problem.G = csc_matrix(problem.G)
    if problem.A is not None:
        problem.A = csc_matrix(problem.A)
    solution = qpsolvers.solve_problem(problem, solver=SOLVER{options})
    if not solution.found or solution.x is None:
        raise SystemExit("there is no step")
    return solution.x
'''

SPARSE_SOLVERS = (
    "clarabel", "copt", "gurobi", "highs", "mosek", "osqp", "qpalm", "qtqp", "scs", "sip",
)  # fmt: skip
"""Solvers that take sparse matrices only, and that are complained about at every dense one."""

NAME_LINKS_ALONE = '''
def name_links_alone(model: pinocchio.Model, held_ids: Sequence[int] = ()) -> None:
    """Rename what is called like a link or a tool frame, which would hide it from Pink."""
    body = pinocchio.FrameType.BODY
    names = {frame.name for frame in model.frames if frame.type == body}
    names.update(TOOL_FRAMES)
    for frame in model.frames:
        if frame.type != body and frame.name in names:
            frame.name += " (joint)"
    for index in held_ids:
        if model.names[index] in names:
            model.names[index] += " (joint)"
'''

INWARD = '''
def inward(model: {module}.Model, q: np.ndarray, margin: float) -> np.ndarray:
    """Return a configuration moved a margin away from the joints' limits."""
    result = np.array(q)
    for joint in list(model.joints)[1:]:
        at = joint.idx_q
        lower, upper = {lower}[at], {upper}[at]
        if joint.nq != 1 or upper >= 1e20 or lower <= -1e20:
            continue
        low, high = lower + margin, upper - margin
        if low > high:
            low = high = 0.5 * lower + 0.5 * upper
        result[at] = min(max(result[at], low), high)
    return result
'''


def helper(source: str, *, pinker: bool = False, module: str | None = None) -> str:
    """Return a helper's text for one of the libraries.

    Args:
        source: One of the texts of this module.
        pinker: Whether it is Pinker's spelling that is wanted.
        module: Name of the kinematics module; by default what the library's own scripts use.
    """
    words = {
        "module": module or ("kinematics" if pinker else "pinocchio"),
        "get_joint_id": "get_joint_id" if pinker else "getJointId",
        "lower": "model.lower_position_limit" if pinker else "model.lowerPositionLimit",
        "upper": "model.upper_position_limit" if pinker else "model.upperPositionLimit",
    }
    for word, spelling in words.items():
        source = source.replace("{" + word + "}", spelling)
    return source
