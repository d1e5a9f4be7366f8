# Runs inside the sandbox, before and around the code of one run. Whatever it reports, the host treats as the word of
# that code: it holds the same descriptors.
import builtins
import posix
import select
import sys

WORK = 3
REPORT = 4
MAIN = "/tmp/main.py"
TEXT_LIMIT = 8192

# What programs commonly import and what loads fast: a sandbox is used once, so each pays for all of them. The loop
# stops as soon as work is there.
COMMON = "_sitebuiltins os math time".split()


def wait_for_work():
    waiting = select.poll()
    waiting.register(WORK, select.POLLIN | select.POLLHUP)
    posix.write(REPORT, b"\n")
    for name in COMMON:
        if waiting.poll(0):
            break
        __import__(name)


def read_work():
    chunks = []
    while chunk := posix.read(WORK, 65536):
        chunks.append(chunk)
    posix.close(WORK)
    # A sandbox that never got work: the service has gone away.
    if not chunks:
        posix._exit(0)
    return b"".join(chunks)


def report(key, value):
    try:
        posix.write(REPORT, ("{%s:%s}\n" % (quote(key), value)).encode("utf-8", "replace"))
    except OSError:
        pass  # The code has closed the descriptor: then the host does without.


def quote(text):
    """A JSON string; the json module would take longer to load than most programs to run."""
    plain = (c if c >= " " and c not in '"\\' else "\\u%04x" % ord(c) for c in text[:TEXT_LIMIT])
    return '"' + "".join(plain) + '"'


def describe(error, trace):
    name, message, line, column = type(error).__name__, str(error), 0, 0
    if isinstance(error, SyntaxError) and error.filename == MAIN:
        message, line, column = str(error.msg), error.lineno or 0, error.offset or 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == MAIN:
            line = trace.tb_lineno
        trace = trace.tb_next
    return '{"name":%s,"message":%s,"line":%d,"column":%d}' % (quote(name), quote(message), line, column)


def run(code):
    import _sitebuiltins

    # What `site`, which -S leaves out, would have put there.
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")

    with open(MAIN, "wb") as file:
        file.write(code)
    sys.argv = [MAIN]
    sys.path.insert(0, "/tmp")
    # A module of its own, so that the names of this file are not in the way of the user's.
    main = type(sys)("__main__")
    main.__dict__.update(__builtins__=builtins, __file__=MAIN)
    sys.modules["__main__"] = main
    # What was printed before a time limit struck shall have left.
    sys.stdout.reconfigure(line_buffering=True)
    exec(compile(code, MAIN, "exec"), main.__dict__)


def supervise(code):
    try:
        run(code)
    except SystemExit as leaving:
        # bubblewrap tells 128 + n for a signal, too; this tells the two apart.
        if isinstance(leaving.code, int) and leaving.code & 0xFF > 128:
            report("exit", str(leaving.code & 0xFF))
        raise
    except BaseException as error:
        # Without the frames of this file.
        trace = error.__traceback__.tb_next.tb_next
        error.__traceback__ = trace
        try:
            report("error", describe(error, trace))
        except Exception:
            pass  # Its own __str__ may fail, or memory be short: then the host does without.
        sys.excepthook(type(error), error, trace)
        sys.exit(1)


wait_for_work()
supervise(read_work())
