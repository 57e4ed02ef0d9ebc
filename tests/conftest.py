"""The tests mean the same wherever they are started."""

import signal

# A shell that starts them in the background lets them ignore Ctrl-C, and so would every process they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
