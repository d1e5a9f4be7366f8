# Runs inside the isolation of a session, as its first program, for as long as the session lives. It starts the
# interpreter and commands as processes with pipes of their own, passes their output on, and does the work on files. The
# host trusts what it says no more than it trusts the code of the session, which has the same user.
#
# A frame is two lengths (of 4 bytes each, big-endian), a header in JSON and a body. The protocol is in
# agent-messages.ts.
import ctypes
import errno
import fcntl
import heapq
import json
import os
import resource
import selectors
import signal
import socket
import stat
import struct
import time

HOME = "/session"
SCRATCH = "/tmp"
LENGTHS = struct.Struct(">II")
MAX_HEADER = 262144
MAX_FROM_HOST = 16 * 1024 * 1024
MAX_FROM_INTERPRETER = 4 * 1024 * 1024 + 4096
EGRESS_PORT = 3128
EGRESS_WAITING = 128
MAX_FILE = 8 * 1024 * 1024
MAX_ENTRIES = 1000
CHUNK = 65536
# What an ended process can have left in a pipe: 64 KiB, unless it made the pipe larger.
MOST_IN_PIPE = 1024 * 1024
# Pipes that processes in the background still hold. Their output is dropped, and with too many, the oldest are closed.
MAX_DRAINS = 32
# What is sent of the artifacts for each request.
ARTIFACT_PIECE = 256 * 1024
START_ATTEMPTS = 100
START_PAUSE = 0.02
PR_SET_DUMPABLE = 4

selector = selectors.DefaultSelector()
prctl = ctypes.CDLL(None, use_errno=True).prctl
# Compiled before any code of the session runs.
artifacts = {}
with open("/runtime/python-artifacts.py", "rb") as file:
    exec(compile(file.read(), "/runtime/python-artifacts.py", "exec"), artifacts)


class FrameFault(Exception):
    pass


class FrameReader:
    def __init__(self, max_body):
        self.max_body = max_body
        self.buffer = bytearray()

    def push(self, chunk):
        """Returns the frames that are complete now. Raises FrameFault for what is no frame."""
        self.buffer += chunk
        frames, at = [], 0
        while len(self.buffer) - at >= LENGTHS.size:
            header_size, body_size = LENGTHS.unpack_from(self.buffer, at)
            if header_size > MAX_HEADER or body_size > self.max_body:
                raise FrameFault()
            start = at + LENGTHS.size
            end = start + header_size + body_size
            if len(self.buffer) < end:
                break
            try:
                header = json.loads(self.buffer[start:start + header_size])
            except (ValueError, RecursionError):
                raise FrameFault()
            if not isinstance(header, dict):
                raise FrameFault()
            frames.append((header, bytes(self.buffer[start + header_size:end])))
            at = end
        if at:
            del self.buffer[:at]
        return frames


def frame_of(header, body=b""):
    head = json.dumps(header, separators=(",", ":")).encode("ascii")
    return LENGTHS.pack(len(head), len(body)) + head + body


def tell(header, body=b""):
    """Sends a frame to the host, which always reads."""
    rest = memoryview(frame_of(header, body))
    while rest:
        rest = rest[os.write(1, rest):]


class Pipe:
    """An output stream of a process."""

    def __init__(self, owner, stream):
        self.owner = owner
        self.stream = stream
        self.descriptor, self.inside = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.descriptor, False)
        self.isOpen = True
        selector.register(self.descriptor, selectors.EVENT_READ, self.on_readable)

    def on_readable(self):
        self.read()

    def read(self):
        """Passes one piece on. Returns its size."""
        if not self.isOpen:
            return 0
        try:
            chunk = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return 0
        if not chunk:
            self.close()
        elif self.owner is not None:
            self.owner.take(self.stream, chunk)
        return len(chunk)

    def drain(self):
        """Passes on what is in the pipe now."""
        left = MOST_IN_PIPE
        while left > 0 and (size := self.read()):
            left -= size

    def close(self):
        if self.isOpen:
            self.isOpen = False
            selector.unregister(self.descriptor)
            os.close(self.descriptor)


class Drains:
    """The pipes of processes that have ended, for others that they have left behind: these would fail without them."""

    def __init__(self):
        self.pipes = []

    def add(self, pipes):
        for pipe in pipes:
            pipe.owner = None
        self.pipes = [pipe for pipe in [*self.pipes, *pipes] if pipe.isOpen]
        while len(self.pipes) > MAX_DRAINS:
            self.pipes.pop(0).close()


drains = Drains()


class Job:
    """The run or the command that the host waits for."""

    def __init__(self, id, kind, output_bytes):
        self.id = id
        self.kind = kind
        self.left = {"stdout": output_bytes, "stderr": output_bytes}
        self.begunAt = None
        self.isDelivered = False

    def take(self, stream, chunk):
        left = self.left[stream]
        if left < 0:
            return
        if left:
            tell({"op": "output", "id": self.id, "stream": stream}, chunk[:left])
        self.left[stream] = left - len(chunk)
        if self.left[stream] < 0:
            tell({"op": "over", "id": self.id, "stream": stream})


def spawn(command, descriptors, environment, data_bytes=None):
    """Starts a process in a session of its own, with these descriptors as 0, 1, 2… Returns its id."""
    # The copies are above those that they become, so that none overwrites another.
    copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 16) for descriptor in descriptors]
    try:
        pid = os.fork()
        if pid == 0:
            become(command, copies, environment, data_bytes)
        return pid
    finally:
        for copy in copies:
            os.close(copy)


def become(command, descriptors, environment, data_bytes):
    try:
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        os.closerange(len(descriptors), 1024)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        # The kernel ends this process before the agent when memory runs out.
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
        try:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("500")
        except OSError:
            pass
        if data_bytes is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))
        os.chdir(HOME)
        os.execve(command[0], command, environment)
    except BaseException as error:
        os.write(2, ("%s\n" % error).encode("utf-8", "replace"))
    finally:
        os._exit(127)


def input_of(content):
    """Returns a descriptor to read the content from: a file, because many programs reopen /dev/stdin."""
    if not content:
        return os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
    # It never has a name that the code could take before.
    descriptor = os.open(SCRATCH, os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o600)
    try:
        write_all(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def write_all(descriptor, content):
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest):]


def end_of(status):
    """Returns the exit code and the signal of a status of waitpid()."""
    if os.WIFSIGNALED(status):
        return {"exit": None, "signal": os.WTERMSIG(status)}
    return {"exit": os.WEXITSTATUS(status), "signal": None}


def kill(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass


class Interpreter:
    """The process that keeps the state of the session."""

    def __init__(self, agent):
        self.agent = agent
        self.isReady = False
        self.unsent = bytearray()
        self.frames = FrameReader(MAX_FROM_INTERPRETER)
        self.pipes = []
        self.socket, inside = socket.socketpair()
        none = os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.pipes = [Pipe(None, stream) for stream in ("stdout", "stderr")]
            descriptors = [none, *(pipe.inside for pipe in self.pipes), inside.fileno()]
            self.pid = spawn(agent.command, descriptors, agent.environment, agent.data_bytes)
        except BaseException:
            for pipe in self.pipes:
                pipe.close()
            self.socket.close()
            raise
        finally:
            inside.close()
            os.close(none)
            for pipe in self.pipes:
                os.close(pipe.inside)
        self.socket.setblocking(False)
        selector.register(self.socket, selectors.EVENT_READ, self.on_event)

    def send(self, header, body):
        self.unsent += frame_of(header, body)
        self.flush()

    def flush(self):
        try:
            while self.unsent:
                del self.unsent[:self.socket.send(self.unsent[:MOST_IN_PIPE])]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent.clear()
        if not self.isDeaf:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.unsent else 0)
            selector.modify(self.socket, events, self.on_event)

    def on_event(self):
        if self.unsent:
            self.flush()
        self.receive()

    def receive(self):
        if self.isDeaf:
            return False
        try:
            chunk = self.socket.recv(4 * CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            self.hang_up()
            return False
        try:
            for header, body in self.frames.push(chunk):
                self.agent.on_interpreter(self, header, body)
        except FrameFault:
            self.hang_up()
            kill(self.pid, signal.SIGKILL)
        return True

    @property
    def isDeaf(self):
        """True when it can do no more work. It may still be about to end by itself, with a status of its own."""
        return self.socket.fileno() < 0

    def hang_up(self):
        if not self.isDeaf:
            selector.unregister(self.socket)
            self.socket.close()

    def read_rest(self):
        while self.receive():
            pass
        for pipe in self.pipes:
            pipe.drain()


class Shell:
    """A command of the shell."""

    def __init__(self, environment, job, command, stdin):
        self.pipes = []
        source = input_of(stdin)
        try:
            self.pipes = [Pipe(job, stream) for stream in ("stdout", "stderr")]
            command = ["/bin/sh", "-c", command]
            self.pid = spawn(command, [source, *(pipe.inside for pipe in self.pipes)], environment)
        except BaseException:
            for pipe in self.pipes:
                pipe.close()
            raise
        finally:
            os.close(source)
            for pipe in self.pipes:
                os.close(pipe.inside)


class Egress:
    """The way out: a program that forwards connections to the proxy of the host. Code can end it, for its run only."""

    def __init__(self, command):
        self.command = command
        self.pid = None
        # It is here, so that the code can neither take the port nor come too early.
        self.listener = socket.create_server(("127.0.0.1", EGRESS_PORT), backlog=EGRESS_WAITING)

    def ensure(self):
        if self.pid is not None:
            # Code may have stopped it, which is for its run only, too.
            kill(self.pid, signal.SIGCONT)
            return
        try:
            none = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
            try:
                self.pid = spawn(self.command, [none, none, none, self.listener.fileno()], {})
            finally:
                os.close(none)
        except OSError:
            pass  # No processes or no open files are left. The next run tries again.


class Agent:
    def __init__(self):
        self.egress = None
        self.job = None
        self.waiting = None
        self.shell = None
        self.interpreter = None
        # True when variables are lost and no run knows yet.
        self.isLost = False
        # True when everything was ended because the last interpreter did not start.
        self.hasMadeRoom = False
        self.removals = {}
        # What is left to send of the artifacts, and the facts of those that were sent, by path.
        self.sending = iter(())
        self.sent = {}

    def pipes_of(self, kind):
        process = self.shell if kind == "shell" else self.interpreter
        return [] if process is None else process.pipes

    def begin(self, job):
        """Only the output of the process that does the job is passed on."""
        for kind in ("run", "shell"):
            for pipe in self.pipes_of(kind):
                if kind == "run":
                    # What processes in the background have written since the last run.
                    pipe.owner = None
                    pipe.drain()
                pipe.owner = job if kind == job.kind else None
        self.job = job

    def end(self, **facts):
        job, self.job, self.waiting = self.job, None, None
        for pipe in self.pipes_of(job.kind):
            pipe.drain()
            pipe.owner = None
        isLost = job.kind == "run" and self.isLost
        if job.kind == "run":
            self.isLost = False
        seconds = 0 if job.begunAt is None else time.monotonic() - job.begunAt
        tell({"op": "ended", "id": job.id, "lost": isLost, "ms": round(seconds * 1000, 3), **facts})

    # What the host asks for.

    def on_host(self, header, body):
        op = header["op"]
        if op == "start":
            self.command = header["command"]
            self.data_bytes = header["data_bytes"]
            self.environment = json.loads(body)
            if header["egress"] is not None:
                self.egress = Egress(header["egress"])
            self.start_interpreter()
            if self.interpreter is None:
                os._exit(1)
        elif op == "run":
            self.run(header, body)
        elif op == "shell":
            self.run_shell(header, body)
        elif op == "interrupt":
            self.interrupt(header["id"])
        elif op == "kill":
            self.kill(header["id"])
        else:
            self.on_files(op, header, body)

    def run(self, header, body):
        self.begin(Job(header["id"], "run", header["output_bytes"]))
        self.waiting = {"op": "run", "id": header["id"], "stdin": header["stdin"]}, body
        if self.interpreter is None:
            self.start_interpreter()
        if self.interpreter is None:
            self.end(fault="start")
            return
        for pipe in self.interpreter.pipes:
            pipe.owner = self.job
        if self.interpreter.isDeaf:
            kill(self.interpreter.pid, signal.SIGKILL)
        elif self.interpreter.isReady:
            self.deliver()

    def deliver(self):
        if self.waiting is None:
            return
        self.ensure_egress()
        (header, body), self.waiting = self.waiting, None
        self.job.isDelivered = True
        self.job.begunAt = time.monotonic()
        tell({"op": "begun", "id": self.job.id})
        self.interpreter.send(header, body)

    def run_shell(self, header, body):
        size = header["stdin"]
        command, stdin = body[:len(body) - size], body[len(body) - size:]
        self.begin(Job(header["id"], "shell", header["output_bytes"]))
        self.ensure_egress()
        try:
            self.shell = Shell(self.environment, self.job, command, stdin)
        except OSError as error:
            self.shell = None
            self.end(fault="processes" if error.errno == errno.EAGAIN else "start")
            return
        self.job.begunAt = time.monotonic()
        tell({"op": "begun", "id": self.job.id})

    def interrupt(self, id):
        if self.job is None or self.job.id != id:
            return
        if self.job.kind == "shell":
            self.kill(id)
        elif self.job.isDelivered and self.interpreter is not None:
            kill(self.interpreter.pid, signal.SIGINT)

    def kill(self, id):
        if self.job is None or self.job.id != id:
            return
        process = self.shell if self.job.kind == "shell" else self.interpreter
        if process is None:
            return
        try:
            # Each is the leader of a group.
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            kill(process.pid, signal.SIGKILL)

    # What happens inside.

    def start_interpreter(self):
        for attempt in range(START_ATTEMPTS):
            try:
                self.interpreter = Interpreter(self)
                return
            except OSError as error:
                if error.errno != errno.EAGAIN:
                    return
            # What fills the table of processes would keep the session from ever working again. The kernel may take a
            # moment to remove it.
            self.make_room()
            time.sleep(START_PAUSE)

    def make_room(self):
        """Ends everything but the agent."""
        kill(-1, signal.SIGKILL)
        if self.egress is not None:
            self.egress.pid = None

    def ensure_egress(self):
        if self.egress is not None:
            self.egress.ensure()

    def on_interpreter(self, interpreter, header, body):
        if interpreter is not self.interpreter:
            return
        op, job = header.get("op"), self.job
        if op == "ready" and not interpreter.isReady:
            interpreter.isReady = True
            self.hasMadeRoom = False
            tell({"op": "ready", "version": str(header.get("version"))[:40]})
            self.deliver()
        elif job is None or job.kind != "run" or not job.isDelivered:
            return
        elif op == "result":
            tell({"op": "result", "id": job.id, "type": str(header.get("type"))[:40]}, body)
        elif op == "done" and header.get("id") == job.id:
            error = header.get("error")
            text = json.dumps(error) if isinstance(error, dict) else ""
            self.end(exit=1 if error else 0, signal=None, **({"error": error} if text and len(text) < 200000 else {}))

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self.interpreter is not None and pid == self.interpreter.pid:
                self.on_interpreter_end(status)
            elif self.shell is not None and pid == self.shell.pid:
                self.on_shell_end(status)
            elif self.egress is not None and pid == self.egress.pid:
                self.egress.pid = None
            elif pid in self.removals:
                answer(self.removals.pop(pid), None if status == 0 else "failed")

    def on_interpreter_end(self, status):
        ended = self.interpreter
        # Its last words may say that it is done.
        ended.read_rest()
        ended.hang_up()
        drains.add(ended.pipes)
        self.interpreter = None
        self.isLost = self.isLost or ended.isReady
        job = self.job
        if job is not None and job.kind == "run":
            isSecond, self.hasMadeRoom = self.hasMadeRoom, not ended.isReady
            if not job.isDelivered and not isSecond:
                # It ended before it had the run, so the run gets another.
                if not ended.isReady:
                    self.make_room()
                self.start_interpreter()
                if self.interpreter is not None:
                    for pipe in self.interpreter.pipes:
                        pipe.owner = job
                    return
            self.end(**end_of(status), **({} if ended.isReady else {"fault": "start"}))
        if ended.isReady and self.interpreter is None:
            self.start_interpreter()

    def on_shell_end(self, status):
        ended = self.shell
        if self.job is not None and self.job.kind == "shell":
            self.end(**end_of(status))
        self.shell = None
        drains.add(ended.pipes)

    # Files. The paths are checked by the host, and harm nobody: what they lead to is inside.

    def on_files(self, op, header, body):
        id = header["id"]
        path = os.path.join(HOME, header.get("path", ""))
        try:
            if op == "list":
                answer(id, None, list_directory(path))
            elif op == "read":
                answer(id, None, read_file(path))
            elif op == "write":
                write_file(path, body)
                answer(id, None)
            elif op == "remove":
                self.remove(id, path)
            elif op == "collect":
                self.sent = {}
                self.sending = artifacts["Sender"](json.loads(body), some_names_in, self.sent.__setitem__).pieces()
                answer(id, None, next_of(self.sending))
            elif op == "collect_more":
                answer(id, None, next_of(self.sending))
            elif op == "collected":
                self.remove_sent(json.loads(body))
                answer(id, None)
        except FileFault as fault:
            answer(id, fault.args[0])
        except OSError as error:
            answer(id, FAULTS.get(error.errno, "failed"))
        except ValueError:
            answer(id, "invalid")

    def remove_sent(self, paths):
        """Removes files that were sent, except for those that were written again meanwhile: they are sent again."""
        sent, self.sent = self.sent, {}
        for path in paths:
            path = artifacts["ROOT"] + b"/" + path.encode("utf-8")
            try:
                if path in sent and is_same(os.lstat(path), sent[path]):
                    os.unlink(path)
            except OSError:
                pass

    def remove(self, id, path):
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            os.unlink(path)
            answer(id, None)
            return
        none = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        try:
            # A directory may hold more than can be removed in a moment.
            self.removals[spawn(["/bin/rm", "-rf", "--", path], [none] * 3, {})] = id
        finally:
            os.close(none)


class FileFault(Exception):
    pass


FAULTS = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_found",
    errno.ELOOP: "not_found",
    errno.EISDIR: "invalid",
    errno.EEXIST: "invalid",
    errno.ENXIO: "invalid",
    errno.ENAMETOOLONG: "invalid",
    errno.EACCES: "invalid",
    errno.EPERM: "invalid",
    errno.EROFS: "invalid",
    errno.EBUSY: "invalid",
    errno.ETXTBSY: "invalid",
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
}


def answer(id, fault, body=b""):
    tell({"op": "answer", "id": id, **({} if fault is None else {"fault": fault})}, body)


def next_of(pieces):
    """Returns the next pieces together. Nothing means that there are no more."""
    found, size = [], 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size >= ARTIFACT_PIECE:
            break
    return b"".join(found)


def some_names_in(directory):
    """Code can make more entries than fit into the memory of this process."""
    with os.scandir(directory) as entries:
        return heapq.nsmallest(artifacts["MAX_ENTRIES"] + 1, (entry.name for entry in entries))


def is_same(now, then):
    return (now.st_ino, now.st_mtime_ns, now.st_size) == (then.st_ino, then.st_mtime_ns, then.st_size)


def list_directory(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        with os.scandir(descriptor) as entries:
            names = heapq.nsmallest(MAX_ENTRIES, (entry.name for entry in entries))
        found = []
        for name in names:
            try:
                facts = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                continue
            shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            found.append([shown, kind_of(facts.st_mode), facts.st_size, int(facts.st_mtime * 1000)])
        return json.dumps(found).encode("ascii")
    finally:
        os.close(descriptor)


def kind_of(mode):
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def read_file(path):
    # A FIFO without a writer would block otherwise.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise FileFault("not_found")
        if facts.st_size > MAX_FILE:
            raise FileFault("too_large")
        chunks, size = [], 0
        while chunk := os.read(descriptor, 1024 * 1024):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_FILE:
                raise FileFault("too_large")
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def write_file(path, content):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o644)
    except NotADirectoryError:
        raise FileFault("invalid")
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileFault("invalid")
        os.ftruncate(descriptor, 0)
        try:
            write_all(descriptor, content)
        except OSError:
            # Nobody should take a part for the whole.
            os.ftruncate(descriptor, 0)
            os.unlink(path)
            raise
    finally:
        os.close(descriptor)


def main():
    # Nothing else with this user can open the descriptors and the memory of this process.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.set_inheritable(0, False)
    os.set_inheritable(1, False)

    agent = Agent()
    host = FrameReader(MAX_FROM_HOST)
    waker, woken = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)

    def on_child():
        try:
            os.read(waker, 4096)
        except BlockingIOError:
            pass
        agent.reap()

    def on_host():
        chunk = os.read(0, 4 * CHUNK)
        if not chunk:
            # The service has ended.
            os._exit(0)
        for header, body in host.push(chunk):
            agent.on_host(header, body)

    selector.register(waker, selectors.EVENT_READ, on_child)
    selector.register(0, selectors.EVENT_READ, on_host)
    while True:
        for key, _ in selector.select():
            # One of them may have closed another.
            if selector.get_map().get(key.fd) is not None and selector.get_map()[key.fd].data == key.data:
                key.data()


main()
