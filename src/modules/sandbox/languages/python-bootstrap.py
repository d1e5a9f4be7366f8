# Runs inside the sandbox, before and around the code of one run. The host does not trust its reports more than that
# code, because both hold the same descriptors.
import builtins
import io
import posix
import select
import sys

STDIN = 0
WORK = 3
REPORT = 4
MAIN = "/tmp/main.py"
PACKAGES = "/packages"
RESULTS = "/runtime/python-results.py"
ARTIFACTS = "/runtime/python-artifacts.py"
TEXT_LIMIT = 8192
EPERM, ENOENT, EACCES, ENOSYS = 1, 2, 13, 38

# Modules that programs commonly import and that load fast. Each sandbox is used once and pays for all of them, so os
# (1.2 ms) is not among them. The loop stops as soon as a run arrives.
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
    # The service has ended before it gave this sandbox a run.
    if not work:
        posix._exit(0)
    posix.write(REPORT, b"\n")
    replace_stdin(read_all(STDIN))
    return unpack(work)


def unpack(work):
    """Writes the files beside the program, and returns its options and code. The format is defined in work.ts."""
    head, _, rest = work.partition(b"\n")
    _, count, size = head.split()
    # With these names, JSON is Python. The json module would take longer to load than most programs take to run.
    options = eval(rest[:int(size)].decode(), {"true": True, "false": False, "null": None})
    rest = rest[int(size):]
    for _ in range(int(count)):
        sizes, _, rest = rest.partition(b"\n")
        path_size, size = map(int, sizes.split())
        write_file("/tmp/" + rest[:path_size].decode(), rest[path_size:path_size + size])
        rest = rest[path_size + size:]
    return options, rest


def set_environment(variables):
    if "os" in sys.modules:
        sys.modules["os"].environ.update(variables)
    else:
        # It is what os.environ is made of.
        posix.environ.update((name.encode(), value.encode()) for name, value in variables.items())
        for name, value in variables.items():
            posix.putenv(name, value)
    if "TZ" in variables:
        import time
        time.tzset()


def refuse_processes(why):
    """Gives the errors of calls that the sandbox refuses anyway a message that says why."""
    import _posixsubprocess

    def refuse(*_arguments, **_named):
        raise PermissionError(EPERM, why)

    _posixsubprocess.fork_exec = refuse
    for name in "fork forkpty posix_spawn posix_spawnp system".split():
        setattr(posix, name, refuse)
        if "os" in sys.modules:
            setattr(sys.modules["os"], name, refuse)


def explain(error, refusals):
    """Adds the reason to an error for which the system has only a number."""
    if not isinstance(error, OSError):
        return
    if error.errno in (ENOENT, ENOSYS) and in_multiprocessing(error.__traceback__):
        why = refusals.get("processes")  # It needs semaphores in /dev/shm.
    elif error.errno == EACCES and error.filename is None:
        why = refusals.get("sockets")
    else:
        return
    if why:
        error.strerror = "%s. %s" % (error.strerror, why)


def without_refusal(trace):
    """Cuts the frame of refuse() off."""
    last = trace
    while last is not None:
        following = last.tb_next
        if following is not None and following.tb_frame.f_code.co_filename == __file__:
            last.tb_next = None
        last = last.tb_next
    return trace


def in_multiprocessing(trace):
    while trace is not None:
        if "/multiprocessing/" in trace.tb_frame.f_code.co_filename:
            return True
        trace = trace.tb_next
    return False


def add_packages():
    """After the standard library, so that no package takes the place of one of its modules."""
    try:
        posix.stat(PACKAGES)
    except FileNotFoundError:
        return
    sys.path.append(PACKAGES)


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
    """Many programs open /dev/stdin, which fails for a socket. The input therefore becomes an unlinked file."""
    path = "/tmp/stdin"
    with open(path, "wb", 0) as file:
        file.write(content)
    posix.close(STDIN)
    # open() returns the lowest free descriptor, which is 0.
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
        pass  # The code has closed the descriptor, so the host gets no report.


def deliver(data):
    """Writes all of it to the report. A process that the code has forked delivers nothing."""
    if posix.getpid() != PROCESS:
        return
    try:
        data = memoryview(data)
        while data:
            data = data[posix.write(REPORT, data):]
    except OSError:
        pass  # As in report().


def send_result(type, data):
    data = data.encode("utf-8", "replace")
    deliver(b"#result %s %d\n%b" % (type.encode(), len(data), data))


def load(path):
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    names = {"__name__": path, "__builtins__": builtins}
    exec(code, names)
    return names


def quote(text):
    """Encodes a JSON string. The json module would take longer to load than most programs take to run."""
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


def names_of_main():
    """What Python gives to a script beside the names of every module, in the same order."""
    from _frozen_importlib_external import SourceFileLoader

    return {
        "__loader__": SourceFileLoader("__main__", MAIN),
        **({"__annotations__": {}} if sys.version_info < (3, 14) else {}),
        "__builtins__": builtins,
        "__file__": MAIN,
        "__cached__": None,
    }


def run(options, code):
    import _sitebuiltins

    # The `site` module would set these, but -S skips it.
    builtins.exit = _sitebuiltins.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.quit = _sitebuiltins.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.help = _sitebuiltins._Helper()

    with open(MAIN, "wb") as file:
        file.write(code)
    set_environment(options.get("environment", {}))
    if "processes" in options.get("refusals", {}):
        refuse_processes(options["refusals"]["processes"])
    sys.argv = [MAIN, *options.get("args", ())]
    sys.path.insert(0, "/tmp")
    add_packages()
    # The code runs in a module of its own, so that its names do not collide with the names of this file.
    main = type(sys)("__main__")
    main.__dict__.update(names_of_main())
    sys.modules["__main__"] = main
    # Line buffering keeps what was printed before a time limit ends the run.
    sys.stdout.reconfigure(line_buffering=True)
    if "artifacts" in options:
        import atexit

        # What is registered first runs last, after all else that runs when the program ends.
        atexit.register(load(ARTIFACTS)["send_artifacts"], options["artifacts"], deliver)
    if not options.get("results"):
        exec(compile(code, MAIN, "exec"), main.__dict__)
        return
    results = load(RESULTS)
    emit = results["bounded"](send_result)
    results["watch_figures"](emit)
    try:
        statements, last = results["split"](code, MAIN)
        exec(statements, main.__dict__)
        if last is not None:
            results["show"](eval(last, main.__dict__), emit)
    finally:
        results["show_figures"](emit)


def without_own(trace):
    """Cuts the frames of this file and of its helpers off."""
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, RESULTS):
        trace = trace.tb_next
    return trace


def show(error, trace):
    """Returns the traceback as Python would print it."""
    shown, stderr = io.StringIO(), sys.stderr
    sys.stderr = shown
    try:
        sys.__excepthook__(type(error), error, trace)
    finally:
        sys.stderr = stderr
    return shown.getvalue()


def supervise(options, code):
    try:
        run(options, code)
    except SystemExit as leaving:
        # bubblewrap also exits with 128 + n after signal n. This report distinguishes the two.
        if isinstance(leaving.code, int) and leaving.code & 0xFF > 128:
            report("exit", str(leaving.code & 0xFF))
        raise
    except BaseException as error:
        trace = without_refusal(without_own(error.__traceback__))
        error.__traceback__ = trace
        stack = ""
        try:
            explain(error, options.get("refusals", {}))
            stack = show(error, trace)
            report("error", describe(error, trace, stack))
        except Exception:
            pass  # The error's __str__ may fail, or memory may be short. The host then gets no report.
        if sys.excepthook is sys.__excepthook__ and stack:
            sys.stderr.write(stack)
        else:
            sys.excepthook(type(error), error, trace)
        sys.exit(1)


PROCESS = posix.getpid()
wait_for_work()
supervise(*read_work())
