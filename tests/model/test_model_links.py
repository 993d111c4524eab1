"""The picture's tree."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from workbench.errors import RobotError
from workbench.model.links import build_links, origin_pose


def joint(name: str, kind: str, parent: str, child: str) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        "</joint>"
    )


def robot(links: str, *joints: str) -> ElementTree.Element:
    elements = "".join(f'<link name="{name}"/>' for name in links.split())
    return ElementTree.fromstring(f'<robot name="r">{elements}{"".join(joints)}</robot>')


TREE = robot(
    "finger hand base left slide",
    joint("wrist", "revolute", "base", "hand"),
    joint("grip", "prismatic", "hand", "finger"),
    joint("weld", "fixed", "base", "left"),
    joint("rail", "prismatic", "left", "slide"),
)


def test_parents_come_before_children_whatever_the_order_in_the_file() -> None:
    links = build_links(TREE, ())
    assert [link.name for link in links] == ["base", "hand", "finger", "left", "slide"]
    assert [link.parent for link in links] == [None, "base", "hand", "base", "left"]
    assert [link.joint for link in links] == [None, "wrist", "grip", "weld", "rail"]


def test_only_named_joints_move_and_only_sliding_ones_translate() -> None:
    links = {link.name: link for link in build_links(TREE, {"wrist", "grip"})}
    assert (links["hand"].moves, links["hand"].translates) == (True, False)
    assert (links["finger"].moves, links["finger"].translates) == (True, True)
    assert (links["slide"].moves, links["slide"].translates) == (False, False)
    assert not links["left"].moves
    assert not links["base"].moves


def test_a_floating_base_moves_and_translates() -> None:
    root = build_links(TREE, (), floating_base=True)[0]
    assert root.moves and root.translates


def test_missing_files_are_listed_on_their_link() -> None:
    links = {link.name: link for link in build_links(TREE, (), missing={"hand": ("a.stl",)})}
    assert links["hand"].missing_files == ("a.stl",)
    assert links["base"].missing_files == ()


def test_a_chain_longer_than_the_recursion_limit_is_a_tree_like_any_other() -> None:
    count = 3000
    chain = robot(
        " ".join(f"l{i}" for i in range(count)),
        *(joint(f"j{i}", "fixed", f"l{i}", f"l{i + 1}") for i in range(count - 1)),
    )
    assert build_links(chain, ())[-1].name == f"l{count - 1}"


@pytest.mark.parametrize(
    ("element", "message"),
    [
        (robot("a b"), "exactly one root"),
        (robot("a", joint("j", "fixed", "a", "b")), "does not exist"),
        (
            robot("a b c", joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")),
            "cannot be reached",
        ),
        (
            robot("a b", joint("j", "fixed", "a", "b"), joint("k", "fixed", "a", "b")),
            "hangs on two joints",
        ),
    ],
)
def test_what_is_no_tree_is_refused(element: ElementTree.Element, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        build_links(element, ())


def test_an_origin_may_leave_out_either_half() -> None:
    element = ElementTree.fromstring('<joint><origin xyz="1 2 3"/></joint>')
    assert origin_pose(element).translation.tolist() == [1, 2, 3]
    assert origin_pose(ElementTree.fromstring("<joint/>")).translation.tolist() == [0, 0, 0]


@pytest.mark.parametrize("xyz", ["1 2", "1 2 x", "nan 0 0"])
def test_an_origin_that_is_not_three_finite_numbers_is_refused(xyz: str) -> None:
    with pytest.raises(ValueError, match=r"number|float"):
        origin_pose(ElementTree.fromstring(f'<joint><origin xyz="{xyz}"/></joint>'))
