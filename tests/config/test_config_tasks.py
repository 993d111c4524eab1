"""The entries of the lists: checked when they are made, and the same after a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.config.document import Document, PlainText
from workbench.config.fields import FieldSpec
from workbench.config.limits import (
    BARRIER_KINDS,
    LIMIT_KINDS,
    AccelerationLimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
    VelocityLimitSpec,
    barrier_from_mapping,
    barrier_to_mapping,
    checked_limits,
    limit_from_mapping,
    limit_to_mapping,
)
from workbench.config.sections import Section
from workbench.config.tasks import (
    TASK_KINDS,
    ClosedChainTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    JointCouplingTaskSpec,
    LinearHolonomicTaskSpec,
    OmniwheelTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
    checked_tasks,
    task_from_mapping,
    task_to_mapping,
    tasks_from_section,
)
from workbench.config.tasks_spec import Spec, free_name, spec_fields
from workbench.config.tasks_values import (
    ChoiceValue,
    NameValue,
    NumberValue,
    SwitchValue,
    ValueKind,
    WholeNumberValue,
)
from workbench.config.tasks_values_joints import JointNumbersValue, RelationsValue
from workbench.config.tasks_values_space import AxisNumbersValue, BoundsValue, PointValue, PoseValue
from workbench.config.yaml_io import load_yaml
from workbench.errors import ConfigError
from workbench.poses import Pose

ALL_KINDS: dict[str, type[Spec]] = {**TASK_KINDS, **LIMIT_KINDS, **BARRIER_KINDS}
JOINTS = st.text("abcxyz_123", min_size=1, max_size=6)


def numbers(spec: FieldSpec) -> st.SearchStrategy[float]:
    low = -1e3 if spec.minimum is None else spec.minimum
    high = 1e3 if spec.maximum is None else spec.maximum
    return st.floats(low, high, exclude_min=spec.minimum_excluded).map(lambda x: x + 0.0)


def poses(spec: FieldSpec) -> st.SearchStrategy[Pose]:
    angles = st.lists(st.floats(-3, 3), min_size=3, max_size=3)
    places = st.lists(numbers(spec), min_size=3, max_size=3)
    return st.builds(Pose.from_xyz_rpy, places, angles)


def values(kind: ValueKind, spec: FieldSpec) -> st.SearchStrategy[Any]:
    number = numbers(spec)
    by_kind: dict[type[ValueKind], Any] = {
        NumberValue: lambda k: number,
        WholeNumberValue: lambda k: st.integers(int(spec.minimum or 0), int(spec.maximum or 9)),
        SwitchValue: lambda k: st.booleans(),
        NameValue: lambda k: st.text("abc def_1", min_size=1, max_size=9).filter(str.strip),
        ChoiceValue: lambda k: st.sampled_from(k.words),
        AxisNumbersValue: lambda k: number | st.tuples(*[number] * len(k.axes)),
        JointNumbersValue: lambda k: st.one_of(
            st.dictionaries(JOINTS, number, min_size=max(k.minimum_count, 1), max_size=4),
            *([number] if k.scalar else []),
            *([st.sampled_from([word for word, _ in k.words])] if k.words else []),
        ),
        PointValue: lambda k: st.tuples(number, number, number),
        BoundsValue: lambda k: st.tuples(*[st.none() | number] * 3),
        PoseValue: lambda k: poses(spec),
        RelationsValue: lambda k: st.lists(
            st.fixed_dictionaries(
                {"coefficients": st.dictionaries(JOINTS, st.floats(1, 9), min_size=1, max_size=3)},
                optional={"value": st.floats(-9, 9)},
            ),
            min_size=1,
            max_size=3,
        ),
    }
    found = by_kind[type(kind)](kind)
    return st.none() | found if kind.optional else found


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    kind = draw(st.sampled_from(list(ALL_KINDS.values())))
    fields = {
        item.name: draw(values(item.value, item.spec))
        for item in spec_fields(kind)
        if item.required or draw(st.booleans())
    }
    try:
        return kind(**fields)
    except ConfigError:  # fields that contradict each other
        return FrameTaskSpec(name="a", frame="b")


def section(mapping: Mapping[str, Any]) -> Section:
    return Section(Document(dict(mapping), "list.yaml"))


def through_file(spec: Spec) -> Spec:
    for kinds, write, read in (
        (TASK_KINDS, task_to_mapping, task_from_mapping),
        (LIMIT_KINDS, limit_to_mapping, limit_from_mapping),
        (BARRIER_KINDS, barrier_to_mapping, barrier_from_mapping),
    ):
        if type(spec) in kinds.values():
            plain = json.loads(json.dumps(write(spec)))  # type: ignore[operator]
            return read(section(plain))
    raise AssertionError(spec)


@given(specs())
def test_every_entry_is_the_same_after_a_file(spec: Spec) -> None:
    read = through_file(spec)
    assert type(read) is type(spec)
    for item in spec_fields(type(spec)):
        before, after = getattr(spec, item.name), getattr(read, item.name)
        if isinstance(before, Pose):  # its quaternion is normalised once more
            assert before.is_close(after, 1e-12, 1e-12)
        else:
            assert before == after


@pytest.mark.parametrize("kind", ALL_KINDS.values())
def test_every_field_says_how_it_is_shown(kind: type[Spec]) -> None:
    assert kind.kind and kind.title and kind.summary.endswith(".")
    for item in spec_fields(kind):
        assert item.spec.label and item.spec.help.endswith("."), f"{kind.kind}.{item.name}"
        if isinstance(item.value, NumberValue | AxisNumbersValue):
            assert item.spec.slider is not None and item.spec.unit, f"{kind.kind}.{item.name}"
        if not item.required:
            assert item.value.checked(item.default, item.spec) == item.default


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"position_cost": [1, 2]}, "tasks.a.position_cost: has 2 numbers for 3 axes"),
        ({"position_cost": [1, 2, -3]}, "tasks.a.position_cost[2]: is out of range (got -3.0)"),
        ({"gain": 2.0}, "tasks.a.gain: is out of range (got 2.0); expected a number in (0, 1]"),
        ({"gain": float("nan")}, "tasks.a.gain: is not finite"),
        ({"gain": "0.5"}, "tasks.a.gain: is text in quotes"),
        ({"hard": 1}, "tasks.a.hard: is neither true nor false"),
        ({"frame": ""}, "tasks.a.frame: is not text"),
        ({"name": "a\nb"}, "name: is no name"),
        ({"name": None}, "name: has no value"),
        ({"target": {"xyz": [0, 0, 1], "wxyz": [0, 0, 0, 0]}}, "tasks.a.target.wxyz: is no"),
        ({"target": {"xyz": [0, 0, 2e3]}}, "tasks.a.target.xyz[2]: is out of range"),
        ({"target": {"rpy": [0, 0, 1]}}, "tasks.a.target.rpy: there is no such key"),
        ({"enabled": None}, "tasks.a.enabled: has no value"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        FrameTaskSpec(**{"name": "a", "frame": "b", **wrong})
    assert words in str(caught.value)


def test_numbers_of_numpy_and_of_yaml_are_numbers() -> None:
    spec = FrameTaskSpec(
        name="a", frame="b", gain=np.float32(0.5), position_cost=np.array([1, 2, 3]),  # type: ignore[arg-type]
        orientation_cost=PlainText("1e-2"),  # type: ignore[arg-type]
    )  # fmt: skip
    assert (spec.gain, spec.position_cost, spec.orientation_cost) == (0.5, (1.0, 2.0, 3.0), 0.01)
    assert type(spec.gain) is float


def test_what_was_given_can_no_longer_change() -> None:
    costs = {"elbow": 1.0}
    spec = PostureTaskSpec(name="a", cost=costs)
    costs["elbow"] = 2.0
    assert spec.cost == {"elbow": 1.0}
    with pytest.raises(TypeError):
        spec.cost["elbow"] = 3.0  # type: ignore[index]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RelativeFrameTaskSpec(name="a", frame="b", root="b"), "root: is the same frame"),
        (
            lambda: ClosedChainTaskSpec(name="a", frame="b", other_frame="b"),
            "other_frame: is the same frame",
        ),
        (lambda: JointCouplingTaskSpec(name="a", ratios={"x": 1.0}), "ratios: names 1 joint"),
        (lambda: JointCouplingTaskSpec(name="a", ratios={"x": 0, "y": 0}), "are all zero"),
        (lambda: LinearHolonomicTaskSpec(name="a", equations=()), "holds no equation"),
        (
            lambda: OmniwheelTaskSpec(name="a", hub_frame="h", wheel_radius_m=0.1, cost=(1, 2, 3)),  # type: ignore[arg-type]
            "has 3 numbers for 2 axes",
        ),
        (lambda: PositionBarrierSpec(name="a", frame="b"), "minimum: has no bound at all"),
        (
            lambda: PositionBarrierSpec(
                name="a", frame="b", minimum=(None, 1.0, None), maximum=(None, 0.5, None)
            ),
            "leaves no room along y",
        ),
        (lambda: SelfCollisionBarrierSpec(name="a", pairs=0), "pairs: is out of range"),
        (lambda: AccelerationLimitSpec(name="a", acceleration=0.0), "is out of range"),
        (lambda: AccelerationLimitSpec(name="a", acceleration=1e-11), "is out of range"),
        (lambda: AccelerationLimitSpec(name="a", acceleration=1e20), "is out of range"),
        (lambda: AccelerationLimitSpec(name="a", acceleration={"b": 1e20}), "is out of range"),
        (lambda: VelocityLimitSpec(name="a", share=1e-4), "is out of range"),
        (lambda: PostureTaskSpec(name="a", target="there"), "target: is not given by joint name"),
    ],
)
def test_entries_that_make_no_sense_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert words in str(caught.value)


def test_a_name_that_is_given_twice_is_named() -> None:
    twice = [DampingTaskSpec(name="calm"), FrameTaskSpec(name="calm", frame="b")]
    with pytest.raises(ConfigError, match=r"tasks\.calm: is given twice"):
        checked_tasks(twice)
    assert free_name("calm", twice) == "calm 2"


def test_a_list_that_is_right_stays_the_same_object() -> None:
    tasks = (DampingTaskSpec(name="calm"),)
    assert checked_tasks(tasks) is tasks


def test_two_limits_of_a_kind_are_refused_unless_one_is_off() -> None:
    first, second = VelocityLimitSpec(name="slow"), VelocityLimitSpec(name="slower", share=0.1)
    with pytest.raises(ConfigError, match="second limit of kind velocity"):
        checked_limits((first, second))
    off = VelocityLimitSpec(name="slower", enabled=False)
    assert checked_limits((first, off)) == (first, off)


FILE = """\
tasks:
  - {kind: frame, name: foot, frame: sole, position_cost: [1, 1, 1e1], hard: true}
  - kind: posture
    name: rest
    cost: {hip: 1e-3, knee: 0.1}
    target: home
"""


def read_tasks(text: str) -> Any:
    return tasks_from_section(Section(load_yaml(text, name="s.yaml")))


def test_a_list_is_read_from_yaml() -> None:
    foot, rest = read_tasks(FILE)
    assert foot.position_cost == (1.0, 1.0, 10.0) and foot.constrains
    assert rest.cost == {"hip": 0.001, "knee": 0.1} and not rest.constrains
    assert read_tasks("other: 1") == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: frame", "kind: fraem", "s.yaml:2: tasks[0].kind: there is no such kind"),
        ("frame: sole, ", "", "s.yaml:2: tasks[0].frame: is missing"),
        ("1e1]", "-1]", "s.yaml:2: tasks[0].position_cost[2]: is out of range"),
        ("hip: 1e-3", "hip: ten", "s.yaml:5: tasks[1].cost.hip: is not a number"),
        ("target: home", "targt: home", "s.yaml:6: tasks[1].targt: there is no such key"),
        ("name: rest", "name: foot", "s.yaml:4: tasks[1].name: is given twice"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(old: str, new: str, words: str) -> None:
    assert old in FILE
    with pytest.raises(ConfigError) as caught:
        read_tasks(FILE.replace(old, new))
    assert words in str(caught.value)
