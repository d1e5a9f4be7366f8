# Runs inside the isolation of a session: a Python that keeps its variables from run to run, as a notebook does. Each
# run is a cell. The agent starts it, and trusts it no more than the code of the session.
import ast
import asyncio
import builtins
import inspect
import io
import json
import linecache
import os
import signal
import socket
import struct
import sys
import threading
import traceback
import types

CONTROL = 3
HOME = "/session"
PACKAGES = "/packages"
TEXT_LIMIT = 8192
CELLS_KEPT = 500
LENGTHS = struct.Struct(">II")

results = types.ModuleType("session_results")
with open("/runtime/python-results.py", "rb") as file:
    exec(compile(file.read(), "/runtime/python-results.py", "exec"), results.__dict__)


class Control:
    """The socket to the agent. A process that the code has forked has none."""

    def __init__(self):
        os.set_inheritable(CONTROL, False)
        self.socket = socket.socket(fileno=CONTROL)
        self.pid = os.getpid()
        self.lock = threading.Lock()

    def send(self, header, body=b""):
        if os.getpid() != self.pid:
            return
        head = json.dumps(header).encode("ascii")
        # Neither an interruption nor another thread may come between the parts of a frame.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
        try:
            with self.lock:
                self.socket.sendall(LENGTHS.pack(len(head), len(body)) + head + body)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def receive(self):
        header_size, body_size = LENGTHS.unpack(self.take(LENGTHS.size))
        return json.loads(self.take(header_size)), self.take(body_size)

    def take(self, size):
        chunks = []
        while size:
            chunk = self.socket.recv(min(size, 1024 * 1024))
            if not chunk:
                os._exit(0)
            chunks.append(chunk)
            size -= len(chunk)
        return b"".join(chunks)


class Cells:
    def __init__(self, control):
        self.control = control
        self.count = 0
        self.isRunning = False
        self.names = []
        self.loop = None
        self.main = types.ModuleType("__main__")
        self.main.__dict__.update(__builtins__=builtins)
        sys.modules["__main__"] = self.main
        self.futures = 0
        self.hasStdin = False

    def interrupt(self, *_):
        # Between runs there is nothing to interrupt.
        if self.isRunning:
            raise KeyboardInterrupt

    def run(self, id, source, stdin):
        self.count += 1
        name = "%s/cell-%d.py" % (HOME, self.count)
        if stdin or self.hasStdin or self.count == 1:
            replace_stdin(stdin)
            self.hasStdin = bool(stdin)
        error = None
        emit = results.bounded(self.emit)
        # The code may have changed it.
        signal.signal(signal.SIGINT, self.interrupt)
        try:
            self.isRunning = True
            self.execute(name, source, emit)
            self.isRunning = False
        except SystemExit:
            self.isRunning = False
            raise
        except BaseException as raised:
            self.isRunning = False
            error = explain(raised, name)
        finally:
            if os.getpid() != self.control.pid:
                # The code has forked, and this process has come to the end of the cell.
                flush()
                os._exit(0 if error is None else 1)
        flush()
        self.control.send({"op": "done", "id": id, **({} if error is None else {"error": error})})

    def emit(self, type, data):
        self.control.send({"op": "result", "type": type}, data.encode("utf-8", "replace"))

    def execute(self, name, source, emit):
        results.watch_figures(emit)
        text = source.decode("utf-8", "replace")
        self.remember(name, text)
        statements, last = self.compile(name, text)
        self.evaluate(statements)
        if last is not None:
            value = self.evaluate(last)
            if value is not None:
                builtins._ = value
            results.show(value, emit)
        results.show_figures(emit)

    def compile(self, name, text):
        """`await` may stand outside of functions, and `from __future__` holds for the cells that follow."""
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | self.futures
        tree = compile(text, name, "exec", ast.PyCF_ONLY_AST | flags, True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        statements = compile(tree, name, "exec", flags, True)
        self.futures |= statements.co_flags & results.FUTURES
        if last is None:
            return statements, None
        return statements, compile(ast.Expression(last.value), name, "eval", flags | self.futures, True)

    def evaluate(self, code):
        value = eval(code, self.main.__dict__)
        if code.co_flags & inspect.CO_COROUTINE:
            if self.loop is None or self.loop.is_closed():
                self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
            return self.wait_for(self.loop.create_task(value))
        return value

    def wait_for(self, task):
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            # What was interrupted would go on in the next cell that awaits.
            if task.cancel():
                self.loop.run_until_complete(asyncio.wait([task]))
            raise

    def remember(self, name, text):
        """Lets tracebacks and `inspect` show the lines of a cell."""
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        self.names.append(name)
        if len(self.names) > CELLS_KEPT:
            linecache.cache.pop(self.names.pop(0), None)


def explain(error, name):
    """Prints the traceback of an error without the frames of this file, and returns its description."""
    try:
        trace = of_cells(error.__traceback__)
        cut_own_frames(trace)
        shown = "".join(traceback.TracebackException(type(error), error, trace, compact=True).format())
        line = column = 0
        if isinstance(error, SyntaxError) and error.filename == name:
            line, column = error.lineno or 0, error.offset or 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == name:
                line = trace.tb_lineno
            trace = trace.tb_next
        message = str(error.msg) if isinstance(error, SyntaxError) and line else str(error)
    except Exception:
        shown, message, line, column = "%s\n" % type(error).__name__, "", 0, 0
    try:
        sys.stderr.write(shown)
    except Exception:
        pass  # The code may have closed or replaced it.
    return {
        "name": type(error).__name__[:100],
        "message": message[:TEXT_LIMIT],
        "stack": shown[:TEXT_LIMIT],
        **({"line": line} if line else {}),
        **({"column": column} if line and column else {}),
    }


def of_cells(trace):
    """Returns the part of a traceback that begins in a cell. Before that are this file and the event loop."""
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(HOME + "/cell-"):
        trace = trace.tb_next
    return trace


def cut_own_frames(trace):
    """Cuts off the frame of Cells.interrupt(), which is the last one."""
    while trace is not None:
        following = trace.tb_next
        if following is not None and following.tb_frame.f_code.co_filename == __file__:
            trace.tb_next = None
        trace = trace.tb_next


def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass


def replace_stdin(content):
    """The input of each run is a file of its own, because many programs open /dev/stdin."""
    try:
        if content:
            descriptor = os.open("/tmp", os.O_RDWR | os.O_TMPFILE, 0o600)
            with open(os.dup(descriptor), "wb") as file:
                file.write(content)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            descriptor = os.open("/dev/null", os.O_RDONLY)
        os.dup2(descriptor, 0)
        os.close(descriptor)
    except OSError as error:
        sys.stderr.write("The input could not be stored: %s\n" % error)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")


def main():
    import _sitebuiltins

    # The `site` module would set these, but -S skips it.
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    for path in reversed([path for path in os.environ.get("PYTHONPATH", "").split(":") if path]):
        sys.path.insert(0, path)
    sys.path.insert(0, "")
    # After the standard library, so that no package takes the place of one of its modules.
    if os.path.isdir(PACKAGES) and PACKAGES not in sys.path:
        sys.path.append(PACKAGES)
    sys.argv = [""]
    sys.stdout.reconfigure(line_buffering=True)
    control = Control()
    cells = Cells(control)
    signal.signal(signal.SIGINT, cells.interrupt)
    control.send({"op": "ready", "version": sys.version.split()[0]})
    while True:
        header, body = control.receive()
        size = len(body) - header["stdin"]
        cells.run(header["id"], body[:size], body[size:])


main()
