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
    def __init__(self, bounds, write):
        self.files, self.bytes, self.write = bounds["files"], bounds["bytes"], write
        self.left = MAX_LEFT

    def send_all(self):
        entries = 0
        waiting = [(ROOT, 0)]
        while waiting:
            directory, depth = waiting.pop(0)
            try:
                names = sorted(posix.listdir(directory))
            except OSError:
                self.leave(directory, "unreadable")
                continue
            for name in names:
                entries += 1
                if entries > MAX_ENTRIES:
                    self.leave(directory + b"/" + name, "too_many")
                    return
                path = directory + b"/" + name
                try:
                    mode = posix.lstat(path).st_mode
                except OSError:
                    continue
                if not stat.S_ISDIR(mode):
                    self.send(path, mode)
                elif depth + 1 < MAX_DEPTH:
                    waiting.append((path, depth + 1))
                else:
                    self.leave(path, "too_deep")

    def send(self, path, mode):
        if not stat.S_ISREG(mode):
            return self.leave(path, "not_a_file")
        if len(path) - len(ROOT) - 1 > MAX_PATH:
            return self.leave(path, "invalid_name")
        if self.files <= 0:
            return self.leave(path, "too_many")
        try:
            file = posix.open(path, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC)
        except OSError:
            return self.leave(path, "unreadable")
        try:
            state = posix.fstat(file)
            if not stat.S_ISREG(state.st_mode):
                return self.leave(path, "not_a_file")
            if state.st_size > self.bytes:
                return self.leave(path, "too_large")
            self.files -= 1
            self.bytes -= state.st_size
            self.send_content(path, file, state.st_size)
        finally:
            posix.close(file)

    def send_content(self, path, file, size):
        name = path[len(ROOT) + 1:]
        self.write(b"#file %d %d\n%b" % (len(name), size, name))
        while size > 0:
            # Something may still write to the file; what is missing then is zeros.
            chunk = posix.read(file, min(CHUNK, size)) or bytes(min(CHUNK, size))
            self.write(chunk)
            size -= len(chunk)

    def leave(self, path, why):
        """Names what is not kept. Of many, the first few are enough."""
        self.left -= 1
        name = path[len(ROOT) + 1:][:MAX_PATH]
        if self.left >= 0:
            self.write(b"#left %d %s\n%b" % (len(name), why.encode(), name))


def send_artifacts(bounds, write):
    Sender(bounds, write).send_all()
    write(b"#done\n")
