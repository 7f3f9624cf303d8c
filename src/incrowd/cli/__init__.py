"""The command line: ``incrowd``."""

import errno
import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, NoReturn

INTERRUPTED, INTERNAL_ERROR = 130, 3
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OBJECTS_BETWEEN = 500_000  # searches for garbage: imports make many objects, and none of it
_CYCLES_AWAKE = "4"  # as a power of two: by default threads of NumPy spin for a tenth of a second
_AGAIN = 0.1  # seconds after which it is seen whether a signal was heard


class Stopped(BaseException):
    """The process was told to end; whatever is unfinished is removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main() -> None:
    """Run the command line and end the process with its exit code.

    0 done; 1 a table was recounted and fails; 2 anything the caller can mend; 3 an internal error;
    128 and the number of a signal: 130 interrupted, 143 terminated, 129 hung up.
    """
    sys.unraisablehook = _heard_too_late
    _on_signals(_leave)  # nothing is written yet, and an exception would be lost in an import
    gc.set_threshold(_OBJECTS_BETWEEN)
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", _CYCLES_AWAKE)  # read when NumPy is loaded
    if sys.stderr is None:  # closed by the caller
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # files and JSON are, whatever the locale
    _command(sys.argv[1:])  # imports what reads the command line

    _on_signals(_stop)
    code = run(sys.argv[1:])
    _on_signals(signal.SIG_IGN)  # all is done: the exit code is what is left to tell
    gc.freeze()  # the system takes all memory back at once
    sys.exit(code)


def _on_signals(handler: Any) -> None:
    """Handle the signals that end a process, but for those that the caller wants ignored."""
    for number in _STOPPING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)


def _heard_too_late(lost: Any) -> None:
    """Say nothing of a signal that came where no exception can go; it is raised again."""
    if not isinstance(lost.exc_value, Stopped):
        sys.__unraisablehook__(lost)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    _interrupted(number)
    os._exit(128 + number)


def _stop(number: int, frame: FrameType | None) -> None:
    """Unwind, and try again until that is seen to happen.

    An exception that comes at a bad moment is lost: in a destructor, or where an import of some
    library goes on after any error at all.  While files are tidied up, the exception is what is
    being handled, and nothing more is raised.  Once the files are there it is too late to stop.
    """
    if _is_settled() or any(isinstance(each, Stopped) for each in _chain(sys.exception())):
        return
    signal.signal(signal.SIGALRM, lambda _, frame: _stop(number, frame))
    signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    raise Stopped(number)


def _is_settled() -> bool:
    """Whether the files are published; nothing is imported here, amid whatever a signal found."""
    pending = sys.modules.get("incrowd.frame.pending")
    return bool(getattr(getattr(pending, "PendingFiles", None), "settled", False))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    from incrowd.errors import IncrowdError, LongSearchWarning, PluginWarning

    try:
        command = _command(arguments)
        with warnings.catch_warnings(action="always", category=PluginWarning):
            warnings.simplefilter("always", LongSearchWarning)
            warnings.showwarning = _note  # type: ignore[assignment]
            code = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except IncrowdError as error:
        _say(f"error: {error}")
        return error.exit_code
    except (KeyboardInterrupt, Stopped) as error:
        return _interrupted(getattr(error, "number", signal.SIGINT))
    except BrokenPipeError:
        return _unread()
    except SystemExit as error:  # the parser's own answer to a broken pipe is 1
        if isinstance(error.__context__, BrokenPipeError):
            return _unread()
        raise
    except Exception as error:
        return _other(error)
    if code == INTERRUPTED:  # the parser's answer to an interrupt
        return _interrupted()
    return code if isinstance(code, int) else 0


def _command(arguments: list[str]) -> Callable[[], Any]:
    """Return what the command line asks for, read without its parser where that is not needed."""
    from incrowd.cli.plain import understood

    plain = understood(arguments)
    if plain is not None:
        return partial(plain[0], **plain[1])
    from incrowd.cli.app import app

    return partial(app, arguments, prog_name="incrowd", standalone_mode=False)


def _note(message: Warning | str, *about: Any) -> None:
    """Tell a warning to people, without the line of our source that it comes from."""
    _say(f"note: {message}")


def _other(error: Exception) -> int:
    from typer import Abort

    for each in _chain(error):  # an import may turn what ends it into an error of its own
        if isinstance(each, Abort | KeyboardInterrupt | Stopped):
            return _interrupted(getattr(each, "number", signal.SIGINT))
        if _is_out_of_memory(each):
            return _no_memory()
    if hasattr(error, "format_message") and hasattr(error, "exit_code"):
        return _wrong_use(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return _full(error)
    return _internal(error)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, if there is one, and what it came from."""
    last = error
    while last is not None:
        yield last
        last = last.__cause__ or last.__context__


def _is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    # a library that does not fit any more, and a thread that finds no stack
    told = ("cannot allocate memory", "failed to map segment", "can't start new thread")
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in told)


def _no_memory() -> int:
    _say(
        "error: memory ran out.  Nothing was written.\n"
        "Hint: allow more memory (ulimit -v, the limit of the container), run on a larger machine, "
        "leave out columns that nobody needs, or take an algorithm that holds less, such as flash."
    )
    return 2


def _full(error: OSError) -> int:
    """Tell that standard output has no room; a file without room is told where it is written."""
    from incrowd.frame.pending import unwritable

    _give_up_stdout()
    told = unwritable("standard output", error)
    _say(f"error: {told}")
    return told.exit_code


def _unread() -> int:
    """A reader that has seen enough is no error."""
    _give_up_stdout()
    return 0


def _give_up_stdout() -> None:
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (the interpreter flushes it on exit)


def _interrupted(number: int = signal.SIGINT) -> int:
    signal.setitimer(signal.ITIMER_REAL, 0)
    _on_signals(signal.SIG_IGN)  # all is tidy: the exit code is what is left to tell
    _say("interrupted: no unfinished file is left behind.")
    return 128 + number


def _wrong_use(error: Any) -> int:
    """Tell what the parser of the command line has to say."""
    message = str(error.format_message())
    if message.startswith("Usage:"):  # a command without arguments: what it says is its help
        print(message)
    elif message:
        path = error.ctx.command_path if getattr(error, "ctx", None) else "incrowd"
        _say(f"error: {message}\nHint: `{path} --help` lists what it takes.")
    return int(error.exit_code)


def _internal(error: Exception) -> int:
    """Tell where it broke, but not the message: it may quote the input."""
    if os.environ.get("INCROWD_DEBUG"):
        raise error
    from incrowd.plugins import place_of

    _say(
        f"internal error: {type(error).__name__}{place_of(error)}.  Nothing was written.\n"
        "Hint: this is a fault of incrowd; set INCROWD_DEBUG=1 to see the whole trace, which may "
        "quote the input, and report it."
    )
    return INTERNAL_ERROR


def _say(text: str) -> None:
    with suppress(OSError):  # nobody can be told that nobody can be told
        print(text, file=sys.stderr)
