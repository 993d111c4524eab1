"""Ctrl+C ends the program, whatever else listens for it."""

from __future__ import annotations

import ctypes
import os
import signal
import threading

from workbench.ui.ending import Ending

_TRIES = 100
_BETWEEN_TRIES_S = 0.05


def test_ctrl_c_is_heard_although_a_solver_took_it_for_itself() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ending = Ending()
    is_over = threading.Event()

    def press_until_heard() -> None:
        for _ in range(_TRIES):
            os.kill(os.getpid(), signal.SIGINT)
            if is_over.wait(_BETWEEN_TRIES_S):
                return
        os.kill(os.getpid(), signal.SIGTERM)

    presser = threading.Thread(target=press_until_heard)
    ending.listen()
    try:
        ignore = ctypes.c_void_p(int(signal.SIG_IGN))
        ctypes.CDLL(None).signal(int(signal.SIGINT), ignore)  # as C code does, behind Python's back
        presser.start()
        assert ending.wait() == signal.SIGINT
    finally:
        is_over.set()
        presser.join()
        for number, handler in before.items():
            signal.signal(number, handler)
