# Sends the files that a program has left in /artifacts to the host, which trusts them no more than the program. Only
# regular files are read, and none through a link. deliveries.ts defines the format.
import posix
import stat

ROOT = b"/artifacts"
CHUNK = 65536
# A tree can be deeper and wider than anything that is kept.
MAX_DEPTH = 16
MAX_ENTRIES = 2000
MAX_LEFT = 20
MAX_PATH = 500


class Sender:
    def __init__(self, bounds, names_in=posix.listdir, sent=None):
        """`sent` is called with the path and the facts of each file before its last piece."""
        self.files, self.bytes = bounds["files"], bounds["bytes"]
        self.names_in, self.sent = names_in, sent
        self.left = MAX_LEFT

    def pieces(self):
        """Yields all that is sent, piece by piece."""
        yield from self.tree()
        yield b"#done\n"

    def tree(self):
        entries = 0
        waiting = [(ROOT, 0)]
        while waiting:
            directory, depth = waiting.pop(0)
            try:
                names = sorted(self.names_in(directory))
            except OSError:
                yield self.leave(directory, "unreadable")
                continue
            for name in names:
                entries += 1
                if entries > MAX_ENTRIES:
                    yield self.leave(directory + b"/" + name, "too_many")
                    return
                path = directory + b"/" + name
                try:
                    mode = posix.lstat(path).st_mode
                except OSError:
                    continue
                if not stat.S_ISDIR(mode):
                    yield from self.file(path, mode)
                elif depth + 1 < MAX_DEPTH:
                    waiting.append((path, depth + 1))
                else:
                    yield self.leave(path, "too_deep")

    def file(self, path, mode):
        fault = self.fault_of(path, mode)
        if fault is not None:
            yield self.leave(path, fault)
            return
        try:
            file = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC)
        except OSError:
            yield self.leave(path, "unreadable")
            return
        try:
            state = posix.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                yield self.leave(path, "not_a_file")
            elif state.st_size > self.bytes:
                yield self.leave(path, "too_large")
            else:
                self.files -= 1
                self.bytes -= state.st_size
                yield from self.content(path, file, state)
        finally:
            posix.close(file)

    def fault_of(self, path, mode):
        if not stat.S_ISREG(mode):
            return "not_a_file"
        if len(path) - len(ROOT) - 1 > MAX_PATH:
            return "invalid_name"
        return "too_many" if self.files <= 0 else None

    def content(self, path, file, state):
        name, size = path[len(ROOT) + 1:], state.st_size
        piece = b"#file %d %d\n%b" % (len(name), size, name)
        while size > 0:
            yield piece
            # Something may still write to the file; what is missing then is zeros.
            piece = posix.read(file, min(CHUNK, size)) or bytes(min(CHUNK, size))
            size -= len(piece)
        if self.sent is not None:
            self.sent(path, state)
        yield piece

    def leave(self, path, why):
        """Names what is not kept. Of many, the first few are enough."""
        self.left -= 1
        name = path[len(ROOT) + 1:][:MAX_PATH]
        return b"#left %d %s\n%b" % (len(name), why.encode(), name) if self.left >= 0 else b""


def send_artifacts(bounds, write):
    for piece in Sender(bounds).pieces():
        write(piece)
