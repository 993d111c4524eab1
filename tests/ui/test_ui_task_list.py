"""The lists of tasks, limits and barriers: what is added, turned, refused, undone and shared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.live.live_fakes import at, fake_bundle, start_settings
from tests.ui.entry_rig import EntryRig
from tests.ui.panel_rig import PanelRig, text_of
from workbench.config.limits import (
    BARRIER_KINDS,
    LIMIT_KINDS,
    AccelerationLimitSpec,
    PositionBarrierSpec,
    SelfCollisionBarrierSpec,
)
from workbench.config.tasks import (
    TASK_KINDS,
    ComTaskSpec,
    DampingTaskSpec,
    FrameTaskSpec,
    LinearHolonomicTaskSpec,
    PostureTaskSpec,
    RelativeFrameTaskSpec,
)
from workbench.config.tasks_spec import Spec, spec_fields
from workbench.config.tasks_values_joints import Relation
from workbench.errors import ConfigError
from workbench.ui.panels.equations import equation_text, parse_equation


@pytest.fixture
def lists(panel_rig: PanelRig) -> EntryRig:
    bundle = fake_bundle()
    heavy = replace(bundle, description=replace(bundle.description, mass_kg=1.0))
    panel_rig.session.replace_bundle(heavy, start_settings(heavy))
    return EntryRig(panel_rig)


def test_an_added_task_is_in_force_and_one_undo_takes_it_out(lists: EntryRig) -> None:
    lists.add("Damping")
    assert lists.specs() == (DampingTaskSpec(name="damping"),)
    assert lists.titles() == ["Damping"]
    assert lists.rig.session.state.undo_label == "add damping"
    lists.rig.session.undo()
    lists.refresh()
    assert lists.specs() == ()
    assert lists.titles() == []


def test_a_second_one_gets_a_name_of_its_own(lists: EntryRig) -> None:
    lists.add("Damping")
    lists.add("Damping")
    assert [spec.name for spec in lists.specs()] == ["damping", "damping 2"]
    assert lists.titles() == ["Damping", "damping 2 · Damping"]


def test_the_chosen_kind_says_what_it_does(lists: EntryRig) -> None:
    chooser = lists.find("new task")
    lists.rig.browser.set(chooser, "Low acceleration")
    summary = TASK_KINDS["low_acceleration"].summary
    assert chooser.hint == summary
    assert summary in text_of(lists.rig)


def test_a_task_for_a_tool_starts_as_the_plain_one_and_says_that_it_takes_its_place(
    lists: EntryRig,
) -> None:
    lists.rig.session.edit(None, lambda s: s.with_kinematics(position_cost=3.0))
    lists.add("Frame")
    (task,) = lists.specs()
    assert (task.frame, task.position_cost) == ("left", 3.0)
    assert "takes the place of its plain one" in text_of(lists.rig)
    # Its target is the gizmo's: there is none of its own to set.
    assert "target: as it is at home" not in visible_texts(lists, "Frame")
    lists.add("Frame")
    assert lists.specs()[1].frame == "right"
    lists.add("Frame")
    assert lists.specs()[2].frame == "base"
    assert lists.find("Take present", "frame 3 · Frame").visible


def visible_texts(lists: EntryRig, title: str) -> str:
    texts: list[str] = []

    def walk(container: object) -> None:
        for child in container._children.values():  # pyright: ignore[reportAttributeAccessIssue]
            if getattr(child, "visible", True):
                texts.append(getattr(child, "content", ""))
                if hasattr(child, "_children"):
                    walk(child)

    walk(lists.folder(title))
    return "\n".join(texts)


def test_a_cost_opens_into_three_and_folds_back_into_one(lists: EntryRig) -> None:
    lists.add("Frame")
    lists.click("position cost per axis", "Frame")
    assert lists.specs()[0].position_cost == (1.0, 1.0, 1.0)
    lists.type("y", "0.25", "position cost")
    assert lists.specs()[0].position_cost == (1.0, 0.25, 1.0)
    assert lists.rig.session.state.undo_label == ("frame: position cost 1, 1, 1 to 1, 0.25, 1")
    lists.click("as one", "position cost")
    assert lists.specs()[0].position_cost == 1.0
    assert lists.find("position cost", "Frame").value == "1"


def test_a_cost_opens_into_one_for_each_joint(lists: EntryRig) -> None:
    lists.add("Damping")
    lists.click("cost per joint", "Damping")
    lists.type("y", "2", "cost")
    assert dict(lists.specs()[0].cost) == {"x": 0.1, "y": 2.0, "z": 0.1}
    lists.click("as one", "cost")
    assert lists.specs()[0].cost == 2.0


def test_one_drag_of_a_slider_is_one_step(lists: EntryRig) -> None:
    lists.add("Damping")
    text = lists.find("cost", "Damping")
    slider = next(
        one
        for one in lists.folder("Damping")._children.values()
        if hasattr(one, "_children") and text in _inner(one)
    )
    (handle,) = [one for one in _inner(slider) if hasattr(one, "step")]
    for position in (30, 40, 50):
        lists.set_handle(handle, position)
    lists.rig.session.undo()
    assert lists.specs()[0].cost == 0.1


def _inner(container: object) -> list[object]:
    found: list[object] = []
    for child in container._children.values():  # pyright: ignore[reportAttributeAccessIssue]
        found.append(child)
        if hasattr(child, "_children"):
            found += _inner(child)
    return found


def test_a_refused_value_goes_back_with_the_reason(lists: EntryRig) -> None:
    lists.add("Damping")
    lists.type("cost", "-1", "Damping")
    assert lists.specs()[0].cost == 0.1
    assert lists.find("cost", "Damping").value == "0.1"
    assert "a finite number >= 0" in lists.rig.browser.told[-1][1]


def test_a_gain_that_is_emptied_is_the_config_s(lists: EntryRig) -> None:
    lists.add("Frame")
    gain = lists.find("gain", "Frame")
    assert gain.value == ""
    lists.type("gain", "0.2", "Frame")
    assert lists.specs()[0].gain == 0.2
    lists.type("gain", "", "Frame")
    assert lists.specs()[0].gain is None
    labels = [getattr(one, "label", "") for one in _inner(lists.folder("Frame"))]
    assert labels.count("as in the config") == 2


def test_a_task_that_the_robot_cannot_have_says_why(lists: EntryRig) -> None:
    lists.add("Rolling wheel")
    assert lists.specs() == ()
    title, body = lists.rig.browser.told[-1]
    assert title == "No task was added"
    assert "needs a floating base" in body


def test_an_entry_is_switched_off_renamed_and_removed(lists: EntryRig) -> None:
    lists.add("Damping")
    lists.set("enabled", False, "Damping")
    assert lists.specs()[0].enabled is False
    assert lists.rig.session.state.undo_label == "damping off"
    folder = lists.folder("Damping (off)")
    lists.type("name", "calm", "Damping (off)")
    assert lists.rig.session.state.undo_label == "rename damping to calm"
    assert lists.folder("calm · Damping (off)") is folder
    lists.click("Remove", "calm · Damping (off)")
    assert lists.specs() == ()
    assert lists.titles() == []
    assert lists.rig.session.state.undo_label == "remove calm"


def test_a_name_that_another_entry_has_is_refused(lists: EntryRig) -> None:
    lists.add("Damping")
    lists.add("Posture")
    lists.type("name", "damping", "Posture")
    assert [spec.name for spec in lists.specs()] == ["damping", "posture"]
    assert lists.find("name", "Posture").value == "posture"


def test_what_did_not_change_is_not_built_anew(lists: EntryRig) -> None:
    lists.put("tasks", DampingTaskSpec(name="a"), ComTaskSpec(name="b"))
    first, second = lists.folder("a · Damping"), lists.folder("b · Centre of mass")
    lists.put("tasks", PostureTaskSpec(name="new"), *lists.specs())
    assert lists.titles() == ["new · Posture", "a · Damping", "b · Centre of mass"]
    assert lists.folder("a · Damping") is first
    lists.put("tasks", *(spec for spec in lists.specs() if spec.name != "a"))
    assert lists.folder("b · Centre of mass") is second
    lists.rig.session.undo()
    lists.refresh()
    assert lists.titles() == ["new · Posture", "a · Damping", "b · Centre of mass"]
    assert lists.folder("b · Centre of mass") is second


def test_a_name_that_means_another_kind_now_is_built_anew(lists: EntryRig) -> None:
    lists.put("tasks", DampingTaskSpec(name="a"))
    lists.put("tasks", ComTaskSpec(name="a"))
    assert lists.titles() == ["a · Centre of mass"]


def test_two_browsers_change_two_axes_of_one_cost(lists: EntryRig) -> None:
    lists.put("tasks", FrameTaskSpec(name="f", frame="left", position_cost=(1.0, 1.0, 1.0)))
    # The second browser types before the page shows what the first one did.
    lists.rig.session.edit(
        None,
        lambda s: replace(s, tasks=(replace(s.tasks[0], position_cost=(2.0, 1.0, 1.0)),)),
    )
    lists.rig.other.set(lists.find("y", "position cost"), "3 ")
    assert lists.specs()[0].position_cost == (2.0, 3.0, 1.0)


def test_another_robot_has_choosers_of_its_own(lists: EntryRig) -> None:
    lists.add("Frame")
    bundle = fake_bundle("crane")
    description = replace(bundle.description, frames=("boom", *bundle.description.tool_frames))
    bundle = replace(bundle, description=description)
    settings = replace(start_settings(bundle), tasks=(FrameTaskSpec(name="frame", frame="boom"),))
    lists.rig.session.replace_bundle(bundle, settings)
    lists.refresh()
    assert lists.find("frame", "Frame").value == "boom"
    assert "base" not in lists.find("frame", "Frame").options


def test_limits_and_barriers_have_lists_of_their_own(lists: EntryRig) -> None:
    lists.add("Acceleration limits", "limit")
    lists.add("Position barrier", "barrier")
    assert lists.specs("limits") == (AccelerationLimitSpec(name="acceleration limits"),)
    (wall,) = lists.specs("barriers")
    assert wall == PositionBarrierSpec(
        name="position barrier", frame="left", minimum=(None, None, -0.1)
    )
    assert lists.folder("Limits (1)")
    assert lists.folder("Barriers (1)")


def test_a_bound_is_typed_and_emptied_in_the_unit_that_is_shown(lists: EntryRig) -> None:
    wall = PositionBarrierSpec(name="wall", frame="left", minimum=(None, None, 0.1))
    lists.put("barriers", wall)
    lists.length_unit = "mm"
    lists.panel.units_changed()
    shown = [one for one in _inner(lists.folder("wall · Position barrier"))
             if getattr(one, "label", None) in ("x", "y", "z")]  # fmt: skip
    assert [one.value for one in shown] == ["", "", "100.0", "", "", ""]  # pyright: ignore
    lists.set_handle(shown[0], "-250 ")
    assert lists.specs("barriers")[0].minimum == (-0.25, None, 0.1)
    lists.set_handle(shown[2], " ")
    assert lists.specs("barriers")[0].minimum == (-0.25, None, None)


def test_a_target_is_taken_from_the_present_pose_and_given_back(lists: EntryRig) -> None:
    lists.put("tasks", RelativeFrameTaskSpec(name="grip", frame="right", root="left"))
    title = "grip · Relative frame"
    lists.click("Take present", title)
    target = lists.specs()[0].target
    assert target.translation.tolist() == [0.0, -1.0, 0.0]
    lists.type("x", "0.5", title)
    assert lists.specs()[0].target.translation.tolist() == [0.5, -1.0, 0.0]
    lists.click("As at home", title)
    assert lists.specs()[0].target is None


def test_a_point_that_was_left_to_the_program_is_typed_beside_the_present_one(
    lists: EntryRig,
) -> None:
    lists.put("tasks", ComTaskSpec(name="balance"))
    lists.type("x", "0.3", "balance · Centre of mass")
    assert lists.specs()[0].target == (0.3, 0.25, 0.5)


def test_a_posture_is_a_word_or_the_present_pose_or_typed_joint_by_joint(lists: EntryRig) -> None:
    lists.add("Posture")
    assert "takes the place of the posture task" in text_of(lists.rig)
    lists.rig.session.command_positions("go", {"x": 0.5})
    lists.set("target", "joint by joint", "Posture")
    assert dict(lists.specs()[0].target) == {"x": 0.5, "y": 0.0, "z": 0.0}
    lists.type("y", "0.2", "target")
    assert lists.specs()[0].target["y"] == 0.2
    lists.type("z", "", "target")
    assert dict(lists.specs()[0].target) == {"x": 0.5, "y": 0.2}
    lists.click("Add joint", "target")
    assert set(lists.specs()[0].target) == {"x", "y", "z"}
    lists.set("target", "home", "Posture")
    assert lists.specs()[0].target == "home"


def test_equations_are_typed_added_and_taken_out(lists: EntryRig) -> None:
    lists.add("Linear equations")
    title = "Linear equations"
    assert lists.find("equation 1", title).value == "1 * x = 0"
    lists.type("new equation", "x - 2 * y = 0.5", title)
    assert lists.specs()[0].equations[1] == Relation({"x": 1.0, "y": -2.0}, 0.5)
    lists.type("equation 1", "", title)
    assert lists.specs()[0].equations == (Relation({"x": 1.0, "y": -2.0}, 0.5),)
    lists.type("equation 1", "", title)
    assert len(lists.specs()[0].equations) == 1
    assert "holds no equation" in lists.rig.browser.told[-1][1]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("a = 1", Relation({"a": 1.0}, 1.0)),
        ("-a + 2 * b-c = 1e-3", Relation({"a": -1.0, "b-c": 2.0}, 1e-3)),
        ("a + a = 0", Relation({"a": 2.0}, 0.0)),
    ],
)
def test_an_equation_is_read(text: str, relation: Relation) -> None:
    assert parse_equation(text) == relation
    assert parse_equation(equation_text(relation)) == relation


@pytest.mark.parametrize("text", ["a", "= 1", "2 * = 1", "a = b", "two * a = 1"])
def test_what_is_no_equation_is_said_so(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_equation(text)


def test_self_collision_says_how_many_pairs_are_kept_and_why_others_are_not(
    lists: EntryRig,
) -> None:
    lists.put("barriers", SelfCollisionBarrierSpec(name="apart", enabled=False))
    assert "made when it is switched on" in text_of(lists.rig)
    session = lists.rig.session
    hulls = session.state.bundle.make_hulls(lambda _share, _text: None)
    session.set_hulls(hulls, epoch=session.state.epoch)
    lists.refresh()
    shown = text_of(lists.rig)
    assert "0 pairs of links kept apart" in shown
    assert "1 left out" in shown
    assert "At home they touch." in shown
    assert "base to arm" in shown


ALL_KINDS = [*TASK_KINDS.values(), *LIMIT_KINDS.values(), *BARRIER_KINDS.values()]

REQUIRED = {
    "frame": "base", "other_frame": "left", "root": "right", "hub_frame": "left",
    "wheel_radius_m": 0.1, "velocities": {"x": 0.1}, "ratios": {"x": 1.0, "y": -1.0},
    "equations": (Relation({"x": 1.0}),),
}  # fmt: skip


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.kind)
def test_every_field_of_every_kind_has_a_control(lists: EntryRig, kind: type[Spec]) -> None:
    fields = {item.name: item for item in spec_fields(kind)}
    values = {name: value for name, value in REQUIRED.items()
              if name in fields and fields[name].required}  # fmt: skip
    if kind.kind == "position":
        values["minimum"] = (None, None, 0.0)
    spec = kind(name="it", enabled=False, **values)
    lists.put(kind.group, spec)
    inside = f"it · {kind.title} (off)"
    shown = "\n".join(
        f"{getattr(one, 'label', '')} {getattr(one, 'content', '')}"
        for one in _inner(lists.folder(inside))
    )
    for item in fields.values():
        assert (item.spec.label or item.name) in shown.replace("&#32;", " ")


def test_every_kind_that_the_gantry_can_have_is_added_by_the_button(lists: EntryRig) -> None:
    for one, kinds in (("task", TASK_KINDS), ("limit", LIMIT_KINDS), ("barrier", BARRIER_KINDS)):
        for kind in kinds.values():
            lists.add(kind.title, one)
    refused = {title for title, _ in lists.rig.browser.told}
    assert refused == {"No task was added", "No limit was added", "No barrier was added"}
    kinds = [type(spec).kind for group in ("tasks", "limits", "barriers")
             for spec in lists.specs(group)]  # fmt: skip
    impossible = {
        "manipulability", "omniwheel", "rolling", "closed_chain", "floating_base_velocity",
        "self_collision",
    }  # fmt: skip
    assert set(kinds) == {kind.kind for kind in ALL_KINDS} - impossible


def test_a_drag_does_not_touch_the_lists(lists: EntryRig, monkeypatch: pytest.MonkeyPatch) -> None:
    lists.add("Linear equations")
    assert isinstance(lists.specs()[0], LinearHolonomicTaskSpec)
    monkeypatch.setattr("workbench.ui.panels.spec_entry.SpecEntry.show", None)
    lists.rig.session.edit(None, lambda s: s.with_target("left", at(0.3)))
    lists.refresh()
