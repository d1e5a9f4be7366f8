import { createServer, type Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { type DirectorySocket, listenIn } from './directory-socket.js';

/** Something on the host's side that a program in isolation reaches at a port of 127.0.0.1. */
export interface LocalService {
  readonly port: number;
  /** Opens a connection for the program. Its end closes the connection of the program. */
  readonly connect: (signal: AbortSignal) => Promise<Duplex>;
}

const MOST_CONNECTIONS = 256;

/**
 * Lets programs in isolation reach services on the host's side: each gets a socket `tcp-<port>` in a directory that is
 * mounted into the isolation, where a forwarder listens on the port.
 */
export class LocalServices {
  private constructor(private readonly open: readonly OpenService[]) {}

  /**
   * @param directory no isolated program can write to it.
   * @param report receives the reasons why connections could not be opened.
   */
  static async listen(
    directory: string,
    services: readonly LocalService[],
    report: (error: unknown) => void,
  ): Promise<LocalServices> {
    const open: OpenService[] = [];
    try {
      for (const service of services) open.push(await OpenService.listen(directory, service, report));
      return new LocalServices(open);
    } catch (error) {
      await new LocalServices(open).close();
      throw error;
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all(this.open.map((each) => each.close()));
  }
}

class OpenService {
  private readonly sockets = new Set<Socket>();
  private readonly ended = new AbortController();
  private listening: DirectorySocket | undefined;

  private constructor(
    private readonly service: LocalService,
    private readonly report: (error: unknown) => void,
  ) {}

  static async listen(
    directory: string,
    service: LocalService,
    report: (error: unknown) => void,
  ): Promise<OpenService> {
    const open = new OpenService(service, report);
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      void open.carry(socket);
    });
    server.maxConnections = MOST_CONNECTIONS;
    open.listening = await listenIn(directory, `tcp-${service.port}`, server);
    return open;
  }

  async close(): Promise<void> {
    this.ended.abort();
    for (const socket of this.sockets) socket.destroy();
    await this.listening?.close();
  }

  private async carry(socket: Socket): Promise<void> {
    this.sockets.add(socket);
    const left = new AbortController();
    socket
      .on('error', () => undefined)
      .once('close', () => {
        this.sockets.delete(socket);
        left.abort();
      });
    try {
      const service = await this.service.connect(AbortSignal.any([left.signal, this.ended.signal]));
      if (socket.destroyed) {
        service.destroy();
        return;
      }
      pipeline(socket, service, socket, () => {
        service.destroy();
        socket.destroy();
      });
    } catch (error) {
      if (!socket.destroyed) this.report(error);
      socket.destroy();
    }
  }
}
