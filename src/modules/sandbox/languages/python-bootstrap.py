# Runs inside the sandbox, before and around the code of one run. Whatever it reports, the host treats as the word of
# that code: it holds the same descriptors.
import builtins
import io
import posix
import select
import sys

STDIN = 0
WORK = 3
REPORT = 4
MAIN = "/tmp/main.py"
TEXT_LIMIT = 8192

# What programs commonly import and what loads fast: a sandbox is used once, so each pays for all of them, which is why
# os (1.2 ms) is not among them. The loop stops as soon as work is there.
COMMON = "_sitebuiltins math time".split()


def wait_for_work():
    waiting = select.poll()
    waiting.register(WORK, select.POLLIN | select.POLLHUP)
    posix.write(REPORT, b"\n")
    for name in COMMON:
        if waiting.poll(0):
            break
        __import__(name)


def read_work():
    work = read_all(WORK)
    posix.close(WORK)
    # A sandbox that never got work: the service has gone away.
    if not work:
        posix._exit(0)
    posix.write(REPORT, b"\n")
    replace_stdin(read_all(STDIN))
    return unpack(work)


def unpack(work):
    """Writes the files beside the program and gives its code; work.ts says in which order it all comes."""
    head, _, rest = work.partition(b"\n")
    for _ in range(int(head.split()[1])):
        sizes, _, rest = rest.partition(b"\n")
        path_size, size = map(int, sizes.split())
        write_file("/tmp/" + rest[:path_size].decode(), rest[path_size:path_size + size])
        rest = rest[path_size + size:]
    return rest


def write_file(path, content):
    end = path.find("/", len("/tmp/"))
    while end >= 0:
        try:
            posix.mkdir(path[:end])
        except FileExistsError:
            pass
        end = path.find("/", end + 1)
    with open(path, "wb") as file:
        file.write(content)


def replace_stdin(content):
    """What arrives on a socket cannot be opened as /dev/stdin, which many programs do: it becomes a file without a name."""
    path = "/tmp/stdin"
    with open(path, "wb", 0) as file:
        file.write(content)
    posix.close(STDIN)
    # The lowest free number: 0.
    posix.open(path, posix.O_RDONLY)
    posix.unlink(path)


def read_all(descriptor):
    chunks = []
    while chunk := posix.read(descriptor, 65536):
        chunks.append(chunk)
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


def describe(error, trace, stack):
    name, message, line, column = type(error).__name__, str(error), 0, 0
    if isinstance(error, SyntaxError) and error.filename == MAIN:
        message, line, column = str(error.msg), error.lineno or 0, error.offset or 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == MAIN:
            line = trace.tb_lineno
        trace = trace.tb_next
    return '{"name":%s,"message":%s,"line":%d,"column":%d,"stack":%s}' % (
        quote(name), quote(message), line, column, quote(stack))


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


def show(error, trace):
    """The traceback, as it would be printed."""
    shown, stderr = io.StringIO(), sys.stderr
    sys.stderr = shown
    try:
        sys.__excepthook__(type(error), error, trace)
    finally:
        sys.stderr = stderr
    return shown.getvalue()


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
        stack = ""
        try:
            stack = show(error, trace)
            report("error", describe(error, trace, stack))
        except Exception:
            pass  # Its own __str__ may fail, or memory be short: then the host does without.
        if sys.excepthook is sys.__excepthook__ and stack:
            sys.stderr.write(stack)
        else:
            sys.excepthook(type(error), error, trace)
        sys.exit(1)


wait_for_work()
supervise(read_work())
