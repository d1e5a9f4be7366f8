import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Where the connection breaks: before the server gets the statement, or after its answer, which is then lost. */
export interface Cut {
  /** Part of the statement. */
  readonly statement: string;
  readonly when: 'before' | 'answered';
}

/** A proxy between a service and its PostgreSQL that breaks connections at a given statement, as a network may. */
export class DatabaseRelay {
  private readonly sockets = new Set<Socket>();
  private next: Cut | undefined;
  private isCut = false;
  private unanswered = 0;
  /** Number of connections that were broken at a statement. */
  cuts = 0;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  static async start(databaseUrl: string): Promise<DatabaseRelay> {
    const server = createServer();
    const relay = new DatabaseRelay(server, new URL(databaseUrl));
    server.on('connection', (client) => {
      relay.join(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    const { username, password, pathname } = this.target;
    return `postgres://${username}:${password}@127.0.0.1:${(this.server.address() as AddressInfo).port}${pathname}`;
  }

  /** Breaks the next connection that sends the statement. */
  cutAt(cut: Cut): void {
    this.next = cut;
  }

  /** Accepts the next connections without ever answering, as a machine does that is too busy. */
  leaveUnanswered(connections: number): void {
    this.unanswered = connections;
  }

  /** The number of connections that {@link leaveUnanswered} still applies to. */
  get stillUnanswered(): number {
    return this.unanswered;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    if (this.isCut) {
      client.destroy();
      return;
    }
    if (this.unanswered > 0) {
      this.unanswered--;
      this.sockets.add(client);
      client.on('error', () => undefined);
      client.resume();
      return;
    }
    const host = decodeURIComponent(this.target.hostname);
    const port = Number(this.target.port || 5432);
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        end();
      });
    }
    let losesAnswer = false;
    client.on('data', (chunk: Buffer) => {
      const cut = this.next;
      if (cut !== undefined && chunk.includes(cut.statement)) {
        this.next = undefined;
        this.cuts++;
        if (cut.when === 'before') {
          end();
          return;
        }
        losesAnswer = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => {
      if (losesAnswer) end();
      else client.write(chunk);
    });
  }
}
