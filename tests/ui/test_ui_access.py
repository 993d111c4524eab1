from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers

from workbench.errors import UsageError
from workbench.ui.access import Access, Keys

SECRET = "correct-horse-battery"


def keys(*, read_only: bool = False, token: str | None = SECRET, needed: bool = True) -> Keys:
    return Keys.make(needed=needed, token=token, port=8080, read_only=read_only)


def cookie_of(made: Keys, access: Access) -> str:
    entry = made.enter("/" + made.query(access), Headers())
    assert entry.cookie is not None
    return entry.cookie.partition(";")[0]


def access_with(made: Keys, **headers: str) -> Access | None:
    return made.enter("/", Headers(headers)).access


def test_without_a_need_everybody_may_edit() -> None:
    made = keys(token=None, needed=False)
    assert not made.required
    assert made.query(Access.EDIT) == "" and made.query(Access.LOOK) == ""
    assert access_with(made) is Access.EDIT


def test_a_token_is_asked_for_where_it_was_chosen_even_without_a_need() -> None:
    assert access_with(keys(needed=False)) is None


def test_random_tokens_are_long_and_new_each_time() -> None:
    first, second = keys(token=None), keys(token=None)
    secrets = {first.edit, first.look, second.edit, second.look}
    assert len(secrets) == 4
    assert all(secret is not None and len(secret) >= 32 for secret in secrets)


@pytest.mark.parametrize(
    "token", ["", "short", "with space in it", "ümläut-token", "a" * 300, "a\nbcdefgh"]
)
def test_a_token_that_cannot_be_used_is_refused_without_being_printed(token: str) -> None:
    with pytest.raises(UsageError, match="--token") as caught:
        keys(token=token)
    assert not token or token not in str(caught.value)


@pytest.mark.parametrize("access", list(Access))
def test_a_token_in_the_url_becomes_a_cookie_and_leaves_the_url(access: Access) -> None:
    made = keys()
    query = made.query(access)
    entry = made.enter(
        f"/?darkMode&token={query.partition('=')[2]}&initialCameraUp=0,0,1", Headers()
    )
    assert entry.access is access
    assert entry.redirect == "/?darkMode&initialCameraUp=0,0,1"
    assert entry.cookie is not None
    name_and_value, *attributes = entry.cookie.split("; ")
    assert set(attributes) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert "8080" in name_and_value.partition("=")[0]
    assert access_with(made, Cookie=name_and_value) is access


def test_the_cookie_does_not_tell_the_token() -> None:
    assert SECRET not in cookie_of(keys(), Access.EDIT)


def test_the_cookie_of_another_server_on_this_host_opens_nothing() -> None:
    other = Keys.make(needed=True, token=SECRET, port=9090)
    cookie = cookie_of(other, Access.EDIT)
    assert access_with(keys(), Cookie=cookie) is None
    renamed = cookie.replace("9090", "8080")
    assert access_with(keys(), Cookie=renamed) is None


def test_the_cookie_is_found_among_malformed_ones() -> None:
    made = keys()
    cookie = cookie_of(made, Access.EDIT)
    assert access_with(made, Cookie=f'a b="x; ;=;{{}}=(; {cookie}; z') is Access.EDIT


def test_scripts_may_send_the_token_in_a_header() -> None:
    made = keys()
    assert access_with(made, Authorization=f"Bearer {SECRET}") is Access.EDIT
    assert access_with(made, Authorization=f"bearer {made.look}") is Access.LOOK
    assert access_with(made, Authorization="Bearer wrong-wrong-wrong") is None
    assert access_with(made, Authorization=f"Basic {SECRET}") is None


@pytest.mark.parametrize("read_only", [False, True])
def test_read_only_lets_nobody_edit(read_only: bool) -> None:
    made = keys(read_only=read_only)
    expected = Access.LOOK if read_only else Access.EDIT
    assert access_with(made, Cookie=cookie_of(made, Access.EDIT)) is expected
    assert access_with(made, Authorization=f"Bearer {SECRET}") is expected
    assert access_with(keys(read_only=read_only, token=None, needed=False)) is expected


def test_a_wrong_token_in_the_url_is_no_way_in_even_with_a_good_cookie() -> None:
    made = keys()
    headers = Headers({"Cookie": cookie_of(made, Access.EDIT)})
    assert made.enter("/?token=wrong-wrong-wrong", headers).access is None


@given(st.text(max_size=40))
def test_no_other_text_opens(text: str) -> None:
    made = keys()
    if text.strip() == SECRET:
        return
    assert made._access_of_token(text) is None
    assert made.enter("/?token=" + text.replace("&", ""), Headers()).access is None


@given(
    st.text(
        st.characters(codec="ascii", min_codepoint=33, max_codepoint=126), min_size=8, max_size=60
    )
)
def test_any_token_survives_its_url(token: str) -> None:
    made = keys(token=token)
    assert made.enter("/" + made.query(Access.EDIT), Headers()).access is Access.EDIT
