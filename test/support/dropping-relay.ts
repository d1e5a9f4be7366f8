import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of new connections while a relay drops what open ones send. */
type NewConnections = 'silent' | 'refused' | 'served';

/**
 * A relay that can stop to pass anything on without a word, in both directions, as a network that is cut does: open
 * connections stay open, and new ones are accepted and never answered. It may also refuse the new ones, or serve them,
 * as a virtual address does that leads to another server.
 */
export class DroppingRelay {
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<Socket>();
  private dropping: NewConnections | undefined;
  private at!: AddressInfo;
  /** How many connections it has taken. */
  accepted = 0;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: () => Promise<number>,
  ) {}

  /**
   * @param targetPort is asked for at each connection: the server behind may have moved.
   * @param at the address of the relay. Default: a free port of 127.0.0.1.
   */
  static async start(
    targetPort: () => Promise<number>,
    { host, port }: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 },
  ): Promise<DroppingRelay> {
    // Otherwise, what a caller sends before it hangs up is lost with the socket.
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: false });
    const relay = new DroppingRelay(server, targetPort);
    server.on('connection', (caller) => {
      relay.accept(caller);
    });
    server.listen(port, host);
    await once(server, 'listening');
    relay.at = server.address() as AddressInfo;
    return relay;
  }

  get port(): number {
    return this.at.port;
  }

  drop(newConnections: NewConnections = 'silent'): void {
    this.dropping = newConnections;
    for (const socket of this.sockets) socket.pause();
    if (newConnections === 'refused') this.server.close();
  }

  /** What was sent meanwhile arrives now, as with retransmissions. */
  mend(): void {
    this.dropping = undefined;
    if (!this.server.listening) this.server.listen(this.at.port, this.at.address);
    for (const socket of this.sockets) socket.resume();
    for (const caller of [...this.waiting]) {
      this.waiting.delete(caller);
      void this.join(caller);
    }
  }

  async stop(): Promise<void> {
    for (const socket of [...this.sockets, ...this.waiting]) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(caller: Socket): void {
    this.accepted++;
    caller.on('error', () => undefined);
    if (this.dropping !== 'silent') {
      void this.join(caller);
      return;
    }
    this.waiting.add(caller);
    caller.once('close', () => this.waiting.delete(caller));
  }

  private async join(caller: Socket): Promise<void> {
    const port = await this.targetPort().catch(() => undefined);
    if (port === undefined || caller.destroyed) {
      caller.destroy();
      return;
    }
    const target = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [caller, target],
      [target, caller],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk: Buffer) => to.write(chunk));
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.dropping === 'silent') from.pause();
      else from.resume();
    }
  }
}
