"""Runs a module or a file for as long as another process lives: python lives_with.py <process id> <module> [arguments]."""

import os
import runpy
import signal
import sys
import threading
import time


def lives(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as status:
            # Ended, but not yet collected by its parent.
            return status.read().rsplit(")", 1)[1].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:
        # There is no /proc here, or the process belongs to somebody else.
        return True


def end_after(pid):
    while lives(pid):
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)
    os._exit(1)


threading.Thread(target=end_after, args=(int(sys.argv[1]),), daemon=True).start()
module = sys.argv[2]
sys.argv = sys.argv[2:]
# As "python -m" does it: the folder of this file is none of the module's.
sys.path[0] = os.getcwd()
if module.endswith(".py"):
    runpy.run_path(module, run_name="__main__")
else:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
