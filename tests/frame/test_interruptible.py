"""Work in a thread of its own: whatever stops the caller stops the work."""

import threading

import pytest

from incrowd.frame.interruptible import ahead, interruptible


class Work:
    """Goes on until it is interrupted."""

    def __init__(self):
        self.begun, self.ended = threading.Event(), threading.Event()
        self.interrupted = threading.Event()

    def __call__(self):
        self.begun.set()
        self.interrupted.wait(60)
        self.ended.set()

    def interrupt(self):
        if self.begun.is_set():  # as a database does: one that comes too early is forgotten
            self.interrupted.set()


def test_what_work_returns_and_raises():
    assert interruptible(lambda: 7, lambda: None) == 7
    with pytest.raises(ValueError, match="so"):
        interruptible(lambda: int("so"), lambda: None)


def test_whatever_is_raised_meanwhile_ends_the_work():
    work = Work()

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interruptible(work, work.interrupt, stop)
    assert work.ended.is_set()


@pytest.mark.parametrize("begins", [False, True])
def test_an_interrupt_while_the_thread_starts_ends_the_work(monkeypatch, begins):
    """`Thread.start` waits for its thread: a signal may be heard before that, and within."""
    work, start = Work(), threading.Thread.start

    def interrupted(thread):
        if begins:
            start(thread)
            work.begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        interruptible(work, work.interrupt)
    assert work.ended.is_set() == begins


def test_work_that_begins_after_it_was_abandoned_does_nothing(monkeypatch):
    threads, work = [], Work()

    def late(thread):
        threads.append(thread)
        raise KeyboardInterrupt

    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", late)
    with pytest.raises(KeyboardInterrupt):
        interruptible(work, work.interrupt)
    monkeypatch.undo()
    start(threads[0])
    threads[0].join(60)
    assert not work.begun.is_set()


def test_one_is_fetched_while_another_is_used():
    left, fetched = [1, 2, 3], threading.Semaphore(0)

    def fetch():
        found = left.pop(0) if left else None
        fetched.release()
        return found

    coming = ahead(fetch, lambda: None)
    assert left == [1, 2, 3]
    assert next(coming) == 1
    for _ in range(2):
        assert fetched.acquire(timeout=60)
    assert left == [3]  # nothing more, before the second is asked for
    assert list(coming) == [2, 3]


def test_what_fetching_raises_is_raised():
    coming = ahead(lambda: int("so"), lambda: None)
    with pytest.raises(ValueError, match="so"):
        next(coming)


def test_whoever_wants_no_more_ends_the_fetching():
    work, first = Work(), [7]
    coming = ahead(lambda: first.pop() if first else work(), work.interrupt)
    assert next(coming) == 7
    work.begun.wait(60)
    coming.close()
    assert work.ended.is_set()
