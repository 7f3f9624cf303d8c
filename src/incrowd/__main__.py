"""``python -m incrowd``, and ``incrowd``, are the command line."""

import _signal  # type: ignore[import-not-found]  # built in: nothing has to be imported for it

# Until the command line can answer an interrupt it ends the process without a word, and without a
# trace of what was being imported.  Only a program is started by this module.
if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from incrowd.cli import main

if __name__ == "__main__":
    main()
