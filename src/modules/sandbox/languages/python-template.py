# Starts Python once and then forks a process for each run, which is faster than a start. It runs inside the isolation,
# never sees code or input of a run, and gives each of its children an isolation of its own. The host sends a line of
# JSON for each fork on standard input and reads a line for each event from standard output.
import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import sys

# Programs commonly import these, and a run inherits them. Nothing that keeps random state may be among them, unless it
# renews that state after a fork, as `random` does: all runs of this process would share it.
import atexit  # noqa: F401
import _sitebuiltins  # noqa: F401
import base64
import bisect  # noqa: F401
import collections  # noqa: F401
import copy  # noqa: F401
import dataclasses  # noqa: F401
import datetime  # noqa: F401
import enum  # noqa: F401
import functools  # noqa: F401
import heapq  # noqa: F401
import itertools  # noqa: F401
import math  # noqa: F401
import operator  # noqa: F401
import random  # noqa: F401
import re  # noqa: F401
import string  # noqa: F401
import time  # noqa: F401
import traceback
import typing  # noqa: F401
import weakref

# OpenSSL notices a fork by its process id, which is the same in every run.
SHARED_RANDOMNESS = {"_ssl", "_hashlib", "uuid", "tempfile"}

REQUESTS, EVENTS, RESERVED, LISTENER = 0, 1, 3, 4
STDIN, STDOUT, STDERR, WORK, REPORT = 0, 1, 2, 3, 4
BOOTSTRAP = "/runtime/python-bootstrap.py"
USER_INSIDE = 1000
PAGE = 4096
# As long as an exit status, so that one read takes one report.
READY = b"set"

CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
NEW_USER, NEW_PID = 0x10000000, 0x20000000
# The mount, cgroup, UTS, IPC and network namespaces.
NEW_OTHERS = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x40000000

READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18

SET_DUMPABLE, SET_SECCOMP, DROP_BOUND, SET_NO_NEW_PRIVILEGES = 4, 22, 24, 38
SECCOMP_FILTER = 2
CAPABILITY_VERSION = 0x20080522

PRIVATE_MAPPING, ANONYMOUS, UNRESERVED = 0x02, 0x20, 0x4000

SET_INTERFACE_FLAGS, UP = 0x8914, 1

LIBC = ctypes.CDLL(None, use_errno=True)
# This variant keeps Python's lock, which the child of a clone must hold.
LOCKED_LIBC = ctypes.PyDLL(None, use_errno=True)


class FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def check(result):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def mount(source, target, kind, flags, options=None):
    def encode(text):
        return None if text is None else text.encode()

    check(LIBC.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), encode(options)))


def prctl(option, *values):
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return LIBC.prctl(option, *arguments)


class Template:
    def __init__(self, settings):
        self.filter = base64.b64decode(settings["filter"])
        self.hidden = settings["hidden"]
        self.requests = b""
        self.listener = socket.socket(fileno=LISTENER)
        self.listener.setblocking(True)
        self.ends = select.poll()
        self.ends.register(REQUESTS, select.POLLIN)
        # Both descriptors of a run, by each of them: where its first process writes the end, and that process itself.
        self.runs = {}

    def serve(self):
        """Returns only in a new run, as the process that runs the code."""
        send("ready")
        while True:
            for descriptor, _ in self.ends.poll():
                if descriptor == REQUESTS:
                    if self.take_requests():
                        return
                else:
                    self.runs[descriptor].follow(descriptor)

    def take_requests(self):
        received = os.read(REQUESTS, 65536)
        if not received:
            os._exit(0)
        *lines, self.requests = (self.requests + received).split(b"\n")
        for line in lines:
            if self.fork(json.loads(line)):
                return True
        return False

    def fork(self, request):
        # The host has connected these three in this order before it sent the request.
        control, stdio, stderr = [self.listener.accept()[0].detach() for _ in range(3)]
        mapped, map_done = os.pipe()
        reports, report = os.pipe()
        try:
            first = clone()
        except OSError as error:
            # The machine has too many processes or namespaces for now. The forks there are go on.
            log(error)
            close(control, stdio, stderr, mapped, map_done, reports, report)
            send("ended", request["run"], "killed")
            send("gone", request["run"])
            return False
        if first == 0:
            os.close(map_done)
            # The object would close the descriptor, which the run uses for something else.
            self.listener.detach()
            enter_run(request, self, Streams(control, stdio, stderr, mapped, report))
            return True
        close(control, stdio, stderr, mapped, report)
        self.watch(Run(self, request["run"], first, reports))
        try:
            map_user(first, request["user"], request["group"])
            os.write(map_done, b"\n")
        except OSError as error:
            log(error)
        os.close(map_done)
        return False

    def watch(self, run):
        for descriptor in (run.reports, run.process):
            self.runs[descriptor] = run
            self.ends.register(descriptor, select.POLLIN)

    def unwatch(self, descriptor):
        self.ends.unregister(descriptor)
        del self.runs[descriptor]
        os.close(descriptor)


class Run:
    """A run, as the template sees it: by its first process."""

    def __init__(self, template, id, first, reports):
        self.template, self.id, self.first, self.reports = template, id, first, reports
        self.process = os.pidfd_open(first)
        self.has_ended = False

    def follow(self, descriptor):
        if descriptor == self.reports:
            self.read()
            return
        os.waitpid(self.first, 0)
        while not self.has_ended:
            self.read()
        self.template.unwatch(self.process)
        send("gone", self.id)

    def read(self):
        """The first report says that the process may enter its cgroup, the second one is the exit status."""
        report = os.read(self.reports, len(READY))
        if report == READY:
            send("forked", self.id, self.first)
            return
        self.template.unwatch(self.reports)
        self.has_ended = True
        send("ended", self.id, report.decode() if report.isdigit() else "killed")


class Streams:
    """The descriptors of a run. The first three lead to the host, `control` and `stdio` in both directions."""

    def __init__(self, control, stdio, stderr, mapped, report):
        self.control, self.stdio, self.stderr = control, stdio, stderr
        self.mapped, self.report = mapped, report


def clone():
    """Forks into user and process id namespaces of its own, as os.fork() does it without them."""
    python = ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid = LOCKED_LIBC.syscall(ctypes.c_long(CLONE), ctypes.c_long(NEW_USER | NEW_PID | signal.SIGCHLD), *[None] * 4)
    if pid == 0:
        python.PyOS_AfterFork_Child()
    else:
        python.PyOS_AfterFork_Parent()
    check(pid)
    return pid


def map_user(pid, user, group):
    for name, value in (
        ("setgroups", "deny"),
        ("uid_map", f"{USER_INSIDE} {user} 1"),
        ("gid_map", f"{USER_INSIDE} {group} 1"),
    ):
        with open(f"/proc/{pid}/{name}", "w") as file:
            file.write(value)


def enter_run(request, template, streams):
    """Sets up the isolation of a run. Returns in the process that runs the code; the first process never returns."""
    try:
        become_user(streams)
        separate(request, template)
        limit(request["limits"])
        drop_capabilities()
        code = os.fork()
        if code == 0:
            become_program(streams)
        else:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        refuse_calls(template.filter)
    except BaseException as error:
        log(error)
        os._exit(70)
    if code != 0:
        wait_for(code, streams)


def become_user(streams):
    os.setsid()
    # Without this line the user could not be mapped, or the host has closed its end.
    if not os.read(streams.mapped, 1):
        os._exit(70)
    os.setresgid(USER_INSIDE, USER_INSIDE, USER_INSIDE)
    os.setresuid(USER_INSIDE, USER_INSIDE, USER_INSIDE)
    os.write(streams.report, READY)
    # The host sends this byte once the process is in its cgroup, which is then charged for all that follows.
    if not os.read(streams.control, 1):
        os._exit(0)


def separate(request, template):
    check(LIBC.unshare(NEW_OTHERS))
    mount(None, "/", None, RECURSIVE | PRIVATE)
    mount("proc", "/proc", "proc", NO_SUID | NO_DEVICES | NO_PROGRAMS)
    for path in template.hidden:
        mount("/dev/null", path, None, BIND)
        # The kernel refuses to take a flag away, and engines of containers mount /dev without programs.
        mount(None, path, None, BIND | REMOUNT | READ_ONLY | NO_SUID | NO_DEVICES | NO_PROGRAMS)
    mount("tmpfs", "/proc/1", "tmpfs", READ_ONLY | NO_SUID | NO_DEVICES, "size=4k,nr_inodes=2,mode=0555")
    for scratch in request["scratch"]:
        mount("tmpfs", scratch["to"], "tmpfs", NO_SUID | NO_DEVICES, f"size={scratch['bytes']},mode=0755")
    raise_loopback()
    os.chdir("/tmp")


def raise_loopback():
    """The one interface of a new network is down at first."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as any_socket:
        request = b"lo".ljust(16, b"\0") + UP.to_bytes(2, sys.byteorder) + bytes(22)
        check(LIBC.ioctl(any_socket.fileno(), ctypes.c_ulong(SET_INTERFACE_FLAGS), request))


def limit(limits):
    for name, value in limits.items():
        number = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(number, (value, value))


def drop_capabilities():
    capability = 0
    while prctl(DROP_BOUND, capability) == 0:
        capability += 1
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    check(LIBC.capset(header, (ctypes.c_uint32 * 6)()))
    check(prctl(SET_NO_NEW_PRIVILEGES, 1))
    # Other processes of the same user cannot open the memory of the first process.
    check(prctl(SET_DUMPABLE, 0))


def become_program(streams):
    for source, target in (
        (streams.stdio, STDIN),
        (streams.stdio, STDOUT),
        (streams.stderr, STDERR),
        (streams.control, WORK),
        (streams.control, REPORT),
    ):
        os.dup2(source, target)
    os.closerange(REPORT + 1, 1 << 20)
    # Without it, the process could not open its own files in /proc.
    check(prctl(SET_DUMPABLE, 1))
    move_later_mappings()


def move_later_mappings():
    """The addresses of the template are those of all its forks. What a fork maps from now on is elsewhere."""
    size = PAGE * (1 + int.from_bytes(os.urandom(3), "little"))
    # It can be neither read nor written, and so uses no memory.
    LIBC.mmap(None, ctypes.c_size_t(size), 0, PRIVATE_MAPPING | ANONYMOUS | UNRESERVED, -1, ctypes.c_long(0))


def refuse_calls(filter):
    program = FilterProgram(len(filter) // 8, filter)
    check(LIBC.prctl(SET_SECCOMP, ctypes.c_ulong(SECCOMP_FILTER), ctypes.byref(program), 0, 0))


def wait_for(code, streams):
    """The first process of the namespace. Whatever is left inside is killed when it ends."""
    os.dup2(streams.report, RESERVED)
    os.closerange(0, RESERVED)
    os.closerange(RESERVED + 1, 1 << 20)
    while True:
        pid, status = os.wait()
        if pid == code:
            break
    code = os.waitstatus_to_exitcode(status)
    os.write(RESERVED, b"%03d" % (code if code >= 0 else 128 - code))
    os._exit(0)


def close(*descriptors):
    for descriptor in descriptors:
        os.close(descriptor)


def send(*words):
    os.write(EVENTS, (" ".join(map(str, words)) + "\n").encode())


def log(error):
    os.write(STDERR, f"{type(error).__name__}: {error}\n".encode())


def main():
    """Returns only in a new run."""
    settings = b""
    while b"\n" not in settings:
        received = os.read(REQUESTS, 65536)
        if not received:
            os._exit(0)
        settings += received
    shared = SHARED_RANDOMNESS & set(sys.modules)
    assert not shared, f"{shared} would share their randomness between runs"
    os.dup2(os.open("/dev/null", os.O_RDONLY), RESERVED)
    template = Template(json.loads(settings))
    gc.collect()
    # The collector would otherwise write to the memory that all runs share, and so copy it.
    gc.freeze()
    template.serve()


def run_program(bootstrap):
    """Runs the bootstrap and ends as Python would, by the same steps in the same order."""
    shared = set(sys.modules)
    status = 0
    try:
        exec(bootstrap, {"__name__": "__main__", "__file__": BOOTSTRAP, "__builtins__": __builtins__})
    except SystemExit as leaving:
        status = status_of(leaving.code)
    except BaseException:
        traceback.print_exc()
        status = 1
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    if "atexit" in sys.modules:
        sys.modules["atexit"]._run_exitfuncs()
    is_written = flush()
    drop_modules([name for name in sys.modules if name == "__main__" or name not in shared])
    # Python would go on and free all else, and so copy most of the memory that it shares with the template. That takes
    # longer than a short run.
    os._exit(status if flush() and is_written else 120)


def status_of(code):
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1


def flush():
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not stream.closed:
                stream.flush()
        return True
    except Exception:
        return False


def drop_modules(names):
    """Ends the life of what the modules of the program hold, such as open files and objects with finalizers."""
    left = []
    for name in names:
        module = sys.modules.pop(name)
        if isinstance(module, type(sys)):
            left.append(weakref.ref(module))
    module = None
    gc.collect()
    for reference in reversed(left):
        module = reference()
        if module is not None:
            names = vars(module)
            for name in sorted(names, key=lambda name: not name.startswith("_")):
                if name != "__builtins__":
                    names[name] = None


with open(BOOTSTRAP) as file:
    bootstrap = compile(file.read(), BOOTSTRAP, "exec")
main()
run_program(bootstrap)
