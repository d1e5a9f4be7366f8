# Runs inside the isolation of a session with a network: forwards connections to a port of 127.0.0.1 to the socket of
# the proxy, the only way out. The agent starts it, and gives it the listening socket. It has the user of the code,
# which can do no more with it than with the socket of the proxy itself.
import selectors
import socket

LISTENER = 3
PROXY = "/run/egress/proxy"
CHUNK = 65536
MAX_CONNECTIONS = 128

selector = selectors.DefaultSelector()


class End:
    """One end of a connection. What it sends goes to the other end, which is read no faster than it is written to."""

    def __init__(self, connection):
        self.connection = connection
        self.other = None
        self.unsent = b""
        self.hasEnded = False
        self.isOpen = True
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ, self)

    def act(self, mask):
        if mask & selectors.EVENT_WRITE:
            self.write()
        if mask & selectors.EVENT_READ:
            self.read()
        for end in (self, self.other):
            end.watch()

    def read(self):
        try:
            chunk = self.connection.recv(CHUNK)
        except BlockingIOError:
            return
        self.hasEnded = not chunk
        self.other.unsent = chunk
        self.other.write()

    def write(self):
        if self.unsent:
            try:
                self.unsent = self.unsent[self.connection.send(self.unsent):]
            except BlockingIOError:
                return
        if not self.unsent and self.other.hasEnded:
            self.connection.shutdown(socket.SHUT_WR)

    def watch(self):
        """Reads while the other end has taken everything, and writes while something waits."""
        reads = not self.hasEnded and not self.other.unsent
        events = (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if self.unsent else 0)
        isWatched = self.connection in selector.get_map()
        if events and isWatched:
            selector.modify(self.connection, events, self)
        elif events:
            selector.register(self.connection, events, self)
        elif isWatched:
            selector.unregister(self.connection)

    @property
    def isOver(self):
        return self.hasEnded and self.other.hasEnded and not self.unsent and not self.other.unsent

    def close(self):
        self.isOpen = False
        if self.connection in selector.get_map():
            selector.unregister(self.connection)
        self.connection.close()


class Connections:
    def __init__(self, listener):
        self.listener = listener
        self.count = 0

    def act(self, _):
        client, _ = self.listener.accept()
        proxy = socket.socket(socket.AF_UNIX)
        try:
            if self.count >= MAX_CONNECTIONS:
                raise OSError()
            proxy.settimeout(1)
            proxy.connect(PROXY)
        except OSError:
            client.close()
            proxy.close()
            return
        one, other = End(client), End(proxy)
        one.other, other.other = other, one
        self.count += 1

    def close(self, end):
        end.close()
        end.other.close()
        self.count -= 1


def main():
    listener = socket.socket(fileno=LISTENER)
    listener.setblocking(False)
    connections = Connections(listener)
    selector.register(listener, selectors.EVENT_READ, connections)
    while True:
        for key, mask in selector.select():
            if key.data is connections:
                try:
                    connections.act(mask)
                except OSError:
                    pass  # The client has left.
                continue
            # One of them may have closed another.
            if not key.data.isOpen:
                continue
            try:
                key.data.act(mask)
                isOver = key.data.isOver
            except OSError:
                isOver = True
            if isOver:
                connections.close(key.data)


main()
