from __future__ import annotations

import threading

import pytest

from workbench.live.broadcast import Broadcast


def test_subscribers_hear_every_value_in_order():
    news: Broadcast[int] = Broadcast()
    heard: list[int] = []
    news.subscribe(heard.append)
    for value in range(3):
        news.queue(value)
    news.deliver()
    assert heard == [0, 1, 2]


def test_who_unsubscribed_hears_no_more():
    news: Broadcast[int] = Broadcast()
    heard: list[int] = []
    unsubscribe = news.subscribe(heard.append)
    unsubscribe()
    news.queue(1)
    news.deliver()
    assert heard == []


def test_a_value_caused_by_a_subscriber_comes_after_the_present_one_for_all():
    news: Broadcast[int] = Broadcast()
    first: list[int] = []
    second: list[int] = []

    def answer(value: int) -> None:
        first.append(value)
        if value == 1:
            news.queue(2)
            news.deliver()

    news.subscribe(answer)
    news.subscribe(second.append)
    news.queue(1)
    news.deliver()
    assert first == second == [1, 2]


def test_a_failing_subscriber_keeps_no_other_from_hearing_and_is_not_silenced():
    news: Broadcast[int] = Broadcast()
    heard: list[int] = []

    def fail(value: int) -> None:
        raise RuntimeError(f"cannot take {value}")

    news.subscribe(fail)
    news.subscribe(heard.append)
    news.queue(1)
    with pytest.raises(RuntimeError, match="cannot take 1"):
        news.deliver()
    news.queue(2)
    with pytest.raises(RuntimeError, match="cannot take 2"):
        news.deliver()
    assert heard == [1, 2]


def test_many_threads_at_once_are_heard_one_at_a_time_and_nothing_is_lost():
    news: Broadcast[int] = Broadcast()
    order_lock = threading.Lock()
    queued: list[int] = []
    heard: list[int] = []
    inside = threading.Lock()

    def listen(value: int) -> None:
        assert inside.acquire(blocking=False), "two threads called the subscriber at once"
        heard.append(value)
        inside.release()

    news.subscribe(listen)

    def edit(start: int) -> None:
        for value in range(start, start + 300):
            with order_lock:
                queued.append(value)
                news.queue(value)
            news.deliver()

    threads = [threading.Thread(target=edit, args=(1000 * index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert heard == queued
    assert len(heard) == 1200
